"""What the server allows: rows of a step, requests that wait, time, unused bundles, the size of a body."""

from __future__ import annotations

from PySide6.QtWidgets import QSpinBox, QWidget

from app.state.server import ServerModel
from app.text.formatting import approximate_duration, format_number
from app.text.translatable import tr
from app.widgets.basics import label
from app.widgets.collapsible import CollapsibleSection
from app.widgets.layouts import grid_layout
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel


class LimitsForm(CollapsibleSection):
    """Folded, with the limits in a line beside its title."""

    def __init__(self, server: ServerModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Rows, queue and limits"), tr("How many requests run and wait, and for how long."), parent)
        self._server = server
        s = self.tr(" s")
        self.spins = {
            "rows": self._spin(self.tr("Texts at a time"), 0, 256, "", self.tr("as built")),
            "queue": self._spin(self.tr("Requests that may wait"), 0, 10_000),
            "seconds": self._spin(self.tr("Longest request"), 1, 86_400, s),
            "idle_s": self._spin(self.tr("Close an unused bundle after"), 0, 86_400, s, self.tr("never")),
            "body_mb": self._spin(self.tr("Largest body"), 1, 1024, " MiB"),
        }
        notes = {
            "rows": self.tr("Of a bundle that was built for several (batch); each step continues all of them."),
            "queue": self.tr("Of each bundle; one more is refused with 429."),
            "seconds": self.tr("With its wait; then it is cancelled."),
            "idle_s": self.tr("Its memory is free until the next request."),
            "body_mb": self.tr("Pictures and recordings included."),
        }
        grid = grid_layout(2 * G, G // 2, stretch=(2,))
        for row, (name, spin) in enumerate(self.spins.items()):
            grid.addWidget(label(spin.accessibleName()), row, 0)
            grid.addWidget(spin, row, 1)
            note = label(notes[name], "muted", wrap=True)
            spin.setAccessibleDescription(notes[name])
            grid.addWidget(note, row, 2)
            spin.valueChanged.connect(lambda value, name=name: self._server.change(**{name: value}))
        self.body.addLayout(grid)
        server.changed.connect(self.refresh)
        self.refresh()

    def _spin(self, name: str, low: int, high: int, suffix: str = "", special: str = "") -> QSpinBox:
        spin = ignore_wheel(QSpinBox())
        spin.setAccessibleName(name)
        spin.lineEdit().setTextMargins(G - 2, 0, 0, 0)
        spin.setRange(low, high)
        spin.setSuffix(suffix)
        spin.setSpecialValueText(special)
        spin.setGroupSeparatorShown(True)
        return spin

    def refresh(self) -> None:
        """Shows the chosen limits."""
        options = self._server.options
        for name, spin in self.spins.items():
            spin.setValue(getattr(options, name))
        waiting = self.tr("{0} may wait").format(format_number(options.queue))
        longest = self.tr("a request takes at most {0}").format(approximate_duration(options.seconds))
        self.set_summary(f"{waiting} · {longest}")
