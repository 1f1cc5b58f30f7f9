"""SEQ2SEQ.md is of one run and of the families that the code has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sweep.case import Verdict
from tests.sweep.seq2seq import sequence_models, table
from workflows.common.errors import RecipeError
from workflows.recipe import family_for

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|", 2)]
    for line in (Path(__file__).parent / "SEQ2SEQ.md").read_text("utf-8").splitlines()
    if line.startswith("| ")
][1:]
_LIST = "its families are "


def families() -> str:
    """The list that a refusal of the code has today."""
    with pytest.raises(RecipeError) as raised:
        family_for("no such architecture")
    return str(raised.value).partition(_LIST)[2]


def test_every_row_of_the_table_is_of_the_families_that_there_are() -> None:
    lists = {name: note.rstrip("|").strip().partition(_LIST)[2] for name, _, note in ROWS if _LIST in note}
    assert len(lists) >= 20
    assert {name: said for name, said in lists.items() if said != families()} == {}


def test_the_table_has_a_row_for_every_architecture() -> None:
    assert [name for name, *_ in ROWS] == list(sequence_models())
    assert {kind for _, kind, _ in ROWS} == {"equal", "refused"}


def test_a_table_names_its_commit() -> None:
    page = table([Verdict("a", "refused", "Because | so."), Verdict("b", "equal")])
    assert "| a | refused | Because / so. |" in page and "Of 2: 1 refused, 1 equal." in page
    assert "Commit of the run: `" in page
