"""The plan's file: what it says by default, and a sentence for each way to get it wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.common.errors import RequestError
from workflows.process.machines import RemoteMachine, add_machine
from workflows.service.sweep.plan import ProviderEntry, read_plan, recipe_options, slug
from workflows.service.sweep.steps import plan_steps


def written(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_plan_of_one_line(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, 'sources = ["demo:qwen3"]'))
    assert [(one.source, one.name) for one in plan.source_entries] == [("demo:qwen3", "qwen3")]
    assert [one.name for one in plan.recipe] == ["default"] and recipe_options(plan.recipe[0]) == {}
    assert plan.layouts is None and plan.provider_entries == [ProviderEntry("cpu")]
    assert (plan.machines, plan.steps, plan.bench.repeats, plan.eval.steps) == (
        ["local"], ["build", "eval", "bench"], 5, 16,
    )  # fmt: skip


def test_a_full_plan(tmp_path: Path) -> None:
    text = """
    sources = ["Qwen/Qwen3-0.6B", { source = "here/mine", name = "mine", trust_remote_code = true, task = "x" }]
    layouts = ["static", "gqa"]
    providers = ["cpu", { name = "qnn", tags = { npu = 1 } }]
    steps = ["build", "bench"]
    step_minutes = 30
    [[recipe]]
    name = "int4"
    precision = "int4"
    capacity = 512
    set = { "quantize.rounding" = "search", kv_dtype = "float16" }
    [bench]
    new_tokens = 8
    tags = { quiet = 0.5 }
    """
    plan = read_plan(written(tmp_path, text))
    assert [one.name for one in plan.source_entries] == ["Qwen3-0.6B", "mine"]
    assert plan.source_entries[1].trust_remote_code and plan.source_entries[1].task == "x"
    assert plan.provider_entries[1].tags == {"npu": 1.0} and plan.bench.tags == {"quiet": 0.5}
    assert recipe_options(plan.recipe[0]) == {
        "precision": "int4", "capacity": 512, "quantize": {"rounding": "search"}, "kv_dtype": "float16",
    }  # fmt: skip


SOURCES = 'sources = ["demo:qwen3"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "lacks its 'sources'"),
        ("sources = []", "has nothing to do: its 'sources' is empty"),
        (SOURCES + "recipe = []", "its 'recipe' is empty"),
        (SOURCES + "layouts = []", "its 'layouts' is empty"),
        (SOURCES + "providers = []", "its 'providers' is empty"),
        (SOURCES + "machines = []", "its 'machines' is empty"),
        (SOURCES + "steps = []", "its 'steps' is empty"),
        ("sources = [7]", "needs an object as its 'sources[0]'"),
        ('sources = "demo:qwen3"', "needs a list as its 'sources'"),
        ('sources = [""]', "has an entry without a name in 'sources'"),
        (SOURCES + "colour = 1", "takes no 'colour'"),
        (SOURCES + "[bench]\nrepeat = 1", "takes no 'bench.repeat'"),
        (SOURCES + "[bench]\nrepeats = 1.5", "needs a whole number as its 'bench.repeats'"),
        (SOURCES + "[bench]\nrepeats = 0", "has 0 as its 'bench.repeats': give 1 or more"),
        (SOURCES + "[eval]\nsteps = true", "needs a whole number as its 'eval.steps'"),
        (SOURCES + "step_minutes = nan", "has nan as its 'step_minutes'"),
        (SOURCES + "[build]\ntags = { npu = 0 }", "wants 0 of the tag 'npu' in 'build'"),
        (SOURCES + "[build]\ntags = { npu = 'one' }", "needs a number as its 'build.tags.npu'"),
        (SOURCES + 'layouts = ["gqa", "fast"]', "needs one of static, window, scatter, gqa as its 'layouts[1]'"),
        (SOURCES + 'layouts = ["gqa", "gqa"]', "has 'gqa' twice in 'layouts'"),
        (SOURCES + 'providers = ["cpu", { name = "cpu" }]', "has 'cpu' twice in 'providers'"),
        ('sources = ["demo:qwen3", "x/qwen3"]', "has 'qwen3' twice in 'sources': give one of them another name"),
        (SOURCES + '[[recipe]]\nname = "a"\n[[recipe]]\nname = "A"', "has 'A' twice in 'recipe'"),
        (SOURCES + "[[recipe]]", "lacks its 'recipe[0].name'"),
        (SOURCES + '[[recipe]]\nname = "a"\nprecision = "int3"', "as its 'recipe[0].precision'"),
        (SOURCES + '[[recipe]]\nname = "a"\nset = { speed = 1 }', "No recipe has a setting 'speed'"),
        (
            SOURCES + '[[recipe]]\nname = "a"\nset = { kv_dtype = "float17" }',
            "recipe 'a' that cannot be used: kv_dtype is",
        ),
        (SOURCES + '[[recipe]]\nname = "a"\nset = { "quantize.rounding" = "up" }', "quantize.rounding is wrong in the"),
        (SOURCES + '[[recipe]]\nname = "a"\nset = { capacity = 2026-01-01 }', "capacity is wrong in the recipe"),
        (SOURCES + '[[recipe]]\nname = "a"\ncapacity = 0', "capacity is wrong in the recipe"),
        (SOURCES + 'providers = ["cpuu"]', "lists the provider 'cpuu', which does not exist: choose from cpu, "),
        (SOURCES + 'machines = ["board"]', "lists a machine that cannot be used: No machine is called 'board'"),
        (SOURCES + 'steps = ["eval"]', "leaves 'build' out"),
        (SOURCES + 'steps = ["build", "build"]', "has 'build' twice in 'steps'"),
        (
            SOURCES + "[eval]\nagainst = 'fp32'",
            "compares against 'fp32' ('eval.against'), which is none of its recipes",
        ),
        (SOURCES + SOURCES, "is not TOML: Cannot overwrite a value"),
        ("sources = [", "is not TOML"),
    ],
)
def test_each_mistake_is_a_sentence_that_names_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RequestError) as error:
        read_plan(path)
    message = str(error.value)
    assert message.startswith(f"The plan {path} ") and said in message and message.endswith(".") and "\n" not in message


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    with pytest.raises(RequestError, match=r"cannot be read: No such file"):
        read_plan(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RequestError, match="is not a TOML text"):
        read_plan(path)
    with pytest.raises(RequestError, match="is a folder"):
        read_plan(tmp_path)


def test_a_value_that_only_the_checkpoint_can_refuse_is_accepted(tmp_path: Path) -> None:
    """A chunk goes with a capacity, and by default the model limits that."""
    text = (
        SOURCES
        + '[[recipe]]\nname = "a"\ncapacity = 64\nset = { target = "npu" }\n[[recipe]]\nname = "b"\nchunk = 9000'
    )
    assert [recipe_options(one) for one in read_plan(written(tmp_path, text)).recipe] == [
        {"capacity": 64, "target": "npu"}, {"chunk": 9000},
    ]  # fmt: skip


def test_names_are_parts_of_files_names() -> None:
    assert slug("Qwen3-0.6B") == "Qwen3-0-6B" and slug("../é/..") == "" and len(slug("a" * 500)) == 60


def test_a_machine_that_is_known_has_steps_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    add_machine(RemoteMachine("board", "ssh://me@board"))
    plan = read_plan(written(tmp_path, SOURCES + 'machines = ["local", "board"]\nsteps = ["build", "bench"]'))
    steps = {step.id: step.machine for step in plan_steps(plan, tmp_path)}
    assert steps == {
        "qwen3.default.auto.build": "local",
        "qwen3.default.auto.bench-cpu": "local",
        "qwen3.default.auto.bench-cpu-board": "board",
    }
