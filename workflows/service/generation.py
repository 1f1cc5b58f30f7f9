"""One generation of the open bundle, from a request: a conversation with or without pictures, a text, ids, or a sound.

messages ──template──▶ text, files ──PicturePrompts──▶ PicturesEvent; ids, pixel values ──Engine.generate──▶ events
sound ──Transcriber──▶ events, a SegmentEvent for each segment
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workflows.common.errors import PromptError
from workflows.wire.events import Event, NoticeEvent, PicturesEvent, PictureSpan
from workflows.wire.requests import Generate, SoundPrompt

if TYPE_CHECKING:
    from workflows.generate import Engine, GenerateOptions, TemplateMessage, Tool


def generate(engine: Engine, request: Generate, cancelled: Callable[[], bool]) -> Iterator[Event]:
    """The events of a request, GenerationDone last.

    Raises PromptError where the bundle cannot encode the prompt, sees no pictures or hears no sound, MediaError for a
    file that cannot be read, and what Engine.generate raises.
    """
    from workflows.generate.options import check_options

    options = check_options(request.options)
    if request.sound is not None:
        yield from _transcribe(engine, request.sound, options, cancelled)
    elif any(turn.pictures for turn in request.messages or ()):
        yield from _generate_seeing(engine, request, options, cancelled)
    else:
        if engine.sees:
            yield PicturesEvent(pictures=[])
        prefix = engine.prompts.reply_prefix(request.prefill)
        yield from engine.generate(_prompt(engine, request), options, cancelled, prefix=prefix)


def _generate_seeing(
    engine: Engine, request: Generate, options: GenerateOptions, cancelled: Callable[[], bool]
) -> Iterator[Event]:
    """After a conversation with pictures: all of them are read anew, and nothing of the cache is reused."""
    from workflows.generate.picture_prompts import PicturePrompts
    from workflows.generate.picture_runs import picture_runs
    from workflows.generate.prompt_encoder import picture_content

    if not engine.sees:
        raise PromptError("The bundle reads no pictures: open one that does, or start a chat without them.")
    prompts = PicturePrompts.of_bundle(engine.bundle)
    messages = request.messages or ()
    files = [file for turn in messages for file in turn.pictures]
    pictures = prompts.read([Path(file) for file in files])
    for note in (note for picture in pictures for note in picture.notes):
        yield NoticeEvent(code="picture", message=note)
    if engine.template is None:
        text = "".join(prompts.with_placeholders(turn.content, len(turn.pictures)) for turn in messages)
        text += request.prefill
    else:
        turns: list[TemplateMessage] = [
            {
                "role": turn.role,
                "content": picture_content(turn.content, len(turn.pictures)) if turn.pictures else turn.content,
            }
            for turn in messages
        ]
        text = engine.prompts.chat_text(turns, _parsed_tools(request.tools), request.prefill)
    expanded, inputs, rows = prompts.prepare(text, pictures)
    ids = engine.text.encode(expanded, special=engine.template is None)
    runs = picture_runs(ids, engine.bundle.pipeline.feature_tokens["image"], rows)
    yield PicturesEvent(pictures=[PictureSpan(path=file, runs=one) for file, one in zip(files, runs, strict=True)])
    yield from engine.generate(ids, options, cancelled, inputs=inputs)


def _transcribe(
    engine: Engine, sound: SoundPrompt, options: GenerateOptions, cancelled: Callable[[], bool]
) -> Iterator[Event]:
    from workflows.generate.speech.settings import SpeechOptions
    from workflows.generate.speech.transcriber import Transcriber

    if not engine.ready().listens:
        raise PromptError("The bundle hears no sound: open one that transcribes, or write a prompt.")
    transcriber = Transcriber(engine)
    speech = SpeechOptions(sound.language, sound.task, sound.timestamps)
    yield from transcriber.transcribe(transcriber.listen(Path(sound.path)), options, speech, cancelled)


def _prompt(engine: Engine, request: Generate) -> list[int]:
    """The prompt of a request as token ids. Raises PromptError where the bundle cannot encode it."""
    if request.messages is not None:
        turns: list[TemplateMessage] = [{"role": turn.role, "content": turn.content} for turn in request.messages]
        return engine.encode_turn(turns, _parsed_tools(request.tools), request.prefill)
    if request.prompt is not None:
        return engine.encode(request.prompt)
    return list(request.prompt_ids or ())


def _parsed_tools(text: str) -> list[Tool] | None:
    """The tools of a JSON text; None if it is empty."""
    from workflows.generate import parse_tools

    return parse_tools(text, "The list of tools") if text.strip() else None
