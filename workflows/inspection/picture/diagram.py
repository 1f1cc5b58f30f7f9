"""The contents and sizes of a picture's boxes and lines.

    Composite ──▶ BoxContent: rows of text, size, tint        Composite ──▶ EdgeContent: from box to box, its label

`layout` places them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflows.common.errors import printable
from workflows.inspection.picture.drawing import LID_HEIGHT, TINTS, BoxKind, TextStyle, pill_width, shorten, text_width
from workflows.wire.reports.composite import (
    ComponentSession,
    Composite,
    CompositeEdge,
    CompositeFeed,
    CompositeOutput,
    CompositeState,
    CompositeTensor,
    LayerGroup,
    format_ranges,
)

LINE, TITLE, PAD, PILL = 16.0, 20.0, 12.0, 18.0
NAME_CELLS, SHAPE_CELLS, TITLE_CELLS = 26, 34, 26  # cells at most
MAX_INPUTS, MAX_LABELS, MAX_SHAPES = 6, 3, 4
Row = tuple[tuple[str, TextStyle], ...]  # the texts of one line


@dataclass(frozen=True)
class PictureLabels:
    """The fixed texts of the picture; `{0}` is a number or a list of numbers."""

    cache: str = "KV cache"
    cross: str = "Cross cache"
    carried: str = "State of fixed size"
    driver: str = "Drivers"
    given: str = "Given"
    output: str = "Output"
    host: str = "written by the host"
    graph: str = "written by the graph"
    frozen: str = "written once, then read"
    layer: str = "layer {0}"
    layers: str = "layers {0}"
    more: str = "+ {0} more"


@dataclass(frozen=True)
class BoxContent:
    """A box without a position. runs: those that it takes part in. pills: run names. description: its full text."""

    key: str
    kind: BoxKind
    name: str
    tint: str
    description: str
    runs: tuple[str, ...]
    rows: tuple[Row, ...]
    pills: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """The width of the widest row, at least 72 pixels, and the padding."""
        pills = sum(pill_width(pill) + 6 for pill in self.pills) - 6
        return max(*map(row_width, self.rows), pills, 72.0) + 2 * PAD

    @property
    def height(self) -> float:
        """The height of all rows, the pills below them and, for a state, the cylinder's lid."""
        lid = LID_HEIGHT if self.kind == "state" else 0.0
        return sum(map(row_height, self.rows)) + (PILL + 8 if self.pills else 0) + 2 * PAD - 4 + 2 * lid


@dataclass(frozen=True)
class EdgeContent:
    """A line without a position: `source` is the box on the left, or above. ahead, back: its arrowheads."""

    source: str
    target: str
    tint: str
    description: str
    runs: tuple[str, ...]
    label: tuple[Row, ...] = ()
    ahead: bool = True
    back: bool = False


@dataclass(frozen=True)
class Diagram:
    """All boxes and lines of a composite in its order; feeds and outputs by session."""

    sessions: tuple[BoxContent, ...]
    feeds: dict[str, BoxContent]
    outputs: dict[str, BoxContent]
    edges: tuple[EdgeContent, ...]
    states: tuple[tuple[CompositeState, BoxContent], ...]


def make_diagram(composite: Composite, labels: PictureLabels) -> Diagram:
    """Returns the contents of the picture."""
    kinds = [state.kind for state in composite.states]
    feeds: dict[str, list[CompositeFeed]] = {}
    for feed in composite.feeds:
        feeds.setdefault(feed.session, []).append(feed)
    return Diagram(
        tuple(_session(one) for one in composite.sessions),
        {name: _feed(name, mine, labels) for name, mine in feeds.items()},
        {one.session: _output(one, labels) for one in composite.outputs},
        tuple(_edges(composite, labels)),
        tuple(
            (state, _state(state, i, kinds.count(state.kind) > 1, labels)) for i, state in enumerate(composite.states)
        ),
    )


def session_key(name: str) -> str:
    return f"session:{name}"


def row_width(row: Row) -> float:
    """Returns an upper bound of a row's width, in pixels."""
    return sum(text_width(text, style) for text, style in row) + 8 * (len(row) - 1)


def row_height(row: Row) -> float:
    return TITLE if row[0][1] == "title" else LINE


def _session(one: ComponentSession) -> BoxContent:
    rows: list[Row] = [((shorten(one.name, TITLE_CELLS), "title"),)]
    rows += [_detail(text) for text in (one.role, one.file) if text and text != one.name]
    tint = TINTS.get(one.runs[0], "muted") if len(one.runs) == 1 else "text"
    description = ", ".join(
        printable(part, 400) for part in dict.fromkeys((one.name, one.role, one.file, *one.runs)) if part
    )
    pills = tuple(shorten(run, NAME_CELLS) for run in one.runs)
    return BoxContent(session_key(one.name), "session", one.name, tint, description, one.runs, tuple(rows), pills)


def _feed(session: str, feeds: Sequence[CompositeFeed], labels: PictureLabels) -> BoxContent:
    """Returns one box for all inputs that feed a session, with a heading for each kind."""
    titles = {"driver": labels.driver, "given": labels.given}
    rows, description = list[Row](), list[str]()
    for feed in feeds:
        title = titles.get(feed.kind, feed.kind)
        rows += _listed(title, feed.inputs, labels)
        description.append(f"{printable(title)}: {_tensor_text(feed.inputs)}")
    runs = tuple(dict.fromkeys(run for feed in feeds for run in feed.runs))
    text = f"{'; '.join(description)} → {printable(session)}"
    return BoxContent(f"feed:{session}", "feed", session, "muted", text, runs, tuple(rows))


def _output(one: CompositeOutput, labels: PictureLabels) -> BoxContent:
    description = f"{printable(one.session)} → {labels.output}: {_tensor_text(one.outputs)}"
    rows = tuple(_listed(labels.output, one.outputs, labels))
    return BoxContent(f"output:{one.session}", "output", one.session, "muted", description, one.runs, rows)


def _listed(title: str, tensors: Sequence[CompositeTensor], labels: PictureLabels) -> list[Row]:
    rows = [row for tensor in tensors[:MAX_INPUTS] for row in _named(tensor.name, tensor)]
    return [_detail(title), *rows, *_more(len(tensors) - MAX_INPUTS, labels)]


def _named(name: str, tensor: CompositeTensor) -> list[Row]:
    """Returns two rows: name and type, then the shape."""
    return [
        ((shorten(name, NAME_CELLS), "name"), (shorten(tensor.dtype, 10), "detail")),
        _detail(tensor.extents, SHAPE_CELLS),
    ]


def _detail(text: str, most: int = NAME_CELLS) -> Row:
    return ((shorten(text, most), "detail"),)


def _more(count: int, labels: PictureLabels) -> list[Row]:
    return [_detail(labels.more.format(count))] if count > 0 else []


def _state(state: CompositeState, place: int, several: bool, labels: PictureLabels) -> BoxContent:
    titles = {"cache": labels.cache, "cross": labels.cross, "carried": labels.carried}
    title = f"{titles.get(state.kind, state.kind)}{f' {state.name}' if several else ''}"
    rows: list[Row] = [((shorten(title, TITLE_CELLS), "title"),)]
    for one in state.layers[:MAX_SHAPES]:
        rows += _shapes(one, labels)
    rows += _more(len(state.layers) - MAX_SHAPES, labels)
    written = labels.frozen if state.frozen else labels.host if state.writer == "host" else labels.graph
    rows.append(_detail(written))
    shapes = "; ".join(f"{_numbered(one, labels)}: {_tensor_text(one.tensors)}" for one in state.layers)
    ways = (state.writers, (f"{title} ({state.name})",), state.readers)
    description = " → ".join(printable(", ".join(names), 300) for names in ways if names) + f", {written}: {shapes}"
    return BoxContent(f"state:{place}", "state", state.name, "cache", description, state.runs, tuple(rows))


def _numbered(one: LayerGroup, labels: PictureLabels) -> str:
    """Returns the numbers of the layers, or the names of tensors that belong to no layer."""
    if not one.layers:
        return ", ".join(tensor.name for tensor in one.tensors)
    return (labels.layer if len(one.layers) == 1 else labels.layers).format(format_ranges(one.layers))


def _shapes(one: LayerGroup, labels: PictureLabels) -> list[Row]:
    """Returns one shape if all tensors of a layer are equal, else one each."""
    numbers: tuple[str, TextStyle] = (shorten(_numbered(one, labels), NAME_CELLS), "name")
    if len({(tensor.shape, tensor.dtype) for tensor in one.tensors}) == 1:
        first = one.tensors[0]
        return [(numbers, (shorten(first.dtype, 10), "detail")), _detail(first.extents, SHAPE_CELLS)]
    return [(numbers,), *(_detail(f"{tensor.name} {tensor.form}", SHAPE_CELLS) for tensor in one.tensors)]


def _edges(composite: Composite, labels: PictureLabels) -> Iterable[EdgeContent]:
    """Yields one line from a session to another, however many tensors it carries."""
    runs_of = {session.name: session.runs for session in composite.sessions}
    pairs: dict[tuple[str, str], list[CompositeEdge]] = {}
    for edge in composite.edges:
        pairs.setdefault((edge.source[0], edge.target[0]), []).append(edge)
    for (source, target), edges in pairs.items():
        runs = tuple(run for run in composite.runs if any(run in edge.runs for edge in edges))
        label = [row for edge in edges[:MAX_LABELS] for row in _edge_rows(edge)]
        label += _more(len(edges) - MAX_LABELS, labels)
        if runs and runs != runs_of[target]:
            label.append(_detail(", ".join(runs)))
        names = [" → ".join(dict.fromkeys((edge.source[1], edge.target[1]))) for edge in edges]
        description = f"{printable(source)} → {printable(target)}: " + "; ".join(
            f"{printable(name, 260)} {printable(edge.tensor.form)}" for name, edge in zip(names, edges, strict=True)
        )
        tint = TINTS.get(runs[0], "muted") if len(runs) == 1 else "muted"
        yield EdgeContent(session_key(source), session_key(target), tint, description, runs, tuple(label))


def _edge_rows(edge: CompositeEdge) -> list[Row]:
    """Returns the tensor's rows; with a row for the other name if the two sessions name it differently."""
    first, *rest = _named(edge.source[1], edge.tensor)
    other: list[Row] = (
        [((f"→ {shorten(edge.target[1], NAME_CELLS)}", "name"),)] if edge.source[1] != edge.target[1] else []
    )
    return [first, *other, *rest]


def _tensor_text(tensors: Iterable[CompositeTensor]) -> str:
    return ", ".join(f"{printable(tensor.name)} {printable(tensor.form)}" for tensor in tensors)
