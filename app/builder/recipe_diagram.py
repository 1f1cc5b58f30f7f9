"""The recipe as a drawing: components as boxes, the data between them, and the shared KV cache."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.theme import BODY, SMALL, G, blend_colors, mono_font, sans_font, theme
from workflows.wire.reports.plan import PlanComponent, PlanEdge

_BOX_H, _BAR_H, _GAP = 9 * G, 4 * G, 5 * G


class RecipeDiagram(QWidget):
    """Boxes in the order of the data flow, with a bar for the KV cache below; an arrow per box and direction."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._components: list[PlanComponent] = []
        self._edges: list[PlanEdge] = []
        self._cache = ""
        self._active, self._traced = "", frozenset[str]()
        self._building = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Components of the recipe"))
        theme().changed.connect(self.update)

    def set_plan(self, components: list[PlanComponent], edges: list[PlanEdge], cache: str) -> None:
        """Show components and edges. cache: the text of the bar."""
        self._components, self._edges, self._cache = components, edges, cache
        self.setAccessibleDescription("; ".join(f"{e.source} → {e.target} ({e.kind})" for e in edges))
        self.updateGeometry()
        self.update()

    def show_progress(self, active: str, traced: Iterable[str]) -> None:
        """Show a build: components with a graph are drawn in full, the active one is lit, the others are dashed.

        Each is named by its name or role.
        """
        self._building, self._active, self._traced = True, active, frozenset(traced)
        states = [f"{part.name}: {self.state_of(part)}" for part in self._components]
        self.setAccessibleDescription("; ".join(states))
        self.update()

    def state_of(self, component: PlanComponent) -> str:
        """active, done or waiting; empty while no build is shown."""
        if not self._building:
            return ""
        names = {component.name, component.role}
        return "active" if self._active in names else "done" if names & self._traced else "waiting"

    def sizeHint(self) -> QSize:
        return QSize(60 * G, round(self._top) + _BOX_H + _GAP + _BAR_H + 2 * G)

    def minimumSizeHint(self) -> QSize:
        return QSize(30 * G, self.sizeHint().height())

    @property
    def _top(self) -> float:
        """The height above the boxes for edges that skip a box."""
        return 1.0 + G * len(leaps) + G if (leaps := self._leaps()) else 1.0

    def _leaps(self) -> list[PlanEdge]:
        """The edges that skip a box; each has its own height."""
        place = {c.name: i for i, c in enumerate(self._components)}
        flow = [e for e in self._edges if e.kind != "cache"]
        ends = [[place.get(end.split(".")[0], 0) for end in (e.source, e.target)] for e in flow]
        return [e for e, (start, end) in zip(flow, ends, strict=True) if end - start > 1]

    def boxes(self) -> dict[str, QRectF]:
        """The rectangle of each component."""
        many = max(len(self._components), 1)
        width = min(44.0 * G, (self.width() - 2.0 - (many - 1) * _GAP) / many)
        top = self._top
        return {c.name: QRectF(1 + i * (width + _GAP), top, width, _BOX_H) for i, c in enumerate(self._components)}

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._components:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        boxes = self.boxes()
        for component in self._components:
            self._paint_box(painter, boxes[component.name], component)
        bar = self._bar(boxes)
        if bar is not None:
            self._paint_bar(painter, bar)
        for edge in self._edges:
            self._paint_edge(painter, edge, boxes, bar)
        painter.end()

    def _bar(self, boxes: dict[str, QRectF]) -> QRectF | None:
        ends = {end.split(".")[0] for e in self._edges if e.kind == "cache" for end in (e.source, e.target)}
        touched = [boxes[name] for name in ends if name in boxes]
        if not touched:
            return None
        left, right = min(b.left() for b in touched), max(b.right() for b in touched)
        return QRectF(left, touched[0].bottom() + _GAP, right - left, _BAR_H)

    def _paint_box(self, painter: QPainter, box: QRectF, component: PlanComponent) -> None:
        color = theme().color
        tint = color(component.name) if component.name in ("prefill", "decode") else color("accent")
        state = self.state_of(component)
        dashes = Qt.PenStyle.DashLine if state == "waiting" else Qt.PenStyle.SolidLine
        outline = {"active": QPen(tint, 3), "done": QPen(tint, 1.5), "waiting": QPen(color("muted"), 1, dashes)}
        painter.setPen(outline.get(state, QPen(color("border"), 1)))
        ground = color("window" if state == "waiting" else "surface")
        painter.setBrush(blend_colors(tint, ground, 0.16) if state == "active" else ground)
        painter.drawRoundedRect(box, 6, 6)
        if state == "waiting":
            tint = color("muted")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        painter.drawRoundedRect(QRectF(box.left(), box.top() + G, 4, box.height() - 2 * G), 2, 2)
        inner = box.adjusted(2 * G, G, -G, -G)
        painter.setPen(color("text"))
        font = sans_font(BODY)
        font.setBold(True)
        painter.setFont(font)
        painter.drawText(inner, Qt.AlignmentFlag.AlignTop, component.name)
        painter.setPen(color("muted"))
        painter.setFont(mono_font(SMALL))
        metrics = painter.fontMetrics()
        lines = ("in   " + ", ".join(component.inputs), "out  " + ", ".join(component.outputs))
        for index, text in enumerate(reversed(lines)):
            row = inner.adjusted(0, 0, 0, -index * 2.0 * G)
            short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(inner.width()))
            painter.drawText(row, Qt.AlignmentFlag.AlignBottom, short)

    def _paint_bar(self, painter: QPainter, bar: QRectF) -> None:
        tint = theme().color("cache")
        fill = QColor(tint)
        fill.setAlpha(32)
        painter.setPen(QPen(tint, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(bar, 6, 6)
        painter.setPen(theme().color("text"))
        painter.setFont(sans_font(SMALL))
        short = painter.fontMetrics().elidedText(self._cache, Qt.TextElideMode.ElideRight, int(bar.width()) - 2 * G)
        painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, short)

    def _paint_edge(self, painter: QPainter, edge: PlanEdge, boxes: dict[str, QRectF], bar: QRectF | None) -> None:
        source, target = boxes.get(edge.source.split(".")[0]), boxes.get(edge.target.split(".")[0])
        if source is None or target is None:
            return
        leaps = self._leaps()
        if edge in leaps:
            left, right = source.left() + source.width() * 0.6, target.left() + target.width() * 0.4
            height = 1.0 + G * leaps.index(edge)
            painter.setPen(QPen(theme().color("muted"), 1.5))
            corners = QPointF(left, source.top() - 1), QPointF(left, height), QPointF(right, height)
            painter.drawPolyline(QPolygonF(corners))
            _arrow(painter, corners[2], QPointF(right, target.top() - 2), theme().color("muted"))
        elif edge.kind != "cache":
            middle = source.center().y()
            start, end = QPointF(source.right() + 2, middle), QPointF(target.left() - 2, middle)
            _arrow(painter, start, end, theme().color("muted"))
        elif bar is not None:
            tint = theme().color("cache")
            down, up = source.left() + source.width() * 0.35, target.left() + target.width() * 0.65
            _arrow(painter, QPointF(down, source.bottom() + 2), QPointF(down, bar.top() - 2), tint)
            _arrow(painter, QPointF(up, bar.top() - 2), QPointF(up, target.bottom() + 2), tint)
            painter.setPen(theme().color("muted"))
            painter.setFont(sans_font(SMALL))
            baseline = source.bottom() + _GAP / 2 + 4
            painter.drawText(QPointF(down - 54, baseline), self.tr("present"))
            painter.drawText(QPointF(up + 8, baseline), self.tr("past"))


def _arrow(painter: QPainter, start: QPointF, end: QPointF, color: QColor) -> None:
    """A straight arrow along one axis."""
    painter.setPen(QPen(color, 1.5))
    painter.setBrush(color)
    painter.drawLine(start, end)
    delta = QPointF(end.x() - start.x(), end.y() - start.y())
    length = max((delta.x() ** 2 + delta.y() ** 2) ** 0.5, 1.0)
    unit = delta / length
    side = QPointF(-unit.y(), unit.x())
    painter.drawPolygon(QPolygonF([end, end - unit * 7 + side * 4, end - unit * 7 - side * 4]))
