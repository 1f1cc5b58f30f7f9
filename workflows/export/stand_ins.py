"""Loads and traces a model without its large weights: each is a stand-in, one number expanded to the weight's shape.

    checkpoint ──StandIns.state_dict──▶ from_pretrained ──▶ a model of stand-ins ──traced──▶ initializers
                                                               │ number                        │ number, axes
                                                               └──────── StandIns.source ──────┴──▶ StoredWeight

A stand-in is an ordinary CPU tensor with strides of 0, which takes no memory and passes wherever a weight does; its
number tells the stored tensor. What is computed from one is wrong: nothing may be folded out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import TorchTensor
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.core_model_loading import WeightConverter, WeightRenaming, rename_source_key

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import printable
from workflows.graph.described_weights import StoredWeight, WeightRecipe, recipe_tensor

REAL_BELOW = 1 << 16  # elements of a weight that is loaded: norms, biases
_COMPARED = 1 << 22  # bytes at once
_UNIT = 2.0**-20  # between the numbers of two stand-ins: exact in float32
_FLOATS = ("float32", "float16", "bfloat16")  # stored dtypes that become float32 without rounding
_AXES = "joinery.axes"  # in an initializer's tensor: the order of its stand-in's axes


class NotStreamedError(Exception):
    """A model that cannot be built of stand-ins; its text is the reason, as part of a sentence."""


class StandIns:
    """The stand-ins of one checkpoint's large weights.

    on_layer: receives how many layers are done, of how many, while the model is run layer by layer; it may raise.
    """

    def __init__(self, checkpoint: Checkpoint, on_layer: Callable[[int, int], None] = lambda done, total: None) -> None:
        self.on_layer = on_layer
        self._folder = checkpoint.folder
        self.select(checkpoint.tensors)

    def select(self, tensors: Mapping[str, TensorInfo]) -> None:
        """Takes these tensors for all that there are: a part of the checkpoint's, by the names of the model."""
        self._tensors = dict(tensors)
        self._names = [name for name, one in tensors.items() if one.elements >= REAL_BELOW and not one.is_mask]

    def state_dict(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """`stored`, whose tensors are read when they are loaded, with stand-ins in place of the large ones.

        Equal weights have equal numbers, for transformers ties a head that is stored beside its table.
        """
        made: dict[str, torch.Tensor] = {}
        known: dict[bytes, list[str]] = {}
        for index, name in enumerate(self._names):
            weight = self._stored(name)
            others = known.setdefault(WeightRecipe.of(weight).sample() + repr(weight.shape).encode(), [])
            equal = next((one for one in others if self._are_equal(one, name)), None)
            made[name] = made[equal] if equal else torch.full((), (index + 1) * _UNIT).expand(weight.shape)
            others.append(name)
        return {**stored, **made}

    def check_loadable(self, skeleton: PreTrainedModel) -> None:
        """Raises NotStreamedError where transformers would compute a large weight from stored ones."""
        mapping = get_model_conversion_mapping(skeleton) or []
        renamings = [one for one in mapping if isinstance(one, WeightRenaming)]
        converters = [one for one in mapping if isinstance(one, WeightConverter)]
        for name in self._names:
            dtype = self._tensors[name].dtype
            if dtype not in _FLOATS:
                raise NotStreamedError(f"the weight {printable(name)} is stored in {dtype}")
            if rename_source_key(name, renamings, converters)[1] is not None:
                raise NotStreamedError(f"transformers merges the weight {printable(name)} with others")

    def check_loaded(self, model: PreTrainedModel) -> None:
        """Raises NotStreamedError where a large parameter is neither a stand-in nor of its stored tensor's shape."""
        for name, weight in model.named_parameters():
            if weight.numel() < REAL_BELOW:
                continue
            stored = self.source(weight)
            if stored is None or stored.shape != tuple(weight.shape):
                raise NotStreamedError(f"the weight {printable(name)} is computed from stored ones")

    def source(self, weight: torch.Tensor) -> StoredWeight | None:
        """The stored tensor of a stand-in, in whatever shape; None for another tensor."""
        if not is_stand_in(weight):
            return None
        name = self._names[round(float(weight.detach().reshape(-1)[0]) / _UNIT) - 1]
        return self._stored(name)

    def read(self, weight: torch.Tensor) -> torch.Tensor:
        """The float32 weight of a stand-in of the stored shape. Raises CheckpointError for NaN and infinity."""
        stored = self.source(weight)
        assert stored is not None  # callers ask is_stand_in first
        return torch.from_numpy(WeightRecipe.of(stored).compute())

    def holds(self, name: str, weight: torch.Tensor) -> bool:
        """Whether the stored tensor `name` has the bytes of the stand-in's."""
        other = self.source(weight)
        return other is not None and self._are_equal(name, other.name)

    def describe(self, graphs: Iterable[ir.Graph]) -> None:
        """Replaces the stand-ins among the graphs' initializers by their recipes, one tensor for equal ones.

        Raises NotStreamedError for a large parameter that was computed from stand-ins.
        """
        made: dict[tuple[StoredWeight, tuple[int, ...], tuple[int, ...]], ir.LazyTensor] = {}
        for value in (value for graph in graphs for value in graph.initializers.values()):
            tensor = value.const_value
            if not isinstance(tensor, ir.Tensor) or not isinstance(tensor.raw, torch.Tensor):
                continue
            stored, axes, shape = self.source(tensor.raw), tensor.meta.get(_AXES, ()), tuple(tensor.raw.shape)
            if stored is None:
                if isinstance(tensor.raw, torch.nn.Parameter) and tensor.raw.numel() >= REAL_BELOW:
                    raise NotStreamedError(f"the weight {printable(value.name)} is computed from stored ones")
                continue
            whole = WeightRecipe.of(stored)
            recipe = whole.transposed(axes) if axes else whole
            if recipe is None or _long_axes(recipe.shape) != _long_axes(shape):
                raise NotStreamedError(f"the weight {printable(value.name)} is a part of a stored one")
            key = (stored, axes, shape)
            if key not in made:
                made[key] = recipe_tensor(WeightRecipe(recipe.parts, shape, recipe.axis), str(value.name))
            value.const_value = made[key]

    def _are_equal(self, one: str, other: str) -> bool:
        infos = [self._tensors[name] for name in (one, other)]
        if (infos[0].dtype, infos[0].shape) != (infos[1].dtype, infos[1].shape):
            return False
        size = infos[0].bytes
        files = [np.memmap(self._folder / info.file, np.uint8, "r", info.offset, (size,)) for info in infos]
        blocks = (slice(start, start + _COMPARED) for start in range(0, size, _COMPARED))
        return all(np.array_equal(files[0][block], files[1][block]) for block in blocks)

    def _stored(self, name: str) -> StoredWeight:
        info = self._tensors[name]
        return StoredWeight(str(self._folder / info.file), info.offset, info.dtype, info.shape, name)


def is_stand_in(weight: torch.Tensor) -> bool:
    """Whether the tensor is one number expanded to its shape."""
    axes = zip(weight.shape, weight.stride(), strict=True)
    return weight.numel() > 1 and not any(stride for size, stride in axes if size > 1)


class StandInProducts(TorchFunctionMode):  # type: ignore[misc]  # torch is not type-checked here
    """Within it, a linear layer of a stand-in sums its input: torch would copy the stand-in to its full size."""

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Calls `func`, or computes [..., N] of [..., K] and a stand-in [N,K]."""
        if func is not torch.nn.functional.linear or kwargs or not is_stand_in(args[1]):
            return func(*args, **(kwargs or {}))
        rows, weight, *bias = args
        product = (rows.sum(-1, keepdim=True) * weight[0, 0]).repeat_interleave(weight.shape[0], dim=-1)
        return product + bias[0] if bias and bias[0] is not None else product


def _long_axes(shape: tuple[int, ...]) -> list[int]:
    return [size for size in shape if size > 1]


@contextmanager
def weights_as_inputs(model: ir.Model, prefix: str | None = None) -> Iterator[None]:
    """Within it, large weights, and the weights whose names begin with `prefix`, are inputs.

    The optimizer then folds nothing that is computed from stand-ins, or differs between layers. A model with its
    weights in memory is treated alike, so that both have one graph.
    """
    graph = model.graph
    order = [*graph.initializers]
    weights = {name: value for name, value in graph.initializers.items() if _is_apart(value, prefix)}
    tensors = {name: value.const_value for name, value in weights.items()}
    for name, value in weights.items():
        del graph.initializers[name]
        value.const_value = None
        graph.inputs.append(value)
    try:
        yield
    finally:
        inputs = [value for value in graph.inputs if value.name not in weights]
        graph.inputs.clear()
        graph.inputs.extend(inputs)
        for name, value in weights.items():
            value.const_value = tensors[name]
            graph.initializers[name] = value
        places = {name: place for place, name in enumerate(order)}
        for name in sorted(graph.initializers, key=lambda name: places.get(name, len(places))):
            graph.initializers[name] = graph.initializers.pop(name)


def turn_weights(graph: ir.Graph, prefix: str | None = None) -> None:
    """Stores the weights that were inputs transposed as they are multiplied; the optimizer did so for the others.

    Passes do not pack a product with a Transpose, and onnxruntime would transpose the weight whenever it opens the
    graph. A stand-in that other nodes read as well, as that of a tied head, stays as it is.
    """
    for node in list(graph):
        weight = node.inputs[0] if node.op_type == "Transpose" and node.domain == "" else None
        if weight is None or not weight.is_initializer() or not _is_apart(weight, prefix):
            continue
        in_layers = prefix is not None and str(weight.name).startswith(prefix)
        if not in_layers and any(use.node.op_type != "Transpose" for use in weight.uses()):
            continue
        tensor = weight.const_value
        # the exporter and weight_initializer create these classes
        assert isinstance(tensor, ir.Tensor) and isinstance(tensor.raw, torch.Tensor)
        axes = tuple(node.attributes.get_ints("perm", tuple(range(len(tensor.shape)))[::-1]))
        name = f"{weight.name}.turned.{''.join(map(str, axes))}"
        turned = graph.initializers.get(name) or weight_initializer(graph, name, tensor.raw.permute(axes), axes)
        node.outputs[0].replace_all_uses_with(turned)
        graph.remove(node, safe=True)
        if not weight.uses():
            del graph.initializers[str(weight.name)]


def weight_initializer(graph: ir.Graph, name: str, weight: torch.Tensor, axes: tuple[int, ...] = ()) -> ir.Value:
    """Adds the initializer `name`. axes: the order of a stand-in's axes in `weight`, () for its own."""
    tensor = TorchTensor(weight, name=name)
    if axes:
        tensor.meta[_AXES] = axes
    value = ir.Value(name=name, shape=ir.Shape(tensor.shape), type=ir.TensorType(tensor.dtype), const_value=tensor)
    graph.register_initializer(value)
    return value


def _is_apart(value: ir.Value, prefix: str | None) -> bool:
    if prefix is not None and str(value.name).startswith(prefix):
        return True
    raw = getattr(value.const_value, "raw", None)
    return isinstance(raw, torch.nn.Parameter) and (raw.numel() >= REAL_BELOW or is_stand_in(raw))
