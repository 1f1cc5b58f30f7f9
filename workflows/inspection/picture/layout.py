"""Lays out a composite: data flows from left to right, external inputs come from above, results leave below.

     feeds                      feeds
    session ──label of edge──▶ session ◀──▶ state
                                output
    column 0        1             2           3

Sessions stand in the even columns. A line that passes a column has a place of its own there, so it crosses no box.
It serves about ten boxes, since it counts all crossings of lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from workflows.inspection.picture.columns import (
    ColumnItem,
    assign_heights,
    column_ranks,
    link_neighbours,
    order_columns,
)
from workflows.inspection.picture.diagram import (
    LINE,
    PAD,
    PILL,
    BoxContent,
    Diagram,
    EdgeContent,
    PictureLabels,
    Row,
    make_diagram,
    row_height,
    row_width,
    session_key,
)
from workflows.inspection.picture.drawing import (
    LID_HEIGHT,
    CompositeDrawing,
    DrawnBox,
    DrawnEdge,
    PhasePill,
    Point,
    TextLine,
    pill_width,
    text_width,
)
from workflows.wire.reports.composite import Composite, CompositeState

MARGIN, GUTTER, GAP, PORT, DROP = 16.0, 36.0, 20.0, 14.0, 24.0
ENGLISH = PictureLabels()


def lay_out(composite: Composite, labels: PictureLabels = ENGLISH) -> CompositeDrawing:
    """Returns the drawing of a composite whose edges form no cycle; the same for the same composite."""
    return _Layout(composite.name, make_diagram(composite, labels)).draw()


class _Layout:
    def __init__(self, name: str, diagram: Diagram) -> None:
        self._name, self._diagram = name, diagram
        self._boxes: dict[str, BoxContent] = {}
        self._items: dict[str, ColumnItem] = {}  # by the key of their box: sessions and states
        self._chains: list[tuple[EdgeContent, list[ColumnItem]]] = []
        names = [box.key for box in diagram.sessions]
        rank = column_ranks(names, [(edge.source, edge.target) for edge in diagram.edges] + _state_handovers(diagram))
        for box in diagram.sessions:
            self._add(box, 2 * rank[box.key])
        for edge in diagram.edges:
            self._join(edge)
        for state, box in diagram.states:
            self._add_state(state, box, rank)
        self._columns = self._arranged()

    # -- columns -----------------------------------------------------------------------------------------------

    def _add(self, box: BoxContent, column: int) -> None:
        self._boxes[box.key] = box
        self._items[box.key] = ColumnItem(column, box.width, box.height, 0.0)

    def _add_state(self, state: CompositeState, box: BoxContent, rank: Mapping[str, int]) -> None:
        """Adds a state right after the last session that writes it; before its first reader if none does."""
        writers, readers = ([session_key(name) for name in side] for side in (state.writers, state.readers))
        last = max((rank[key] for key in writers), default=min((rank[key] for key in readers), default=0) - 1)
        self._add(box, 2 * last + 1)
        for key in dict.fromkeys((*writers, *readers)):
            writes, reads, first = key in writers, key in readers, rank[key] <= last
            ends = (key, box.key) if first else (box.key, key)
            ahead, back = (writes, reads) if first else (reads, writes)
            session, title = self._boxes[key], box.rows[0][0][0]
            sign = "⇄" if writes and reads else "→" if writes else "←"
            description, runs = f"{session.name} {sign} {title}", tuple(run for run in box.runs if run in session.runs)
            self._join(EdgeContent(*ends, "cache", description, runs, ahead=ahead, back=back))

    def _join(self, edge: EdgeContent) -> None:
        """Adds items for the edge's label and for each column that it passes."""
        source, target = self._items[edge.source], self._items[edge.target]
        chain = [source]
        for column in range(source.column + 1, target.column):
            labelled = edge.label and column == source.column + 1
            height = len(edge.label) * LINE + 6 if labelled else 8.0
            wide = max(map(row_width, edge.label)) + 12 if labelled else 0.0
            chain.append(ColumnItem(column, wide, height, height - 3 if labelled else 4.0))
        chain.append(target)
        link_neighbours(chain)
        self._chains.append((edge, chain))

    def _arranged(self) -> list[list[ColumnItem]]:
        for key, item in self._items.items():
            self._grow(key, item)
        items = dict.fromkeys([*self._items.values(), *(item for _, chain in self._chains for item in chain)])
        first, last = min(item.column for item in items), max(item.column for item in items)
        columns = order_columns([[item for item in items if item.column == i] for i in range(first, last + 1)])
        assign_heights(columns, GAP)
        x = MARGIN
        for column in columns:
            wide = max((item.width for item in column), default=0.0)
            for item in column:
                item.x, item.room = x, wide
            x += wide + GUTTER
        return columns

    def _grow(self, key: str, item: ColumnItem) -> None:
        """Reserves space for the lines that meet the box, and for the boxes above and below it."""
        own = max(item.height, PORT * (1 + max(len(item.left), len(item.right))))
        above, below = (self._beside(key, side) for side in (self._diagram.feeds, self._diagram.outputs))
        top = above.height + DROP if above else 0.0
        item.anchor = top + own / 2
        item.height = top + own + (below.height + DROP if below else 0.0)
        item.width = max(box.width for box in (self._boxes[key], above, below) if box)

    def _beside(self, key: str, side: Mapping[str, BoxContent]) -> BoxContent | None:
        return side.get(self._boxes[key].name) if self._boxes[key].kind == "session" else None

    # -- the drawing -------------------------------------------------------------------------------------------

    def draw(self) -> CompositeDrawing:
        """Returns boxes and edges with a margin around them."""
        nodes, links = list[DrawnBox](), list[DrawnEdge]()
        for key in self._boxes:
            self._put(key, nodes, links)
        ports = self._ports({node.key: node for node in nodes})
        links = [_link(edge, chain, *ports[i]) for i, (edge, chain) in enumerate(self._chains)] + links
        right = max(item.x + item.room for column in self._columns for item in column)
        bottom = max(item.y + item.height for column in self._columns for item in column)
        size = float(ceil(right + MARGIN)), float(ceil(bottom + 2 * MARGIN))
        return CompositeDrawing(self._name, *size, tuple(nodes), tuple(links))

    def _put(self, key: str, nodes: list[DrawnBox], links: list[DrawnEdge]) -> None:
        """Adds a box with the boxes above and below it."""
        item, y = self._items[key], self._items[key].y + MARGIN
        above, below = (self._beside(key, side) for side in (self._diagram.feeds, self._diagram.outputs))
        occupied = sum(box.height + DROP for box in (above, below) if box)
        stack = [(above, above.height)] if above else []
        stack += [(self._boxes[key], item.height - occupied)]
        stack += [(below, below.height)] if below else []
        before: DrawnBox | None = None
        for box, height in stack:
            wide = item.room if box.kind == "session" else min(max(box.width, item.room * 0.6), item.room)
            left = item.x if box.kind == "state" else item.x + (item.room - wide) / 2
            nodes.append(_node(box, left, y, wide, height))
            if before is not None:
                links.append(_drop(before, nodes[-1], above if before.kind == "feed" else below))
            before = nodes[-1]
            y += height + DROP

    def _ports(self, nodes: Mapping[str, DrawnBox]) -> list[list[float]]:
        """Returns the heights at which each chain meets its boxes, so that lines do not cross there."""
        heights = [[0.0, 0.0] for _ in self._chains]
        for key, item in self._items.items():
            for end in (0, 1):
                there = [i for i, (_, chain) in enumerate(self._chains) if chain[-end] is item]
                there.sort(key=lambda i, end=end: self._chains[i][1][-2 if end else 1].middle)  # type: ignore[misc]
                for place, i in enumerate(there, 1):
                    heights[i][end] = nodes[key].y + nodes[key].h * place / (len(there) + 1)
        return heights


def _node(box: BoxContent, x: float, y: float, wide: float, height: float) -> DrawnBox:
    lid = LID_HEIGHT if box.kind == "state" else 0.0
    lines, below = _written(box.rows, x + PAD, y + (height - box.height) / 2 + PAD - 2 + 1.5 * lid)
    pills, left = list[PhasePill](), x + PAD
    for run, text in zip(box.runs, box.pills, strict=False):
        pills.append(PhasePill(run, text, round(left, 1), round(below + 6, 1), round(pill_width(text), 1), PILL))
        left += pill_width(text) + 6
    place = round(x, 1), round(y, 1), round(wide, 1), round(height, 1)
    return DrawnBox(box.key, box.kind, box.name, box.tint, box.description, box.runs, *place, lines, tuple(pills))


def _link(edge: EdgeContent, chain: Sequence[ColumnItem], start: float, end: float) -> DrawnEdge:
    """Returns the edge along the chain: horizontal through a column, an S curve between two columns."""
    first, last = chain[0], chain[-1]
    points: list[Point] = [(first.x + (first.width if edge.source.startswith("state:") else first.room), start)]
    points.append((first.x + first.room, start))
    for item in chain[1:-1]:
        points += [(item.x, item.middle + MARGIN), (item.x + item.room, item.middle + MARGIN)]
    points.append((last.x, end))
    lines = _written(edge.label, chain[1].x + 6, chain[1].y + MARGIN - 2)[0] if edge.label else ()
    return DrawnEdge(
        edge.source, edge.target, edge.tint, edge.description, edge.runs, _distinct(points), lines,
        edge.ahead, edge.back,
    )  # fmt: skip


def _drop(upper: DrawnBox, lower: DrawnBox, box: BoxContent | None) -> DrawnEdge:
    """Returns a vertical edge from one box to the next."""
    x = lower.x + lower.w / 2
    assert box is not None  # one of the two is what feeds, or what comes out
    points = _distinct([(x, upper.y + upper.h), (x, lower.y)])
    return DrawnEdge(upper.key, lower.key, "muted", box.description, box.runs, points, (), True, False)


def _distinct(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple(dict.fromkeys((round(x, 1), round(y, 1)) for x, y in points))


def _state_handovers(diagram: Diagram) -> list[tuple[str, str]]:
    """Returns the sessions that write a frozen state with those that read it, which are placed after them."""
    return [
        (session_key(writer), session_key(reader))
        for state, _ in diagram.states
        if state.frozen
        for writer in state.writers
        for reader in state.readers
        if reader != writer
    ]


def _written(rows: Sequence[Row], x: float, top: float) -> tuple[tuple[TextLine, ...], float]:
    """Returns the rows below each other, and the end of the last."""
    lines = []
    for row in rows:
        left, step = x, row_height(row)
        for text, style in row:
            lines.append(TextLine(text, style, round(left, 1), round(top + step - 4, 1)))
            left += text_width(text, style) + 8
        top += step
    return tuple(lines), top
