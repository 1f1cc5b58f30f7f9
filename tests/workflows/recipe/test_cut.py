"""The cut of every kind of model: its parts, when each runs, what it takes and gives, and who feeds whom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.families.models import save_smolvlm
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.recipe import Recipe, family_for, resolve_recipe
from workflows.recipe.cache_layout import layout_conflict
from workflows.recipe.compatibility import encoder_notice
from workflows.recipe.cut import CacheTensors, ComponentRole, Cut, make_cut

LLAMA = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 211}
T5 = {"num_layers": 2, "d_model": 64, "num_heads": 4, "d_kv": 16, "vocab_size": 211}
SPLIT = {"graphs": "prefill-decode", "capacity": 256, "chunk": 32}
THREE: dict[str, Any] = {"variant": "transformer-only", "cache": "gqa"}
PAST = ("past_key_values.0.key", "past_key_values.0.value", "past_key_values.1.key", "past_key_values.1.value")
PRESENT = ("present.0.key", "present.0.value", "present.1.key", "present.1.value")
CROSS = ("cross.0.key", "cross.0.value", "cross.1.key", "cross.1.value")
TEXT = ("input_ids", "position_ids", "attention_mask")
LENGTHS = ("seqlens_k", "total_sequence_length")


def cut(model_type: str, config: dict[str, Any], task: str, **options: Any) -> Cut:
    """The cut of a recipe with these options."""
    family = family_for(model_type, task)
    recipe = Recipe(source="x", model_type=model_type, family=family.name, task=task, **options)
    return make_cut(family, recipe, family.geometry(config) if family.cached else None)


def decoder(config: dict[str, Any] | None = None, **options: Any) -> Cut:
    """Of a llama."""
    return cut("llama", LLAMA | (config or {}), "text-generation", **options)


def seeing(encoder: str) -> Cut:
    """Of a LLaVA with this vision encoder."""
    config = {"text_config": LLAMA, "vision_config": {"model_type": encoder}}
    return cut("llava", config, "image-text-to-text", cache="static")


def behind_encoder(**options: Any) -> Cut:
    """Of a T5."""
    return cut("t5", T5, "translation", **options)


Row = tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]  # part, when, what it takes, what it gives
STEP, INIT, BOTH = ("step",), ("init",), ("init", "step")
TABLE: list[tuple[str, Cut, list[Row], set[tuple[str, str]]]] = [
    ("decoder", decoder(), [("decoder", STEP, TEXT, ("logits",))], set()),
    (
        "prefill and decode",
        decoder(**SPLIT, cache="scatter"),
        [
            ("prefill", INIT, (*TEXT, "write_indices", "nonpad_kv_seqlen"), ("logits",)),
            ("decode", STEP, (*TEXT, "write_indices", "nonpad_kv_seqlen"), ("logits",)),
        ],
        set(),
    ),
    (
        "transformer-only",
        decoder(**THREE),
        [
            ("embeddings", STEP, ("input_ids",), ("inputs_embeds",)),
            ("transformer", STEP, ("inputs_embeds", *LENGTHS), ("hidden_states",)),
            ("head", STEP, ("hidden_states",), ("logits",)),
        ],
        {("embeddings", "transformer"), ("transformer", "head")},
    ),
    (
        "transformer-only, prefill and decode",
        decoder(**THREE, **SPLIT),
        [
            ("embeddings", BOTH, ("input_ids",), ("inputs_embeds",)),
            ("prefill", INIT, ("inputs_embeds", *LENGTHS), ("hidden_states",)),
            ("decode", STEP, ("inputs_embeds", *LENGTHS), ("hidden_states",)),
            ("head", BOTH, ("hidden_states",), ("logits",)),
        ],
        {("embeddings", "prefill"), ("embeddings", "decode"), ("prefill", "head"), ("decode", "head")},
    ),
    (
        "encoder, decoder",
        behind_encoder(),
        [
            ("encoder", INIT, ("input_ids", "source_mask"), CROSS),
            ("decoder", STEP, (*TEXT, "source_mask", *CROSS), ("logits",)),
        ],
        {("encoder", "decoder")},
    ),
    (
        "encoder, prefill and decode",
        behind_encoder(**SPLIT),
        [
            ("encoder", INIT, ("input_ids", "source_mask"), CROSS),
            ("prefill", INIT, (*TEXT, "source_mask", *CROSS), ("logits",)),
            ("decode", STEP, (*TEXT, "source_mask", *CROSS), ("logits",)),
        ],
        {("encoder", "prefill"), ("encoder", "decode")},
    ),
    (
        "text without a cache",
        cut("bert", {}, "fill-mask"),
        [("model", INIT, ("input_ids", "attention_mask"), ("logits",))],
        set(),
    ),
    (
        "pictures",
        cut("glpn", {}, "depth-estimation"),
        [("model", INIT, ("pixel_values",), ("predicted_depth",))],
        set(),
    ),
    (
        "layers that see less far",
        decoder({"sliding_window": 24, "layer_types": ["sliding_attention", "full_attention"]}),
        [("decoder", STEP, (*TEXT, "attention_mask_24"), ("logits",))],
        set(),
    ),
]


@pytest.mark.parametrize(("made", "rows", "pairs"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_table_of_cuts(made: Cut, rows: list[Row], pairs: set[tuple[str, str]]) -> None:
    """Parts in the order of the data; the edges carry all that one gives and another takes."""
    assert [(part.name, part.when, part.own_inputs, part.own_outputs) for part in made.components] == rows
    given, taken = ({part.name: ends for part, ends in zip(made.components, column, strict=True)}
                    for column in ([row[3] for row in rows], [row[2] for row in rows]))  # fmt: skip
    assert {(edge.producer, edge.consumer) for edge in made.edges} == pairs
    for giver, taker in pairs:
        carried = [edge.tensor for edge in made.edges if (edge.producer, edge.consumer) == (giver, taker)]
        assert carried == [name for name in given[giver] if name in taken[taker]] != []


@pytest.mark.parametrize(
    ("made", "keepers", "source"),
    [
        (decoder(), [ComponentRole.DECODER], None),
        (decoder(**SPLIT), [ComponentRole.PREFILL, ComponentRole.DECODE], None),
        (decoder(**THREE), [ComponentRole.TRANSFORMER], None),
        (behind_encoder(**SPLIT), [ComponentRole.PREFILL, ComponentRole.DECODE], "encoder"),
        (cut("bert", {}, "fill-mask"), [], None),
    ],
)
def test_who_keeps_the_cache_and_who_reads_the_source(
    made: Cut, keepers: list[ComponentRole], source: str | None
) -> None:
    """One state, of a pair of tensors a layer and role; chunks and windows are no matter of the source's part."""
    assert [part.role for part in made.cached_components] == keepers and made.source == source
    assert (made.cache is not None) == bool(keepers)
    for part in made.components:
        assert part.state is (made.cache if part in made.cached_components else None)
        assert part.inputs == part.own_inputs + (PAST if part.state else ())
        assert part.outputs == part.own_outputs + (PRESENT if part.state else ())
        assert made.follows_text(part) == (bool(keepers) and part.name != source)


def test_the_stages_run_in_their_order() -> None:
    """What runs at init before what runs at step, each in the order of the data."""
    assert decoder(**THREE, **SPLIT).stages == (
        ("embeddings", "init"), ("prefill", "init"), ("head", "init"),
        ("embeddings", "step"), ("decode", "step"), ("head", "step"),
    )  # fmt: skip
    assert behind_encoder().stages == (("encoder", "init"), ("decoder", "step"))


def test_fixed_axes() -> None:
    """Prefill takes a chunk and decode one token; GroupQueryAttention of the transformer takes any buffer."""
    assert [(part.copy_of, part.columns, part.slots) for part in decoder().components] == [(None, None, None)]
    made = behind_encoder(**SPLIT).components
    assert [(part.copy_of, part.columns, part.slots) for part in made] == [
        (None, None, None), (ComponentRole.DECODER, 32, 256), (ComponentRole.DECODER, 1, 256)
    ]  # fmt: skip
    made = decoder(**THREE, **SPLIT).cached_components
    assert [(part.copy_of, part.columns, part.slots) for part in made] == [
        (ComponentRole.TRANSFORMER, 32, None), (ComponentRole.TRANSFORMER, 1, None)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "windows"),
    [
        ({}, (None,) * 6),
        ({"sliding_window": None}, (None,) * 6),
        ({"sliding_window": 24}, (24,) * 6),
        ({"sliding_window": 24, "use_sliding_window": False}, (None,) * 6),
        ({"sliding_window": 24, "sliding_window_pattern": 3}, (24, 24, None, 24, 24, None)),
        ({"sliding_window": 24, "layer_types": ["sliding_attention", "full_attention"] * 3}, (24, None) * 3),
        ({"sliding_window": 24, "layer_types": ["full_attention"] * 6}, (None,) * 6),
    ],
)
def test_the_windows_that_a_config_names(config: dict[str, Any], windows: tuple[int | None, ...]) -> None:
    """Layer by layer."""
    geometry = family_for("llama").geometry(LLAMA | {"num_hidden_layers": 6} | config)
    assert (CacheTensors(geometry.caches).windows, geometry.layers) == (windows, 6)


def test_layers_of_state_keep_no_rows_by_the_config() -> None:
    """A list of kinds, a pattern of letters, and a config without heads."""
    geometry = family_for("llama").geometry
    kinds = {"layer_types": ["conv", "full_attention", "linear_attention", "mamba"]}
    pattern = {"num_hidden_layers": None, "hybrid_override_pattern": "M-*E"}
    assert [layer.rows for layer in geometry(LLAMA | {"num_hidden_layers": 4} | kinds).caches] == [
        False,
        True,
        False,
        False,
    ]
    assert [layer.rows for layer in geometry(LLAMA | pattern).caches] == [False, False, True, False]
    headless = {name: value for name, value in LLAMA.items() if "heads" not in name} | {"state_size": 16}
    assert not any(layer.rows for layer in geometry(headless).caches)
    assert geometry(headless).kv_bytes_per_token() == 0


def test_layers_with_state_are_those_that_the_config_lists() -> None:
    """By their kind or letter; all of a model without attention, and none of one that lists none."""
    geometry = family_for("llama").geometry
    kinds = {"layer_types": ["conv", "full_attention", "linear_attention", "mlp"]}
    hybrid = geometry(LLAMA | {"num_hidden_layers": 4} | kinds)
    assert [layer.states for layer in hybrid.caches] == [("conv",), (), ("conv", "recurrent"), ()]
    assert hybrid.state_layers == 2
    assert geometry(LLAMA | {"num_hidden_layers": None, "hybrid_override_pattern": "M-*E"}).state_layers == 1
    headless = {name: value for name, value in LLAMA.items() if "heads" not in name} | {"state_size": 16}
    assert geometry(headless).state_layers == geometry(headless).layers and geometry(LLAMA).state_layers == 0


def test_one_window_of_all_layers_needs_no_number() -> None:
    """There is one mask, and another layout has none."""
    assert decoder({"sliding_window": 24}).components[0].own_inputs == TEXT
    assert decoder({"sliding_window": 24}, cache="gqa").components[0].own_inputs == (
        "input_ids",
        "position_ids",
        *LENGTHS,
    )


@pytest.mark.parametrize(
    ("components", "refused"),
    [
        ({"embeddings": "fp16", "head": "fp16"}, False),
        ({"prefill": "fp16", "decode": "fp16"}, False),
        ({"decode": "bf16"}, True),
        ({"decode": "int8"}, False),
    ],
)
def test_parts_that_share_a_cache_have_it_in_one_type(components: dict[str, str], refused: bool) -> None:
    """The others may be in any."""
    options = {**THREE, **SPLIT, "quantize": {"components": components}}
    if not refused:
        assert resolve_recipe(open_checkpoint("demo:qwen3"), options).quantize.components == components
        return
    with pytest.raises(RecipeError, match="bf16 changes the dtype of the cache, which prefill and decode share"):
        resolve_recipe(open_checkpoint("demo:qwen3"), options)


def test_a_vision_encoder_stays_whole_unless_asked(tmp_path: Path) -> None:
    """In integers; half precision is for all, as the rows go from one component to the other."""
    checkpoint = open_checkpoint(str(save_smolvlm(tmp_path, image_token_id=200)))

    def vision(**options: Any) -> str:
        return resolve_recipe(checkpoint, options).precision_of("vision")

    assert (vision(), vision(precision="int4"), vision(precision="int8"), vision(precision="fp16")) == (
        "fp32", "fp32", "fp32", "fp16",
    )  # fmt: skip
    assert vision(precision="int4", quantize={"components": {"vision": "int8"}}) == "int8"
    assert resolve_recipe(checkpoint, {"precision": "int4"}).precision_of("decoder") == "int4"


@pytest.mark.parametrize(("target", "place", "said"), [
    ("cpu", {}, ""), ("dml", {}, "one tile at a time"), ("qnn", {"embeddings": "cpu"}, "one tile at a time"),
])  # fmt: skip
def test_targets_of_fixed_shapes_read_one_tile_at_a_time(
    target: str, place: dict[str, str], said: str, tmp_path: Path
) -> None:
    checkpoint = open_checkpoint(str(save_smolvlm(tmp_path, image_token_id=200)))
    recipe = resolve_recipe(checkpoint, {"target": target})
    family = family_for(recipe.model_type, recipe.task)
    geometry = family.geometry(checkpoint.config)
    notice = encoder_notice(recipe, family, geometry)
    assert recipe.place == place and said in notice and bool(notice) == bool(said)
    assert make_cut(family, recipe, geometry).components[0].tiles == (None if target == "cpu" else 1)
    others = encoder_notice(recipe, family, replace(geometry, sees="grids"))
    assert "the vision encoder has dynamic shapes" in others or target == "cpu"


@pytest.mark.parametrize(("model_type", "reads"), [("smolvlm", ("pixel_values",)),
                                                   ("qwen2_5_vl", ("pixel_values", "image_grid_thw"))])  # fmt: skip
def test_pictures_stand_before_the_embeddings(model_type: str, reads: tuple[str, ...]) -> None:
    """Their rows take the place of placeholders; the decoder takes embeddings."""
    whole = cut(model_type, {"text_config": LLAMA}, "image-text-to-text", cache="static")
    assert [(part.name, part.when) for part in whole.components] == [
        ("vision", ("init",)), ("embeddings", ("step",)), ("decoder", ("step",)),
    ]  # fmt: skip
    assert whole.components[0].own_inputs == reads
    assert [edge.source for edge in whole.edges] == ["vision.image_features", "embeddings.inputs_embeds"]
    assert not whole.follows_text(whole.components[0]) and whole.source is None


def test_a_sound_is_read_whole() -> None:
    """No mask: every window has the same length."""
    config = {"decoder_layers": 2, "d_model": 64, "decoder_attention_heads": 4, "vocab_size": 211}
    encoder, decoder = cut("whisper", config, "automatic-speech-recognition", cache="static").components
    assert encoder.own_inputs == ("input_features",) and "source_mask" not in decoder.inputs
    assert encoder.own_outputs == CROSS


@pytest.mark.parametrize(
    ("encoder", "reads"), [("clip_vision_model", ("pixel_values",)), ("pixtral", ("pixel_values", "image_sizes"))]
)
def test_a_vision_encoder_takes_what_its_own_type_reads(encoder: str, reads: tuple[str, ...]) -> None:
    assert seeing(encoder).components[0].inputs == reads


@pytest.mark.parametrize("size", [0, 8])
def test_a_token_may_have_an_embedding_for_each_layer(size: int) -> None:
    """Gemma 4's; between embeddings and decoder, beside the first."""
    text = LLAMA | {"hidden_size_per_layer_input": size, "head_dim": 16}
    parts = cut("gemma4", {"text_config": text, "vision_config": {}}, "image-text-to-text", cache="static").components
    beside = ("per_layer_inputs",) if size else ()
    assert parts[1].outputs == ("inputs_embeds", *beside)
    assert parts[2].inputs[: 2 + len(beside)] == ("inputs_embeds", *beside, "position_ids")


@pytest.mark.parametrize(("said", "conflicts"), [("vision", True), (None, False)])
def test_pictures_whose_places_attend_to_each_other_refuse_layouts(said: str | None, conflicts: bool) -> None:
    """Of Gemma 4, by its config."""
    family = family_for("gemma4")
    geometry = family.geometry({"text_config": LLAMA | {"use_bidirectional_attention": said, "head_dim": 16}})
    recipe = Recipe(source="x", model_type="gemma4", family="gemma4", task="image-text-to-text")
    for cache in ("gqa", "window"):
        assert ("places of a picture" in layout_conflict(cache, recipe, family, geometry)) == conflicts
