"""Draws a scene: with text where it is readable, as plain boxes where it is not.

Scene + a part of its plane + a scale ──ScenePainter.draw──▶ QPainter (the window, an image, an SVG)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPainterPath, QPen, QPolygonF

from app.graph_scene.boxes import CHAR_W, HEAD, LINE_H, PAD, TITLE_H, GraphBox, GraphLink, SceneLevel, shorten
from app.graph_scene.indexed_graph import CHANGE_SIGNS, IndexedNode, SlicedTask
from app.graph_scene.scene import Scene
from app.state.provider_overlay import BoxColoring, BoxMark
from app.widgets.theme import SMALL, blend_colors, sans_font, theme
from workflows.wire.reports.graphs import CHANGES, Change

TEXT_SCALE, TITLE_SCALE = 0.5, 0.27
"""The least scales for all text, and for titles."""
_LABEL_PX = 60
"""Least width of an open scope on the screen that shows its name at any scale."""
_TINY_PX = 8
"""Least size of an open scope on the screen whose inside is drawn."""
_TINTS = {"matrix": "accent", "attention": "cache", "norm": "decode", "activation": "prefill", "control": "warning"}
_STEPS = 8
"""Number of color strengths of boxes that are too small for text."""
_NO_PEN = QPen(Qt.PenStyle.NoPen)


def link_path(link: GraphLink) -> QPainterPath:
    """A link as a smooth curve with vertical ends."""
    path = QPainterPath(QPointF(*link.points[0]))
    for place in range(1, len(link.points), 2):
        (x0, y0), (x1, y1) = link.points[place - 1], link.points[place]
        if abs(x1 - x0) < 0.5:
            path.lineTo(x1, y1)
        else:
            middle = (y0 + y1) / 2
            path.cubicTo(x0, middle, x1, middle, x1, y1)
        if place + 1 < len(link.points):
            path.lineTo(*link.points[place + 1])
    return path


class ScenePainter:
    """Colors and fonts of one theme; a change of theme needs a new painter. coloring: by provider or cost.

    hidden_change: nodes and lines with this change are not drawn; their space stays empty.
    """

    def __init__(self, coloring: BoxColoring | None = None, hidden_change: Change = "") -> None:
        self._coloring, self._hidden_change = coloring, hidden_change
        self._nodes: list[IndexedNode] = []
        self.paper = theme().color("window")
        self.card = theme().color("raised")
        self.border = theme().color("border")
        self.text = theme().color("text")
        self.muted = theme().color("muted")
        self.accent = theme().color("accent")
        self.line = blend_colors(self.muted, self.paper, 0.6)
        self.change: dict[str, QColor] = {c: theme().color(c) for c in CHANGES}
        self.tint = {kind: theme().color(name) for kind, name in _TINTS.items()}
        self.plain = blend_colors(self.muted, self.paper, 0.45)
        self.blocks = {kind: blend_colors(tint, self.paper, 0.6) for kind, tint in self.tint.items()} | self.change
        self.grounds = (theme().color("sunken"), self.paper)
        self.title_font = sans_font(SMALL)
        self.title_font.setWeight(QFont.Weight.DemiBold)
        self.line_font = sans_font(SMALL - 1)
        self.large_font = QFont(self.title_font)
        self.large_font.setPixelSize(18)

    # -- levels ----------------------------------------------------------------------------------------------

    def draw(self, painter: QPainter, scene: Scene, part: QRectF, scale: float) -> None:
        """Draws the part of `scene` in `part`; the painter's unit is a pixel at 100 %."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, scale >= TITLE_SCALE)
        self._nodes = scene.graph.nodes
        self._level(painter, scene.root, part, scale, 0)

    def _level(self, painter: QPainter, level: SceneLevel, part: QRectF, scale: float, depth: int) -> None:
        opened: list[GraphBox] = []
        closed: list[GraphBox] = []
        for box in level.boxes_in(part.top(), part.bottom()):
            if box.x <= part.right() and box.x + box.w >= part.left() and not self.hides(box.change):
                tiny = box.w * scale < _TINY_PX or box.h * scale < _TINY_PX
                (opened if box.inner and not tiny else closed).append(box)
        for box in opened:
            self._frame(painter, box, scale, depth)
        self._links(painter, level, part, scale)
        if scale >= TITLE_SCALE:
            for box in closed:
                self._card(painter, box, scale)
        else:
            self._blocks(painter, closed)
        here = painter.transform()
        for box in opened:
            if box.inner is None:
                continue
            left, top = box.x + PAD, box.y + HEAD
            painter.translate(left, top)
            self._level(painter, box.inner, part.translated(-left, -top), scale, depth + 1)
            painter.setTransform(here)  # exactly, so that a part is drawn as it is in the whole

    def hides(self, change: str) -> bool:
        """Whether nodes and lines with this change are hidden."""
        return bool(self._hidden_change) and change == self._hidden_change

    def title(self, box: GraphBox) -> str:
        """The title of a box; in the pane before a change, the former operator."""
        was = self._nodes[box.key].was if isinstance(box.key, int) and self._hidden_change == "added" else None
        return was.op if was is not None else box.title

    # -- boxes and lines -------------------------------------------------------------------------------------

    def _frame(self, painter: QPainter, box: GraphBox, scale: float, depth: int) -> None:
        rect = QRectF(box.x, box.y, box.w, box.h)
        color = self.change.get(box.change, self.border)
        painter.setPen(QPen(color, max(1.0, 1.0 / scale)))
        painter.setBrush(self.grounds[depth % 2])
        painter.drawRoundedRect(rect, 8, 8)
        if box.w * scale < _LABEL_PX:
            return
        size = max(1.0, min(11.0 / 12 / scale, box.h * 0.4 / 12))  # large enough to be read at a small scale
        font = QFont(self.title_font)
        font.setPixelSize(max(1, round(12 * size)))
        painter.setFont(font)
        painter.setPen(self.muted if scale >= TITLE_SCALE else self.text)
        head = QRectF(box.x + 12, box.y + 2, box.w - 24, max(HEAD - 4, 14 * size))
        if scale < TITLE_SCALE and box.inner is not None and 14 * size > HEAD:
            return  # no space above its boxes
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, _fit(f"▾ {box.title}", head.width(), 7.3 * size))

    def _links(self, painter: QPainter, level: SceneLevel, part: QRectF, scale: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width = 1.2 if scale >= TEXT_SCALE else 1.0 / scale
        if scale < TITLE_SCALE:
            painter.setPen(QPen(self.line, width))
            routes = (k.points if k.wraps else (k.points[0], k.points[-1]) for k in self._visible_links(level, part))
            painter.drawLines([QLineF(*one, *other) for route in routes for one, other in pairwise(route)])
            return
        for link in self._visible_links(level, part):
            color = self.change.get(link.change, self.line)
            pen = QPen(color, width)
            if link.change == "removed":
                pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawPath(link_path(link))
            if scale >= TEXT_SCALE:
                self.arrow(painter, link, color)

    def _visible_links(self, level: SceneLevel, part: QRectF) -> Iterator[GraphLink]:
        left, right = part.left(), part.right()
        for link in level.links_in(part.top(), part.bottom()):
            if link.right >= left and link.left <= right and not self.hides(link.change):
                yield link

    def arrow(self, painter: QPainter, link: GraphLink, color: QColor) -> None:
        x, y = link.points[-1]
        painter.setPen(_NO_PEN)
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([QPointF(x, y), QPointF(x - 3.5, y - 7), QPointF(x + 3.5, y - 7)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _ground(self, box: GraphBox) -> QColor:
        if box.change:
            return blend_colors(self.change[box.change], self.card, 0.16)
        mark = self._mark(box)
        return blend_colors(theme().color(mark.color), self.card, mark.strength) if mark is not None else self.card

    def _mark(self, box: GraphBox) -> BoxMark | None:
        return self._coloring.mark(box.key) if self._coloring is not None else None

    def _badge(self, painter: QPainter, box: GraphBox) -> None:
        """Repeats the color of a box as text and as a bar, since color alone is not enough."""
        mark = self._mark(box)
        if mark is None:
            return
        color = theme().color(mark.color)
        if mark.bar is not None:
            painter.fillRect(QRectF(box.x + 4, box.y + box.h - 5, (box.w - 8) * mark.bar, 3), color)
        if not mark.badge:
            return
        place = QRectF(box.x + box.w + 6, box.y + 6, 8.0 + CHAR_W * len(mark.badge), 15)
        painter.setPen(_NO_PEN)
        painter.setBrush(color)
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(self.paper)
        painter.setFont(self.line_font)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, mark.badge)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _card(self, painter: QPainter, box: GraphBox, scale: float) -> None:
        rect = QRectF(box.x, box.y, box.w, box.h)
        color = self.change.get(box.change, self.border)
        pen = QPen(color, 1.6 if box.change else 1.0)
        if box.change == "removed":
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(self._ground(box))
        if box.kind == "scope":
            painter.drawRoundedRect(rect.translated(3, 3), 8, 8)  # a stack, since it has boxes inside
            painter.drawRoundedRect(rect, 8, 8)
        else:
            painter.drawRoundedRect(rect, 5, 5)
        tint = self.tint.get(box.kind)
        if tint is not None:
            painter.fillRect(QRectF(box.x + 1, box.y + 5, 3, box.h - 10), tint)
        self._badge(painter, box)
        if scale >= TEXT_SCALE:
            self._text(painter, box)
        else:
            painter.setFont(self.large_font)
            painter.setPen(self.change.get(box.change, self.text))
            painter.drawText(rect.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignCenter, self._far_title(box))

    def _far_title(self, box: GraphBox) -> str:
        title = f"{CHANGE_SIGNS[box.change]} {self.title(box)}" if box.change else box.title
        return shorten(title, max(3, int((box.w - 10) / 10.5)))

    def _text(self, painter: QPainter, box: GraphBox) -> None:
        left, width = box.x + 12, box.w - 20
        painter.setFont(self.title_font)
        painter.setPen(self.change.get(box.change, self.text))
        title = f"▸ {shorten(box.title)}" if box.kind == "scope" else shorten(self.title(box))
        side = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(left, box.y, width, TITLE_H), side, title)
        if box.change:
            painter.drawText(
                QRectF(left, box.y, width, TITLE_H), side | Qt.AlignmentFlag.AlignRight, CHANGE_SIGNS[box.change]
            )
        painter.setFont(self.line_font)
        tinted = bool(box.change) or self._mark(box) is not None  # where only the color of text is strong enough
        y = box.y + TITLE_H - 1
        for text, port in box.lines():
            named = port is not None and port.kind != "link"
            painter.setPen(self.text if tinted else self.accent if named else self.muted)
            painter.drawText(QRectF(left, y, width, LINE_H), side, text)
            y += LINE_H

    def _blocks(self, painter: QPainter, boxes: list[GraphBox]) -> None:
        """Draws boxes that are too small for text, all of one color at once."""
        by_color: dict[tuple[str, int], list[QRectF]] = {}
        for box in boxes:
            mark = None if box.change else self._mark(box)
            color = (box.change or box.kind, -1) if mark is None else (mark.color, round(mark.strength * _STEPS))
            by_color.setdefault(color, []).append(QRectF(box.x, box.y, box.w, box.h))
        painter.setPen(_NO_PEN)
        for (name, strength), rects in by_color.items():
            painter.setBrush(QBrush(self._block(name, strength)))
            painter.drawRects(rects)

    def _block(self, name: str, strength: int) -> QColor:
        if strength < 0:
            return self.blocks.get(name, self.plain)
        return blend_colors(theme().color(name), self.paper, min(1.0, 0.25 + 1.5 * strength / _STEPS))


def _fit(text: str, width: float, char: float) -> str:
    return shorten(text, max(3, int(width / char)))


BAND_NODES = 1000
"""Nodes that are drawn per slice, about."""
OVERHANG = 80.0
"""How far the shadow and the badge of a box reach beyond it."""


def draw_in_bands(
    image: QImage, art: ScenePainter, scene: Scene, area: QRectF, scale: float, corner: QPointF
) -> SlicedTask:
    """Draws `area` of the scene with its corner at `corner` of the image in logical pixels, in slices."""
    size = image.deviceIndependentSize().toSize()
    bands = max(1, len(scene.graph.nodes) // BAND_NODES)
    for band in range(bands):
        top, bottom = (size.height() * at // bands for at in (band, band + 1))
        begin = area.top() + (top - corner.y()) / scale
        part = QRectF(area.left(), begin, area.width(), (bottom - top) / scale).adjusted(0, -OVERHANG, 0, OVERHANG)
        painter = QPainter(image)
        painter.setClipRect(QRect(0, top, size.width(), bottom - top))
        painter.translate(corner)
        painter.scale(scale, scale)
        painter.translate(-area.topLeft())
        art.draw(painter, scene, part, scale)
        painter.end()
        yield
