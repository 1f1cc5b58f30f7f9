"""Exports a layer's experts as one operator, com.microsoft.MoE, which runs those that a token selects alone.

    rows [T,H] · experts of each [T,k] · their shares [T,k] ──▶ MoE(rows, scores [T,E], all experts) ──▶ [T,H]

Without it the graph gathers the weights of each token's experts, which takes k matrices of memory a token, and no
method quantizes them. The operator normalizes the shares that it is given: it gets their logarithms, and its result is
multiplied by their sum.

onnxruntime 1.31's kernel may write its result into the memory of its rows, which it overwrites with zeros before it has
read them, unless something behind the operator reads the rows too.

Which of the operator's activations a module has is found by value: its own code is called and compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import onnx_ir as ir
import torch

from workflows.export.stand_ins import weight_initializer

DOMAIN, OPERATOR = "com.microsoft", "MoE"
_NEVER = -1e30  # the score of an expert that is not selected
_PROBED = 64  # rows of numbers by which a module's activation is recognized
_PLAIN: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
    "identity": lambda rows: rows,
}


@dataclass(frozen=True)
class Activation:
    """The operator's attributes: `name`, and for swiglu g·σ(alpha·g)·(u + beta), clamped to `limit`."""

    name: str
    alpha: float = 1.0
    beta: float = 0.0
    limit: float | None = None

    def attributes(self) -> dict[str, Any]:
        """As the operator takes them."""
        if self.name != "swiglu":
            return {"activation_type": self.name}
        limit = {} if self.limit is None else {"swiglu_limit": self.limit}
        facts = {"activation_alpha": self.alpha, "activation_beta": self.beta, "swiglu_fusion": 1}
        return {"activation_type": self.name, **facts, **limit}

    def compute(self, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        """swiglu's formula, as onnxruntime computes it."""
        if self.limit is not None:
            gate, up = gate.clamp(max=self.limit), up.clamp(-self.limit, self.limit)
        return gate * torch.sigmoid(self.alpha * gate) * (up + self.beta)


def connect_experts(model: torch.nn.Module, exporting: Callable[[], bool] = torch.onnx.is_in_onnx_export) -> None:
    """Makes the experts of `model` one operator while `exporting()`, where it computes what they do."""
    for module in model.modules():
        found = _find_activation(module) if _has_merged_experts(module) else None
        if found is not None:
            module.forward = partial(_dispatch, module.forward, partial(_operator, module, found), exporting)


def _dispatch(
    original: Callable[..., torch.Tensor],
    operator: Callable[..., torch.Tensor],
    exporting: Callable[[], bool],
    *args: torch.Tensor,
    **named: torch.Tensor,
) -> torch.Tensor:
    return operator(*args, *named.values()) if exporting() else original(*args, **named)


def _has_merged_experts(module: torch.nn.Module) -> bool:
    """Whether it is one of the classes that share transformers' interface for experts."""
    shared = hasattr(module, "is_concatenated") and hasattr(module, "_apply_gate")
    return shared and not bool(module.has_post_expert_norm)


def _find_activation(module: torch.nn.Module) -> Activation | None:
    """The activation that computes what the module's code does; None where the operator has none."""
    generator = torch.Generator().manual_seed(0)
    if not module.has_gate:
        rows = 20 * torch.randn(_PROBED, 8, generator=generator)
        wanted = module.act_fn(rows)
        return next((Activation(name) for name, act in _PLAIN.items() if _are_close(act(rows), wanted)), None)
    rows = 20 * torch.randn(_PROBED, 16, generator=generator)
    gate, up = rows.chunk(2, dim=-1) if module.is_concatenated else (rows[..., ::2], rows[..., 1::2])
    wanted = module._apply_gate(rows)
    limits = [None, *(getattr(module, name, None) for name in ("limit", "swiglu_limit"))]
    for alpha, beta, limit in itertools.product((1.0, getattr(module, "alpha", None)), (0.0, 1.0), limits):
        if alpha is not None:
            found = Activation("swiglu", float(alpha), beta, limit)
            if _are_close(found.compute(gate, up), wanted):
                return found
    return None


def _are_close(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and bool(torch.allclose(one, other, rtol=1e-5, atol=1e-6))


def _operator(
    module: torch.nn.Module, activation: Activation, hidden: torch.Tensor, chosen: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    first, first_bias = (_named(module, f"{'gate_up' if module.has_gate else 'up'}_proj{end}") for end in ("", "_bias"))
    second, second_bias = (_named(module, f"down_proj{end}") for end in ("", "_bias"))
    assert first is not None and second is not None  # of transformers' interface
    halves = 2 if module.has_gate and module.is_concatenated else 1
    weights = weights.to(hidden.dtype)
    least = torch.finfo(hidden.dtype).tiny
    scores = hidden.new_full((hidden.shape[0], first.shape[0]), _NEVER).scatter(
        1, chosen, torch.log(weights.clamp(min=least))
    )
    result = torch.onnx.ops.symbolic(
        f"{DOMAIN}::{OPERATOR}",
        (
            hidden,
            scores,
            _rows(first, module.is_transposed, halves),
            first_bias if first_bias is None else _interleaved(first_bias, halves),
            _rows(second, module.is_transposed),
            second_bias,
        ),
        {"k": chosen.shape[1], "normalize_routing_weights": 0, **activation.attributes()},
        dtype=hidden.dtype,
        shape=hidden.shape,
        version=1,
    )
    total = weights.sum(1, keepdim=True)
    return torch.where(total >= 0, result * total, hidden)  # see the module's text on memory


def _named(module: torch.nn.Module, name: str) -> torch.Tensor | None:
    return getattr(module, name, None) if module.has_bias or not name.endswith("_bias") else None


def _rows(weight: torch.Tensor, transposed: bool, halves: int = 1) -> torch.Tensor:
    """[E,N,K] of a weight [E,N,K], or [E,K,N] if it is transposed; the rows of its halves take turns.

    At most one change of axes between two of shape, which `arrange_experts` expects.
    """
    if halves == 1:
        return weight.transpose(1, 2) if transposed else weight
    axis = 2 if transposed else 1
    half = weight.shape[axis] // halves
    split = weight.reshape(*weight.shape[:axis], halves, half, *weight.shape[axis + 1 :])
    moved = split.permute(0, 3, 2, 1) if transposed else split.permute(0, 2, 1, 3)
    return moved.contiguous().view(weight.shape[0], halves * half, moved.shape[3])  # traced alike for a stand-in


def _interleaved(bias: torch.Tensor, halves: int) -> torch.Tensor:
    """[E,N]: the numbers of its halves take turns."""
    return bias.reshape(bias.shape[0], halves, -1).transpose(1, 2).contiguous().view(bias.shape) if halves > 1 else bias


def arrange_experts(graph: ir.Graph) -> None:
    """Stores the experts' weights in the operator's order, instead of nodes that bring it about at every step."""
    for node in list(graph):
        if node.op_type == OPERATOR and node.domain == DOMAIN:
            for place, value in enumerate(node.inputs):
                moves = _moves_of_weight(value)
                if moves:
                    node.replace_input_with(place, _arranged(graph, moves))
                    _remove_unused(graph, moves)


def _moves_of_weight(value: ir.Value | None) -> list[ir.Node]:
    """The nodes that bring a weight into another shape or order, from the weight on; none for another value."""
    moves: list[ir.Node] = []
    while value is not None and (node := value.producer()) is not None and node.op_type in ("Reshape", "Transpose"):
        moves.insert(0, node)
        value = node.inputs[0]
    return moves if value is not None and value.is_initializer() else []


def _arranged(graph: ir.Graph, moves: Sequence[ir.Node]) -> ir.Value:
    """The initializer with what `moves`, one Transpose and the Reshapes around it, make of a weight."""
    weight = moves[0].inputs[0]
    assert weight is not None and isinstance(weight.const_value, ir.Tensor)  # as the exporter creates it
    raw = weight.const_value.raw
    axes, view = (), ()
    for node in moves:
        if node.op_type == "Transpose":
            axes = tuple(node.attributes.get_ints("perm", ()))
            raw = raw.permute(axes)
        else:
            sizes = ir.convenience.get_const_tensor(node.inputs[1])
            assert sizes is not None  # the weight's shape is constant
            raw = raw.reshape(sizes.numpy().tolist())
            view = view if axes else tuple(raw.shape)
    name = f"{weight.name}.rows"
    return graph.initializers.get(name) or weight_initializer(graph, name, raw, axes, view)


def _remove_unused(graph: ir.Graph, moves: Sequence[ir.Node]) -> None:
    weight = moves[0].inputs[0]
    for node in reversed(moves):
        if not node.outputs[0].uses():
            graph.remove(node, safe=True)
    if weight is not None and not weight.uses():
        del graph.initializers[str(weight.name)]
