"""What the wizard shows of a recipe before the build is what the build makes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, save_decoder, save_with_tiles
from workflows.bundle import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError, RecipeError
from workflows.inspection.contents import inspect_path
from workflows.inspection.probe import plan, probe
from workflows.inspection.probe.checkpoint_facts import probe_report
from workflows.inspection.probe.isolated_probe import PROBE_SERVICE
from workflows.wire.events import Event, NoticeEvent
from workflows.wire.reports.plan import PlanComponent, PlanEdge, PlanReport

FOLDED = ("past_key_values", "present", "cross")


def folded(tensors: Iterable[str]) -> set[str]:
    """Names, those of layers without what stands behind."""
    return {name.partition(".")[0] if name.startswith(FOLDED) else name for name in tensors}


def test_the_tasks_of_a_checkpoint_of_several_parts(tmp_path: Path) -> None:
    """Where no family builds the whole, its text part is a choice that somebody must make."""
    gemma = probe_report(open_checkpoint(str(save_with_tiles("gemma3", tmp_path / "gemma3", VOCABULARY - 1))))
    assert (gemma.tasks, gemma.own_task) == (["image-text-to-text", "text-generation"], "image-text-to-text")
    assert list(gemma.left_out) == ["text-generation"] and "text part" in gemma.left_out["text-generation"]
    folder = save_decoder("qwen2", tmp_path / "ovis2")
    text = json.loads((folder / "config.json").read_text())
    whole = {"model_type": "ovis2", "architectures": ["Ovis2ForConditionalGeneration"], "text_config": text}
    (folder / "config.json").write_text(json.dumps({**whole, "vision_config": {"num_hidden_layers": 1}}))
    ovis = probe_report(open_checkpoint(str(folder)))
    assert ovis.supported and (ovis.tasks, ovis.own_task) == (["text-generation"], None)
    assert ovis.decoder is not None and ovis.decoder.layers == 2


def shown(source: str | Path, **options: Any) -> PlanReport:
    """The plan of the wizard."""
    return plan(str(source), options, lambda: False)


def hold(planned: PlanReport, bundle: Path) -> None:
    """Components, their roles, inputs and outputs, and the edges between them are the bundle's."""
    report, flow = inspect_path(bundle), read_bundle(bundle).pipeline.pipeline
    assert [(box.name, box.role) for box in planned.components] == [(one.name, one.role) for one in report.components]
    for box, made in zip(planned.components, report.components, strict=True):
        for side in ("inputs", "outputs"):
            assert folded(getattr(box, side)) == folded(spec.name for spec in getattr(made, side)), (box.name, side)
    drawn = {(edge.source, edge.target) for edge in planned.edges if edge.kind == "dataflow"}
    assert drawn == {(_brief(edge.source), _brief(edge.target)) for edge in flow.dataflow}
    writers = {edge.source.split(".")[0] for edge in planned.edges if edge.kind == "cache"}
    ends = {one.name: folded(spec.name for spec in one.outputs) for one in report.components}
    assert writers == {name for name, outputs in ends.items() if "present" in outputs}


def _brief(end: str) -> str:
    """`encoder.cross.0.key` as `encoder.cross`."""
    return ".".join(end.split(".")[:2])


SHARED: list[tuple[str, dict[str, Any]]] = [  # what other tests build too
    ("demo:qwen3", {}),
    ("demo:qwen3", {"graphs": "prefill-decode", "capacity": 256}),
    ("demo:qwen3", {"variant": "transformer-only", "capacity": 128}),
    ("demo:t5", {}),
]


@pytest.mark.parametrize(("source", "options"), SHARED)
def test_the_plan_is_what_is_built(source: str, options: dict[str, Any], built: Built) -> None:
    """Of the demos."""
    hold(shown(source, **options), built(source, **options))


@pytest.mark.slow
def test_the_masks_of_windows_are_shown(tmp_path: Path, built: Built) -> None:
    """A model whose layers see less far has a mask for them; the build saw it, and the plan reads it in the config."""
    checkpoint = save_decoder("gemma3_text", tmp_path / "checkpoint", num_hidden_layers=2)
    planned = shown(checkpoint, cache="static", capacity=64)
    (box,) = planned.components
    assert box.inputs == ["input_ids", "position_ids", "attention_mask", "attention_mask_24", "past_key_values.0…1"]
    assert box.outputs == ["logits", "present.0…1"]
    bundle = built(checkpoint, cache="static", capacity=64)
    hold(planned, bundle)
    (entry, *_) = json.loads((bundle / "evidence.json").read_text("utf-8"))
    assert [layer["window"] for layer in entry["layers"]] == [24, None]


def test_a_model_without_a_cache_is_one_box(tmp_path: Path) -> None:
    """With what it takes and gives, and no arrow."""
    from transformers import BertConfig, BertForMaskedLM

    sizes = {"vocab_size": 64, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 32}
    BertForMaskedLM(BertConfig(**sizes, num_hidden_layers=1)).save_pretrained(tmp_path)
    planned = shown(tmp_path)
    assert planned.components == [PlanComponent("model", "model", ["input_ids", "attention_mask"], ["logits"])]
    assert planned.edges == []


def test_the_arrows_of_an_encoder(tmp_path: Path) -> None:
    """One for all layers that it hands over, to each that takes them; both write the cache, and the steps read it."""
    planned = shown("demo:t5", graphs="prefill-decode", capacity=128)
    assert planned.edges == [
        PlanEdge("prefill.present", "prefill.past", "cache"),
        PlanEdge("decode.present", "decode.past", "cache"),
        PlanEdge("encoder.cross", "prefill.cross", "dataflow"),
        PlanEdge("encoder.cross", "decode.cross", "dataflow"),
    ]
    assert planned.components[0] == PlanComponent("encoder", "encoder", ["input_ids", "source_mask"], ["cross.0…1"])


# -- the process that reads ------------------------------------------------------------------------------------


def test_its_errors_are_ours() -> None:
    """Of their kinds, from the process that read."""
    with pytest.raises(RecipeError, match="capacity"):
        shown("demo:qwen3", capacity=10**9)
    with pytest.raises(CheckpointError, match="has no config"):
        shown(Path(__file__).parent)


def test_how_it_ended_and_its_faults_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        PROBE_SERVICE, "request", lambda _: {"ended": "took more than 4096 MiB of memory and was ended"}
    )
    with pytest.raises(CheckpointError, match=r"^demo:qwen3 cannot be read: the process that read it took more than"):
        shown("demo:qwen3")
    monkeypatch.setattr(PROBE_SERVICE, "request", lambda _: {"fault": "Traceback of there"})
    with pytest.raises(RuntimeError, match="Traceback of there"):
        shown("demo:qwen3")


def test_what_it_is_not_kept_from_is_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[Event]()
    monkeypatch.setattr(PROBE_SERVICE, "confinement_problem", lambda: "It could connect.")
    assert probe("demo:qwen3", told.append, lambda: False).model_type == "qwen3"
    assert NoticeEvent(code="open", message="It could connect.") in told
