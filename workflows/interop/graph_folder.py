"""Copies graphs and their external weights into one folder.

graph ──external tensors──▶ weight files: inside the graph's folder? no link? long enough? ──▶ the folder, once each
  └──changed locations──▶ the graph written anew; else byte for byte
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
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
_RESERVED_SUFFIXES = (".onnx", ".json")  # reserved suffixes: not weight files
Span = tuple[int, int]  # first byte, bytes


class GraphFolder:
    """A folder of graphs and their external weights. A shared weight file is stored once; of a file of which a changed
    copy uses less than half, only the used parts.

    link: use hard links where the disk supports them, else copies.
    """

    def __init__(self, folder: Path, *, link: bool = False) -> None:
        self._folder, self._bring = folder, link_or_copy if link else shutil.copyfile
        self._names: dict[Path, str] = {}  # weight file → its name here
        # weight file → where its parts are, where it is not here as a whole
        self._parts: dict[Path, _MovedWeights] = {}

    def add(self, source: Path, name: str, model: onnx.ModelProto | None = None) -> None:
        """Adds the graph at `source` to the folder as `name`.

        model: a changed copy without its external data loaded, used instead of the file. Raises GraphError for an
        invalid graph, and for weights that are outside its folder, links, missing or truncated; RequestError for a name
        that is taken or invalid.
        """
        if not _PLAIN.fullmatch(name) or self._is_there(name):
            raise RequestError(
                f"{printable(name)} is not a valid file name for a graph, or already exists: choose another."
            )
        graph = load_graph(source).proto if model is None else model
        used = _used(graph, source)
        moves = {one.location: self._bring_weights(one, whole=model is None) for one in used}
        if model is None and all(move.name == location for location, move in moves.items()):
            self._bring(source.resolve(), self._folder / name)
            return
        (self._folder / name).write_bytes(_moved(graph, moves).SerializeToString())

    def _bring_weights(self, used: _WeightUse, *, whole: bool) -> _MovedWeights:
        """Adds a weight file once; only its used parts where these are less than half, unless `whole`."""
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
        """Whether a name is taken, ignoring case for disks that do."""
        return any(entry.name.lower() == name.lower() for entry in self._folder.iterdir())


@dataclass(frozen=True)
class _WeightUse:
    """The parts of a weight file that a graph uses."""

    location: str
    path: Path
    spans: set[Span]


@dataclass(frozen=True)
class _MovedWeights:
    """A weight file's name in the folder. at: original span → first byte here, where only parts were copied."""

    name: str
    at: dict[Span, int] = field(default_factory=dict)


def _used(model: onnx.ModelProto, source: Path) -> list[_WeightUse]:
    """The weight files of the graph; each is checked to be as long as its tensors need."""
    uses: dict[str, _WeightUse] = {}
    shown = printable(source.name)
    for tensor in _external(model):
        place = external_location(tensor)
        used = uses.get(place.location)
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
                f"{shown} ends at {end:,}: the file is truncated, so get it again."
            )
        used.spans.add(span)
        uses[place.location] = used
    return list(uses.values())


def _span(tensor: onnx.TensorProto) -> Span:
    place = external_location(tensor)
    return place.offset, place.length or byte_count(tensor.data_type, tensor.dims)


def _external(model: onnx.ModelProto) -> Iterable[onnx.TensorProto]:
    return (tensor for tensor in all_tensors(model) if tensor.data_location == onnx.TensorProto.EXTERNAL)


def _moved(model: onnx.ModelProto, moves: Mapping[str, _MovedWeights]) -> onnx.ModelProto:
    """A copy of the model with the tensors' new locations."""
    moved = deepcopy(model)
    for tensor in _external(moved):
        move = moves[external_location(tensor).location]
        entries = {"location": move.name} | ({"offset": str(move.at[_span(tensor)])} if move.at else {})
        fields = [(entry.key, entry.value) for entry in tensor.external_data if entry.key not in entries]
        del tensor.external_data[:]
        for key, value in (*entries.items(), *fields):
            tensor.external_data.add(key=key, value=value)
    return moved


def _names_for(name: str) -> Iterator[str]:
    """Possible names of a weight file in a bundle, its own first where it is valid."""
    if _PLAIN.fullmatch(name) and not name.lower().endswith(_RESERVED_SUFFIXES):
        yield name
    path = PurePosixPath(re.sub(r"[^A-Za-z0-9_.\-]+", "_", name))
    stem, ending = path.stem.lstrip(".-") or "weights", path.suffix
    ending = ".data" if ending.lower() in ("", *_RESERVED_SUFFIXES) else ending
    yield from (f"{stem}-{i}{ending}" if i > 1 else f"{stem}{ending}" for i in count(1))
