"""The demo with one click: looked at, built with the defaults, and then to be talked to.

    start ──▶ Draft.probe ──planned──▶ BuildModel.start ──done──▶ ready
                        └──error──▶ failed
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.state.build import BuildModel
from app.state.draft import DEMO, Draft

Step = Literal["", "looking", "building"]


class OneClick(QObject):
    """One at a time; what a person does in between, as another source, ends it without a word."""

    ready = Signal(str)  # the bundle
    failed = Signal(str, str)  # message, details; a build that fails says so itself

    def __init__(self, draft: Draft, build: BuildModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._draft, self._build = draft, build
        self._step: Step = ""
        draft.changed.connect(self._on_draft)
        build.finished.connect(self._on_built)

    def start(self) -> bool:
        """Begins; False while a build runs."""
        if self._build.running:
            return False
        self._draft.reset()
        self._step = "looking"
        self._draft.probe(DEMO)
        return True

    def _on_draft(self) -> None:
        draft = self._draft
        if self._step != "looking" or draft.probing:
            return
        error = draft.probe_error or draft.plan_error
        if draft.source != DEMO:
            self._step = ""
        elif error is not None:
            self._step = ""
            self.failed.emit(error.message, error.details)
        elif draft.plan is not None and not draft.planning:
            began = self._build.start(draft.request(draft.default_out()), draft.expected)
            self._step = "building" if began else ""

    def _on_built(self) -> None:
        step, self._step = self._step, ""
        if step == "building" and self._build.outcome is not None:
            self.ready.emit(self._build.outcome.bundle)
