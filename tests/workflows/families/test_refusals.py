"""Causal LMs that cannot be cut around a cache are refused with the reason, and none gives wrong tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.workflows.families.models import greedy, save_decoder
from tests.workflows.families.test_identity import check
from workflows.builder import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError, RecipeError
from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS, KernelConstraints
from workflows.export import equivalence as checking
from workflows.export.decoder import causal_layers
from workflows.export.load import load_model
from workflows.recipe import family_for, resolve_recipe
from workflows.wire.events import Event, NoticeEvent

_REFORMER = {
    "is_decoder": True, "attn_layers": ["local", "lsh"], "axial_pos_shape": [32, 32], "axial_pos_embds_dim": [32, 32],
    "attention_head_size": 16, "feed_forward_size": 96,
}  # fmt: skip
_LATENT = {
    "num_key_value_heads": 4, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8,
    "v_head_dim": 16,
}  # fmt: skip


@pytest.mark.parametrize(
    ("model_type", "config", "error", "why"),
    [
        ("reformer", _REFORMER, RecipeError, "has its own attention code"),
        ("gemma3_text", {"head_dim": 16, "use_bidirectional_attention": True}, RecipeError, "attend to later tokens"),
    ],
)
def test_what_cannot_be_cut(model_type: str, config: dict[str, Any], error: type, why: str, tmp_path: Path) -> None:
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint", **config)
    with pytest.raises(error, match=why):
        build(BuildRequest(str(checkpoint), tmp_path / "out", {"capacity": 64}))
    assert not (tmp_path / "out").exists()


def test_weights_of_whole_numbers_are_no_weights(tmp_path: Path) -> None:
    """transformers loads them as if they were floating point: values of a grid without its steps."""
    folder = save_decoder("llama", tmp_path / "checkpoint")
    (file,) = folder.glob("*.safetensors")
    tensors = load_file(file)
    name = next(name for name in tensors if name.endswith("q_proj.weight"))
    save_file(tensors | {name: (tensors[name] * 100).to(torch.int8)}, file, {"format": "pt"})
    with pytest.raises(CheckpointError, match=r"q_proj\.weight is stored in int8 without a scale"):
        load_model(open_checkpoint(str(folder)), "text-generation")


@pytest.mark.slow
def test_latent_attention_keeps_its_latents_and_is_not_written_in_place(tmp_path: Path) -> None:
    checkpoint = save_decoder("minicpm3", tmp_path / "checkpoint", **_LATENT)
    with pytest.raises(RecipeError, match="attends to these as they are: build with --cache static or window"):
        build(BuildRequest(str(checkpoint), tmp_path / "gqa", {"capacity": 256, "cache": "gqa"}))
    build(BuildRequest(str(checkpoint), tmp_path / "static", {"capacity": 256}))
    check(tmp_path / "static", checkpoint, greedy, 8)


def test_a_model_that_does_something_unknown_between_layer_and_cache(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(str(save_decoder("llama", tmp_path / "checkpoint")))
    model = load_model(checkpoint, "text-generation")
    layers = causal_layers(model)
    recipe = resolve_recipe(checkpoint, {"capacity": 256})
    checking.check_causal(model, layers, recipe)  # itself it is
    forward = model.lm_head.forward
    seen: list[int] = []

    def odd(states: torch.Tensor) -> torch.Tensor:
        seen.append(states.shape[1])
        return forward(states) + float(states.shape[1] < 80)  # knows whether it was given all tokens at once

    model.lm_head.forward = odd
    with pytest.raises(RecipeError, match=r"logits differ from its own by .* in the tokens 0 to 40 of 80"):
        checking.check_causal(model, layers, recipe)
    assert seen == [80, 80, 40, 40]


def test_a_model_that_fails_with_a_cache_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Whatever its code raises, and of whatever kind."""
    checkpoint = open_checkpoint(str(save_decoder("llama", tmp_path / "checkpoint")))
    model = load_model(checkpoint, "text-generation")
    layers, recipe = causal_layers(model), resolve_recipe(checkpoint, {"capacity": 256})
    for error in (RuntimeError("sizes 4 and\n 7"), KeyError("x"), AssertionError(), ZeroDivisionError("by 0")):
        with (
            patch.object(model.lm_head, "forward", side_effect=error),
            pytest.raises(RecipeError, match=rf"own code fails \({type(error).__name__}: .*cannot be built\.$"),
        ):
            checking.check_causal(model, layers, recipe)


@pytest.mark.slow
def test_sinks_are_built_where_the_host_writes_and_refused_by_name_elsewhere(tmp_path: Path) -> None:
    """GPT-OSS: sinks and windows; its tokens are eager's at every length. Nobody has to choose static for it."""
    sizes = {"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 16, "sliding_window": 24}
    checkpoint = save_decoder("gpt_oss", tmp_path / "checkpoint", **sizes)
    for cache in ("gqa", "scatter"):
        with pytest.raises(RecipeError, match=r"attention has sinks, and .* takes none: build with --cache static"):
            build(BuildRequest(str(checkpoint), tmp_path / cache, {"capacity": 256, "cache": cache}))
    told: list[Event] = []
    build(BuildRequest(str(checkpoint), tmp_path / "static", {"capacity": 256}), told.append)
    words = [event.message for event in told if isinstance(event, NoticeEvent) and event.code == "cache"]
    assert words == [
        "This model's attention has sinks, and GroupQueryAttention takes none: the cache is static, and the export "
        "restarts."
    ]
    assert json.loads((tmp_path / "static" / "recipe.json").read_text("utf-8"))["cache"] == "static"
    check(tmp_path / "static", checkpoint, greedy, 8)


@pytest.mark.slow
def test_a_kernel_that_asks_more_than_the_table_says_ends_in_a_static_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A default build goes on and says why; who chose the cache is told what else there is."""
    checkpoint = save_decoder("llama", tmp_path / "checkpoint", head_dim=12)
    monkeypatch.setitem(KERNEL_CONSTRAINTS, "GroupQueryAttention", KernelConstraints("GroupQueryAttention"))  # type: ignore[arg-type]
    told: list[Event] = []
    build(BuildRequest(str(checkpoint), tmp_path / "out", {"capacity": 256}), told.append)
    (notice,) = [event.message for event in told if isinstance(event, NoticeEvent) and event.code == "cache"]
    assert notice.startswith("The graphs of the gqa cache do not run (") and "head_size must be a multiple" in notice
    assert notice.endswith("): the cache is static, and the export restarts.")
    recipe = json.loads((tmp_path / "out" / "recipe.json").read_text("utf-8"))
    assert (recipe["cache"], recipe["chunk"]) == ("static", 64)
    check(tmp_path / "out", checkpoint, greedy, 8)
    with pytest.raises(RecipeError, match=r"head_size must be .*: build with --cache static\.$"):
        build(BuildRequest(str(checkpoint), tmp_path / "gqa", {"capacity": 256, "cache": "gqa"}))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"num_attention_heads": None},
            "has none of decoder_attention_heads, .* the model cannot be built around a KV cache",
        ),
        (
            {"num_attention_heads": None, "text_config": {"num_attention_heads": 4}, "vision_config": {"depth": 2}},
            r"a model of several parts \(text_config\)",
        ),
        ({"intermediate_size": -1}, "intermediate_size = -1, which must be a positive whole number: correct"),
        ({"intermediate_size": [8, "x"]}, "intermediate_size = x, which must be a positive whole number: correct"),
        ({"rope_theta": "x"}, "rope_theta = x, which must be a positive number: correct"),
        ({"rope_parameters": {"rope_theta": float("nan")}}, "rope_theta = nan, which must be a positive number"),
        ({"rope_parameters": {"full": {"rope_theta": -1}}}, "rope_theta = -1, which must be a positive number"),
        ({"rope_parameters": {"rope_type": 5}}, "rope_type = 5, which must be the name of a rule: correct"),
        ({"rope_parameters": 5}, "rope_parameters = 5, which must be an object: correct"),
        ({"num_attention_heads": 0}, "num_attention_heads = 0, which must be a positive whole number: correct"),
    ],
)
def test_a_size_that_is_missing_gives_the_reason(changes: dict[str, Any], why: str) -> None:
    """A model without heads, one whose sizes stand in a part of its own, and a number that is wrong."""
    config = {"num_attention_heads": 4, "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 99, **changes}
    with pytest.raises(CheckpointError, match=why):
        family_for("llama").geometry(config)


def test_the_last_layers_that_share_keys_keep_none() -> None:
    """Half of eight layers then take no memory for each token."""
    config = {"num_attention_heads": 4, "hidden_size": 64, "num_hidden_layers": 8, "vocab_size": 99}
    whole, shared = (family_for("llama").geometry({**config, "num_kv_shared_layers": n}) for n in (0, 4))
    assert [layer.rows for layer in shared.caches] == [True] * 4 + [False] * 4
    assert 2 * shared.kv_bytes_per_token() == whole.kv_bytes_per_token()
