"""The bar over the page: no figure of it is another bundle's than the chosen one's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.frame.bundle_bar import BundleBar
from app.state.context import AppContext
from tests.app.conftest import make_bundle

CLOSED, OPEN = "not loaded", "cpu"
BUILT = ("static 4,096", CLOSED)


@pytest.fixture
def bar(qtbot: Any, make_context: Any, tmp_path: Path) -> Any:
    """A bar over a context with the bundles a, b and one without a cache; a is open as window 512."""
    for name in ("a", "b", "cacheless"):
        make_bundle(tmp_path / name)
    (tmp_path / "cacheless" / "cacheless").write_text("")

    def make(**scenario: Any) -> BundleBar:
        context: AppContext = make_context(**scenario)
        made = BundleBar(context)
        qtbot.addWidget(made)
        made.show()
        context.open_bundle(tmp_path / "a")
        load(qtbot, made, tmp_path / "a", "window", 512)
        return made

    return make


def load(qtbot: Any, bar: BundleBar, path: Path, cache: str | None = None, capacity: int | None = None) -> None:
    """Opens a bundle in the session, to its end, good or bad."""
    session = bar._context.session
    session.open(path, "cpu", cache, capacity)
    qtbot.waitUntil(lambda: session.state in ("ready", "failed"))


def said(bar: BundleBar) -> tuple[str, ...]:
    """What the pills say that depends on the session."""
    return tuple(bar._parts[name].text() for name in ("layout", "provider") if not bar._parts[name].isHidden())


def test_what_is_open_is_reported(bar: Any) -> None:
    assert said(bar()) == ("window 512", OPEN)


def test_a_bundle_that_is_not_open_has_what_it_was_built_with(bar: Any, tmp_path: Path) -> None:
    made: BundleBar = bar()
    made._context.open_bundle(tmp_path / "b")
    assert made.chooser.text() == "b" and said(made) == BUILT
    made._context.open_bundle(tmp_path / "a")  # which is still open
    assert said(made) == ("window 512", OPEN)


def test_the_next_one_opens(qtbot: Any, bar: Any, tmp_path: Path) -> None:
    made: BundleBar = bar()
    made._context.open_bundle(tmp_path / "b")
    seen: list[tuple[str, ...]] = []
    made._context.session.stateChanged.connect(lambda _state: seen.append(said(made)))
    load(qtbot, made, tmp_path / "b", "linear", 64)
    assert ("window 512", OPEN) not in seen and said(made) == ("linear 64", OPEN)
    made._context.open_bundle(tmp_path / "a")
    assert said(made) == BUILT


def test_one_that_fails_to_open_has_no_figures_of_the_one_before(qtbot: Any, bar: Any, tmp_path: Path) -> None:
    made: BundleBar = bar(providers={"qnn": "lies"})
    made._context.open_bundle(tmp_path / "b")
    made._context.session.open(tmp_path / "b", "qnn")
    qtbot.waitUntil(lambda: made._context.session.state == "failed")
    assert said(made) == BUILT
    made._context.open_bundle(tmp_path / "a")  # no longer open either
    assert said(made) == BUILT


def test_a_bundle_without_a_cache_shows_none(bar: Any, tmp_path: Path) -> None:
    made: BundleBar = bar()
    made._context.open_bundle(tmp_path / "cacheless")
    assert said(made) == ()  # it is opened by no session


def test_a_bundle_built_anew_in_its_folder_is_another(bar: Any, tmp_path: Path) -> None:
    made: BundleBar = bar()
    context = made._context
    before = context._read
    context._read = lambda folder: {**before(folder), "built_at": "2026-03-03T00:00:00+00:00"}
    context.open_bundle(tmp_path / "a")
    assert said(made) == BUILT


@pytest.fixture
def closed(qtbot: Any, make_context: Any) -> BundleBar:
    """A bar of a window that has opened nothing."""
    made = BundleBar(make_context())
    qtbot.addWidget(made)
    return made


def menu_of(bar: BundleBar) -> dict[str, Any]:
    menu = bar.chooser.menu()
    menu.aboutToShow.emit()
    return {one.text(): one for one in menu.actions() if not one.isSeparator()}


def test_without_bundles_the_menu_leads_home(closed: BundleBar) -> None:
    menu, pages = menu_of(closed), list[str]()
    assert list(menu) == ["No recent bundles", "Open a bundle …", "Go to home"]
    assert not menu["No recent bundles"].isEnabled()
    closed._context.navigate.connect(pages.append)
    menu["Go to home"].trigger()
    assert pages == ["home"]


def test_the_menu_opens_another_bundle_and_greys_what_is_broken(closed: BundleBar, tmp_path: Path) -> None:
    for name in ("other", "broken"):
        closed._context.recents.add(str(make_bundle(tmp_path / name, damaged=name == "broken")))
    menu = menu_of(closed)
    assert not menu["broken"].isEnabled() and menu["broken"].toolTip() == str(tmp_path / "broken")
    menu["other · fp32 · static 4,096"].trigger()
    assert closed.chooser.text() == "other" and closed.chooser.accessibleName() == "Current bundle: other"
    assert menu_of(closed)["other · fp32 · static 4,096"].isChecked() and not menu_of(closed)["broken"].isChecked()
    assert list(menu_of(closed))[:2] == ["other · fp32 · static 4,096", "broken"]  # the menu is made anew


def test_the_button_requests_the_palette(qtbot: Any, closed: BundleBar) -> None:
    with qtbot.waitSignal(closed.paletteRequested):
        closed._search.click()
    assert closed._hint.text() == "Build a checkpoint or open a bundle to begin"


def test_recent_bundles_are_actions_and_equal_titles_show_their_folders(
    qtbot: Any, make_context: Any, tmp_path: Path
) -> None:
    context = make_context()
    paths = [make_bundle(tmp_path / place / "demo") for place in ("a", "b")] + [make_bundle(tmp_path / "other")]
    for path in paths:
        context.open_bundle(path)
    bar = BundleBar(context)
    qtbot.addWidget(bar)
    actions = {action.text(): action for action in bar.bundle_actions()}
    assert set(actions) == {"other · fp32 · static 4,096", str(paths[0]), str(paths[1])}
    actions[str(paths[0])].trigger()
    assert context.bundle["path"] == str(paths[0])
