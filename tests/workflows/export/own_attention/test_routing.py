"""A routed method runs its own code without a cache adapter, and a model loaded for export can compute both ways."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.export.attention import ATTENTION_NAME, HostCacheAdapter, using_adapter
from workflows.export.own_attention import has_own_attention, reference_implementation, set_attention
from workflows.export.own_attention.routing import route, split_heads


class _Doubling(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * x


def test_a_method_is_replaced_on_one_instance_while_an_adapter_is_in_use() -> None:
    routed, other, one = _Doubling(), _Doubling(), torch.ones(1)
    route(routed, "forward", lambda module, x: x - 1)
    assert float(routed(one)) == 2
    with using_adapter(HostCacheAdapter()):
        assert (float(routed(one)), float(other(one))) == (0, 2)


def test_heads_are_split_in_order() -> None:
    rows = torch.arange(12).reshape(1, 2, 6)
    assert split_heads(rows, 3)[0, 1].tolist() == [[2, 3], [8, 9]]


def test_the_reference_is_the_models_own_code(tmp_path: Path) -> None:
    """Bit for bit, before and after runs through a cache; the set implementation selects its masks."""
    model = load("bloom", tmp_path, n_layer=2, n_head=4)
    assert has_own_attention(model.config) and model.config._attn_implementation == ATTENTION_NAME
    own = AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation="eager").eval()
    ids = torch.arange(3, 30)[None]
    with torch.no_grad():
        wanted = own(ids, use_cache=False).logits
        for _ in range(2):
            set_attention(model, reference_implementation(model))
            assert torch.equal(model(ids, use_cache=False).logits, wanted)
            set_attention(model, ATTENTION_NAME)
            check_steps(model, tmp_path)
