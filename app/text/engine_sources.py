"""The sentences of the engine, read from its code: an f-string is its own key, with {0}, {1} … for its values.

workflows/**/*.py ──engine_sentences──▶ {"The capacity {0} is beyond the model's {1} positions.", …}
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import workflows

ENGINE = Path(workflows.__file__).parent
_UNSEEN = ("cli", "adapters")  # what the window never shows: the command line's own texts, and Python's interface
_WORDS = re.compile(r"[A-Za-z]{2,}")
_CODE = re.compile(r"[a-z_/]+(?:[.:/_-][a-z0-9_*{}.:/-]+)*|[A-Z_ ]+\b.*SELECT.*")


def engine_sentences() -> set[str]:
    """Every text of the engine that reads as words, docstrings left out."""
    files = (file for file in ENGINE.rglob("*.py") if file.relative_to(ENGINE).parts[0] not in _UNSEEN)
    return {text for file in files for text in _texts(ast.parse(file.read_text("utf-8"))) if is_sentence(text)}


def is_sentence(text: str) -> bool:
    """Whether a person would read it as words: several, or a capitalized title; no path and no code."""
    words = _WORDS.findall(re.sub(r"\{\d+\}", "", text))
    if text.startswith("; ") and words:
        return True  # what a sentence ends with, as a value of it
    if len(words) < 2 or "\n" in text or _CODE.fullmatch(text):
        return False
    return text[:1].isupper() or text[:1] == "{" or len(words) > 3 or (" " in text and text[:1].isalnum())


def _texts(tree: ast.AST) -> Iterator[str]:
    """The string literals below a node, an f-string or a sum of both as one text."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        text = pattern_of(node)
        if text is None:
            yield from _texts(node)
            continue
        yield text
        for value in _values(node):
            yield from _texts(ast.Expression(value))


def pattern_of(node: ast.AST) -> str | None:
    """The text of a literal, with {n} in place of its nth value; None for another node."""
    parts = list(_parts(node))
    if not any(isinstance(part, str) for part in parts):
        return None
    numbers = iter(range(len(parts)))
    return "".join(part if isinstance(part, str) else f"{{{next(numbers)}}}" for part in parts)


def _parts(node: ast.AST) -> Iterator[str | ast.expr]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from (_parts(part) if isinstance(part, ast.Constant) else _value(part))


def _value(part: ast.expr) -> Iterator[ast.expr]:
    if isinstance(part, ast.FormattedValue):
        yield part.value


def _values(node: ast.AST) -> list[ast.expr]:
    return [part for part in _parts(node) if isinstance(part, ast.expr)]
