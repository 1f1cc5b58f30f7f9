"""A task's questions about pictures and sound: the files of a row, and what a bundle is fed for a question.

row ──row_files──▶ paths, relative to the task file ──question_prompt(engine)──▶ ids, inputs of the encoders
                                                    ──transcript(engine)──▶ the reply of a bundle that transcribes
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workflows.common.errors import MediaError, PromptError, printable
from workflows.common.table_files import Row
from workflows.generate import Engine, GenerateOptions
from workflows.generate.media_prompts import media_prompt
from workflows.generate.prompt_sets import HeldOutQuestion
from workflows.generate.speech.settings import SpeechOptions
from workflows.generate.speech.sound_input import sound_shape
from workflows.generate.speech.transcriber import Transcriber
from workflows.media import read_picture, read_sound
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.wire.events import GenerationDone
from workflows.wire.requests import Turn

PICTURES, SOUNDS = "image", "audio"  # the columns
_CHECKED_RATE = 16_000  # Hz
_SPEECH = SpeechOptions(None, None, False)


@dataclass(frozen=True)
class QuestionPrompt:
    """ids, inputs: for Engine.generate."""

    ids: list[int]
    inputs: NamedInputs


def row_files(row: Row, column: str, number: int, file: Path) -> tuple[str, ...]:
    """The files that a row names under `column`: a path, or a list of them, relative to the task file.

    Raises PromptError, with the row's number, for what is no path.
    """
    named = row.get(column)
    if named is None:
        return ()
    listed = named if isinstance(named, list) else [named]
    paths = [path for path in listed if isinstance(path, str) and path.strip()]
    if not paths or len(paths) < len(listed):
        raise PromptError(
            f"Row {number:,} of {printable(file.name)} has no path under {column!r}: write one between quotation "
            "marks, or a list of them."
        )
    return tuple(str(file.parent / path) for path in paths)


def check_files(question: HeldOutQuestion, number: int, file: Path) -> None:
    """Raises PromptError, with the row's number, where a file of a question cannot be read."""
    try:
        for path in question.pictures:
            read_picture(Path(path))
        for path in question.sounds:
            read_sound(Path(path), _CHECKED_RATE)
    except MediaError as error:
        raise PromptError(f"Row {number:,} of {printable(file.name)}: {error}") from None


def question_prompt(engine: Engine, question: HeldOutQuestion, chat: bool) -> QuestionPrompt:
    """What a bundle is fed for a question with files; one that transcribes is fed the first window of the recording.

    chat: whether the question goes through the chat template, where there is one. Raises PromptError for a question
    that the bundle cannot take.
    """
    if transcribes(engine):
        transcriber = Transcriber(engine)
        ids, inputs = transcriber.first_window(transcriber.listen(_recording(question)), _SPEECH)
        return QuestionPrompt(ids, inputs)
    turn = Turn("user", question.text, question.pictures, question.sounds)
    made = media_prompt(engine, [turn], chat=chat and engine.template is not None)
    return QuestionPrompt(made.ids, made.inputs)


def transcribes(engine: Engine) -> bool:
    """Whether the bundle reads a recording in place of a prompt."""
    return sound_shape(engine.machine) is not None


def transcript(engine: Engine, question: HeldOutQuestion, tokens: int, cancelled: Callable[[], bool]) -> GenerationDone:
    """The transcript of a question's recording, `tokens` a window at most. Raises PromptError as question_prompt."""
    transcriber = Transcriber(engine)
    heard = transcriber.listen(_recording(question))
    *_, done = transcriber.transcribe(heard, GenerateOptions(max_new_tokens=tokens), _SPEECH, cancelled)
    assert isinstance(done, GenerationDone)  # the last event always is
    return done


def _recording(question: HeldOutQuestion) -> Path:
    """The one recording of a question without words."""
    if question.text or question.pictures or len(question.sounds) != 1:
        raise PromptError(
            "The bundle transcribes recordings: each row of the task needs one under 'audio', and no question."
        )
    return Path(question.sounds[0])
