"""What a person reads: one thing is never called in the plural, and a figure is never torn apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.text.formatting import approximate_duration, pluralize

APP = Path(__file__).parents[2] / "app"
THINGS = "layer|slot|token|file|prompt|node|component|bundle|run|stage|build|step|question|row|byte|weight|second|chat"
THINGS += "|value|zero|function|kind"
COUNTED = re.compile(rf"(?<!of )(%\d|\{{\d*\}}) ({THINGS})s\b")  # of 1 nodes is right: 0 of 1 nodes


def plurals(file: Path) -> Iterator[str]:
    """The literals that put a number before a plural, but for the last word of pluralize()."""
    tree = ast.parse(file.read_text("utf-8"))
    allowed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "pluralize":
            allowed |= {id(inner) for argument in node.args for inner in ast.walk(argument)}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            names = [getattr(name, "id", "") for name in node.targets[0].elts]
            if names == ["one", "many"]:
                allowed |= {id(inner) for inner in ast.walk(node.value)}
    for node in ast.walk(tree):
        said = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in allowed
        if said and COUNTED.search(node.value):
            yield node.value


@pytest.mark.parametrize("file", sorted(APP.rglob("*.py")), ids=lambda file: str(file.relative_to(APP)))
def test_a_number_comes_with_the_right_word(file: Path) -> None:
    assert list(plurals(file)) == []


def test_one_is_one() -> None:
    assert [pluralize(n, "1 layer", "{0} layers") for n in (0, 1, 2)] == ["0 layers", "1 layer", "2 layers"]


@pytest.mark.parametrize(("value", "text"), [(0.2, "5 s"), (12.6, "15 s"), (56, "55 s"), (58, "1 min"), (200, "3 min")])
def test_a_guess_is_round(value: float, text: str) -> None:
    assert approximate_duration(value) == text
