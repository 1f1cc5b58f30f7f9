"""Files of what is measured: asked for, written, told of, and the word about one that hides no later failure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from app.measure.charts import plot_exporter as module
from app.measure.charts.plot_exporter import NOTE_MS, PlotExporter
from app.widgets import Banner


class Later:
    """In place of QTimer: what is to come, and when it does."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, Callable[[], object]]] = []

    def singleShot(self, pause: int, _owner: object, call: Callable[[], object]) -> None:
        self.calls.append((pause, call))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    made = Later()
    monkeypatch.setattr(module, "QTimer", made)
    return made


@pytest.fixture
def files(qtbot: Any, later: Later) -> PlotExporter:
    window = QWidget()
    qtbot.addWidget(window)
    made = PlotExporter(Banner(window), lambda: None, window)
    made.keep = window  # type: ignore[attr-defined]
    return made


def test_a_file_that_was_written_is_reported_for_a_while(
    files: PlotExporter, later: Later, qtbot: Any, tmp_path: Path
) -> None:
    files._write(tmp_path / "a.csv", lambda: None)
    qtbot.waitUntil(lambda: bool(files._banner.message))
    assert files._banner.message == "Written: a.csv"
    ((pause, end),) = later.calls
    end()
    assert pause == NOTE_MS and files._banner.isHidden()


def test_a_failure_that_came_meanwhile_stays(files: PlotExporter, later: Later, qtbot: Any, tmp_path: Path) -> None:
    def fail() -> None:
        raise OSError("No space left on device")

    files._write(tmp_path / "a.csv", lambda: None)
    qtbot.waitUntil(lambda: bool(later.calls))
    files._write(tmp_path / "b.csv", fail)
    qtbot.waitUntil(lambda: "could not" in files._banner.message)
    assert files._banner.message == "The file could not be written."
    assert files._banner._details.toPlainText() == "No space left on device"
    for _, end in later.calls:
        end()
    assert files._banner.message == "The file could not be written." and not files._banner.isHidden()


@pytest.mark.parametrize("ending", ["png", "svg", "csv"])
@pytest.mark.parametrize("picked", [True, False])
def test_a_name_is_requested_with_the_ending(
    files: PlotExporter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: str, picked: bool
) -> None:
    asked, written = list[tuple[str, str]](), list[Path]()
    answer = str(tmp_path / f"mine.{ending}") if picked else ""

    def ask(_window: object, _title: str, name: str, kinds: str) -> tuple[str, str]:
        asked.append((Path(name).name, kinds))
        return answer, ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setattr(files, "export", written.append)
    files.choose_file(ending)
    assert asked == [(f"measurements.{ending}", f"*.{ending}")] and written == [Path(answer)] * picked


@pytest.mark.parametrize("plots", [None, SimpleNamespace(snapshot=None)])
@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.csv"])
def test_where_nothing_is_shown_nothing_is_written(files: PlotExporter, tmp_path: Path, plots: Any, name: str) -> None:
    files._plots = lambda: plots
    files.export(tmp_path / name)
    assert not (tmp_path / name).exists() and files._banner.isHidden()
