"""Quantize page: the precisions as a table, for the chosen target; the arrow keys choose a row."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QItemSelection, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from app.text.formatting import format_bytes, format_figures
from app.text.translatable import tr
from app.widgets.tables import Index, ReadOnlyTable, TextTableModel
from app.widgets.theme import G, theme
from workflows.wire.reports.plan import PlanReport, PrecisionOption

GOAL = "goal"
"""The name of the row whose precisions a search chooses."""
REMARK = 4


class PrecisionRows(TextTableModel):
    """A row that has a reason against it cannot be selected."""

    def __init__(self) -> None:
        headings = [tr("Precision"), tr("Weights"), tr("Speed"), tr("Exactness"), tr("Remark")]
        super().__init__(headings, numbers=(1, 2))
        self.options: list[PrecisionOption] = []

    def show_plan(self, plan: PlanReport, goal: bool) -> None:
        """Show the precisions on the plan's target, and with `goal` the row of the search."""
        target = next((one.title for one in plan.targets if one.name == plan.chosen.target), plan.chosen.target)
        self.headings[2] = tr("Speed on {0}").format(target)
        self.options = plan.precisions
        rows = [_cells(option, target) for option in plan.precisions]
        if goal:
            rows.append((tr("to a goal"), "", "", "", tr("The build searches the smallest mix that reaches a goal.")))
        self.fill(rows)

    def option(self, row: int) -> PrecisionOption | None:
        """The precision of a row; None for the search."""
        return self.options[row] if 0 <= row < len(self.options) else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        option = self.option(index.row())
        return Qt.ItemFlag.NoItemFlags if option is not None and option.refused else super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        option = self.option(index.row())
        if role == Qt.ItemDataRole.ForegroundRole and option is not None:
            if option.refused:
                return theme().color("muted")
            if index.column() == REMARK and (option.trap or option.recommended):
                return theme().color("warning" if option.trap else "ok")
        return super().data(index, role)


def _cells(option: PrecisionOption, target: str) -> tuple[str, ...]:
    exactness = {
        "": "",
        "exact": tr("exact"),
        "near": tr("almost the same"),
        "close": tr("small differences"),
        "coarse": tr("larger differences"),
    }
    speed = tr("not measured") if option.speed is None else tr("{0} × fp32").format(format_figures(option.speed, 3))
    remark = tr("Recommended") if option.recommended else ""
    if option.refused:
        speed, remark = "–", tr("Not for {0}: {1}.").format(target, option.refused)
    return option.name, format_bytes(option.bytes), speed, exactness[option.exactness], remark or option.trap


class _RemarkDelegate(QStyledItemDelegate):
    """Gives a remark as many lines as it needs, and room above and below them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        table = self.parent()
        assert isinstance(table, QTableView)
        inside = QRect(0, 0, max(1, table.columnWidth(index.column()) - 2 * G), 10_000)
        text = str(index.data() or "")
        lines = QFontMetrics(table.font()).boundingRect(inside, Qt.TextFlag.TextWordWrap, text)
        return QSize(super().sizeHint(option, index).width(), lines.height() + G)


class PrecisionTable(ReadOnlyTable):
    """The rows, as high as they need; `chosen` is the name of the one that a person chose."""

    chosen = Signal(str)

    def __init__(self) -> None:
        self.precisions = PrecisionRows()
        super().__init__(self.precisions, tr("Precisions"), stretch=REMARK)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setWordWrap(True)
        self.setItemDelegateForColumn(REMARK, _RemarkDelegate(self))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.verticalHeader().setMinimumSectionSize(28)
        self.show_all_rows()

    @property
    def names(self) -> list[str]:
        """The names of the rows."""
        own = [option.name for option in self.precisions.options]
        return own + [GOAL] * (self.precisions.rowCount() - len(own))

    @property
    def current(self) -> str:
        """The name of the selected row; empty without one."""
        rows = self.selectionModel().selectedRows()
        return self.names[rows[0].row()] if rows else ""

    def show_plan(self, plan: PlanReport, goal: bool) -> None:
        """Show a plan's precisions; the selected row stays."""
        current = self.current
        self.precisions.show_plan(plan, goal)
        self.mark(current)

    def choose(self, name: str) -> None:
        """Select the row called `name`, as a person does."""
        if name in self.names:
            self.setCurrentIndex(self.precisions.index(self.names.index(name), 0))

    def mark(self, name: str) -> None:
        """Select the row called `name`, which is chosen already."""
        with QSignalBlocker(self):
            self.choose(name)

    def selectionChanged(self, selected: QItemSelection, before: QItemSelection) -> None:  # noqa: N802
        super().selectionChanged(selected, before)
        if self.current:
            self.chosen.emit(self.current)
