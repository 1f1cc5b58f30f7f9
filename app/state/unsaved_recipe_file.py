"""What stood in the wizard when the window was closed or killed: source, choices, goal, folder and page.

Draft.changed ──soon──▶ draft.json ──the next start──▶ Draft.restore
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
    """Follows one draft. Two windows keep one: the one that was changed last."""

    def __init__(self, folder: Path, draft: UnsavedRecipe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path, self._draft = folder / "draft.json", draft
        self._written = ""
        self._restored = False
        self.page: int | None = 0
        """The step of the wizard that is shown; None where what stands there is built."""
        self._late = QTimer(self, interval=SOON_MS, singleShot=True)
        self._late.timeout.connect(self.save)
        draft.changed.connect(self._late.start)

    def turn(self, page: int | None) -> None:
        """The wizard shows another step."""
        self.page = page
        self._late.start()

    def save(self) -> None:
        """Now; a disk that takes nothing loses the draft at the end, and that is all."""
        draft = self._draft
        self._late.stop()
        if not (draft.source or self._restored):
            return  # what was kept may still be asked for
        kept = {"options": draft.options, "out": draft.out, "consented": sorted(draft.consented)}
        source = "" if self.page is None else draft.source
        text = dumps({"source": source, "page": self.page or 0, "goal": draft.goal, **kept})
        if text == self._written:
            return
        try:
            write_atomically(self._path, text.encode())
        except OSError:
            return
        self._written = text

    def restore(self) -> int:
        """Fills an empty draft with what was kept; the step that was shown. 0 where there is nothing."""
        self._restored = True
        if self._draft.source:
            return 0
        try:
            kept = parse_json(self._path.read_text("utf-8"))
            source, out, page = read(str, kept["source"]), read(str, kept["out"]), read(int, kept["page"])
            options, consented = read(dict[str, object], kept["options"]), read(list[str], kept["consented"])
            goal = read(Goal, kept["goal"]) if kept.get("goal") else None
        except (OSError, ValueError, TypeError, KeyError, PayloadMismatch, RecipeError):
            return 0
        if not source:
            return 0
        self._draft.restore(source, options, out, frozenset(consented), goal)
        return page
