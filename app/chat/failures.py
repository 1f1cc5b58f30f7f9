"""What the chat page says of a failure, and the button for the likely mend."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.controller import REFUSALS
from app.chat.intents import EditPrompt, Intent, NewChat
from app.state.bundle_session import SessionFailure
from app.text.formatting import pluralize
from app.widgets import Banner
from workflows.wire.reports.inspection import VerifyReport
from workflows.wire.requests import VerifyBundle

if TYPE_CHECKING:
    from app.state.context import AppContext

Act = Callable[[], object]
OF_PROVIDERS = ("crashed", "stopped", "device", "graph", "logits")
"""Kinds of failure that a provider may be the cause of, and that the CPU is the way out of."""


class FailureBanner(QObject):
    """Shows failures of the context's session in `banner`. do: what the page does with an intent."""

    def __init__(self, context: AppContext, banner: Banner, do: Callable[[Intent], object], parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._banner, self._do = context, banner, do
        self._shown: SessionFailure | None = None

    def show(self, failure: SessionFailure) -> None:
        """One sentence, its details, and what to do."""
        self._shown = failure
        action, act = self._mend(failure)
        self._banner.error(failure.message, failure.details, action, act)

    def show_of_session(self, failure: SessionFailure) -> None:
        """A failure while no reply ran: the bundle could not be opened, or the idle worker died."""
        if failure is not self._shown and failure.kind != "cancelled":
            self.show(failure)

    def _mend(self, failure: SessionFailure) -> tuple[str, Act | None]:
        session = self._context.session
        if failure.kind in OF_PROVIDERS and not session.on_cpu:
            return self.tr("Use the CPU"), partial(session.move, "cpu")
        if failure.kind in ("crashed", "stopped"):
            return self.tr("Reopen"), session.reopen
        if failure.kind in ("bundle", "graph"):
            return self.tr("Verify bundle"), self._verify
        if failure.kind in REFUSALS:
            return self.tr("Edit the prompt"), partial(self._do, EditPrompt())
        if failure.kind == "cache":
            return self.tr("New chat"), partial(self._do, NewChat())
        if session.state == "failed":
            return self.tr("Try again"), session.reopen
        return "", None

    def _verify(self) -> None:
        self._banner.show_message("info", self.tr("Checking every file of the bundle …"))
        job = self._context.probe_worker.request(VerifyBundle(self._context.session.bundle))
        job.on_answer(self._on_verified)
        job.on_error(lambda error: self._banner.error(error.message, error.details))

    def _on_verified(self, found: VerifyReport) -> None:
        if found.ok:
            one = self.tr("The one file of the bundle is as it was written.")
            text = pluralize(found.files, one, self.tr("All {0} files of the bundle are as they were written."))
            self._banner.show_message("ok", text, action=self.tr("Reopen"), on_action=self._context.session.reopen)
        else:
            problems = "\n".join(f"{one.file}: {one.problem}" for one in found.problems)
            text = self.tr("The bundle is damaged; build it again.")
            self._banner.error(text, problems, self.tr("Go to Home"), lambda: self._context.navigate.emit("home"))
