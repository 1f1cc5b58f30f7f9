"""The options that say what a person's own task is, for every command that asks one."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.wire.goals import TaskFile

TaskOption = typer.Option(None, "--task-file", help="Questions and answers: JSON lines or parquet.")
QuestionColumn = typer.Option("", "--question-column", help="Its column (default: question, prompt or input).")
AnswerColumn = typer.Option("", "--answer-column", help="Its column (default: answer, completion or output).")
Pattern = typer.Option(
    "", "--pattern", metavar="REGEX", help="What of a reply is the answer: the first group, or all that is found."
)
PatternColumn = typer.Option("", "--pattern-column", help="A column with a pattern of each row's own.")
IgnoreCase = typer.Option(False, "--ignore-case", help="Upper and lower case are the same.")
KeepSpaces = typer.Option(False, "--keep-spaces", help="White space counts; without it a run of it is one blank.")
Raw = typer.Option(False, "--raw", help="Questions are fed as they are, without the chat template.")


def task_from(
    file: Path | None,
    question: str,
    answer: str,
    pattern: str,
    pattern_column: str,
    ignore_case: bool,
    keep_spaces: bool,
    raw: bool,
) -> TaskFile | None:
    """The task that the options describe; None without a file."""
    if file is None:
        return None
    return TaskFile(str(file), question, answer, pattern, pattern_column, ignore_case, keep_spaces, not raw)
