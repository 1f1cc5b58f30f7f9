"""Where memory is short, float weights stay in their file, packed ones are refused in time, and a cache is cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workflows.bundle import Bundle, read_bundle
from workflows.bundle.session_options import parse_options
from workflows.common.errors import MemoryShortError, RecipeError
from workflows.generate import GenerateOptions, open_engine
from workflows.runtime import device_named, open_machine
from workflows.runtime.loading import memory_plan
from workflows.runtime.loading.graph_header import read_header
from workflows.runtime.loading.memory_plan import (
    FreeMemory,
    choose_slots,
    fitting_tokens,
    gigabytes,
    mapped_options,
    memory_fit,
    plan_memory,
)
from workflows.runtime.loading.sessions import NO_PREPACKING, Placement, SessionPlan, plan_sessions
from workflows.wire.events import NoticeEvent

MB = 1 << 20
AMPLE = FreeMemory(1 << 40, 1 << 40)


def plans_of(bundle: Bundle, **options: str) -> dict[str, SessionPlan]:
    return plan_sessions(bundle, Placement(device_named("cpu"), {}), session_options=parse_options(options))


def short(free: int, most: int | None = None) -> FreeMemory:
    return FreeMemory(free, free if most is None else most)


def room(bundle: Bundle, slots: int | None = None) -> int:
    """Bytes besides the weights, as the plan counts them."""
    needs = memory_plan._needs(bundle, plans_of(bundle), {}, slots)
    return needs.rest


def planned(bundle: Bundle, memory: FreeMemory, **options: str) -> tuple[list[bool], str]:
    plans, note = plan_memory(bundle, plans_of(bundle, **options), {}, None, memory)
    return [plan.mapped for plan in plans.values()], note


def test_ample_memory_reads_nothing(default_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_plan, "read_header", lambda *_: pytest.fail("a header was read"))
    assert planned(read_bundle(default_bundle), AMPLE) == ([False], "")


def test_mapped_where_the_copy_leaves_no_room(default_bundle: Path) -> None:
    """Between 1.27 and 1 times the weights the file fits, below it does not."""
    bundle = read_bundle(default_bundle)
    full = read_header(bundle.file("decoder.onnx")).weights.full
    needed = full + round(0.27 * full) + room(bundle)
    assert planned(bundle, short(needed)) == ([False], "")
    mapped, note = planned(bundle, short(needed - 1))
    assert mapped == [True]
    assert note == (
        f"The weights of decoder stay in their file, for {gigabytes(needed - 1)} of memory are free and a copy takes "
        f"{gigabytes(full)}: prompts take up to 1.5 times as long, new tokens 1.2 times."
    )
    least = full + room(bundle)
    assert planned(bundle, short(least)) == ([True], note.replace(gigabytes(needed - 1), gigabytes(least)))
    mapped, note = planned(bundle, short(least - 1))
    assert mapped == [True]
    assert note.endswith(" The file does not fit either, so each run reads some of it from the disk again.")
    assert planned(bundle, short(0, 1 << 40))[0] == [True]


def test_both_sessions_of_one_file(demo_split_bundle: Path) -> None:
    """Two sessions would copy it twice; mapped they share its pages, of which the one copy would save none."""
    bundle = read_bundle(demo_split_bundle)
    one = read_header(plans_of(bundle)["decode"].path).weights.full
    rest = room(bundle)
    assert planned(bundle, short(rest + 2 * round(1.27 * one) + 2)) == ([False, False], "")
    mapped, note = planned(bundle, short(rest + round(2.4 * one)))
    assert sorted(mapped) == [False, True] and note.startswith("The weights of ")
    mapped, note = planned(bundle, short(rest + round(1.5 * one)))
    assert mapped == [True, True] and " and " in note.split(" stay")[0] and "each run reads" not in note
    mapped, note = planned(bundle, short(rest + one // 2))
    assert mapped == [True, True] and "each run reads" in note


@pytest.mark.parametrize(("value", "mapped"), [("0", False), ("1", False)])
def test_an_option_of_the_person_stays(default_bundle: Path, value: str, mapped: bool) -> None:
    bundle = read_bundle(default_bundle)
    flags, note = planned(bundle, short(MB, 1 << 40), **{NO_PREPACKING: value})
    assert flags == [mapped] and note.startswith("Memory is short: the weights take about ")
    weights = read_header(bundle.file("decoder.onnx")).weights
    assert f"about {gigabytes(weights.full if value == '0' else 0)}, the rest {gigabytes(room(bundle))}" in note


def test_packed_weights_are_never_mapped(built: Any) -> None:
    bundle = read_bundle(built("demo:qwen3", precision="int4"))
    weights = read_header(bundle.file("decoder.onnx")).weights
    mapped, note = planned(bundle, short(weights.total))
    assert mapped == [False]
    assert note.startswith(f"Memory is short: the weights take about {gigabytes(1.2 * weights.packed + weights.full)}")
    with pytest.raises(MemoryShortError, match=r"must be in memory, and at most .* can be freed: close other"):
        planned(bundle, short(0, weights.total - 1))
    assert mapped_options(bundle) is None


def test_half_precision_is_not_mapped(built: Any) -> None:
    bundle = read_bundle(built("demo:qwen3", precision="fp16"))
    assert planned(bundle, short(MB, 1 << 40))[0] == [False]
    assert mapped_options(bundle) is None


def test_weights_that_may_be_mapped_are_never_refused(default_bundle: Path) -> None:
    assert planned(read_bundle(default_bundle), short(0))[0] == [True]
    with pytest.raises(MemoryShortError):
        planned(read_bundle(default_bundle), short(0), **{NO_PREPACKING: "0"})


def test_a_mapped_machine_gives_the_same(default_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the engine says so, once."""
    prompt = list(range(3, 80))
    usual = open_engine(default_bundle)
    monkeypatch.setattr(memory_plan, "free_bytes", lambda: room(read_bundle(default_bundle)))
    other = open_engine(default_bundle)
    events = [list(one.generate(prompt, GenerateOptions(max_new_tokens=20), eos=())) for one in (usual, other)]
    assert events[0][-1].token_ids == events[1][-1].token_ids  # type: ignore[union-attr]
    notes = [[one.message for one in run if isinstance(one, NoticeEvent) and one.code == "memory"] for run in events]
    assert notes[0] == [] and len(notes[1]) == 1 and notes[1][0].startswith("The weights of decoder stay in their file")
    logits = []
    for engine in (usual, other):
        engine.reset()
        logits.append([engine.machine.step(ids, phase)[-1].copy() for ids, phase in engine.machine.chunks(prompt)])
    np.testing.assert_allclose(logits[0], logits[1], atol=1e-4)


def test_options_that_map_a_reference(default_bundle: Path) -> None:
    bundle = read_bundle(default_bundle)
    options = mapped_options(bundle)
    assert options is not None and options.entries[NO_PREPACKING] == "1"
    with open_machine(bundle, device_named("cpu"), session_options=options) as machine:
        assert machine.memory_note == ""
    session = bundle.pipeline.pipeline.sessions["decoder"]
    own = session.model_copy(update={"session_options": parse_options({NO_PREPACKING: "0"})})
    flow = bundle.pipeline.pipeline.model_copy(update={"sessions": {"decoder": own}})
    changed = replace(bundle, pipeline=bundle.pipeline.model_copy(update={"pipeline": flow}))
    assert mapped_options(changed) is None


def test_what_fits(default_bundle: Path, demo_split_bundle: Path) -> None:
    bundle = read_bundle(default_bundle)
    with open_machine(bundle, device_named("cpu")) as machine:
        per_token = sum(tensor.bytes_per_slot for tensor in machine.cache.tensors.values())
    full = read_header(bundle.file("decoder.onnx")).weights.full
    fixed = room(bundle) - per_token * min(4096, bundle.pipeline.capacity or 0)
    free = 2 * full + room(bundle)
    fit = memory_fit(bundle, plans_of(bundle), short(free))
    assert (fit.weights_bytes, fit.mapped_bytes, fit.kv_bytes_per_token, fit.free_bytes) == (full, 0, per_token, free)
    assert fit.tokens == min((free - full - fixed) // per_token, fit.capacity) == fit.capacity
    fit = memory_fit(bundle, plans_of(bundle), short(fixed + full + 10 * per_token))
    assert (fit.weights_bytes, fit.mapped_bytes, fit.tokens) == (0, full, 10)
    assert memory_fit(bundle, plans_of(bundle), short(0)).tokens == 0
    assert memory_fit(read_bundle(demo_split_bundle), plans_of(read_bundle(demo_split_bundle)), AMPLE).tokens == 256


def test_a_cache_that_cannot_fit() -> None:
    assert choose_slots(100, 10, requested=True, memory=short(0, 1000)) == (100, "")
    with pytest.raises(RecipeError) as raised:
        choose_slots(1_000_001, 10_000, requested=True, memory=short(5_000_000, 10_000_000_000))
    assert str(raised.value) == (
        "A cache of 1,000,001 tokens takes 10.0 GB, and 5.0 MB of memory are left after the weights: a capacity of 500 "
        "fits."
    )
    slots, note = choose_slots(1_000_001, 10_000, requested=False, memory=short(5_000_000, 10_000_000_000))
    assert slots == 500 and note.endswith("are left after the weights: this one holds 500 tokens.")
    assert (fitting_tokens(35, 10, None), fitting_tokens(35, 10, 2), fitting_tokens(-5, 10, 2)) == (3, 2, 0)
    assert fitting_tokens(35, 0, None) is None


def test_a_capacity_is_refused_or_cut_when_opening(demo_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = read_bundle(demo_bundle)
    with open_machine(bundle, device_named("cpu")) as machine:
        per_token = sum(tensor.bytes_per_slot for tensor in machine.cache.tensors.values())
    monkeypatch.setattr(memory_plan, "free_bytes", lambda: 200 * per_token)
    monkeypatch.setattr(memory_plan, "obtainable_bytes", lambda: 300 * per_token)
    monkeypatch.setattr(memory_plan, "plan_memory", lambda *_: pytest.fail("replaced where it is used"))
    monkeypatch.setattr("workflows.runtime.loading.machines.plan_memory", lambda _, plans, *__: (plans, ""))
    with pytest.raises(RecipeError, match=r"A cache of 400 tokens takes .*: a capacity of 200 fits\."):
        open_machine(bundle, device_named("cpu"), capacity=400)
    with open_machine(bundle, device_named("cpu")) as machine:
        assert machine.cache.capacity == 200 and machine.memory_note.endswith("this one holds 200 tokens.")
    with open_machine(bundle, device_named("cpu"), cache="window", capacity=100) as machine:
        assert machine.cache.capacity == 100 and not machine.memory_note
