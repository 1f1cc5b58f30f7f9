"""The stage `measure`: its result is in the bundle, in the last event and in the history, and it can be left out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import F32, Q8_0, write_gguf
from tests.workflows.conftest import Built
from workflows.builder import BuildRequest, build, measure
from workflows.builder.workspace import BuildWorkspace
from workflows.bundle import read_bundle, read_summary
from workflows.bundle.evidence import Evidence
from workflows.bundle.read import read_cost
from workflows.cli.progress import cost_line
from workflows.common.errors import BundleError, Cancelled
from workflows.export import stand_ins
from workflows.inspection.contents import inspect_path
from workflows.measure.history import RunHistory
from workflows.measure.recording import record_build
from workflows.wire.codec import read
from workflows.wire.events import BuildDone, Event, ProgressEvent, StageEvent
from workflows.wire.reports.accuracy import PairedFigure
from workflows.wire.reports.cost import COST_FILE, QuantizationCost

POOR = QuantizationCost(1000, 0.61, 0.53, PairedFigure(54.9, 84.2), "a text")


@dataclass
class Measured:
    """A build, and what its stage `measure` gives under other conditions, while the stages are there."""

    done: BuildDone
    events: list[Event]
    poor: QuantizationCost
    short: QuantizationCost


def make(out: Path, events: list[Event], source: str = "demo:qwen3", **more: Any) -> BuildDone:
    options = {"precision": "int4", "cache": "static", "capacity": 512}
    return build(BuildRequest(source, out, options, **more), events.append)


def stages(events: list[Event]) -> dict[str, str]:
    return {event.stage: event.state for event in events if isinstance(event, StageEvent)}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Of a build of its own: one of the stage cache would not run the stage."""
    folder, other, events = tmp_path_factory.mktemp("measured"), dict[str, QuantizationCost](), list[Event]()
    whole = measure.make_measure

    def stop() -> None:
        raise Cancelled("stopped")

    def make_all(checkpoint: Any, composite: Any, quantized: Path, work: BuildWorkspace, out: Path) -> Evidence:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measure, "measure_cost", lambda *_: POOR)
            whole(checkpoint, composite, quantized, work, folder)
            other["poor"] = read(QuantizationCost, json.loads((folder / COST_FILE).read_text("utf-8")))
            patch.setattr(measure, "free_bytes", lambda: 1000)
            whole(checkpoint, composite, quantized, work, folder)
            other["short"] = read(QuantizationCost, json.loads((folder / COST_FILE).read_text("utf-8")))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(work, "check", stop)
            with pytest.raises(Cancelled):
                whole(checkpoint, composite, quantized, work, folder)
        return whole(checkpoint, composite, quantized, work, out)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOINERY_HOME", str(folder / "home"))
        patch.setattr(measure, "make_measure", make_all)
        done = make(folder / "b", events)
    return Measured(done, events, other["poor"], other["short"])


def test_a_build_states_what_it_cost(measured: Measured) -> None:
    done, cost = measured.done, measured.done.cost
    assert cost is not None and cost.positions >= 256 and cost.text == "demo:qwen3's held-back questions"
    assert 0.9 < (cost.top1_agreement or 0) < 1 and 0 < (cost.kl_mean or 0) < 0.1
    bundle = read_bundle(done.bundle)
    assert read_cost(bundle) == cost == read_summary(done.bundle)["cost"]
    assert inspect_path(done.bundle).cost == cost
    assert COST_FILE in bundle.files  # listed in the manifest, so `verify` reads it
    assert stages(measured.events)["measure"] == "done"
    progress = [one for one in measured.events if isinstance(one, ProgressEvent) and one.stage == "measure"]
    assert {event.unit for event in progress} == {"positions"} and progress[-1].done == cost.positions

    run = record_build(done, {}, pytest.fail)
    saved = next(one for one in RunHistory().runs() if one.id == run.id)
    assert saved.figures["top1_agreement"] == cost.top1_agreement
    assert saved.figures["perplexity_reference"] == cost.perplexity.reference


def test_it_can_be_left_out_and_float32_costs_nothing(tmp_path: Path, built: Built, stage_cache: None) -> None:
    events: list[Event] = []
    done = make(tmp_path / "b", events, measures=False)
    assert done.cost is None and stages(events)["measure"] == "skipped"
    assert not (tmp_path / "b" / COST_FILE).exists()
    assert read_summary(built("demo:qwen3"))["cost"] is None


def test_what_cannot_be_measured_has_a_reason(one_layer: Path, tmp_path: Path, stage_cache: None) -> None:
    done = make(tmp_path / "b", [], str(one_layer))
    assert done.cost == QuantizationCost(reason="the bundle has no tokenizer to read a text with")
    assert done.cost.summary().startswith("what quantizing cost was not measured: the bundle has no tokenizer")


def test_weights_beyond_the_memory_are_a_reason(measured: Measured) -> None:
    assert measured.short.positions == 0
    assert measured.short.reason.startswith("it takes the weights in float32, ")
    assert measured.short.reason.endswith("of memory are free")


def test_weights_that_stay_as_they_are_stored_are_said_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model("qwen3")
    tensors = tensors_of("qwen3", model, lambda name, array: Q8_0 if array.ndim > 1 else F32)
    file = write_gguf(tmp_path / "m.gguf", metadata_of("qwen3", model.config), tensors)
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
    monkeypatch.setattr(measure, "_lacking", lambda *_: "it takes the weights in float32")
    done = build(BuildRequest(str(file), tmp_path / "b", {"capacity": 64, "check": "quick"}))
    assert done.cost == QuantizationCost(reason="the weights are as the checkpoint stores them")


def test_a_build_that_changes_many_tokens_names_what_keeps_more(measured: Measured) -> None:
    cost, weights = measured.poor, (Path(measured.done.bundle) / "weights.data").stat().st_size
    assert cost.better == "preset=accurate" and weights < cost.better_bytes < 3 * weights
    assert cost.summary() == (
        "against the graphs before quantizing: top-1 61.0%, KL 0.53 nats, perplexity 54.9 → 84.2 (1,000 positions of "
        "a text)"
    )
    assert cost.advice() == (
        "The most probable token changed at 39% of the positions: --preset accurate keeps more, in "
        f"{cost.better_bytes / 2**20:,.0f} MiB of weights."
    )
    assert cost_line(cost) == f"A{cost.summary()[1:]}. {cost.advice()}"
    assert QuantizationCost(1000, 0.8, 0.1).advice() == ""


def test_a_malformed_file_is_an_error_that_names_it(tmp_path: Path, built: Built) -> None:
    bundle = read_bundle(built("demo:qwen3", precision="int4", cache="static"))
    (tmp_path / COST_FILE).write_text(json.dumps({"positions": "many"}), "utf-8")
    other = type(bundle)(tmp_path, bundle.pipeline, {COST_FILE: tmp_path / COST_FILE}, "", "")
    with pytest.raises(BundleError, match=r"cost\.json of .* needs a whole number as its 'positions'"):
        read_cost(other)
