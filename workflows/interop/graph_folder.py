"""Graphs and the weights that they refer to, brought together in one folder.

graph ──external tensors──▶ weight files: inside the graph's folder? no link? long enough? ──▶ the folder, once each
  └──locations that had to change──▶ the graph written anew; else byte for byte
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath

import onnx

from workflows.common.errors import GraphError, RequestError, printable
from workflows.common.files import link_or_copy
from workflows.graph.dtypes import byte_count
from workflows.graph.external_data import check_location, external_location
from workflows.graph.load import load_graph
from workflows.graph.subgraphs import all_tensors
from workflows.graph.weights import append_aligned, read_blocks

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")
_RESERVED_SUFFIXES = (".onnx", ".json")  # endings of what is no weight file
Span = tuple[int, int]  # first byte, bytes


class GraphFolder:
    """Graphs put into one folder, each with the weights that it refers to; a weight file that several share is there
    once, and of one of which a changed copy uses little, that little.

    link: hard links where the disk can, else copies.
    """

    def __init__(self, folder: Path, *, link: bool = False) -> None:
        self._folder, self._bring = folder, link_or_copy if link else shutil.copyfile
        self._names: dict[Path, str] = {}  # weight file → its name here
        self._parts: dict[Path, _MovedWeights] = {}  # weight file → where parts of it are, where it is not there itself

    def add(self, source: Path, name: str, model: onnx.ModelProto | None = None) -> None:
        """Puts the graph at `source` into the folder as `name`, beside what is there.

        model: a changed copy of it, without its external data loaded, in place of the file's. Raises GraphError for a
        file that is no graph, and for weights that lie outside its folder, are links, are missing or cut short;
        RequestError for a name that is taken or none.
        """
        if not _PLAIN.fullmatch(name) or self._is_there(name):
            raise RequestError(f"{printable(name)} cannot be a graph's file here, or is there already: name another.")
        given = load_graph(source).proto if model is None else model
        used = _used(given, source)
        moves = {one.location: self._bring_weights(one, whole=model is None) for one in used}
        if model is None and all(move.name == location for location, move in moves.items()):
            self._bring(source.resolve(), self._folder / name)
            return
        (self._folder / name).write_bytes(_moved(given, moves).SerializeToString())

    def _bring_weights(self, used: _WeightUse, *, whole: bool) -> _MovedWeights:
        """Brings a weight file unless it is there; of one of which less than half is used its part, if not `whole`."""
        real = used.path.resolve()
        if real in self._names:
            return _MovedWeights(self._names[real])
        part = self._parts.get(real)
        if part is None or whole:
            name = next(name for name in _names_for(used.path.name) if not self._is_there(name))
            if whole or 2 * sum(size for _, size in used.spans) >= real.stat().st_size:
                self._bring(real, self._folder / name)
                self._names[real] = name
                return _MovedWeights(name)
            part = self._parts[real] = _MovedWeights(name, {})
        with (self._folder / part.name).open("ab") as file:
            for offset, size in sorted(used.spans - part.at.keys()):
                part.at[offset, size] = append_aligned(size, read_blocks(real, offset, size), file).offset
        return part

    def _is_there(self, name: str) -> bool:
        """Whether a name is taken, also on a disk that takes large letters for small."""
        return any(entry.name.lower() == name.lower() for entry in self._folder.iterdir())


@dataclass(frozen=True)
class _WeightUse:
    """What a graph uses of a weight file."""

    location: str
    path: Path
    spans: set[Span]


@dataclass(frozen=True)
class _MovedWeights:
    """A weight file's name here. at: span there → first byte here, where a part was brought."""

    name: str
    at: dict[Span, int] = field(default_factory=dict)


def _used(model: onnx.ModelProto, source: Path) -> list[_WeightUse]:
    """Every weight file that the graph refers to, each as long as its tensors need."""
    found: dict[str, _WeightUse] = {}
    shown = printable(source.name)
    for tensor in _external(model):
        place = external_location(tensor)
        used = found.get(place.location)
        if used is None:
            used = _WeightUse(place.location, check_location(source.parent, place.location, shown), set())
        if not place.location or not used.path.is_file():
            missing = printable(place.location) or "file of that name"
            raise GraphError(f"The weights of {shown} are missing: there is no {missing} beside it.")
        span = _span(tensor)
        size, end = used.path.stat().st_size, sum(span)
        if min(place.offset, place.length) < 0 or end > size:
            raise GraphError(
                f"{printable(place.location)} has {size:,} bytes and the initializer {printable(tensor.name)} of "
                f"{shown} ends at {end:,}: it is cut short, so get it anew."
            )
        used.spans.add(span)
        found[place.location] = used
    return list(found.values())


def _span(tensor: onnx.TensorProto) -> Span:
    place = external_location(tensor)
    return place.offset, place.length or byte_count(tensor.data_type, tensor.dims)


def _external(model: onnx.ModelProto) -> Iterable[onnx.TensorProto]:
    return (tensor for tensor in all_tensors(model) if tensor.data_location == onnx.TensorProto.EXTERNAL)


def _moved(model: onnx.ModelProto, moves: Mapping[str, _MovedWeights]) -> onnx.ModelProto:
    """A copy of the model whose tensors lie where their files were brought, by location."""
    moved = onnx.ModelProto()
    moved.CopyFrom(model)
    for tensor in _external(moved):
        move = moves[external_location(tensor).location]
        told = {"location": move.name} | ({"offset": str(move.at[_span(tensor)])} if move.at else {})
        kept = [(entry.key, entry.value) for entry in tensor.external_data if entry.key not in told]
        del tensor.external_data[:]
        for key, value in (*told.items(), *kept):
            tensor.external_data.add(key=key, value=value)
    return moved


def _names_for(name: str) -> Iterator[str]:
    """Names that a weight file can have in a bundle, its own first where that is one."""
    if _PLAIN.fullmatch(name) and not name.lower().endswith(_RESERVED_SUFFIXES):
        yield name
    path = PurePosixPath(re.sub(r"[^A-Za-z0-9_.\-]+", "_", name))
    stem, ending = path.stem.lstrip(".-") or "weights", path.suffix
    ending = ".data" if ending.lower() in ("", *_RESERVED_SUFFIXES) else ending
    yield from (f"{stem}-{i}{ending}" if i > 1 else f"{stem}{ending}" for i in count(1))
