"""A conversation or a text with pictures and recordings, as the engine takes it.

turns with files ──template──▶ text with a placeholder for each file
                 ──PicturePrompts, SoundPrompts──▶ text with a token per row, tensors ──▶ ids, inputs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workflows.common.errors import PromptError
from workflows.generate.chat_template import TemplateMessage
from workflows.generate.engine import Engine
from workflows.generate.picture_prompts import PicturePrompts, single_pictures
from workflows.generate.picture_runs import picture_runs
from workflows.generate.prompt_encoder import media_content
from workflows.generate.sound_prompts import SoundPrompts
from workflows.generate.tools import Tool
from workflows.runtime.execution.prompt_inputs import InputValue, NamedInputs
from workflows.wire.events import PictureSpan
from workflows.wire.requests import Turn


@dataclass(frozen=True)
class MediaPrompt:
    """ids, inputs: for Engine.generate. notes: what of the files is not read, for the person.

    pictures: where those of the pictures are among the ids.
    """

    ids: list[int]
    inputs: NamedInputs
    notes: tuple[str, ...]
    pictures: tuple[PictureSpan, ...]


def media_prompt(
    engine: Engine, turns: Sequence[Turn], tools: Sequence[Tool] | None = None, prefill: str = "", *,
    chat: bool | None = None,
) -> MediaPrompt:  # fmt: skip
    """The prompt of turns with pictures and recordings.

    chat: whether they go through the chat template; None where the bundle has one.

    Raises PromptError for files of a kind that the bundle does not read, MediaError for one that cannot be read, and as
    Engine.encode_chat.
    """
    pictures = [Path(file) for turn in turns for file in turn.pictures]
    sounds = [Path(file) for turn in turns for file in turn.sounds]
    if pictures and not engine.sees:
        raise PromptError("The bundle reads no pictures: open one that does, or leave them out.")
    if sounds and not engine.takes_sound:
        raise PromptError("The bundle reads no sound beside a prompt: open one that does, or leave it out.")
    chat = engine.template is not None if chat is None else chat
    seeing = PicturePrompts.of_bundle(engine.bundle) if pictures else None
    hearing = SoundPrompts.of_bundle(engine.bundle) if sounds else None
    text = _chat_text(engine, turns, tools, prefill) if chat else _plain_text(turns, seeing, hearing) + prefill
    inputs, rows, notes = dict[str, InputValue](), list[int](), list[str]()
    if seeing is not None:
        read = seeing.read(pictures)
        notes += [note for picture in read for note in picture.notes]
        text, tensors, rows = seeing.prepare(text, read)
        inputs |= single_pictures(tensors) if engine.machine.program.loops else tensors
    if hearing is not None:
        heard = hearing.read(sounds)
        notes += hearing.notes(sounds, heard)
        text, tensors, _ = hearing.prepare(text, heard)
        inputs |= tensors
    written = seeing is not None and seeing.writes_special_tokens
    if written and prefill:
        raise PromptError("The model reads its prompt as a whole, so its reply has no given beginning: leave it out.")
    ids = engine.text.encode(text, special=not (chat or written))
    runs = picture_runs(ids, engine.bundle.pipeline.feature_tokens["image"], rows) if pictures else []
    spans = [PictureSpan(path=str(file), runs=one) for file, one in zip(pictures, runs, strict=True)]
    return MediaPrompt(ids, inputs, tuple(notes), tuple(spans))


def _chat_text(engine: Engine, turns: Sequence[Turn], tools: Sequence[Tool] | None, prefill: str) -> str:
    messages: list[TemplateMessage] = [
        {
            "role": turn.role,
            "content": media_content(turn.content, len(turn.pictures), len(turn.sounds))
            if turn.pictures or turn.sounds
            else turn.content,
        }
        for turn in turns
    ]
    return engine.prompts.chat_text(messages, tools, prefill)


def _plain_text(turns: Sequence[Turn], seeing: PicturePrompts | None, hearing: SoundPrompts | None) -> str:
    texts = []
    for turn in turns:
        text = turn.content
        if hearing is not None:
            text = hearing.with_placeholders(text, len(turn.sounds))
        if seeing is not None:
            text = seeing.with_placeholders(text, len(turn.pictures))
        texts.append(text)
    return "".join(texts)
