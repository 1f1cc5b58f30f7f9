"""The process that renders chat templates: a line of JSON in, a line of JSON out, until stdin ends.

    {"sources": {name: template}}                                  ──▶ {} │ {"error": "source", "why": …}
    {"sources": …, "name": one of them, "given": what it is told}  ──▶ {"text": …} │ {"error": "refused" …, "why": …}

The names that a template may use are those that transformers gives: messages, tools, add_generation_prompt, the special
tokens, tojson, raise_exception, strftime_now. Between two questions the last few compiled templates alone are kept.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
from jinja2.exceptions import SecurityError

from workflows.common.errors import printable
from workflows.process.sandbox import confine, limit_cpu_seconds
from workflows.templates.limits import BYTES, CHARACTERS, REFUSED, SECONDS, SOURCE, TOO_LONG, TOO_MUCH, WRONG

_FAILURES = (
    jinja2.TemplateError,
    AttributeError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    RecursionError,
)


class _TemplateRefusal(jinja2.TemplateError):
    """What a template says by raise_exception."""


def main() -> None:
    """Answers until stdin ends. The first line tells what this process could not be kept from.

    The system's own bound on its seconds is wider than that of who waits, who tells why: it is for a process whose
    owner was killed in the midst of a question, for one step of a template can take hours and hears no end of stdin.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is its owner's
    _print_json({"open": confine(BYTES)})
    for line in sys.stdin:
        limit_cpu_seconds(2 * SECONDS)
        _print_json(answer(json.loads(line)))


def answer(question: Mapping[str, Any]) -> dict[str, str]:
    """The text that was asked for, or why there is none."""
    try:
        templates = _compiled(json.dumps(question["sources"]))
    except _FAILURES as error:
        return {"error": SOURCE, "why": _error_text(error)}
    except MemoryError:
        return {"error": TOO_MUCH}
    if "given" not in question:
        return {}
    try:
        return _render(templates[question["name"]], question["given"])
    except _FAILURES as error:
        return {"error": REFUSED if isinstance(error, _TemplateRefusal) else WRONG, "why": _error_text(error)}
    except MemoryError:
        return {"error": TOO_MUCH}


def _print_json(what: Mapping[str, str]) -> None:
    print(json.dumps(what), flush=True)


@lru_cache(maxsize=4)
def _compiled(sources: str) -> dict[str, jinja2.Template]:
    environment = _SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, _GenerationExtension]
    )
    environment.filters["tojson"] = _to_json
    environment.globals |= {"raise_exception": _raise_exception, "strftime_now": lambda f: datetime.now().strftime(f)}
    return {name: environment.from_string(source) for name, source in json.loads(sources).items()}


def _render(template: jinja2.Template, given: Mapping[str, Any]) -> dict[str, str]:
    parts: list[str] = []
    size = 0
    for part in template.generate(**given):
        parts.append(part)
        size += len(part)
        if size > CHARACTERS:
            return {"error": TOO_LONG}
    return {"text": "".join(parts)}


def _error_text(error: BaseException) -> str:
    return printable(str(error).rstrip(".") or type(error).__name__)


class _SandboxedEnvironment(jinja2.sandbox.ImmutableSandboxedEnvironment):
    """jinja2's sandbox, that besides refuses what it would leave undefined, and single steps of endless work."""

    intercepted_binops = frozenset({"*", "**"})

    def unsafe_undefined(self, obj: Any, attribute: str) -> jinja2.Undefined:
        """Refuses `x.__class__` at once, and not only when something is done with it."""
        raise SecurityError(f"it reaches for {attribute!r}")

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuses the powers and repetitions that would take hours or fill the memory."""
        if operator == "**" and not (abs(left) < 1 << 32 and abs(right) < 64):
            raise SecurityError("it raises to a power that is too large")
        if operator == "*" and _repeated_length(left, right) > CHARACTERS:
            raise SecurityError("it repeats something too often")
        return super().call_binop(context, operator, left, right)


class _GenerationExtension(jinja2.ext.Extension):
    """`{% generation %}…{% endgeneration %}` marks the assistant's text for training; its body is all that counts."""

    tags = {"generation"}  # noqa: RUF012 - as jinja2 declares it

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        """The body as it stands."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _repeated_length(left: Any, right: Any) -> int:
    """Characters or items of a repetition; 0 for a product of numbers."""
    for one, times in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(times, int):
            return len(one) * times
    return 0


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _raise_exception(message: str) -> None:
    raise _TemplateRefusal(message)


if __name__ == "__main__":
    main()
