"""Graphs that lie about become a bundle that computes what numpy does, or every lack of theirs is told."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tests.workflows.interop.making import rename, write_halves
from tests.workflows.runtime.toy_bundles import AUDIO, IMAGE, Array, D, Toy, V, write_encoder, write_reader
from workflows.bundle import read_bundle, verify_bundle
from workflows.cli import run
from workflows.common.errors import CheckpointError, GraphError, RequestError
from workflows.generate.prefill import feed_tokens, start_prompt
from workflows.inspection.contents import inspect_path
from workflows.interop.assemble import assemble, infer_assembly
from workflows.runtime import Machine, device_named, open_machine

IDS = np.random.default_rng(1).integers(2, IMAGE, 40).tolist()
START = {"tokens": {"decoder_start": 1}}
LENGTHS = (1, 7, 20)


def opened(bundle: Path) -> Machine:
    return open_machine(read_bundle(bundle), device_named("cpu"), capacity=64)


def made(folder: Path, files: Mapping[str, str], said: Mapping[str, Any] | None = None, **more: Any) -> Machine:
    """The graphs of `folder`, assembled and opened."""
    assemble({name: folder / file for name, file in files.items()}, folder / "out", said, **more)
    assert verify_bundle(folder / "out").ok
    return opened(folder / "out")


def check(machine: Machine, ids: Sequence[int], truth: Array) -> None:
    """The logits after all but three tokens, which go as a prompt does, and after each of the three."""
    alone = min(3, len(ids) - 1)
    rows = [one.logits.copy() for one in feed_tokens(machine, ids[: len(ids) - alone])][-1:]
    rows += [machine.step([token])[-1].copy() for token in ids[len(ids) - alone :]] if alone else []
    np.testing.assert_allclose(rows, truth[-len(rows) :], rtol=1e-4, atol=2e-4)


def chain(folder: Path, parts: Sequence[str], names: Sequence[str], columns: str = "") -> None:
    """Writes parts of which each takes what the one before gives, called as `names` says."""
    for part, (before, after) in zip(parts, pairwise(["", *names, ""]), strict=True):
        rename(folder / f"{part}{columns}.onnx", {"hidden_in": before, "hidden_out": after})


# -- optimum's decoders ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("merged", [False, True])
def test_a_decoder_in_two_halves_behind_an_encoder(merged: bool, external: bool, tmp_path: Path) -> None:
    """The encoder's keys and values are computed once; its own cache begins with no slots, a token at a time."""
    toy = Toy(layers=(0,), attends=True)
    write_halves(tmp_path, toy, external=external)
    write_encoder(tmp_path, toy)
    files = {"reader": "encoder.onnx", "speaker": "decoder_with_past_model.onnx", "begin": "decoder_model.onnx"}
    if merged:
        files = {"reader": "encoder.onnx", "speaker": "decoder_model_merged.onnx"}
    machine = made(tmp_path, files, START)
    pipeline = read_bundle(tmp_path / "out").pipeline
    assert list(pipeline.pipeline.sessions) == ["reader", "cross", "speaker"]
    assert machine.program.decode.columns == 1
    for source in (IDS[:1], IDS[:5], IDS[5:27]):
        ids = [*start_prompt(machine, pipeline, source, [7, 9]), *IDS[30:34]]
        check(machine, ids, toy.truth(ids, source=source))
        machine.cache.reset()


@pytest.mark.parametrize("files", [{"model": "decoder_model_merged"},
                                   {"a": "decoder_model", "b": "decoder_with_past_model"}])  # fmt: skip
def test_a_decoder_in_two_halves_alone(files: dict[str, str], tmp_path: Path) -> None:
    """The one with past is enough; it was traced for one token, so a prompt goes token by token."""
    toy = Toy(layers=(0,))
    write_halves(tmp_path, toy)
    machine = made(tmp_path, {name: f"{file}.onnx" for name, file in files.items()})
    assert list(read_bundle(tmp_path / "out").pipeline.pipeline.sessions) == [list(files)[-1]]
    for length in LENGTHS:
        machine.cache.reset()
        check(machine, IDS[:length], toy.truth(IDS[:length]))


def test_weights_around_an_if_are_brought_once(tmp_path: Path) -> None:
    """Both graphs that come of a merged decoder refer to its one weight file."""
    toy = Toy(layers=(0,), attends=True)
    write_halves(tmp_path, toy, external=True)
    write_encoder(tmp_path, toy)
    made(tmp_path, {"encoder": "encoder.onnx", "decoder": "decoder_model_merged.onnx"}, START)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["cross.onnx", "decoder.onnx", "decoder_model_merged.onnx_data", "encoder.onnx", "manifest.json",
                     "pipeline.json"]  # fmt: skip
    model = onnx.load(tmp_path / "out" / "cross.onnx", load_external_data=False)
    assert {node.op_type for node in model.graph.node} <= {"MatMul", "Reshape", "Transpose", "Identity", "Concat",
                                                           "Unsqueeze", "Constant"}  # fmt: skip
    assert not [tensor.name for tensor in model.graph.initializer if list(tensor.dims) == [V, D]]  # no table of tokens


# -- edges by equal names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", LENGTHS)
def test_parts_by_the_names_of_their_tensors(length: int, tmp_path: Path) -> None:
    """Table, two bodies with a layer each, and head, as a tool cuts them: by the names of a graph's own tensors."""
    toy = Toy()
    parts = ["table", "body0", "body1", "head"]
    toy.write(tmp_path, parts)
    chain(tmp_path, parts, ["/model/embed_tokens/Gather_output_0", "/model/layers.0/Add_output_0", "hidden_states"])
    machine = made(tmp_path, {f"p{4 - i}": f"{part}.onnx" for i, part in enumerate(parts)})
    check(machine, IDS[:length], toy.truth(IDS[:length]))
    assert machine.program.decode.sessions == ("p4", "p3", "p2", "p1")
    roles = [read_bundle(tmp_path / "out").pipeline.metadata.role(f"p{i}") for i in (4, 3, 2, 1)]
    assert roles == ["embeddings", "transformer", "transformer", "head"]


@pytest.mark.parametrize("length", LENGTHS)
def test_pieces_that_all_call_it_hidden_states(length: int, tmp_path: Path) -> None:
    """The layers of the cache tell their order, whatever the order in which they are given."""
    toy = Toy()
    toy.write(tmp_path, ["table", "body0", "body1", "head"])
    for part in ("table", "head"):
        rename(tmp_path / f"{part}.onnx", {"hidden_in": "hidden_states", "hidden_out": "hidden_states"})
    for part in ("body0", "body1"):  # a graph cannot have one name for both
        model = onnx.load(tmp_path / f"{part}.onnx")
        for node in model.graph.node:
            node.input[:] = ["hidden_states" if name == "hidden_in" else name for name in node.input]
        next(one for one in model.graph.input if one.name == "hidden_in").name = "hidden_states"
        onnx.save(model, tmp_path / f"{part}.onnx")
    said = {"pipeline": {"flow": [{"run": name} for name in ("a", "b", "c", "d")],
                         "dataflow": [{"from": "a.hidden_states", "to": "b.hidden_states"},
                                      {"from": "b.hidden_out", "to": "c.hidden_states"},
                                      {"from": "c.hidden_out", "to": "d.hidden_states"}],
                         "state": {"kv_cache": {}}}}  # fmt: skip
    files = {"d": "head.onnx", "c": "body1.onnx", "b": "body0.onnx", "a": "table.onnx"}
    machine = made(tmp_path, files, said)
    check(machine, IDS[:length], toy.truth(IDS[:length]))


@pytest.mark.parametrize("length", [*LENGTHS, 8, 9, 19])
def test_a_prefill_and_a_step_of_fixed_widths(length: int, tmp_path: Path) -> None:
    """The wider one reads the prompt, whatever it is called; table and head serve both."""
    toy = Toy()
    for tag, columns in (("8", 8), ("1", 1)):
        toy.write(tmp_path, ["body"], columns, tag)
        rename(tmp_path / f"body{tag}.onnx", {"hidden_in": "inputs_embeds", "hidden_out": "hidden_states"})
    toy.write(tmp_path, ["table", "head"])
    chain(tmp_path, ["table"], [])
    rename(tmp_path / "table.onnx", {"hidden_out": "inputs_embeds", "": "inputs_embeds"})
    rename(tmp_path / "head.onnx", {"hidden_in": "hidden_states", "": "hidden_states"})
    files = {"head": "head.onnx", "x": "body1.onnx", "y": "body8.onnx", "table": "table.onnx"}
    machine = made(tmp_path, files)
    assert (machine.chunk, machine.program.prefill.columns, machine.program.decode.columns) == (8, 8, 1)
    check(machine, IDS[:length], toy.truth(IDS[:length]))


def test_an_encoder_and_a_decoder_by_hidden_states(tmp_path: Path) -> None:
    """last_hidden_state goes to encoder_hidden_states, and the source's mask to both."""
    toy = Toy(attends=True)
    toy.write(tmp_path, ["decoder"])
    write_encoder(tmp_path, toy)
    machine = made(tmp_path, {"decoder": "decoder.onnx", "encoder": "encoder.onnx"}, START)
    pipeline = read_bundle(tmp_path / "out").pipeline
    assert pipeline.route == "encoder-decoder"
    for source in (IDS[:3], IDS[3:20]):
        ids = [*start_prompt(machine, pipeline, source), *IDS[20:27]]
        check(machine, ids, toy.truth(ids, source=source))


def test_a_decoder_of_transformers_own_names(tmp_path: Path) -> None:
    """decoder_input_ids, and attention_mask for the source's mask, as the model's own forward has them."""
    toy = Toy(attends=True)
    toy.write(tmp_path, ["decoder"])
    write_encoder(tmp_path, toy)
    rename(tmp_path / "encoder.onnx", {"last_hidden_state": "encoder_hidden_states"})
    plain = ("input_ids", "attention_mask", "position_ids")
    names = {name: f"decoder_{name}" for name in plain} | {"encoder_attention_mask": "attention_mask"}
    rename(tmp_path / "decoder.onnx", names)
    machine = made(tmp_path, {"decoder": "decoder.onnx", "encoder": "encoder.onnx"}, START)
    ids = [*start_prompt(machine, read_bundle(tmp_path / "out").pipeline, IDS[3:20]), *IDS[20:27]]
    check(machine, ids, toy.truth(ids, source=IDS[3:20]))


# -- features ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [(), (4,), (0, 1, 9)])
def test_pictures_and_sound_in_the_embedding(places: tuple[int, ...], tmp_path: Path) -> None:
    """Graphs that read them feed the table, which feeds the body; the tokens are said, or in config.json."""
    toy = Toy(modalities=("image", "audio"))
    parts = ["table", "body", "head"]
    toy.write(tmp_path, parts)
    chain(tmp_path, parts, ["inputs_embeds", "hidden_states"])
    for kind in toy.modalities:
        write_reader(tmp_path, toy, kind)
    (tmp_path / "config.json").write_text(json.dumps({"image_token_index": IMAGE, "model_type": "seen"}))
    files = {name: f"{name}.onnx" for name in (*parts, "image", "audio")}
    machine = made(tmp_path, files, {"tokens": {"audio_token": AUDIO}}, checkpoint_folder=tmp_path)
    bundle = read_bundle(tmp_path / "out")
    assert [bundle.pipeline.metadata.role(name) for name in ("image", "audio", "table")] == [
        "vision",
        "speech",
        "embeddings",
    ]
    assert (bundle.pipeline.metadata.model_type, bundle.pipeline.route) == ("seen", "multimodal")
    ids = IDS[:14]
    for place in places:
        ids[place] = IMAGE
    ids[6] = AUDIO
    chances = np.random.default_rng(3)
    rows = {"image": chances.normal(size=(len(places), 3)), "audio": chances.normal(size=(1, 5))}
    given = {"audio_embeds": rows["audio"]} | ({"pixel_values": rows["image"]} if places else {})
    machine.start(given, ids)
    check(machine, ids, toy.truth(ids, rows))


@pytest.mark.parametrize("places", [(), (4,), (0, 1, 9, 12)])
def test_pictures_that_no_graph_places(places: tuple[int, ...], tmp_path: Path) -> None:
    """Where a runtime put the rows in their places between its graphs, the table's copy does it."""
    toy = Toy()
    parts = ["table", "body", "head"]
    toy.write(tmp_path, parts)
    chain(tmp_path, parts, ["inputs_embeds", "hidden_states"])
    seen = Toy(modalities=("image",))
    write_reader(tmp_path, seen, "image")
    files = {name: f"{name}.onnx" for name in (*parts, "image")}
    told: list[str] = []
    machine = made(tmp_path, files, {"tokens": {"image_token": IMAGE}}, report=lambda one: told.append(str(one)))
    assert any(f"table places image.image_features at the token {IMAGE}" in one for one in told)
    ids = IDS[:14]
    for place in places:
        ids[place] = IMAGE
    rows = np.random.default_rng(3).normal(size=(len(places), 3))
    machine.start({"pixel_values": rows} if places else {}, ids)
    check(machine, ids, seen.truth(ids, {"image": rows}))


# -- what a person says ------------------------------------------------------------------------------------------------


def test_an_explicit_pipeline_wins(tmp_path: Path) -> None:
    """A whole file, whose sessions' own file names mean nothing here, or keys of one."""
    toy = Toy()
    parts = ["table", "body", "head"]
    toy.write(tmp_path, parts)  # hidden_in and hidden_out, which nothing but the file joins
    files = {name: tmp_path / f"{name}.onnx" for name in parts}
    assert any("Nothing feeds body.hidden_in [1, n, 8] float32" in lack for lack in infer_assembly(files).problems)
    said = {
        "pipeline": {
            "sessions": {name: {"file": "elsewhere.onnx"} for name in parts},
            "flow": [{"run": name} for name in parts],
            "dataflow": [{"from": f"{one}.hidden_out", "to": f"{two}.hidden_in"} for one, two in pairwise(parts)],
            "state": {"kv_cache": {}},
        },
        "generation": {"max_length": 32},
        "metadata": {"name": "mine", "chunk": 5},
    }
    machine = made(tmp_path, {name: f"{name}.onnx" for name in parts}, said)
    check(machine, IDS[:13], toy.truth(IDS[:13]))
    pipeline = read_bundle(tmp_path / "out").pipeline
    facts = pipeline.metadata
    assert (facts.name, facts.chunk, facts.vocabulary, pipeline.capacity) == ("mine", 5, V, 32)
    assert pipeline.pipeline.sessions["body"].file == "body.onnx"


def test_a_folder_of_words(tmp_path: Path) -> None:
    """Tokens, limits and the model's kind; generation_config.json goes before config.json, and a person before both."""
    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    words = tmp_path / "words"
    words.mkdir()
    config = {"model_type": "toy", "architectures": ["ToyLM"], "eos_token_id": 5, "pad_token_id": 6, "bos_token_id": 4,
              "max_position_embeddings": 33}  # fmt: skip
    (words / "config.json").write_text(json.dumps(config))
    (words / "generation_config.json").write_text(json.dumps({"eos_token_id": [7, 8]}))
    made(tmp_path, {"decoder": "decoder.onnx"}, {"tokens": {"pad": 9}}, checkpoint_folder=words)
    bundle = read_bundle(tmp_path / "out")
    tokens, facts = bundle.pipeline.tokens, bundle.pipeline.metadata
    assert (tokens.eos, tokens.pad, tokens.bos) == ([7, 8], 9, 4)
    assert (facts.model_type, facts.architecture, bundle.pipeline.capacity) == ("toy", "ToyLM", 33)
    assert (tmp_path / "out" / "tokenizer" / "config.json").is_file()
    (words / "config.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"config\.json"):
        infer_assembly({"decoder": tmp_path / "decoder.onnx"}, checkpoint_folder=words)
    with pytest.raises(RequestError, match=r"holds neither tokenizer\.json nor config\.json"):
        infer_assembly({"decoder": tmp_path / "decoder.onnx"}, checkpoint_folder=tmp_path / "nowhere")


# -- what is lacking ---------------------------------------------------------------------------------------------------


def test_everything_that_lacks_is_reported_at_once(tmp_path: Path) -> None:
    """A body without table and head, an encoder without a decoder, a reader of pictures without a place for them."""
    toy = Toy(modalities=("image",))
    parts = ["table", "body", "head"]
    toy.write(tmp_path, parts)
    chain(tmp_path, parts, ["inputs_embeds", "hidden_states"])
    write_reader(tmp_path, toy, "image")
    write_encoder(tmp_path, toy)

    def lacks(*names: str) -> tuple[str, ...]:
        return infer_assembly({name: tmp_path / f"{name}.onnx" for name in names}).problems

    assert lacks("body") == (
        "No graph gives logits: give the head's graph, or export it with an output of that name.",
        "Nothing feeds body.inputs_embeds [1, n, 8] float32: no graph that runs before body has an output of that name"
        "; give one that has, or name its source under pipeline.dataflow in --pipeline.",
    )
    assert lacks("table", "body", "head") == (
        "Nothing feeds table.image_features [image_rows, 8] float32: no graph that runs before table has an output of "
        "that name; give one that has, or name its source under pipeline.dataflow in --pipeline.",
    )
    (places,) = lacks("table", "body", "head", "image")
    assert places.startswith("table.image_features takes image features, and their placeholder token is unknown")
    found = lacks("table", "body", "encoder")
    assert [told.split(":")[0] for told in found] == [
        "No graph gives logits",
        "Nothing feeds table.image_features [image_rows, 8] float32",
        "Nothing uses the outputs of encoder (last_hidden_state)",
    ]
    with pytest.raises(RequestError, match=r"graphs body cannot be assembled: No graph gives .* Nothing feeds body\."):
        assemble({"body": tmp_path / "body.onnx"}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_decoder_of_optimum_s_without_its_encoder(tmp_path: Path) -> None:
    """What an encoder gives is not asked of a person; and half a decoder is not enough."""
    toy = Toy(layers=(0,), attends=True)
    write_halves(tmp_path, toy)
    write_encoder(tmp_path, toy)
    (lack,) = infer_assembly({"decoder": tmp_path / "decoder_model_merged.onnx"}, START).problems
    assert lack.startswith("Nothing feeds cross.encoder_hidden_states [1, heard, 8] float32: no graph that runs before")
    halves = {name: tmp_path / f"{name}.onnx" for name in ("encoder", "decoder_with_past_model")}
    lacks = infer_assembly(halves, START).problems
    assert [told.split(",")[0] for told in lacks] == [
        "Nothing feeds decoder_with_past_model.past_key_values.0.encoder.key (and 1 like it)",
        "Nothing uses the outputs of encoder (last_hidden_state): leave it out",
    ]
    assert "give that graph as well" in lacks[0]
    halves = {name: tmp_path / f"{name}.onnx" for name in ("encoder", "decoder_model")}
    assert infer_assembly(halves, START).problems[0].startswith("No graph has inputs named like past_key_values.0.key")


def test_a_decoder_without_a_first_token_or_a_vocabulary(tmp_path: Path) -> None:
    toy = Toy(attends=True)
    toy.write(tmp_path, ["decoder"])
    write_encoder(tmp_path, toy)
    files = {name: tmp_path / f"{name}.onnx" for name in ("encoder", "decoder")}
    (start,) = infer_assembly(files).problems
    assert "state tokens.decoder_start in --pipeline" in start
    model = onnx.load(files["decoder"])
    logits = next(one for one in model.graph.output if one.name == "logits")
    logits.type.tensor_type.shape.dim[2].dim_param = "words"
    onnx.save(model, files["decoder"])
    (vocabulary,) = infer_assembly(files, START).problems
    assert vocabulary.startswith("The number of tokens is not known")
    assert not infer_assembly(files, START | {"metadata": {"vocabulary": V}}).problems


def test_a_picture_is_there_before_the_whole_is(tmp_path: Path) -> None:
    """Sessions and edges of what is lacking something, and runs and states of what is not."""
    toy = Toy()
    parts = ["table", "body", "head"]
    toy.write(tmp_path, parts)
    chain(tmp_path, parts, ["inputs_embeds", "hidden_states"])
    files = {name: tmp_path / f"{name}.onnx" for name in parts}
    whole = infer_assembly(files).composite
    assert whole and whole.runs == ("prefill", "decode") and [state.kind for state in whole.states] == ["cache"]
    part = infer_assembly({name: files[name] for name in ("table", "body")}).composite
    assert part and [(edge.source, edge.target) for edge in part.edges] == [
        (("table", "inputs_embeds"), ("body", "inputs_embeds"))
    ]
    assert infer_assembly({"table": files["table"]}, {"pipeline": []}).composite is None


# -- hostile and odd files ---------------------------------------------------------------------------------------------


def test_files_that_are_refused_leave_nothing(tmp_path: Path) -> None:
    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    path, out = tmp_path / "decoder.onnx", tmp_path / "there" / "out"
    out.parent.mkdir()
    model = onnx.load(path)
    onnx.save(model, path, save_as_external_data=True, location="w.data", size_threshold=9)
    (tmp_path / "w.data").write_bytes((tmp_path / "w.data").read_bytes()[:-1])
    with pytest.raises(GraphError, match=r"w\.data has [\d,]+ bytes and the initializer \w+ of decoder\.onnx ends at"):
        assemble({"decoder": path}, out)
    (tmp_path / "w.data").unlink()
    with pytest.raises(GraphError, match=r"The weights of decoder\.onnx are missing: there is no w\.data beside it"):
        assemble({"decoder": path}, out)
    (tmp_path / "sub").mkdir()
    moved = onnx.load(path, load_external_data=False)
    for tensor in moved.graph.initializer:
        for entry in tensor.external_data:
            entry.value = "../w.data" if entry.key == "location" else entry.value
    onnx.save(moved, tmp_path / "sub" / "decoder.onnx")
    with pytest.raises(GraphError, match="outside its own folder"):
        assemble({"decoder": tmp_path / "sub" / "decoder.onnx"}, out)
    (tmp_path / "no.onnx").write_bytes(b"\x08\x07no graph")
    with pytest.raises(GraphError, match=r"no\.onnx is not an ONNX file"):
        assemble({"decoder": tmp_path / "no.onnx"}, out)
    with pytest.raises(GraphError, match="There is no file"):
        assemble({"decoder": tmp_path / "nowhere.onnx"}, out)
    assert not [entry for entry in os.listdir(out.parent) if not entry.endswith(".lock")]  # noqa: PTH208


def test_names_that_cannot_be(tmp_path: Path) -> None:
    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    path = tmp_path / "decoder.onnx"
    for names, told in ((["a.b"], "'a.b' cannot name a graph"), (["../a"], "cannot name a graph"), ([""], "cannot"),
                        (["a", "A"], "with different capitals"), ([], "No graph was given")):  # fmt: skip
        with pytest.raises(RequestError, match=told):
            infer_assembly(dict.fromkeys(names, path))


def test_one_file_for_two_sessions_is_there_once(tmp_path: Path) -> None:
    """Prefill and step over one graph, as a person says."""
    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    said = {"pipeline": {"flow": [{"run": "prefill", "when": "init"}, {"run": "step"}], "state": {"kv_cache": {}}}}
    machine = made(tmp_path, {"prefill": "decoder.onnx", "step": "decoder.onnx"}, said)
    assert sorted(path.name for path in (tmp_path / "out").glob("*.onnx")) == ["prefill.onnx"]
    check(machine, IDS[:9], toy.truth(IDS[:9]))


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """assemble, then verify, inspect and generate; a target that is there stays without --force."""
    toy = Toy(layers=(0,), attends=True)
    write_halves(tmp_path, toy)
    write_encoder(tmp_path, toy)
    (tmp_path / "keys.json").write_text(json.dumps(START))
    out = str(tmp_path / "out")
    line = ["assemble", f"encoder={tmp_path / 'encoder.onnx'}", f"decoder={tmp_path / 'decoder_model_merged.onnx'}",
            "--out", out]  # fmt: skip
    assert run(line) == 2
    assert "joinery: The graphs encoder, decoder cannot be assembled: A decoder behind" in capsys.readouterr().err
    line += ["--pipeline", str(tmp_path / "keys.json")]
    assert run([*line, "--json"]) == 0
    *_, done = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert (done["event"], done["components"]) == ("done", ["encoder", "cross", "decoder"])
    assert run(line) == 2
    assert "already holds a bundle" in capsys.readouterr().err
    assert run([*line, "--force"]) == 0 and run(["verify", out]) == 0
    capsys.readouterr()
    assert run(["generate", out, "--prompt-ids", "5,6,7", "--max-new-tokens", "4", "--json"]) == 0
    *_, done = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    ids = [1]
    for _ in range(4):
        ids.append(int(toy.truth(ids, source=[5, 6, 7])[-1].argmax()))
    assert done["token_ids"] == ids[1:]
    report = inspect_path(out)
    assert [one.name for one in report.components] == ["encoder", "cross", "decoder"]
    assert [group.layout for group in report.kv] == ["static", "cross"]


def test_a_wrong_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.json").write_text("[]")
    Toy().write(tmp_path, ["decoder"])
    path = tmp_path / "decoder.onnx"
    for words, told in (
        ([f"a={path}", f"a={path}"], "Two graphs have one name"),
        (["decoder.onnx"], "NAME=FILE takes K=V"),
        ([f"a={path}", "--pipeline", str(tmp_path / "list.json")], "is not a JSON object"),
        ([f"a={path}", "--pipeline", str(tmp_path / "none.json")], "cannot be read"),
    ):
        assert run(["assemble", *words, "--out", str(tmp_path / "out")]) == 2
        assert told in capsys.readouterr().err
