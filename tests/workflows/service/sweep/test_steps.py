"""The steps of a plan: their order and needs, and a digest that follows exactly what a result depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.common.errors import RequestError
from workflows.service.sweep.plan import read_plan
from workflows.service.sweep.steps import plan_steps
from workflows.wire.reports.sweep import SweepStep

PLAN = """
sources = ["demo:qwen3", "mine"]
layouts = ["static", "gqa"]
providers = ["cpu", { name = "qnn", tags = { npu = 1 } }]
[[recipe]]
name = "int4"
precision = "int4"
[[recipe]]
name = "fp32"
precision = "fp32"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.json").write_text("{}", "utf-8")
    return tmp_path


def steps_of(folder: Path, text: str = PLAN) -> dict[str, SweepStep]:
    path = folder / "plan.toml"
    path.write_text(text, "utf-8")
    return {step.id: step for step in plan_steps(read_plan(path), folder)}


def test_the_product(folder: Path) -> None:
    steps = steps_of(folder)
    assert len(steps) == 2 * 2 * 2 * (1 + 1 + 2)
    assert list(steps)[:5] == [
        "qwen3.int4.static.build", "qwen3.int4.static.eval", "qwen3.int4.static.bench-cpu",
        "qwen3.int4.static.bench-qnn", "qwen3.int4.gqa.build",
    ]  # fmt: skip
    build, bench = steps["mine.fp32.gqa.build"], steps["mine.fp32.gqa.bench-qnn"]
    assert build.arguments == {
        "source": str(folder / "mine"), "options": {"precision": "fp32", "cache": "gqa"}, "trust_remote_code": False,
    }  # fmt: skip
    assert (bench.needs, bench.tags, bench.provider, build.tags) == ([build.id], {"npu": 1.0}, "qnn", {})
    assert len({step.digest for step in steps.values()}) == len(steps)


def test_a_recipe_as_the_reference_comes_first(folder: Path) -> None:
    steps = steps_of(folder, PLAN + '[eval]\nagainst = "fp32"')
    assert next(iter(steps)) == "qwen3.fp32.static.build"
    assert steps["mine.int4.gqa.eval"].needs == ["mine.int4.gqa.build", "mine.fp32.gqa.build"]
    assert steps["mine.int4.gqa.eval"].arguments["against"] == "mine.fp32.gqa"
    assert steps["mine.fp32.gqa.eval"].needs == ["mine.fp32.gqa.build"]
    seen = set[str]()
    for step in steps.values():
        assert set(step.needs) <= seen, "each after those that it needs"
        seen.add(step.id)


def changed(before: dict[str, SweepStep], after: dict[str, SweepStep]) -> set[str]:
    return {ident for ident in before if before[ident].digest != after[ident].digest}


def test_what_changes_a_digest(folder: Path) -> None:
    before = steps_of(folder)
    assert changed(before, steps_of(folder)) == set()
    assert changed(before, steps_of(folder, f"step_minutes = 5\n{PLAN}")) == set()
    assert changed(before, steps_of(folder, PLAN + "[build]\ntags = { big = 1 }")) == set(), "tags change no result"
    benches = {ident for ident in before if ".bench-" in ident}
    assert changed(before, steps_of(folder, PLAN + "[bench]\nrepeats = 3")) == benches
    evals = {ident for ident in before if ident.endswith(".eval")}
    assert changed(before, steps_of(folder, PLAN + "[eval]\nsteps = 3")) == evals
    trusting = steps_of(folder, PLAN.replace('"mine"', '{ source = "mine", trust_remote_code = true }'))
    assert changed(before, trusting) == {ident for ident in before if ident.startswith("mine.")}
    int4 = {ident for ident in before if ".int4." in ident}
    after = steps_of(folder, PLAN.replace('precision = "int4"', 'precision = "int4"\ncapacity = 64'))
    assert changed(before, after) == int4


def test_files_of_a_source_and_of_the_plan_count(folder: Path) -> None:
    before = steps_of(folder)
    (folder / "mine" / "config.json").write_text('{"a": 1}', "utf-8")
    assert changed(before, steps_of(folder)) == {ident for ident in before if ident.startswith("mine.")}
    (folder / "prompts.txt").write_text("one", "utf-8")
    text = PLAN + '[eval]\nprompts = "prompts.txt"'
    before = steps_of(folder, text)
    (folder / "prompts.txt").write_text("two", "utf-8")
    assert changed(before, steps_of(folder, text)) == {ident for ident in before if ident.endswith(".eval")}
    (folder / "prompts.txt").unlink()
    with pytest.raises(RequestError, match=r"The prompts file .*prompts.txt cannot be read"):
        steps_of(folder, text)


def test_a_recipe_file(folder: Path) -> None:
    (folder / "r.json").write_text('{"source": "other", "precision": "int8", "capacity": 99}', "utf-8")
    text = 'sources = ["mine"]\n[[recipe]]\nname = "a"\nfile = "r.json"\nprecision = "int4"'
    build = steps_of(folder, text)["mine.a.auto.build"]
    assert build.arguments["options"] == {"precision": "int4", "capacity": 99}
    (folder / "r.json").write_text("[1]", "utf-8")
    with pytest.raises(RequestError, match="is not a JSON object of settings"):
        steps_of(folder, text)
    (folder / "r.json").write_text('{"precision": "int3"}', "utf-8")
    with pytest.raises(
        RequestError, match=r"The recipe file .*r.json cannot be used: precision is wrong in the recipe"
    ):
        steps_of(folder, text)
    (folder / "r.json").unlink()
    (folder / "r.json").mkdir()
    with pytest.raises(RequestError, match=r"The recipe file .*r.json is a folder: give a file"):
        steps_of(folder, text)
