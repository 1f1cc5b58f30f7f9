"""Version 1 into version 2 and back: nothing that version 1 can say is lost, and nothing is said that it did not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.workflows.bundle.genai.configs import NEXT, SELF, SHAPES, SIZES, Data, single, staged, translated
from workflows.bundle.genai.to_version1 import TYPES, DecoderGeometry, TensorNames, to_version1, unsupported_keys
from workflows.bundle.genai.version1 import GenaiConfig
from workflows.bundle.schema import Pipeline, parse_pipeline

NOWHERE = DecoderGeometry(layers=99, kv_heads=99, head_size=99, heads=99, width=99)  # never said of what said its own
DEFAULTS = {"past_key_names", "past_value_names", "present_key_names", "present_value_names"}


def lowered(pipeline: Pipeline, tensors: dict[str, TensorNames] | None = None) -> Data:
    named = tensors or {name: TensorNames((), ()) for name in pipeline.pipeline.sessions}
    return to_version1(pipeline, NOWHERE, named, shares_buffer=True, defaults={"no_repeat_ngram_size": 9})


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}")
    else:
        yield path, value


def said(data: Data) -> dict[str, object]:
    """Everything that a file says, by path; stages by their names, in whatever lists they stand."""
    read = GenaiConfig.model_validate(data)
    plain = read.model_dump(exclude_unset=True)
    inner = plain["model"]["decoder"]
    if "pipeline" in inner:
        inner["pipeline"] = {name: stage for row in inner["pipeline"] for name, stage in row.items()}
        plain["stages"] = list(inner["pipeline"])  # their order
    return dict(leaves(plain))


def check_round(data: Data) -> None:
    before = said(data)
    pipeline = translated(data)
    after = said(lowered(pipeline))
    assert {path: after.get(path) for path in before} == before
    added = {path for path in after if path not in before}
    assert all(path.rpartition(".")[2] in DEFAULTS for path in added), added
    again = translated(lowered(pipeline))
    assert again.pipeline == pipeline.pipeline and again.tokens == pipeline.tokens
    assert again.generation == pipeline.generation


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_there_and_back(shape: str) -> None:
    check_round(SHAPES[shape]())


# what may stand in any file: path → values
ANYWHERE: dict[str, tuple[object, ...]] = {
    "model.type": ("llama", "gpt2", "new-one"),
    "model.eos_token_id": (2, [2], [2, 3], []),
    "model.pad_token_id": (0, 5, -1),
    "model.bos_token_id": (1, -1),
    "model.sep_token_id": (4,),
    "model.decoder_start_token_id": (6,),
    "model.tokenizer_dir": ("", "words"),
    "model.vocab_size": (40, 50_000),
    "model.context_length": (64, 4096),
    "model.boa_token_id": (7,),
    "model.num_mels": (80,),
    "model.tdt_durations": ([0, 1],),
    "model.decoder.num_key_value_heads": (1, 2),
    "model.decoder.head_size": (4, 128),
    "model.decoder.hidden_size": (8,),
    "model.decoder.conv_cache_size": (3,),
    "model.decoder.run_options": ({"a.b": "c"},),
    "model.decoder.outputs.hidden_states": ("hidden_states",),
    "model.decoder.sliding_window": ({"window_size": 4}, {"window_size": 4, "slide_inputs": False}),
    "search.max_length": (16, 0, 4096),
    "search.min_length": (0, 3),
    "search.num_beams": (1, 2),
    "search.temperature": (0.5, 1.0),
    "search.top_k": (0, 50),
    "search.top_p": (0.5, 1.0),
    "search.do_sample": (True, False),
    "search.repetition_penalty": (1.0, 1.25),
    "search.no_repeat_ngram_size": (0, 2),
    "search.length_penalty": (1.0, -2.0),
    "search.random_seed": (-1, 7),
    "search.chunk_size": (0, 64),
    "search.past_present_share_buffer": (True, False),
    "search.blank_penalty": (0.5,),
    "speculative": ({"ngram_size": 2}, {"max_draft_tokens": 16, "cooldown": True}),
    "engine": ({"static_batching": {"max_batch_size": 3}}, {"dynamic_batching": {"block_size": 1}}),
}


def changed(data: Data, chances: random.Random) -> Data:
    """A file in which some of what may be said is said, otherwise said, or not said."""
    for path, values in ANYWHERE.items():
        *way, last = path.split(".")
        here = data
        for key in way:
            here = here.setdefault(key, {})
        if (choice := chances.random()) < 0.4:
            here[last] = chances.choice(values)
        elif choice < 0.6 and path not in ("model.type", "model.context_length"):
            here.pop(last, None)
    return data


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("shape", SHAPES)
def test_any_file_there_and_back(shape: str, seed: int) -> None:
    """What may be said in every shape, drawn anew for each seed."""
    check_round(changed(SHAPES[shape](), random.Random(f"{shape} {seed}")))


def test_what_version_2_says_since_goes_out() -> None:
    """A file that was version 1 and was changed as version 2: its lengths, tokens and sampling are what it says now."""
    pipeline = translated(single())
    data = pipeline.model_dump(mode="json", by_alias=True, exclude_none=True)
    data["generation"]["max_length"] = 32
    data["generation"]["sampling"]["top_k"] = 3
    data["tokens"]["eos"] = [9]
    made = lowered(parse_pipeline(data, "the file"))
    assert (made["search"]["max_length"], made["search"]["top_k"], made["model"]["eos_token_id"]) == (32, 3, 9)
    assert made["model"]["context_length"] == 128  # still the model's


def built(**changes: Any) -> Pipeline:
    """A decoder as Joinery builds it, which never was version 1."""
    facts = {"model_type": "qwen3", "vocabulary": 40, "name": "small"} | changes.pop("metadata", {})
    flow: Data = {
        "sessions": {"decoder": {"file": "decoder.onnx"}},
        "flow": [{"run": "decoder"}],
        "state": {"kv_cache": {}},
    }
    flow |= changes.pop("pipeline", {})
    data = {"pipeline": flow, "tokens": {"eos": [2]}, "generation": {"max_length": 64}, "metadata": facts} | changes
    return parse_pipeline(data, "the file")


ENDS = TensorNames(
    ("input_ids", "attention_mask", "position_ids", "past_key_values.0.key"), ("logits", "present.0.key")
)


def made_of(pipeline: Pipeline) -> Data:
    tensors = dict.fromkeys(pipeline.pipeline.sessions, ENDS)
    geometry = DecoderGeometry(layers=2, kv_heads=2, head_size=4, heads=4, width=16)
    return to_version1(pipeline, geometry, tensors, shares_buffer=False, defaults={"repetition_penalty": 1.5})


def test_a_decoder_that_was_built_here() -> None:
    """Its type is the peer's own where there is one, else the generic; sizes from the graphs."""
    made = made_of(built())
    assert GenaiConfig.model_validate(made)
    model = made["model"]
    assert (model["type"], model["vocab_size"], model["context_length"], model["eos_token_id"]) == ("qwen3", 40, 64, 2)
    wanted = SIZES | {"num_attention_heads": 4, "hidden_size": 16}
    assert {key: model["decoder"][key] for key in wanted} == wanted
    plain = {key: key for key in ("input_ids", "attention_mask", "position_ids")}
    assert model["decoder"]["inputs"] == plain | SELF
    assert model["decoder"]["outputs"] == {"logits": "logits"} | NEXT
    assert model["decoder"]["filename"] == "decoder.onnx"
    assert made["search"] == {"past_present_share_buffer": False, "repetition_penalty": 1.5, "max_length": 64}
    assert made_of(built(metadata={"model_type": "afmoe"}))["model"]["type"] == "decoder"
    assert "decoder" not in TYPES


def test_stages_that_were_built_here() -> None:
    parts = ("embeddings", "transformer", "head")
    flow = {
        "sessions": {part: {"file": f"{part}.onnx"} for part in parts},
        "flow": [{"run": part} for part in parts],
        "dataflow": [
            {"from": "embeddings.inputs_embeds", "to": "transformer.inputs_embeds"},
            {"from": "transformer.hidden_states", "to": "head.hidden_states"},
        ],
    }
    pipeline = built(pipeline=flow)
    tensors = {
        "embeddings": TensorNames(("input_ids",), ("inputs_embeds",)),
        "transformer": TensorNames(("inputs_embeds", "attention_mask"), ("hidden_states",)),
        "head": TensorNames(("hidden_states",), ("logits",)),
    }
    made = to_version1(pipeline, DecoderGeometry(2, 2, 4), tensors, shares_buffer=True, defaults={})
    (stages,) = made["model"]["decoder"]["pipeline"]  # type: ignore[index]
    assert stages == {
        part: {"filename": f"{part}.onnx", "inputs": list(ends.inputs), "outputs": list(ends.outputs)}
        for part, ends in tensors.items()
    }
    assert translated(made).pipeline.dataflow == pipeline.pipeline.dataflow


@pytest.mark.parametrize(
    ("changes", "path", "why"),
    [
        ({"metadata": {"layout": "window"}}, "metadata.layout", "does not support a sliding cache"),
        ({"metadata": {"layout": "fifo"}}, "metadata.layout", "does not support a sliding cache"),
        ({"generation": {"max_length": 64, "logits": [{"op": "sample"}]}}, "generation.logits", "has no chain"),
        ({"pipeline": {"strategy": {"kind": "speculative"}}}, "pipeline.strategy", "no such key"),
        ({"pipeline": {"roles": {"target": "decoder"}}}, "pipeline.roles", "no such key"),
        ({"pipeline": {"controller": {"library": "x", "entry_point": "y"}}}, "pipeline.controller", "no such key"),
        ({"pipeline": {"plugin": {"library": "x", "entry_point": "y"}}}, "pipeline.flow", "the route plugin"),
        (
            {"pipeline": {"flow": [{"run": "decoder"}, {"run": "decoder", "when": "final"}]}},
            "pipeline.flow",
            "no session after the last token",
        ),
        (
            {"pipeline": {"sessions": {"decoder": {"file": "a.onnx", "session_options": {
                "runtime": {"sliding_window": {"size": 8}}}}}}},
            "pipeline.sessions.decoder.session_options.runtime.sliding_window",
            "does not support a sliding cache",
        ),
        (
            {"pipeline": {
                "sessions": {"prefill": {"file": "a.onnx"}, "decode": {"file": "b.onnx"}},
                "flow": [{"run": "prefill", "when": "init"}, {"run": "decode"}]}},
            "pipeline.flow",
            "the route prefill-decode",
        ),
    ],
)  # fmt: skip
def test_what_version_1_has_no_words_for(changes: Data, path: str, why: str) -> None:
    found = [fault for fault in unsupported_keys(built(**changes)) if fault.path == path]
    assert found and why in found[0].message


def test_what_is_sayable() -> None:
    assert not list(unsupported_keys(built()))
    for make in SHAPES.values():
        assert not list(unsupported_keys(translated(make())))


def test_a_stage_says_its_options_where_they_are_its_own() -> None:
    data = staged()
    stages = data["model"]["decoder"]["pipeline"][0]
    stages["head"] |= {"inherit_session_options": False}
    (rows,) = lowered(translated(data))["model"]["decoder"]["pipeline"]
    assert rows["transformer"]["session_options"] == {"intra_op_num_threads": 1}
    assert "session_options" not in rows["embeddings"] and "session_options" not in rows["head"]
