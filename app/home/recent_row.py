"""One bundle in the list of recent bundles."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.state.bundle_use import use_of
from app.state.recent_bundles import RecentBundle
from app.text.formatting import cache_label, format_bytes, format_local_time, format_token_rate
from app.text.quantizing_cost import cost_share, cost_summary
from app.widgets.actions import tool_button
from app.widgets.basics import CardFrame, ElidedLabel, PillLabel, button, label
from app.widgets.layouts import STRETCH, grid_layout, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.reports.cost import QuantizationCost

_WIDE = 118 * G  # with room for a long name beside the figures


class RecentRow(CardFrame):
    """Name, facts and actions; a damaged bundle shows its error instead of the facts."""

    chat = Signal(str)
    inspect = Signal(str)
    remove = Signal(str)
    locate = Signal(str)
    export = Signal(str, str)  # path, name

    def __init__(self, entry: RecentBundle, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.entry = entry
        self.setAccessibleName(entry.title)
        self.figures = QWidget()
        if entry.summary:
            self.figures.setLayout(self._figures())
        self.body.addLayout(hbox((self._texts(), 1), self.figures, *self._buttons(), spacing=2 * G))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: a narrow row shows no figures, of which Measure has all."""
        super().resizeEvent(event)
        self.figures.setVisible(self.width() >= _WIDE)

    def _texts(self) -> QVBoxLayout:
        entry = self.entry
        state = self.tr("Missing") if entry.missing else self.tr("Damaged")
        damaged = [PillLabel(state, "error")] if entry.problem else []
        name = ElidedLabel(entry.name, "heading")
        name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)  # a long one makes room
        head = hbox(name, *damaged, *self._pills(), STRETCH)
        used = self.tr("used {0}").format(format_local_time(entry.used_at)) if entry.used_at else ""
        path = ElidedLabel(" · ".join(filter(None, (used, _short(entry.path)))), cut=Qt.TextElideMode.ElideMiddle)
        return vbox(head, label(entry.problem, "error", wrap=True) if entry.problem else path, spacing=G // 2)

    def _pills(self) -> list[PillLabel]:
        s = self.entry.summary
        if not s:
            return []
        kinds = [PillLabel(str(s[key])) for key in ("model_type", "precision") if s[key]]
        cache = cache_label(s["layout"], s["capacity"])
        return [*kinds, PillLabel(cache, "cache")] if cache else kinds

    def _figures(self) -> QGridLayout:
        entry = self.entry
        grid = grid_layout(3 * G, G // 2)
        speed = self.tr("Speed on {0}").format(entry.provider) if entry.provider else self.tr("Last speed")
        cost: QuantizationCost | None = entry.summary.get("cost")
        measured = cost if cost is not None and cost.positions else None
        figures = (
            *([(self.tr("Same tokens"), cost_share(measured), cost_summary(measured))] if measured else []),
            (speed, format_token_rate(entry.speed) if entry.speed else "–", ""),
            (self.tr("Size"), format_bytes(entry.summary["bytes"]), ""),
        )
        for column, (name, value, more) in enumerate(figures):
            shown = label(value, "small")
            set_tool_tip(shown, more)
            grid.addWidget(shown, 0, column, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(label(name, "muted"), 1, column, Qt.AlignmentFlag.AlignRight)
            grid.setColumnMinimumWidth(column, 10 * G)
        return grid

    def _buttons(self) -> list[QWidget]:
        path = self.entry.path
        away = tool_button("close", self.tr("Remove from list"), "muted")
        away.setAccessibleName(self.tr("Remove {0} from the list").format(self.entry.title))
        away.clicked.connect(lambda: self.remove.emit(path))
        if self.entry.problem:
            remove = button(self.tr("Remove from list"), "trash", clicked=lambda: self.remove.emit(path))
            locate = button(self.tr("Locate …"), "folder", clicked=lambda: self.locate.emit(path))
            locate.setAccessibleName(self.tr("Locate {0}").format(self.entry.title))
            return [locate, remove] if self.entry.missing else [remove]
        if not self.entry.summary:
            return [away]
        chat = button(self._use(), "chat", clicked=lambda: self.chat.emit(path))
        inspect = button(self.tr("Inspect"), "inspect", clicked=lambda: self.inspect.emit(path))
        for part, verb in ((chat, self._use() + ": {0}"), (inspect, self.tr("Inspect {0}"))):
            part.setAccessibleName(verb.format(self.entry.title))
        return [chat, inspect, self._more(), away]

    def _use(self) -> str:
        """The name of what a person does with the bundle."""
        by_use = {
            "vectors": self.tr("Compare texts"),
            "labels": self.tr("Classify texts"),
            "pictures": self.tr("Classify pictures"),
            "depth": self.tr("Estimate depth"),
            "": self.tr("Open"),
        }
        return by_use.get(use_of(self.entry.summary), self.tr("Chat"))

    def _more(self) -> QToolButton:
        """The menu of rarely used actions."""
        more = tool_button("more", self.tr("More"), "muted")
        more.setAccessibleName(self.tr("More actions for {0}").format(self.entry.title))
        more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(more)
        text = (
            self.tr("Import into a bundle …")
            if self.entry.summary.get("in_place")
            else self.tr("Export for onnxruntime-genai …")
        )
        menu.addAction(text).triggered.connect(lambda: self.export.emit(self.entry.path, self.entry.name))
        more.setMenu(menu)
        return more


def _short(path: str) -> str:
    """The path with the home folder as ~."""
    try:
        return str(Path("~") / Path(path).relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return path
