"""Messages of others that were dead-lettered to Beatkeeper: listed, sent back, discarded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kombu import Connection, Queue
from playwright.sync_api import Page, expect

from jobs.broker import topology
from tests.browser.forms import new_name, until_shown
from tests.browser.site import Site
from tests.browser.watch import inspect
from tests.support.waiting import wait_until

LIST = "/admin/jobs/deadletter/"
BODY = b'[["ada@example.com"], {}]'


class TeamQueue:
    """A team's own queue whose rejected messages go where those of Beatkeeper's go."""

    def __init__(self, connection: Connection) -> None:
        self.name = new_name("team.mail")
        self._connection = connection
        arguments = {"x-dead-letter-exchange": topology.DEAD_LETTER_EXCHANGE}
        self._channel = connection.default_channel
        Queue(self.name, durable=True, queue_arguments=arguments).bind(self._channel).declare()

    def lose_one(self) -> None:
        """Publish a message and reject it, as a worker does that cannot read it."""
        with self._connection.Producer() as producer:
            headers = {"task": "team.mail.send", "id": "1"}
            producer.publish(BODY, routing_key=self.name, headers=headers, content_type="application/json")
        self._channel.basic_reject(self.next().delivery_tag, requeue=False)

    def next(self) -> Any:
        return wait_until(lambda: self._channel.basic_get(self.name), what=f"a message in {self.name}")


@pytest.fixture
def lost(admin: Page, running: Site) -> Iterator[TeamQueue]:
    """The page of one message that a team has lost."""
    with Connection(running.stack.environment["BROKER_URL"]) as connection:
        queue = TeamQueue(connection)
        queue.lose_one()
        admin.goto(LIST)
        until_shown(admin, "#result_list", queue.name)
        admin.locator("#result_list tbody tr", has_text=queue.name).locator("th a").click()
        inspect(admin)
        yield queue


def test_a_foreign_message_is_shown_with_its_way_and_body(admin: Page, lost: TeamQueue) -> None:
    for field, text in (
        ("state_badge", "kept"),
        ("queue", lost.name),
        ("reason", "rejected"),
        ("task", "team.mail.send"),
        ("body_shown", BODY.decode()),
    ):
        expect(admin.locator(f".field-{field}")).to_contain_text(text)


def test_it_is_sent_back_to_the_queue_it_died_in(admin: Page, lost: TeamQueue) -> None:
    admin.get_by_role("button", name="Send back to its queue").click()
    expect(admin.locator(".messagelist .success")).to_have_text("Done for 1 dead letter.")
    expect(admin.locator(".field-state_badge")).to_contain_text("sent back")
    expect(admin.get_by_role("button", name="Send back to its queue")).to_have_count(0)
    assert bytes(lost.next().body) == BODY


def test_it_is_discarded_after_a_question(admin: Page, lost: TeamQueue) -> None:
    admin.get_by_role("link", name="Discard…").click()
    expect(admin.locator("main")).to_contain_text("It is not sent anywhere.")
    inspect(admin)
    admin.get_by_role("button", name="Discard").click()
    expect(admin.locator(".field-state_badge")).to_contain_text("discarded")
    admin.goto(LIST)
    expect(admin.locator("#result_list", has_text=lost.name)).to_have_count(0)
    admin.goto(f"{LIST}?state=discarded")
    expect(admin.locator("#result_list")).to_contain_text(lost.name)
