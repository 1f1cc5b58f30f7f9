"""Box layouts in one call: parts in their order, stretch factors, empty space, margins and spacing."""

from __future__ import annotations

from PySide6.QtCore import QMargins, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from app.widgets.layouts import STRETCH, FlowLayout, Stretch, hbox, vbox
from app.widgets.theme import G


def test_parts_are_laid_out_in_their_order_with_their_factors(qapp: object) -> None:
    parent, first, last = QWidget(), QLabel("first"), QLabel("last")
    inner = hbox(QLabel("inner"), STRETCH)
    box = vbox((first, 2), (inner, 1), Stretch(3), (last, 0, Qt.AlignmentFlag.AlignLeft), parent=parent)

    assert parent.layout() is box
    assert [box.stretch(i) for i in range(box.count())] == [2, 1, 3, 0]
    assert [box.itemAt(i).widget() for i in (0, 3)] == [first, last]
    assert box.itemAt(1).layout() is inner
    assert box.itemAt(3).alignment() == Qt.AlignmentFlag.AlignLeft


def test_margins_and_spacing_are_the_grid_a_number_four_numbers_or_those_of_the_style(qapp: object) -> None:
    parents = QWidget(), QWidget(), QWidget()
    box = hbox(parent=parents[0])
    assert (box.contentsMargins(), box.spacing()) == (QMargins(0, 0, 0, 0), G)
    styled = hbox(parent=parents[1], margins=None, spacing=None)
    plain = vbox(parent=parents[2], margins=None)
    assert styled.contentsMargins() == plain.contentsMargins() != QMargins(0, 0, 0, 0)
    assert hbox(margins=7).contentsMargins() == QMargins(7, 7, 7, 7)
    assert vbox(margins=(1, 2, 3, 4), spacing=0).contentsMargins() == QMargins(1, 2, 3, 4)


def test_what_flows_stands_in_the_middle_of_its_line(qapp: object) -> None:
    """A checkbox is lower than the boxes beside it."""
    parent = QWidget()
    flow = FlowLayout(parent)
    sizes = ((60, 30), (50, 16), (40, 24), (70, 30))
    parts = [QCheckBox(), QComboBox(), QLabel(), QWidget()]
    for part, size in zip(parts, sizes, strict=True):
        part.setFixedSize(*size)
        flow.addWidget(part)
    height = flow.heightForWidth(60 + 50 + 40 + 2 * flow.spacing())
    parent.resize(60 + 50 + 40 + 2 * flow.spacing(), height)
    flow.setGeometry(parent.rect())
    assert height == 30 + flow.spacing() + 30
    assert [part.geometry().center().y() for part in parts[:3]] == [14, 14, 14]
    assert (parts[3].x(), parts[3].y()) == (0, 30 + flow.spacing())
    assert [part.x() for part in parts[:3]] == [0, 60 + flow.spacing(), 110 + 2 * flow.spacing()]
