"""All graphs of a composite over one weight file, in which each distinct tensor lies once.

    models ──large tensors──▶ by place (already in a file) or by content (new) ──▶ weights.data, written in one stream
           ──▶ each model's .onnx beside it, its tensors named by offset

The same models give the same bytes. Tensors are read and written one at a time: there is no second copy in memory.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import onnx_ir as ir

from workflows.files import link_or_copy, room_for

WEIGHTS = "weights.data"
SMALL = 256  # bytes below which a tensor stays within its graph
_KEPT_SHARE = 0.95  # of a file that is read on: above it the file is taken over as it is
_BLOCK = 1 << 22
# Offsets that a page, and Windows' 64 KiB views of files, can be mapped at; small tensors fill a cache line.
_ALIGNMENTS = ((1 << 20, 1 << 16), (1 << 12, 1 << 12), (0, 1 << 6))
Key = Hashable


@dataclass(frozen=True, slots=True)
class Region:
    """Where a tensor's bytes lie in the weight file."""

    offset: int
    length: int


def key_of(tensor: ir.TensorProtocol) -> Key:
    """What makes a tensor one and the same: its place in a file, or the object in memory (while that lives)."""
    if isinstance(tensor, ir.ExternalTensor):
        return (os.path.realpath(tensor.path), tensor.offset or 0, tensor.nbytes)
    return id(tensor)


def large_initializers(model: ir.Model) -> Iterator[ir.Value]:
    """The values whose tensors lie in the weight file, or are to, in the graph's order, bodies included."""
    for graph in (model.graph, *model.graph.subgraphs()):
        for value in graph.initializers.values():
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor) or (tensor is not None and tensor.nbytes >= SMALL):
                yield value


def load_graph(path: Path) -> ir.Model:
    """A graph that `save_graphs` wrote, its large tensors by their whole paths.

    onnx_ir does not read a file in a folder that has two links, which a stage's weights have; it checks no whole path.
    """
    model = ir.load(path)
    for value in large_initializers(model):
        tensor = value.const_value
        if isinstance(tensor, ir.ExternalTensor):
            place = os.path.realpath(tensor.path)
            shape, name = ir.Shape(tensor.shape), tensor.name
            value.const_value = ir.ExternalTensor(
                place, tensor.offset, tensor.length, tensor.dtype, shape=shape, name=name
            )
    return model


def save_graphs(models: Mapping[str, ir.Model], folder: Path) -> dict[Key, Region]:
    """Writes file name → model into `folder`, over one weight file there; gives where each large tensor lies.

    Afterwards the models' large tensors are those in the file, and what was in memory can be forgotten. A weight file
    of which (nearly) everything is read on, and to which nothing is added, is linked instead of written.
    """
    values = [value for model in models.values() for value in large_initializers(model)]
    tensors = {key_of(tensor): tensor for value in values if (tensor := value.const_value) is not None}
    regions = _linked(tensors, folder) or (_written(tensors, folder / WEIGHTS) if tensors else {})
    for value in values:
        assert value.const_value is not None
        value.const_value = _placed(value, value.const_value, regions[key_of(value.const_value)], folder)
    for name, model in models.items():
        ir.save(model, folder / name)
    return regions


def _linked(tensors: Mapping[Key, ir.TensorProtocol], folder: Path) -> dict[Key, Region] | None:
    """The regions of the one file in which all tensors lie already, linked into `folder`; None where there is none."""
    places = [tensor for tensor in tensors.values() if isinstance(tensor, ir.ExternalTensor)]
    files = {os.path.realpath(tensor.path) for tensor in places}
    if len(places) < len(tensors) or len(files) != 1:
        return None
    source = Path(files.pop())
    if sum(tensor.nbytes for tensor in places) < _KEPT_SHARE * source.stat().st_size:
        return None
    link_or_copy(source, folder / WEIGHTS)
    return {key_of(tensor): Region(tensor.offset or 0, tensor.nbytes) for tensor in places}


def _written(tensors: Mapping[Key, ir.TensorProtocol], target: Path) -> dict[Key, Region]:
    regions: dict[Key, Region] = {}
    contents: dict[Hashable, Region] = {}
    with room_for(target, sum(tensor.nbytes for tensor in tensors.values())), target.open("wb") as file:
        for key, tensor in tensors.items():
            if isinstance(tensor, ir.ExternalTensor):  # a place in a file is distinct by itself
                regions[key] = append(tensor.nbytes, _blocks(tensor), file)
                continue
            data = tensor_bytes(tensor)  # once: it may be computed now
            content = (len(data), hashlib.sha256(data).digest())
            if content not in contents:
                contents[content] = append(len(data), [data], file)
            regions[key] = contents[content]
            del data
    return regions


def append(size: int, blocks: Iterable[bytes | memoryview], file: IO[bytes]) -> Region:
    """Writes `size` bytes at the next offset that such a tensor can be mapped at."""
    alignment = next(step for least, step in _ALIGNMENTS if size >= least)
    offset = -(-file.tell() // alignment) * alignment
    file.write(bytes(offset - file.tell()))
    for block in blocks:
        file.write(block)
    return Region(offset, file.tell() - offset)


def _blocks(tensor: ir.ExternalTensor) -> Iterator[bytes]:
    """The tensor's bytes as they lie in its file."""
    return read_blocks(Path(tensor.path), tensor.offset or 0, tensor.nbytes)


def read_blocks(path: Path, offset: int, size: int) -> Iterator[bytes]:
    """So many bytes of a file, a block at a time."""
    with path.open("rb") as source:
        source.seek(offset)
        while size and (block := source.read(min(_BLOCK, size))):
            yield block
            size -= len(block)


def tensor_bytes(tensor: ir.TensorProtocol) -> memoryview:
    """The tensor's bytes as ONNX stores them; not copied where its elements fill whole bytes."""
    if tensor.dtype.bitwidth < 8 or sys.byteorder == "big":
        return memoryview(tensor.tobytes())
    return np.ascontiguousarray(tensor.numpy()).reshape(-1).view(np.uint8).data


def _placed(value: ir.Value, tensor: ir.TensorProtocol, region: Region, folder: Path) -> ir.ExternalTensor:
    return ir.ExternalTensor(
        WEIGHTS,
        region.offset,
        region.length,
        tensor.dtype,
        shape=ir.Shape(tensor.shape),
        name=str(value.name),
        base_dir=folder,
    )
