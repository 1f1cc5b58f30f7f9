"""Saves all graphs of a composite with one weight file, which contains each distinct tensor once.

    models ──large tensors──▶ by place (already in a file) or by content (new) ──▶ weights.data, written in one stream
           ──▶ each model's .onnx beside it, its tensors named by offset

The same models give the same bytes. Tensors are read and written one at a time: there is no second copy in memory. A
described weight file has the same offsets, and is not written (described_weights.py).
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import onnx_ir as ir

from workflows.common.digests import HashingFile, hashing_file
from workflows.common.files import link_or_copy, raise_disk_full
from workflows.common.tensors import Array
from workflows.graph.described_weights import (
    CONSTANTS,
    DESCRIPTION,
    DescribedRegion,
    DescribedTensor,
    StoredWeight,
    WeightRecipe,
    describe,
    is_described,
    read_description,
    recipe_of,
    save_description,
    written_regions,
)
from workflows.processor.cores import usable_cores

WEIGHTS = "weights.data"
SMALL = 256  # bytes below which a tensor stays within its graph
_LINKED_SHARE = 0.95  # of a file that is read on: above it the file is taken over as it is
_BLOCK = 1 << 22
# Bytes of a tensor that are looked at before it is held against one of its size; an odd number apart, so that they are
# of all the bytes of a number: half of those are zero in float32 that was bfloat16.
_SAMPLE = 64
_STRIP = 16  # columns of a matrix that are turned at once: what a line of the cache holds of a row
_TURNED = 1 << 10  # columns that a thread turns
# Offsets that a page, and Windows' 64 KiB views of files, can be mapped at; small tensors fill a cache line.
_ALIGNMENTS = ((1 << 20, 1 << 16), (1 << 12, 1 << 12), (0, 1 << 6))
Key = Hashable
ValuesByTensor = Mapping[Hashable, list[ir.Value]]  # by tensor: the values of the graphs that are it


class AppendOnlyFile(Protocol):
    """A file that is written at its end."""

    def tell(self) -> int:
        """The offset of the next byte."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Writes at the end."""


@dataclass(frozen=True, slots=True)
class WeightRegion:
    """The offset and length of a tensor in the weight file."""

    offset: int
    length: int


def tensor_key(tensor: ir.TensorProtocol) -> Key:
    """Identifies a tensor: by its location in a file, or by the object in memory while that exists."""
    if isinstance(tensor, ir.ExternalTensor):
        return (os.path.realpath(tensor.path), tensor.offset or 0, tensor.nbytes)
    return id(tensor)


def large_initializers(model: ir.Model) -> Iterator[ir.Value]:
    """Yields the values whose tensors belong in the weight file, in the graph's order, subgraphs included."""
    for graph in (model.graph, *model.graph.subgraphs()):
        for value in graph.initializers.values():
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor) or (tensor is not None and tensor.nbytes >= SMALL):
                yield value


def load_saved_graph(path: Path) -> ir.Model:
    """Loads a graph that `save_graphs` wrote; its large tensors have absolute paths.

    onnx_ir refuses a relative path to a file with two hard links, which a stage's weights have; it does not check
    absolute ones.
    """
    model = ir.load(path)
    described = is_described(path.parent)
    if described:
        describe(model, path.parent)
    for value in large_initializers(model):
        tensor = value.const_value
        if isinstance(tensor, ir.ExternalTensor) and not described:
            place, shape = os.path.realpath(tensor.path), ir.Shape(tensor.shape)
            value.const_value = ir.ExternalTensor(
                place, tensor.offset, tensor.length, tensor.dtype, shape=shape, name=tensor.name
            )
    return model


def save_graphs(models: Mapping[str, ir.Model], folder: Path, described: bool = False) -> dict[Key, WeightRegion]:
    """Writes file name → model into `folder`, with one weight file; returns the region of each large tensor.

    described: the weight file is described instead of written, but for tensors that no checkpoint's tensors make.
    Each large tensor of the models is replaced by the one in the file as soon as it is written, so that its memory can
    be freed. A weight file that is read almost completely, and to which nothing is added, is linked instead of written.
    """
    holders: dict[Key, list[ir.Value]] = {}
    for value in (value for model in models.values() for value in large_initializers(model)):
        assert value.const_value is not None
        holders.setdefault(tensor_key(value.const_value), []).append(value)
    regions: dict[Key, WeightRegion] = {}
    write = _describe_weights(holders, folder) if described else _write_weights(holders, folder / WEIGHTS)
    for key, region in _link_weights(holders, folder, described) or write:
        regions[key] = region
        for value in holders[key]:
            value.const_value = _external_tensor(value, region, folder)
    for name, model in models.items():
        ir.save(model, folder / name)
    return regions


def save_changed_graphs(models: Mapping[str, ir.Model], folder: Path) -> None:
    """Writes graphs of `load_saved_graph` again, over the weight file of `folder`; new tensors are in the graphs."""
    for name, model in models.items():
        for value in large_initializers(model):
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor):
                region = WeightRegion(tensor.offset or 0, tensor.nbytes)
                value.const_value = _external_tensor(value, region, folder)
        ir.save(model, folder / name)


def weight_file_size(folder: Path) -> int:
    """The bytes of the folder's weight file, written or described."""
    return read_description(folder)[1] if is_described(folder) else (folder / WEIGHTS).stat().st_size


def write_described(folder: Path, target: Path) -> None:
    """Writes the described weight file of `folder`, byte for byte what save_graphs would have written.

    Raises CheckpointError for a weight that is not finite.
    """
    with raise_disk_full(target, weight_file_size(folder)), hashing_file(target) as file:
        for offset, numbers in written_regions(folder):
            file.write(bytes(offset - file.tell()))
            file.write(in_order(numbers).reshape(-1).view(np.uint8).data)


def _link_weights(holders: ValuesByTensor, folder: Path, described: bool) -> list[tuple[Key, WeightRegion]]:
    """Links the file that contains all tensors, or its description, into `folder` and returns their regions.

    Returns none without such a file.
    """
    tensors = {key: _shared_tensor(values) for key, values in holders.items()}
    places = {key: tensor for key, tensor in tensors.items() if isinstance(tensor, ir.ExternalTensor)}
    files = {os.path.realpath(tensor.path) for tensor in places.values()}
    if len(places) < len(tensors) or len(files) != 1:
        return []
    source = Path(files.pop())
    if is_described(source.parent) != described:
        return []
    size = read_description(source.parent)[1] if described else source.stat().st_size
    if sum(tensor.nbytes for tensor in places.values()) < _LINKED_SHARE * size:
        return []
    linked = {name: source.with_name(name) for name in (DESCRIPTION, CONSTANTS)} if described else {WEIGHTS: source}
    for name, file in linked.items():
        link_or_copy(file, folder / name)
    return [(key, WeightRegion(tensor.offset or 0, tensor.nbytes)) for key, tensor in places.items()]


def _write_weights(holders: ValuesByTensor, target: Path) -> Iterator[tuple[Key, WeightRegion]]:
    """Yields the region of each tensor when it is written; until then only the values in `holders` refer to it."""
    if not holders:
        return
    regions: dict[tuple[int, bytes], list[WeightRegion]] = {}
    needed = sum(_shared_tensor(values).nbytes for values in holders.values())
    with raise_disk_full(target, needed), hashing_file(target) as file:
        for key, values in holders.items():
            yield key, _store_tensor(_shared_tensor(values), regions, file)


def _describe_weights(holders: ValuesByTensor, folder: Path) -> Iterator[tuple[Key, WeightRegion]]:
    """Yields the region of each tensor, as _write_weights does; writes only what no checkpoint's tensors make."""
    regions: list[DescribedRegion] = []
    known: dict[Hashable, list[DescribedRegion]] = {}
    end = 0
    with hashing_file(folder / CONSTANTS) as file:
        for key, values in holders.items():
            tensor = _shared_tensor(values)
            recipe, identity = _recipe_and_identity(tensor, file, folder)
            candidates = known.setdefault((tensor.nbytes, identity), [])
            region = None if isinstance(tensor, ir.ExternalTensor) else _equal_region(recipe, candidates)
            if region is None:
                region = DescribedRegion(aligned_offset(end, tensor.nbytes), tensor.nbytes, recipe)
                end = region.offset + region.length
                regions.append(region)
                candidates.append(region)
            yield key, WeightRegion(region.offset, region.length)
    save_description(folder, regions, end)


def _recipe_and_identity(tensor: ir.TensorProtocol, file: HashingFile, folder: Path) -> tuple[WeightRecipe, bytes]:
    """The tensor's recipe, written among the constants where it has none; and bytes that equal tensors share."""
    recipe = recipe_of(tensor)
    if recipe is not None and not recipe.is_constant:
        return recipe, recipe.sample()
    data = tensor_bytes(tensor)
    region = append_aligned(tensor.nbytes, [data], file)
    shape = tuple(int(axis) for axis in tensor.shape)
    stored = StoredWeight(str(folder / CONSTANTS), region.offset, np.dtype(tensor.dtype.numpy()).name, shape)
    return WeightRecipe.of(stored), hashlib.sha256(data).digest()


def _equal_region(recipe: WeightRecipe, candidates: Sequence[DescribedRegion]) -> DescribedRegion | None:
    """The region that holds the same bytes. candidates: those of equal size and identity, which constants suffices."""
    if not candidates or recipe.is_constant:
        return next(iter(candidates), None)
    data = _computed_bytes(recipe)
    return next((one for one in candidates if np.array_equal(_computed_bytes(one.recipe), data)), None)


def _computed_bytes(recipe: WeightRecipe) -> Array:
    return in_order(recipe.compute()).reshape(-1).view(np.uint8)


def _shared_tensor(values: list[ir.Value]) -> ir.TensorProtocol:
    """Returns the tensor of these values."""
    tensor = values[0].const_value
    assert tensor is not None  # large_initializers gives no other
    return tensor


def _store_tensor(
    tensor: ir.TensorProtocol, regions: dict[tuple[int, bytes], list[WeightRegion]], file: HashingFile
) -> WeightRegion:
    """Returns the tensor's region; writes it unless an equal one is there. regions: by length and sample."""
    if isinstance(tensor, DescribedTensor):  # likewise, and computed
        return append_aligned(tensor.nbytes, [_computed_bytes(tensor.recipe).data], file)
    if isinstance(tensor, ir.ExternalTensor):  # a place in a file is distinct by itself
        blocks = read_blocks(Path(tensor.path), tensor.offset or 0, tensor.nbytes)
        return append_aligned(tensor.nbytes, blocks, file)
    data = tensor_bytes(tensor)  # once: it may be computed now
    known = regions.setdefault((len(data), bytes(data[:: len(data) // _SAMPLE | 1])), [])
    region = next((one for one in known if file.holds(one.offset, data)), None)
    if region is None:
        region = append_aligned(len(data), [data], file)
        known.append(region)
    return region


def append_aligned(size: int, blocks: Iterable[bytes | memoryview], file: AppendOnlyFile) -> WeightRegion:
    """Writes `size` bytes at the next offset at which such a tensor can be memory-mapped."""
    offset = aligned_offset(file.tell(), size)
    file.write(bytes(offset - file.tell()))
    for block in blocks:
        file.write(block)
    return WeightRegion(offset, file.tell() - offset)


def aligned_offset(end: int, size: int) -> int:
    """The first offset from `end` on at which a tensor of `size` bytes can be memory-mapped."""
    alignment = next(step for least, step in _ALIGNMENTS if size >= least)
    return -(-end // alignment) * alignment


def read_blocks(path: Path, offset: int, size: int) -> Iterator[bytes]:
    """Yields `size` bytes of a file in blocks."""
    with path.open("rb") as source:
        source.seek(offset)
        while size and (block := source.read(min(_BLOCK, size))):
            yield block
            size -= len(block)


def tensor_bytes(tensor: ir.TensorProtocol) -> memoryview:
    """Returns the tensor's bytes as ONNX stores them, without a copy if its elements fill whole bytes."""
    if tensor.dtype.bitwidth < 8 or sys.byteorder == "big":
        return memoryview(tensor.tobytes())
    return in_order(tensor.numpy()).reshape(-1).view(np.uint8).data


def in_order(array: Array) -> Array:
    """Returns the array in C order; for a large transposed matrix five times as fast as numpy."""
    if array.ndim != 2 or not array.flags.f_contiguous or array.flags.c_contiguous:
        return np.ascontiguousarray(array)
    rows = np.empty(array.shape, array.dtype)

    def turn(start: int) -> None:
        for strip in range(start, min(start + _TURNED, array.shape[1]), _STRIP):
            rows[:, strip : strip + _STRIP] = array[:, strip : strip + _STRIP]

    with ThreadPoolExecutor(usable_cores()) as pool:
        for _ in pool.map(turn, range(0, array.shape[1], _TURNED)):
            pass
    return rows


def _external_tensor(value: ir.Value, region: WeightRegion, folder: Path) -> ir.ExternalTensor:
    """Returns the value's tensor with its location in the weight file of `folder`."""
    tensor, name = _shared_tensor([value]), str(value.name)
    shape = ir.Shape(tensor.shape)
    return ir.ExternalTensor(
        WEIGHTS, region.offset, region.length, tensor.dtype, shape=shape, name=name, base_dir=folder
    )
