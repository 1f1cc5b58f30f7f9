"""Chat templates: programs from a checkpoint, run in a sandbox with limits on time and output.

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
import jinja2.sandbox

from workflows.bundle import Bundle
from workflows.errors import BundleError, PromptError, printable
from workflows.generate.text import FOLDER, tokenizer_settings

SECONDS, CHARACTERS = 2.0, 4_000_000


class Message(TypedDict):
    """One turn: role is system, user or assistant."""

    role: str
    content: str


class ChatTemplate:
    """A compiled template; `render` gives the prompt's text."""

    def __init__(self, source: str, tokens: Mapping[str, str]) -> None:
        """Raises BundleError for a template that does not compile."""
        environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
        )
        environment.filters["tojson"] = _to_json
        environment.globals |= {"raise_exception": _raise, "strftime_now": lambda f: datetime.now().strftime(f)}
        try:
            self._template = environment.from_string(source)
        except jinja2.TemplateError as error:
            raise BundleError(f"The chat template cannot be compiled: {printable(error)}.") from None
        self._tokens = dict(tokens)

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> ChatTemplate | None:
        """The bundle's template, or None where it has none. Raises BundleError for one that does not compile."""
        settings = tokenizer_settings(bundle)
        source = bundle.text(f"{FOLDER}/chat_template.jinja") or settings.get("chat_template")
        if isinstance(source, list):  # several named templates: the default one is for chatting
            source = next((t.get("template") for t in source if t.get("name") == "default"), None)
        if not isinstance(source, str):
            return None
        tokens = {name: _content(settings.get(name)) for name in ("bos_token", "eos_token", "pad_token", "unk_token")}
        return cls(source, tokens)

    def render(self, messages: Sequence[Message]) -> str:
        """The text of the conversation, ready for the assistant's answer.

        Raises PromptError where the template refuses the conversation, fails, or takes too long or writes too much.
        """
        parts: list[str] = []
        size = 0
        try:
            with _time_limit(SECONDS):
                for part in self._template.generate(
                    messages=list(messages), add_generation_prompt=True, tools=None, **self._tokens
                ):
                    parts.append(part)
                    size += len(part)
                    if size > CHARACTERS:
                        raise PromptError(f"The chat template wrote more than {CHARACTERS:,} characters and was ended.")
        except (jinja2.TemplateError, TypeError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
            raise PromptError(f"The chat template cannot take this conversation: {printable(error)}.") from None
        return "".join(parts)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raises PromptError from inside the template once `seconds` have passed.

    A trace function is called at each line of the template's own Python, on every system and in any thread;
    a signal or a second process could not be had so simply.
    """
    deadline = time.monotonic() + seconds
    before = sys.gettrace()

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != "<template>":
            return None
        if time.monotonic() > deadline:
            raise PromptError(f"The chat template took longer than {seconds:g} s and was ended.")
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _raise(message: str) -> None:
    raise jinja2.TemplateError(message)


def _content(token: Any) -> str:
    """A special token as tokenizer_config.json writes it: a text, or an object with its content."""
    return str(token.get("content", "")) if isinstance(token, dict) else str(token or "")
