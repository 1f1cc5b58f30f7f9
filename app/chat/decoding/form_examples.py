"""Example forms, a few of each kind."""

from __future__ import annotations

import json
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.chat.decoding.decoding_options import Form


@dataclass(frozen=True, slots=True)
class FormExample:
    """A form, and its name."""

    title: str
    text: str


def _object(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_PERSON = _object(name={"type": "string", "maxLength": 40}, age={"type": "integer", "minimum": 0, "maximum": 130})
_LIST = _object(items={"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 30}})
_CHOICE = _object(answer={"enum": ["yes", "no", "unknown"]})


def form_examples(kind: Form) -> list[FormExample]:
    """The examples of a kind, the simplest first."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("FormExamples", text)

    if kind == "json_schema":
        titled = ((tr("A person"), _PERSON), (tr("A list of items"), _LIST), (tr("One of several values"), _CHOICE))
        return [FormExample(title, json.dumps(schema, indent=2)) for title, schema in titled]
    if kind == "regex":
        return [
            FormExample(tr("Yes or no"), "yes|no"),
            FormExample(tr("A whole number"), "-?[0-9]{1,9}"),
            FormExample(tr("A date"), "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
        ]
    return [
        FormExample(tr("One of several words"), 'start: "red" | "green" | "blue"\n'),
        FormExample(tr("Sums"), 'start: number (("+" | "-") number)*\nnumber: /[0-9]{1,3}/\n'),
    ]
