"""The loop's timers."""

from __future__ import annotations

from kombu.asynchronous.timer import Timer

from jobs.worker.timers import drop_cancelled


def test_cancelled_timers_are_let_go_and_the_others_fire_in_their_order() -> None:
    timer, fired = Timer(), []
    for number in range(100):
        entry = timer.call_after(-1.0 + number / 1000, fired.append, (number,))
        if number % 10:
            entry.cancel()
    waiting = iter(timer)
    assert drop_cancelled(timer) == 90
    while (entry := next(waiting)[1]) is not None:
        timer.apply_entry(entry)
    assert fired == list(range(0, 100, 10))
