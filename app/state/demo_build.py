""" "Try the demo" with one click: inspects the demo, builds it with the defaults, and opens a chat.

    start ──▶ UnsavedRecipe.probe ──planned──▶ BuildModel.start ──done──▶ ready
                        └──error──▶ failed

It has its own unsaved recipe, so that the one in the wizard stays.
"""

from __future__ import annotations

from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from app.state.build import BuildModel
from app.state.unsaved_recipe import DEMO, UnsavedRecipe, free_output_folder

Step = Literal["", "looking", "building"]


class DemoBuild(QObject):
    """One demo build at a time; another build that starts in between ends it silently."""

    stepped = Signal(str)  # a Step
    ready = Signal(str)  # the bundle
    failed = Signal(str, str)  # message, details; a failed build reports itself

    def __init__(self, draft: UnsavedRecipe, build: BuildModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._draft, self._build = draft, build
        self.step: Step = ""
        self.asked_from: dict[str, Any] | None = None
        """The bundle that was open at the start."""
        draft.changed.connect(self._on_draft)
        build.finished.connect(self._on_built)

    def start(self, bundle: dict[str, Any] | None) -> bool:
        """Starts; returns False while a build runs or the demo is being inspected. bundle: the open one."""
        if self._build.running or self.step:
            return False
        self.asked_from = bundle
        self._go("looking")
        self._draft.probe(DEMO)
        self._draft.options = {"precision": "fp32"}  # the fastest to build, of a model too small to gain from less
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
            began = self._build.start(draft.request(free_output_folder(draft)), plan=draft.plan)
            self._go("building" if began else "")

    def _on_built(self) -> None:
        if self.step != "building":
            return
        self._go("")
        if self._build.outcome is not None:
            self.ready.emit(self._build.outcome.bundle)
