"""Finds layers that compute the same: records the operators of each layer in one run, and compares them.

    model ──run──▶ per layer: every operator with the origin of its tensors, and the plain attributes of its modules
                       ──▶ a number per layer; layers with equal numbers differ in their weights only

Two layers are of one kind only where all records are equal: operators, constants, shapes of weights, inputs from other
layers, and attributes that affect longer inputs only. A layer that cannot be compared is a kind by itself and is
traced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from workflows.export.attention import LayerFacts

Layers = Sequence[torch.nn.Module]
_VALUES = 64  # the most elements of an untracked tensor that is compared as a constant, by its values
_PLAIN = (bool, int, float, str, type(None))


def find_layer_list(model: torch.nn.Module, count: int) -> str | None:
    """The path of the outermost ModuleList with `count` modules; None where there is none."""
    lists = ((name, part) for name, part in model.named_modules() if isinstance(part, torch.nn.ModuleList))
    return next((name for name, part in lists if len(part) == count), None)


def layer_kinds(
    layers: Layers, facts: Sequence[LayerFacts], caches: Sequence[tuple[torch.Tensor, ...]], run: Callable[[], object]
) -> tuple[int, ...] | None:
    """A number per layer, equal for layers that compute the same; None where the layers do not form a chain.

    run: runs the model once over all `layers`, with `caches` as what they kept before. facts: of what they keep.
    """
    with torch.no_grad(), _LayerRecorder(layers, caches) as recorder:
        run()
    if recorder.broken or len(recorder.records) != len(layers):
        return None
    numbers: dict[object, int] = {}
    kinds = []
    for index, (layer, fact, record) in enumerate(zip(layers, facts, recorder.records, strict=True)):
        kind = (tuple(record), fact, _settings(layer, index))
        kinds.append(numbers.setdefault(kind, len(numbers)))
    return tuple(kinds)


def _settings(layer: torch.nn.Module, index: int) -> object:
    """The plain attributes of a layer's modules; a layer index becomes its distance to the layer's own."""
    return tuple(
        (name, type(module), key, _setting(value, index, key))
        for name, module in layer.named_modules()
        for key, value in sorted(vars(module).items())
        if isinstance(value, _PLAIN)
    )


def _setting(value: object, index: int, name: str) -> object:
    counts = type(value) is int and ("idx" in name or "index" in name or name in ("layer_id", "layer_number"))
    return ("index", value - index) if counts and isinstance(value, int) else (type(value), value)


class _LayerRecorder(TorchDispatchMode):  # type: ignore[misc]  # torch is not type-checked here
    """Records the operators of each of `layers` during a run; `broken` where they do not form a chain."""

    def __init__(self, layers: Layers, caches: Sequence[tuple[torch.Tensor, ...]]) -> None:
        super().__init__()
        self.records: list[list[object]] = []
        self.broken = len({id(layer) for layer in layers}) < len(layers)
        self._layers = layers
        self._now: int | None = None  # the running layer
        # a tensor's id → its layer and name
        self._names: dict[int, tuple[int | None, object]] = {
            id(rows): (i, ("past", k)) for i, pair in enumerate(caches) for k, rows in enumerate(pair)
        }
        self._alive: list[object] = [*caches]  # keeps tensors alive, so that no id is reused
        self._outside = 0
        self._last: torch.Tensor | None = None
        self._hooks: list[Any] = []

    def __enter__(self) -> _LayerRecorder:
        for index, layer in enumerate(self._layers):
            for name, weight in (*layer.named_parameters(), *layer.named_buffers()):
                if id(weight) in self._names:  # shared by two layers
                    self._names[id(weight)] = None, ("shared", id(weight))
                else:
                    self._names[id(weight)] = index, (name, tuple(weight.shape), weight.dtype)
            self._hooks.append(layer.register_forward_pre_hook(self._begin(index), with_kwargs=True))
            self._hooks.append(layer.register_forward_hook(self._end))
        super().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for hook in self._hooks:
            hook.remove()

    def _begin(self, index: int) -> Callable[..., None]:
        def begin(_: torch.nn.Module, args: tuple[object, ...], named: Mapping[str, object]) -> None:
            hidden = hidden_input(args, named)
            chained = self._last is None if index == 0 else hidden is self._last
            self.broken |= index != len(self.records) or hidden is None or not chained
            self._now = index
            self.records.append([])
            if hidden is not None:
                self._name(hidden, "hidden")

        return begin

    def _end(self, _: torch.nn.Module, args: object, output: object) -> None:
        self._last = hidden_output(output)
        self.records[-1].append(("gives", self._comparable(self._last)))
        self._now = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = kwargs or {}
        record = None if self._now is None else (str(func), self._comparable(args), self._comparable(named))
        output = func(*args, **named)
        if record is not None:
            self.records[-1].append(record)
        for place, made in enumerate(output if isinstance(output, tuple | list) else (output,)):
            if isinstance(made, torch.Tensor):
                step = len(self.records[-1]) if self._now is not None else self._next_outside()
                self._name(made, ("made", step, place))
        return output

    def _next_outside(self) -> int:
        self._outside += 1
        return self._outside

    def _name(self, tensor: torch.Tensor, name: object) -> None:
        self._alive.append(tensor)
        self._names[id(tensor)] = self._now, name

    def _comparable(self, value: object) -> object:
        """The arguments of an operator as comparable values."""
        if isinstance(value, torch.Tensor):
            return self._comparable_tensor(value)
        if isinstance(value, tuple | list):
            return (type(value).__name__, *map(self._comparable, value))
        if isinstance(value, dict):
            return tuple((key, self._comparable(item)) for key, item in sorted(value.items()))
        return (type(value).__name__, repr(value))

    def _comparable_tensor(self, tensor: torch.Tensor) -> object:
        if id(tensor) not in self._names:
            if tensor.numel() <= _VALUES:
                return ("constant", tensor.dtype, tuple(tensor.shape), repr(tensor.detach().tolist()))
            self._alive.append(tensor)
            self._names[id(tensor)] = None, ("made", self._next_outside(), 0)
        layer, name = self._names[id(tensor)]
        if layer is None:
            return ("outside", name)
        return name if layer == self._now else ("layer", layer, name)


def hidden_input(args: tuple[object, ...], named: Mapping[str, object]) -> torch.Tensor | None:
    """The hidden states in a layer's arguments."""
    hidden = args[0] if args else named.get("hidden_states")
    return hidden if isinstance(hidden, torch.Tensor) else None


def hidden_output(output: object) -> torch.Tensor | None:
    """The hidden states in a layer's output."""
    first = output[0] if isinstance(output, tuple | list) and output else output
    return first if isinstance(first, torch.Tensor) else None
