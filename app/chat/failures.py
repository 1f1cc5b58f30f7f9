"""Shows failures on the chat page, with a button for the likely remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer

from app.chat.controller import REFUSALS, ChatController
from app.chat.intents import EditPrompt, Intent, NewChat, StartOver
from app.state.bundle_session import SessionFailure, runs_on_cpu
from app.state.context import AppContext
from app.text.formatting import pluralize
from app.widgets import Banner
from workflows.wire.reports.inspection import VerifyReport
from workflows.wire.requests import VerifyBundle

Act = Callable[[], object]
PROVIDER_FAILURES = ("crashed", "stopped", "device", "graph", "logits")
"""Kinds of failure that a provider may cause, so that the CPU is the remedy."""


class FailureBanner(QObject):
    """Shows failures of the context's session in `banner`, and nowhere else. do: performs an intent on the page."""

    def __init__(
        self,
        context: AppContext,
        banner: Banner,
        controller: ChatController,
        do: Callable[[Intent], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._context, self._banner, self._controller, self._do = context, banner, controller, do
        self._shown: SessionFailure | None = None

    def show(self, failure: SessionFailure) -> None:
        """Shows a failure: a sentence, its details, and the remedy."""
        self._shown = failure
        action, act = self._remedy(failure)
        self._banner.error(failure.message, failure.details, action, act)
        QTimer.singleShot(0, self, self._take_from_status_line)  # where it is listed after this

    def _take_from_status_line(self) -> None:
        if self._banner.isVisible():
            for kind in ("generate", "open"):
                self._context.activities.acknowledge(kind)

    def show_of_session(self, failure: SessionFailure) -> None:
        """Shows a failure while no reply ran: the bundle could not be opened, or the idle worker died."""
        if failure is not self._shown and failure.kind != "cancelled":
            self.show(failure)

    def _remedy(self, failure: SessionFailure) -> tuple[str, Act | None]:
        session = self._context.session
        if failure.kind in PROVIDER_FAILURES and not runs_on_cpu(session.request):
            return self.tr("Use the CPU"), partial(session.reopen, provider="cpu")
        if failure.kind in ("crashed", "stopped"):
            return self.tr("Reopen"), session.reopen
        if failure.kind == "bundle" and not self._context.describe(session.bundle):  # Home says what is wrong with it
            return self.tr("Go to Home"), lambda: self._context.navigate.emit("home")
        if failure.kind in ("bundle", "graph"):
            return self.tr("Verify bundle"), self._verify
        if failure.kind in REFUSALS and self._controller.chat.tokens:
            return self.tr("Ask in a new chat"), partial(self._do, StartOver())
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

    def _on_verified(self, report: VerifyReport) -> None:
        if report.ok:
            one = self.tr("The only file of the bundle is unchanged.")
            text = pluralize(report.files, one, self.tr("All {0} files of the bundle are unchanged."))
            self._banner.show_message("ok", text, action=self.tr("Reopen"), on_action=self._context.session.reopen)
        else:
            problems = "\n".join(f"{one.file}: {one.problem}" for one in report.problems)
            text = self.tr("The bundle is damaged; build it again.")
            self._banner.error(text, problems, self.tr("Go to Home"), lambda: self._context.navigate.emit("home"))
