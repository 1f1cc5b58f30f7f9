"""The result of a preflight: whether a bundle runs on a provider, on how many nodes, and how far from the CPU."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.state.preflights import SavedPreflight
from app.text.formatting import format_figures, format_local_time, format_number, pluralize
from app.text.translatable import tr
from app.widgets.basics import PillLabel, button, label
from app.widgets.layouts import STRETCH, grid_layout, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.reports.preflight import OutputDifference, PreflightReport


def node_share(report: PreflightReport) -> str:
    """The share of nodes on the provider over all components, such as "98 %"; "100 %" only if it is all of them."""
    total = sum(one.nodes for one in report.components)
    on_provider = sum(one.on_provider for one in report.components)
    if not total:
        return ""
    percent = 100 * on_provider / total
    return f"{format_number(percent)} %" if on_provider in (0, total) else f"{format_number(min(percent, 99.9), 1)} %"


def difference_text(value: float | None) -> str:
    """A largest difference in short form; a dash if there is none."""
    return "–" if value is None else format_figures(value, 2)


def largest_difference(report: PreflightReport) -> float | None:
    """The largest difference of logits over all runs."""
    runs = [run for one in report.components for run in (one.prefill, one.step) if run is not None]
    return max((run.logits_max_abs_diff for run in runs if run.logits_max_abs_diff is not None), default=None)


class PreflightView(QWidget):
    """The view of one result."""

    def __init__(self, saved: SavedPreflight, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        report = saved.report
        usable = report.usable
        head = hbox(
            PillLabel(tr("runs") if usable else tr("does not run"), "ok" if usable else "error"),
            (label(tr("checked {0}").format(format_local_time(saved.at)), "muted"), 1),
        )
        right = tr("All nodes run on this device, and the results are correct.")
        self.verdict = label(report.reason or right, "small", wrap=True)
        column = vbox(head, self.verdict, parent=self, spacing=G // 2)
        if report.components:
            column.addLayout(self._figures(report, title))
        cpu_nodes = [
            f"{part.name}: {one.node} ({one.op})" + (f": {one.reason}" if one.reason else "")
            for part in report.components
            for one in part.elsewhere
        ]
        if cpu_nodes:
            self._add_cpu_nodes(column, cpu_nodes)

    def _figures(self, report: PreflightReport, title: str) -> QGridLayout:
        grid = grid_layout(2 * G, 2, stretch=(3,))
        off = tr("The largest difference to the CPU provider: of logits, and of keys and values.")
        counted = session_nodes_hint()
        heads = (tr("Component"), tr("Nodes on {0}").format(title), tr("Prefill difference"), tr("Step difference"))
        for place, text in enumerate(heads):
            head = label(text, "muted")
            set_tool_tip(head, off if place > 1 else counted if place else "")
            grid.addWidget(head, 0, place)
        for row, one in enumerate(report.components, 1):
            nodes = tr("{0} of {1}").format(format_number(one.on_provider), format_number(one.nodes))
            for place, text in enumerate((one.name, nodes, _both(one.prefill), _both(one.step))):
                grid.addWidget(label(text, "small"), row, place)
        return grid

    def _add_cpu_nodes(self, column: QVBoxLayout, cpu_nodes: list[str]) -> None:
        one, many = tr("1 node runs on the CPU"), tr("{0} nodes run on the CPU")
        self.more = button(pluralize(len(cpu_nodes), one, many), role="link", clicked=self._toggle)
        self.cpu_nodes = QPlainTextEdit("\n".join(cpu_nodes))
        self.cpu_nodes.setReadOnly(True)
        self.cpu_nodes.setAccessibleName(tr("Nodes on the CPU"))
        self.cpu_nodes.setFixedHeight(14 * G)
        self.cpu_nodes.hide()
        column.addLayout(hbox(self.more, STRETCH, spacing=None))
        column.addWidget(self.cpu_nodes)

    def _toggle(self) -> None:
        self.cpu_nodes.setVisible(self.cpu_nodes.isHidden())


def session_nodes_hint() -> str:
    """What is counted where a session's nodes are, beside the number of nodes in a graph's file."""
    return tr(
        "Nodes of the session, after onnxruntime's own fusions and constant folding: their number differs from that of "
        "the graph's file."
    )


def _both(run: OutputDifference | None) -> str:
    if run is None:
        return "–"
    logits, cache = difference_text(run.logits_max_abs_diff), difference_text(run.kv_max_abs_diff)
    return tr("logits {0}, KV {1}").format(logits, cache)
