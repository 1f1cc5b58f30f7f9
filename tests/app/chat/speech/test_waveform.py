"""The waveform: its bars, and its cursor by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.chat.speech.waveform import BAR, GAP, Waveform
from app.widgets.theme import theme


@pytest.fixture
def wave(qtbot: QtBot) -> Waveform:
    made = Waveform("call.wav")
    qtbot.addWidget(made)
    made.resize(300, 48)
    made.show_peaks([0.0, 1.0, 0.25, 0.5], 20.0)
    made.show()
    return made


def test_a_bar_has_the_loudest_of_its_peaks(wave: Waveform) -> None:
    assert wave.columns() == [0.0, 1.0, 0.25, 0.5]
    wave.show_peaks([place / 1000 for place in range(1000)], 20.0)
    columns = wave.columns()
    assert len(columns) == 300 // (BAR + GAP) and columns[-1] == 0.999 and columns == sorted(columns)


@pytest.mark.parametrize(("key", "wanted"), [
    (Qt.Key.Key_Right, 6.0), (Qt.Key.Key_Left, 4.0), (Qt.Key.Key_PageDown, 15.0), (Qt.Key.Key_PageUp, 0.0),
    (Qt.Key.Key_Home, 0.0), (Qt.Key.Key_End, 20.0),
])  # fmt: skip
def test_keys_move_the_cursor(wave: Waveform, qtbot: QtBot, key: Qt.Key, wanted: float) -> None:
    sought: list[float] = []
    wave.sought.connect(sought.append)
    wave.show_position(5.0)
    assert sought == [] and wave.accessibleName() == "Waveform of call.wav: 0:05.0 of 0:20.0"
    qtbot.keyClick(wave, key)
    assert sought == [wanted] and wave.position == wanted


def test_click_and_drag_move_the_cursor(wave: Waveform, qtbot: QtBot) -> None:
    sought: list[float] = []
    wave.sought.connect(sought.append)
    qtbot.mouseClick(wave, Qt.MouseButton.LeftButton, pos=QPoint(150, 20))
    assert sought == [10.0]
    qtbot.mousePress(wave, Qt.MouseButton.LeftButton, pos=QPoint(30, 20))
    qtbot.mouseMove(wave, QPoint(60, 20))
    assert wave.position == pytest.approx(2.0) or wave.position == pytest.approx(4.0)  # offscreen may not move
    qtbot.mouseClick(wave, Qt.MouseButton.RightButton, pos=QPoint(150, 20))
    assert wave.position != 10.0


def test_a_recording_that_is_not_read_has_no_cursor(qtbot: QtBot) -> None:
    wave, sought = Waveform("a.wav"), list[float]()
    qtbot.addWidget(wave)
    wave.sought.connect(sought.append)
    qtbot.keyClick(wave, Qt.Key.Key_Right)
    qtbot.mouseClick(wave, Qt.MouseButton.LeftButton)
    assert sought == [] and wave.accessibleName() == "Waveform of a.wav" and not wave.grab().isNull()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_what_was_heard_is_told_by_its_color_and_a_segment_by_its_ground(wave: Waveform, mode: str) -> None:
    theme().set_mode(mode)  # type: ignore[arg-type]
    wave.show_peaks([1.0] * 100, 20.0)
    wave.show_position(10.0)
    image = wave.grab().toImage()
    assert image.pixelColor(31, 24) == theme().color("accent") and image.pixelColor(271, 24) == theme().color("muted")
    before = image.pixelColor(278, 1)
    wave.show_span((18.0, 20.0))
    assert wave.grab().toImage().pixelColor(278, 1) != before
