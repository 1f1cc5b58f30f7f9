"""One generation of the open bundle, from a request: a conversation with or without pictures, a text, ids, or a sound.

messages, files ──media_prompt──▶ PicturesEvent; ids, inputs ──Engine.generate──▶ events
sound ──Transcriber──▶ events, a SegmentEvent for each segment
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, cast

from workflows.common.errors import PromptError
from workflows.wire.events import Event, NoticeEvent, PicturesEvent
from workflows.wire.requests import Generate, SoundPrompt, Turn

if TYPE_CHECKING:
    from workflows.generate import Engine, GenerateOptions, TemplateMessage, Tool
    from workflows.generate.call_reader import CallReader
    from workflows.generate.tool_calls import ToolChoice


class SharedRows:
    """The rows of an engine whose texts several threads generate. Prompts are made by one of them at a time."""

    def __init__(self, engine: Engine, count: int) -> None:
        from workflows.generate.engine_rows import EngineRows

        self._rows, self.encoding = EngineRows(engine, count), threading.Lock()
        self.generate = self._rows.generate
        self.close = self._rows.close


def generate(
    engine: Engine, request: Generate, cancelled: Callable[[], bool], rows: SharedRows | None = None
) -> Iterator[Event]:
    """The events of a request, GenerationDone last. rows: where its text is one of several.

    Raises PromptError where the bundle cannot encode the prompt, sees no pictures or hears no sound, MediaError for a
    file that cannot be read, and what Engine.generate raises.
    """
    from workflows.generate.options import check_options

    values, reader = dict(request.options), None
    if request.sound is not None or any(turn.pictures or turn.sounds for turn in request.messages or ()):
        rows = None  # models that take them have none
    with nullcontext() if rows is None else rows.encoding:
        if request.tool_choice is not None:
            values["tool_calls"], reader = _calls(engine, request, request.tool_choice)
        options = check_options(values)
        prompt = None if rows is None else _prompt(engine, request)
    if rows is None or prompt is None:
        events = _events(engine, request, options, cancelled)
    else:
        events = rows.generate(prompt, options, cancelled)
    yield from events if reader is None else reader.hold(events)


def _events(
    engine: Engine, request: Generate, options: GenerateOptions, cancelled: Callable[[], bool]
) -> Iterator[Event]:
    if request.sound is not None:
        yield from _transcribe(engine, request.sound, options, cancelled)
    elif any(turn.pictures or turn.sounds for turn in request.messages or ()):
        yield from _generate_with_media(engine, request, options, cancelled)
    else:
        if engine.sees:
            yield PicturesEvent(pictures=[])
        prefix = engine.prompts.reply_prefix(request.prefill)
        yield from engine.generate(_prompt(engine, request), options, cancelled, prefix=prefix)


def _generate_with_media(
    engine: Engine, request: Generate, options: GenerateOptions, cancelled: Callable[[], bool]
) -> Iterator[Event]:
    """After a conversation with pictures or recordings: all are read anew, and nothing of the cache is reused."""
    from workflows.generate.media_prompts import media_prompt

    prompt = media_prompt(engine, request.messages or (), _parsed_tools(request.tools), request.prefill)
    for note in prompt.notes:
        yield NoticeEvent(code="media", message=note)
    if engine.sees:
        yield PicturesEvent(pictures=list(prompt.pictures))
    yield from engine.generate(prompt.ids, options, cancelled, inputs=prompt.inputs)


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
        turns = [_message(turn) for turn in request.messages]
        return engine.encode_turn(turns, _parsed_tools(request.tools), request.prefill)
    if request.prompt is not None:
        return engine.encode(request.prompt)
    return list(request.prompt_ids or ())


def _calls(engine: Engine, request: Generate, choice: ToolChoice) -> tuple[str, CallReader]:
    """The grammar of a reply that may call tools, and what reads it. Raises RequestError as call_grammar."""
    from workflows.generate.call_reader import CallReader
    from workflows.generate.tool_calls import bundle_call_form, call_grammar

    tools, ends = _parsed_tools(request.tools) or [], engine.bundle.pipeline.tokens.eos
    grammar = call_grammar(engine.template, engine.text, ends, tools, choice)
    assert engine.template is not None  # call_grammar has raised otherwise
    return grammar, CallReader(bundle_call_form(engine.template, engine.text, ends, tools), engine.text)


def _message(turn: Turn) -> TemplateMessage:
    """A message as templates read it: with its calls, or with the tool and the call whose answer it is."""
    message: dict[str, object] = {"role": turn.role, "content": turn.content}
    if turn.tool_calls:
        message["tool_calls"] = json.loads(turn.tool_calls)
    message |= {key: value for key in ("name", "tool_call_id") if (value := getattr(turn, key))}
    return cast("TemplateMessage", message)


def _parsed_tools(text: str) -> list[Tool] | None:
    """The tools of a JSON text; None if it is empty."""
    from workflows.generate import parse_tools

    return parse_tools(text, "The list of tools") if text.strip() else None
