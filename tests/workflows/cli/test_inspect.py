"""`joinery inspect --diff` and `--stage`: what the window shows, as text and as JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.graph.making import model, node, save, weight
from tests.workflows.runtime.toy_bundles import D, Toy
from workflows.cli import run
from workflows.inspection.contents import inspect_path


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `joinery inspect` in this process: (exit code, stdout, stderr)."""
    monkeypatch.setenv("COLUMNS", "160")

    def inspect(*arguments: object) -> tuple[int, str, str]:
        code = run(["inspect", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return inspect


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A GELU in parts, and fused."""
    parts = [node("Div", ["x", "c"], ["b"], "m.act"), node("Erf", ["b"], ["e"], "m.act")]
    tail = node("Softmax", ["g"], ["y"], "m.head")
    before = model([*parts, node("Mul", ["x", "e"], ["g"], "m.act"), tail], [weight("c", 1.4)])
    return (
        save(before, tmp_path / "before.onnx"),
        save(model([node("Gelu", ["x"], ["g"], "m.act"), tail]), tmp_path / "after.onnx"),
    )


def test_a_diff_as_json(ask: Any, pair: tuple[Path, Path]) -> None:
    """The diff's value without the merged graph; the changed nodes with the names of their ends."""
    code, out, err = ask("--diff", *pair, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert set(found) == {"title", "counts", "ops", "scopes", "initializers", "notes", "nodes"}
    assert found["counts"] == {"same": 1, "removed": 3, "added": 1, "changed": 0}
    assert found["initializers"]["removed"] == ["c"]
    assert [(one["change"], one["op"], one["scope"]) for one in found["nodes"]] == [
        ("removed", "Div", "m/act"),
        ("removed", "Erf", "m/act"),
        ("removed", "Mul", "m/act"),
        ("added", "Gelu", "m/act"),
    ]
    assert (found["nodes"][0]["in"], found["nodes"][3]["out"]) == (["x", "c"], ["g"])
    whole = json.loads(ask("--diff", *pair, "--json", "--graph")[1])["graph"]
    assert [one["change"] for one in whole["nodes"]] == ["removed", "removed", "removed", "added", ""]


def test_a_diff_as_text(ask: Any, pair: tuple[Path, Path]) -> None:
    """Counts, a tree by scope, a table of operators, the weights."""
    code, out, _ = ask("--diff", *pair)
    assert code == 0
    parts = ["1 same, 3 removed, 1 added, 0 changed", "act  −3  +1", "− Erf n_e", "+ Gelu n_g", "1 weights removed: c"]
    assert [part for part in parts if part not in out] == []
    rows = [line.split("│")[1:4] for line in out.splitlines() if line.startswith("│")]
    assert ["Gelu", "0", "1"] in [[cell.strip() for cell in row] for row in rows]


def test_stages_of_a_bundle(ask: Any, demo_bundle: Path, tmp_path: Path) -> None:
    """BUNDLE:COMPONENT:STAGE against what runs, and one stage alone; a colon in a folder's name is no trouble."""
    odd = tmp_path / "a:b"
    shutil.copytree(demo_bundle, odd)
    found = json.loads(ask("--diff", f"{odd}:decoder:export", odd, "--json")[1])
    report = json.loads(ask(odd, "--json")[1])
    steps = report["stages"][1]["passes"]
    nodes = steps[0]["nodes_before"], steps[-1]["nodes_after"]
    kept = found["counts"]["same"] + found["counts"]["changed"]
    assert (kept + found["counts"]["removed"], kept + found["counts"]["added"]) == nodes
    code, out, _ = ask(odd, "--component", "decoder", "--stage", "export", "--json")
    stage = json.loads(out)
    assert (code, stage["stage"], stage["nodes"]) == (0, "export", nodes[0])
    assert stage["inputs"] == report["components"][0]["inputs"]
    text = ask(odd, "--stage", "export")[1]
    assert "▸ export" in text and "final" in text and "32 of 32 tokens alike" in text


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], "Give a bundle's folder or an .onnx file"),
        (["--diff", "{a}", "nowhere"], "There is nothing at nowhere"),
        (["--diff", "{a}:decoder", "{a}"], "is one graph: it has no components"),
        (["{a}", "--diff", "{a}", "{a}"], "--diff takes two graphs and nothing else"),
        (["{a}", "--stage", "export"], "no stages to choose from"),
        (["{bundle}", "--stage", "magic"], "no stage 'magic': it has export"),
        (["{bundle}", "--component", "head", "--stage", "export"], "no component 'head': it has decoder"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    ask: Any, pair: tuple[Path, Path], demo_bundle: Path, arguments: list[str], names: str
) -> None:
    """Exit code 2, nothing on stdout."""
    code, out, err = ask(*(argument.format(a=pair[0], bundle=demo_bundle) for argument in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert names in err


def test_state_of_fixed_size_is_listed(ask: Any, tmp_path: Path) -> None:
    """Beside the keys and values, with the tensors of each layer; as text, as JSON, and as a state of the picture."""
    Toy(convolves=True).write(tmp_path, ["decoder"])
    code, out, _ = ask(tmp_path / "decoder.onnx", "--json")
    keys, state = json.loads(out)["kv"]
    conv = {"name": "conv", "shape": [1, D, 2], "dtype": "float32"}
    assert code == 0 and "states" not in keys
    assert (state["group"], state["layout"], state["layers"], state["capacity"]) == ("state", "state", [0], None)
    assert (state["bytes"], state["states"]) == (D * 2 * 4, [{"layers": [0], "tensors": [conv]}])
    text = " ".join(ask(tmp_path / "decoder.onnx")[1].split())
    size = f"{D * 2 * 4:,} bytes in all"
    assert f"State of fixed size: layer 0: conv [1, {D}, 2] float32; {size}, replaced by every token" in text
    composite = inspect_path(tmp_path / "decoder.onnx").composite
    assert composite is not None and [one.kind for one in composite.states] == ["cache", "carried"]
    assert "past_conv.0" not in [tensor.name for feed in composite.feeds for tensor in feed.inputs]
