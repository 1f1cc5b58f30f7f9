"""The options of a person's own task: one definition, the same on every command, and what they come to."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from workflows import cli
from workflows.cli import run
from workflows.cli.run_flags import TaskFlags
from workflows.wire.goals import TaskFile

OPTIONS = ("--question-column", "q", "--answer-column", "a", "--pattern", "x+", "--pattern-column", "p")
SWITCHES = ("--ignore-case", "--keep-spaces", "--raw")
FULL = TaskFile("t.jsonl", "q", "a", "x+", "p", ignore_case=True, keep_spaces=True, chat=False)


def parameters(command: str) -> dict[str, click.Parameter]:
    group: Any = typer.main.get_command(cli.app)
    return {one.name: one for one in group.commands[command].loaded.params}


def test_every_command_that_asks_a_task_has_the_same_options() -> None:
    build, evaluate = parameters("build"), parameters("eval")
    names = [one.name for one in fields(TaskFlags)]
    for name in names:
        assert [build[name].opts, build[name].help] == [evaluate[name].opts, evaluate[name].help]  # type: ignore[attr-defined]
    for known in (list(build), list(evaluate)):
        first = known.index(names[0])
        assert known[first - 1] == "task_file" and known[first : first + len(names)] == names and "asked" not in known


@pytest.mark.parametrize(("given", "task"), [((*OPTIONS, *SWITCHES), FULL), ((), TaskFile("t.jsonl"))])
def test_what_was_given_reaches_the_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: tuple[str, ...], task: TaskFile
) -> None:
    asked = list[Any]()

    def stop(request: Any, *_: object) -> None:
        asked.append(request)
        raise KeyboardInterrupt

    monkeypatch.setattr("workflows.cli.build.run_build", stop)
    goal = ("--goal", "task=0.9", "--task-file", "t.jsonl")
    assert run(["build", "demo:qwen3", "--out", str(tmp_path / "b"), *goal, *given]) == 130
    assert asked[0].goal.task == task


def test_without_a_file_there_is_no_task() -> None:
    assert TaskFlags("q", "a", "", "", False, False, False).task(None) is None


def test_the_commands_keep_their_words() -> None:
    """What `--help` begins with."""
    assert inspect.getdoc(cli.build.build) == "Build a bundle from SOURCE."
