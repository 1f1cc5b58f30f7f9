"""The start: the command line, what it sets before the window is made, and what follows once it is shown."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app import main as module
from app.main import PAGES, application, arguments, main
from app.startup.garbage_collector import GarbageCollector
from app.state.settings import Settings
from app.widgets.theme import theme


class FakeWindow:
    """Says what it was asked for, in order."""

    asked: list[object]

    def __init__(self, context: Any, pages: Any) -> None:
        type(self).asked = [pages]
        self.context = context
        self.stack = SimpleNamespace(preload=lambda: self.asked.append("preload"))
        self.path = ""

    def show(self) -> None:
        self.asked.append(f"show {self.path}".strip())


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> Iterator[Any]:
    """main() with a window that is none and a loop that ends at once; its contexts are closed."""
    contexts = list[Any]()

    def context(*given: Any) -> Any:
        contexts.append(real(*given))
        return contexts[-1]

    real = module.AppContext
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(module, "AppContext", context)
    monkeypatch.setattr(module, "MainWindow", FakeWindow)
    monkeypatch.setattr(QApplication, "exec", lambda *_: 7)
    monkeypatch.setenv("JOINERY_HOME", os.environ["JOINERY_HOME"])  # put back when main() has set another
    yield lambda *argv: main(argv)
    signal.signal(signal.SIGINT, before)
    for collector in qapp.findChildren(GarbageCollector):
        collector.close()
        collector.deleteLater()
    for one in contexts:
        one.close()


@pytest.mark.parametrize(
    ("argv", "path", "tour", "home"),
    [
        ([], None, None, None),
        (["/b/demo"], "/b/demo", None, None),
        (["--tour", "out"], None, Path("out"), None),
        (["--home", "/h", "graph.onnx"], "graph.onnx", None, Path("/h")),
    ],
)
def test_the_command_line(argv: list[str], path: str | None, tour: Path | None, home: Path | None) -> None:
    found = arguments(argv)
    assert (found.path, found.tour, found.home) == (path, tour, home)


@pytest.mark.parametrize("argv", [["one", "two"], ["--nonsense"], ["--tour"]])
def test_what_it_does_not_know_ends_with_2_and_a_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        arguments(argv)
    assert ended.value.code == 2 and "usage: python -m app" in capsys.readouterr().err


def test_the_window_is_shown_with_the_path_then_warmed(start: Any) -> None:
    assert start("/b/demo") == 7
    assert FakeWindow.asked == [PAGES, "show /b/demo", "preload"]
    assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL


def test_without_a_path_nothing_is_opened(start: Any) -> None:
    assert start() == 7 and FakeWindow.asked == [PAGES, "show", "preload"]


def test_another_home_is_passed_to_the_workers_and_its_settings_are_used(start: Any, tmp_path: Path) -> None:
    home = tmp_path / "other"
    Settings(home).set("theme", "dark")
    assert start("--home", str(home)) == 7
    assert os.environ["JOINERY_HOME"] == str(home) and theme().mode == "dark"


def test_a_tour_ends_with_its_code_and_shows_nothing_before(
    start: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = list[object]()
    monkeypatch.setattr("app.startup.tour.run_tour", lambda app, window, folder: given.append(folder) or 3)
    assert start("--tour", str(tmp_path)) == 3
    assert given == [tmp_path] and FakeWindow.asked == [PAGES]


def test_there_is_one_application_and_its_numbers_have_separators(qapp: QApplication) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale.c())
    try:
        assert application() is qapp and QLocale().toString(4096) == "4,096"
        QLocale.setDefault(QLocale(QLocale.Language.German))
        application()
        assert QLocale().toString(4096) == "4.096"  # a locale that there is stays
    finally:
        QLocale.setDefault(before)


def test_each_page_has_a_name_an_icon_and_a_class_of_its_own() -> None:
    assert len({page.name for page in PAGES}) == len({page.icon for page in PAGES}) == len(PAGES)
    assert all(page.factory.count(":") == 1 and page.title for page in PAGES)
