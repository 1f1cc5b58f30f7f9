"""What weights become at each level, computed once for all trials and kept in files, a tensor a file.

    lazy tensor ──its source's place, its recipe──▶ part-HASH.data, by one rename ──▶ a place in a file, read on demand
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import onnx_ir as ir

from workflows.quantize.lazy import MADE_OF
from workflows.weights import SMALL, WEIGHTS, large_initializers, tensor_bytes


class Parts:
    """Files in `folder`, beside the weights that they are made of."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def place(self, model: ir.Model) -> bytes:
        """The graph, serialized: its large tensors lie in the folder's files, and none in memory."""
        for value in list(large_initializers(model)):
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor):
                value.const_value = self._external(WEIGHTS, tensor, tensor.offset or 0)
            elif isinstance(tensor, ir.LazyTensor) and MADE_OF in tensor.meta and tensor.nbytes >= SMALL:
                value.const_value = self._external(self._written(tensor), tensor, 0)
        return bytes(ir.to_proto(model).SerializeToString())

    def _external(self, name: str, tensor: ir.TensorProtocol, offset: int) -> ir.ExternalTensor:
        shape = ir.Shape(tensor.shape)
        return ir.ExternalTensor(
            name, offset, tensor.nbytes, tensor.dtype, shape=shape, name=tensor.name, base_dir=self._folder
        )

    def _written(self, tensor: ir.LazyTensor) -> str:
        """The name of the tensor's file, which is there afterwards."""
        name = f"part-{hashlib.sha256(repr(tensor.meta[MADE_OF]).encode()).hexdigest()[:24]}.data"
        target = self._folder / name
        if not target.is_file():
            draft = target.with_suffix(".draft")
            draft.write_bytes(tensor_bytes(tensor))
            draft.replace(target)
        return name
