"""The options that say how a person's own task is asked and judged, for every command that asks one.

@asking
def command(…, asked: Asked = Asked(), …)   ──▶   command … --question-column … --raw …,  asked.task(file)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path

import typer

from workflows.wire.goals import TaskFile


@dataclass(frozen=True)
class TaskOptions:
    """What was given; each field's default is the option."""

    question_column: str = typer.Option(
        "", "--question-column", help="Its column (default: question, prompt or input)."
    )
    answer_column: str = typer.Option("", "--answer-column", help="Its column (default: answer, completion or output).")
    pattern: str = typer.Option(
        "", "--pattern", metavar="REGEX", help="What of a reply is the answer: the first group, or all that is found."
    )
    pattern_column: str = typer.Option("", "--pattern-column", help="A column with a pattern of each row's own.")
    ignore_case: bool = typer.Option(False, "--ignore-case", help="Upper and lower case are the same.")
    keep_spaces: bool = typer.Option(
        False, "--keep-spaces", help="White space counts; without it a run of it is one blank."
    )
    raw: bool = typer.Option(False, "--raw", help="Questions are fed as they are, without the chat template.")

    def task(self, file: Path | None) -> TaskFile | None:
        """The task that `file` holds; None without one."""
        if file is None:
            return None
        columns = (self.question_column, self.answer_column, self.pattern, self.pattern_column)
        return TaskFile(str(file), *columns, self.ignore_case, self.keep_spaces, not self.raw)


def with_task_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with Asked's options at the place of its parameter `asked`."""
    own = signature(command, eval_str=True)
    types = signature(TaskOptions, eval_str=True).parameters
    options = [types[one.name].replace(default=one.default) for one in fields(TaskOptions)]

    @wraps(command)
    def run(**given: object) -> None:
        asked = {option.name: given.pop(option.name) for option in options}
        command(**given, asked=TaskOptions(**asked))  # type: ignore[arg-type]

    flat = list[Parameter]()
    for parameter in own.parameters.values():
        flat += options if parameter.name == "asked" else [parameter]
    run.__signature__ = own.replace(parameters=flat)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return run
