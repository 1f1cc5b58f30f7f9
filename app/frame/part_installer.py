"""Offers the build part where it is missing, and asks before pip installs it.

BuildPart.missed ──▶ button of the page's banner, else a note ──▶ question (packages, folder, disk, sources)
    ──▶ BuildPart.install
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from app.state.context import AppContext
from app.state.notes import Note
from app.text.formatting import format_bytes
from app.widgets import Banner
from app.widgets.expiring_question import ExpiringQuestion
from workflows.common.build_part_finder import is_frozen
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.parts import PartReport


class PartInstaller(QObject):
    """Notes and questions of one window about the build part."""

    def __init__(self, context: AppContext, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window, self._part = context, window, context.build_part
        self._note: Note | None = None
        self.question: ExpiringQuestion | None = None
        self._part.missed.connect(lambda error: QTimer.singleShot(0, self, partial(self._offer, error)))
        self._part.described.connect(self._confirm)
        self._part.installed.connect(self._on_installed)
        self._part.failed.connect(self._on_failed)

    def _offer(self, error: ErrorEvent) -> None:
        """Gives the banner that shows the error a button; without such a banner a note has it."""
        if self._part.running or self.question is not None:
            return
        # in a frozen program the error says where building is possible
        label, install = ("", None) if is_frozen() else (self.tr("Install them …"), self._part.describe)
        for banner in self._window.findChildren(Banner):
            if banner.isVisible() and banner.message == error.message:
                banner.error(error.message, error.details, label, install)
                return
        text = self.tr("Building needs packages that this installation of Joinery does not have (PyTorch and others).")
        self._replace(self._context.show_note(text, label, install, owner={}))

    def _replace(self, note: Note | None) -> None:
        if self._note is not None:
            self._context.notes.drop(self._note)
        self._note = note

    def _confirm(self, report: PartReport) -> None:
        if report.installed:
            self._on_installed()
            return
        if self.question is not None:
            return
        packages = ", ".join(f"{name} {version}" for name, version in report.packages.items())
        text = self.tr("pip installs {0} into Joinery's own folder, {1}.").format(packages, report.folder)
        box = ExpiringQuestion(
            self.tr("Install what building needs?"),
            text,
            self._origin(report),
            lambda: self._part.running,
            self._window,
        )
        if report.free_bytes >= report.needed_bytes:
            box.add_answer(self.tr("Install"), QMessageBox.ButtonRole.AcceptRole, self._part.install)
        box.add_refusal(self.tr("Cancel"))
        box.finished.connect(self._forget)
        self.question = box
        self._replace(None)
        box.open()

    def _origin(self, report: PartReport) -> str:
        needed, free = format_bytes(report.needed_bytes), format_bytes(report.free_bytes)
        lines = [self.tr("It needs about {0} of disk, and {1} are free.").format(needed, free)]
        if report.cuda:
            lines.append(self.tr("Where the source has PyTorch with CUDA for Linux, it needs about 8 GB."))
        if report.free_bytes < report.needed_bytes:
            lines.append(self.tr("Make room on the disk first."))
        source = self.tr(
            "Source: {0}. pip accepts only files with the SHA-256 hashes that Joinery was tested with; a PyTorch that "
            "this machine's index built itself is named instead."
        )
        sources = ", ".join(report.sources) or self.tr("none: pip is not allowed to use an index")
        return " ".join([*lines, source.format(sources)])

    def _on_installed(self) -> None:
        text = self.tr("What building needs is installed: start again what was missing it.")
        self._replace(self._context.show_note(text, owner={}))

    def _on_failed(self, error: ErrorEvent) -> None:
        if error.kind != "cancelled":
            self._context.show_error(error.message, error.details, self.tr("Try again …"), self._part.describe)

    def _forget(self) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None
