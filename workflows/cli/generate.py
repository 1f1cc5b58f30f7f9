"""`joinery generate`: one generation, streamed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from workflows.cli.interrupts import exit_on_interrupt, stop_on_interrupt
from workflows.cli.output import JsonFlag, parse_pairs, write_json
from workflows.cli.prompt import (
    AcceptanceOption,
    AlphaOption,
    AmateurOption,
    BeamsOption,
    CapacityOption,
    DraftOption,
    DraftTokensOption,
    DraftTreeOption,
    EarlyStoppingOption,
    GrammarOption,
    GuidanceOption,
    LengthPenaltyOption,
    LogitsOption,
    NegativeOption,
    NGramOption,
    NoDraftsOption,
    PlaceOption,
    PrefillOption,
    RegexOption,
    SchemaOption,
    SessionOption,
    ToolCallsOption,
    ToolsOption,
    check_drafts,
    check_guidance,
    read_chain,
    read_places,
    read_text,
)
from workflows.common.errors import Cancelled, PromptError, RequestError
from workflows.wire.events import Event, GenerationDone, NoticeEvent, SpeculationEvent, SpeculationUse, TokenEvent

if TYPE_CHECKING:
    from workflows.generate import Engine, TemplateMessage
    from workflows.generate.tools import Tool

# The contract's fields; the worker's events carry more for the window.
TOKEN_FIELDS = ("event", "id", "text", "step", "phase", "latency_ms", "cache_used", "cache_capacity")
CACHE_FIELDS = ("layout", "capacity", "used", "bytes")
DRAFT_FIELDS = ("drafted", "accepted", "steps")


def generate(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    prompt: str | None = typer.Option(None, "--prompt", help="The prompt as text."),
    prompt_ids: str | None = typer.Option(None, "--prompt-ids", help="The prompt as token ids: 1,2,3."),
    prompt_file: Path | None = typer.Option(None, "--prompt-file", help="A UTF-8 file that holds the prompt."),
    chat: bool = typer.Option(False, "--chat", help="Put the prompt through the chat template."),
    tools: Path | None = ToolsOption,
    tool_calls: Literal["auto", "required"] | None = ToolCallsOption,
    prefill: str = PrefillOption,
    max_new_tokens: int = typer.Option(256, "--max-new-tokens", help="Tokens to generate at most."),
    cache: str | None = typer.Option(None, "--cache", help="static or window, other than the bundle's own."),
    provider: str = typer.Option("cpu", "--provider", help="An execution provider; see `joinery devices`."),
    device_option: list[str] = typer.Option([], "--device-option", metavar="K=V", help="An option of the provider."),
    capacity: int | None = CapacityOption,
    session_option: list[str] = SessionOption,
    place: list[str] = PlaceOption,
    draft: Path | None = DraftOption,
    ngram: bool = NGramOption,
    no_drafts: bool = NoDraftsOption,
    draft_tokens: int | None = DraftTokensOption,
    draft_tree: int | None = DraftTreeOption,
    acceptance: str | None = AcceptanceOption,
    guidance: float | None = GuidanceOption,
    negative_prompt: str | None = NegativeOption,
    amateur: Path | None = AmateurOption,
    alpha: float | None = AlphaOption,
    beams: int | None = BeamsOption,
    length_penalty: float | None = LengthPenaltyOption,
    early_stopping: str | None = EarlyStoppingOption,
    json_schema: Path | None = SchemaOption,
    regex: str | None = RegexOption,
    grammar: Path | None = GrammarOption,
    logits: Path | None = LogitsOption,
    temperature: float | None = typer.Option(None, "--temperature", help="Sample with this temperature; 0 is greedy."),
    top_k: int | None = typer.Option(None, "--top-k", help="Sample from the K most probable tokens."),
    top_p: float | None = typer.Option(None, "--top-p", help="Sample from the fewest tokens with this mass."),
    min_p: float | None = typer.Option(None, "--min-p", help="Drop tokens below this share of the best one."),
    repetition_penalty: float | None = typer.Option(None, "--repetition-penalty", help="Above 1: repeat less."),
    seed: int | None = typer.Option(None, "--seed", help="Draw the same tokens each time."),
    stop: list[str] = typer.Option([], "--stop", help="End where this text appears."),
    target_language: str | None = typer.Option(None, "--target-language", help="Translate into it: de_DE, fra_Latn …"),
    source_language: str | None = typer.Option(None, "--source-language", help="The language of what is translated."),
    as_json: bool = JsonFlag,
) -> None:
    """Generate from one prompt; greedy unless sampling is asked for."""
    from workflows.generate import open_chat_engine, open_engine, parse_tools
    from workflows.generate.options import check_options
    from workflows.measure.recording import record_generation, to_stderr

    sampling = {"top_k": top_k, "top_p": top_p, "min_p": min_p, "seed": seed}
    chain = read_chain(logits)
    if chain is None and temperature is None and any(value is not None for value in sampling.values()):
        temperature = 1.0  # who names a sampling option asks for sampling
    options = check_options(
        {
            **sampling,
            "temperature": temperature,
            "repetition_penalty": repetition_penalty,
            "max_new_tokens": max_new_tokens,
            "stop": stop,
            "target_language": target_language,
            "source_language": source_language,
            "drafts": not no_drafts,
            "ngram": ngram,
            "draft_tokens": draft_tokens,
            "draft_tree": draft_tree,
            "acceptance": acceptance,
            "guidance": guidance,
            "alpha": alpha,
            "num_beams": beams,
            "length_penalty": length_penalty,
            "early_stopping": early_stopping,
            "json_schema": None if json_schema is None else read_text(json_schema, "JSON schema"),
            "regex": regex,
            "grammar": None if grammar is None else read_text(grammar, "grammar"),
            "chain": chain,
        }
    )
    check_drafts(draft, ngram, no_drafts)
    check_guidance(amateur, alpha, guidance, negative_prompt)
    given = read_prompt(prompt, prompt_ids, prompt_file)
    told = None if tools is None else parse_tools(read_text(tools, "tools"), f"The tools file {tools}")
    with exit_on_interrupt():
        engine = (open_chat_engine if chat else open_engine)(
            bundle,
            provider=provider,
            cache=cache,
            capacity=capacity,
            device_options=parse_pairs("--device-option", device_option),
            session_options=parse_pairs("--session-option", session_option),
            place=read_places(place),
            draft=draft or (False if ngram or no_drafts else None),
        )
        if amateur is not None:
            engine.auxiliary.use_amateur(amateur, engine.bundle)
    if (told is not None or (prefill and not engine.machine.has_source)) and not chat:
        raise RequestError("--tools and --prefill belong to a conversation: give --chat with them.")
    if chat and isinstance(given, list):
        raise RequestError("--chat puts text through the template: give --prompt or --prompt-file with it.")
    asked = _Asked(engine, chat, told, prefill)
    ids = given if isinstance(given, list) else asked.encoded(given)
    more = asked.more(tool_calls, negative_prompt)
    options = check_options(options.model_dump(exclude_unset=True) | more)
    with stop_on_interrupt(engine.stop) as cancelled:
        events = engine.generate(ids, options, cancelled, prefix=engine.prompts.reply_prefix(prefill))
        done = print_generation(record_generation(engine.bundle, events, to_stderr), as_json, prefill)
    if done.finish_reason == "cancelled":
        raise Cancelled("Cancelled.")


@dataclass(frozen=True)
class _Asked:
    """How text becomes tokens: as it is, or as what a user says in a chat with these tools and this begun reply."""

    engine: Engine
    chat: bool
    tools: list[Tool] | None
    prefill: str

    def encoded(self, text: str) -> list[int]:
        message: TemplateMessage = {"role": "user", "content": text}
        engine = self.engine
        return engine.encode_chat([message], self.tools, self.prefill) if self.chat else engine.encode(text)

    def more(self, tool_calls: Literal["auto", "required"] | None, negative_prompt: str | None) -> dict[str, object]:
        """The options that need the engine's tokenizer."""
        from workflows.generate.tool_calls import call_grammar

        engine, found = self.engine, dict[str, object]()
        if tool_calls is not None:
            ends = engine.bundle.pipeline.tokens.eos
            found["tool_calls"] = call_grammar(engine.template, engine.text, ends, self.tools or [], tool_calls)
        if negative_prompt is not None:
            found["negative_prompt"] = self.encoded(negative_prompt)
        return found


def print_generation(events: Iterator[Event], as_json: bool, prefill: str = "") -> GenerationDone:
    """Prints a generation as it comes: its text after `prefill`, or a JSON object a token and one for the end."""
    done: GenerationDone | None = None
    before = prefill  # comes with the first token: a prompt that is refused has no reply
    for event in events:
        if isinstance(event, NoticeEvent):
            sys.stderr.write(f"joinery: {event.message}\n")
        if isinstance(event, GenerationDone):
            done = event
        elif isinstance(event, TokenEvent) and as_json:
            fields = event.to_dict()
            write_json({name: fields[name] for name in TOKEN_FIELDS})
        elif isinstance(event, SpeculationEvent) and as_json:
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
    """The figures of a generation, or of several, that drafted."""
    if use.accept_rate is None:
        return f"no token was drafted in {use.steps:,} steps"
    kept = f"{use.accepted:,} of {use.drafted:,} drafted tokens accepted ({use.accept_rate:.1%})"
    return f"{kept}, {use.tokens_per_step or 0.0:.2f} tokens per step"


def _warn_capacity(done: GenerationDone) -> None:
    if done.finish_reason != "capacity":
        return
    from workflows.kvcache import LAYOUTS  # numpy: not for `--help`

    if LAYOUTS[done.cache.layout].evicts:  # a window is never full: it was the model that had no further position
        sys.stderr.write("joinery: All positions that the model knows are taken: start anew.\n")
    else:
        capacity = done.cache.capacity
        sys.stderr.write(f"joinery: The cache of {capacity:,} tokens is full; the window cache would go on.\n")


def read_prompt(text: str | None, ids: str | None, file: Path | None) -> str | list[int]:
    """The one way of three in which a prompt was given. Raises RequestError and PromptError."""
    if sum(given is not None for given in (text, ids, file)) != 1:
        raise RequestError("Give one of --prompt, --prompt-ids and --prompt-file.")
    if file is not None:
        return read_text(file, "prompt")
    if ids is not None:
        if not re.fullmatch(r"\s*-?[0-9]+\s*(,\s*-?[0-9]+\s*)*", ids):
            raise PromptError(f"--prompt-ids takes whole numbers with commas, and got {ids[:60]!r}.")
        return [int(part) for part in ids.split(",")]
    assert text is not None
    return text
