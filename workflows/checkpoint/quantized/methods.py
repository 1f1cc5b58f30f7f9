"""Quantized checkpoints of safetensors: which methods are read, and what weights their tensors are.

    config.json: quant_method ──METHODS──▶ {q_proj.qweight, q_proj.scales …} ──present_quantized──▶ {q_proj.weight}

What is quantized is said by the tensors: a layer that the settings leave out has a weight as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workflows.checkpoint.quantized import gptq
from workflows.checkpoint.quantized.modules import QuantizedLayer, Settings
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

_TURNED = ("decision_transformer", "gpt2", "imagegpt", "openai-gpt")  # model types with transposed weights (Conv1D)


@dataclass(frozen=True)
class QuantMethod:
    """A method of quantization that is read.

    suffixes: of a layer's tensors, the first of which every quantized layer has. check: raises CheckpointError for
    settings that are not read. describe: the weight of a layer. dropped: tensors that say nothing of weights.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    check: Callable[[Settings], None]
    describe: Callable[[QuantizedLayer], tuple[str, TensorInfo]]
    dropped: tuple[str, ...] = ()

    def modules(
        self, tensors: Mapping[str, TensorInfo]
    ) -> tuple[dict[str, dict[str, TensorInfo]], dict[str, TensorInfo]]:
        """The tensors of each quantized layer by their suffixes, and all others by their names."""
        layers: dict[str, dict[str, TensorInfo]] = {}
        for name in tensors:
            module, _, suffix = name.rpartition(".")
            if suffix == self.suffixes[0]:
                layers[module] = {}
        rest: dict[str, TensorInfo] = {}
        for name, info in tensors.items():
            module, _, suffix = name.rpartition(".")
            if module in layers and suffix in self.suffixes:
                layers[module][suffix] = info
            elif suffix not in self.dropped:
                rest[name] = info
        return layers, rest


METHODS: Mapping[str, QuantMethod] = {
    method.name: method for method in (QuantMethod("gptq", "GPTQ", gptq.SUFFIXES, gptq.check, gptq.describe),)
}
"""By `quant_method`."""


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
    layers, presented = method.modules(tensors)
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
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    raise CheckpointError(
        f"The checkpoint's weights are quantized already ({printable(name or 'by a method without a name', 40)}), in a "
        f"form that is not read: get the model in one of {', '.join(METHODS)}, in GGUF, or without quantization."
    )
