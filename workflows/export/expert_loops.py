"""Traces experts that a model runs in a loop over those that its tokens select, which no graph can have.

    rows [T,H] · experts of each [T,k] · their weights [T,k] ──▶ each row through its own experts ──▶ sum [T,H]

While torch exports, the weights of each token's experts are gathered, as in `batched_mm` of transformers, which most
models have. These do not; run eagerly they compute with their own loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

Experts = Callable[[torch.nn.Module, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def _dbrx(experts: torch.nn.Module, hidden: torch.Tensor, chosen: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """[B,S,H]: w1, v1 and w2 have the rows of all experts, [E·F,H]."""
    rows, glu, sizes = hidden.reshape(-1, 1, 1, hidden.shape[-1]), experts.mlp, (-1, experts.ffn_hidden_size)
    first, second, last = (one.view(*sizes, hidden.shape[-1])[chosen] for one in (glu.w1, glu.v1, glu.w2))  # [T,k,F,H]
    inner = glu.activation_fn(rows @ first.transpose(-1, -2)) * (rows @ second.transpose(-1, -2))  # [T,k,1,F]
    return ((inner @ last)[:, :, 0] * weights[..., None]).sum(1).view(hidden.shape)


def _longcat(
    experts: torch.nn.Module, hidden: torch.Tensor, chosen: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """[T,H]: the experts behind those with weights give their input."""
    rows, identity = hidden[:, None, None], chosen >= experts.num_routed_experts
    routed = chosen.clamp(max=experts.num_routed_experts - 1)
    gate, up = (rows @ experts.gate_up_proj[routed].transpose(-1, -2)).chunk(2, dim=-1)  # [T,k,1,F]
    through = (experts.act_fn(gate) * up @ experts.down_proj[routed].transpose(-1, -2))[:, :, 0]
    return (torch.where(identity[..., None], hidden[:, None], through) * weights[..., None]).sum(1)


_GATHERED: dict[str, Experts] = {"DbrxExperts": _dbrx, "LongcatFlashExperts": _longcat}


def connect_expert_loops(model: torch.nn.Module, exporting: Callable[[], bool] = torch.onnx.is_in_onnx_export) -> None:
    """Makes the experts of `model` gather their weights while `exporting()`; nothing of transformers is changed."""
    for module in model.modules():
        gathered = _GATHERED.get(type(module).__name__)
        if gathered is not None:
            module.forward = partial(_dispatch, module.forward, partial(gathered, module), exporting)


def _dispatch(
    loop: Callable[..., torch.Tensor],
    gathered: Callable[..., torch.Tensor],
    exporting: Callable[[], bool],
    *args: torch.Tensor,
) -> torch.Tensor:
    return gathered(*args) if exporting() else loop(*args)
