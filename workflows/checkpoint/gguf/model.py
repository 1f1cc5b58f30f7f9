"""A GGUF model: one file, or the parts that it was split into, as one table of metadata and one of tensors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from workflows.checkpoint.files import open_file, regular_file
from workflows.checkpoint.gguf.header import GgufHeader, GgufTensor, Value, read_gguf
from workflows.checkpoint.gguf.parts import PART
from workflows.common.errors import CheckpointError, printable
from workflows.common.tensors import Array

_SMALL = 1 << 20  # bytes of a tensor that the configuration is made of


@dataclass(frozen=True, slots=True)
class GgufModel:
    """metadata: of the first part. tensors: name → the tensor, and the file that has it. files: names in `folder`."""

    folder: Path
    files: tuple[str, ...]
    metadata: dict[str, Value] = field(repr=False)
    tensors: dict[str, tuple[GgufTensor, str]] = field(repr=False)

    @property
    def stem(self) -> str:
        """The model's name, from that of its file."""
        part = PART.fullmatch(self.files[0])
        return (part["stem"] if part else Path(self.files[0]).stem).strip(". ") or "model"

    @property
    def architecture(self) -> str:
        """The architecture by llama.cpp's name, such as `qwen3`."""
        name = self.metadata.get("general.architecture")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name):
            raise self.error("it does not name its architecture (general.architecture)")
        return name

    def integer(self, key: str, default: int | None = None) -> int:
        """A whole number of the architecture; one of each layer counts where all are equal."""
        value = self._entry(key)
        if isinstance(value, list) and value and all(one == value[0] for one in value):
            value = value[0]
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 40:
            raise self._entry_error(key, value)
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A number of the architecture. A float32 comes as the shortest decimal that rounds to it: 1e-06."""
        value = self._entry(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, int | float) or isinstance(value, bool) or not np.isfinite(value):
            raise self._entry_error(key, value)
        return float(str(np.float32(value)))

    def has(self, key: str) -> bool:
        """Whether the architecture's entry is there."""
        return self._entry(key) is not None

    def text(self, key: str, default: str) -> str:
        """A text of the architecture."""
        value = self._entry(key)
        if value is not None and not isinstance(value, str):
            raise self._entry_error(key, value)
        return default if value is None else value

    def token_id(self, name: str) -> int | None:
        """A special token's id: `eos` for tokenizer.ggml.eos_token_id; None where there is none."""
        value = self.metadata.get(f"tokenizer.ggml.{name}_token_id")
        if value is None or value == 0xFFFFFFFF:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
            raise self.error(f"its metadata tokenizer.ggml.{name}_token_id is {printable(value, 24)}, no token's id")
        return value

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor that every model has."""
        if name not in self.tensors:
            raise self.error(f"it has no tensor '{name}'")
        return self.tensors[name][0].shape

    def numbers(self, name: str) -> Array:
        """A small float32 tensor."""
        tensor, file = self.tensors[name]
        if tensor.form.plain != "float32" or tensor.bytes > _SMALL:
            raise self.error(f"its tensor '{name}' is no short list of float32 numbers")
        with open_file(regular_file(self.folder, file)) as opened:
            opened.seek(tensor.offset)
            return np.frombuffer(opened.read(tensor.bytes), np.float32).reshape(tensor.shape)

    def error(self, problem: str) -> CheckpointError:
        """The error for a model that cannot be what it says."""
        return CheckpointError(
            f"'{printable(self.files[0])}' cannot be built: {problem}; get it again, or another quantization of the "
            "same model."
        )

    def _entry(self, key: str) -> Value | None:
        return self.metadata.get(f"{self.architecture}.{key}")

    def _entry_error(self, key: str, value: object) -> CheckpointError:
        name = f"{self.architecture}.{key}"
        return self.error(f"its metadata lacks {name}" if value is None else f"{name} is {printable(value, 60)}")


def read_model(folder: Path, names: Sequence[str]) -> GgufModel:
    """Reads the headers of a model's files. Raises CheckpointError where they are damaged or do not belong together."""
    headers = [read_gguf(regular_file(folder, name)) for name in names]
    tensors: dict[str, tuple[GgufTensor, str]] = {}
    for name, header in zip(names, headers, strict=True):
        for tensor in header.tensors.values():
            if tensor.name in tensors:
                raise CheckpointError(
                    f"The tensor '{printable(tensor.name, 60)}' is in '{printable(tensors[tensor.name][1])}' and in "
                    f"'{printable(name)}', which is ambiguous; get the parts of one model."
                )
            tensors[tensor.name] = tensor, name
    model = GgufModel(folder, tuple(names), headers[0].metadata, tensors)
    _check_parts(model, headers)
    if not tensors:
        raise model.error("it holds no tensor")
    return model


def _check_parts(model: GgufModel, headers: Sequence[GgufHeader]) -> None:
    """Raises CheckpointError unless the parts are all of one set, in its order."""
    for number, header in enumerate(headers):
        count, own = header.metadata.get("split.count", 1), header.metadata.get("split.no", 0)
        if count not in (len(headers), 0) or own != number:
            raise CheckpointError(
                f"'{printable(model.files[number])}' says that it is part {printable(own, 24)} of "
                f"{printable(count, 24)}, counted from 0, and its name says {number} of {len(headers)}: get all parts "
                "of one model, by their own names."
            )
    expected = model.metadata.get("split.tensors.count", len(model.tensors))
    if len(headers) > 1 and expected != len(model.tensors):
        raise model.error(f"its parts hold {len(model.tensors)} tensors and should hold {printable(expected, 24)}")
