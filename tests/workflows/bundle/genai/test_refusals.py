"""What cannot be run, or is no configuration, is refused in one sentence with the JSON path of the key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.bundle.genai.configs import SHAPES, Data, single, translated
from workflows.common.errors import BundleError


def put(data: Any, path: str, value: object) -> None:
    """Writes a value at `a.b.0.c`; None takes it away."""
    *way, last = path.split(".")
    for key in way:
        data = data[int(key)] if key.isdecimal() else data.setdefault(key, {})
    if value is None:
        del data[last]
    else:
        data[last] = value


def refusal(shape: str, *changes: tuple[str, object]) -> str:
    """How a shape with these changes is refused."""
    data = SHAPES[shape]()
    for path, value in changes:
        put(data, path, value)
    with pytest.raises(BundleError) as raised:
        translated(data)
    message = str(raised.value)
    assert message.startswith("the file") and "\n" not in message
    return message


PIPE = "model.decoder.pipeline.0"
TOLD = "model.decoder.pipeline[0]"


@pytest.mark.parametrize(
    ("shape", "path", "value", "why"),
    [
        ("single", "model.joiner", {"filename": "joiner.onnx"}, "Joinery does not support transducers"),
        ("single", "model.vad", {"filename": "vad.onnx"}, "does not detect speech"),
        ("seeing", "model.vision.pipeline", [{"a": {"filename": "a.onnx"}}], "genai's own code connects these graphs"),
        ("seeing", "model.vision.adapter_filename", "a.bin", "applies no adapters"),
        ("hearing", "model.speech.adapter_filename", "a.bin", "applies no adapters"),
        ("single", "model.decoder.shared_initializers", [{"name": "w"}], "shares weights by their file"),
        ("single", "model.decoder.inputs.block_table", "x", "does not support paged caches"),
        ("single", "model.decoder.inputs.block_table_windowed", "x", "does not support paged caches"),
        ("single", "model.decoder.inputs.cumulative_sequence_lengths", "x", "does not support paged caches"),
        ("single", "model.decoder.inputs.past_sequence_lengths", "x", "does not support paged caches"),
        ("single", "model.decoder.inputs.attention_metadata", "x", "does not support paged caches"),
        ("single", "model.decoder.inputs.targets", "x", "does not support transducers"),
        ("single", "model.decoder.inputs.targets_length", "x", "does not support transducers"),
        ("single", "model.decoder.inputs.lstm_hidden_state", "x", "does not support transducers"),
        ("single", "model.decoder.inputs.lstm_cell_state", "x", "does not support transducers"),
        ("single", "model.decoder.inputs.cache_indirection", "x", "does not support this beam search input"),
        ("single", "model.decoder.inputs.current_sequence_length", "x", "the number of tokens of a step"),
        ("single", "model.decoder.inputs.past_key_values_length", "x", "the number of tokens of a step"),
        ("single", "model.decoder.inputs.nonsense", "x", "there is no such name: there are input_ids"),
        ("single", "model.decoder.outputs.nonsense", "x", "there is no such name: there are logits"),
        ("hidden", "model.encoder.inputs.pixel_values", "x", "there is no such name"),
        ("seeing", "model.vision.outputs.logits", "x", "there is no such name: there are image_features"),
        ("hearing", "model.speech.inputs.input_ids", "x", "there is no such name"),
        ("seeing", "model.embedding.outputs.logits", "x", "there is no such name"),
        ("single", "model.decoder.filename", None, "there is no graph that gives logits"),
        ("single", "model.decoder.filename", "", "there is no graph that gives logits"),
        ("staged", "model.decoder.filename", "x.onnx", "the decoder has a pipeline"),
        ("seeing", "model.image_token_id", None, "the placeholder token of image features"),
        ("hearing", "model.audio_token_id", None, "the placeholder token of audio features"),
        ("windowed", "model.decoder.sliding_window.layers", [0], "`joinery import` changes the graph"),
    ],
)
def test_what_cannot_be_run_is_reported_by_its_key(shape: str, path: str, value: object, why: str) -> None:
    message = refusal(shape, (path, value))
    assert f"at {path}: " in message and why in message, message


@pytest.mark.parametrize(
    ("shape", "changes", "told"),
    [
        ("staged", [(f"{PIPE}.head.run_on_prompt", False), (f"{PIPE}.head.run_on_token_gen", False)],
         f"at {TOLD}.head.run_on_token_gen: the stage never runs"),
        ("split", [("model.decoder.pipeline.1.embeddings", {"filename": "x.onnx"})],
         "at model.decoder.pipeline: two stages have one name"),
        ("gridded", [(f"{PIPE}.vision", {"filename": "x.onnx"})], f"at {TOLD}.vision: the model has a part called"),
        ("single", [("search.max_length", 0), ("model.context_length", 0)],
         "at model.context_length: the file must say how many tokens"),
        ("single", [("search.max_length", None), ("model.context_length", None)], "at model.context_length: "),
        ("staged", [(f"{PIPE}.a.b", {"filename": "x.onnx"})], f"at {TOLD}.a.filename: Field required"),
    ],
)  # fmt: skip
def test_what_contradicts_itself(shape: str, changes: list[tuple[str, object]], told: str) -> None:
    assert told in refusal(shape, *changes)


@pytest.mark.parametrize(
    ("shape", "inside"),
    [
        ("single", "model"),
        ("single", "model.decoder"),
        ("single", "search"),
        ("single", "speculative"),
        ("single", "engine"),
        ("single", "engine.dynamic_batching"),
        ("single", "engine.static_batching"),
        ("windowed", "model.decoder.sliding_window"),
        ("hidden", "model.encoder"),
        ("seeing", "model.vision"),
        ("seeing", "model.embedding"),
        ("hearing", "model.speech"),
        ("drafting", "model.draft"),
        ("drafting", "model.mtp"),
        ("staged", f"{PIPE}.head"),
    ],
)
def test_an_unknown_key_at_every_depth(shape: str, inside: str) -> None:
    message = refusal(shape, (f"{inside}.surprise", 1))
    assert f"at {inside.replace('.0', '[0]')}.surprise: Extra inputs are not permitted" in message


@pytest.mark.parametrize("inside", ["model.decoder", "model.encoder", f"{PIPE}.head"])
def test_options_of_a_session(inside: str) -> None:
    """An unknown one, one of the wrong type, code, and a library that lies elsewhere."""
    shape = {"model.decoder": "single", "model.encoder": "hidden"}.get(inside, "staged")
    path = f"{inside}.session_options"
    told = path.replace(".0", "[0]")
    for options, at, why in (
        ({"surprise": "x"}, "", "there is no option 'surprise'"),
        ({"intra_op_num_threads": "two"}, ".intra_op_num_threads", "valid integer"),
        ({"custom_ops_library": "x.so"}, "", "is code"),
        ({"session.x": "../y"}, "", "refers to a file outside the bundle"),
        ({"provider_options": [{"qnn": {"backend_path": "/tmp/x.so"}}]}, "", "refers to a file outside the bundle"),
        ({"provider_options": {"cuda": {}}}, ".provider_options", "valid list"),
    ):
        message = refusal(shape, (path, options))
        assert f"at {told}{at}: " in message and why in message, message


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("model", []),
        ("model", 5),
        ("model.type", 5),
        ("model.type", ""),
        ("model.vocab_size", 0),
        ("model.vocab_size", "forty"),
        ("model.context_length", -1),
        ("model.context_length", 1.5),
        ("model.eos_token_id", "2"),
        ("model.pad_token_id", True),
        ("model.bos_token_id", 1.0),
        ("model.decoder", []),
        ("model.decoder.filename", 5),
        ("model.decoder.filename", ["model.onnx"]),
        ("model.decoder.head_size", -4),
        ("model.decoder.num_hidden_layers", "two"),
        ("model.decoder.inputs", ["input_ids"]),
        ("model.decoder.inputs.input_ids", 5),
        ("model.decoder.layer_types", "conv"),
        ("search.max_length", "all"),
        ("search.top_p", 2),
        ("search.temperature", -1),
        ("search.do_sample", "yes"),
        ("search.do_sample", 1),
        ("search.repetition_penalty", 0),
        ("search.num_beams", 0),
        ("speculative.max_draft_tokens", 17),
        ("speculative.ngram_size", -1),
        ("engine.static_batching.max_batch_size", 0),
    ],
)
def test_a_value_of_the_wrong_kind(path: str, value: object) -> None:
    assert f"at {path}" in refusal("single", (path, value))


@pytest.mark.parametrize("text", ['{"search": {"top_p": NaN}}', '{"a": Infinity}', '{"a": -Infinity}', "{", "", "nul"])
def test_what_is_no_json(text: str, tmp_path: Path) -> None:
    from workflows.bundle import read_bundle

    (tmp_path / "genai_config.json").write_text(text)
    with pytest.raises(BundleError, match=r"genai_config\.json is not JSON: get the folder again\.$"):
        read_bundle(tmp_path)


@pytest.mark.parametrize("pattern", ["past_key_values.key", "past.%d.%d", "", "past.%d.%n", "%s.%d", "past.%%d", "%d%"])
@pytest.mark.parametrize("name", ["inputs.past_key_names", "inputs.past_value_names", "outputs.present_value_names"])
def test_a_name_without_a_layer(pattern: str, name: str) -> None:
    path = f"model.decoder.{name}"
    assert f"at {path}: the name must hold %d exactly once" in refusal("single", (path, pattern))


@pytest.mark.parametrize("version", [3, 0, "2", True, None, 1.5])
def test_versions_that_there_are_not(version: object) -> None:
    with pytest.raises(BundleError, match=f"at version: there is no version {version}: there are 1 and 2"):
        translated(single() | {"version": version})


def test_without_a_version_it_is_the_first() -> None:
    assert translated(single()) == translated({"version": 1} | single())


@pytest.mark.parametrize("key", ["pipeline", "tokens", "generation", "metadata"])
def test_words_of_version_2_in_version_1(key: str) -> None:
    with pytest.raises(BundleError, match=f'at {key}: the key is one of version 2: write "version": 2'):
        translated(single() | {key: {}})


@pytest.mark.parametrize(("version", "known"), [(1, "engine"), (2, "pipeline, tokens, generation, metadata")])
def test_an_unknown_key_at_the_top(version: int, known: str) -> None:
    """An object or a list is an error; a scalar is passed over, as the peer does it."""
    data: Data = single() | {"version": version}
    with pytest.raises(BundleError, match=f"at surprise: there is no such key: there are .*{known}"):
        translated(data | {"surprise": {}})
    assert translated(data | {"surprise": 5}) == translated(data)


@pytest.mark.parametrize("data", [[], 5, "x", None])
def test_what_is_no_object(data: Any) -> None:
    with pytest.raises(BundleError, match="the file is not a JSON object"):
        translated(json.loads(json.dumps(data)))


def test_version_1_without_a_model() -> None:
    assert "at model: Field required" in refusal("single", ("model", None))
