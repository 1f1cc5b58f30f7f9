"""A folder of genai's, read where it lies: which files it has, and which names lead out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.bundle.genai.configs import SHAPES, Data, single, staged, translated
from workflows.bundle import read_bundle, read_summary
from workflows.bundle.genai.metadata import extra_files, ignored_settings, is_genai
from workflows.common.errors import BundleError

ENGINE = "engine (one conversation at a time)"


def laid(folder: Path, data: Data, *others: str) -> Path:
    """A folder with the configuration, and files that hold their own names."""
    folder.mkdir(exist_ok=True)
    (folder / "genai_config.json").write_text(json.dumps(data), "utf-8")
    for name in others:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, "utf-8")
    return folder


def test_a_folder_is_a_bundle_that_was_not_built(tmp_path: Path) -> None:
    """Graphs, the weights beside them, and words under the names that they have in a bundle."""
    others = ("model.onnx.data", "model.onnx_data", "tokenizer.json", "generation_config.json", "notes.txt")
    folder = laid(tmp_path / "toy", single(), "model.onnx", *others)
    assert is_genai(folder)
    bundle = read_bundle(folder)
    assert not bundle.built and bundle.where.endswith("genai_config.json")
    assert set(bundle.files) == {
        "model.onnx", "model.onnx.data", "model.onnx_data", "tokenizer/tokenizer.json",
        "tokenizer/generation_config.json",
    }  # fmt: skip
    assert bundle.text("tokenizer/tokenizer.json") == "tokenizer.json"
    assert bundle.bytes == sum(len((folder / path.name).read_bytes()) for path in bundle.files.values())
    summary = read_summary(folder)
    assert (summary["name"], summary["model_type"], summary["capacity"]) == ("toy", "llama", 64)
    assert read_bundle(folder).digest == bundle.digest
    (folder / "model.onnx").write_text("another graph")
    assert read_bundle(folder).digest != bundle.digest


def test_a_tokenizer_in_a_folder_of_its_own(tmp_path: Path) -> None:
    data = single()
    data["model"]["tokenizer_dir"] = "words/here"
    folder = laid(tmp_path, data, "model.onnx", "words/here/tokenizer.json", "tokenizer.json")
    assert read_bundle(folder).text("tokenizer/tokenizer.json") == "words/here/tokenizer.json"


@pytest.mark.parametrize("name", ["..", "../words", "words/../..", "/tmp", "\\tmp", "C:", "C:\\words", "nowhere"])
def test_a_tokenizer_elsewhere(name: str, tmp_path: Path) -> None:
    data = single()
    data["model"]["tokenizer_dir"] = name
    with pytest.raises(BundleError, match=r"at model\.tokenizer_dir: (the folder's tokenizer must lie|there is no fo)"):
        read_bundle(laid(tmp_path, data, "model.onnx"))


NAMES = ["../model.onnx", "/tmp/model.onnx", "a/../../model.onnx", "a\\model.onnx", "..\\model.onnx", "C:model.onnx",
         "C:\\model.onnx", "\\\\host\\model.onnx", ".hidden.onnx", "a b.onnx", "a//b.onnx", "a/", "mödel.onnx",
         "model.onnx\n", "~/model.onnx"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_graph_elsewhere(name: str, tmp_path: Path) -> None:
    """Of the decoder, and of a stage."""
    data, stages = single(), staged()
    data["model"]["decoder"]["filename"] = name
    stages["model"]["decoder"]["pipeline"][0]["head"]["filename"] = name
    for file, path in ((data, "model.decoder"), (stages, "model.decoder.pipeline[0].head")):
        with pytest.raises(BundleError) as raised:
            read_bundle(laid(tmp_path, file, "model.onnx"))
        assert f"at {path}.filename: a graph's file lies in the folder" in str(raised.value)


def test_a_graph_in_a_folder_below(tmp_path: Path) -> None:
    data = single()
    data["model"]["decoder"]["filename"] = "cpu/model.onnx"
    folder = laid(tmp_path, data, "cpu/model.onnx", "cpu/model.onnx.data")
    assert read_bundle(folder).file("cpu/model.onnx") == folder / "cpu" / "model.onnx"


def test_a_graph_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"at pipeline\.sessions\.decoder\.file: there is no file model\.onnx"):
        read_bundle(laid(tmp_path, single()))
    (tmp_path / "model.onnx").mkdir()
    with pytest.raises(BundleError, match=r"there is no file model\.onnx"):
        read_bundle(tmp_path)


@pytest.mark.parametrize("linked", ["model.onnx", "model.onnx.data", "tokenizer.json"])
def test_links_lead_anywhere(linked: str, tmp_path: Path) -> None:
    """But those of the hub's own cache, whose snapshots are links to its blobs."""
    (tmp_path / "snapshots").mkdir()
    folder = laid(tmp_path / "snapshots" / "abc", single())
    (folder / "model.onnx").write_text("graph")
    (folder / linked).unlink(missing_ok=True)
    (tmp_path / "elsewhere").write_text("x")
    (folder / linked).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError, match="is a symbolic link, and such a file is not opened"):
        read_bundle(folder)
    (tmp_path / "blobs").mkdir()
    (tmp_path / "elsewhere").rename(tmp_path / "blobs" / "0123")
    (folder / linked).unlink()
    (folder / linked).symlink_to("../../blobs/0123")
    assert linked in {path.name for path in read_bundle(folder).files.values()}


def test_a_manifest_goes_before(tmp_path: Path) -> None:
    """A bundle that has a genai_config.json besides is a bundle."""
    laid(tmp_path, single(), "model.onnx", "manifest.json")
    with pytest.raises(BundleError, match=r"manifest\.json is damaged"):
        read_bundle(tmp_path)


def test_a_configuration_that_is_too_long(tmp_path: Path) -> None:
    laid(tmp_path, single(), "model.onnx")
    (tmp_path / "genai_config.json").write_text(" " * (1 << 21))
    with pytest.raises(BundleError, match="which no configuration needs"):
        read_bundle(tmp_path)
    (tmp_path / "genai_config.json").write_text('{"a":' * 100_000)
    with pytest.raises(BundleError, match="is not JSON"):
        read_bundle(tmp_path)


def test_a_byte_order_mark(tmp_path: Path) -> None:
    folder = laid(tmp_path, single(), "model.onnx")
    text = (folder / "genai_config.json").read_text()
    (folder / "genai_config.json").write_text(text, "utf-8-sig")
    assert read_bundle(folder).pipeline.metadata.vocabulary == 40


# -- version 2 -----------------------------------------------------------------------------------------------------

SECOND: Data = {
    "version": 2,
    "pipeline": {"extends": "autoregressive-decoder", "sessions": {"decoder": {"file": "model.onnx"}}},
    "tokens": {"eos": 2},
    "generation": {"max_length": 32},
    "metadata": {"model_type": "llama"},
}


def test_version_2_as_it_is(tmp_path: Path) -> None:
    pipeline = read_bundle(laid(tmp_path, SECOND, "model.onnx")).pipeline
    assert (pipeline.route, pipeline.capacity, pipeline.tokens.eos) == ("decoder", 32, [2])
    state = pipeline.pipeline.state.kv_cache
    assert state is not None and state.format == "auto"
    assert pipeline.metadata.counts and pipeline.metadata.task == "text-generation"


PRESETS = {
    "autoregressive-decoder": (["decoder"], [], "decoder"),
    "encoder-decoder": (["encoder", "decoder"], [], "encoder-decoder"),
    "vision-language": (
        ["vision", "embedding", "decoder"],
        ["vision.image_features embedding.image_features", "embedding.inputs_embeds decoder.inputs_embeds"],
        "vision-language",
    ),
    "speech-language": (
        ["speech", "embedding", "decoder"],
        ["speech.audio_features embedding.audio_features", "embedding.inputs_embeds decoder.inputs_embeds"],
        "speech-language",
    ),
}


def extending(preset: str, **more: object) -> Data:
    sessions = {name: {"file": f"{name}.onnx"} for name in PRESETS[preset][0]}
    return SECOND | {"pipeline": {"extends": preset, "sessions": sessions} | more}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_gives_what_the_file_leaves_out(preset: str) -> None:
    names, edges, route = PRESETS[preset]
    flow = translated(extending(preset)).pipeline
    assert [stage.run for stage in flow.flow] == names
    assert [stage.when for stage in flow.flow] == ["init"] * (len(names) - 1) + ["step"]
    assert [f"{edge.source} {edge.target}" for edge in flow.dataflow] == edges
    assert translated(extending(preset)).route == route
    cross = flow.state.cross_cache
    assert (cross.source if cross else None) == ("encoder" if preset == "encoder-decoder" else None)


def test_what_the_file_says_replaces_the_presets_whole() -> None:
    """Flow and edges are not merged; of the state, what is named replaces and the rest is inherited."""
    flow = [{"run": "vision", "when": "init", "loop": "per_image"}, {"run": "embedding", "when": "init"},
            {"run": "decoder"}]  # fmt: skip
    edges = [{"from": "vision.x", "to": "embedding.image_features"}]
    made = translated(extending("vision-language", flow=flow, dataflow=edges)).pipeline
    assert [stage.loop for stage in made.flow] == ["per_image", "batched", "batched"]
    assert len(made.dataflow) == 1
    state = {"kv_cache": {"format": "combined"}}
    made = translated(extending("encoder-decoder", state=state)).pipeline
    assert made.state.kv_cache is not None and made.state.kv_cache.format == "combined"
    assert made.state.cross_cache is not None and made.state.cross_cache.source == "encoder"


@pytest.mark.parametrize("preset", ["nothing", 5, "AUTOREGRESSIVE-DECODER"])
def test_a_preset_that_there_is_not(preset: object) -> None:
    with pytest.raises(BundleError, match=r"at pipeline\.extends"):
        translated(extending("autoregressive-decoder", extends=preset))


def test_sessions_never_come_from_a_preset() -> None:
    data = SECOND | {"pipeline": {"extends": "vision-language", "sessions": {"decoder": {"file": "model.onnx"}}}}
    with pytest.raises(BundleError, match=r"at pipeline\.flow\[0\]\.run: flow runs 'vision', which is not a session"):
        translated(data)


def test_version_2_with_a_model() -> None:
    """`model` makes the program; what the file says in version 2 goes before it, a flow as a whole."""
    data = single() | {"version": 2, "generation": {"max_length": 16}, "tokens": {"pad": 9}}
    pipeline = translated(data)
    assert (pipeline.capacity, pipeline.tokens.pad, pipeline.tokens.eos) == (16, 9, [2, 3])
    assert pipeline.pipeline == translated(single()).pipeline
    own = {"extends": "autoregressive-decoder", "sessions": {"decoder": {"file": "other.onnx"}}}
    assert translated(data | {"pipeline": own}).pipeline.sessions["decoder"].file == "other.onnx"


def test_a_strategy_over_version_1_is_of_its_sessions() -> None:
    """Sessions without a flow are names for a strategy; a draft in another folder is named, and never a session."""
    sessions = {"target": {"file": "model.onnx"}, "draft": {"file": "../draft/model.onnx"}}
    strategy = {"kind": "speculative", "draft": {"session": "draft"}}
    data = single() | {"version": 2, "pipeline": {"sessions": sessions, "strategy": strategy}}
    pipeline = translated(data)
    flow = pipeline.pipeline
    assert list(flow.sessions) == ["decoder"] and flow.strategy is not None and flow.draft is None
    assert pipeline.metadata.draft is not None and pipeline.metadata.draft.name == "../draft/model.onnx"
    assert extra_files(pipeline) == ["../draft/model.onnx"] and ignored_settings(pipeline) == [ENGINE]
    strategy |= {"verify": {"session": "target"}, "num_speculative_tokens": 2}
    sessions["draft"]["file"] = "small/model.onnx"
    flow = translated(data).pipeline
    assert flow.draft == "draft" and flow.sessions["draft"].file == "small/model.onnx" and flow.strategy is not None
    assert flow.strategy.verify.session == "decoder" and flow.strategy.num_speculative_tokens == 2
    translated(data).check("the file")


@pytest.mark.parametrize(
    "strategy",
    [
        {"tree": {}},
        {"draft": {"producer": "extra_heads"}},
        {"verify": {"session": "other"}, "draft": {"session": "draft"}},
    ],
)
def test_a_strategy_that_does_not_fit_is_kept_and_reported(strategy: dict[str, Any]) -> None:
    sessions = {"target": {"file": "model.onnx"}, "draft": {"file": "draft/model.onnx"}, "other": {"file": "x.onnx"}}
    pipeline = translated(single() | {"version": 2, "pipeline": {"sessions": sessions, "strategy": strategy}})
    assert list(pipeline.pipeline.sessions) == ["decoder"] and pipeline.pipeline.strategy is None
    assert "pipeline.strategy (tokens come one at a time)" in ignored_settings(pipeline)


def test_version_1_may_request_drafts() -> None:
    """Look-ups with its numbers, or a session of its draft model; a chain of graphs is left where it is."""
    looks = translated(single()).pipeline.strategy
    assert looks is not None and looks.draft.ngram is not None
    assert (looks.draft.producer, looks.draft.ngram.min_match, looks.draft.ngram.max_draft) == ("ngram", 2, 3)
    pipeline = translated(SHAPES["drafting"]())
    assert pipeline.pipeline.draft == "draft" and pipeline.pipeline.strategy is not None
    assert pipeline.pipeline.strategy.num_speculative_tokens == 4
    assert pipeline.draft_pipeline(16) is not None
    chained = SHAPES["drafting"]()
    chained["model"]["draft"] = {"pipeline": [{"one": {"filename": "one.onnx"}}]}
    assert translated(chained).pipeline.strategy is None
    assert [line.split(" ")[0] for line in ignored_settings(translated(chained))] == [
        "speculative",
        "model.draft",
        "model.mtp",
    ]


def test_what_is_named_and_not_run() -> None:
    pipeline = translated(SHAPES["drafting"]())
    assert extra_files(pipeline) == ["mtp.onnx"]
    assert [line.split(" ")[0] for line in ignored_settings(pipeline)] == ["model.mtp"]
    assert ignored_settings(translated(single())) == [ENGINE]
    assert not ignored_settings(translated(SHAPES["staged"]())) and not extra_files(translated(SHAPES["staged"]()))


def test_a_configuration_of_more_than_a_mebibyte_is_refused(tmp_path: Path) -> None:
    folder = laid(tmp_path / "toy", single(), "model.onnx")
    config = folder / "genai_config.json"
    config.write_text(config.read_text("utf-8").ljust(1 << 20), "utf-8")
    assert read_bundle(folder).pipeline.capacity == 64
    config.write_text(config.read_text("utf-8") + " ", "utf-8")
    with pytest.raises(BundleError, match="more than 1,048,576 bytes"):
        read_bundle(folder)
