"""Folds values that a model computes from its configuration alone while it is traced.

    torch.tensor(0.95) ─ erfinv ─ mul ─▶ one constant        x + constant ─▶ x + constant

ONNX lacks operators for many such computations. Values that depend on an input or a weight are not folded, and the
result is compared with the model's own logits like every export.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map

_FROM_NUMBERS = (torch.tensor, torch.full, torch.zeros, torch.ones, torch.arange, torch.linspace, torch.eye)
_MAX_ELEMENTS = 1 << 12  # elements of a constant: larger masks and position tables stay computed


class TraceConstantFolding(TorchFunctionMode):  # type: ignore[misc]  # torch is not type-checked here
    """Within it, torch functions return constants where all their arguments are known."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # id → a traced tensor and its value

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: Sequence[object] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Calls `func`, or returns the constants that it would compute."""
        kwargs = kwargs or {}
        named = tree_leaves((args, kwargs))
        tensors = [leaf for leaf in named if isinstance(leaf, torch.Tensor)]
        if any(id(tensor) not in self._known for tensor in tensors):
            return self._unknown(func, args, kwargs)
        if not tensors:
            made = func(*args, **kwargs)
            if func in _FROM_NUMBERS and not any(isinstance(leaf, torch.SymInt | torch.SymFloat) for leaf in named):
                self._learn(made, _computed(func, args, kwargs))
            return made
        if _in_place(func):
            return self._unknown(func, args, kwargs)
        return tree_map(self._constant, _computed(func, *tree_map(self._value, (args, kwargs))))

    def _unknown(self, func: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        if _in_place(func):  # its target is no longer constant
            self._known.pop(id(args[0]), None)
        return func(*args, **kwargs)

    def _value(self, leaf: object) -> object:
        return self._known[id(leaf)][1] if isinstance(leaf, torch.Tensor) else leaf

    def _constant(self, leaf: object) -> object:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        with torch._C.DisableTorchFunction():
            made = torch.tensor(leaf.tolist(), dtype=leaf.dtype)
        self._learn(made, leaf)
        return made

    def _learn(self, made: object, value: object) -> None:
        if isinstance(value, torch.Tensor) and value.numel() <= _MAX_ELEMENTS:
            self._known[id(made)] = made, value


def _in_place(func: Callable[..., object]) -> bool:
    name = getattr(func, "__name__", "")
    return name in ("__setitem__", "__set__") or (name.endswith("_") and not name.endswith("__"))


def _computed(func: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    """The result of `func` outside the trace."""
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        return func(*args, **kwargs)
