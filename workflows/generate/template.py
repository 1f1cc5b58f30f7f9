"""Chat templates: programs from a checkpoint, run in a sandbox with limits on time, memory and output.

The names that a template may use are those that transformers gives: messages, add_generation_prompt, the special
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
from typing import Any, TypedDict

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

SECONDS, CHARACTERS, BYTES = 2.0, 4_000_000, 256 << 20


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


class ChatTemplate:
    """A compiled template; `render` gives the prompt's text."""

    def __init__(self, source: str, tokens: Mapping[str, str]) -> None:
        """Raises BundleError for a template that does not compile."""
        environment = _Sandbox(
            trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, _Generation]
        )
        environment.filters["tojson"] = _to_json
        environment.globals |= {"raise_exception": _raise, "strftime_now": lambda f: datetime.now().strftime(f)}
        try:
            with _time_limit(SECONDS), _memory_limit(BYTES):  # the compiler computes constant expressions
                self._template = environment.from_string(source)
        except _FAILURES as error:
            raise BundleError(f"The chat template cannot be compiled: {_why(error)}.") from None
        self._tokens = dict(tokens)

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> ChatTemplate | None:
        """The bundle's template, or None where it has none. Raises BundleError for one that does not compile."""
        settings = tokenizer_settings(bundle)
        source = bundle.text(f"{FOLDER}/chat_template.jinja") or settings.get("chat_template")
        if isinstance(source, list):  # several named templates: the default one is for chatting
            named = [one for one in source if isinstance(one, dict)]
            source = next((one.get("template") for one in named if one.get("name") == "default"), None)
        if not isinstance(source, str):
            return None
        names = ("bos_token", "eos_token", "pad_token", "unk_token")
        tokens = {name: _content(settings[name]) for name in names if settings.get(name) is not None}
        return cls(source, tokens)

    def render(self, messages: Sequence[Message]) -> str:
        """The text of the conversation, ready for the assistant's answer.

        Raises PromptError where the template refuses the conversation, fails, or takes too long or writes too much.
        """
        parts: list[str] = []
        size = 0
        try:
            with _time_limit(SECONDS), _memory_limit(BYTES):
                for part in self._template.generate(
                    messages=list(messages), add_generation_prompt=True, tools=None, **self._tokens
                ):
                    parts.append(part)
                    size += len(part)
                    if size > CHARACTERS:
                        raise PromptError(f"The chat template wrote more than {CHARACTERS:,} characters and was ended.")
        except _FAILURES as error:
            raise PromptError(f"The chat template cannot take this conversation: {_why(error)}.") from None
        return "".join(parts)


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
    raise jinja2.TemplateError(message)


def _content(token: Any) -> str:
    """A special token as tokenizer_config.json writes it: a text, or an object with its content."""
    return str(token.get("content", "")) if isinstance(token, dict) else str(token or "")
