"""SEQ2SEQ.md, PICTURES.md and SOUNDS.md are of one run, and of the architectures and families that there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sweep import pictures, seq2seq, sounds
from tests.sweep.case import Verdict
from tests.sweep.pictures import picture_models
from tests.sweep.run import Case
from tests.sweep.seq2seq import sequence_models
from tests.sweep.sounds import sound_models
from tests.sweep.table import unknown
from workflows.common.errors import RecipeError
from workflows.recipe import family_for

MODELS = [("SEQ2SEQ", sequence_models), ("PICTURES", picture_models), ("SOUNDS", sound_models)]
DOCUMENTS = pytest.mark.parametrize(("name", "models"), MODELS)


def text(name: str) -> str:
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8")


@DOCUMENTS
def test_what_is_refused_by_name_is_in_no_family(name: str, models: Callable[[], dict[str, Case]]) -> None:
    """Except that of some the text part is built alone."""
    names = unknown(text(name))
    assert len(names) >= {"SEQ2SEQ": 20, "PICTURES": 8, "SOUNDS": 4}[name] and {*names} <= {*models()}
    for one in names:
        try:
            family = family_for(one)
        except RecipeError as refusal:
            assert f"The architecture '{one}' is not one that Joinery can build: its" in str(refusal)
        else:
            assert family.name == "text-part"


@DOCUMENTS
def test_the_table_has_a_row_for_every_architecture(name: str, models: Callable[[], dict[str, Case]]) -> None:
    lines = [line for line in text(name).splitlines() if line.startswith("| ")][1:]
    rows = [[cell.strip() for cell in line.strip("|").split("|", 2)] for line in lines]
    assert sorted([*(case for case, *_ in rows), *unknown(text(name))]) == sorted(models())
    assert {kind for _, kind, _ in rows} <= {"equal", "refused"}


@pytest.mark.parametrize("table", [seq2seq.table, pictures.table, sounds.table])
def test_a_document_names_its_commit(table: Callable[[list[Verdict]], str]) -> None:
    page = table([Verdict("a", "refused", "Because | so."), Verdict("b", "equal")])
    assert "| a | refused | Because / so. |" in page and "Of 2: 1 refused, 1 equal." in page
    assert "Commit of the run: `" in page


def test_pages_state_the_numbers_of_the_table() -> None:
    """README and the features page say how many types of DECODERS.md are equal, of those that have a configuration."""
    row = next(line for line in text("DECODERS").splitlines() if line.startswith("| graphs, 80 |"))
    equal, refused, wrong, traceback, *_ = (int(cell) for cell in row.strip("|").split("|")[1:])
    top = Path(__file__).parents[2]
    for page, phrase in (("README.md", "{} of {} types"), ("resources/docs/features.md", "{} of the {} types")):
        words = " ".join((top / page).read_text("utf-8").split())
        assert phrase.format(equal, equal + refused + wrong + traceback) in words, page
