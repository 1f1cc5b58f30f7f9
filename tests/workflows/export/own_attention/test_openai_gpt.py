"""OpenAI GPT, for which transformers has no cache, gives its own logits through one."""

from __future__ import annotations

from pathlib import Path

from tests.workflows.export.own_attention.through_cache import check_steps, load


def test_logits_in_steps_are_the_models_own(tmp_path: Path) -> None:
    layers = check_steps(load("openai-gpt", tmp_path, n_embd=64, n_head=4), tmp_path)
    assert [(layer.kv_heads, layer.window) for layer in layers] == [(4, None)] * 2
