"""What other threads ask of the curl thread."""

from __future__ import annotations

from jobs.targets.orders import Inbox, Order
from tests.support.http_calls import call_to


def _order(number: int) -> Order:
    return Order(number, call_to("http://endpoint.example/"), on_start=lambda: True, on_done=lambda _: None)


def test_many_orders_wake_the_thread_once_until_they_are_taken() -> None:
    wakes: list[None] = []
    inbox = Inbox(lambda: wakes.append(None))

    for number in (1, 2, 3):
        inbox.put(_order(number))
    inbox.cancel(2)
    assert len(wakes) == 1

    orders, cancelled = inbox.take()
    assert ([order.number for order in orders], cancelled) == ([1, 2, 3], {2})
    inbox.cancel(1)
    inbox.put(_order(4))
    assert len(wakes) == 2


def test_closing_wakes_the_thread_whatever_waits_for_it() -> None:
    wakes: list[None] = []
    inbox = Inbox(lambda: wakes.append(None))
    inbox.put(_order(1))

    inbox.close()

    assert len(wakes) == 2
    assert not inbox.put(_order(2))
