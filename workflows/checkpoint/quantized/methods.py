"""Quantized checkpoints of safetensors: which methods are read, and what weights their tensors are.

    config.json: quant_method ──METHODS──▶ {q_proj.qweight, q_proj.scales …} ──present_quantized──▶ {q_proj.weight}

What is quantized is said by the tensors: a layer that the settings leave out has a weight as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workflows.checkpoint.quantized import awq, bitsandbytes, compressed_tensors, fp8, gptq, hqq, mxfp4, quanto, torchao
from workflows.checkpoint.quantized.layers import QuantizedLayer, Settings, split_weight
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

_TURNED = ("decision_transformer", "gpt2", "imagegpt", "openai-gpt")  # model types with transposed weights (Conv1D)


def _at_last_dot(name: str) -> tuple[str, str]:
    layer, _, suffix = name.rpartition(".")
    return layer, suffix


def _as_they_are(settings: Settings, _folder: Path, _tensors: Mapping[str, TensorInfo]) -> Settings:
    return settings


def _at_last_underscore(name: str) -> tuple[str, str]:
    layer, _, suffix = name.rpartition("_")
    return layer, suffix


@dataclass(frozen=True)
class QuantMethod:
    """A method of quantization that is read.

    suffixes: of a layer's tensors, of which every quantized layer has one of the first `triggers`. check: raises
    CheckpointError for settings that are not read. describe: the weight of a layer. dropped: suffixes of tensors that
    say nothing of weights. split: the layer and the suffix of a tensor's name. complete: the settings with what the
    files say beside their tensors.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    check: Callable[[Settings], None]
    describe: Callable[[QuantizedLayer], tuple[str, TensorInfo]]
    dropped: tuple[str, ...] = ()
    triggers: int = 1
    split: Callable[[str], tuple[str, str]] = _at_last_dot
    complete: Callable[[Settings, Path, Mapping[str, TensorInfo]], Settings] = _as_they_are

    def layers(
        self, tensors: Mapping[str, TensorInfo]
    ) -> tuple[dict[str, dict[str, TensorInfo]], dict[str, TensorInfo]]:
        """The tensors of each quantized layer by their suffixes, and all others by their names."""
        split = {name: self.split(name) for name in tensors}
        triggers = self.suffixes[: self.triggers]
        layers: dict[str, dict[str, TensorInfo]] = {layer: {} for layer, suffix in split.values() if suffix in triggers}
        rest: dict[str, TensorInfo] = {}
        for name, info in tensors.items():
            layer, suffix = split[name]
            if layer in layers and suffix in self.suffixes:
                layers[layer][suffix] = info
            elif suffix not in self.dropped:
                rest[name] = info
        return layers, rest


METHODS: Mapping[str, QuantMethod] = {
    method.name: method
    for method in (
        QuantMethod("gptq", "GPTQ", gptq.SUFFIXES, gptq.check, gptq.describe),
        QuantMethod("awq", awq.TITLE, awq.SUFFIXES, awq.check, awq.describe),
        QuantMethod(
            "compressed-tensors", compressed_tensors.TITLE, compressed_tensors.SUFFIXES, compressed_tensors.check,
            compressed_tensors.describe, compressed_tensors.DROPPED,
        ),
        QuantMethod("fp8", "FP8", fp8.SUFFIXES, fp8.check, fp8.describe, fp8.DROPPED),
        QuantMethod("fbgemm_fp8", "FP8", fp8.ROW_SUFFIXES, fp8.check, fp8.describe_rows, fp8.DROPPED),
        QuantMethod("mxfp4", "MXFP4", mxfp4.SUFFIXES, mxfp4.check, mxfp4.describe, split=_at_last_underscore),
        QuantMethod(
            "bitsandbytes", "bitsandbytes", bitsandbytes.SUFFIXES, bitsandbytes.check, bitsandbytes.describe,
            bitsandbytes.DROPPED, triggers=2, split=split_weight,
        ),
        QuantMethod("hqq", hqq.TITLE, hqq.SUFFIXES, hqq.check, hqq.describe, hqq.DROPPED),
        QuantMethod(
            "quanto", quanto.TITLE, quanto.SUFFIXES, quanto.check, quanto.describe, quanto.DROPPED, split=split_weight
        ),
        QuantMethod(
            "torchao", torchao.TITLE, torchao.SUFFIXES, torchao.check, torchao.describe, torchao.DROPPED,
            complete=torchao.with_classes,
        ),
    )
}  # fmt: skip
"""By `quant_method`."""
REFUSED: Mapping[str, str] = {
    "auto-round": "it packs as other methods do, by a form of its own name: export it as auto_gptq or auto_awq",
    "aqlm": "its weights are sums of vectors of a table",
    "vptq": "its weights are vectors of a table",
    "quip": "its weights are vectors of a table, transformed",
    "higgs": "its weights are vectors of a table, transformed",
    "spqr": "single weights stand beside its blocks",
    "bitnet": "its weights have three values, and its activations are rounded to 8 bits",
    "eetq": "its integers are in the order of a GPU's kernel",
    "quark": "its forms are those of other methods under names of its own",
    "fp_quant": "its weights are transformed before they are multiplied",
    "modelopt": "its settings are in hf_quant_config.json: export it by llm-compressor",
}
"""Methods that are known and not read, and why."""


def present_quantized(
    folder: Path, config: Mapping[str, object], settings: Settings, tensors: Mapping[str, TensorInfo]
) -> dict[str, TensorInfo]:
    """The tensors of a quantized checkpoint as the model has them; packed weights by the names of their layers'.

    Raises CheckpointError for a method or a form that is not read, and for a weight that is not complete.
    """
    method = _method(settings)
    if config.get("model_type") in _TURNED:
        raise CheckpointError(
            f"The checkpoint is quantized by {method.title}, and the layers of {printable(config['model_type'], 40)} "
            "have transposed weights, which are not read in this form: get the model without quantization."
        )
    method.check(settings)
    settings = method.complete(settings, folder, tensors)
    layers, presented = method.layers(tensors)
    for name, own in layers.items():
        weight, info = method.describe(QuantizedLayer(name, own, settings, folder, method.title))
        if weight in presented:
            raise CheckpointError(
                f"The checkpoint has the weight '{printable(weight, 90)}' quantized and as it is, which is ambiguous: "
                "get the checkpoint again."
            )
        presented[weight] = info
    return presented


def _method(settings: Settings) -> QuantMethod:
    """The method of the settings. Raises CheckpointError for one that is not read."""
    name = settings.get("quant_method")
    if name is None and (settings.get("load_in_4bit") or settings.get("load_in_8bit")):
        name = "bitsandbytes"
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    why = f": {REFUSED[str(name)]}" if str(name) in REFUSED else ""
    raise CheckpointError(
        f"The checkpoint's weights are quantized already ({printable(name or 'by a method without a name', 40)}), in a "
        f"form that is not read{why}; get the model in one of {', '.join(METHODS)}, in "
        "GGUF, or without quantization."
    )
