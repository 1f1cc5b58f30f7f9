"""The slider under the cache strips, which walks through the snapshots of the last generation.

CacheHistory ──▶ CacheHistorySlider ──moved(CacheSnapshot or None)──▶ the strips
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from app.state.session_cache import CacheHistory, CacheSnapshot
from app.text.formatting import format_number, pluralize
from app.widgets import button, label
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G


class CacheHistorySlider(QWidget):
    """A slider over the cache snapshots of the last generation; `moved` carries None for the live cache."""

    moved = Signal(object)

    def __init__(self, history: CacheHistory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.history = history
        self.shown: CacheSnapshot | None = None
        self._first: CacheSnapshot | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(self.tr("Step of the generation"))
        set_tool_tip(self.slider, self.tr("Arrow keys walk through the steps of the last generation"))
        self.slider.setPageStep(10)
        self.moment_label = label("", "muted", selectable=False)
        self.live_button = button(self.tr("Live"), "play", clicked=self.follow)
        set_tool_tip(self.live_button, self.tr("Show the cache as it is now"))
        row = QHBoxLayout(self)
        row.setContentsMargins(G, G, G, G)
        row.setSpacing(2 * G)
        row.addWidget(self.slider, 1)
        row.addWidget(self.moment_label)
        row.addWidget(self.live_button)
        self.moment_label.setMinimumWidth(26 * G)
        self.slider.valueChanged.connect(self._on_value)
        self.refresh()

    def follow(self) -> None:
        """Shows the live cache."""
        was, self.shown = self.shown, None
        self.refresh()
        if was is not None:
            self.moved.emit(None)

    def refresh(self) -> None:
        """Follows the history as it grows; a new generation ends the view of a snapshot of the last one."""
        snapshots = self.history.snapshots
        first, self._first = self._first, snapshots[0] if snapshots else None
        if self.shown is not None and first is self._first:  # thinned out perhaps: the nearest one remains
            self.shown = self._nearest(self.shown)
        place = next((i for i, one in enumerate(snapshots) if one is self.shown), -1)
        lost = self.shown is not None and place < 0
        if lost:
            self.shown = None
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(len(snapshots) - 1, 0))
        self.slider.setValue(place if place >= 0 else len(snapshots) - 1)
        self.slider.blockSignals(False)
        self._show_moment()
        if lost:
            self.moved.emit(None)

    def _nearest(self, snapshot: CacheSnapshot) -> CacheSnapshot:
        snapshots = self.history.snapshots
        if any(one is snapshot for one in snapshots):
            return snapshot
        return min(snapshots, key=lambda one: abs(one.step - snapshot.step))

    def _on_value(self, place: int) -> None:
        snapshots = self.history.snapshots
        if not 0 <= place < len(snapshots):
            return
        self.shown = snapshots[place] if place < len(snapshots) - 1 else None
        self._show_moment()
        self.moved.emit(self.shown)

    def _show_moment(self) -> None:
        snapshots = self.history.snapshots
        self.live_button.setEnabled(self.shown is not None)
        if snapshots:
            text = self.describe(self.shown or snapshots[-1])
            self.moment_label.setText(text if self.shown else self.tr("live · {0}").format(text))

    def describe(self, snapshot: CacheSnapshot) -> str:
        """The text of a snapshot: its moment and its length."""
        held = pluralize(snapshot.length, self.tr("1 token held"), self.tr("{0} tokens held"))
        moment = {
            "before": self.tr("before it began"),
            "prefill": self.tr("prefill"),
            "decode": self.tr("step {0}").format(format_number(snapshot.step)),
            "rewind": self.tr("after a rewind"),
            "load": self.tr("after a load"),
        }[snapshot.moment]
        return f"{moment} · {held}"
