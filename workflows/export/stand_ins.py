"""Loads and traces a model without its large weights: each is a stand-in, one number expanded to the weight's shape.

    checkpoint ──StandIns.state_dict──▶ from_pretrained ──▶ a model of stand-ins ──traced──▶ initializers
                                                               │ number                        │ number, axes
                                                               └──────── StandIns.source ──────┴──▶ StoredWeight

A stand-in is an ordinary CPU tensor with strides of 0, which takes no memory and passes wherever a weight does; its
number tells the stored tensor. What is computed from one is wrong: nothing may be folded out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import TorchTensor
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.gguf.forms import BLOCK_FORMS
from workflows.checkpoint.packed import PackedPart
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import printable
from workflows.export.merged_weights import find_conversions
from workflows.graph.described_weights import StoredWeight, WeightRecipe, recipe_tensor

REAL_BELOW = 1 << 16  # elements of a weight that is loaded: norms, biases
_COMPARED = 1 << 22  # bytes at once
_UNIT = 2.0**-20  # between the numbers of two stand-ins: exact in float32
_FLOATS = ("float32", "float16", "bfloat16", *BLOCK_FORMS)  # stored dtypes that become float32 in one way
_AXES = "joinery.axes"  # in an initializer's tensor: the order of its stand-in's axes
_VIEW = "joinery.view"  # beside it: the shape that these axes are of, where it is not the stand-in's own


class NotStreamedError(Exception):
    """A model that cannot be built of stand-ins; its text is the reason, as part of a sentence."""


class StandIns:
    """The stand-ins of one checkpoint's large weights.

    on_layer: receives how many layers are done, of how many, while the model is run layer by layer; it may raise.
    """

    def __init__(self, checkpoint: Checkpoint, on_layer: Callable[[int, int], None] = lambda done, total: None) -> None:
        self.on_layer = on_layer
        self._folder = checkpoint.weights_folder
        self._numbered: list[WeightRecipe] = []  # by the stand-in's number
        self.select(checkpoint.tensors)

    def select(self, tensors: Mapping[str, TensorInfo]) -> None:
        """Takes these tensors for all that there are: a part of the checkpoint's, by the names of the model."""
        self._tensors = dict(tensors)
        self._merged: frozenset[str] = frozenset()  # stored tensors that are parts of stand-ins
        self._recipes = {
            name: WeightRecipe.of(self._stored(name))
            for name, one in tensors.items()
            if (one.elements >= REAL_BELOW or _is_blocks(one)) and not (one.is_mask or one.raised)
        }

    def merge(self, skeleton: PreTrainedModel) -> None:
        """Makes one stand-in of the tensors that transformers would merge while it loads the model.

        Raises NotStreamedError where it would compute a large weight in another way.
        """
        merged: dict[str, WeightRecipe] = {}
        sources: set[str] = set()
        for one in find_conversions(skeleton, self._tensors, self._stored):
            stored = [self._tensors[name] for name in one.sources]
            if sum(info.elements for info in stored) < REAL_BELOW and not any(map(_is_blocks, stored)):
                continue
            if one.recipe is None:
                raise NotStreamedError(f"transformers computes the weight {printable(one.target)} from stored ones")
            merged[one.target] = one.recipe
            sources.update(one.sources)
        self._merged = frozenset(sources)
        self._recipes = {name: recipe for name, recipe in self._recipes.items() if name not in sources} | merged
        for name, recipe in self._recipes.items():
            if (dtype := recipe.parts[0].dtype) not in _FLOATS and recipe.parts[0].packed is None:
                raise NotStreamedError(f"the weight {printable(name)} is stored in {dtype}")

    def state_dict(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """`stored`, whose tensors are read when they are loaded, with stand-ins in place of the large ones.

        Equal weights have equal numbers, for transformers ties a head that is stored beside its table.
        """
        made: dict[str, torch.Tensor] = {}
        known: dict[bytes, list[str]] = {}
        self._numbered = [*self._recipes.values()]
        for index, (name, recipe) in enumerate(self._recipes.items()):
            others = known.setdefault(recipe.sample() + repr(recipe.shape).encode(), [])
            equal = next((one for one in others if _are_equal(self._recipes[one], recipe)), None)
            made[name] = made[equal] if equal else torch.full((), (index + 1) * _UNIT).expand(recipe.shape)
            others.append(name)
        return {name: tensor for name, tensor in stored.items() if name not in self._merged} | made

    def check_loaded(self, model: PreTrainedModel, unused: Collection[str] = ()) -> None:
        """Raises NotStreamedError where a large parameter is neither a stand-in nor of its stored tensor's shape.

        unused: those that the checkpoint lacks and the export leaves out.
        """
        for name, weight in model.named_parameters():
            if weight.numel() < REAL_BELOW or name in unused:
                continue
            stored = self.source(weight)
            if stored is None or stored.shape != tuple(weight.shape):
                raise NotStreamedError(f"the weight {printable(name)} is computed from stored ones")

    def source(self, weight: torch.Tensor) -> WeightRecipe | None:
        """What a stand-in is made of, in whatever shape it is; None for another tensor."""
        if not is_stand_in(weight):
            return None
        return self._numbered[round(float(weight.detach().reshape(-1)[0]) / _UNIT) - 1]

    def read(self, weight: torch.Tensor) -> torch.Tensor:
        """The float32 weight of a stand-in of the stored shape. Raises CheckpointError for NaN and infinity."""
        recipe = self.source(weight)
        assert recipe is not None  # callers ask is_stand_in first
        return torch.from_numpy(recipe.compute())

    def read_whole(self, weight: torch.Tensor) -> torch.Tensor:
        """Like `read`, of any weight."""
        return self.read(weight) if is_stand_in(weight) else weight.detach()

    def read_rows(self, weight: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Like `read`, of a table [N,K] of which only `rows` are read; the others may be 0."""
        recipe = self.source(weight)
        assert recipe is not None  # callers ask is_stand_in first
        table = recipe.compute_rows(np.unique(rows.numpy()))
        return self.read(weight) if table is None else torch.from_numpy(table)

    def holds(self, name: str, weight: torch.Tensor) -> bool:
        """Whether the stored tensor `name` has the bytes of the stand-in's."""
        other = self.source(weight)
        return other is not None and _are_equal(WeightRecipe.of(self._stored(name)), other)

    def describe(self, graphs: Iterable[ir.Graph]) -> None:
        """Replaces the stand-ins among the graphs' initializers by their recipes, one tensor for equal ones.

        Raises NotStreamedError for a large parameter that was computed from stand-ins.
        """
        made: dict[WeightRecipe, ir.LazyTensor] = {}
        for value in (value for graph in graphs for value in graph.initializers.values()):
            tensor = value.const_value
            if not isinstance(tensor, ir.Tensor) or not isinstance(tensor.raw, torch.Tensor):
                continue
            whole, shape = self.source(tensor.raw), tuple(tensor.raw.shape)
            if whole is None:
                if isinstance(tensor.raw, torch.nn.Parameter) and tensor.raw.numel() >= REAL_BELOW:
                    raise NotStreamedError(f"the weight {printable(value.name)} is computed from stored ones")
                continue
            recipe = _moved(whole, tensor)
            if recipe is None or _long_axes(recipe.shape) != _long_axes(shape):
                raise NotStreamedError(f"the weight {printable(value.name)} is a part of a stored one")
            recipe = replace(recipe, shape=shape)
            if recipe not in made:
                made[recipe] = recipe_tensor(recipe, str(value.name))
            value.const_value = made[recipe]

    def _stored(self, name: str) -> StoredWeight:
        info = self._tensors[name]
        head = (info.head_rows, info.shape[-1]) if info.head_rows else ()
        folder = Path(info.folder or self._folder)
        packed, shape, axes = info.packed and info.packed.within(folder), info.shape, tuple[int, ...]()
        if packed and packed.turned:
            if info.changes:
                raise NotStreamedError(f"an adapter changes {printable(name, 100)}, which is stored turned")
            shape, axes = packed.stored_shape, (0, 2, 1)
        place = str(folder / info.file)
        return StoredWeight(place, info.offset, info.dtype, shape, name, axes, head, info.changes, packed)


def _is_blocks(info: TensorInfo) -> bool:
    """Whether it is a matrix in blocks of integers, which a bundle may hold as they are."""
    return info.packed is not None or (info.dtype in BLOCK_FORMS and len(info.shape) > 1)


def _are_equal(one: WeightRecipe, other: WeightRecipe) -> bool:
    """Whether both have the same shape and stored bytes."""
    if (one.shape, one.grid, one.order) != (other.shape, other.grid, other.order):
        return False
    return all(_hold_equal_bytes(*pair) for pair in zip(one.parts, other.parts, strict=True))


def _hold_equal_bytes(one: StoredWeight, other: StoredWeight) -> bool:
    sizes = [[(part.role, part.shape) for part in each.packed.parts] if each.packed else [] for each in (one, other)]
    if (one.dtype, one.shape, one.changes, sizes[0]) != (other.dtype, other.shape, other.changes, sizes[1]):
        return False
    return all(_are_equal_places(*places) for places in zip(one.places, other.places, strict=True))


def _are_equal_places(*places: StoredWeight | PackedPart) -> bool:
    """Whether two places of one size have equal bytes."""
    files = [np.memmap(place.file, np.uint8, "r", place.offset, (place.bytes,)) for place in places]
    blocks = (slice(start, start + _COMPARED) for start in range(0, places[0].bytes, _COMPARED))
    return all(np.array_equal(files[0][block], files[1][block]) for block in blocks)


def _moved(recipe: WeightRecipe, tensor: ir.TensorProtocol) -> WeightRecipe | None:
    """The recipe with the axes of the initializer `tensor` (see weight_initializer); None where it has none."""
    axes, view = tensor.meta.get(_AXES, ()), tensor.meta.get(_VIEW, ())
    if view:
        return recipe.rearranged(view, axes, tuple(tensor.raw.shape))
    return recipe.transposed(axes) if axes else recipe


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


def weight_initializer(
    graph: ir.Graph, name: str, weight: torch.Tensor, axes: tuple[int, ...] = (), view: tuple[int, ...] = ()
) -> ir.Value:
    """Adds the initializer `name`. axes: the order of a stand-in's axes in `weight`, () for its own.

    view: the shape that these axes are of, () for the stand-in's own; `weight` is then in another shape again.
    """
    tensor = TorchTensor(weight, name=name)
    if axes:
        tensor.meta[_AXES] = axes
    if view:
        tensor.meta[_VIEW] = view
    value = ir.Value(name=name, shape=ir.Shape(tensor.shape), type=ir.TensorType(tensor.dtype), const_value=tensor)
    graph.register_initializer(value)
    return value


def _is_apart(value: ir.Value, prefix: str | None) -> bool:
    if prefix is not None and str(value.name).startswith(prefix):
        return True
    raw = getattr(value.const_value, "raw", None)
    return isinstance(raw, torch.nn.Parameter) and (raw.numel() >= REAL_BELOW or is_stand_in(raw))
