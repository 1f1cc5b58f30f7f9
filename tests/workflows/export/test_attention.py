"""The window of a layer is read from the rule of the mask that its model asks for; whose keys it reads, from a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel
from transformers.masking_utils import (
    and_masks,
    bidirectional_mask_function,
    causal_mask_function,
    chunked_causal_mask_function,
    or_masks,
    sliding_window_bidirectional_mask_function,
    sliding_window_causal_mask_function,
)

from tests.workflows.families.models import VOCABULARY, save_decoder
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import LayoutError, RecipeError
from workflows.export.attention import (
    AttentionCall,
    LayerFacts,
    ProbeCacheAdapter,
    chunk_of,
    detect_layers,
    is_part_of,
    sources_of,
    window_of,
    windows_of,
)
from workflows.export.decoder import DecoderModule, causal_layers
from workflows.export.equivalence import check_causal, check_layers
from workflows.export.load import load_model
from workflows.export.signature import ExportSignature, cache_groups, cache_names, decoder_signature
from workflows.kvcache.geometry import GroupFacts
from workflows.recipe import resolve_recipe
from workflows.recipe.schema import CacheWriter

CHUNKS_OF_2 = chunked_causal_mask_function(2, torch.zeros(1, dtype=torch.long))
_EXPERTS = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48}


@pytest.mark.parametrize("window", [1, 2, 24, 4096, 131_072])
def test_a_window_is_inferred_from_its_rule(window: int) -> None:
    """As transformers' own rules have it, however large."""
    assert window_of(sliding_window_causal_mask_function(window)) == window
    both = and_masks(sliding_window_causal_mask_function(window), sliding_window_causal_mask_function(window + 7))
    assert window_of(both) == window


def test_a_causal_rule_has_no_window() -> None:
    """Alone, or where another adds nothing to it."""
    assert window_of(causal_mask_function) is None
    assert window_of(or_masks(causal_mask_function, sliding_window_causal_mask_function(9))) is None


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (bidirectional_mask_function, "attend to later tokens"),
        (sliding_window_bidirectional_mask_function(8), "attend to later tokens"),
        (chunked_causal_mask_function(16, torch.zeros(1, dtype=torch.long)), "neither causal nor a sliding window"),
        (sliding_window_causal_mask_function(0), "attends to no token, not even itself"),
        (lambda b, h, q, k: (k <= q) & ((q - k < 8) | (k < 4)), "neither causal nor a sliding window"),
    ],
)
def test_another_rule_is_refused(rule: Callable[..., torch.Tensor], why: str) -> None:
    """Bidirectional, in chunks, of nothing, or with a prefix that all see."""
    with pytest.raises(RecipeError, match=why):
        window_of(rule)


@pytest.mark.parametrize("size", [1, 2, 24, 8192, 70_001])
def test_chunks_are_inferred_from_their_rule(size: int) -> None:
    """As transformers' own rule has them, however large; and no other rule is taken for one."""
    zero = torch.zeros(1, dtype=torch.long)
    assert chunk_of(chunked_causal_mask_function(size, zero)) == size
    assert chunk_of(chunked_causal_mask_function(size, zero + 1)) in (None, 1)
    assert chunk_of(causal_mask_function) is chunk_of(bidirectional_mask_function) is None
    if size > 1:  # with chunks of one token it is the same
        assert chunk_of(sliding_window_causal_mask_function(size)) is None


def test_chunks_and_windows_of_one_size_are_refused() -> None:
    rows = torch.zeros(1, 1, 3, 4)

    def run(adapter: ProbeCacheAdapter) -> None:
        for layer, rule in enumerate((CHUNKS_OF_2, sliding_window_causal_mask_function(2))):
            mask = torch.zeros(1, 1, 3, 3)
            adapter.rules.append((mask, rule))
            key, value = adapter.update(rows, rows, layer)
            adapter.attend(AttentionCall(layer, rows, key, value, 1.0, None, None, None, mask=mask))

    with pytest.raises(RecipeError, match="chunks and windows of one size"):
        detect_layers(run)


def test_llama_4_attends_within_chunks(tmp_path: Path) -> None:
    """Chunks of 24 tokens in the first layer, none in the second, which has no rotary positions."""
    config = {"attention_chunk_size": 24, "no_rope_layers": [1, 0], "floor_scale": 16, "intermediate_size_mlp": 96}
    checkpoint = open_checkpoint(
        str(save_decoder("llama4_text", tmp_path / "checkpoint", head_dim=16, num_local_experts=2, **config))
    )
    model = load_model(checkpoint, "text-generation")
    layers = causal_layers(model)
    assert [(layer.window, layer.chunked) for layer in layers] == [(24, True), (None, False)]
    assert cache_groups(layers)[1] == GroupFacts("chunk24", "attention_mask_24", (0,), 24, chunked=True)
    recipe = resolve_recipe(checkpoint, {"capacity": 256})
    assert recipe.cache == "static"
    check_causal(model, layers, recipe)
    with pytest.raises(LayoutError, match="The model attends within chunks of the text"):
        check_layers(layers, "gqa")


def test_a_view_is_part_of_what_it_was_cut_from() -> None:
    """And not of another mask with the same values."""
    whole = torch.ones(1, 1, 4, 4)
    assert is_part_of(whole, whole) and is_part_of(whole[..., :3], whole)
    assert not is_part_of(whole.clone(), whole)


@pytest.mark.parametrize(
    ("model_type", "config", "windows"),
    [
        ("phimoe", {**_EXPERTS, "sliding_window": 24}, [24, 24]),
        (
            "qwen2_moe",
            {**_EXPERTS, "shared_expert_intermediate_size": 48, "sliding_window": 24, "use_sliding_window": True,
             "max_window_layers": 1},
            [24, None],
        ),
        ("mistral", {"sliding_window": 24}, [24, 24]),
        ("qwen2", {"sliding_window": 24, "use_sliding_window": False}, [None, None]),
        ("gemma2", {"sliding_window": 24}, [24, None]),
    ],
)  # fmt: skip
def test_a_window_that_lives_in_the_mask_alone(
    model_type: str, config: dict[str, Any], windows: list[int | None], tmp_path: Path
) -> None:
    """Each layer's is seen, and the logits through a cache are the model's own past it."""
    checkpoint = open_checkpoint(str(save_decoder(model_type, tmp_path / "checkpoint", **config)))
    model = load_model(checkpoint, "text-generation")
    layers = causal_layers(model)
    assert [layer.window for layer in layers] == windows
    reference = check_causal(model, layers, resolve_recipe(checkpoint, {"capacity": 256}))
    assert len(reference.ids) >= 80 and reference.rows[-1] == len(reference.ids) - 1


_SHARED: dict[str, Any] = {
    "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "sliding_window": 5,
    "num_kv_shared_layers": 2, "head_dim": 16, "global_head_dim": 32, "hidden_size_per_layer_input": 8,
    "vocab_size_per_layer_input": VOCABULARY,
}  # fmt: skip


@pytest.fixture(scope="module")
def sharing(tmp_path_factory: pytest.TempPathFactory) -> tuple[PreTrainedModel, tuple[LayerFacts, ...]]:
    """Gemma 4, whose last two layers attend to the keys of the first two, and the facts of its layers."""
    folder = save_decoder("gemma4_text", tmp_path_factory.mktemp("sharing") / "checkpoint", **_SHARED)
    model = load_model(open_checkpoint(str(folder)), "text-generation")
    return model, causal_layers(model)


def test_layers_that_read_anothers_keys_store_none(sharing: tuple[PreTrainedModel, tuple[LayerFacts, ...]]) -> None:
    _, layers = sharing
    assert layers[2:] == (LayerFacts(window=5, reads=0), LayerFacts(reads=1))
    assert [layer.attends for layer in layers] == [True, True, False, False]
    assert [layer.head_dim for layer in layers] == [16, 32, 0, 0]
    assert sources_of(layers) == {2: 0, 3: 1} and windows_of(layers) == {0: 5, 1: None, 2: 5, 3: None}


@pytest.mark.parametrize("writer", ["host", "gqa", "scatter"])
def test_shared_keys_give_the_models_own_logits(
    writer: CacheWriter, sharing: tuple[PreTrainedModel, tuple[LayerFacts, ...]]
) -> None:
    """In steps of 6, 1, 1 and 4 tokens, past the window; past and present are the first two layers' alone."""
    model, layers = sharing
    signature = decoder_signature(layers, writer)
    assert [name for name in signature.inputs if "past" in name] == [
        f"past_key_values.{layer}.{role}" for layer in (0, 1) for role in ("key", "value")
    ]
    ids = torch.arange(3, 15)[None]
    logits = _logits_in_steps(DecoderModule(model, signature, layers).eval(), signature, ids, (6, 7, 8, 12))
    model.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            wanted = model(input_ids=ids, use_cache=False).logits[0]
    finally:
        model.set_attn_implementation("joinery")
    assert float((logits - wanted).abs().max()) < 1e-4 * float(wanted.abs().max())


def _logits_in_steps(
    decoder: DecoderModule, signature: ExportSignature, ids: torch.Tensor, ends: tuple[int, ...]
) -> torch.Tensor:
    """[S,V]. The host keeps as many slots as tokens; a graph that writes gets a buffer for all of them."""
    assert signature.facts is not None
    in_place, total, axis = signature.facts.writer != "host", ends[-1], 1 if signature.facts.writer == "scatter" else 2
    names = [past % i for i, kept in enumerate(cache_names(decoder.layers)) for past, _ in kept]
    past = {name: _slots(signature.inputs[name], total if in_place else 0, axis) for name in names}
    rows = []
    for start, end in zip((0, *ends), ends, strict=False):
        columns = total if in_place else end
        back = torch.arange(start, end)[:, None] - torch.arange(columns)
        given = {
            "input_ids": ids[:, start:end], "position_ids": torch.arange(start, end)[None],
            "seqlens_k": torch.tensor([end - 1]), "total_sequence_length": torch.tensor(end),
            "write_indices": torch.tensor([start]), "nonpad_kv_seqlen": torch.tensor([end]),
        }  # fmt: skip
        for group in signature.facts.groups:
            seen = (back >= 0) & (back < (group.window or total))
            given[group.mask] = torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]
        with torch.no_grad():
            logits, *new = decoder(*((given | past)[name] for name in signature.inputs))
        kept = new if in_place else [torch.cat([past[name], one], 2) for name, one in zip(names, new, strict=True)]
        past = dict(zip(names, kept, strict=True))
        rows.append(logits[0])
    return torch.cat(rows)


def _slots(example: torch.Tensor, count: int, axis: int) -> torch.Tensor:
    shape = [*example.shape]
    shape[axis] = count
    return torch.zeros(shape)


def test_a_layer_may_attend_to_its_keys_twice(tmp_path: Path) -> None:
    """DiffLlama does, with halves of the values, so that no operator may attend to the cache as it is."""
    checkpoint = open_checkpoint(str(save_decoder("diffllama", tmp_path / "checkpoint")))
    model = load_model(checkpoint, "text-generation")
    layers = causal_layers(model)
    assert [(layer.reads, layer.attends, layer.direct) for layer in layers] == [(0, True, False), (1, True, False)]
    check_causal(model, layers, resolve_recipe(checkpoint, {"capacity": 256}))
    for cache in ("gqa", "scatter"):
        with pytest.raises(LayoutError, match=r"from those that it caches.* build with --cache static or window"):
            check_layers(layers, cache)


def test_keys_that_no_layer_stores_are_refused() -> None:
    rows = torch.zeros(1, 1, 3, 4)

    def run(adapter: ProbeCacheAdapter) -> None:
        adapter.attend(AttentionCall(0, rows, rows, rows, 1.0, None, None, None))

    with pytest.raises(RecipeError, match="attends to keys that no layer stores"):
        detect_layers(run)


def test_shared_keys_have_one_window() -> None:
    rows = torch.zeros(1, 1, 3, 4)

    def run(adapter: ProbeCacheAdapter) -> None:
        key, value = adapter.update(rows, rows, 0)
        first = AttentionCall(0, rows, key, value, 1.0, 7, None, None, own_mask=True)
        adapter.attend(first)
        adapter.attend(replace(first, layer=1, window=8))

    with pytest.raises(RecipeError, match="another layer's keys with a window of its own"):
        detect_layers(run)


def test_layers_that_run_in_cycles_keep_keys_for_each(tmp_path: Path) -> None:
    """HRM runs its stacks several times, with a cache for every run."""
    config = {"num_layers_per_stack": 1, "head_dim": 16}
    checkpoint = open_checkpoint(str(save_decoder("hrm_text", tmp_path / "checkpoint", **config)))
    model = load_model(checkpoint, "text-generation")
    layers = causal_layers(model)
    assert len(layers) > sum(1 for name, _ in model.named_modules() if name.endswith("self_attn"))
    check_causal(model, layers, resolve_recipe(checkpoint, {"capacity": 256}))
