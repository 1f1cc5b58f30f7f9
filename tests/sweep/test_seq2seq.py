"""SEQ2SEQ.md is of one run, and of the architectures and families that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sweep.case import Verdict
from tests.sweep.seq2seq import sequence_models, table
from tests.sweep.table import unknown
from workflows.common.errors import RecipeError
from workflows.recipe import family_for

TEXT = (Path(__file__).parent / "SEQ2SEQ.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|", 2)] for line in TEXT.splitlines() if line.startswith("| ")]


def test_what_is_refused_by_name_is_in_no_family() -> None:
    names = unknown(TEXT)
    assert len(names) >= 20
    for name in names:
        with pytest.raises(RecipeError, match=f"The architecture '{name}' is not one that Joinery can build: its"):
            family_for(name)


def test_the_table_has_a_row_for_every_architecture() -> None:
    assert sorted([*(name for name, *_ in ROWS[1:]), *unknown(TEXT)]) == sorted(sequence_models())
    assert {kind for _, kind, _ in ROWS[1:]} == {"equal"}


def test_a_table_names_its_commit() -> None:
    page = table([Verdict("a", "refused", "Because | so."), Verdict("b", "equal")])
    assert "| a | refused | Because / so. |" in page and "Of 2: 1 refused, 1 equal." in page
    assert "Commit of the run: `" in page
