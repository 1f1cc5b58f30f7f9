"""The files of a sweep: states from results, a client that is alive or gone, and a reader that reads nothing twice."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.sweep_step import result_of
from workflows.common.errors import RequestError
from workflows.measure import sweep_folder
from workflows.measure.sweep_folder import SweepFolder, SweepReader, is_alive, step_states
from workflows.wire.reports.sweep import SweepCounts, SweepPlanFile, SweepStatus, SweepStep


def steps(count: int = 2) -> list[SweepStep]:
    return [
        SweepStep(
            f"{n}.{kind}", kind, f"{n}", "0f", "s", "r", "gqa", "cpu", "local", {}, [f"{n}.build"] * (kind != "build")
        )
        for n in range(count)
        for kind in ("build", "eval", "bench")
    ]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> SweepFolder:
    made = SweepFolder(tmp_path)
    made.write_plan(SweepPlanFile("plan.toml", steps()))
    return made


def status(**changes: object) -> SweepStatus:
    return replace(SweepStatus("a1", "here", 1, 100.0, 2.0, ["1.build"]), **changes)  # type: ignore[arg-type]


def test_what_is_written_is_read(folder: SweepFolder) -> None:
    assert folder.plan() == SweepPlanFile("plan.toml", steps())
    folder.write_status(status())
    assert folder.status() == status()
    result = result_of(steps()[0])
    folder.write_result(result)
    assert folder.result(steps()[0]) == result
    assert folder.result(replace(steps()[0], digest="other")) is None
    folder.remove_result(steps()[0])
    assert folder.result(steps()[0]) is None


def test_a_half_written_result_is_none(folder: SweepFolder) -> None:
    folder.write_result(result_of(steps()[0]))
    path = folder.step("0.build") / "result.json"
    path.write_bytes(path.read_bytes()[:-30])
    assert folder.result(steps()[0]) is None


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"is no folder of a sweep: sweep.json does not exist\."):
        SweepReader(tmp_path).read()
    (tmp_path / "sweep.json").write_text("[]", "utf-8")
    with pytest.raises(RequestError, match=r"sweep.json is damaged\."):
        SweepReader(tmp_path).read()


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "../0.build"},
        {"id": ".."},
        {"id": ""},
        {"bundle": "../../home"},
        {"needs": ["9.build"]},
        {"id": "0.eval"},
    ],
)
def test_a_plan_file_that_contradicts_itself_is_damaged(folder: SweepFolder, wrong: dict[str, object]) -> None:
    """Ids are names of folders: one of someone else's file leads to no other folder."""
    folder.write_plan(SweepPlanFile("plan.toml", [replace(steps()[0], **wrong), *steps()[1:]]))  # type: ignore[arg-type]
    with pytest.raises(RequestError, match=r"sweep.json is damaged\."):
        folder.plan()


def test_states() -> None:
    results = {"0.build": result_of(steps()[0]), "1.build": result_of(steps()[3], "failed", "No.")}
    assert step_states(steps(), results, ["0.eval"]) == {
        "0.build": "done", "0.eval": "running", "0.bench": "waiting",
        "1.build": "failed", "1.eval": "blocked", "1.bench": "blocked",
    }  # fmt: skip


def test_a_client_that_was_killed_is_noticed() -> None:
    assert is_alive(status(), 109.0) and not is_alive(status(), 110.0)
    assert not is_alive(status(ended="stopped"), 100.0) and not is_alive(None)


def test_the_reader_follows_the_files(folder: SweepFolder) -> None:
    now = 101.0
    reader = SweepReader(folder.path, lambda: now)
    assert reader.read().counts == SweepCounts(0, 0, 0, 0, 6)
    folder.write_status(status())
    assert reader.read().counts == SweepCounts(0, 0, 0, 1, 5) and reader.read().alive
    folder.write_result(result_of(steps()[0]))
    assert reader.read().states["0.build"] == "done"
    assert [run.kind for run in reader.read().runs] == ["build"]
    now = 200.0
    seen = reader.read()
    assert (seen.alive, seen.ended, seen.counts) == (False, "ended without a status", SweepCounts(1, 0, 0, 0, 5))
    folder.write_status(status(ended="finished"))
    assert reader.read().ended == "finished"
    folder.remove_result(steps()[0])
    assert reader.read().counts.done == 0


def test_a_measurement_elsewhere_is_a_point_of_its_own(folder: SweepFolder) -> None:
    elsewhere = replace(steps()[2], id="0.bench-board", machine="board")
    folder.write_plan(SweepPlanFile("plan.toml", [*steps(), elsewhere]))
    for step in (steps()[2], elsewhere):
        folder.write_result(result_of(step))
    assert [run.provider for run in SweepReader(folder.path).read().runs] == ["cpu", "cpu on board"]


def test_an_unchanged_file_is_not_read_again(folder: SweepFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in steps():
        folder.write_result(result_of(step))
    reader, reads = SweepReader(folder.path), list[str]()
    before = sweep_folder.read_json
    monkeypatch.setattr(sweep_folder, "read_json", lambda text: reads.append("") or before(text))
    reader.read()
    assert len(reads) == 1 + 6
    reads.clear()
    reader.read()
    assert reads == []
    path = folder.step("0.eval") / "result.json"
    os.utime(path, ns=(1, 1))
    reader.read()
    assert len(reads) == 1
