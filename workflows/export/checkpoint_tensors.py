"""Tensors in a checkpoint's files, read when they are needed, whatever kind of file it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from workflows.checkpoint.block_rows import BlockRows
from workflows.checkpoint.files import regular_file
from workflows.checkpoint.gguf.forms import BLOCK_FORMS, ordered_rows
from workflows.checkpoint.packed import PackedPart
from workflows.checkpoint.peft.merging import apply_changes
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

_BITS = {2: torch.int16, 4: torch.int32}  # of a number in floating point, by its bytes


@dataclass(frozen=True)
class CheckpointTensor:
    """A tensor of the checkpoint in `folder`, unless it says another. Stands for a slice of safetensors, which
    transformers reads by `[...]`.

    The file is read, not mapped: a mapped file would stay in memory beside the model.
    """

    folder: Path
    info: TensorInfo

    def __getitem__(self, index: object) -> torch.Tensor:
        return self.read()[index]

    def read(self) -> torch.Tensor:
        """The tensor as models have it, in its stored dtype, or in float32 where it is stored in blocks of integers, or
        adapters change it.

        Raises CheckpointError where the file ends before it does.
        """
        tensor = self._read_stored()
        if self.info.changes:
            tensor = tensor.to(torch.float32, copy=True).contiguous()
            apply_changes(self.info.changes, tensor.numpy())
        return tensor

    def _read_stored(self) -> torch.Tensor:
        info = self.info
        if info.packed or info.dtype in BLOCK_FORMS:
            rows = BlockRows(info, lambda part: np.frombuffer(self._content(part), np.uint8))
            numbers = rows.numbers(slice(None))
            if info.packed and info.packed.turned:
                return torch.from_numpy(numbers.reshape(info.packed.stored_shape)).transpose(1, 2).contiguous()
            return torch.from_numpy(ordered_rows(numbers.reshape(info.shape), info.head_rows))
        content, dtype = self._content(), getattr(torch, info.dtype, None)
        if not isinstance(dtype, torch.dtype):
            raise CheckpointError(
                f"The tensor '{printable(info.name, 60)}' is stored in {info.dtype}, which PyTorch does not read: get "
                "the checkpoint in another number format."
            )
        flat = torch.frombuffer(content, dtype=dtype) if content else torch.empty(0, dtype=dtype)
        tensor = flat.reshape(info.shape)
        if info.head_rows:  # numpy lacks bfloat16, so rows move as integers
            ordered = ordered_rows(tensor.view(_BITS[dtype.itemsize]).numpy(), info.head_rows)
            tensor = torch.from_numpy(np.ascontiguousarray(ordered)).view(dtype)
        return tensor.float() - 1 if info.raised else tensor

    def _content(self, part: PackedPart | None = None) -> bytearray:
        """The bytes of the tensor, or of one of its parts."""
        source = part or self.info
        content = bytearray(source.bytes)
        with regular_file(Path(self.info.folder or self.folder), source.file).open("rb", buffering=0) as file:
            file.seek(source.offset)
            view = memoryview(content)
            while view and (count := file.readinto(view)):  # the system reads two gigabytes at once at most
                view = view[count:]
        if view:
            raise CheckpointError(
                f"'{printable(source.file)}' ends before the tensor '{printable(self.info.name, 60)}' does: it has "
                "changed since it was opened; get it again."
            )
        return content
