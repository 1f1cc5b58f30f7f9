"""Tool descriptions for chat templates: a JSON list, as transformers' apply_chat_template takes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from workflows.common.errors import RequestError, printable

Tool = Mapping[str, object]


def parse_tools(text: str, where: str) -> list[Tool]:
    """The tools in a JSON text. where: its name in messages. Raises RequestError for a malformed list."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{where} cannot be read as JSON: {printable(error, 80)}.") from None
    return check_tools(found, where)


def check_tools(found: object, where: str) -> list[Tool]:
    """Returns the list `found`. Raises RequestError that names the first entry that is not an object."""
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise RequestError(f"{where} must be a JSON list of objects, each of which describes one tool.")
    for number, tool in enumerate(found, 1):
        if not isinstance(tool, Mapping) or not tool:
            raise RequestError(f"{where} has an entry {number} that is not a JSON object: describe one tool in each.")
    return list(found)
