"""The row of figures over the plots, and the line that names their runs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from app.measure.charts.descriptions import drafts_text, shown_runs_text
from app.state.measurement_snapshot import LatencyPercentiles, MeasurementFigures
from app.text.figures import figure_definition
from app.text.formatting import format_latency, format_number, format_token_rate
from app.text.translatable import tr
from app.widgets import CardFrame, Stat, label
from app.widgets.layouts import grid_layout, hbox, vbox
from app.widgets.plain_text import PlainLabel, set_tool_tip
from app.widgets.theme import G, theme


class PhaseSymbol(QWidget):
    """The symbol of a phase: a block for prefill, a point for decode."""

    def __init__(self, phase: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._phase = phase
        self.setFixedSize(12, 12)
        theme().changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color(self._phase))
        if self._phase == "prefill":
            painter.drawRect(2, 1, 8, 10)
        else:
            painter.drawEllipse(2, 2, 8, 8)
        painter.end()


class FiguresRow(QWidget):
    """The figures of exactly the visible steps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.owner = label("", "muted", wrap=True)
        self.drafts = self._drafts()
        row = hbox((self._stats(), 1), self._table(), spacing=2 * G)
        vbox(hbox((self.owner, 1), self.drafts, spacing=2 * G), row, parent=self)

    def _drafts(self) -> PlainLabel:
        """The figures of drafts as text; hidden without drafts."""
        texts = label("", "small")
        texts.setAccessibleName(self.tr("Accepted drafts"))
        set_tool_tip(
            texts,
            self.tr(
                "The bars show the tokens of each step. The paler bar shows how many there would be if the whole "
                "draft had been accepted."
            ),
        )
        texts.hide()
        return texts

    def _stats(self) -> CardFrame:
        self.stats = {
            "ttft": Stat(self.tr("TTFT"), unit="ms"),
            "prefill": Stat(self.tr("prefill"), unit="tok/s"),
            "decode": Stat(self.tr("decode"), unit="tok/s"),
            "roofline": Stat(self.tr("roofline"), unit="%"),
            "tokens": Stat(self.tr("prompt + generated tokens")),
        }
        for key, stat in self.stats.items():
            set_tool_tip(stat, _definition(key))
        card = CardFrame()
        card.body.setContentsMargins(2 * G, G, 2 * G, G)
        line = hbox(*self.stats.values())
        card.body.addStretch(1)
        card.body.addLayout(line)
        card.body.addStretch(1)
        return card

    def _table(self) -> CardFrame:
        card = CardFrame()
        card.body.setContentsMargins(2 * G, G, 2 * G, G)
        grid = grid_layout(G + 4, 2)
        self.cells: dict[tuple[str, str], PlainLabel] = {}
        grid.addWidget(label(self.tr("latency in ms"), "muted"), 0, 0)
        for column, name in enumerate(("p50", "p95", "p99", self.tr("steps"))):
            heading = label(name, "muted")
            set_tool_tip(heading, _definition(name))
            grid.addWidget(heading, 0, column + 1, Qt.AlignmentFlag.AlignRight)
        titles = (("prefill", self.tr("prefill chunk")), ("decode", self.tr("decode token")))
        for row, (phase, title) in enumerate(titles, 1):
            self._phase(grid, row, phase, title)
        card.body.addLayout(grid)
        return card

    def _phase(self, grid: QGridLayout, row: int, phase: str, title: str) -> None:
        grid.addLayout(hbox(PhaseSymbol(phase), (label(title, "small"), 1)), row, 0)
        for column, key in enumerate(("p50", "p95", "p99", "count")):
            cell = label("–", "small")
            cell.setMinimumWidth(5 * G)
            cell.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(cell, row, column + 1)
            self.cells[phase, key] = cell

    def show_figures(self, f: MeasurementFigures, zoomed: bool, limit: float | None = None) -> None:
        """Show other figures. zoomed: whether only a part of the time axis is visible; limit: of decode, in tok/s."""
        self.owner.setText(shown_runs_text(f, zoomed))
        self.drafts.setVisible(f.drafts is not None)
        if f.drafts is not None:
            self.drafts.setText(self.tr("Drafts: {0}").format(drafts_text(f.drafts)))
        self.stats["ttft"].set(_figure(f.ttft_ms))
        self.stats["prefill"].set(_figure(f.prefill_rate))
        self.stats["decode"].set(_figure(f.decode_rate))
        self._show_roofline(None if f.drafts is not None else f.decode_rate, limit)
        self.stats["tokens"].set(f"{format_number(f.prompt_tokens)} + {format_number(f.generated_tokens)}")
        for phase, percentiles in (("prefill", f.prefill), ("decode", f.decode)):
            self._show_row(phase, percentiles)

    def _show_roofline(self, decode_rate: float | None, limit: float | None) -> None:
        share = None
        text = self.tr(
            "Known on the CPU after a benchmark of this bundle, which measures the bandwidth of the processor."
        )
        if limit is not None:
            share = None if decode_rate is None else 100 * decode_rate / limit
            text = self.tr("Limit in the last benchmark of this bundle: {0}.").format(format_token_rate(limit))
        self.stats["roofline"].set(_figure(share))
        set_tool_tip(self.stats["roofline"], f"{figure_definition('roofline')}\n{text}")

    def _show_row(self, phase: str, p: LatencyPercentiles) -> None:
        for key, value in (("p50", p.p50), ("p95", p.p95), ("p99", p.p99)):
            self.cells[phase, key].setText("–" if value is None else format_latency(value).removesuffix(" ms"))
        self.cells[phase, "count"].setText(format_number(p.count))


def _definition(key: str) -> str:
    """The tool tip of a figure; empty for what is no measure."""
    definition = figure_definition(key)
    return definition and definition + "\n" + tr("For several replies: the median of theirs.")


def _figure(value: float | None) -> str:
    return "–" if value is None else format_number(value, 0 if value >= 100 else 1)
