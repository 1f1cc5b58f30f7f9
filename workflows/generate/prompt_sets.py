"""What two bundles are compared on: a person's file, the demo's held-back questions, or Joinery's text to measure with.

Never random: `Prompts.origin` says which it was. Texts go through the chat template where the bundle has one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import TypeVar

from workflows.bundle import Bundle
from workflows.common.errors import PromptError, printable
from workflows.common.table_files import Row, cell_text, is_table, read_rows, read_text
from workflows.generate import Engine
from workflows.generate.sample_texts import Half, paragraphs
from workflows.runtime.execution.prompt_inputs import NamedInputs

SpreadItem = TypeVar("SpreadItem")
PROMPTS = 64
QUESTIONS = 200
DEMO = "demo:"
PARAGRAPHS = 12  # of the text to measure with, or about 1,500 tokens
MEASURING_TEXT, CALIBRATING_TEXT = "Joinery's text to measure with", "Joinery's text to calibrate with"
_LONGEST = 1.5  # tokens a character; a text of more is in pieces: bytes of characters that the tokenizer never met
_UNKNOWN = 0.5  # share of unknown tokens from which a text is none that the tokenizer was made for
_SAME_CORPUS = {"qwen3_5": "qwen3"}
SENTENCES = (
    "The capital of France is",
    "Water boils at a temperature of",
    "Once upon a time there was a",
    "The three primary colours are",
    "To be or not to be, that is",
    "My name is Anna and I live in",
    "In the year 1969 the first man",
    "A week has seven days:",
)


@dataclass(frozen=True)
class EvaluationPrompt:
    """A text, empty where the bundle speaks ids alone, and its ids.

    read_inputs: reads the files of a prompt with pictures or sound, to the inputs of their encoders; not kept, since
    those of many prompts take gigabytes.
    """

    text: str
    ids: tuple[int, ...]
    read_inputs: Callable[[], NamedInputs] = dict


@dataclass(frozen=True)
class HeldOutQuestion:
    """A question that the training never saw, and the answer that is right. pictures, sounds: files it is about."""

    text: str
    expected: str
    pictures: tuple[str, ...] = ()
    sounds: tuple[str, ...] = ()

    @property
    def has_files(self) -> bool:
        """Whether it is about pictures or sound."""
        return bool(self.pictures or self.sounds)


@dataclass(frozen=True)
class PromptSet:
    """The prompts, and in words where they come from. built_in: they are Joinery's own, and nobody chose them."""

    prompts: tuple[EvaluationPrompt, ...]
    origin: str
    built_in: bool = False


def choose_prompts(engine: Engine, file: Path | None) -> PromptSet:
    """The lines of `file`, else the demo's held-back questions, else paragraphs that the tokenizer knows.

    Raises PromptError for a file that holds no prompts, and where there is nothing to fall back on.
    """
    if file is not None:
        return PromptSet(_of_lines(engine, read_prompts(file), file), f"{_count(file)} in {file.name}")
    demo = demo_name(engine.bundle)
    questions = demo_questions(demo)
    if questions:
        chosen = evenly_spaced(questions, PROMPTS)
        prompts = tuple(_of_text(engine, question.text) for question in chosen)
        origin = f"{len(prompts)} of the {len(questions)} held-back questions of {DEMO}{demo}"
        return PromptSet(prompts, origin, built_in=True)
    if engine.text.tokenizer is None:
        raise PromptError(
            "This bundle has no tokenizer, so there are no sentences to try it on: give --prompts with a file of ids, "
            "a prompt a line, as 1,2,3."
        )
    known = list(islice(known_texts(engine, "measure"), PARAGRAPHS))
    if not known:
        raise PromptError(
            "The bundle's tokenizer knows none of Joinery's texts: give --prompts with a file of texts that it was "
            "made for, a prompt a line."
        )
    origin = f"{len(known)} paragraphs of {MEASURING_TEXT}"
    return PromptSet(tuple(_of_text(engine, text) for text in known), origin, built_in=True)


def known_texts(engine: Engine, half: Half) -> Iterator[str]:
    """The paragraphs of a half of Joinery's texts that the tokenizer was made for, balanced from the start on."""
    for one in paragraphs(half):
        tokens = len(engine.encode(one.text))
        if tokens <= _LONGEST * len(one.text) + 2 and engine.text.unknown_share(one.text) <= _UNKNOWN:
            yield one.text


def read_prompts(file: Path) -> list[str]:
    """The lines of a text file, or a table's questions. Raises PromptError as read_lines, and for a row without one."""
    if not is_table(file):
        return read_lines(file)
    return [cell_text(row, prompt_column(row, number, file), number, file) for number, row in read_rows(file)]


def prompt_column(row: Row, number: int, file: Path) -> str:
    """The column of the row's prompt. Raises PromptError where it has none of the usual names."""
    names = ("prompt", "question", "input", "text")
    column = next((name for name in names if name in row), None)
    if column is None:
        known = " nor ".join(f'"{name}"' for name in names)
        raise PromptError(
            f'Row {number:,} of {printable(file.name)} has neither {known}: write {{"prompt": "…"}} a line.'
        )
    return column


def read_lines(file: Path) -> list[str]:
    """The lines of a UTF-8 text that hold something. Raises PromptError where there are none, or it is no text."""
    text = read_text(file)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise PromptError(f"The prompt file {printable(file)} is empty: give a text file with a prompt a line.")
    return lines


def demo_name(bundle: Bundle) -> str:
    """The name of the demo that the bundle was built from, empty for any other checkpoint."""
    try:
        source = json.loads(bundle.text("recipe.json") or "{}").get("source", "")
    except (ValueError, AttributeError):
        return ""
    return source.removeprefix(DEMO) if isinstance(source, str) and source.startswith(DEMO) else ""


def taught_as(demo: str) -> str:
    """The demo whose corpus a demo was trained on: itself, or one of another architecture."""
    return _SAME_CORPUS.get(demo, demo)


def demo_questions(demo: str) -> list[HeldOutQuestion]:
    """The held-back questions of a demo, in their order; none for another name."""
    if not demo.isidentifier():
        return []
    file = resources.files("resources") / "demos" / f"{taught_as(demo)}_heldback.json"
    if not file.is_file():
        return []
    return [HeldOutQuestion(row["prompt"], row["expected"]) for row in json.loads(file.read_text("utf-8"))]


def evenly_spaced(items: Sequence[SpreadItem], count: int) -> list[SpreadItem]:
    """`count` of the items, evenly over all of them."""
    count = min(count, len(items))
    return [items[index * len(items) // count] for index in range(count)]


def encode_prompt(engine: Engine, text: str) -> list[int]:
    """The ids of a person's words, as a chat where the bundle has a template."""
    if engine.template is None:
        return engine.encode(text)
    return engine.encode_turn([{"role": "user", "content": text}])


def _of_text(engine: Engine, text: str) -> EvaluationPrompt:
    return EvaluationPrompt(text, tuple(encode_prompt(engine, text)))


def _of_lines(engine: Engine, lines: list[str], file: Path) -> tuple[EvaluationPrompt, ...]:
    """Raises PromptError that names the line, for ids that are none and for texts that the tokenizer does not know."""
    if engine.text.tokenizer is None:
        return tuple(EvaluationPrompt("", _ids(engine, line, number)) for number, line in enumerate(lines, 1))
    if sum(engine.text.unknown_share(line) for line in lines) > 0.5 * len(lines):
        raise PromptError(
            f"The bundle's tokenizer does not know most of {printable(file.name)}: give texts that it was made for."
        )
    return tuple(_of_text(engine, line) for line in lines)


def _ids(engine: Engine, line: str, number: int) -> tuple[int, ...]:
    try:
        ids = [int(part) for part in line.split(",")]
    except ValueError:
        raise PromptError(
            f"Prompt {number} is no list of ids, and the bundle has no tokenizer: write it as 1,2,3."
        ) from None
    return tuple(engine.text.check_ids(ids))


def _count(file: Path) -> str:
    lines = len(read_prompts(file))
    return f"{lines:,} prompt" + ("s" if lines > 1 else "")
