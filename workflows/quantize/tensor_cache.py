"""Caches quantized weights in files, one a tensor, so that an interrupted build does not compute them again.

    lazy tensor ──its source's place, its recipe──▶ part-HASH.data, written atomically ──▶ an external tensor

A file ends with the tensor's SHA-256, so that an incomplete one is written again. Tensors with equal bytes share a
file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeGuard

import onnx_ir as ir

from workflows.common.files import raise_disk_full
from workflows.graph.weights import SMALL, WEIGHTS, large_initializers, read_blocks, tensor_bytes
from workflows.quantize.lazy_tensors import SOURCE_RECIPE

_DIGEST = hashlib.sha256().digest_size


class TensorCache:
    """The files in `folder`, which belongs to one set of weights."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._whole: dict[str, Path] = {}  # a part's name → its file, or that of another with the same bytes
        self._by_content: dict[tuple[int, bytes], Path] = {}

    def store(self, models: Mapping[str, ir.Model], report: Callable[[int, int], None]) -> None:
        """Replaces the models' large lazy tensors by files. report: takes the numbers of tensors done and of all."""
        values = [value for model in models.values() for value in large_initializers(model)]
        lazy = [(value, value.const_value) for value in values if is_cacheable(value.const_value)]
        for done, (value, tensor) in enumerate(lazy):
            report(done, len(lazy))
            value.const_value = _external(str(self.file(tensor)), tensor)

    def serialized(self, model: ir.Model) -> bytes:
        """Returns the graph with its large tensors in the folder's files, as its own weights; none is in memory."""
        for value in list(large_initializers(model)):
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor):
                value.const_value = _external(WEIGHTS, tensor, tensor.offset or 0, self.folder)
            elif is_cacheable(tensor):
                value.const_value = _external(self.file(tensor).name, tensor, 0, self.folder)
        return bytes(ir.to_proto(model).SerializeToString())

    def file(self, tensor: ir.LazyTensor) -> Path:
        """Returns the file that begins with the bytes of a cacheable tensor; writes it if it does not exist."""
        self.folder.mkdir(exist_ok=True)
        name = f"part-{hashlib.sha256(repr(tensor.meta[SOURCE_RECIPE]).encode()).hexdigest()[:24]}.data"
        if name not in self._whole:
            file = self.folder / name
            digest = _digest_of(file, tensor.nbytes) or _write(file, tensor)
            self._whole[name] = self._by_content.setdefault((tensor.nbytes, digest), file)
        return self._whole[name]


def is_cacheable(tensor: ir.TensorProtocol | None) -> TypeGuard[ir.LazyTensor]:
    """Whether the tensor is large and computed from a weight in a file."""
    return isinstance(tensor, ir.LazyTensor) and SOURCE_RECIPE in tensor.meta and tensor.nbytes >= SMALL


def _external(name: str, tensor: ir.TensorProtocol, offset: int = 0, folder: Path | str = "") -> ir.ExternalTensor:
    shape = ir.Shape(tensor.shape)
    return ir.ExternalTensor(name, offset, tensor.nbytes, tensor.dtype, shape=shape, name=tensor.name, base_dir=folder)


def _digest_of(file: Path, size: int) -> bytes | None:
    """Returns the digest at the file's end; None if the file does not exist or has another size."""
    if not file.is_file() or file.stat().st_size != size + _DIGEST:
        return None
    digest = hashlib.sha256()
    for block in read_blocks(file, 0, size):
        digest.update(block)
    noted = b"".join(read_blocks(file, size, _DIGEST))
    return noted if noted == digest.digest() else None


def _write(file: Path, tensor: ir.LazyTensor) -> bytes:
    data, draft = tensor_bytes(tensor), file.with_suffix(".draft")
    digest = hashlib.sha256(data).digest()
    with raise_disk_full(draft, tensor.nbytes), draft.open("wb") as target:
        target.write(data)
        target.write(digest)
    draft.replace(file)
    return digest
