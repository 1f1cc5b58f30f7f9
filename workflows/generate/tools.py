"""Tool descriptions for chat templates: a JSON list, as transformers' apply_chat_template takes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from workflows.common.errors import RequestError, printable

Tool = Mapping[str, object]


def parse_tools(text: str, location: str) -> list[Tool]:
    """The tools in a JSON text. location: its name in messages. Raises RequestError for a malformed list."""
    try:
        tools = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{location} cannot be read as JSON: {printable(error, 80)}.") from None
    return check_tools(tools, location)


def check_tools(tools: object, location: str) -> list[Tool]:
    """Returns the list `tools`. Raises RequestError that names the first entry that is not an object."""
    if not isinstance(tools, Sequence) or isinstance(tools, str):
        raise RequestError(f"{location} must be a JSON list of objects, each of which describes one tool.")
    for number, tool in enumerate(tools, 1):
        if not isinstance(tool, Mapping) or not tool:
            raise RequestError(
                f"{location} has an entry {number} that is not a JSON object: describe one tool in each."
            )
    return list(tools)
