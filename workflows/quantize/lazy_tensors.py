"""Lazy tensors: computed from a weight when the file is written, then released: no weight is in memory twice.

    source (a place in a file) ──read──▶ make ──▶ tensors, each returned once and released

Graphs that share a weight share its lazy tensors: the same source and recipe give the same objects.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from weakref import WeakValueDictionary

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.graph.weights import tensor_key

Kind = tuple[str, ir.DataType, Sequence[int]]  # a part's name, type and shape
Make = Callable[[NDArray[np.generic]], Sequence[NDArray[np.generic]]]
SOURCE_RECIPE = "joinery.made_of"  # in a part's `meta`: (offset and bytes of its source, the recipe, which part)
CHUNK = 1 << 20  # numbers that are worked on at once: what is in between stays small beside the matrix


class LazyTensorGroup:
    """The tensors that `make` computes from one weight. Reading one computes all; each is cached until it is read.

    reads: whether `make` takes the weight's numbers, and not an empty array in their place.
    """

    def __init__(
        self, source: ir.TensorProtocol, recipe: Hashable, kinds: Sequence[Kind], make: Make, reads: bool = True
    ) -> None:
        self.source, self.kinds, self._make_parts, self._reads = source, tuple(kinds), make, reads
        self._ready: dict[int, NDArray[np.generic]] = {}
        self.tensors = tuple(
            ir.LazyTensor(partial(self._part, index), dtype, ir.Shape(shape), name=name)
            for index, (name, dtype, shape) in enumerate(self.kinds)
        )
        if isinstance(source, ir.ExternalTensor):
            for index, tensor in enumerate(self.tensors):
                tensor.meta[SOURCE_RECIPE] = (source.offset or 0, source.nbytes, recipe, index)

    def view(self, index: int, name: str, shape: Sequence[int]) -> ir.LazyTensor:
        """Returns a tensor under another name and shape; in a TensorCache it is the same file."""
        part = self.tensors[index]
        view = ir.LazyTensor(partial(self._turned, index, shape), part.dtype, ir.Shape(shape), name=name)
        view.meta.update(part.meta)
        return view

    def _turned(self, index: int, shape: Sequence[int]) -> ir.TensorProtocol:
        return ir.tensor(self._part(index).numpy().reshape(shape), dtype=self.kinds[index][1])

    def _part(self, index: int) -> ir.TensorProtocol:
        if index not in self._ready:
            self._ready = dict(enumerate(self._make_parts(self._numbers())))  # no name: it would hold them
            if isinstance(self.source, ir.ExternalTensor):
                self.source.release()  # its pages count as ours while they are mapped
        name, dtype, shape = self.kinds[index]
        return ir.tensor(self._ready.pop(index).reshape(shape), dtype=dtype, name=name)

    def _numbers(self) -> NDArray[np.generic]:
        return np.asarray(self.source.numpy()) if self._reads else np.empty(0, np.float32)


_KNOWN: WeakValueDictionary[Hashable, LazyTensorGroup] = WeakValueDictionary()


def lazy_tensors(
    source: ir.TensorProtocol, recipe: Hashable, kinds: Sequence[Kind], make: Make, reads: bool = True
) -> LazyTensorGroup:
    """Returns the tensors of `source`; `recipe` identifies the computation. reads: see LazyTensorGroup."""
    key = (tensor_key(source), recipe)
    group = _KNOWN.get(key)
    if group is None:
        group = _KNOWN[key] = LazyTensorGroup(source, recipe, kinds, make, reads)
    return group


def row_chunks(outer: int, inner: int) -> Iterator[slice]:
    """Yields ranges of the axis `outer`, of at most CHUNK numbers each."""
    step = max(1, CHUNK // max(inner, 1))
    yield from (slice(start, start + step) for start in range(0, outer, step))
