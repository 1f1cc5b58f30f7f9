"""The context of a job: its event sink, cancellation and network permission."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from workflows.process.sandbox import OnFetched, keep_network
from workflows.wire.events import Event, NoticeEvent


class JobContext(NamedTuple):
    """Context passed to every job.

    report: sink of its events. cancelled: whether it is to stop. on_fetched: called once the job needs no network.
    """

    report: Callable[[Event], None]
    cancelled: Callable[[], bool]
    on_fetched: OnFetched = keep_network

    def notify_history(self, message: str) -> None:
        """Reports a problem with the history of runs, which does not affect the job itself."""
        self.report(NoticeEvent(code="history", message=message))
