"""Version 1 in every shape: which sessions there are, when each runs, what feeds what, and what is kept of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflows.bundle.genai.configs import NEXT, SELF, SHAPES, Data, decoder, seeing, single, staged, translated
from workflows.bundle.schema import Pipeline

STEP = ["decoder step"]
CROSS = ["encoder init", "decoder step encoder"]
# shape → route, flow, edges
PROGRAMS: dict[str, tuple[str, list[str], list[str]]] = {
    "single": ("decoder", STEP, []),
    "renamed": ("decoder", STEP, []),
    "combined": ("combined", STEP, []),
    "optioned": ("decoder", STEP, []),
    "windowed": ("decoder", STEP, []),
    "recurrent": ("decoder", STEP, []),
    "drafting": ("decoder", STEP, []),
    "staged": (
        "decoder-pipeline",
        ["embeddings step", "transformer step", "head step"],
        ["embeddings.embedded > transformer.embedded", "transformer.hidden > head.hidden"],
    ),
    "split": (
        "prefill-decode",
        ["embeddings init", "prompt init", "head init", "embeddings step", "token step", "head step"],
        [
            "embeddings.embedded > prompt.embedded",
            "prompt.raw > head.hidden",
            "embeddings.embedded > token.embedded",
            "token.hidden > head.hidden",
        ],
    ),
    "hidden": ("encoder-decoder", CROSS, ["encoder.last_hidden_state > decoder.memory"]),
    "crossed": (
        "encoder-decoder",
        CROSS,
        [f"encoder.cross_{half}_{i} > decoder.seen_{half}_{i}" for i in range(2) for half in "kv"],
    ),
    "seeing": (
        "vision-language",
        ["vision init", "embedding init", "decoder step"],
        ["vision.vision_rows > embedding.image_features", "embedding.embedded > decoder.inputs_embeds"],
    ),
    "gridded": (
        "vision-language",
        ["vision init per_image", "embedding init", "body step", "head step"],
        [
            "vision.vision_rows > embedding.image_features",
            "embedding.embedded > body.inputs_embeds",
            "body.hidden > head.hidden",
        ],
    ),
    "hearing": (
        "speech-language",
        ["speech init", "embedding init", "decoder step"],
        ["speech.speech_rows > embedding.audio_features", "embedding.embedded > decoder.inputs_embeds"],
    ),
    "sensing": (
        "multimodal",
        ["vision init", "speech init", "embedding init", "decoder step"],
        [
            "vision.vision_rows > embedding.image_features",
            "speech.speech_rows > embedding.audio_features",
            "embedding.embedded > decoder.inputs_embeds",
        ],
    ),
}
PROGRAMS["transcribing"] = PROGRAMS["crossed"]


def flow_of(pipeline: Pipeline) -> list[str]:
    words = ((one.run, one.when, one.loop, one.cross_attention_from) for one in pipeline.pipeline.flow)
    return [" ".join(word for word in row if word and word != "batched") for row in words]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_its_program(shape: str) -> None:
    pipeline = translated(SHAPES[shape]())
    edges = [f"{edge.source} > {edge.target}" for edge in pipeline.pipeline.dataflow]
    assert (pipeline.route, flow_of(pipeline), edges) == PROGRAMS[shape]
    cross = pipeline.pipeline.state.cross_cache
    assert (cross.source if cross else None) == ("encoder" if pipeline.route == "encoder-decoder" else None)
    pipeline.check("the file")  # nothing in it contradicts itself


def test_what_both_versions_say_has_one_place() -> None:
    """Tokens, sampling, lengths: `search.max_length` goes before the context, and what is said is not kept twice."""
    pipeline = translated(single())
    tokens, generation = pipeline.tokens, pipeline.generation
    assert (tokens.eos, tokens.pad, tokens.bos) == ([2, 3], 0, 1)
    assert generation is not None and generation.sampling is not None
    assert (generation.max_length, generation.min_length, generation.num_beams) == (64, 0, 1)
    sampling = generation.sampling
    assert (sampling.temperature, sampling.top_k, sampling.top_p) == (0.7, 5, 0.9)
    assert (sampling.do_sample, sampling.repetition_penalty) == (True, 1.5)
    facts = pipeline.metadata
    assert (facts.model_type, facts.vocabulary, facts.kv_heads, facts.head_size) == ("llama", 40, 2, 4)
    assert (facts.name, facts.task, facts.counts) == ("toy", "text-generation", True)
    rest = facts.genai
    assert rest["model"] == {
        "context_length": 128,
        "decoder": {key: single()["model"]["decoder"][key] for key in ("hidden_size", "num_attention_heads")}
        | {"head_size": 4, "num_key_value_heads": 2, "num_hidden_layers": 2}
        | {"inputs": {key: key for key in ("input_ids", "attention_mask", "position_ids")}}
        | {"outputs": {"logits": "logits"}},
    }
    assert not {"do_sample", "top_k", "top_p", "temperature", "min_length"} & rest["search"].keys()
    assert (rest["search"]["chunk_size"], rest["search"]["random_seed"]) == (16, -1)
    assert rest["speculative"] == single()["speculative"] and rest["engine"] == single()["engine"]


@pytest.mark.parametrize(
    ("search", "context", "capacity"),
    [({"max_length": 32}, 64, 32), ({"max_length": 0}, 64, 64), ({}, 64, 64), ({"max_length": 32}, 0, 32)],
)
def test_the_capacity(search: Data, context: int, capacity: int) -> None:
    data = single() | {"search": search}
    data["model"]["context_length"] = context
    assert translated(data).capacity == capacity


def test_one_end_token_and_ids_that_say_there_is_none() -> None:
    data = single()
    data["model"] |= {"eos_token_id": 7, "pad_token_id": -1}
    tokens = translated(data).tokens
    assert (tokens.eos, tokens.pad) == ([7], None)


def test_the_cache_is_named_as_the_graphs_name_it() -> None:
    def names(data: Data) -> list[str]:
        state = translated(data).pipeline.state.kv_cache
        assert state is not None
        return [state.format, state.past_key_pattern, state.past_value_pattern, state.present_key_pattern,
                state.present_value_pattern]  # fmt: skip

    assert names(single()) == ["separate", *SELF.values(), *NEXT.values()]
    assert names(SHAPES["renamed"]()) == ["separate", "k_%d", "v_%d", "k_%d_next", "v_%d_next"]
    found = names(SHAPES["combined"]())
    assert (found[0], found[1], found[3]) == ("combined", "past_%d", "present_%d")
    unsaid = single()
    unsaid["model"]["decoder"] = {"filename": "model.onnx"}
    assert names(unsaid) == ["separate", *SELF.values(), *NEXT.values()]  # the peer's own defaults


def test_tensors_of_other_names_are_known_by_joinerys() -> None:
    facts = translated(SHAPES["renamed"]()).metadata
    assert facts.names == {
        "decoder.tokens": "input_ids",
        "decoder.mask": "attention_mask",
        "decoder.lengths": "seqlens_k",
        "decoder.total": "total_sequence_length",
        "decoder.scores": "logits",
    }
    assert translated(SHAPES["renamed"]()).positions.input_name == "places"
    assert translated(SHAPES["hidden"]()).metadata.names == {"decoder.memory_mask": "encoder_attention_mask"}
    assert translated(SHAPES["seeing"]()).metadata.names == {"embedding.image_in": "image_features"}
    data = staged()
    data["model"]["decoder"]["inputs"]["input_ids"] = data["model"]["decoder"]["outputs"]["logits"] = "x"
    stages = data["model"]["decoder"]["pipeline"][0]
    stages["embeddings"]["inputs"], stages["head"]["outputs"] = ["x"], ["x"]
    assert translated(data).metadata.names == {"embeddings.x": "input_ids", "head.x": "logits"}


@pytest.mark.parametrize("kind", ["qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_5", "qwen3_5_moe", "fara"])
def test_types_with_positions_of_three_numbers(kind: str) -> None:
    """And a vision encoder that genai runs once for each picture."""
    data = SHAPES["gridded"]()
    data["model"]["type"] = kind
    made = translated(data)
    assert made.positions.strategy == "mrope_3d"
    assert [stage.loop for stage in made.pipeline.flow if stage.run == "vision"] == ["per_image"]


def test_positions_and_places() -> None:
    gridded = translated(SHAPES["gridded"]())
    assert (gridded.positions.strategy, gridded.positions.grid_source) == ("mrope_3d", "vision.grids")
    assert gridded.feature_tokens == {"image": 38, "video": 37}
    assert translated(SHAPES["sensing"]()).feature_tokens == {"image": 38, "audio": 39}
    assert translated(SHAPES["windowed"]()).positions.strategy == "windowed"
    assert translated(single()).positions.strategy == "auto"


def test_states_of_layers_that_keep_no_keys() -> None:
    """By the type of each layer; the names of outputs cannot be told from the inputs'."""
    assert translated(SHAPES["recurrent"]()).metadata.carried == {
        "decoder.past_conv.0": "next_conv.0",
        "decoder.past_rec.0": "next_rec.0",
        "decoder.past_conv.2": "next_conv.2",
        "decoder.past_rec.2": "next_rec.2",
    }


def test_options_go_to_their_sessions() -> None:
    """A stage without options of its own has the decoder's, unless it says not to inherit them."""
    pipeline = translated(SHAPES["optioned"]())
    options = pipeline.pipeline.sessions["decoder"].session_options
    assert (options.intra_op_num_threads, options.enable_profiling) == (2, "run")
    assert options.entries == {"session.use_env_allocators": "1"}
    assert options.of_provider("CUDA") == {"enable_cuda_graph": "0"}
    data = staged()
    assert threads(data) == {"embeddings": 2, "transformer": 1, "head": 2}
    data["model"]["decoder"]["pipeline"][0]["head"]["inherit_session_options"] = False
    assert threads(data) == {"embeddings": 2, "transformer": 1, "head": None}


def threads(data: Data) -> dict[str, int | None]:
    sessions = translated(data).pipeline.sessions
    return {name: one.session_options.intra_op_num_threads for name, one in sessions.items()}


def test_stages_may_stand_in_one_object_or_in_a_list() -> None:
    listed, rows = staged(), staged()
    (stages,) = rows["model"]["decoder"]["pipeline"]
    listed["model"]["decoder"]["pipeline"] = [{name: one} for name, one in stages.items()]
    bare = staged()
    bare["model"]["decoder"]["pipeline"] = stages
    assert translated(listed).pipeline == translated(rows).pipeline == translated(bare).pipeline


@pytest.mark.parametrize(
    ("change", "loops"), [({"type": "qwen2_vl"}, True), ({"type": "pixtral"}, True), ({"type": "phi3v"}, False)]
)
def test_pictures_one_by_one(change: Data, loops: bool) -> None:
    data = seeing()
    data["model"] |= change
    assert translated(data).pipeline.outline().runs_per_input("vision") == loops


def test_an_embedding_hands_over_what_its_outputs_name() -> None:
    """Embeddings and, where there are some, each layer's own inputs."""
    data = seeing()
    data["model"]["embedding"]["outputs"] |= {"per_layer_inputs": "extra"}
    data["model"]["decoder"]["inputs"] |= {"per_layer_inputs": "own", "inputs_embeds": "rows"}
    edges = {edge.source: edge.target for edge in translated(data).pipeline.dataflow}
    assert edges["embedding.embedded"] == "decoder.rows"
    assert edges["embedding.extra"] == "decoder.own"


def test_hidden_states_beside_keys_and_values() -> None:
    """An encoder that gives both, to a decoder that takes both."""
    data = SHAPES["crossed"]()
    data["model"]["encoder"]["outputs"]["encoder_outputs"] = "heard"
    data["model"]["decoder"]["inputs"]["encoder_hidden_states"] = "memory"
    edges: Any = [(edge.source, edge.target) for edge in translated(data).pipeline.dataflow]
    assert edges[0] == ("encoder.heard", "decoder.memory") and len(edges) == 5


def test_rings_are_the_importers_to_change() -> None:
    """Layers with a ring of their own run once their graphs were changed, and are said to have none then."""
    data = single()
    data["model"]["decoder"] = decoder(sliding_window={"window_size": 8, "layers": [0, 2], "cache_slack": 1})
    rest = translated(data, importing=True).metadata.genai
    assert rest["model"]["decoder"]["sliding_window"] == {"window_size": 8}
