"""Connects a model's recurrences and convolutions to state of fixed size that each step replaces.

    model ──columns──▶ adapter.update_conv_state ──▶ causal_conv1d_fn ──▶ columns        past.i.conv ▶ present.i.conv
    model ──q, k, v, decay──▶ the recurrence's function ──▶ output, state      past.i.recurrent ▶ present.i.recurrent

All recurrent models of transformers call the functions replaced here, by a name in their module. `connect_recurrences`
makes a model's layers call ours while a cache adapter is in use, and the original ones otherwise. Ours have one form
for any number of tokens: `linear_attention` (com.microsoft.LinearAttention) over an explicit state, to which the gated
delta rule (Yang et al. 2024), Kimi's delta attention, Mamba (Gu and Dao 2023) and Mamba 2 (Dao and Gu 2024) reduce.

During export each emits its ONNX operator; run eagerly it computes the operator's formula, so that a module can be
compared with its original model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType, MethodType
from typing import Any, TypeVar

import torch
from transformers.activations import ACT2FN

from workflows.common.errors import RecipeError

STATE_NAMES = ("recurrent", "conv", *(f"conv{i}" for i in range(1, 9)))  # a layer may have several convolutions
StateKey = tuple[int, str]  # layer, name
_FUSED_ACTIVATIONS = ("silu", "swish")  # of CausalConvWithState


@dataclass(frozen=True)
class StateShape:
    """State of fixed size of a layer, [1, …]: `name` as in the names of its tensors."""

    name: str
    shape: tuple[int, ...]


@dataclass(kw_only=True)
class RecurrentStates:
    """The methods that models call on a cache for state of fixed size.

    states, new_states: (layer, name) → the state before and after the step. probing: there is no state before it, and
    its shape is detected.
    """

    states: Mapping[StateKey, torch.Tensor] = field(default_factory=dict)
    new_states: dict[StateKey, torch.Tensor] = field(default_factory=dict)
    probing: bool = False
    _convolution: tuple[StateKey, torch.Tensor] | None = None  # of the convolution that follows, and its new columns
    _recurrence: StateKey | None = None  # of the recurrence that follows

    def get_conv_state(self, layer: int, state_idx: int = 0) -> None:
        """None, which makes models take their code for any number of tokens."""

    def get_recurrent_state(self, layer: int, state_idx: int = 0) -> None:
        """See get_conv_state; the function that follows takes the state by `take_state`."""
        if state_idx:
            raise RecipeError("A layer of this model has several recurrences, so it cannot be built.")
        self._recurrence = layer, "recurrent"

    def update_conv_state(
        self, columns: torch.Tensor, layer_idx: int, state_idx: int = 0, conv_kernel_size: int = 0, **_: object
    ) -> torch.Tensor:
        """The columns of earlier steps and the new ones, [B,C,k-1+S], of which the last k - 1 are kept."""
        key = layer_idx, f"conv{state_idx or ''}"
        past = self.past_state(key, (1, columns.shape[1], conv_kernel_size - 1))
        joined = torch.cat([past, columns], dim=2)
        self.new_states[key] = joined[..., -past.shape[2] :] if past.shape[2] else past
        self._convolution = key, columns
        return joined

    def update_recurrent_state(self, state: torch.Tensor, layer_idx: int, state_idx: int = 0, **_: object) -> None:
        """Stores the state after the step."""
        self.new_states[layer_idx, "recurrent"] = state

    def is_recording_past(self, layer_idx: int) -> bool:
        """See get_conv_state."""
        return True

    def past_state(self, key: StateKey, shape: tuple[int, ...]) -> torch.Tensor:
        """The state [1, …] before the step; zeros of `shape` while it is detected."""
        return torch.zeros(shape) if self.probing else self.states[key]

    def take_state(self, shape: tuple[int, ...]) -> torch.Tensor:
        """The state of the recurrence that the model asked for. Raises RecipeError where it asked for none."""
        key, self._recurrence = self._recurrence, None
        return self.past_state(_asked_for(key), shape)

    def take_columns(self) -> tuple[StateKey, torch.Tensor]:
        """The key and the new columns of the convolution that the model updated. Raises as take_state."""
        convolution, self._convolution = self._convolution, None
        return _asked_for(convolution)


Asked = TypeVar("Asked")


def _asked_for(value: Asked | None) -> Asked:
    if value is None:
        raise RecipeError("A layer of this model has a recurrence that it does not cache, so it cannot be built.")
    return value


def connect_recurrences(model: torch.nn.Module, current: Callable[[], RecurrentStates | None]) -> None:
    """Makes the layers of `model` call the functions of this module while `current` returns a cache adapter.

    Each layer gets a copy of its own forward that finds them by their names; nothing of transformers is changed.
    """
    for module in model.modules():
        forward = inspect.unwrap(type(module).forward)
        names = forward.__code__.co_names if isinstance(forward, FunctionType) else ()
        replaced = {
            name: partial(_dispatch, current, forward.__globals__[name], _REPLACEMENTS[name])
            for name in names
            if name in _REPLACEMENTS and name in forward.__globals__
        }
        if replaced:
            copy = FunctionType(
                forward.__code__, {**forward.__globals__, **replaced}, forward.__name__, forward.__defaults__,
                forward.__closure__)  # fmt: skip
            copy.__kwdefaults__ = forward.__kwdefaults__
            module.forward = MethodType(copy, module)


def _dispatch(
    current: Callable[[], RecurrentStates | None],
    original: Callable[..., Any],
    replacement: Callable[..., Any],
    *args: Any,
    **options: Any,
) -> Any:
    adapter = current()
    return original(*args, **options) if adapter is None else replacement(adapter, *args, **options)


def causal_conv(
    adapter: RecurrentStates,
    columns: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    activation: str | None = None,
    **_: object,
) -> torch.Tensor:
    """[B,C,S]: a convolution [C,k] of each channel over `columns` [B,C,k-1+S], as update_conv_state returned them."""
    channels = weight.shape[0]
    key, new = adapter.take_columns()
    if not torch.onnx.is_in_onnx_export():
        output = torch.nn.functional.conv1d(columns, weight[:, None], bias, groups=channels)
        return output if activation is None else ACT2FN[activation](output)
    past = adapter.states[key]
    fused = activation if activation in _FUSED_ACTIVATIONS else None
    output, adapter.new_states[key] = torch.onnx.ops.symbolic_multi_out(
        "com.microsoft::CausalConvWithState",
        (new, weight[:, None], bias, past),
        {"activation": fused or "none"},
        dtypes=(new.dtype, past.dtype),
        shapes=(new.shape, past.shape),
        version=1,
    )
    return output if activation is None or fused else ACT2FN[activation](output)


def _gated_delta_rule(
    adapter: RecurrentStates,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    use_qk_l2norm_in_kernel: bool = False,
    **_: object,
) -> tuple[torch.Tensor, torch.Tensor]:
    """[B,S,Hv,Dv] of query and key [B,S,Hk,Dk], value [B,S,Hv,Dv]; g, the decay, is per head or per key dimension."""
    if use_qk_l2norm_in_kernel:
        query, key = _normalized(query), _normalized(key)
    heads, size = value.shape[2], key.shape[3]
    query, key = _repeated(query, heads), _repeated(key, heads)
    past = adapter.take_state((1, heads, size, value.shape[3]))
    return linear_attention(query * size**-0.5, key, value, past, g, beta)


def _mamba2_scan(adapter: RecurrentStates, *rows: torch.Tensor, **options: Any) -> Any:
    """[B,S,H,P] of x [B,S,H,P], Δ [B,S,H], A [H], B and C [B,S,groups,N]: S ← exp(A·Δ) S + B ⊗ (Δ·x), y = C·S + D·x.

    The options are those of mamba_ssm's mamba_chunk_scan_combined.
    """
    hidden, step, rate, key, query, *_ = rows
    step = _step_size(step, options.get("dt_bias"), options.get("dt_softplus", False))
    low, high = options.get("dt_limit", (0.0, float("inf")))
    if low > 0 or high < float("inf"):
        step = torch.clamp(step, min=low, max=high)
    heads = hidden.shape[2]
    key, query = _repeated(key, heads), _repeated(query, heads)
    past = adapter.take_state((1, heads, key.shape[3], hidden.shape[3]))
    output, state = linear_attention(query, key, hidden * step[..., None], past, step * rate)
    if options.get("D") is not None:
        output = output + options["D"][:, None] * hidden
    return (output, state) if options.get("return_final_states") else output


def _mamba_scan(adapter: RecurrentStates, *rows: torch.Tensor, **options: Any) -> Any:
    """[B,C,S] of x and Δ [B,C,S], A [C,N], B and C [B,N,S]: as _mamba2_scan, each channel being a head of size 1.

    Here the decay differs for each of the N numbers of a channel's state. The options are those of mamba_ssm's
    selective_scan_fn.
    """
    hidden, step, rate, key, query = (one.transpose(1, 2) if one.dim() == 3 else one for one in rows)  # [B,S,…]
    step = _step_size(step, options.get("delta_bias"), options.get("delta_softplus", False))
    channels, size = rate.shape
    key, query = (one[:, :, None].expand(-1, -1, channels, -1) for one in (key, query))
    past = adapter.take_state((1, channels, size, 1))
    output, state = linear_attention(query, key, (hidden * step)[..., None], past, step[..., None] * rate)
    output = output[..., 0]
    if options.get("D") is not None:
        output = output + options["D"] * hidden
    output = output.transpose(1, 2)
    if options.get("z") is not None:
        output = output * torch.nn.functional.silu(options["z"])
    return (output, state) if options.get("return_last_state") else output


def linear_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    state: torch.Tensor,
    decay: torch.Tensor,
    beta: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The output [B,S,H,Dv] and the state [B,H,Dk,Dv] after each token's update, of query and key [B,S,H,Dk].

    decay: [B,S,H] or [B,S,H,Dk], in log space. With beta [B,S,H] it is the gated delta rule:

        S ← exp(decay) S            S ← S + beta k ⊗ (v − k·S), or S + k ⊗ v without beta            o = q·S
    """
    if torch.onnx.is_in_onnx_export():
        return _linear_attention_operator(query, key, value, state, decay, beta)
    rows = []
    for i in range(query.shape[1]):
        faded = torch.exp(decay[:, i])
        state = state * (faded[..., None, None] if faded.dim() == 2 else faded[..., None])
        new, column = value[:, i, :, None], key[:, i, :, :, None]  # [B,H,1,Dv], [B,H,Dk,1]
        if beta is not None:
            new = (new - column.transpose(2, 3) @ state) * beta[:, i, :, None, None]
        state = state + column @ new
        rows.append(query[:, i, :, None] @ state)
    return torch.cat(rows, dim=2).transpose(1, 2).contiguous(), state  # models view it in other shapes


def _linear_attention_operator(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    state: torch.Tensor,
    decay: torch.Tensor,
    beta: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    heads, size = value.shape[2:]
    inputs = [*(rows.flatten(2) for rows in (query, key, value)), state, decay.flatten(2)]
    output, present = torch.onnx.ops.symbolic_multi_out(
        "com.microsoft::LinearAttention",
        [rows.to(state.dtype) for rows in (*inputs, *([] if beta is None else [beta]))],
        {
            "q_num_heads": heads,
            "kv_num_heads": heads,
            "scale": 1.0,
            "update_rule": "gated" if beta is None else "gated_delta",
        },
        dtypes=(state.dtype, state.dtype),
        shapes=((1, value.shape[1], heads * size), state.shape),
        version=1,
    )
    return output.to(value.dtype).unflatten(2, (heads, size)), present


def _normalized(rows: torch.Tensor) -> torch.Tensor:
    """Rows of length 1, as flash-linear-attention's l2norm computes them."""
    return rows * torch.rsqrt((rows * rows).sum(-1, keepdim=True) + 1e-6)


def _repeated(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """[B,S,h,D] → [B,S,heads,D]: each head for as many that follow one another."""
    many = rows.shape[2]
    return rows if many == heads else rows[:, :, :, None].expand(-1, -1, -1, heads // many, -1).flatten(2, 3)


def _step_size(dt: torch.Tensor, bias: torch.Tensor | None, softplus: bool) -> torch.Tensor:
    dt = dt if bias is None else dt + bias
    return torch.nn.functional.softplus(dt) if softplus else dt


_REPLACEMENTS: Mapping[str, Callable[..., Any]] = {
    "causal_conv1d_fn": causal_conv,
    "torch_chunk_gated_delta_rule": _gated_delta_rule,
    "chunk_kimi_delta_attention": _gated_delta_rule,
    "mamba2_chunk_scan": _mamba2_scan,
    "mamba_selective_scan": _mamba_scan,
}
