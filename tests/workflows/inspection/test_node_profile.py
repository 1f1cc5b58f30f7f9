"""Time by node: summed rightly, each node the graph's or said to be made, and the slow one first."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from typer.testing import CliRunner

from tests.workflows.graph.making import weight
from tests.workflows.runtime.toy_bundles import Toy
from workflows.cli import app
from workflows.common.errors import Cancelled, DeviceError, JoineryError, RequestError
from workflows.graph.load import load_graph
from workflows.inspection.node_profile import NodeNames, profile
from workflows.measure import profile as measuring
from workflows.measure.profile import component_profile, parse_runs
from workflows.process.subprocesses import ProcessResult
from workflows.wire.events import Event, ProgressEvent

WIDE = 1024  # its product takes ten times as long as all other nodes


def event(name: str, took: int, began: int = 0, op: str = "Add", **args: str) -> dict[str, object]:
    told = {"op_name": op, "provider": "CPUExecutionProvider", **args}
    return {"cat": "Node", "name": f"{name}_kernel_time", "dur": took, "ts": began, "args": told}


def run(took: int) -> dict[str, object]:
    return {"cat": "Session", "name": "model_run", "dur": took, "ts": 0, "args": {}}


def slow_graph(folder: Path) -> Path:
    """A big product between small nodes, one of them without a name, and a pair that onnxruntime fuses."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="first"),
        helper.make_node("MatMul", ["a", "w"], ["b"], name="big"),
        helper.make_node("Sigmoid", ["b"], ["s"], name="gate"),
        helper.make_node("Mul", ["b", "s"], ["c"], name="times"),
        helper.make_node("Softmax", ["c"], ["y"]),
    ]
    shape = [WIDE, WIDE]
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name in ("x", "y")]
    noise = np.random.default_rng(0).standard_normal(shape)
    graph = helper.make_graph(nodes, "slow", *ends, [weight("w", noise)])
    file = folder / "slow.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), file)
    return file


def test_calls_are_summed_and_shares_are_of_medians() -> None:
    runs = parse_runs(
        [
            {"cat": "Session", "name": "session_initialization", "dur": 9, "ts": 0, "args": {}},
            event("a", 10, parameter_size="8", activation_size="2", output_size="3"),
            event("b", 30),
            run(50),
            event("a", 12),
            event("b", 900),
            run(1000),
            event("a", 10),
            event("b", 30),
            run(40),
        ]
    )
    assert [(one.took, len(one.calls)) for one in runs] == [(50, 2), (1000, 2), (40, 2)]
    found = component_profile("decode", "decode", runs)
    assert (found.name, found.phase, found.runs, found.run_us) == ("decode", "decode", 3, 50)
    slow, quick = found.nodes
    assert (slow.name, slow.calls, slow.total_us, slow.median_us, slow.share) == ("b", 3, 960, 30, 0.75)
    assert (quick.name, quick.total_us, quick.activation_bytes) == ("a", 32, 5)


def test_a_body_s_nodes_are_not_counted_twice() -> None:
    inside = [event("in", 30, 10), event("in", 40, 50)]
    (one,) = parse_runs([*inside, event("loop", 100, 5, "Loop"), event("after", 5, 105), run(120)])
    found = {node.name: (node.calls, node.total_us) for node in component_profile("g", "run", [one]).nodes}
    assert found == {"in": (2, 70), "loop": (1, 30), "after": (1, 5)}


def test_nothing_that_took_time_has_no_share() -> None:
    found = component_profile("g", "run", parse_runs([event("a", 0), run(0)]))
    assert [node.share for node in found.nodes] == [0.0]


def test_fused_and_unnamed_nodes_have_their_graph_s_names(tmp_path: Path) -> None:
    names = NodeNames.of(load_graph(slow_graph(tmp_path)))
    assert [names.own(one) for one in ("big", "gate/QuickGeluFusion/", "Softmax_4")] == ["big", "gate", "y"]
    assert [names.own(one) for one in ("Relu_0", "gates/x", "Transpose_9")] == ["", "", ""]


def test_a_slow_product_is_first(tmp_path: Path) -> None:
    told: list[Event] = []
    before = set(Path(tempfile.gettempdir()).glob("joinery-profile-*"))
    report = profile(slow_graph(tmp_path), steps=3, report=told.append)
    (part,) = report.components
    assert (part.name, part.phase, part.runs, report.provider) == ("slow", "run", 3, "cpu")
    first = part.nodes[0]
    assert (first.own, first.op, first.calls, first.provider) == ("big", "MatMul", 3, "CPUExecutionProvider")
    assert first.share > 0.4
    assert first.activation_bytes == 2 * WIDE * WIDE * 4
    assert math.isclose(sum(node.share for node in part.nodes), 1.0)
    assert {node.own for node in part.nodes} == {"first", "big", "times", "y"} and part.made == []
    assert [one.message for one in told if isinstance(one, ProgressEvent)][-1] == "run 3 of 3"
    assert set(Path(tempfile.gettempdir()).glob("joinery-profile-*")) == before
    assert not list(Path.cwd().glob("profile_*.json"))


def test_a_composite_s_phases_are_separate(tmp_path: Path) -> None:
    """A decoder in one file: what it is is told from its inputs and outputs."""
    Toy().write(tmp_path, ["decoder"])
    file = tmp_path / "decoder.onnx"
    report = profile(file, steps=4)
    prefill, decode = report.components
    assert [(one.phase, one.runs) for one in (prefill, decode)] == [("prefill", 3), ("decode", 4)]
    known = {node.name or node.output[0] for node in load_graph(file).proto.graph.node}
    for part in report.components:
        assert {node.own for node in part.nodes} - {""} <= known
        assert all(node.name for node in part.made)
        assert math.isclose(sum(node.share for node in part.nodes), 1.0)


def test_a_bundle_s_component_by_itself(demo_split_bundle: Path) -> None:
    """Of prefill and decode, which share their weights and have a session each."""
    report = profile(demo_split_bundle, component="decode", steps=2)
    assert [(one.name, one.phase, one.runs) for one in report.components] == [("decode", "decode", 2)]
    with pytest.raises(RequestError, match="no component 'head'"):
        profile(demo_split_bundle, component="head")


def test_what_is_wrong_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = slow_graph(tmp_path)
    with pytest.raises(RequestError, match="--steps must be at least 1"):
        profile(file, steps=0)
    with pytest.raises(DeviceError, match="No provider is called 'nope'"):
        profile(file, "nope")
    with pytest.raises(Cancelled):
        profile(file, cancelled=lambda: True)
    monkeypatch.setattr(measuring, "run_isolated", lambda *_, **__: ProcessResult("", "", "ended (signal 11)"))
    with pytest.raises(JoineryError, match=r"The process that measured slow.onnx on .* ended \(signal 11\)\."):
        profile(file)


def test_a_graph_that_its_inputs_do_not_fit_is_refused_with_their_shapes(tmp_path: Path) -> None:
    model = onnx.load(slow_graph(tmp_path))
    for axis in model.graph.input[0].type.tensor_type.shape.dim:
        axis.dim_param = "n"  # filled with 1, which the product does not take
    onnx.save(model, tmp_path / "odd.onnx")
    with pytest.raises(JoineryError, match=r"odd does not run on inputs made from its signature \(x \[1, 1\]\)"):
        profile(tmp_path / "odd.onnx", steps=1)


def test_on_the_command_line(tmp_path: Path) -> None:
    file = slow_graph(tmp_path)
    done = CliRunner().invoke(app, ["profile", str(file), "--steps", "15", "--json"])
    told = json.loads(done.stdout.splitlines()[0])
    assert told["components"][0]["nodes"][0]["own"] == "big"
    done = CliRunner().invoke(app, ["profile", str(file), "--steps", "15", "--top", "1"])
    assert "big" in done.stdout and "3 more" in done.stdout and "15 runs" in done.stdout
