"""Which layers of a model do the same: what each of them computes is heard once, and compared.

    model ──run──▶ per layer: every operator with where its tensors came from, and the plain facts of its modules
                       ──▶ a number a layer; layers of one number differ in their weights alone

Two layers are alike only where nothing that was heard of them differs: operators, constants, the shapes of weights,
what they were given from outside, and settings that no operator shows at a short length. Whatever cannot be told makes
a layer one of its own, which costs the time to trace it and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from workflows.export.attention import KeyValueRows, LayerFacts

Layers = Sequence[torch.nn.Module]
_VALUES = 64  # elements up to which a tensor that nobody made is a constant, compared by its values
_PLAIN = (bool, int, float, str, type(None))


def find_layer_list(model: torch.nn.Module, count: int) -> str | None:
    """The path of the outermost list of so many modules; None where there is none."""
    lists = ((name, part) for name, part in model.named_modules() if isinstance(part, torch.nn.ModuleList))
    return next((name for name, part in lists if len(part) == count), None)


def layer_kinds(
    layers: Layers, facts: Sequence[LayerFacts], caches: Sequence[KeyValueRows], run: Callable[[], object]
) -> tuple[int, ...] | None:
    """A number by layer, equal where two do the same; None where they are no chain in which each feeds the next.

    run: runs the model once over all `layers`, with `caches` as their past keys and values. facts: what their
    attention does.
    """
    with torch.no_grad(), _LayerRecorder(layers, caches) as listener:
        run()
    if listener.broken or len(listener.heard) != len(layers):
        return None
    numbers: dict[object, int] = {}
    found = []
    for index, (layer, fact, heard) in enumerate(zip(layers, facts, listener.heard, strict=True)):
        kind = (tuple(heard), fact, _settings(layer, index))
        found.append(numbers.setdefault(kind, len(numbers)))
    return tuple(found)


def _settings(layer: torch.nn.Module, index: int) -> object:
    """The plain attributes of a layer's modules; a whole number that counts the layers is told by its distance."""
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
    """Hears what is computed while each of `layers` runs; `broken` where they run in no chain."""

    def __init__(self, layers: Layers, caches: Sequence[KeyValueRows]) -> None:
        super().__init__()
        self.heard: list[list[object]] = []
        self.broken = len({id(layer) for layer in layers}) < len(layers)
        self._layers = layers
        self._now: int | None = None  # the layer that runs
        # a tensor's id → the layer that it is of, and its name
        self._names: dict[int, tuple[int | None, object]] = {
            id(rows): (i, ("past", k)) for i, pair in enumerate(caches) for k, rows in enumerate(pair)
        }
        self._alive: list[object] = [*caches]  # so that no id is given twice
        self._outside = 0
        self._last: torch.Tensor | None = None
        self._hooks: list[Any] = []

    def __enter__(self) -> _LayerRecorder:
        for index, layer in enumerate(self._layers):
            for name, weight in (*layer.named_parameters(), *layer.named_buffers()):
                if id(weight) in self._names:  # of two layers
                    self._names[id(weight)] = None, ("shared", id(weight))
                else:
                    self._names[id(weight)] = index, (name, tuple(weight.shape), weight.dtype)
            self._hooks.append(layer.register_forward_pre_hook(self._begin(index), with_kwargs=True))
            self._hooks.append(layer.register_forward_hook(self._end))
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        for hook in self._hooks:
            hook.remove()

    def _begin(self, index: int) -> Callable[..., None]:
        def begin(_: torch.nn.Module, args: Any, named: Any) -> None:
            hidden = hidden_input(args, named)
            chained = self._last is None if index == 0 else hidden is self._last
            self.broken |= index != len(self.heard) or hidden is None or not chained
            self._now = index
            self.heard.append([])
            if hidden is not None:
                self._name(hidden, "hidden")

        return begin

    def _end(self, _: torch.nn.Module, args: Any, output: Any) -> None:
        self._last = hidden_output(output)
        self.heard[-1].append(("gives", self._told(self._last)))
        self._now = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        told = None if self._now is None else (str(func), self._told(args), self._told(given))
        output = func(*args, **given)
        if told is not None:
            self.heard[-1].append(told)
        for place, made in enumerate(output if isinstance(output, tuple | list) else (output,)):
            if isinstance(made, torch.Tensor):
                step = len(self.heard[-1]) if self._now is not None else self._next_outside()
                self._name(made, ("made", step, place))
        return output

    def _next_outside(self) -> int:
        self._outside += 1
        return self._outside

    def _name(self, tensor: torch.Tensor, name: object) -> None:
        self._alive.append(tensor)
        self._names[id(tensor)] = self._now, name

    def _told(self, given: Any) -> object:
        """What was given to an operator, in values that can be compared."""
        if isinstance(given, torch.Tensor):
            return self._told_tensor(given)
        if isinstance(given, tuple | list):
            return (type(given).__name__, *map(self._told, given))
        if isinstance(given, dict):
            return tuple((key, self._told(value)) for key, value in sorted(given.items()))
        return (type(given).__name__, repr(given))

    def _told_tensor(self, tensor: torch.Tensor) -> object:
        if id(tensor) not in self._names:
            if tensor.numel() <= _VALUES:
                return ("constant", tensor.dtype, tuple(tensor.shape), repr(tensor.detach().tolist()))
            self._alive.append(tensor)
            self._names[id(tensor)] = None, ("made", self._next_outside(), 0)
        layer, name = self._names[id(tensor)]
        if layer is None:
            return ("outside", name)
        return name if layer == self._now else ("layer", layer, name)


def hidden_input(args: Any, named: Any) -> torch.Tensor | None:
    """The hidden states that a layer is called with."""
    hidden = args[0] if args else named.get("hidden_states")
    return hidden if isinstance(hidden, torch.Tensor) else None


def hidden_output(output: Any) -> torch.Tensor | None:
    """The hidden states that a layer gives."""
    first = output[0] if isinstance(output, tuple | list) and output else output
    return first if isinstance(first, torch.Tensor) else None
