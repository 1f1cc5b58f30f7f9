"""Chat templates: programs from a checkpoint, run in a sandbox with limits on time, memory and output.

    messages (+ tools, + the beginning of the reply) ──ChatTemplate.render──▶ the prompt's text

The names that a template may use are those that transformers gives: messages, tools, add_generation_prompt, the special
tokens, tojson, raise_exception, strftime_now.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import Any, TypedDict, cast

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
import psutil
from jinja2.exceptions import SecurityError

from workflows.bundle import Bundle
from workflows.errors import BundleError, PromptError, printable
from workflows.generate.text import FOLDER, tokenizer_settings
from workflows.generate.tools import Tool

SECONDS, CHARACTERS, BYTES = 2.0, 4_000_000, 256 << 20
DEFAULT, TOOL_USE = "default", "tool_use"  # the templates of several that transformers chooses by itself
SPECIAL = tuple(f"{kind}_token" for kind in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))
# Marks where a begun reply ends in the rendered text; its space tells whether the template trims what it is given.
_HERE = "JOINERY_GOES_ON_HERE "


_FAILURES = (
    jinja2.TemplateError,
    AttributeError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)


class Message(TypedDict):
    """One turn: role is system, user or assistant."""

    role: str
    content: str


class SystemRefusedError(PromptError):
    """The template refused, by its own words, a conversation that begins with a system message."""


class _Refused(jinja2.TemplateError):
    """What a template says by raise_exception."""


class ChatTemplate:
    """A template, or several by name, compiled; `render` gives the prompt's text."""

    def __init__(self, sources: str | Mapping[str, str], tokens: Mapping[str, str]) -> None:
        """Raises BundleError for a template that does not compile."""
        named = {DEFAULT: sources} if isinstance(sources, str) else sources
        environment = _Sandbox(
            trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, _Generation]
        )
        environment.filters["tojson"] = _to_json
        environment.globals |= {"raise_exception": _raise, "strftime_now": lambda f: datetime.now().strftime(f)}
        try:
            with _time_limit(SECONDS), _memory_limit(BYTES):  # the compiler computes constant expressions
                self._templates = {name: environment.from_string(source) for name, source in named.items()}
        except _FAILURES as error:
            raise BundleError(f"The chat template cannot be compiled: {_why(error)}.") from None
        self._tokens = dict(tokens)

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> ChatTemplate | None:
        """The bundle's template, or None where it has none. Raises BundleError for one that does not compile."""
        settings = tokenizer_settings(bundle)
        sources = _sources(bundle, settings)
        tokens = {name: _content(settings[name]) for name in SPECIAL if settings.get(name) is not None}
        return cls(sources, tokens) if sources else None

    def render(self, messages: Sequence[Message], tools: Sequence[Tool] | None = None, prefill: str = "") -> str:
        """The text of the conversation, ready for the assistant's answer, which begins with `prefill`.

        Raises PromptError where the template refuses the conversation, fails, takes too long or writes too much, and
        where it does not let a reply begin with `prefill`.
        """
        if not prefill:
            return self._render(messages, tools, True)
        begun: Message = {"role": "assistant", "content": prefill + _HERE}
        before, mark, after = self._render([*messages, begun], tools, False).rpartition(_HERE.strip())
        if not mark or prefill.strip() not in before:
            raise PromptError("The chat template drops the text that a reply is to begin with: leave the prefill out.")
        return before if after.startswith(" ") else before.rstrip()  # a template that trims takes the end's spaces too

    def render_reply(
        self, messages: Sequence[Message], reply: Mapping[str, object], tools: Sequence[Tool] | None = None
    ) -> str:
        """What the template writes for an assistant's turn, after what it has a reply begin with.

        Raises PromptError as render, and where its turns begin otherwise than its replies.
        """
        prompt = self._render(messages, tools, True)
        whole = self._render([*messages, cast(Message, {"role": "assistant", **reply})], tools, False)
        if not whole.startswith(prompt):
            raise PromptError("The chat template begins a reply that it is given otherwise than one that is to come.")
        return whole[len(prompt) :]

    def render_folding(
        self, messages: Sequence[Message], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> tuple[str, Sequence[Message]]:
        """The text, and the messages it was made of: where the template takes no system message, those of `fold`.

        Raises PromptError like render; the first refusal where folding does not help.
        """
        try:
            return self.render(messages, tools, prefill), messages
        except SystemRefusedError as refusal:
            folded = fold(messages)
            try:
                return self.render(folded, tools, prefill), folded
            except PromptError:
                raise refusal from None

    def _render(self, messages: Sequence[Message], tools: Sequence[Tool] | None, add_generation_prompt: bool) -> str:
        parts: list[str] = []
        size = 0
        template = self._chosen(tools)
        turns = [{key: value for key, value in turn.items() if value is not None} for turn in messages]
        given = {"messages": turns, "tools": tools, "add_generation_prompt": add_generation_prompt}
        try:
            with _time_limit(SECONDS), _memory_limit(BYTES):
                for part in template.generate(**(self._tokens | given)):
                    parts.append(part)
                    size += len(part)
                    if size > CHARACTERS:
                        raise PromptError(f"The chat template wrote more than {CHARACTERS:,} characters and was ended.")
        except _FAILURES as error:
            begun = isinstance(error, _Refused) and messages and messages[0]["role"] == "system"
            kind = SystemRefusedError if begun else PromptError
            raise kind(f"The chat template cannot take this conversation: {_why(error)}.") from None
        return "".join(parts)

    def _chosen(self, tools: Sequence[Tool] | None) -> jinja2.Template:
        """That for tools where there is one and tools are given, else the default one, as transformers chooses."""
        if tools is not None and TOOL_USE in self._templates:
            return self._templates[TOOL_USE]
        if DEFAULT not in self._templates:
            raise PromptError(
                f"The bundle has the chat templates {printable(', '.join(self._templates))} and none of them is the "
                "default: give a plain prompt instead of a conversation."
            )
        return self._templates[DEFAULT]


def fold(messages: Sequence[Message]) -> list[Message]:
    """A conversation whose system message stands at the beginning of the first user turn instead."""
    system, *turns = messages
    for place, turn in enumerate(turns):
        if turn["role"] == "user":
            turns[place] = {"role": "user", "content": f"{system['content']}\n\n{turn['content']}"}
            return turns
    return list(messages)


def ignored_templates(bundle: Bundle) -> list[tuple[str, str]]:
    """Name and type of what stands where a template's text should, as (`default`, `int`)."""
    named = _named(bundle, tokenizer_settings(bundle))
    return [
        (printable(name), type(source).__name__)
        for name, source in named.items()
        if not isinstance(source, str | None)
    ]


def _sources(bundle: Bundle, settings: Mapping[str, Any]) -> dict[str, str]:
    """Name → template, of those that are texts."""
    return {name: source for name, source in _named(bundle, settings).items() if isinstance(source, str)}


def _named(bundle: Bundle, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Name → template: the files where there are some, else what tokenizer_config.json holds, one or several."""
    named: Any = {DEFAULT: bundle.text(f"{FOLDER}/chat_template.jinja")}
    if not named[DEFAULT]:
        named = settings.get("chat_template")
    if isinstance(named, list):
        named = {one["name"]: one.get("template") for one in named if isinstance(one, dict) and "name" in one}
    if not isinstance(named, dict):
        named = {DEFAULT: named}
    return {str(name): source for name, source in named.items()}


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raises PromptError from inside the template once `seconds` have passed.

    A trace function is called at each line of Python, the template's own and that of the filters it calls, on every
    system and in any thread; a signal or a second process could not be had so simply.
    """
    deadline = time.monotonic() + seconds
    before = sys.gettrace()

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if time.monotonic() > deadline:
            raise PromptError(f"The chat template took longer than {seconds:g} s and was ended.")
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def _memory_limit(more: int) -> Iterator[None]:
    """Has the system refuse this process more than `more` further bytes; on Linux alone, others have no such limit."""
    if sys.platform != "linux":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    limits = [psutil.Process().memory_info().vms + more, *(value for value in before if value >= 0)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _why(error: BaseException) -> str:
    return printable(str(error).rstrip(".") or type(error).__name__)


class _Sandbox(jinja2.sandbox.ImmutableSandboxedEnvironment):
    """jinja2's sandbox, that besides refuses what it would leave undefined, and single steps of endless work."""

    intercepted_binops = frozenset({"*", "**"})

    def unsafe_undefined(self, obj: Any, attribute: str) -> jinja2.Undefined:
        """Refuses `x.__class__` at once, and not only when something is done with it."""
        raise SecurityError(f"it reaches for {attribute!r}")

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuses the powers and repetitions that would take hours or fill the memory."""
        if operator == "**" and not (abs(left) < 1 << 32 and abs(right) < 64):
            raise SecurityError("it raises to a power that is too large")
        if operator == "*" and _repeated(left, right) > CHARACTERS:
            raise SecurityError("it repeats something too often")
        return super().call_binop(context, operator, left, right)


class _Generation(jinja2.ext.Extension):
    """`{% generation %}…{% endgeneration %}` marks the assistant's text for training; its body is all that counts."""

    tags = {"generation"}  # noqa: RUF012 - as jinja2 declares it

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        """The body as it stands."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _repeated(left: Any, right: Any) -> int:
    """Characters or items of a repetition; 0 for a product of numbers."""
    for one, times in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(times, int):
            return len(one) * times
    return 0


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _raise(message: str) -> None:
    raise _Refused(message)


def _content(token: Any) -> str:
    """A special token as tokenizer_config.json writes it: a text, or an object with its content."""
    return str(token.get("content", "")) if isinstance(token, dict) else str(token or "")
