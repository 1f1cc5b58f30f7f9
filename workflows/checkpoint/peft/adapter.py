"""Opens the folder of an adapter.

base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight ─┐
                                                .lora_B.weight ─┴▶ layers["model.layers.0.self_attn.q_proj"]
base_model.model.score.weight ───────────────────────────────────▶ replaced["score.weight"]
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workflows.checkpoint.files import exists, regular_file, sha256
from workflows.checkpoint.peft.changes import StoredFactor
from workflows.checkpoint.peft.settings import CONFIG, LoraSettings, read_settings
from workflows.checkpoint.weights import TensorInfo, read_tensors
from workflows.common.errors import CheckpointError, printable

FILES = ("adapter_model.safetensors", "adapter_model.bin")
_PREFIX = "base_model.model."
_LAYER = re.compile(
    r"(?P<module>.+)\.(?P<part>lora_A|lora_B|lora_embedding_A|lora_embedding_B|lora_magnitude_vector)"
    r"(?:\.(?P<last>weight|bias))?"
)
FACTOR_DTYPES = ("float32", "float16", "bfloat16", "float64")  # those that merging.py reads
_PARTS = {
    "lora_A.weight": "right", "lora_B.weight": "left", "lora_B.bias": "bias", "lora_embedding_A": "right",
    "lora_embedding_B": "left", "lora_magnitude_vector": "magnitude", "lora_magnitude_vector.weight": "magnitude",
}  # fmt: skip


@dataclass(frozen=True)
class LowRankLayer:
    """The tensors of one module: left is peft's B [N,R], right its A [R,K], bias [N] of B, magnitude [N] of DoRA."""

    left: TensorInfo
    right: TensorInfo
    bias: TensorInfo | None = None
    magnitude: TensorInfo | None = None

    @property
    def tensors(self) -> tuple[TensorInfo, ...]:
        return tuple(one for one in (self.left, self.right, self.bias, self.magnitude) if one is not None)


@dataclass(frozen=True)
class PeftAdapter:
    """A validated adapter. layers: by the path of the module in the model, replaced: by the name of the weight.

    scale: factor of all low-rank changes. sha256: over its settings and weights.
    """

    folder: Path
    scale: float
    sha256: str
    settings: LoraSettings
    layers: Mapping[str, LowRankLayer] = field(repr=False)
    replaced: Mapping[str, TensorInfo] = field(repr=False)

    @property
    def name(self) -> str:
        return self.folder.name

    def factor(self, info: TensorInfo, rows: tuple[int, ...] = (), columns: tuple[int, ...] = ()) -> StoredFactor:
        """A tensor of the adapter, or a part of it; see StoredFactor."""
        path = regular_file(self.folder, info.file)
        return StoredFactor(str(path), info.offset, info.dtype, info.shape, info.name, rows, columns)

    def check_rank(self, path: str, layer: LowRankLayer, experts: int = 1) -> None:
        """Raises CheckpointError where the layer at `path` has another rank, or kind, than the settings say."""
        rank = self.settings.rank(path) * experts
        if layer.right.shape[0] != rank:
            raise self.error(
                f"has a rank of {layer.right.shape[0]} at {printable(path, 120)}, and its settings say {rank}: get it "
                "again."
            )
        if self.settings.use_dora != (layer.magnitude is not None):
            raise self.error(
                f"{'lacks' if layer.magnitude is None else 'has'} lora_magnitude_vector at {printable(path, 120)}, "
                f"and its use_dora is {str(self.settings.use_dora).lower()}: get it again."
            )

    def error(self, what: str) -> CheckpointError:
        """The error that begins with the adapter's name."""
        return CheckpointError(f"The adapter {printable(self.name)} {what}")


def is_adapter(folder: Path) -> bool:
    """Whether the folder is one that peft wrote, and no whole model."""
    return folder.is_dir() and exists(folder, CONFIG) and any(exists(folder, name) for name in FILES)


def open_adapter(folder: Path, scale: float = 1.0) -> PeftAdapter:
    """Reads the adapter in `folder`. Raises CheckpointError for what is none, is damaged, or cannot be merged."""
    folder = folder.expanduser().resolve()
    if not is_adapter(folder):
        raise CheckpointError(
            f"{printable(folder)} is no adapter of peft: give a folder with '{CONFIG}' and '{FILES[0]}' (or .bin)."
        )
    settings = read_settings(folder)
    file = next(name for name in FILES if exists(folder, name))
    tensors = read_tensors(folder, [file])[file]
    digest = hashlib.sha256()
    for name in (CONFIG, file):
        digest.update(f"{name}\0{sha256(regular_file(folder, name))}\n".encode())
    layers, replaced = _sorted(folder, tensors)
    return PeftAdapter(folder, scale, digest.hexdigest(), settings, layers, replaced)


def _sorted(folder: Path, tensors: Mapping[str, TensorInfo]) -> tuple[dict[str, LowRankLayer], dict[str, TensorInfo]]:
    """The low-rank tensors by module, and the others by name."""
    parts: dict[str, dict[str, TensorInfo]] = {}
    replaced: dict[str, TensorInfo] = {}
    for stored, info in tensors.items():
        name = stored.removeprefix(_PREFIX)
        if name == stored:
            raise _refused(folder, stored, "is not named as peft names the weights of a model")
        layer = _LAYER.fullmatch(name)
        if layer is None:
            if ".lora_" in name or ".token_adapter." in name:
                raise _refused(folder, stored, "belongs to a variant of LoRA that is not merged")
            replaced[name.replace(".base_layer.", ".")] = info
            continue
        role = _PARTS.get(".".join(filter(None, (layer["part"], layer["last"]))))
        if role is None or role in parts.setdefault(layer["module"], {}):
            raise _refused(folder, stored, "is not known beside its others")
        if info.dtype not in FACTOR_DTYPES:
            raise _refused(folder, stored, f"is stored in {info.dtype}, and one of {', '.join(FACTOR_DTYPES)} is read")
        parts[layer["module"]][role] = info
    return {module: _layer(folder, module, own) for module, own in parts.items()}, replaced


def _layer(folder: Path, module: str, parts: Mapping[str, TensorInfo]) -> LowRankLayer:
    for role, name in (("left", "lora_B"), ("right", "lora_A")):
        if role not in parts:
            raise CheckpointError(
                f"The adapter {printable(folder.name)} lacks {name} of {printable(module, 100)}: get it again."
            )
    layer = LowRankLayer(**parts)
    left, right = layer.left.shape, layer.right.shape
    if len(left) < 2 or len(right) < 2 or left[1] != right[0] or not left[1]:
        raise _refused(
            folder, layer.left.name, f"has the shape {list(left)}, which does not fit {list(right)} of its lora_A"
        )
    for extra in (layer.bias, layer.magnitude):
        if extra is not None and extra.elements != left[0]:
            raise _refused(folder, extra.name, f"has {extra.elements} numbers for {left[0]} outputs")
    return layer


def _refused(folder: Path, tensor: str, why: str) -> CheckpointError:
    return CheckpointError(
        f"The adapter {printable(folder.name)} cannot be merged: its tensor {printable(tensor, 120)} {why}."
    )
