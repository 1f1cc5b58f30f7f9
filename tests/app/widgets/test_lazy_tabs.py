"""Tabs that are built when they are looked at, or ahead one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.inspect.inspect_page import InspectPage
from app.inspect.inspect_tab import InspectTab
from app.state.context import AppContext
from app.state.inspection import inspection_of
from app.widgets.lazy_tabs import LazyTabs
from tests.fakes.inspections import BUNDLE
from tests.fakes.worker import program

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window


def test_a_tab_is_built_when_it_is_looked_at_and_once(qtbot: QtBot) -> None:
    tabs = LazyTabs()
    a, b, _c = (tabs.add(name, name.upper(), InspectTab) for name in ("a", "b", "c"))
    qtbot.addWidget(tabs)
    made = list[str]()
    tabs.made.connect(lambda tab: made.append(tabs.name_of(tab)))
    tabs.setCurrentIndex(1)
    assert not made
    tabs.show()
    assert made == ["b"] and tabs.currentWidget() is b()
    first = a()
    assert made == ["b", "a"] and a() is first and tabs.widget(0) is first
    assert tabs.currentIndex() == 1 and [tabs.tabText(i) for i in range(3)] == ["A", "B", "C"]
    tabs.show_tab("c")
    assert made == ["b", "a", "c"] and tabs.currentIndex() == 2


def test_a_tab_that_comes_late_shows_what_is_known(qtbot: QtBot, tmp_path: Path) -> None:
    context = AppContext(tmp_path / "home", program(inspection=BUNDLE), lambda folder: {"path": folder, "name": "demo"})
    page = InspectPage(context)
    qtbot.addWidget(page)
    page.show_inspection(inspection_of("/b/demo", BUNDLE))
    page.choose(len(page.components.cards) - 1)
    assert not page.tabs.built(InspectTab)
    for build in page.slices():
        build()
    assert len(page.tabs.built(InspectTab)) == len(page.tabs.names) == 8
    assert [card.group.name for card in page.tabs.kv.cards] == [group.name for group in page.inspection.kv]  # type: ignore[union-attr]
    last = page.components.cards[-1].component
    assert page.tabs.operators.table.model().rowCount() == len(last.op_counts)
    context.close()
