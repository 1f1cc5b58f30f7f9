"""`joinery generate`: generates from one prompt and streams the text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from workflows.cli.flags import with_flags
from workflows.cli.interrupts import exit_on_interrupt, stop_on_interrupt
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.remote_flag import runs_on_machines
from workflows.cli.run_flags import PromptFlags, RunFlags, SoundFlags
from workflows.common.errors import Cancelled, RequestError
from workflows.wire.events import (
    Event,
    GenerationDone,
    NoticeEvent,
    SegmentEvent,
    SpeculationEvent,
    SpeculationUse,
    TokenEvent,
)

if TYPE_CHECKING:
    from workflows.generate import Engine, TemplateMessage, Tool
    from workflows.runtime.execution.prompt_inputs import NamedInputs

# The documented fields; the worker's events have more for the window.
TOKEN_FIELDS = ("event", "id", "text", "step", "phase", "latency_ms", "cache_used", "cache_capacity")
CACHE_FIELDS = ("layout", "capacity", "used", "bytes")
DRAFT_FIELDS = ("drafted", "accepted", "steps")


@runs_on_machines
@with_flags
def generate(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    source: PromptFlags = PromptFlags(),
    sound: SoundFlags = SoundFlags(),
    flags: RunFlags = RunFlags(),
    as_json: bool = JsonFlag,
) -> None:
    """Generate from one prompt, or transcribe a recording; greedy without sampling options."""
    from workflows.generate import open_chat_engine, open_engine
    from workflows.generate.options import check_options
    from workflows.generate.speech.sound_input import sound_shape
    from workflows.measure.recording import record_generation, to_stderr

    values = _sampled(flags.generation_options())
    check_options(values)
    flags.check_drafts()
    flags.check_combination()
    if sound.transcribes(source):
        _transcribe(bundle, sound.audio[0], sound, flags, values, as_json)
        return
    prompt, tools = source.read(), source.read_tools()
    with exit_on_interrupt():
        engine = flags.open(open_chat_engine if source.chat else open_engine, bundle)
        if flags.amateur is not None:
            engine.auxiliary.use_amateur(flags.amateur, engine.bundle)
    if sound_shape(engine.machine) is not None:
        raise RequestError("The bundle transcribes recordings: give --audio with a sound file in place of a prompt.")
    _check_chat(source, prompt, engine.machine.has_source)
    if sound.audio and isinstance(prompt, list):
        raise RequestError("--audio puts a recording before a text: give --prompt or --prompt-file with it.")
    encoder = _PromptEncoder(engine, source, tools, sound.audio)
    ids = prompt if isinstance(prompt, list) else encoder.encode(prompt)
    inputs = encoder.inputs or None
    options = check_options(values | encoder.options(flags.negative_prompt))
    with stop_on_interrupt(engine.stop) as cancelled:
        prefix = engine.prompts.reply_prefix(source.prefill)
        events = engine.generate(ids, options, cancelled, prefix=prefix, inputs=inputs)
        done = print_generation(record_generation(engine.bundle, events, to_stderr), as_json, source.prefill)
    if done.finish_reason == "cancelled":
        raise Cancelled("Cancelled.")


def _transcribe(
    bundle: Path, recording: Path, sound: SoundFlags, flags: RunFlags, values: Mapping[str, object], as_json: bool
) -> None:
    """Transcribes a recording."""
    from workflows.generate import open_engine
    from workflows.generate.options import check_options
    from workflows.generate.speech.fallback import FallbackRule
    from workflows.generate.speech.settings import SpeechOptions
    from workflows.generate.speech.transcriber import Transcriber
    from workflows.measure.recording import record_generation, to_stderr

    options = check_options(values)
    rule = FallbackRule() if sound.fallback else None
    words = sound.word_timestamps
    speech = SpeechOptions(
        sound.language, "translate" if sound.translate else None, sound.timestamps or words, rule, words
    )
    with exit_on_interrupt():
        engine = flags.open(open_engine, bundle)
        if engine.takes_sound:
            raise RequestError("The bundle answers a prompt about a recording: give --prompt with --audio.")
        transcriber = Transcriber(engine)
        heard, frames = transcriber.listen_measured(recording)
    with stop_on_interrupt(engine.stop) as cancelled:
        events = record_generation(
            engine.bundle, transcriber.transcribe(heard, options, speech, cancelled, frames), to_stderr
        )
        done = print_generation(_segments_alone(events) if speech.timestamps and not as_json else events, as_json)
    if done.finish_reason == "cancelled":
        raise Cancelled("Cancelled.")


def _segments_alone(events: Iterator[Event]) -> Iterator[Event]:
    """The segments with their times, a line each, in place of the text of their tokens."""
    for event in events:
        if isinstance(event, SegmentEvent):
            for one in (event,) if event.words is None else event.words:
                sys.stdout.write(f"[{one.start_s:.2f} – {one.end_s:.2f}] {one.text.strip()}\n")
            sys.stdout.flush()
        elif not isinstance(event, TokenEvent):
            yield event


def _sampled(options: Mapping[str, object]) -> dict[str, object]:
    """The options with the temperature 1 where a sampling option is set and neither temperature nor chain is."""
    drawn = any(options[name] is not None for name in ("top_k", "top_p", "min_p", "seed"))
    if drawn and options["temperature"] is None and options["chain"] is None:
        return {**options, "temperature": 1.0}
    return dict(options)


def _check_chat(source: PromptFlags, prompt: str | list[int], has_encoder: bool) -> None:
    """Raises RequestError for flags of a conversation without --chat, and for token ids with it."""
    if (source.tools is not None or (source.prefill and not has_encoder)) and not source.chat:
        raise RequestError("--tools and --prefill belong to a conversation: give --chat with them.")
    if source.image and isinstance(prompt, list):
        raise RequestError("--image puts a picture before a text: give --prompt or --prompt-file with it.")
    if source.chat and isinstance(prompt, list):
        raise RequestError("--chat puts text through the template: give --prompt or --prompt-file with it.")


@dataclass
class _PromptEncoder:
    """Encodes text as it is, or with --chat as a user's message with the tools and the prefill.

    sounds: recordings before the text. inputs: those of the encoders of pictures and sound, for the text that was
    encoded last.
    """

    engine: Engine
    source: PromptFlags
    tools: list[Tool] | None
    sounds: list[Path]
    inputs: NamedInputs = field(default_factory=dict)

    def encode(self, text: str) -> list[int]:
        """The ids of the prompt, with pictures and recordings before its text."""
        if not self.source.image and not self.sounds:
            return self._text_alone(text)
        from workflows.generate.media_prompts import media_prompt
        from workflows.wire.requests import Turn

        turn = Turn("user", text, tuple(map(str, self.source.image)), tuple(map(str, self.sounds)))
        prompt = media_prompt(self.engine, [turn], self.tools, self.source.prefill, chat=self.source.chat)
        for note in prompt.notes:
            sys.stderr.write(f"joinery: {note}\n")
        self.inputs = prompt.inputs
        return prompt.ids

    def _text_alone(self, text: str) -> list[int]:
        if not self.source.chat:
            return self.engine.encode(text)
        message: TemplateMessage = {"role": "user", "content": text}
        return self.engine.encode_chat([message], self.tools, self.source.prefill)

    def options(self, negative_prompt: str | None) -> dict[str, object]:
        """The options that need the engine's tokenizer."""
        from workflows.generate.tool_calls import call_grammar

        engine, options = self.engine, dict[str, object]()
        if self.source.tool_calls is not None:
            eos = engine.bundle.pipeline.tokens.eos
            calls = call_grammar(engine.template, engine.text, eos, self.tools or [], self.source.tool_calls)
            options["tool_calls"] = calls
        if negative_prompt is not None:
            options["negative_prompt"] = self._text_alone(negative_prompt)
        return options


def print_generation(events: Iterator[Event], as_json: bool, prefill: str = "") -> GenerationDone:
    """Prints a generation as it streams: its text after `prefill`, or a JSON object per token and one at the end."""
    done: GenerationDone | None = None
    before = prefill  # printed with the first token: a refused prompt has no reply
    for event in events:
        if isinstance(event, NoticeEvent):
            sys.stderr.write(f"joinery: {event.message}\n")
        if isinstance(event, GenerationDone):
            done = event
        elif isinstance(event, TokenEvent) and as_json:
            fields = event.to_dict()
            write_json({name: fields[name] for name in TOKEN_FIELDS})
        elif isinstance(event, SpeculationEvent | SegmentEvent) and as_json:
            write_json(event.to_dict())
        elif isinstance(event, TokenEvent):
            sys.stdout.write(before + event.text)
            sys.stdout.flush()
            before = ""
    assert done is not None  # every generation ends with one
    if as_json:
        write_json(_done_fields(done))
    else:
        sys.stdout.write(before + "\n")
        sys.stdout.flush()
        if done.speculation is not None and done.speculation.steps:
            sys.stderr.write(f"joinery: {draft_summary(done.speculation)}.\n")
        _warn_capacity(done)
    return done


def _done_fields(done: GenerationDone) -> dict[str, object]:
    fields = {**done.to_dict(), "cache": {name: getattr(done.cache, name) for name in CACHE_FIELDS}}
    if done.speculation is not None:
        fields["speculation"] = {name: getattr(done.speculation, name) for name in DRAFT_FIELDS}
    return fields


def draft_summary(use: SpeculationUse) -> str:
    """The draft statistics of one or more generations, as a clause."""
    if use.accept_rate is None:
        return f"no token was drafted in {use.steps:,} steps"
    accepted = f"{use.accepted:,} of {use.drafted:,} drafted tokens accepted ({use.accept_rate:.1%})"
    return f"{accepted}, {use.tokens_per_step or 0.0:.2f} tokens per step"


def _warn_capacity(done: GenerationDone) -> None:
    if done.finish_reason != "capacity":
        return
    from workflows.kvcache import LAYOUTS  # numpy: not for `--help`

    if LAYOUTS[done.cache.layout].evicts:  # a window is never full: the model has no further position
        sys.stderr.write("joinery: All positions that the model knows are taken: start anew.\n")
    else:
        capacity = done.cache.capacity
        sys.stderr.write(f"joinery: The cache of {capacity:,} tokens is full; the window cache would go on.\n")
