"""Graphs and the weights that they refer to, brought together in one folder.

    graph ──external tensors──▶ weight files: inside the graph's folder? no link? long enough? ──▶ the folder, once each
      └──locations that had to change──▶ the graph written anew; else byte for byte
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path, PurePosixPath

import onnx

from workflows.errors import GraphError, RequestError, printable
from workflows.graphs.dtypes import bytes_of
from workflows.graphs.external import check_location, place_of
from workflows.graphs.load import load_graph, tensors_in
from workflows.weights import link_or_copy

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")
_TAKEN = (".onnx", ".json")  # endings of what is no weight file


class GraphFolder:
    """Graphs put into one folder, each with the weights that it refers to; a weight file that several share is there
    once.

    link: hard links where the disk can, else copies.
    """

    def __init__(self, folder: Path, *, link: bool = False) -> None:
        self._folder, self._bring = folder, link_or_copy if link else shutil.copyfile
        self._names: dict[Path, str] = {}  # weight file → its name here

    def add(self, source: Path, name: str, model: onnx.ModelProto | None = None) -> None:
        """Puts the graph at `source` into the folder as `name`, beside what is there.

        model: a changed copy of it, without its external data loaded, in place of the file's. Raises GraphError for a
        file that is no graph, and for weights that lie outside its folder, are links, are missing or cut short;
        RequestError for a name that is taken or none.
        """
        if not _PLAIN.fullmatch(name) or self._is_there(name):
            raise RequestError(f"{printable(name)} cannot be a graph's file here, or is there already: name another.")
        given = load_graph(source).proto if model is None else model
        kept = {location: self._keep(path) for location, path in _weights(given, source).items()}
        if model is None and all(location == own for location, own in kept.items()):
            self._bring(source.resolve(), self._folder / name)
            return
        (self._folder / name).write_bytes(_moved(given, kept).SerializeToString())

    def _keep(self, path: Path) -> str:
        """The name of a weight file here, where it is brought unless it is there."""
        real = path.resolve()
        if real not in self._names:
            name = next(name for name in _names_for(path.name) if not self._is_there(name))
            self._bring(real, self._folder / name)
            self._names[real] = name
        return self._names[real]

    def _is_there(self, name: str) -> bool:
        """Whether a name is taken, also on a disk that takes large letters for small."""
        return any(entry.name.lower() == name.lower() for entry in self._folder.iterdir())


def _weights(model: onnx.ModelProto, source: Path) -> dict[str, Path]:
    """Location → weight file, for every file that the graph refers to; each is as long as its tensors need."""
    found: dict[str, Path] = {}
    shown = printable(source.name)
    for tensor in _external(model):
        place = place_of(tensor)
        path = found.get(place.location) or check_location(source.parent, place.location, shown)
        if not place.location or not path.is_file():
            missing = printable(place.location) or "file of that name"
            raise GraphError(f"The weights of {shown} are missing: there is no {missing} beside it.")
        size, end = path.stat().st_size, place.offset + (place.length or bytes_of(tensor.data_type, tensor.dims))
        if min(place.offset, place.length) < 0 or end > size:
            raise GraphError(
                f"{printable(place.location)} has {size:,} bytes and the initializer {printable(tensor.name)} of "
                f"{shown} ends at {end:,}: it is cut short, so get it anew."
            )
        found[place.location] = path
    return found


def _external(model: onnx.ModelProto) -> Iterable[onnx.TensorProto]:
    return (tensor for tensor in tensors_in(model) if tensor.data_location == onnx.TensorProto.EXTERNAL)


def _moved(model: onnx.ModelProto, names: dict[str, str]) -> onnx.ModelProto:
    """A copy of the model whose tensors are in these files, by location."""
    moved = onnx.ModelProto()
    moved.CopyFrom(model)
    for tensor in _external(moved):
        name = names[place_of(tensor).location]
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = name
    return moved


def _names_for(name: str) -> Iterator[str]:
    """Names that a weight file can have in a bundle, its own first where that is one."""
    if _PLAIN.fullmatch(name) and not name.lower().endswith(_TAKEN):
        yield name
    path = PurePosixPath(re.sub(r"[^A-Za-z0-9_.\-]+", "_", name))
    stem, ending = path.stem.lstrip(".-") or "weights", path.suffix
    ending = ".data" if ending.lower() in ("", *_TAKEN) else ending
    yield from (f"{stem}-{i}{ending}" if i > 1 else f"{stem}{ending}" for i in count(1))
