"""Tools that a chat model is told of: a JSON list of descriptions, as transformers' apply_chat_template takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from workflows.common.errors import RequestError, printable

Tool = Mapping[str, object]


def parse_tools(text: str, where: str) -> list[Tool]:
    """The tools in a JSON text. where: what it is called in the sentence. Raises RequestError for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{where} cannot be read as JSON: {printable(error, 80)}.") from None
    return check_tools(found, where)


def check_tools(found: object, where: str) -> list[Tool]:
    """`found` where it is a list of objects. Raises RequestError that names the first entry that is none."""
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise RequestError(f"{where} must be a JSON list of objects, each of which describes one tool.")
    for number, tool in enumerate(found, 1):
        if not isinstance(tool, Mapping) or not tool:
            raise RequestError(f"{where} has an entry {number} that is no JSON object: describe one tool in each.")
    return list(found)
