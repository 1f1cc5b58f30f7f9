"""The build: whole or absent, resumable, portable; every bad input told in one sentence, with nothing left behind."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from safetensors.numpy import load_file, save_file

from workflows.builder import BuildRequest, build
from workflows.bundle import read_bundle, verify_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import Cancelled, CheckpointError, RecipeError, RequestError
from workflows.recipe import resolve_recipe
from workflows.wire.events import Event, StageEvent

DEMO = Path(__file__).parents[3] / "resources" / "demos" / "qwen3"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A copy of the demo's checkpoint that a test may spoil."""
    return Path(shutil.copytree(DEMO, tmp_path / "someone" / "private" / "model"))


@pytest.fixture(scope="module")
def folder_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle built from a folder, whose path must not be found in it."""
    root = tmp_path_factory.mktemp("folder-source")
    source = shutil.copytree(DEMO, root / "someone" / "private" / "model")
    build(BuildRequest(str(source), root / "bundle", {"graphs": "prefill-decode", "capacity": 96, "chunk": 32}))
    return root / "bundle"


def below(folder: Path) -> dict[str, str]:
    """Every path below a folder, and the hashes of the files."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
    }


def edit(path: Path, **changes: Any) -> None:
    """Sets keys of a JSON object in a file; None takes a key away."""
    data = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in data.items() if value is not None}))


def edit_weights(folder: Path, change: Callable[[dict[str, np.ndarray]], object]) -> None:
    """Loads, changes and saves the tensors of a checkpoint."""
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


# -- whole or absent -------------------------------------------------------------------------------------------

KILLER = """
import os, signal, sys
from pathlib import Path
from workflows.builder import BuildRequest, build

def report(event):
    if sys.argv[2] in repr(event):
        os.kill(os.getpid(), signal.SIGKILL)

build(BuildRequest("demo:qwen3", Path(sys.argv[1]), {}), report)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is a matter of POSIX")
@pytest.mark.parametrize(
    ("moment", "reused"),
    [
        pytest.param("ProgressEvent(stage='export', message='tracing the decoder'", [], marks=pytest.mark.slow),
        ("StageEvent(stage='bundle', state='started'", ["export", "optimize"]),
    ],
)
def test_a_killed_build_leaves_no_bundle_and_goes_on_where_it_was(
    tmp_path: Path, shelf: Path, default_bundle: Path, moment: str, reused: list[str]
) -> None:
    """kill -9 in the middle of a stage, and between two; the second build takes the whole stages and no others.

    Killed between two, the first build has its stages from the cache, where `default_bundle` left them.
    """
    out = tmp_path / "out"
    cached = {"JOINERY_HOME": str(shelf / "home")} if reused else {}
    killed = subprocess.run(
        [sys.executable, "-c", KILLER, str(out), moment], capture_output=True, timeout=600, env=os.environ | cached
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert not out.exists()

    events: list[Event] = []
    build(BuildRequest("demo:qwen3", out, {}), events.append)
    assert [e.stage for e in events if isinstance(e, StageEvent) and e.state == "reused"] == reused
    assert verify_bundle(out).ok
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for name in ("decoder.onnx", "weights.data"):
        assert (out / name).read_bytes() == (default_bundle / name).read_bytes()


def test_cancel_between_stages_leaves_the_target_and_keeps_the_stage(
    tmp_path: Path, default_bundle: Path, one_layer: Path
) -> None:
    """With --force over a bundle: the old one stays as it is, and the next build reuses what was done."""
    out = Path(shutil.copytree(default_bundle, tmp_path / "out"))
    before, events = below(out), list[Event]()
    request = BuildRequest(str(one_layer), out, {"capacity": 128}, force=True)

    def exported() -> bool:
        return any(isinstance(e, StageEvent) and (e.stage, e.state) == ("export", "done") for e in events)

    with pytest.raises(Cancelled):
        build(request, events.append, exported)
    assert below(out) == before
    assert not any(isinstance(e, StageEvent) and e.stage == "optimize" for e in events)

    events.clear()
    build(request, events.append)
    assert [(e.stage, e.state) for e in events if isinstance(e, StageEvent) and e.state != "started"] == [
        ("checkpoint", "done"),
        ("export", "reused"),
        ("optimize", "done"),
        ("quantize", "skipped"),
        ("bundle", "done"),
    ]
    assert json.loads((out / "recipe.json").read_text())["capacity"] == 128
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_cancel_before_the_first_stage_leaves_nothing(tmp_path: Path) -> None:
    """Not even an empty folder."""
    with pytest.raises(Cancelled):
        build(BuildRequest("demo:qwen3", tmp_path / "out", {}), cancelled=lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_that_appeared_meanwhile_is_not_replaced(tmp_path: Path, default_bundle: Path) -> None:
    """Another build ended while this one read its checkpoint."""
    out, first = tmp_path / "out", list[Event]()

    def report(event: Event) -> None:
        if not first:
            shutil.copytree(default_bundle, out)
        first.append(event)

    with pytest.raises(RequestError, match="already holds a bundle"):
        build(BuildRequest("demo:qwen3", out, {}), report)
    assert verify_bundle(out).ok


@pytest.mark.slow
def test_another_precision_in_another_folder_takes_export_and_optimize_over(
    tmp_path: Path, default_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same graphs as a build of its own, no torch needed for them; nothing of one bundle is a file of another.

    Another width of prompt runs changes no graph that takes any width.
    """
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    build(BuildRequest("demo:qwen3", tmp_path / "one", {}))
    events: list[Event] = []
    build(BuildRequest("demo:qwen3", tmp_path / "two", {"precision": "int8", "chunk": 300}), events.append)
    assert read_bundle(tmp_path / "two").pipeline.chunk == 300
    states = {e.stage: e.state for e in events if isinstance(e, StageEvent)}
    assert states["export"] == states["optimize"] == "reused" and "import" not in states
    build(BuildRequest("demo:qwen3", tmp_path / "three", {}))
    for name in ("decoder.onnx", "weights.data"):
        assert (tmp_path / "three" / name).read_bytes() == (default_bundle / name).read_bytes()
        assert (tmp_path / "three" / name).stat().st_nlink == (tmp_path / "two" / name).stat().st_nlink == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "one", "three", "two"]


# -- bad input -------------------------------------------------------------------------------------------------


def truncate(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])


def only_pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def other_pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model.pt")


def remote_code(folder: Path) -> None:
    (folder / "modeling_mine.py").write_text("raise SystemExit('this code must not run')\n")
    edit(folder / "config.json", auto_map={"AutoModelForCausalLM": "modeling_mine.Mine"})


def fill(name: str, value: float) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        edit_weights(folder, lambda weights: weights[name].reshape(-1).__setitem__(3, value))

    return spoil


def config(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: edit(folder / "config.json", **changes)


BAD_CHECKPOINTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
    "truncated": (truncate, "'model.safetensors' is damaged: .* cut short"),
    "pickle": (only_pickle, "'pytorch_model.bin' is a pickle of more than tensors, so it is refused: get the"),
    "another pickle": (other_pickle, "'model.pt', a format that can run code when it is opened and that is read under"),
    "remote code": (remote_code, r"modeling_mine\.py \([0-9a-f]{12}\).*--trust-remote-code"),
    "unknown architecture": (
        config(model_type="starship"),
        r"'starship' is not one that Joinery can build: its families are qwen3 .*t5, mt5.*decoder-only",
    ),
    "a model without text": (config(model_type="detr"), "'detr' is not one that Joinery can build"),
    "missing weight": (
        lambda folder: edit_weights(folder, lambda weights: weights.pop("model.layers.1.mlp.up_proj.weight")),
        r"lacks the weight model\.layers\.1\.mlp\.up_proj\.weight",
    ),
    "untied head is missing": (config(tie_word_embeddings=False), r"lacks the weight lm_head\.weight"),
    "other shape": (config(intermediate_size=7), r"gate_proj\.weight has the shape .* and config\.json makes it \[7, "),
    "NaN": (fill("model.norm.weight", float("nan")), r"the weight model\.norm\.weight holds NaN or infinite values"),
    "infinite": (fill("model.embed_tokens.weight", float("inf")), r"embed_tokens\.weight holds NaN or infinite values"),
    "quantized": (config(quantization_config={"quant_method": "aqlm"}), "weights are quantized already"),
    "other layers": (config(layer_types=["full_attention", "retention"]), "layers of the type retention"),
    "config of another type": (config(hidden_act=5), "transformers cannot load .* check config.json"),
    "no layers": (config(num_hidden_layers=0), "num_hidden_layers = 0, which must be a positive whole number"),
}


@pytest.mark.parametrize("name", BAD_CHECKPOINTS)
def test_a_bad_checkpoint_is_one_sentence_and_leaves_nothing(tmp_path: Path, checkpoint: Path, name: str) -> None:
    """The reason, on one line; beside the target nothing, in the checkpoint nothing new."""
    spoil, expected = BAD_CHECKPOINTS[name]
    spoil(checkpoint)
    before = below(tmp_path)
    with pytest.raises(RequestError, match=expected) as raised:
        build(BuildRequest(str(checkpoint), tmp_path / "out", {}))
    assert isinstance(raised.value, CheckpointError | RecipeError)
    message = str(raised.value)
    assert message.endswith(".")
    assert "\n" not in message and "Traceback" not in message
    assert below(tmp_path) == before


BAD_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "capacity beyond the model": ({"capacity": 4097}, "capacity of 4,097 is beyond the 4,096 positions"),
    "capacity 0": ({"capacity": 0}, "capacity is wrong"),
    "capacity as a word": ({"capacity": "many"}, "capacity is wrong"),
    "chunk 0": ({"chunk": 0}, "chunk is wrong"),
    "chunk below 0": ({"chunk": -64}, "chunk is wrong"),
    "chunk beyond the slots": (
        {"graphs": "prefill-decode", "capacity": 32, "chunk": 64},
        "chunk of 64 does not fit a capacity of 32",
    ),
    "no precision": ({"precision": "int3"}, "precision is wrong in the recipe"),
    "unknown precision": ({"precision": "fp1"}, "precision is wrong"),
    "unknown cache": ({"cache": "paged"}, "cache is wrong"),
    "unknown task": ({"task": "summarization"}, "'summarization': choose text-generation"),
    "unknown pass": ({"passes": {"magic": True}}, "No optimizer pass is called 'magic': qwen3 has strip_metadata"),
    "unknown option": ({"colour": "red"}, "colour is wrong"),
    "a recipe for another model": ({"model_type": "llama"}, "recipe is for model_type 'llama'"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_a_bad_option_is_one_sentence_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    """The option is named, and what there is instead."""
    options, expected = BAD_OPTIONS[name]
    with pytest.raises(RecipeError, match=expected) as raised:
        build(BuildRequest("demo:qwen3", tmp_path / "out", options))
    assert str(raised.value).endswith(".") and "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("positions", "capacity"), [(256, 256), (4096, 4096), (40960, 4096)], ids=["small", "equal", "long"]
)
def test_default_capacity_is_4096_or_what_the_model_allows(checkpoint: Path, positions: int, capacity: int) -> None:
    """Never max_position_embeddings blindly."""
    edit(checkpoint / "config.json", max_position_embeddings=positions)
    assert resolve_recipe(open_checkpoint(str(checkpoint)), {}).capacity == capacity


# -- what was built --------------------------------------------------------------------------------------------


def external(graph: Path) -> dict[str, dict[str, str]]:
    """name → location, offset and length of each initializer outside the graph's file."""
    model = onnx.load(graph, load_external_data=False)
    return {
        tensor.name: {entry.key: entry.value for entry in tensor.external_data}
        for tensor in model.graph.initializer
        if tensor.data_location == onnx.TensorProto.EXTERNAL
    }


def test_prefill_and_decode_share_one_weight_file_and_hold_no_weights(folder_bundle: Path) -> None:
    """The same tensors at the same offsets of one file; inside the graphs only what is smaller than 256 bytes."""
    prefill, decode = external(folder_bundle / "prefill.onnx"), external(folder_bundle / "decode.onnx")
    assert prefill == decode
    assert {place["location"] for place in prefill.values()} == {"weights.data"}
    assert [path.name for path in folder_bundle.glob("*.data")] == ["weights.data"]
    stored = open_checkpoint("demo:qwen3").parameters * 4
    assert sum(int(place["length"]) for place in prefill.values()) >= 0.99 * stored
    for name in ("prefill", "decode"):
        model = onnx.load(folder_bundle / f"{name}.onnx", load_external_data=False)
        inside = [t for t in model.graph.initializer if t.data_location != onnx.TensorProto.EXTERNAL]
        assert [t.name for t in inside if onnx.numpy_helper.to_array(t).nbytes >= 256] == []
        assert [node.name for node in model.graph.node if node.op_type == "Constant" and node.ByteSize() >= 256] == []


def test_the_weights_are_the_checkpoint_s(folder_bundle: Path) -> None:
    """The embedding, float16 on the disk, float32 in the bundle, value for value."""
    tied = ("embed_tokens.weight", "lm_head.weight")
    place = next(p for name, p in external(folder_bundle / "decode.onnx").items() if name.endswith(tied))
    expected = load_file(DEMO / "model.safetensors")["model.embed_tokens.weight"].astype(np.float32)
    data = (folder_bundle / "weights.data").read_bytes()
    found = np.frombuffer(data, "<f4", int(place["length"]) // 4, int(place.get("offset", "0")))
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


@pytest.mark.parametrize("which", ["default_bundle", "demo_split_bundle", "folder_bundle"])
def test_nothing_of_this_machine_is_in_a_bundle(which: str, request: pytest.FixtureRequest) -> None:
    """No path, no trace of the exporter's stack, in any byte of any file."""
    bundle: Path = request.getfixturevalue(which)
    repository = Path(__file__).parents[3]
    secrets = [str(repository), str(bundle.parent), sys.prefix, "site-packages", "stack_trace", "private/model", ".py"]
    for path in bundle.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert [secret for secret in secrets if secret.encode() in content] == [], path.name
    if which == "folder_bundle":
        assert json.loads((bundle / "recipe.json").read_text())["source"] == "model"


def shapes(graph: Path) -> dict[str, list[int | str]]:
    model = onnx.load(graph, load_external_data=False)
    return {
        value.name: [axis.dim_param or axis.dim_value for axis in value.type.tensor_type.shape.dim]
        for value in (*model.graph.input, *model.graph.output)
    }


def test_axes_of_the_single_graph_are_named(demo_bundle: Path) -> None:
    """sequence for the new tokens, capacity for the slots."""
    facts = json.loads((DEMO / "config.json").read_text())
    heads, size, vocabulary = facts["num_key_value_heads"], facts["head_dim"], facts["vocab_size"]
    found = shapes(demo_bundle / "decoder.onnx")
    assert found["input_ids"] == found["position_ids"] == [1, "sequence"]
    assert found["attention_mask"][:3] == [1, 1, "sequence"]
    assert isinstance(found["attention_mask"][3], str)
    assert found["logits"] == [1, "logits_rows", vocabulary]
    assert found["logits_start"] == found["logits_end"] == [1]  # which may be left out
    for layer in range(facts["num_hidden_layers"]):
        for role in ("key", "value"):
            assert found[f"past_key_values.{layer}.{role}"] == [1, heads, "capacity", size]
            assert found[f"present.{layer}.{role}"] == [1, heads, "sequence", size]
    assert len(found) == 6 + 4 * facts["num_hidden_layers"]


def test_axes_of_the_split_graphs_are_numbers(folder_bundle: Path) -> None:
    """Chunk and capacity in prefill, one token in decode; the mask is as wide as both together."""
    for name, width in (("prefill", 32), ("decode", 1)):
        found = shapes(folder_bundle / f"{name}.onnx")
        assert found["input_ids"] == found["position_ids"] == [1, width]
        assert found["attention_mask"] == [1, 1, width, 96 + width]
        assert found["past_key_values.0.key"][2] == 96
        assert found["present.0.key"][2] == width
        assert found["logits"][1] == width
