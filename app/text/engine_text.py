"""The engine's messages in the window's language.

The engine writes English sentences, for the command line and for logs, and its events carry them whole. The window
finds the sentence of the code that a message was made of, and puts the message's values into the translation of it:

    "The capacity 9,000 is beyond …" ──pattern──▶ "The capacity {0} is beyond …" + ("9,000",) ──▶ German, with "9,000"

So no key is written by hand, none can be missing in the engine, and a sentence without a translation stays English.
A value may be such a sentence itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

from app.text.catalog import Translation
from workflows.wire.events import ErrorEvent, Event, LogEvent, NoticeEvent, ProgressEvent, ResultEvent, StageEvent
from workflows.wire.reports import graphs

_PLACE = re.compile(r"\{(\d+)\}")
_LONGEST = 2_000  # characters of a message; longer ones are outputs of programs
_MOST = 500  # entries of a list; longer ones are data, such as runs and texts
_FIELDS = frozenset({
    "advice", "doubts", "faults", "judged", "lacking", "left_out", "message", "needs", "note", "notes", "problem",
    "problems", "ranked", "reason", "reasons", "remedy",
    "refused", "remark", "remarks", "runs", "summary", "title", "trap", "warnings", "why",
})  # fmt: skip
"""The fields of reports that hold sentences of the engine; other texts are names, and texts of models and files."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    head: str  # what a message begins with
    expression: re.Pattern[str]
    places: tuple[int, ...]
    translation: str

    def translated(self, values: Iterable[str]) -> str:
        """The translation with a message's values in its places, sentences among them translated as well."""
        by_place = dict(zip(self.places, map(translate_engine_text, values), strict=True))
        return _PLACE.sub(lambda place: by_place.get(int(place[1]), place[0]), self.translation)


_exact: dict[str, str] = {}
_patterns: list[_Pattern] = []


def install_engine_texts(entries: Iterable[Translation]) -> None:
    """Replaces the translations; none for English."""
    _exact.clear()
    _patterns.clear()
    translate_engine_text.cache_clear()
    for entry in entries:
        source, (form, *_) = entry.message.source, entry.forms or ("",)
        if not entry.finished or not form:
            continue
        if _PLACE.search(source):
            _patterns.append(_pattern(source, form))
        else:
            _exact[source] = form
    _patterns.sort(key=lambda one: -len(_PLACE.sub("", one.expression.pattern)))  # the most definite one first


def _pattern(source: str, form: str) -> _Pattern:
    pieces = _PLACE.split(source)  # text, number, text, …
    literals, places = pieces[::2], tuple(map(int, pieces[1::2]))
    expression = "(.*?)".join(map(re.escape, literals))
    return _Pattern(literals[0], re.compile(expression, re.DOTALL), places, form)


@lru_cache(maxsize=4096)
def translate_engine_text(text: str) -> str:
    """The message in the window's language; as it is where no translation is known."""
    if text in _exact:
        return _exact[text]
    if len(text) > _LONGEST:
        return text
    for one in _patterns:
        match = one.expression.fullmatch(text) if text.startswith(one.head) else None
        if match is not None:
            return one.translated(match.groups())
    return _several(text)


def _several(text: str) -> str:
    """Sentences or lines that stand one after another, each translated by itself."""
    for between in ("\n", " "):
        parts = text.split("\n") if between == "\n" else re.split(r"(?<=[.!?]) (?=[A-Z0-9])", text)
        if len(parts) > 1:
            return between.join(map(translate_engine_text, parts))
    first, *rest = text.split("; ")
    if rest and all(f"; {part}" != text for part in rest):
        return translate_engine_text(first) + "".join(translate_engine_text(f"; {part}") for part in rest)
    return text


def translate_event(event: Event) -> Event:
    """The event with its sentences in the window's language."""
    if not _exact and not _patterns:
        return event
    if isinstance(event, ErrorEvent | NoticeEvent | LogEvent | ProgressEvent):
        return replace(event, message=translate_engine_text(event.message))
    if isinstance(event, StageEvent):
        return replace(event, note=translate_engine_text(event.note))
    if isinstance(event, ResultEvent) and type(event.value).__module__ != graphs.__name__:
        _translate_fields(event.value)
    return event


def _translate_fields(value: Any) -> None:
    """Translates the sentences of a report in place."""
    for field in fields(value):
        one = getattr(value, field.name)
        if field.name in _FIELDS:
            object.__setattr__(value, field.name, _translated(one))
        else:
            _descend(one)


def _descend(value: Any) -> None:
    if is_dataclass(value) and not isinstance(value, type):
        _translate_fields(value)
    elif isinstance(value, list | tuple) and len(value) <= _MOST:
        for one in value:
            _descend(one)


def _translated(value: Any) -> Any:
    if isinstance(value, str):
        return translate_engine_text(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [translate_engine_text(one) for one in value]
    if isinstance(value, dict):
        return {key: translate_engine_text(one) if isinstance(one, str) else one for key, one in value.items()}
    _descend(value)
    return value
