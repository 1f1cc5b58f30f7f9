"""The user's task: questions with expected answers, and how a reply is judged.

    FILE ──rows──▶ Question ──the model──▶ reply ──exact match, or a pattern's match──▶ right or wrong
      └─ image, audio: files beside it ──────┘

A pattern comes from the user or the file and may take exponential time: each search has a time limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import regex

from workflows.bundle import Bundle
from workflows.common.errors import PromptError, RequestError, printable
from workflows.common.table_files import PAIRS, SUFFIXES, Row, cell_text, is_table, read_rows
from workflows.evaluation.accuracy.media_questions import (
    PICTURES,
    SOUNDS,
    QuestionPrompt,
    check_files,
    question_prompt,
    row_files,
)
from workflows.generate import Engine
from workflows.generate.prompt_sets import (
    DEMO,
    PROMPTS,
    EvaluationPrompt,
    HeldOutQuestion,
    PromptSet,
    demo_name,
    demo_questions,
    encode_prompt,
    evenly_spaced,
)
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.wire.events import GenerationDone
from workflows.wire.goals import TOKENS, TaskFile

SECONDS = 1.0  # that a pattern may search one reply


@dataclass(frozen=True)
class FileTask:
    """The questions to ask, and how replies are judged."""

    how: TaskFile
    questions: tuple[HeldOutQuestion, ...]

    @property
    def path(self) -> Path:
        return Path(self.how.file)

    @property
    def metric(self) -> str:
        """How replies are judged, as a text."""
        kind = "regular expression" if self.how.pattern or self.how.pattern_column else "exact match"
        return f"{kind}, {self.path.name}"

    def ids(self, engine: Engine, question: HeldOutQuestion) -> list[int]:
        """The ids of a question's text, without its files. Raises PromptError for one without a text."""
        if not question.text:
            raise PromptError(
                f"The rows of {printable(self.path.name)} have recordings and no questions to rank weights by: give "
                "texts with --prompts."
            )
        return encode_prompt(engine, question.text) if self.how.chat else engine.encode(question.text)

    def prompt(self, engine: Engine, question: HeldOutQuestion) -> QuestionPrompt:
        """What the bundle is fed for a question."""
        if question.has_files:
            return question_prompt(engine, question, self.how.chat)
        return QuestionPrompt(self.ids(engine, question), {})

    def prompts(self, engine: Engine) -> PromptSet:
        """The questions as prompts, with their files."""
        chosen = evenly_spaced(self.questions, PROMPTS)
        return PromptSet(
            tuple(self._evaluation_prompt(engine, one) for one in chosen),
            f"{len(chosen)} of the {len(self.questions)} questions of {self.path.name}",
        )

    def _evaluation_prompt(self, engine: Engine, question: HeldOutQuestion) -> EvaluationPrompt:
        def read() -> NamedInputs:
            return self.prompt(engine, question).inputs

        files = ", ".join(Path(file).name for file in (*question.pictures, *question.sounds))
        text = f"{question.text} ({files})".strip() if files else question.text
        return EvaluationPrompt(text, tuple(self.prompt(engine, question).ids), read if files else dict)

    @property
    def has_files(self) -> bool:
        """Whether a question is about pictures or sound."""
        return any(question.has_files for question in self.questions)

    @property
    def tokens(self) -> int:
        return self.how.tokens

    def is_right(self, question: HeldOutQuestion, reply: GenerationDone) -> bool:
        """Whether the reply is right. Raises RequestError if a pattern exceeds its time limit."""
        if self.how.pattern_column:
            return self._search(question.expected, reply.text) is not None
        if self.how.pattern:
            answer = self._search(self.how.pattern, reply.text)
            return answer is not None and self._same(answer, question.expected)
        return self._same(reply.text, question.expected)

    def _same(self, one: str, other: str) -> bool:
        return self._plain(one) == self._plain(other)

    def _plain(self, text: str) -> str:
        spaced = text if self.how.keep_spaces else " ".join(text.split())
        return spaced.casefold() if self.how.ignore_case else spaced

    def _search(self, pattern: str, reply: str) -> str | None:
        """Returns the first group of the pattern's first match, or the whole match."""
        compiled = _compiled(pattern, self.how.ignore_case, "The pattern")
        try:
            match = compiled.search(reply, timeout=SECONDS)
        except TimeoutError:
            raise RequestError(
                f"The pattern {printable(pattern, 80)!r} took more than {SECONDS:g} s on a reply of {len(reply):,} "
                "characters: write it so that it does not try the same characters again and again."
            ) from None
        if match is None:
            return None
        return str((match.group(1) if compiled.groups else match.group()) or "")


@dataclass(frozen=True)
class DemoTask:
    """The demo's held-back questions; a reply is right if it equals the answer and has ended."""

    metric: str
    questions: tuple[HeldOutQuestion, ...]
    tokens: int = TOKENS

    def prompt(self, engine: Engine, question: HeldOutQuestion) -> QuestionPrompt:
        """What the bundle is fed for a question."""
        return QuestionPrompt(encode_prompt(engine, question.text), {})

    def is_right(self, question: HeldOutQuestion, reply: GenerationDone) -> bool:
        return reply.finish_reason == "eos" and reply.text.strip() == question.expected


def demo_task(bundle: Bundle, count: int) -> DemoTask | None:
    """Returns at most `count` questions of the demo that the bundle was built from; None for another checkpoint."""
    demo = demo_name(bundle)
    questions = evenly_spaced(demo_questions(demo), count)
    metric = f"held-back questions of {DEMO}{demo}, answered word for word"
    return DemoTask(metric, tuple(questions)) if questions else None


def read_task(how: TaskFile) -> FileTask:
    """Reads the task in `how.file`.

    Raises PromptError, with the row, for a file that cannot be read, is empty or lacks a column, and for a picture or a
    recording that cannot be read; RequestError for an invalid pattern.
    """
    file = Path(how.file)
    if not is_table(file):
        raise PromptError(f"The task {printable(file)} must be a file of {', '.join(SUFFIXES)}.")
    if how.pattern and how.pattern_column:
        raise RequestError("A task has one pattern or one in each row: give --pattern or --pattern-column, not both.")
    if how.rows < 1 or how.tokens < 1:
        raise RequestError("A task needs at least one row and one token a reply.")
    if how.pattern:
        _compiled(how.pattern, how.ignore_case, "The pattern")
    questions = [(number, _question(how, row, number, file)) for number, row in read_rows(file)]
    chosen = evenly_spaced(questions, how.rows)
    for number, question in chosen:
        check_files(question, number, file)
    return FileTask(how, tuple(question for _, question in chosen))


def _question(how: TaskFile, row: Row, number: int, file: Path) -> HeldOutQuestion:
    pictures, sounds = (row_files(row, column, number, file) for column in (PICTURES, SOUNDS))
    if sounds and not how.question and not any(column in row for column, _ in PAIRS):  # to be transcribed
        text, answer = "", how.pattern_column or how.answer or _answer_column(row, number, file)
    else:
        question, answer = question_columns(row, how.question, how.pattern_column or how.answer, number, file)
        text = cell_text(row, question, number, file)
    expected = cell_text(row, answer, number, file)
    if how.pattern_column:
        _compiled(expected, how.ignore_case, f"The pattern of row {number:,} of {printable(file.name)}")
    return HeldOutQuestion(text, expected, pictures, sounds)


def _answer_column(row: Row, number: int, file: Path) -> str:
    """The column of a transcript in a row without a question."""
    usual = next((answer for _, answer in PAIRS if answer in row), None)
    if usual is None:
        names = ", ".join(answer for _, answer in PAIRS)
        raise PromptError(
            f"Row {number:,} of {printable(file.name)} has a recording and none of the columns {names}: name that of "
            "the transcripts with --answer-column."
        )
    return usual


def question_columns(row: Row, question: str, answer: str, number: int, file: Path) -> tuple[str, str]:
    """Returns the two columns to read: the named ones, else the first usual pair that the row has."""
    usual = next(((q, a) for q, a in PAIRS if (question or q) in row and (answer or a) in row), None)
    if usual is None and not (question and answer):
        has = ", ".join(printable(name) for name in row) or "none"
        pairs = " nor ".join(f"{q} and {a}" for q, a in PAIRS)
        raise PromptError(
            f"Row {number:,} of {printable(file.name)} has the columns {has}, neither {pairs}: name them with "
            "--question-column and --answer-column."
        )
    return question or (usual or ("", ""))[0], answer or (usual or ("", ""))[1]


def _compiled(pattern: str, ignore_case: bool, what: str) -> regex.Pattern[str]:
    try:
        return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except regex.error as error:
        raise RequestError(f"{what} is no regular expression: {printable(error, 100)}.") from None
