"""Graphs exported for genai: nodes at their ends adapt its inputs; what genai cannot run is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from tests.workflows.interop.native import Convolved, Grouped, built
from tests.workflows.interop.peers import rename
from tests.workflows.interop.test_folders import IDS, LENGTHS, check, opened
from tests.workflows.runtime.toy_bundles import D, Toy, V
from workflows.bundle import read_bundle
from workflows.bundle.genai.to_version1 import unsupported_keys
from workflows.bundle.schema import parse_pipeline
from workflows.common.errors import BundleError, Cancelled, RequestError
from workflows.interop.genai_export import export_genai
from workflows.interop.genai_import import import_genai


def visible(toy: Toy, length: int) -> Any:
    """[layers, n, n]."""
    n = np.arange(length)
    seen = np.stack([n[:, None] >= n] * 2)
    if isinstance(toy, Grouped) and toy.narrow:
        seen[1] &= n[:, None] - n < toy.narrow
    return seen


def values(folder: Path, toy: Toy) -> None:
    machine = opened(folder)
    for length in LENGTHS:
        check(machine, toy.truth(IDS[:length], visible=visible(toy, length)), IDS[:length])
    machine.close()


TOYS: dict[str, tuple[Toy, tuple[str, ...]]] = {
    "plain": (Toy(), ("decoder",)),
    "noted": (Grouped(), ("decoder",)),
    "windowed": (Grouped(narrow=4), ("decoder",)),
    "staged": (Grouped(narrow=4), ("table", "body", "head")),
    "combined": (Toy(combined=True), ("decoder",)),
    "apart": (Toy(layers=(1, 4)), ("decoder",)),
}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", TOYS)
def test_the_same_values_come_out(kind: str, version: Any, tmp_path: Path) -> None:
    """As a bundle, exported and opened in place, and imported again."""
    toy, parts = TOYS[kind]
    built(tmp_path / "b", toy, parts)
    values(tmp_path / "b", toy)
    export_genai(tmp_path / "b", tmp_path / "g", version=version)
    values(tmp_path / "g", toy)
    import_genai(tmp_path / "g", tmp_path / "again")
    values(tmp_path / "again", toy)


def ends(path: Path) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    session = ort.InferenceSession(path)
    sides = (session.get_inputs(), session.get_outputs())
    found = [{one.name: list(one.shape) for one in side} for side in sides]
    return found[0], found[1]


def test_masks_become_one_row_and_present_whole(tmp_path: Path) -> None:
    """Whatever masks there were, genai gives one; past has the slots that were, present those that are."""
    built(tmp_path / "b", Grouped(narrow=4))
    export_genai(tmp_path / "b", tmp_path / "g")
    inputs, outputs = ends(tmp_path / "g" / "decoder.onnx")
    assert inputs["attention_mask"] == [1, "total_sequence_length"] and "attention_mask_4" not in inputs
    assert inputs["past_key_values.0.key"] == [1, 2, "past_sequence_length", 4]
    assert outputs["present.1.value"] == [1, 2, "total_sequence_length", 4]
    model = onnx.load(tmp_path / "g" / "decoder.onnx")
    onnx.checker.check_model(model)
    assert not model.metadata_props  # what the graph noted of its cache is no longer so


def run(path: Path, tokens: list[int], past: int) -> dict[str, Any]:
    """The outputs of an exported decoder after `past` slots of ones."""
    session = ort.InferenceSession(path)
    total = past + len(tokens)
    feeds: dict[str, Any] = {
        "input_ids": np.array([tokens]),
        "attention_mask": np.ones((1, total), np.int64),
        "position_ids": np.arange(past, total)[None],
    }
    feeds |= {one.name: np.ones((1, 2, past, 4), np.float32) for one in session.get_inputs() if "past" in one.name}
    return dict(zip([one.name for one in session.get_outputs()], session.run(None, feeds), strict=True))


@pytest.mark.parametrize("past", [0, 3, 9])
@pytest.mark.parametrize("tokens", [1, 5])
def test_present_is_past_and_the_new_rows(past: int, tokens: int, tmp_path: Path) -> None:
    """And nobody sees further back than the window, nor ahead: other values there change nothing."""
    built(tmp_path / "b", Grouped(narrow=4))
    export_genai(tmp_path / "b", tmp_path / "g")
    path = tmp_path / "g" / "decoder.onnx"
    found, alone = run(path, IDS[:tokens], past), run(path, IDS[:1], past)
    key = found["present.0.key"]
    assert key.shape == (1, 2, past + tokens, 4)
    np.testing.assert_array_equal(key[:, :, :past], 1)
    np.testing.assert_allclose(found["logits"][:, 0], alone["logits"][:, 0], atol=1e-5)  # none sees ahead


def test_lengths_and_positions_come_from_the_mask(tmp_path: Path) -> None:
    """seqlens_k, total_sequence_length, and the positions of a graph that takes slots for them."""
    from tests.workflows.graph.making import model, node, value
    from workflows.interop.genai_graphs import StepEnds

    integer, small = onnx.TensorProto.INT64, onnx.TensorProto.INT32
    shapes = {"input_ids": ((1, "n"), integer), "seqlens_k": ((1,), small), "total_sequence_length": ((), small),
              "position_ids": ((1, "n"), integer)}  # fmt: skip
    inputs = [value(name, shape, kind) for name, (shape, kind) in shapes.items()]
    outputs = [value(f"out_{name}", shape, kind) for name, (shape, kind) in shapes.items()]
    nodes = [node("Identity", [name], [f"out_{name}"]) for name in shapes]
    graph = model(nodes, inputs=inputs, outputs=outputs, ir_version=9)
    change = StepEnds(graph)
    for name in ("seqlens_k", "total_sequence_length"):
        change.length(change.specs[name])
    change.positions(change.specs["position_ids"])
    onnx.save(change.model(), tmp_path / "g.onnx")
    session = ort.InferenceSession(tmp_path / "g.onnx")
    assert [one.name for one in session.get_inputs()] == ["input_ids", "attention_mask"]
    feeds = {"input_ids": np.zeros((1, 3), np.int64), "attention_mask": np.ones((1, 8), np.int64)}
    _, lengths, total, positions = session.run(None, feeds)
    assert (lengths.tolist(), total.tolist(), positions.tolist()) == ([7], 8, [[5, 6, 7]])
    assert (lengths.dtype, total.dtype) == (np.int32, np.int32)


def test_what_needs_no_change_keeps_its_graph(tmp_path: Path) -> None:
    """A folder of the peer's comes out with the graph that went in."""
    from tests.workflows.interop import peers

    (tmp_path / "p").mkdir()
    peers.single(tmp_path / "p")
    import_genai(tmp_path / "p", tmp_path / "b")
    export_genai(tmp_path / "b", tmp_path / "g")
    before, after = (onnx.load(tmp_path / name / "decoder.onnx") for name in ("p", "g"))
    assert before.SerializeToString(deterministic=True) == after.SerializeToString(deterministic=True)
    said = [json.loads((tmp_path / name / "genai_config.json").read_text()) for name in ("p", "g")]
    assert said[0] == said[1]


# -- the folder ----------------------------------------------------------------------------------------------------

WORDS = {
    "tokenizer.json": "{}",
    "config.json": json.dumps({"num_attention_heads": 2, "text_config": {"hidden_size": D}}),
    "generation_config.json": json.dumps({"repetition_penalty": 1.5, "min_length": 3, "temperature": 0.3}),
}


def test_the_configuration_that_is_written(tmp_path: Path) -> None:
    built(tmp_path / "b", Toy(), words=WORDS)
    done = export_genai(tmp_path / "b", tmp_path / "g")
    files = {path.name: path.read_bytes() for path in (tmp_path / "g").iterdir()}
    assert set(files) == {"decoder.onnx", "genai_config.json", "sample.py", "sample.cpp", *WORDS}
    assert (done.bytes, done.components) == (sum(map(len, files.values())), ["decoder"])
    made = json.loads(files["genai_config.json"])
    assert made["model"]["type"] == "decoder" and made["model"]["vocab_size"] == V
    sizes = {"num_hidden_layers": 2, "num_key_value_heads": 2, "head_size": 4, "num_attention_heads": 2,
             "hidden_size": D}  # fmt: skip
    assert {key: made["model"]["decoder"][key] for key in sizes} == sizes
    assert made["search"] == {"past_present_share_buffer": False, "repetition_penalty": 1.5, "min_length": 3,
                              "max_length": 64}  # fmt: skip


def test_version_2_has_the_peers_keys_alone(tmp_path: Path) -> None:
    built(tmp_path / "b", Toy(), words=WORDS, metadata={"family": "x", "components": [], "layout": "static"})
    export_genai(tmp_path / "b", tmp_path / "g", version=2)
    made = json.loads((tmp_path / "g" / "genai_config.json").read_text())
    assert set(made) == {"version", "pipeline", "tokens", "generation", "metadata"}
    assert made["pipeline"]["sessions"] == {"decoder": {"file": "decoder.onnx"}}
    assert set(made["pipeline"]) == {"sessions", "flow", "dataflow", "state"}
    assert made["metadata"] == {"model_type": "toy", "name": "toy", "architecture": "", "vocabulary": V}
    assert not (tmp_path / "g" / "sample.py").exists()  # the released genai cannot run it


@pytest.mark.parametrize(
    ("text", "why"),
    [("[]", "is not a JSON object"), ('"x"', "is not a JSON object"), ("{", "is not JSON"), ("nul", "is not JSON")],
)
def test_a_checkpoints_odd_configuration(text: str, why: str, tmp_path: Path) -> None:
    built(tmp_path / "b", Toy(), words={"config.json": text, "generation_config.json": "{}"})
    with pytest.raises(BundleError, match=rf"tokenizer/config\.json of .* {why}"):
        export_genai(tmp_path / "b", tmp_path / "g")
    assert not (tmp_path / "g").exists()


def test_sizes_of_other_kinds_are_passed_over(tmp_path: Path) -> None:
    built(tmp_path / "b", Toy(), words={"config.json": '{"hidden_size": "wide", "text_config": 5}'})
    export_genai(tmp_path / "b", tmp_path / "g")
    made = json.loads((tmp_path / "g" / "genai_config.json").read_text())
    assert "hidden_size" not in made["model"]["decoder"]


# -- what is refused -----------------------------------------------------------------------------------------------


def windowing(**window: int) -> dict[str, Any]:
    options = {"runtime": {"sliding_window": window}}
    return {"sessions": {"decoder": {"file": "decoder.onnx", "session_options": options}}}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"pipeline": windowing(size=8)}, r"at pipeline\.sessions\.decoder\.session_options\.runtime\.sliding_window"),
        ({"metadata": {"layout": "window"}}, r"at metadata\.layout: genai does not support a sliding cache"),
        ({"metadata": {"layout": "fifo"}}, r"at metadata\.layout: genai does not support a sliding cache"),
        ({"columns": 4, "metadata": {"chunk": 4}}, "its graphs take 4 tokens per run, and genai needs any number"),
        ({"words": {"generation_config.json": '{"suppress_tokens": [3]}'}},
         r"at tokenizer/generation_config\.json: suppress_tokens: genai has no suppress_tokens, and \(3,\) changes"),
        ({"words": {"generation_config.json": '{"forced_bos_token_id": 3}'}}, "genai has no forced_bos_token_id"),
        ({"words": {"generation_config.json": '{"bad_words_ids": [[3, 4]]}'}}, "genai has no bad_words_ids"),
        ({"words": {"generation_config.json": '{"min_new_tokens": 3}'}}, "genai has no min_new_tokens"),
    ],
)  # fmt: skip
def test_what_genai_cannot_express(changes: dict[str, Any], told: str, version: Any, tmp_path: Path) -> None:
    """By its name, before anything is written."""
    built(tmp_path / "b", Toy(), **changes)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BundleError, match=told) as raised:
        export_genai(tmp_path / "b", tmp_path / "g", version=version)
    assert "\n" not in str(raised.value) and sorted(tmp_path.iterdir()) == before


def test_a_cache_of_fixed_slots(tmp_path: Path) -> None:
    built(tmp_path / "b", Fixed())
    with pytest.raises(BundleError, match=r"past_key_values\.0\.key has 64 slots, and genai's cache grows"):
        export_genai(tmp_path / "b", tmp_path / "g")


class Fixed(Toy):
    """Past has 64 slots, and a mask as wide as these and the step's own columns."""

    def _body(self, net: Any, x: str, chosen: Any, columns: Any, inputs: dict[str, Any], outputs: Any) -> str:
        x = super()._body(net, x, chosen, columns, inputs, outputs)
        for name, (kind, shape) in inputs.items():
            inputs[name] = (kind, [64 if axis == "slots" else axis for axis in shape])
        return x


@pytest.mark.parametrize("version", [1, 2])
def test_a_state_beside_the_cache(version: Any, tmp_path: Path) -> None:
    """Version 1 knows it by the names of its layers, unless the peer's own file said other ones."""
    built(tmp_path / "b", Toy(convolves=True))
    reason = "genai has one convolution" if version == 1 else "version 2 has no key for state"
    with pytest.raises(BundleError, match=rf"at pipeline\.state: {reason}.* has past_conv\.0"):
        export_genai(tmp_path / "b", tmp_path / "g", version=version)


def test_the_state_of_convolutions_by_layer(tmp_path: Path) -> None:
    """Its type of model, and what each layer keeps; read again, it is carried on from output to input."""
    built(tmp_path / "b", Convolved())
    export_genai(tmp_path / "b", tmp_path / "g")
    model = json.loads((tmp_path / "g" / "genai_config.json").read_text())["model"]
    decoder = model["decoder"]
    assert (model["type"], decoder["num_hidden_layers"], decoder["conv_cache_size"]) == ("lfm2", 3, 2)
    assert decoder["layer_types"] == ["full_attention", "full_attention", "conv"]
    assert decoder["inputs"]["past_conv_names"] == "past.%d.conv"
    values(tmp_path / "g", Convolved())


def test_a_composite_of_another_shape(tmp_path: Path) -> None:
    """Version 2 has words for its route and version 1 has none; the steps of fixed width it has none for either."""
    flow = {"sessions": {"a": {"file": "decoder.onnx"}, "decoder": {"file": "decoder.onnx"}},
            "flow": [{"run": "a", "when": "init"}, {"run": "decoder"}]}  # fmt: skip
    built(tmp_path / "b", Toy(), pipeline=flow)
    with pytest.raises(BundleError, match=r"at pipeline\.flow: the released genai runs no composite"):
        export_genai(tmp_path / "b", tmp_path / "g")
    export_genai(tmp_path / "b", tmp_path / "g", version=2)
    values(tmp_path / "g", Toy())
    assert len(list((tmp_path / "g").glob("*.onnx"))) == 1


def test_graphs_that_need_nodes_and_have_other_names(tmp_path: Path) -> None:
    """A wide mask under another name than Joinery's: the nodes would be put before another."""
    toy = Toy()
    names = {"attention_mask": "mask"}
    draft = tmp_path / "graphs"
    draft.mkdir()
    toy.write(draft, ["decoder"])
    rename(draft / "decoder.onnx", names)
    toy.write = lambda folder, *_: shutil.copyfile(draft / "decoder.onnx", folder / "decoder.onnx")  # type: ignore
    built(tmp_path / "b", toy, metadata={"names": {"decoder.mask": "attention_mask"}})
    values(tmp_path / "b", toy)
    with pytest.raises(BundleError, match=r"at metadata\.names: the nodes that decoder needs for genai's inputs"):
        export_genai(tmp_path / "b", tmp_path / "g")
    assert not (tmp_path / "g").exists()


def test_what_generates_no_text(tmp_path: Path) -> None:
    built(tmp_path / "b", Toy(), ("table",), pipeline={"state": {}}, generation=None)
    with pytest.raises(BundleError, match="has no KV cache, and genai runs only models that generate text"):
        export_genai(tmp_path / "b", tmp_path / "g")


def test_a_tensor_under_two_names() -> None:
    parts = ("table", "body", "head", "scorer")
    edges = [{"from": f"{one}.hidden_out", "to": f"{two}.hidden_in"} for one, two in pairwise(parts[:3])]
    flow = {
        "sessions": {part: {"file": f"{part}.onnx"} for part in parts},
        "flow": [{"run": part} for part in ("table", "body", "scorer", "head")],
        "dataflow": [*edges, {"from": "body.hidden_out", "to": "scorer.row"}],
    }
    pipeline = parse_pipeline({"pipeline": flow | {"state": {"kv_cache": {}}}, "generation": {"max_length": 9}}, "file")
    (fault,) = unsupported_keys(pipeline)
    assert fault.path == "pipeline.dataflow[2]" and "body.hidden_out feeds inputs of two names" in fault.message


# -- the target ----------------------------------------------------------------------------------------------------


def test_targets(tmp_path: Path) -> None:
    """A new folder, or an empty one; nobody's files are touched."""
    bundle = built(tmp_path / "b", Toy())
    (tmp_path / "empty").mkdir()
    export_genai(bundle, tmp_path / "empty")
    assert (tmp_path / "empty" / "genai_config.json").is_file()
    export_genai(bundle, tmp_path / "new" / "below")
    assert (tmp_path / "new" / "below" / "sample.cpp").is_file()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("full", "file", "link", "empty"):
        with pytest.raises(RequestError, match="is not empty: choose another --out"):
            export_genai(bundle, tmp_path / name)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def external(bundle: Path) -> None:
    """Puts the weights of the bundle's graph into a file of their own."""
    from workflows.bundle.manifest import write_manifest

    model = onnx.load(bundle / "decoder.onnx")
    onnx.save(model, bundle / "decoder.onnx", save_as_external_data=True, location="w.data", size_threshold=200)
    write_manifest(bundle)


@pytest.mark.parametrize("link", [True, False])
def test_weights_are_linked_or_copied(link: bool, tmp_path: Path) -> None:
    bundle = built(tmp_path / "b", Toy())
    external(bundle)
    export_genai(bundle, tmp_path / "g", link=link)
    assert (tmp_path / "g" / "w.data").samefile(bundle / "w.data") == link
    assert not (tmp_path / "g" / "w.data").is_symlink()
    values(tmp_path / "g", Toy())


def test_a_cancelled_export_leaves_nothing(tmp_path: Path) -> None:
    """At each session's turn."""
    built(tmp_path / "b", Toy(), ("table", "body", "head"))
    before = sorted(tmp_path.iterdir())
    for turn in range(3):
        asked = iter([False] * turn + [True] * 9)
        with pytest.raises(Cancelled, match="The export was cancelled"):
            export_genai(tmp_path / "b", tmp_path / "g", cancelled=lambda asked=asked: next(asked))  # type: ignore[misc]
        assert sorted(tmp_path.iterdir()) == before


def test_a_disk_that_is_full_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path / "b", Toy())
    before = sorted(tmp_path.iterdir())

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("workflows.interop.genai_export.write_samples", full)
    with pytest.raises(OSError, match="No space"):
        export_genai(tmp_path / "b", tmp_path / "g")
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_in_place_goes_out_too(tmp_path: Path) -> None:
    """Version 1 of the peer's becomes version 2, with the same tokens."""
    from tests.workflows.interop import peers
    from tests.workflows.interop.test_folders import check_text

    (tmp_path / "p").mkdir()
    toy = peers.staged(tmp_path / "p")
    export_genai(tmp_path / "p", tmp_path / "g", version=2)
    assert read_bundle(tmp_path / "g").pipeline.route == "decoder-pipeline"
    check_text(tmp_path / "g", toy)


# what a page may ask of the module, and nothing else; it writes down what it was asked
FAKE = """
import json
ASKED = {}
class Model:
    def __init__(self, folder): ASKED["folder"] = folder
class Tokenizer:
    def __init__(self, model): pass
    def encode(self, text): ASKED["text"] = text; return [3, 4]
    def apply_chat_template(self, *, messages, add_generation_prompt):
        return f"<{json.loads(messages)[0]['content']}>" + ":" * add_generation_prompt
    def create_stream(self): return self
    def decode(self, token): return f"[{token}]"
class GeneratorParams:
    def __init__(self, model): pass
    def set_search_options(self, **options): ASKED.update(options)
class Generator:
    def __init__(self, model, parameters): self.left = 3
    def append_tokens(self, ids): ASKED["ids"] = list(ids)
    def is_done(self):
        if not self.left: print(json.dumps(ASKED))
        return not self.left
    def generate_next_token(self): self.left -= 1
    def get_next_tokens(self): return [self.left]
"""
TEMPLATE = json.dumps({"chat_template": "{{ messages[0].content }}"})


def exported(folder: Path, **words: str) -> Path:
    built(folder / "b", Grouped(narrow=4), words={name.replace("_json", ".json"): text for name, text in words.items()})
    export_genai(folder / "b", folder / "g")
    return folder / "g"


def run_sample(folder: Path, *arguments: str, fake: bool = True) -> str:
    path = {"PYTHONPATH": str(folder.parent)} if fake else {}
    if fake:
        (folder.parent / "onnxruntime_genai.py").write_text(FAKE)
    command = [sys.executable, str(folder / "sample.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=path)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_ids_in_ids_out(tmp_path: Path) -> None:
    """Greedy, as long as is asked for and the context allows."""
    folder = exported(tmp_path)
    output = run_sample(folder, "--ids", "7,8,9", "--max-new-tokens", "5")
    asked = json.loads(output[output.index("{") : output.index("}") + 1])
    assert output.startswith("2 1 0 ")
    assert asked == {"folder": str(folder), "ids": [7, 8, 9], "max_length": 8, "do_sample": False}
    assert '"max_length": 64' in run_sample(folder, "--ids", "7,8,9", "--max-new-tokens", "500")


@pytest.mark.parametrize("chats", [True, False])
def test_a_prompt_goes_through_the_template_where_there_is_one(chats: bool, tmp_path: Path) -> None:
    words = {"tokenizer_config_json": TEMPLATE} if chats else {}
    output = run_sample(exported(tmp_path, **words), "hello")
    assert output.startswith("[2][1][0]")
    assert f'"text": "{"<hello>:" if chats else "hello"}"' in output


def test_a_name_ends_no_string(tmp_path: Path) -> None:
    """Whatever the model is called, the page is a page."""
    name = 'evil"""\n$x `rm` */ {}'
    built(tmp_path / "b", Grouped(), metadata={"name": name})
    export_genai(tmp_path / "b", tmp_path / "g")
    page = (tmp_path / "g" / "sample.py").read_text("utf-8")
    compile(page, "sample.py", "exec")
    assert page.startswith('"""Runs evil_____x _rm_ __ __ with onnxruntime-genai')
    assert "constexpr double context = 64;" in (tmp_path / "g" / "sample.cpp").read_text("utf-8")


@pytest.mark.skipif(find_spec("onnxruntime_genai") is None, reason="onnxruntime-genai is not installed")
def test_with_the_wheel(tmp_path: Path) -> None:
    """The tokens that numpy chooses."""
    toy = Grouped(narrow=4)
    ids = IDS[:9]
    output = run_sample(exported(tmp_path), "--ids", ",".join(map(str, ids)), "--max-new-tokens", "6", fake=False)
    expected: list[int] = []
    while len(expected) < 6:
        n = np.arange(len(ids) + len(expected))
        seen = np.stack([n[:, None] >= n, (n[:, None] >= n) & (n[:, None] - n < 4)])
        expected.append(int(toy.truth([*ids, *expected], visible=seen)[-1].argmax()))
    assert [int(token) for token in output.split()] == expected
