"""The command line: the names and fields of CLI.md, exit codes, one sentence for what is wrong."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.command_line import command, joinery
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.generate import open_engine
from workflows.wire.events import BuildDone, parse

Line = dict[str, Any]
ROOT = Path(__file__).parents[3]

TOKEN = {"event", "id", "text", "step", "phase", "latency_ms", "cache_used", "cache_capacity"}
DONE = {"event", "prompt_ids", "token_ids", "text", "finish_reason", "ttft_ms", "decode_tokens_per_s"}
DONE |= {"prefill_tokens_per_s", "provider", "cache"}
INSPECT = {"model_type", "task", "family", "route", "components", "kv", "stages"}
COMPONENT = {"name", "file", "role", "inputs", "outputs", "op_counts", "opset", "bytes"}
KV = {"group", "layout", "layers", "capacity", "window", "shape", "dtype", "bytes", "writer"}
PASS = {"name", "modified", "nodes_before", "nodes_after", "refused"}


def lines(text: str) -> list[Line]:
    return [json.loads(line) for line in text.splitlines()]


# -- the walk of the issue -------------------------------------------------------------------------------------


def test_build_then_generate(tmp_path: Path) -> None:
    """joinery build demo:qwen3 --out B && joinery generate B --prompt "8*7=" --json; window gives the same tokens."""
    out = tmp_path / "B"
    built = joinery("build", "demo:qwen3", "--out", out, "--cache", "static", "--json")
    assert (built.returncode, built.stderr) == (0, "")
    events = lines(built.stdout)
    assert [(e["stage"], e["state"]) for e in events if e["event"] == "stage" and e["state"] != "started"] == [
        ("checkpoint", "done"),
        ("import", "done"),
        ("export", "done"),
        ("optimize", "done"),
        ("quantize", "skipped"),
        ("bundle", "done"),
    ]
    assert (events[-1]["event"], events[-1]["bundle"]) == ("done", str(out))
    for event in events:
        parse(event, BuildDone)

    generated = joinery("generate", out, "--prompt", "8*7=", "--json")
    assert (generated.returncode, generated.stderr) == (0, "")
    done = lines(generated.stdout)[-1]
    assert "56" in done["text"]
    window = lines(joinery("generate", out, "--prompt", "8*7=", "--cache", "window", "--json").stdout)[-1]
    assert window["token_ids"] == done["token_ids"]
    assert (done["cache"]["layout"], window["cache"]["layout"]) == ("static", "window")
    assert joinery("generate", out, "--prompt", "8*7=").stdout == done["text"] + "\n"


# -- fields ----------------------------------------------------------------------------------------------------


def test_generate_json_has_the_contract_s_fields(cli: Any, demo_bundle: Path) -> None:
    """Exactly those, with values that fit each other."""
    code, out, err = cli("generate", demo_bundle, "--prompt", "The capital of France is", "--json")
    *tokens, done = lines(out)
    assert (code, err) == (0, "")
    assert {frozenset(token) for token in tokens} == {frozenset(TOKEN)}
    assert set(done) == DONE and set(done["cache"]) == {"layout", "capacity", "used", "bytes"}
    assert [token["id"] for token in tokens] == done["token_ids"]
    assert "".join(token["text"] for token in tokens) == done["text"]
    assert [token["phase"] for token in tokens] == ["prefill"] + ["decode"] * (len(tokens) - 1)
    assert "Paris" in done["text"] and done["finish_reason"] == "eos"
    fed = len(done["prompt_ids"])
    assert [token["cache_used"] for token in tokens] == [fed + step for step in range(len(tokens))]
    assert done["cache"]["capacity"] == tokens[0]["cache_capacity"] == 4096
    assert tokens[0]["latency_ms"] == pytest.approx(done["ttft_ms"], rel=0.5, abs=1)
    assert done["provider"] == "cpu"


def test_inspect_json_has_the_contract_s_fields(cli: Any, demo_split_bundle: Path) -> None:
    """Of a bundle, with one component, and of a graph alone."""
    code, out, err = cli("inspect", demo_split_bundle, "--json")
    report = json.loads(out)
    facts = json.loads((ROOT / "resources/demos/qwen3/config.json").read_text())
    layers, heads, size = facts["num_hidden_layers"], facts["num_key_value_heads"], facts["head_dim"]
    assert (code, err, set(report)) == (0, "", INSPECT)
    assert (report["route"], report["family"], report["task"]) == ("prefill-decode", "qwen3", "text-generation")
    assert [set(component) for component in report["components"]] == [COMPONENT, COMPONENT]
    prefill = report["components"][0]
    inputs = {spec["name"]: spec for spec in prefill["inputs"]}
    assert inputs["input_ids"] == {"name": "input_ids", "shape": [1, 64], "dtype": "int64"}
    assert inputs["attention_mask"]["shape"] == [1, 1, 64, 320]
    assert len(prefill["inputs"]) == 3 + 2 * layers and len(prefill["outputs"]) == 1 + 2 * layers
    assert prefill["op_counts"]["Attention"] == layers
    assert [set(group) for group in report["kv"]] == [KV]
    group = report["kv"][0]
    assert group["layers"] == list(range(layers))
    assert (group["capacity"], group["window"], group["writer"]) == (256, None, "host")
    assert group["shape"] == [1, heads, 256, size]
    assert group["bytes"] == 2 * layers * heads * size * 4 * 256
    assert [(stage["name"], stage["component"]) for stage in report["stages"]] == [
        ("export", "prefill"),
        ("export", "decode"),
        ("optimize", "prefill"),
        ("optimize", "decode"),
    ]
    assert all(set(stage) >= {"name", "component", "passes", "seconds", "bytes"} for stage in report["stages"])
    assert {stage["parity"]["greedy_equal"] for stage in report["stages"][2:]} == {32}
    assert all(set(entry) >= PASS for stage in report["stages"] for entry in stage["passes"])

    one = json.loads(cli("inspect", demo_split_bundle, "--component", "decode", "--json")[1])
    assert [component["name"] for component in one["components"]] == ["decode"]
    assert {stage["component"] for stage in one["stages"]} == {"decode"}
    graph = json.loads(cli("inspect", demo_split_bundle / "decode.onnx", "--json")[1])
    assert set(graph) == INSPECT
    assert graph["components"][0]["inputs"] == one["components"][0]["inputs"]


def test_inspect_shows_what_is_odd_about_a_graph_that_it_shows(cli: Any, tmp_path: Path) -> None:
    import onnx
    from onnx import helper

    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Foo", ["x"], ["y"], domain="who.knows")], "g", ends[:1], ends[1:])
    onnx.save(helper.make_model(graph), tmp_path / "odd.onnx")
    code, out, err = cli("inspect", tmp_path / "odd.onnx")
    assert (code, "who.knows.Foo 1" in out) == (0, True)
    assert err.startswith("joinery: The domain who.knows of Foo is not one that onnxruntime knows")
    assert err.count("\n") == 1


def _external(key: str, value: str) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        weight = model.graph.initializer[0]
        weight.ClearField("raw_data")
        weight.data_location = 1
        for one, said in {"location": "w.data", "offset": "0", "length": "8", key: value}.items():
            entry = weight.external_data.add()
            entry.key, entry.value = one, said

    return change


def _set(path: str, value: Any) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        *parents, last = path.split(".")
        here = model
        for name in parents:
            here = here[int(name)] if name.isdigit() else getattr(here, name)
        setattr(here, last, value)

    return change


UNRUNNABLE: dict[str, Callable[[Any], None]] = {
    "dtype of a weight": _set("graph.initializer.0.data_type", 999),
    "dtype of an input": _set("graph.input.0.type.tensor_type.elem_type", 999),
    "dtype of an output": _set("graph.output.0.type.tensor_type.elem_type", 77),
    "raw data cut short": _set("graph.initializer.0.raw_data", b"123"),
    "no operator": _set("graph.node.0.op_type", ""),
    "unknown operator": _set("graph.node.0.op_type", "Nothing"),
    "input from nowhere": lambda model: model.graph.node[0].input.__setitem__(0, "gone"),
    "output from nowhere": _set("graph.output.0.name", "gone"),
    "result twice": lambda model: model.graph.node.append(model.graph.node[0]),
    "impossible opset": _set("opset_import.0.version", 1 << 40),
    "weights missing": _external("location", "gone.data"),
    "weights cut short": _external("length", "1000000"),
    "weights beyond the end": _external("offset", "1000000"),
    "negative offset": _external("offset", "-8"),
    "negative length": _external("length", "-8"),
    "length of another shape": _external("length", "4"),
}


@pytest.mark.parametrize("kind", UNRUNNABLE)
def test_inspect_of_what_no_runtime_takes_ends_with_1(cli: Any, tmp_path: Path, kind: str) -> None:
    """What can be shown is; what is wrong is on stderr, in sentences that name the file."""
    import numpy
    import onnx
    from onnx import helper, numpy_helper

    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in ("x", "y")]
    weight = numpy_helper.from_array(numpy.ones(2, numpy.float32), "w")
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"], name="n")], "g", ends[:1], ends[1:], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    (tmp_path / "w.data").write_bytes(bytes(16))
    onnx.save(model, tmp_path / "g.onnx")
    assert cli("inspect", tmp_path / "g.onnx")[::2] == (0, "")
    UNRUNNABLE[kind](model)
    (tmp_path / "g.onnx").write_bytes(model.SerializeToString())
    for options in ((), ("--json",)):
        code, out, err = cli("inspect", tmp_path / "g.onnx", *options)
        assert (code, bool(out)) == (1, True), err
        assert err and all(line.startswith("joinery: ") for line in err.splitlines()) and "g.onnx" in err + out, err


def test_inspect_shows_symbolic_axes_by_name(cli: Any, demo_bundle: Path) -> None:
    """A shape's dynamic axis is its name as a string."""
    report = json.loads(cli("inspect", demo_bundle, "--json")[1])
    shapes = {spec["name"]: spec["shape"] for spec in report["components"][0]["inputs"]}
    assert shapes["input_ids"] == [1, "sequence"]
    assert shapes["past_key_values.0.key"][2] == "capacity"
    code, out, err = cli("inspect", demo_bundle)
    assert (code, err) == (0, "")
    assert "past_key_values.0.key" in out and "sequence" in out


def test_only_a_plugin_can_be_installed(cli: Any) -> None:
    code, out, err = cli("devices", "--install", "cpu")
    assert (code, out) == (2, "")
    assert "There is no plugin to install for 'cpu': there are plugins for qnn, webgpu." in " ".join(err.split())


def test_devices_and_verify_json(cli: Any, demo_bundle: Path) -> None:
    """One object each."""
    code, out, err = cli("devices", "--json")
    assert (code, err) == (0, "")
    rows = {row["name"]: row for row in json.loads(out)["devices"]}
    assert rows["cpu"]["usable"] and rows["cpu"]["memory_bytes"] > 1 << 20
    assert all(row["usable"] or row["reason"] for row in rows.values())
    assert "cpu" in cli("devices")[1]
    code, out, err = cli("verify", demo_bundle, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["ok"], report["problems"]) == (True, [])
    assert report["files"] == sum(path.is_file() for path in demo_bundle.rglob("*")) - 1


# -- chat ------------------------------------------------------------------------------------------------------


def test_chat_with_piped_lines(demo_bundle: Path) -> None:
    """A line is a turn; the second turn knows the first; the text alone is on stdout."""
    done = joinery("chat", demo_bundle, input="What is 8*7?\n\nWhat is 9+6?\n/exit\nnever asked\n")
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.splitlines()
    assert "56" in first and "15" in second


def test_a_begun_reply_is_printed_with_its_beginning(cli: Any, demo_bundle: Path, tmp_path: Path) -> None:
    """On a terminal the whole reply; as JSON what was generated. A template that ignores tools is said once."""
    (tmp_path / "tools.json").write_text('[{"name": "get_weather"}]')
    asked = ["generate", demo_bundle, "--chat", "--prompt", "What is 8*7?", "--prefill", "8*7="]
    code, out, err = cli(*asked, "--tools", tmp_path / "tools.json")
    assert (code, err) == (0, "joinery: The chat template ignores tools: the model does not see them.\n")
    code, shown, err = cli(*asked, "--json")
    done = lines(shown)[-1]
    assert (code, err, out) == (0, "", f"8*7={done['text']}\n")
    assert "".join(line["text"] for line in lines(shown)[:-1]) == done["text"] and "56" in done["text"]


def test_capacity_and_session_options_are_given_when_a_bundle_is_opened(cli: Any, demo_bundle: Path) -> None:
    """Fewer slots than were built for; threads, and an entry of onnxruntime's own."""
    options = ["--session-option", "intra_op_num_threads=1", "--session-option", "session.use_env_allocators=0"]
    code, out, _ = cli("generate", demo_bundle, "--prompt", "8*7=", "--capacity", 16, "--json", *options)
    done = lines(out)[-1]
    assert (code, done["text"], done["cache"]["capacity"]) == (0, " 56", 16)
    code, out, err = cli("generate", demo_bundle, "--prompt", "8*7=", "--capacity", 5)
    assert code == 0 and err == "joinery: The cache of 5 tokens is full; the window cache would go on.\n"


def test_a_base_model_completes_what_was_written_so_far(demo_bundle: Path, tmp_path: Path) -> None:
    """A line stands on a line of its own after the text before, an empty one lets it go on; the words are said once."""
    base = without_template(demo_bundle, tmp_path / "base")
    done = joinery("chat", base, "--json", "--max-new-tokens", 4, input="8*7=\n\n9+6=\n")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "joinery: This bundle has no chat template: it completes the text that was written so far.\n"
    engine = open_engine(base)
    first, second, third = (line for line in lines(done.stdout) if line["event"] == "done")
    written = "8*7="
    for turn, added in ((first, ""), (second, ""), (third, "\n9+6=")):
        written += added
        assert turn["prompt_ids"] == engine.encode(written)
        written += turn["text"]
    told = tmp_path / "tools.json"
    told.write_text('[{"name": "a"}]')
    refused = joinery("chat", base, "--tools", told, input="x\n")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no chat template that could describe tools" in refused.stderr


def without_template(bundle: Path, target: Path) -> Path:
    """A copy of a bundle that has no chat template."""
    shutil.copytree(bundle, target)
    (target / "tokenizer" / "chat_template.jinja").unlink()
    (target / MANIFEST).write_text(make_manifest(target).model_dump_json())
    return target


def test_chat_json_and_reset(demo_bundle: Path) -> None:
    """Every turn ends with a done; what was said before is in the prompt, and after /reset no more."""
    done = joinery("chat", demo_bundle, "--json", input="What is 8*7?\nWhat is 9+6?\n/reset\nWhat is 8*7?")
    turns = [line for line in lines(done.stdout) if line["event"] == "done"]
    assert (done.returncode, len(turns)) == (0, 3)
    first, second, third = turns
    assert second["prompt_ids"][: len(first["prompt_ids"])] == first["prompt_ids"]
    assert len(second["prompt_ids"]) > len(first["prompt_ids"]) + len(first["token_ids"])
    assert (third["prompt_ids"], third["token_ids"]) == (first["prompt_ids"], first["token_ids"])


def test_a_chat_with_drafts(demo_bundle: Path) -> None:
    """Each run is told; what was said in the turn before is looked up in the next, and the tokens stay the same."""
    plain, drafted = (
        joinery("chat", demo_bundle, *more, "--json", input="What is 8*7?\nWhat is 8*7?") for more in ((), ("--ngram",))
    )
    said = [[line["token_ids"] for line in lines(one.stdout) if line["event"] == "done"] for one in (plain, drafted)]
    assert said[0] == said[1] and len(said[0]) == 2
    runs = [line for line in lines(drafted.stdout) if line["event"] == "speculation"]
    assert runs and {line["by"] for line in runs} == {"ngram"}
    assert sum(line["kept"] for line in runs) == sum(len(ids) - 1 for ids in said[0])
    assert not [line for line in lines(plain.stdout) if line["event"] == "speculation"]


# -- what is wrong ---------------------------------------------------------------------------------------------


def spoiled(bundle: Path, target: Path) -> Path:
    """A copy of a bundle with one byte of its weights altered."""
    shutil.copytree(bundle, target)
    weights = target / "weights.data"
    content = bytearray(weights.read_bytes())
    content[1000] ^= 1
    weights.write_bytes(content)
    return target


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["generate", "B", "--prompt-ids", "1,2,99999"], "The prompt id 99999 is not in the vocabulary"),
        (["generate", "B", "--prompt-ids", "1,x"], "--prompt-ids takes whole numbers with commas"),
        (["generate", "B", "--prompt-ids", ","], "--prompt-ids takes whole numbers with commas"),
        (["generate", "B", "--prompt-ids", "1,,2"], "--prompt-ids takes whole numbers with commas, not '1,,2'"),
        (["generate", "B", "--prompt-ids", "1,2,"], "--prompt-ids takes whole numbers with commas"),
        (["generate", "B", "--prompt-ids", "1_0"], "--prompt-ids takes whole numbers with commas"),
        (["generate", "B", "--prompt-ids", "-1"], "The prompt id -1 is not in the vocabulary"),
        (["generate", "B", "--prompt", "a", "--prefill", "b"], "--tools and --prefill belong to a conversation"),
        (["generate", "B", "--prompt", "a", "--chat", "--tools", "nowhere"], "tools file nowhere cannot be read"),
        (["generate", "B", "--prompt", "a", "--logits", "nowhere"], "logits file nowhere cannot be read"),
        (["chat", "B", "--logits", "object.json"], "object.json must be a JSON list of ops: [{"),
        (["chat", "B", "--logits", "warm.json"], "chain.0.op cannot be warm"),
        (["generate", "B", "--prompt", "a", "--logits", "ops.json", "--top-k", "3"], "a chain replaces top_k"),
        (["generate", "B", "--prompt", "a", "--chat", "--tools", "list.json"], "list.json has an entry 2 that is no"),
        (["generate", "B", "--prompt", ""], "The prompt is empty"),
        (["generate", "B"], "Give one of --prompt, --prompt-ids and --prompt-file"),
        (["chat", "B", "--ngram", "--draft", "B"], "give --draft, --ngram or"),
        (["generate", "B", "--prompt", "a", "--prompt-ids", "1"], "Give one of"),
        (["generate", "B", "--prompt-file", "nowhere"], "prompt file nowhere cannot be read"),
        (["generate", "B", "--prompt-ids", ",".join(["5"] * 257)], "has 257 tokens and the cache holds 256"),
        (["generate", "B", "--prompt-ids", "1", "--chat"], "--chat puts text through the template"),
        (["generate", "B", "--prompt", "a", "--temperature", "-1"], "temperature cannot be -1"),
        (["generate", "B", "--prompt", "a", "--top-p", "7"], "top_p cannot be 7"),
        (["generate", "B", "--prompt", "a", "--max-new-tokens", "0"], "max_new_tokens cannot be 0"),
        (["generate", "B", "--prompt", "a", "--max-new-tokens", "x"], "see `joinery --help`"),
        (["generate", "B", "--prompt", "a", "--provider", "tpu"], "No provider is called 'tpu'"),
        (["generate", "B", "--prompt", "a", "--provider", "cuda"], "NVIDIA CUDA cannot be used"),
        (["generate", "B", "--prompt", "a", "--cache", "paged"], "No cache layout is called 'paged'"),
        (["generate", "B", "--prompt", "a", "--device-option", "k"], "--device-option takes K=V"),
        (["generate", "B", "--prompt", "a", "--session-option", "k"], "--session-option takes K=V"),
        (["generate", "B", "--prompt", "a", "--session-option", "threads=2"], "there is no option 'threads'"),
        (["generate", "B", "--prompt", "a", "--session-option", "log_verbosity_level=x"], "log_verbosity_level cannot"),
        (["generate", "B", "--prompt", "a", "--session-option", "paging=1"], "paging belongs to session_options"),
        (["generate", "B", "--prompt", "a", "--capacity", "9999"], "The bundle's graphs have 256 slots"),
        (["generate", "nowhere", "--prompt", "a"], "There is no bundle folder nowhere"),
        (["generate", "B", "--prompt", "a", "--warmth", "1"], "No such option"),
        (["inspect", "nowhere"], "neither a bundle folder nor an .onnx file"),
        (["inspect", "B", "--component", "head"], "has no component 'head': it has prefill, decode"),
        (["inspect", "empty.onnx"], "empty.onnx has no graph"),
        (["inspect", "garbage.onnx"], "garbage.onnx is not an ONNX file"),
        (["verify", "nowhere"], "There is no bundle folder nowhere"),
        (["verify", "S"], "weights.data is altered"),
        (["build", "nowhere/at/all", "--out", "O"], "There is no folder nowhere/at/all"),
        (
            ["build", "demo:nothing", "--out", "O"],
            "There is no demo 'nothing'; there is: demo:mu, demo:qwen3, demo:qwen3-draft, demo:qwen3_5, demo:t5, "
            "demo:vision, demo:whisper",
        ),
        (["build", "demo:qwen3", "--out", "B"], "already holds a bundle"),
        (["build", "demo:qwen3", "--out", "."], "holds files and is not a bundle"),
        (["build", "demo:qwen3", "--out", "O", "--precision", "int3"], "precision is wrong in the recipe"),
        (["build", "demo:qwen3", "--out", "O", "--chunk", "0"], "chunk is wrong in the recipe"),
        (["build", "demo:qwen3", "--out", "O", "--set", "colour=red"], "No recipe has a setting 'colour'"),
        (["build", "demo:qwen3", "--out", "O", "--set", "capacity"], "--set takes KEY=VALUE"),
        (["build", "demo:qwen3", "--out", "O", "--recipe", "garbage.onnx"], "garbage.onnx is not JSON"),
        (["build", "demo:qwen3"], "--out"),
        (["dance"], "No such command 'dance'"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_exit_code_2(
    cli: Any, demo_split_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], names: str
) -> None:
    """On stderr, without a traceback; stdout stays empty, with --json and without; nothing is written."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(demo_split_bundle, "B")
    spoiled(demo_split_bundle, Path("S"))
    Path("empty.onnx").write_bytes(b"")
    Path("garbage.onnx").write_bytes(b"garbage")
    Path("list.json").write_text('[{"name": "a"}, "b"]')
    Path("object.json").write_text("{}")
    Path("warm.json").write_text('[{"op": "warm"}]')
    Path("ops.json").write_text('[{"op": "temperature", "value": 0.5}]')
    before = sorted(tmp_path.rglob("*"))
    for extra in ([], ["--json"]):
        code, out, err = cli(*arguments, *extra)
        assert (code, err.count("\n")) == (2, 1), err
        assert err.startswith("joinery: ") and names in err and "Traceback" not in err
        assert [line for line in lines(out) if line.get("ok") is not False and line.get("event") != "stage"] == []
    assert sorted(tmp_path.rglob("*")) == before


def test_a_bundle_with_a_missing_file_is_named_by_every_command(cli: Any, demo_bundle: Path, tmp_path: Path) -> None:
    """generate, chat, inspect and verify."""
    broken = Path(shutil.copytree(demo_bundle, tmp_path / "broken"))
    (broken / "weights.data").unlink()
    for arguments in (["generate", broken, "--prompt", "x"], ["inspect", broken], ["chat", broken], ["verify", broken]):
        code, _, err = cli(*arguments)
        assert code == 2 and "weights.data" in err and err.count("\n") == 1


def test_a_failure_of_the_system_is_exit_code_1(cli: Any, tmp_path: Path) -> None:
    """A target below a file, where no folder can be made."""
    (tmp_path / "file").write_text("")
    code, out, err = cli("build", "demo:qwen3", "--out", tmp_path / "file" / "out")
    assert code == 1 and out.startswith("The build needs about") and out.count("\n") == 1
    assert "cannot read or write" in err and err.count("\n") == 1 and "fault of Joinery" not in err


def test_debug_adds_the_traceback(tmp_path: Path) -> None:
    """Anywhere on the line; the sentence stays the last line."""
    plain = joinery("verify", tmp_path)
    assert (plain.returncode, plain.stdout) == (2, "")
    assert plain.stderr.count("\n") == 1
    for arguments in (["--debug", "verify", tmp_path], ["verify", tmp_path, "--debug"]):
        told = joinery(*arguments)
        assert told.returncode == 2
        assert "Traceback (most recent call last)" in told.stderr
        assert told.stderr.splitlines()[-1] == plain.stderr.strip()


def test_a_prompt_file_and_a_full_static_cache(cli: Any, demo_split_bundle: Path, tmp_path: Path) -> None:
    """256 tokens fit exactly: one token comes out, and the reason is capacity; a window goes on and says so."""
    ids = ",".join(["5"] * 256)
    code, out, err = cli("generate", demo_split_bundle, "--prompt-ids", ids, "--json")
    done = lines(out)[-1]
    assert (code, done["finish_reason"], len(done["token_ids"])) == (0, "capacity", 1)
    options = ["--max-new-tokens", 4, "--temperature", 100, "--seed", 3]
    code, out, err = cli("generate", demo_split_bundle, "--prompt-ids", ids, "--cache", "window", "--json", *options)
    done = lines(out)[-1]
    assert (code, done["finish_reason"], len(done["token_ids"])) == (0, "length", 4)
    assert "the oldest tokens are being forgotten" in err
    (tmp_path / "prompt.txt").write_text("8*7=", "utf-8")
    assert "56" in cli("generate", demo_split_bundle, "--prompt-file", tmp_path / "prompt.txt")[1]
    (tmp_path / "prompt.txt").write_bytes(b"\xff\xfe")
    assert cli("generate", demo_split_bundle, "--prompt-file", tmp_path / "prompt.txt")[0] == 2


def test_a_seed_draws_the_same_tokens(cli: Any, demo_bundle: Path) -> None:
    """And naming a sampling option asks for sampling."""

    def tokens(*options: object) -> list[int]:
        return list(lines(cli("generate", demo_bundle, "--prompt", "Hello", "--json", *options)[1])[-1]["token_ids"])

    hot = ("--temperature", 5, "--max-new-tokens", 20, "--seed")
    assert tokens(*hot, 7) == tokens(*hot, 7)
    assert tokens(*hot, 7) != tokens(*hot, 8)
    assert tokens("--top-k", 1, "--max-new-tokens", 20) == tokens("--max-new-tokens", 20)


# -- the process -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process on Windows")
@pytest.mark.parametrize("as_json", [True, False])
def test_ctrl_c_ends_a_generation_with_130(demo_bundle: Path, as_json: bool) -> None:
    """What came so far stays on stdout, with its done in JSON; one word on stderr."""
    hot = ["--max-new-tokens", "1000000", "--temperature", "100", "--cache", "window", "--seed", "1"]
    process = subprocess.Popen(
        command("generate", demo_bundle, "--prompt", "8*7=", *hot, *(["--json"] if as_json else [])),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None and process.stderr is not None
    first = process.stdout.readline() if as_json else process.stdout.read(20)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    with process.stdout, process.stderr:
        rest, err = process.stdout.read(), process.stderr.read()
    assert process.wait(30) == 130
    assert time.monotonic() - began < 60
    assert err.splitlines()[-1] == "joinery: Cancelled." and "Traceback" not in err
    if as_json:
        done = lines(first + rest)[-1]
        assert (done["event"], done["finish_reason"]) == ("done", "cancelled")


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process on Windows")
def test_ctrl_c_ends_a_build_with_130_and_without_a_bundle(tmp_path: Path) -> None:
    """One sentence that says what is kept."""
    line = command("build", "demo:qwen3", "--out", tmp_path / "out", "--json")
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    while '"stage":"export"' not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.count("\n") == 1 and "cancelled" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipe signal to tell")
def test_a_reader_that_leaves_is_no_error(demo_bundle: Path) -> None:
    """joinery generate … | head -1 is quiet."""
    options = ["--prompt", "8*7=", "--json", "--max-new-tokens", "2000", "--temperature", "100"]
    line = command("generate", demo_bundle, *options)
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None and process.stderr is not None
    assert json.loads(process.stdout.readline())["event"] == "token"
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == ""
    assert process.wait(30) == 1


def test_what_a_generation_imports(demo_bundle: Path) -> None:
    """What is loaded after one: no torch, nothing that builds or translates, and no Qt; each package takes its time."""
    code = (
        "import sys; from workflows.cli import run\n"
        "assert run(['generate', sys.argv[1], '--prompt', '8*7=', '--chat']) == 0\n"
        "loaded = [name.split('.') for name in sys.modules]\n"
        "print(*({one[0] for one in loaded} - set(sys.stdlib_module_names)))\n"
        "print(*('.'.join(one[1:3]) for one in loaded if one[0] == 'workflows' and one[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(demo_bundle)], capture_output=True, text=True, timeout=60, check=True
    )
    answer, packages, modules = done.stdout.splitlines()
    assert "56" in answer
    assert {name for name in packages.split() if not name.startswith("_")} <= {
        "annotated_doc", "annotated_types", "numpy", "onnxruntime", "platformdirs", "psutil", "pydantic",
        "pydantic_core", "rich", "shellingham", "tokenizers", "typer", "typing_extensions",
        "typing_inspection", "workflows",
    }  # fmt: skip
    assert {name.partition(".")[0] for name in modules.split()} <= {
        "bundle", "cli", "common", "generate", "kvcache", "measure", "process", "processor", "runtime", "templates",
        "wire",
    }  # fmt: skip


@pytest.mark.parametrize("chat", [False, True])
def test_who_renders_nothing_starts_no_process_that_renders(demo_bundle: Path, chat: bool) -> None:
    """A template that does not compile is no matter then either; with a conversation it is told before one begins."""
    code = (
        "import sys; from workflows.cli import run; from workflows.templates.service import TEMPLATE_SERVICE\n"
        "code = run(['generate', *sys.argv[1:], '--prompt', '8*7=', '--max-new-tokens', '1'])\n"
        "print(code, TEMPLATE_SERVICE._process is not None)"
    )
    line = [sys.executable, "-c", code, str(demo_bundle), *(["--chat"] if chat else [])]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == f"0 {chat}"


def test_version_and_help(cli: Any) -> None:
    """The commands that there are, and no others."""
    code, out, _ = cli("--version")
    assert code == 0 and out.startswith("joinery ")
    code, out, _ = cli("--help")
    assert code == 0
    for name in ("build", "generate", "chat", "inspect", "devices", "verify"):
        assert f"  {name} " in out
