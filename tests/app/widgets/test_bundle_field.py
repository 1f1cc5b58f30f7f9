"""The field for a bundle: by name where names tell them apart, by path otherwise, and what was typed stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton

from app.state.recent_bundles import RecentBundles
from app.widgets.bundle_field import BundleField
from tests.app.conftest import fake_summary, make_bundle


@pytest.fixture
def recents(qapp: Any, home: Path, tmp_path: Path) -> RecentBundles:
    made = RecentBundles(home, fake_summary)
    for name in ("one", "two"):
        made.add(str(make_bundle(tmp_path / name)))
    return made


@pytest.fixture
def choice(qtbot: Any, recents: RecentBundles) -> BundleField:
    made = BundleField(recents, "Bundle", "A bundle's folder")
    qtbot.addWidget(made)
    return made


def offered(choice: BundleField) -> list[str]:
    return [choice.field.itemText(at) for at in range(choice.field.count())]


def test_nothing_is_chosen_at_first_and_the_last_used_comes_first(choice: BundleField) -> None:
    assert choice.path == "" and offered(choice) == ["two · fp32 · static 4,096", "one · fp32 · static 4,096"]
    assert choice.field.accessibleName() == "Bundle"
    assert choice.field.lineEdit().placeholderText() == "A bundle's folder"


def test_a_bundle_is_shown_by_name_and_given_by_path(choice: BundleField, tmp_path: Path) -> None:
    choice.choose(str(tmp_path / "one"))
    assert choice.field.currentText() == "one · fp32 · static 4,096" and choice.path == str(tmp_path / "one")
    choice.field.setEditText("two · fp32 · static 4,096")  # typed, letter by letter
    assert choice.path == str(tmp_path / "two")


@pytest.mark.parametrize("typed", ["demo:qwen3", "/not/in/the/list", "  /with/spaces  ", "one"])
def test_what_is_typed_is_taken_as_it_is(choice: BundleField, typed: str) -> None:
    choice.field.setEditText(typed)
    assert choice.path == typed.strip()


def test_bundles_of_one_name_are_distinguished_by_path(
    choice: BundleField, recents: RecentBundles, tmp_path: Path
) -> None:
    """And the one that was chosen stays chosen, though it is called otherwise from then on."""
    choice.choose(str(tmp_path / "one"))
    twin = make_bundle(tmp_path / "elsewhere" / "one")
    recents.add(str(twin))
    assert offered(choice) == [str(twin), "two · fp32 · static 4,096", str(tmp_path / "one")]
    assert choice.path == choice.field.currentText() == str(tmp_path / "one")


@pytest.mark.parametrize("kept", ["demo:qwen3", ""])
def test_the_list_changes_without_touching_what_was_typed(
    qtbot: Any, choice: BundleField, recents: RecentBundles, tmp_path: Path, kept: str
) -> None:
    choice.field.setEditText(kept)
    with qtbot.assertNotEmitted(choice.changed):
        recents.add(str(make_bundle(tmp_path / "three")))
    assert choice.path == kept and len(offered(choice)) == 3


def test_a_damaged_bundle_is_not_offered(choice: BundleField, recents: RecentBundles, tmp_path: Path) -> None:
    (tmp_path / "one" / "damaged").write_text("")
    recents.refresh()
    assert offered(choice) == ["two · fp32 · static 4,096"]


@pytest.mark.parametrize(("answer", "then"), [("/picked", "/picked"), ("", "/b/demo")])
def test_the_button_asks_beside_what_is_there(
    choice: BundleField, monkeypatch: pytest.MonkeyPatch, answer: str, then: str
) -> None:
    asked = list[tuple[str, str]]()

    def ask(_parent: object, title: str, folder: str) -> str:
        asked.append((title, folder))
        return answer

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", ask)
    choice.choose("/b/demo")
    (browse,) = choice.findChildren(QPushButton)
    browse.click()
    assert asked == [("Bundle", str(Path("/b")))] and choice.path == then
    assert browse.accessibleName() == "Choose a folder"
