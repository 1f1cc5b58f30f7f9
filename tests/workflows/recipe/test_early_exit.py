"""What early_exit asks of a recipe, and the part that it adds to the cut."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflows.recipe.test_cut import SPLIT, THREE, decoder
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.recipe import resolve_recipe
from workflows.recipe.cut import Cut


def edges(cut: Cut) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in cut.edges}


@pytest.mark.parametrize("options", [{}, SPLIT, {"cache": "gqa"}, {"cache": "scatter"}])
def test_the_draft_is_the_decoder_with_fewer_layers(options: dict[str, Any]) -> None:
    plain, cut = decoder(**options), decoder(**options, early_exit=1)
    draft = cut.components[-1]
    assert cut.components[:-1] == plain.components and cut.stages == plain.stages and not cut.edges
    assert (draft.name, draft.when, draft.columns, draft.slots) == ("draft", (), None, None)
    assert draft.own_inputs == plain.components[-1].own_inputs and draft.own_outputs == ("logits",)
    assert draft.state is not None and draft.state.past == ("past_key_values.0.key", "past_key_values.0.value")


def test_it_shares_the_table_and_the_head() -> None:
    """Of a model in three parts."""
    assert edges(decoder(**THREE, early_exit=1)) == edges(decoder(**THREE)) | {
        ("embeddings.inputs_embeds", "draft.inputs_embeds"), ("draft.hidden_states", "head.hidden_states"),
    }  # fmt: skip


def test_its_masks_are_those_of_its_layers() -> None:
    """Of layers with and without a window the first has one mask, which is called as an only one is."""
    config = {"sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"]}
    whole, draft = decoder(config, early_exit=1).components
    assert [name for name in whole.own_inputs if "mask" in name] == ["attention_mask", "attention_mask_8"]
    assert [name for name in draft.own_inputs if "mask" in name] == ["attention_mask"]
    assert draft.state is not None and draft.state.windows == (8,)


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        ("demo:qwen3", {"early_exit": 99}, "skips none of the model's"),
        ("demo:qwen3", {"early_exit": 1, "target": "qnn"}, "takes fixed shapes only"),
        ("demo:qwen3", {"early_exit": 1, "passes": {"last_token_logits": True}}, "last_token_logits"),
        ("demo:qwen3", {"early_exit": 1, "precision": "w8a8"}, "quantize.components.draft"),
        ("demo:t5", {"early_exit": 1}, "a decoder that reads text alone"),
        ("demo:vision", {"early_exit": 1}, "a decoder that reads text alone"),
        ("demo:qwen3", {"early_exit": 0}, "early_exit is wrong"),
    ],
)
def test_what_cannot_be_is_refused(source: str, options: dict[str, Any], why: str) -> None:
    with pytest.raises(RecipeError, match=why):
        resolve_recipe(open_checkpoint(source), options)


def test_the_draft_may_have_a_precision_of_its_own() -> None:
    recipe = resolve_recipe(
        open_checkpoint("demo:qwen3"),
        {"early_exit": 1, "precision": "w8a8", "quantize": {"components": {"draft": "int8"}}},
    )
    assert recipe.precision_of("draft") == "int8"
    mixed = {"early_exit": 1, "precision": "fp16", "quantize": {"components": {"draft": "int8"}}}
    assert resolve_recipe(open_checkpoint("demo:qwen3"), mixed).precision == "fp16"  # whose caches are two
