"""Gathered experts compute what the loop of a model's own code does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers.models.dbrx.modeling_dbrx import DbrxExperts
from transformers.models.longcat_flash.modeling_longcat_flash import LongcatFlashExperts

from workflows.export.expert_loops import connect_expert_loops

_DBRX = SimpleNamespace(hidden_size=12, ffn_hidden_size=20, moe_num_experts=4, ffn_act_fn={"name": "silu"})
_LONGCAT = SimpleNamespace(
    hidden_size=12, expert_ffn_hidden_size=20, n_routed_experts=3, zero_expert_num=2, hidden_act="silu"
)


@pytest.mark.parametrize(("made", "shape", "count"), [
    (lambda: DbrxExperts(_DBRX), (2, 5, 12), 4),
    (lambda: LongcatFlashExperts(_LONGCAT), (10, 12), 5),
])  # fmt: skip
def test_gathered_experts_give_what_the_loop_gives(made: Any, shape: tuple[int, ...], count: int) -> None:
    """Two of them for each token, experts without weights among them."""
    torch.manual_seed(0)
    experts, hidden = made(), torch.randn(shape)
    for weight in experts.parameters():
        torch.nn.init.normal_(weight)
    chosen = torch.stack([torch.randperm(count)[:2] for _ in range(10)])
    weights, exporting = torch.rand(10, 2), [False]
    with torch.no_grad():
        expected = experts(hidden, chosen, weights)
        connect_expert_loops(experts, lambda: exporting[0])
        assert torch.equal(experts(hidden, chosen, weights), expected)
        exporting[0], experts.num_experts, experts.total_experts = True, 0, 0  # with which the loop fails
        found = experts(hidden, chosen, weights)
    assert found.shape == expected.shape and bool(expected.abs().max() > 1)
    assert torch.allclose(found, expected, atol=1e-4)
