"""The process that renders chat templates: one line of JSON in, one out, until stdin ends.

    {"sources": {name: template}}                                  ──▶ {} │ {"error": "source", "why": …}
    {"sources": …, "name": one of them, "given": its variables}  ──▶ {"text": …} │ {"error": "refused" …, "why": …}

A template can use the names that transformers defines: messages, tools, add_generation_prompt, the special tokens,
tojson, raise_exception, strftime_now. Between requests only the last few compiled templates are kept.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, NotRequired, TypedDict

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.runtime
import jinja2.sandbox
from jinja2.exceptions import SecurityError

from workflows.common.errors import printable
from workflows.process.sandbox import confine, limit_cpu_seconds
from workflows.templates.limits import BYTES, CHARACTERS, REFUSED, SECONDS, SOURCE, TOO_LONG, TOO_MUCH, WRONG

_FAILURES = (
    jinja2.TemplateError, AttributeError, TypeError, ValueError, LookupError, ArithmeticError, RecursionError,
)  # fmt: skip


class RenderRequest(TypedDict):
    """A request to compile templates and, if it has `given`, to render one of them."""

    sources: dict[str, str]
    name: NotRequired[str]
    given: NotRequired[dict[str, object]]


class _TemplateRefusal(jinja2.TemplateError):
    """The message of a template's raise_exception."""


def main() -> None:
    """Answers requests until stdin ends. The first line says what the process could not be confined from.

    The system's time limit is wider than the client's, which reports why: it is for a process whose client was killed
    during a request, since one step of a template can take hours without reading stdin.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the client
    _print_json({"open": confine(BYTES)})
    for line in sys.stdin:
        limit_cpu_seconds(2 * SECONDS)
        _print_json(answer(json.loads(line)))


def answer(request: RenderRequest) -> dict[str, str]:
    """The rendered text, or the failure."""
    try:
        templates = _compiled(json.dumps(request["sources"]))
    except _FAILURES as error:
        return {"error": SOURCE, "why": _error_text(error)}
    except MemoryError:
        return {"error": TOO_MUCH}
    if "given" not in request:
        return {}
    try:
        return _render(templates[request["name"]], request["given"])
    except _FAILURES as error:
        return {"error": REFUSED if isinstance(error, _TemplateRefusal) else WRONG, "why": _error_text(error)}
    except MemoryError:
        return {"error": TOO_MUCH}


def _print_json(message: Mapping[str, str]) -> None:
    print(json.dumps(message), flush=True)


@lru_cache(maxsize=4)
def _compiled(sources: str) -> dict[str, jinja2.Template]:
    environment = _SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, _GenerationExtension]
    )
    environment.filters["tojson"] = _to_json
    environment.globals |= {"raise_exception": _raise_exception, "strftime_now": lambda f: datetime.now().strftime(f)}
    return {name: environment.from_string(source) for name, source in json.loads(sources).items()}


def _render(template: jinja2.Template, variables: Mapping[str, object]) -> dict[str, str]:
    parts: list[str] = []
    size = 0
    for part in template.generate(**variables):
        parts.append(part)
        size += len(part)
        if size > CHARACTERS:
            return {"error": TOO_LONG}
    return {"text": "".join(parts)}


def _error_text(error: BaseException) -> str:
    return printable(str(error).rstrip(".") or type(error).__name__)


class _SandboxedEnvironment(jinja2.sandbox.ImmutableSandboxedEnvironment):
    """jinja2's sandbox, which also refuses unsafe attributes at once and operations without a bound on their work."""

    intercepted_binops = frozenset({"*", "**"})

    def unsafe_undefined(self, obj: object, attribute: str) -> jinja2.Undefined:
        """Refuses `x.__class__` when it is read, not only when it is used."""
        raise SecurityError(f"it reaches for {attribute!r}")

    def call_binop(self, context: jinja2.runtime.Context, operator: str, left: object, right: object) -> object:
        """Refuses powers and repetitions that would take hours or fill the memory."""
        if (
            operator == "**"
            and isinstance(left, int | float)
            and isinstance(right, int | float)
            and (not (abs(left) < 1 << 32 and abs(right) < 64))
        ):
            raise SecurityError("it raises to a power that is too large")
        if operator == "*" and _repeated_length(left, right) > CHARACTERS:
            raise SecurityError("it repeats something too often")
        return super().call_binop(context, operator, left, right)


class _GenerationExtension(jinja2.ext.Extension):
    """`{% generation %}…{% endgeneration %}` marks the assistant's text for training; only its body is rendered."""

    tags = {"generation"}  # noqa: RUF012 - as jinja2 declares it

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        """The body, unchanged."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _repeated_length(left: object, right: object) -> int:
    """Length of a repeated text or list; 0 for a product of numbers."""
    for one, times in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(times, int):
            return len(one) * times
    return 0


def _to_json(value: object, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _raise_exception(message: str) -> None:
    raise _TemplateRefusal(message)


if __name__ == "__main__":
    main()
