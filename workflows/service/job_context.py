"""What every job is told of the one who asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from workflows.process.sandbox import OnFetched, keep_network
from workflows.wire.events import Event, NoticeEvent


class JobContext(NamedTuple):
    """Where a job's events go while it runs, whether it is to stop, and who hears that it needs no network any more."""

    report: Callable[[Event], None]
    cancelled: Callable[[], bool]
    fetched: OnFetched = keep_network

    def say(self, message: str) -> None:
        """What a person should know of the history of runs, which the job itself does not need."""
        self.report(NoticeEvent(code="history", message=message))
