"""Saves the unsaved recipe and the wizard's step, for the next start after the window was closed or killed.

UnsavedRecipe.changed ──soon──▶ draft.json ──the next start──▶ UnsavedRecipe.restore
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.state.json_file import parse_json
from app.state.unsaved_recipe import UnsavedRecipe
from workflows.common.errors import RecipeError
from workflows.common.files import write_atomically
from workflows.wire.codec import PayloadMismatch, dumps, read
from workflows.wire.goals import Goal

SOON_MS = 400


class UnsavedRecipeFile(QObject):
    """Follows one unsaved recipe. Two windows share the file; the last change is kept."""

    def __init__(self, folder: Path, draft: UnsavedRecipe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path, self._draft = folder / "draft.json", draft
        self._written = ""
        self._restored = False
        self.page: int | None = 0
        """The shown step of the wizard; None if the recipe is built."""
        self._save_timer = QTimer(self, interval=SOON_MS, singleShot=True)
        self._save_timer.timeout.connect(self.save)
        draft.changed.connect(self._save_timer.start)

    def set_page(self, page: int | None) -> None:
        """The wizard shows another step."""
        self.page = page
        self._save_timer.start()

    def save(self) -> None:
        """Saves now; a failed write is ignored."""
        draft = self._draft
        self._save_timer.stop()
        if not (draft.source or self._restored):
            return  # the saved recipe may still be restored
        saved = {"options": draft.options, "out": draft.out, "consented": sorted(draft.consented)}
        source = "" if self.page is None else draft.source
        text = dumps({"source": source, "page": self.page or 0, "goal": draft.goal, **saved})
        if text == self._written:
            return
        try:
            write_atomically(self._path, text.encode())
        except OSError:
            return
        self._written = text

    def restore(self) -> int:
        """Restores the saved recipe into an empty one; returns the saved step, 0 if there is none."""
        self._restored = True
        if self._draft.source:
            return 0
        try:
            saved = parse_json(self._path.read_text("utf-8"))
            source, out, page = read(str, saved["source"]), read(str, saved["out"]), read(int, saved["page"])
            options, consented = read(dict[str, object], saved["options"]), read(list[str], saved["consented"])
            goal = read(Goal, saved["goal"]) if saved.get("goal") else None
        except (OSError, ValueError, TypeError, KeyError, PayloadMismatch, RecipeError):
            return 0
        if not source:
            return 0
        self._draft.restore(source, options, out, frozenset(consented), goal)
        return page
