"""The demo with one click: looked at, built with the defaults, and then to be talked to.

    start ──▶ Draft.probe ──planned──▶ BuildModel.start ──done──▶ ready
                        └──error──▶ failed

The draft is its own: what a person has begun in the wizard stays there.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.state.build import BuildModel
from app.state.unsaved_recipe import DEMO, UnsavedRecipe

Step = Literal["", "looking", "building"]


class DemoBuild(QObject):
    """One at a time; a build that a person begins in between ends it without a word."""

    stepped = Signal(str)  # a Step
    ready = Signal(str)  # the bundle
    failed = Signal(str, str)  # message, details; a build that fails says so itself

    def __init__(self, draft: UnsavedRecipe, build: BuildModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._draft, self._build = draft, build
        self.step: Step = ""
        draft.changed.connect(self._on_draft)
        build.finished.connect(self._on_built)

    def start(self) -> bool:
        """Begins; False while a build runs, and while it is looked at already."""
        if self._build.running or self.step:
            return False
        self._go("looking")
        self._draft.probe(DEMO)
        return True

    def _go(self, step: Step) -> None:
        self.step = step
        self.stepped.emit(step)

    def _on_draft(self) -> None:
        draft = self._draft
        if self.step != "looking" or draft.probing:
            return
        error = draft.probe_error or draft.plan_error
        if error is not None:
            self._go("")
            self.failed.emit(error.message, error.details)
        elif draft.plan is not None and not draft.planning:
            began = self._build.start(draft.request(draft.default_out()), draft.expected)
            self._go("building" if began else "")

    def _on_built(self) -> None:
        if self.step != "building":
            return
        self._go("")
        if self._build.outcome is not None:
            self.ready.emit(self._build.outcome.bundle)
