"""`import_genai`: what comes along, what is told, and that a folder which cannot be run leaves the target as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tests.workflows.interop import peers
from tests.workflows.interop.test_folders import check_text
from workflows.bundle import read_bundle, verify_bundle
from workflows.common.errors import BundleError, Cancelled, GraphError, JoineryError, RequestError
from workflows.interop.genai_import import import_genai
from workflows.wire.events import Event, NoticeEvent

Change = Callable[[Any], object]


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    folder = tmp_path / "peer"
    folder.mkdir()
    peers.single(folder)
    return folder


def configure(folder: Path, change: Change) -> None:
    data = json.loads((folder / "genai_config.json").read_text())
    change(data)
    (folder / "genai_config.json").write_text(json.dumps(data))


def test_what_comes_along(peer: Path, tmp_path: Path) -> None:
    """The tokenizer from its folder, defaults, lengths, and whatever version 1 said that version 2 has no word for."""
    (peer / "words").mkdir()
    for name in ("generation_config.json", "chat_template.jinja", "special_tokens_map.json"):
        (peer / "words" / name).write_text("{}")
    configure(peer, lambda data: data["model"].update(tokenizer_dir="words", boa_token_id=5))
    configure(peer, lambda data: data["search"].update(top_k=3, length_penalty=2.0))
    done = import_genai(peer, tmp_path / "b")
    bundle = read_bundle(tmp_path / "b")
    assert (done.components, done.bytes) == (["decoder"], bundle.bytes)
    assert bundle.built and verify_bundle(tmp_path / "b").ok
    assert {name for name in bundle.files if name.startswith("tokenizer/")} == {
        "tokenizer/generation_config.json", "tokenizer/chat_template.jinja", "tokenizer/special_tokens_map.json",
    }  # fmt: skip
    facts, generation = bundle.pipeline.metadata, bundle.pipeline.generation
    assert (facts.name, facts.vocabulary, facts.precision, facts.layout) == ("peer", 40, "fp32", "static")
    assert generation is not None and generation.sampling is not None
    assert (generation.max_length, generation.sampling.top_k) == (64, 3)
    assert facts.genai["model"]["boa_token_id"] == 5 and facts.genai["search"]["length_penalty"] == 2.0


def test_weights_come_along_once_under_names_that_a_bundle_has(peer: Path, tmp_path: Path) -> None:
    model = onnx.load(peer / "decoder.onnx")
    (peer / "decoder.onnx").unlink()
    onnx.save(model, peer / "my model.onnx", save_as_external_data=True, location="my model.onnx.data",
              size_threshold=200)  # fmt: skip
    (peer / "my model.onnx").rename(peer / "model.v1.onnx")
    configure(peer, lambda data: data["model"]["decoder"].update(filename="model.v1.onnx"))
    import_genai(peer, tmp_path / "b")
    assert {path.name for path in (tmp_path / "b").iterdir()} == {
        "decoder.onnx", "my_model.onnx.data", "manifest.json", "pipeline.json",
    }  # fmt: skip
    check_text(tmp_path / "b", peers.Peer())


def test_stages_of_any_name(tmp_path: Path) -> None:
    """Names that are no files' become numbers; one file of two stages is there once."""
    folder = tmp_path / "peer"
    folder.mkdir()
    toy = peers.split(folder)
    names = {"embeddings": "A table", "prompt": "x/y", "token": "Token", "lm_head": "lm_head"}

    def change(data: Any) -> None:
        rows = data["model"]["decoder"]["pipeline"]
        data["model"]["decoder"]["pipeline"] = [{names[key]: row[key]} for row in rows for key in row]
        rows[1]["prompt"]["filename"] = "body.onnx"

    configure(folder, change)
    (folder / "prompt.onnx").unlink()
    import_genai(folder, tmp_path / "b")
    graphs = {path.name for path in (tmp_path / "b").glob("*.onnx")}
    assert graphs == {"graph-0.onnx", "graph-1.onnx", "lm_head.onnx"}
    check_text(tmp_path / "b", toy)


def test_rings_are_taken_away(peer: Path, tmp_path: Path) -> None:
    """GroupQueryAttention that keeps a layer's cache as a ring loses that attribute and keeps its window."""
    peers.grouped(peer)
    model = onnx.load(peer / "decoder.onnx")
    for node in model.graph.node:
        if node.op_type == "GroupQueryAttention":
            node.attribute.append(onnx.helper.make_attribute("local_window_size", 4))
            node.attribute.append(onnx.helper.make_attribute("sliding_window_cache", 1))
    onnx.save(model, peer / "decoder.onnx")
    slide = {"window_size": 4, "layers": [0, 1], "slide_inputs": False}
    configure(peer, lambda data: data["model"]["decoder"].update(sliding_window=slide))
    with pytest.raises(BundleError, match=r"at model\.decoder\.sliding_window\.layers: .*`joinery import`"):
        read_bundle(peer)
    import_genai(peer, tmp_path / "b")
    check_text(tmp_path / "b", peers.Peer(window=4))


def heard(folder: Path, out: Path) -> list[str]:
    events: list[Event] = []
    import_genai(folder, out, report=events.append)
    return [event.message for event in events if isinstance(event, NoticeEvent) and event.code == "import"]


def test_what_is_not_run_is_reported(peer: Path, tmp_path: Path) -> None:
    assert not heard(peer, tmp_path / "a")
    configure(peer, lambda data: data["model"].update(draft={"filename": "../draft/model.onnx"}))
    configure(peer, lambda data: data.update(speculative={"max_draft_tokens": 4}, engine={"static_batching": {}}))
    told = heard(peer, tmp_path / "b")
    asks = "The configuration has settings that Joinery ignores: "
    assert [one.removeprefix(asks).split(" ")[0] for one in told] == ["engine", "These"]
    assert told[-1] == "These files are named and not imported: ../draft/model.onnx."


def broken(name: str) -> Change:
    return lambda folder: (folder / name).write_bytes(b"no graph")


def other_names(folder: Path) -> None:
    configure(folder, lambda data: data["model"]["decoder"]["inputs"].update(past_key_names="elsewhere.%d"))


@pytest.mark.parametrize(
    ("damage", "kind", "told"),
    [
        (broken("genai_config.json"), BundleError, "genai_config.json is not JSON"),
        (broken("decoder.onnx"), GraphError, "decoder.onnx is not an ONNX file"),
        (lambda folder: (folder / "decoder.onnx").unlink(), BundleError, "there is no file decoder.onnx"),
        (lambda folder: (folder / "genai_config.json").unlink(), RequestError, "has no genai_config.json"),
        (other_names, BundleError, "pipeline.state.kv_cache"),
        (lambda folder: configure(folder, lambda data: data["model"].update(vad={})), BundleError, "at model.vad"),
        (lambda folder: configure(folder, lambda data: data["model"]["decoder"].update(num_key_value_heads=7)),
         None, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_imported_leaves_nothing(
    damage: Change, kind: type[JoineryError] | None, told: str, peer: Path, tmp_path: Path
) -> None:
    """Heads that the graphs themselves say are theirs, whatever the file says."""
    damage(peer)
    before = sorted(tmp_path.iterdir())
    if kind is None:
        import_genai(peer, tmp_path / "b")
        check_text(tmp_path / "b", peers.Peer())
        return
    with pytest.raises(kind) as raised:
        import_genai(peer, tmp_path / "b")
    assert told in str(raised.value) and "\n" not in str(raised.value)
    assert [path for path in sorted(tmp_path.iterdir()) if not path.name.endswith(".lock")] == before


def test_targets(peer: Path, tmp_path: Path) -> None:
    """As of a build: a bundle is replaced with force alone, and nobody's files ever."""
    import_genai(peer, tmp_path / "b")
    with pytest.raises(RequestError, match="already holds a bundle"):
        import_genai(peer, tmp_path / "b")
    (peer / "tokenizer_config.json").write_text("{}")
    import_genai(peer, tmp_path / "b", force=True)
    assert read_bundle(tmp_path / "b").text("tokenizer/tokenizer_config.json") == "{}"
    (tmp_path / "b" / "mine").write_text("x")
    for force in (True, False):
        with pytest.raises(RequestError, match="which its manifest does not list"):
            import_genai(peer, tmp_path / "b", force=force)
    with pytest.raises(RequestError, match="holds files and is not a bundle"):
        import_genai(peer, peer, force=True)
    assert (peer / "decoder.onnx").is_file()


def test_a_cancelled_import_leaves_nothing(peer: Path, tmp_path: Path) -> None:
    import_genai(peer, tmp_path / "b")
    before = {path: path.read_bytes() for path in (tmp_path / "b").rglob("*") if path.is_file()}
    for turn in range(2):
        asked = iter([False] * turn + [True] * 99)
        with pytest.raises(Cancelled):
            import_genai(peer, tmp_path / "b", force=True, cancelled=lambda asked=asked: next(asked))  # type: ignore[misc]
    assert {path: path.read_bytes() for path in (tmp_path / "b").rglob("*") if path.is_file()} == before
    assert not [path for path in tmp_path.iterdir() if path.is_dir() and path.name not in ("b", "peer")]


def test_heads_that_the_graphs_leave_open(peer: Path, tmp_path: Path) -> None:
    """Symbolic axes of past are the file's to say."""
    model = onnx.load(peer / "decoder.onnx")
    for value in (*model.graph.input, *model.graph.output):
        if value.name.startswith(("past", "present")):
            value.type.tensor_type.shape.dim[1].dim_param = "heads"
            value.type.tensor_type.shape.dim[3].dim_param = "size"
    onnx.save(model, peer / "decoder.onnx")
    check_text(peer, peers.Peer())
    import_genai(peer, tmp_path / "b")
    check_text(tmp_path / "b", peers.Peer())
    configure(peer, lambda data: data["model"]["decoder"].pop("head_size"))
    with pytest.raises(JoineryError, match=r"heads and head size fixed"):
        import_genai(peer, tmp_path / "c")


def test_values_of_half_precision(peer: Path, tmp_path: Path) -> None:
    """What the weights are is told by the graphs."""
    model = onnx.load(peer / "decoder.onnx")
    spare = onnx.numpy_helper.from_array(np.ones(3, np.float16), "spare")
    model.graph.initializer.append(spare)
    onnx.save(model, peer / "decoder.onnx")
    import_genai(peer, tmp_path / "b")
    assert read_bundle(tmp_path / "b").pipeline.metadata.precision == "fp16"
