"""Each test that SECURITY.md names exists and is not skipped unconditionally."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)


def collected(path: Path) -> set[str]:
    """Functions of a file that pytest collects and always runs."""
    return {
        node.name
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if not any("mark.skip(" in ast.unparse(one) or "xfail" in ast.unparse(one) for one in node.decorator_list)
    }


def test_every_test_that_is_named_exists() -> None:
    assert len(NAMED) > 30
    missing = [f"{file}::{name}" for file, name in NAMED if name not in collected(ROOT / file)]
    assert missing == []


def test_every_guarantee_names_a_test() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and not line.startswith("| guarantee |")]
    assert len(rows) > 15
    assert [row for row in rows if "::test_" not in row] == []


def test_nothing_else_is_named_that_is_not_there() -> None:
    """Files in backticks."""
    named = re.findall(r"`([\w./-]+\.(?:py|md|txt))`", TEXT)
    assert [name for name in named if not (ROOT / name).exists()] == []
