"""The evidence of a build: snapshots, counts, bytes and parity of every pass; a pass that spoils the model stops it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx_ir as ir
import pytest

from workflows.builder import BuildRequest, build
from workflows.common.errors import JoineryError, RecipeError
from workflows.export.reference import ReferenceLogits
from workflows.graph.tensor_statistics import describe_tensor
from workflows.inspection.build_stages import read_archive
from workflows.inspection.graph_diff import diff_graphs
from workflows.inspection.opened_graph import GraphLocation, open_graph
from workflows.optimize import PASSES
from workflows.optimize.base import PassResult, Refusal


class Scaled:
    """A pass for tests: multiplies a norm by a factor, in memory, under a new name."""

    name, title, reshapes = "strip_metadata", "Scale a norm", ()

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def requires(self, model: ir.Model) -> Refusal | None:
        return None

    def call(self, model: ir.Model) -> PassResult:
        old = next(v for n, v in model.graph.initializers.items() if n.endswith("norm.weight") and v.const_value)
        tensor = ir.tensor(old.const_value.numpy() * self.factor, name="scaled")  # type: ignore[union-attr]
        value = ir.Value(name="scaled", const_value=tensor, shape=tensor.shape, type=ir.TensorType(tensor.dtype))
        model.graph.register_initializer(value)
        old.replace_all_uses_with(value)
        del model.graph.initializers[str(old.name)]
        return PassResult(True, (Refusal("only one norm is scaled", str(old.name)),))

    def ensures(self, model: ir.Model) -> str:
        return ""


@pytest.fixture
def scaled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Builds the demo with the test's pass in the place of another."""

    def make(out: Path, factor: float, **options: Any) -> Path:
        monkeypatch.setitem(PASSES, "strip_metadata", Scaled(factor))
        passes = {name: name == "strip_metadata" for name in PASSES}
        build(BuildRequest("demo:qwen3", out, {"passes": passes, **options}))
        return out

    return make


def evidence(bundle: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((bundle / "evidence.json").read_text())
    return entries


@pytest.mark.parametrize("which", ["demo_bundle", "default_bundle", "demo_split_bundle"])
def test_every_pass_has_evidence(which: str, request: pytest.FixtureRequest) -> None:
    """Counts, bytes, seconds, parity; the graphs of all steps in at most a twentieth of the weights."""
    bundle: Path = request.getfixturevalue(which)
    entries = evidence(bundle)
    for entry in entries[len(entries) // 2 :]:
        assert entry["name"] == "optimize"
        assert entry["parity"]["greedy_equal"] == entry["parity"]["greedy_tokens"] == 32
        assert entry["parity"]["max_abs_diff"] < 1e-3
        for step in entry["passes"]:
            assert step["seconds"] >= 0 and step["bytes"] > 10**6 and step["title"]
            assert (step["parity"] is not None) == step["modified"]
            if step["modified"]:
                assert step["parity"]["greedy_equal"] == step["parity"]["greedy_tokens"] == 32
    archives = sum(path.stat().st_size for path in (bundle / "stages").iterdir())
    assert archives <= 0.05 * (bundle / "weights.data").stat().st_size


@pytest.mark.parametrize("which", ["demo_bundle", "default_bundle", "demo_split_bundle"])
def test_the_finished_graphs_are_held_against_the_model(which: str, request: pytest.FixtureRequest) -> None:
    """Past the chunk of 64, in chunks and in single tokens; the evidence says how far and how many rows."""
    (entry, *_) = [one for one in evidence(request.getfixturevalue(which)) if one["name"] == "optimize"]
    told = entry["against_model"]
    assert told["tokens"] >= 80 and told["rows"] >= 14 and told["max_abs_diff"] < 1e-2


def test_graphs_that_are_not_the_model_are_refused(
    tmp_path: Path, one_layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though every pass kept what the export gave: the model's own word on one token late in the text is another."""
    written = ReferenceLogits.write

    def other(self: ReferenceLogits, folder: Path) -> None:
        logits = self.logits.copy()
        logits[-3] += 1
        written(replace(self, logits=logits), folder)

    monkeypatch.setattr(ReferenceLogits, "write", other)
    with pytest.raises(RecipeError, match=r"logits are off by 1 from the model's own .*cannot be built\.$"):
        build(BuildRequest(str(one_layer), tmp_path / "out", {}))
    assert not (tmp_path / "out").exists()


def test_the_slider_s_stages(demo_bundle: Path) -> None:
    """Every name opens; the passes come between the export and what runs, and count as the evidence does."""
    final = open_graph(GraphLocation(demo_bundle))
    steps = evidence(demo_bundle)[1]["passes"]
    assert [stage.name for stage in final.stages] == ["export", *(step["name"] for step in steps), "final"]
    for stage in final.stages:
        opened = open_graph(GraphLocation(demo_bundle, "decoder", stage.name))
        assert sum(one.parent < 0 for one in opened.view.nodes) == stage.nodes
        assert opened.file.warnings == ()
    last = open_graph(GraphLocation(demo_bundle, "decoder", steps[-1]["name"]))
    assert diff_graphs(last, final).counts["changed"] == 0


def test_nothing_of_this_machine_is_in_the_stages(demo_bundle: Path) -> None:
    """Also in the export's, which no pass has cleaned."""
    for data in read_archive(demo_bundle / "stages" / "decoder.tar.xz").values():
        for secret in (b"site-packages", b"stack_trace", b".py", str(Path(__file__).parents[3]).encode()):
            assert secret not in data


@pytest.mark.slow
def test_a_pass_that_changes_values_within_rounding_is_shown(scaled: Any, tmp_path: Path) -> None:
    """What it made is in the new weight file, what it replaced is gone; node, reason and maker are told."""
    bundle = scaled(tmp_path / "out", 1 + 2e-7)
    step = evidence(bundle)[1]["passes"][0]
    assert 0 < step["parity"]["max_abs_diff"] < 1e-3 and step["parity"]["greedy_equal"] == 32
    assert step["refused"] == [{"reason": "only one norm is scaled", "node": step["refused"][0]["node"]}]
    export, final = (open_graph(GraphLocation(bundle, "decoder", stage)) for stage in ("export", ""))
    found = diff_graphs(export, final)
    assert found.initializers["added"] == ["scaled"] and len(found.initializers["removed"]) == 1
    assert describe_tensor(final.file, "scaled").std is not None
    assert {
        one.made_by for one in final.view.nodes if "scaled" in [final.view.values[value].name for value in one.inputs]
    } == {"strip_metadata"}


@pytest.mark.slow
def test_a_pass_that_spoils_the_model_stops_the_build(scaled: Any, tmp_path: Path) -> None:
    """The pass is named, how much it moved, and how to go on without it; nothing is at the target."""
    expected = r"The pass strip_metadata changed what decoder computes by .* tokens alike"
    with pytest.raises(JoineryError, match=expected) as error:
        scaled(tmp_path / "out", 3.0)
    assert "--set passes.strip_metadata=false" in str(error.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_above_the_limit_the_stage_alone_is_measured(
    scaled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the note says so."""
    monkeypatch.setattr("workflows.builder.stages.EACH_PASS_MAX_BYTES", 1000)
    entry = evidence(scaled(tmp_path / "out", 1 + 2e-7))[1]
    assert entry["passes"][0]["parity"] is None
    assert entry["parity"]["greedy_equal"] == 32 and entry["parity"]["note"].startswith("all passes together")
