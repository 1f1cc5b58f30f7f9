"""What a worker says of a hostile checkpoint, graph or driver: each of its free texts begins with a given one.

Event ──poisoned──▶ the same event; Literals, numbers and what the window needs to go on (KEPT) stay as they are
"""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from workflows.wire.reports.graphs import Change

T = TypeVar("T")
KEPT = {
    "GenerationDone": {"text"},  # the tokens' texts, joined: the scenario's reply is hostile itself
    "TokenEvent": {"text"},
    "ReadyEvent": {"bundle", "layout"},
    "BuildDone": {"bundle"},
    "InspectReport": {"path"},
    "GraphReport": {"path"},
    "ProbeReport": {"source", "path", "kind", "remote_code"},  # no file of a folder has a NUL in its name
    "PlanReport": {"recipe"},
    "RecipeSummary": {"target", "variant", "graphs", "cache", "place", "precision", "passes", "calibration_method"},
    "DiffReport": {"counts"},  # by kinds of change
    "GraphStage": {"kind"},
    "GraphValue": {"kind"},
    "PlanOption": {"name"},
    "TargetOption": {"name"},
    "PassOption": {"name"},
    "PrecisionOption": {"name"},
    "RunRecord": {"id", "time", "figures"},  # by names of our own
    "Device": {"name"},
    "PreflightReport": {"provider"},
    "ErrorEvent": {"kind"},
    "ProgressEvent": {"stage"},
}
"""By class the texts that are not changed: where something is, and names of the engine's own tables."""

CHANGES = get_args(Change)


def hostile(picture: str) -> str:
    """A text that Qt takes for HTML, and Markdown's reader for that; then a NUL, an escape and text turned round."""
    markdown = f"![c]({picture}) [l](https://example.com) # H"
    return f'<h1>X</h1><img src="{picture}"><a href="https://example.com">y</a> {markdown} \x00\x1b[31m\u202e '


def poisoned(value: T, text: str) -> T:
    """A dataclass with `text` before each free text that is not empty."""
    changed = {
        name: _poisoned(getattr(value, name), hint, text)
        for name, hint in _hints(type(value))
        if name not in KEPT.get(type(value).__name__, ())
    }
    return replace(value, **changed)  # type: ignore[type-var]


def _hints(kind: type) -> list[tuple[str, object]]:
    hints = get_type_hints(kind)
    return [(one.name, hints[one.name]) for one in fields(kind) if one.init]


def _poisoned(value: Any, hint: object, text: str) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return poisoned(value, text)
    kind, inner = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):
        fitting = (one for one in inner if one is type(value) or get_origin(one) is type(value))
        return _poisoned(value, next(fitting, None), text)
    if isinstance(value, str) and hint in (str, object):
        return text + value if value and not value.startswith(text) else value
    if isinstance(value, list) and inner:
        return [_poisoned(one, inner[0], text) for one in value]
    if isinstance(value, tuple) and inner:
        each = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_poisoned(one, own, text) for one, own in zip(value, each, strict=False))
    if isinstance(value, dict) and inner:
        names = {key: key if key in CHANGES else _poisoned(key, inner[0], text) for key in value}
        return {names[key]: _poisoned(one, inner[1], text) for key, one in value.items()}
    return value
