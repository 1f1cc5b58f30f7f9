"""What the window says: the literals that its code gives to `tr`, found in the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from app.i18n.catalog import Message

APP = Path(__file__).parents[1]
DIRECT = ("tr", "_tr", "marked")  # the text comes first
WITH_CONTEXT = ("translate",)  # QCoreApplication's: the context does, which nobody looks at


def name_of(call: ast.Call) -> str:
    """`tr` of `self.tr(…)` and of `tr(…)`; empty for what is called without a name."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def calls(file: Path) -> Iterator[ast.Call]:
    """Every call in a file of Python."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"), str(file))):
        if isinstance(node, ast.Call):
            yield node


def message_of(call: ast.Call) -> Message | None:
    """What a call of `tr` or its like says; None for another call, and for one without a literal."""
    name = name_of(call)
    arguments = call.args[1:] if name in WITH_CONTEXT else call.args if name in DIRECT else []
    words = [a.value for a in arguments[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    first_is_literal = arguments and isinstance(arguments[0], ast.Constant)
    if not words or not first_is_literal:
        return None
    return Message(words[0], words[1] if len(words) > 1 else "", len(arguments) > 2)


def messages(folder: Path = APP) -> set[Message]:
    """Everything that the code below `folder` says."""
    found = (message_of(call) for file in folder.rglob("*.py") for call in calls(file))
    return {message for message in found if message is not None and message.source}
