"""PICTURES.md is of one run, and of the architectures and families that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sweep.pictures import picture_models
from tests.sweep.table import unknown
from workflows.common.errors import RecipeError
from workflows.recipe import family_for

TEXT = (Path(__file__).parent / "PICTURES.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|", 2)] for line in TEXT.splitlines() if line.startswith("| ")]


def test_what_is_refused_by_name_is_in_no_family() -> None:
    names = unknown(TEXT)
    assert len(names) >= 20
    for name in names:
        with pytest.raises(RecipeError, match=f"The architecture '{name}' is not one that Joinery can build: its"):
            family_for(name)


def test_the_table_has_a_row_for_every_architecture() -> None:
    assert sorted([*(name for name, *_ in ROWS[1:]), *unknown(TEXT)]) == sorted(picture_models())
    assert {kind for _, kind, _ in ROWS[1:]} == {"equal", "refused"}
