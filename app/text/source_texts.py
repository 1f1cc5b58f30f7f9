"""What the window says: the literals that its code gives to `tr`, found in the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from app.text.catalog import SourceText

APP = Path(__file__).parents[1]
DIRECT = ("tr", "_tr", "marked")  # the text comes first
WITH_CONTEXT = ("translate",)  # QCoreApplication's: the context does, which nobody looks at


def called_name(call: ast.Call) -> str:
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


def source_text_of(call: ast.Call) -> SourceText | None:
    """What a call of `tr` or its like says; None for another call, and for one without a literal."""
    name = called_name(call)
    arguments = call.args[1:] if name in WITH_CONTEXT else call.args if name in DIRECT else []
    words = [a.value for a in arguments[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    first_is_literal = arguments and isinstance(arguments[0], ast.Constant)
    if not words or not first_is_literal:
        return None
    return SourceText(words[0], words[1] if len(words) > 1 else "", len(arguments) > 2)


def source_texts(folder: Path = APP) -> set[SourceText]:
    """Everything that the code below `folder` says."""
    found = (source_text_of(call) for file in folder.rglob("*.py") for call in calls(file))
    return {message for message in found if message is not None and message.source}
