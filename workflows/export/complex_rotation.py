"""Computes rotary positions of complex numbers as pairs of real ones, which ONNX can express.

    angles ──polar──▶ ComplexPair(cos, sin) ──·──▶ view_as_real ──▶ rotated queries and keys
    queries, keys ──view_as_complex──▶ ComplexPair(even, odd) ─┘

Llama 4 and DeepSeek-V2 write the rotation of Su et al. 2021 (equation 13) as a complex product. While a cache adapter
is in use, or a model without one is traced, their own code runs with the three functions of torch that make and read
complex numbers replaced.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

import torch

_MAKES, _READS = "polar", "view_as_complex"


@dataclass(frozen=True, eq=False)
class ComplexPair:
    """Complex numbers as two real tensors of one shape, with what the models do to them."""

    real: torch.Tensor
    imaginary: torch.Tensor

    @property
    def device(self) -> torch.device:
        """Of both."""
        return self.real.device

    def to(self, device: torch.device) -> ComplexPair:
        """The same, for both are where they are needed."""
        return self

    def unsqueeze(self, axis: int) -> ComplexPair:
        """With an axis of one element."""
        return ComplexPair(self.real.unsqueeze(axis), self.imaginary.unsqueeze(axis))

    def __getitem__(self, index: Any) -> ComplexPair:
        return ComplexPair(self.real[index], self.imaginary[index])

    def __mul__(self, other: ComplexPair | torch.Tensor | float) -> ComplexPair:
        if not isinstance(other, ComplexPair):
            return ComplexPair(self.real * other, self.imaginary * other)
        return ComplexPair(
            self.real * other.real - self.imaginary * other.imaginary,
            self.real * other.imaginary + self.imaginary * other.real,
        )


class _RealTorch:
    """torch for a model's code: while `active`, complex numbers are pairs."""

    def __init__(self, active: Callable[[], bool]) -> None:
        self._active = active

    def __getattr__(self, name: str) -> Any:
        return getattr(_RealFunctions if self._active() and hasattr(_RealFunctions, name) else torch, name)


class _RealFunctions:
    """What stands for the functions of torch with these names."""

    @staticmethod
    def polar(size: torch.Tensor, angle: torch.Tensor) -> ComplexPair:
        """The numbers of these sizes and angles."""
        return ComplexPair(size * torch.cos(angle), size * torch.sin(angle))

    @staticmethod
    def view_as_complex(pairs: torch.Tensor) -> ComplexPair:
        """[…, 2] → […]."""
        return ComplexPair(pairs[..., 0], pairs[..., 1])

    @staticmethod
    def view_as_real(numbers: ComplexPair) -> torch.Tensor:
        """[…] → […, 2]."""
        return torch.stack([numbers.real, numbers.imaginary], dim=-1)


def connect_complex_rotations(model: torch.nn.Module, active: Callable[[], bool]) -> None:
    """Makes the code of `model` that makes or reads complex numbers use pairs while `active()`.

    Each such module gets a copy of its own forward; nothing of transformers is changed.
    """
    real = _RealTorch(active)
    for module in model.modules():
        forward = inspect.unwrap(type(module).forward)
        if not isinstance(forward, FunctionType):
            continue
        called = (forward.__globals__.get(name) for name in forward.__code__.co_names)
        reading = (one for one in called if isinstance(one, FunctionType) and _READS in one.__code__.co_names)
        copies = {one.__name__: _copied(one, {"torch": real}) for one in reading}
        replaced = copies | ({"torch": real} if _MAKES in forward.__code__.co_names else {})
        if replaced:
            module.forward = MethodType(_copied(forward, replaced), module)


def _copied(function: FunctionType, replaced: dict[str, Any]) -> FunctionType:
    """The function with other values for some of its global names."""
    copy = FunctionType(
        function.__code__, {**function.__globals__, **replaced}, function.__name__, function.__defaults__,
        function.__closure__)  # fmt: skip
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy
