"""Every page of the app on sample rows: named, labelled, within its width, and from this host alone."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection
from playwright.sync_api import BrowserContext

from jobs.models import DeadLetter, Endpoint, Job, JobRun, SlotGap
from jobs.services.token import make_token
from tests.browser.watch import inspect
from tests.support.sample import lay_out

LISTS = ("job", "jobrun", "deadrun", "slotgap", "endpoint", "deadletter", "token")


def pages() -> Iterator[str]:
    """The addresses of all kinds of pages, with something on each."""
    runs = lay_out()
    body = b'[["ada@example.com"], {}]'
    letter = DeadLetter.objects.create(queue="team.mail", task="team.mail.send", body=body, size=len(body))
    yield ""
    yield from (f"{name}/" for name in LISTS)
    yield from (f"{name}/add/" for name in ("job", "endpoint", "token"))
    yield from ("jobrun/?status=dead&since=all", "job/?q=bill", "deadletter/?state=all")
    for job in Job.objects.order_by("name"):
        yield f"job/{job.pk}/change/"
    yield from (f"job/{job.pk}/{verb}/" for verb in ("pause", "archive", "history"))
    for status in JobRun.objects.values_list("status", flat=True).distinct():
        yield f"jobrun/{JobRun.objects.filter(status=status).latest('scheduled_for').key}/change/"
    yield f"jobrun/{runs['retried'].key}/history/"
    yield f"deadrun/{runs['dead'].error_group}/change/?days=30"
    endpoint = Endpoint.objects.latest("pk")
    yield from (f"endpoint/{endpoint.pk}/{verb}/" for verb in ("change", "try", "history", "delete"))
    yield from (f"deadletter/{letter.pk}/{verb}/" for verb in ("change", "discard", "history"))
    token = make_token("pipeline", scopes=["jobs:read", "runs:run"]).token
    yield from (f"token/{token.pk}/{verb}/" for verb in ("change", "revoke", "history"))
    yield f"slotgap/{SlotGap.objects.latest('pk').pk}/change/"


def test_every_page_is_in_order_wide_and_narrow(logged_in: BrowserContext) -> None:
    addresses = list(pages())
    connection.close()  # the server has its own
    page = logged_in.new_page()
    for address in addresses:
        response = page.goto(f"/admin/jobs/{address}")
        assert response is not None
        assert response.ok, address
        inspect(page)
