"""The flags that say how a user's own task is asked and judged, for every command that takes one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from workflows.wire.goals import TaskFile


@dataclass(frozen=True)
class TaskFlags:
    """The columns, the pattern and the comparison of a task file."""

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
