"""The window's place: whole on a screen that is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect, QSize

from app.frame.screen_geometry import FRAME, fit_to_screen, minimum_window_size
from app.window import MainWindow

FULL_HD = QRect(0, 0, 1920, 1080)
RIGHT_OF_IT = QRect(1920, 0, 1280, 800)


@pytest.mark.parametrize("screen", [QRect(0, 0, 1280, 800), QRect(0, 28, 1024, 672), QRect(0, 0, 960, 540)])
def test_a_window_that_is_too_large_is_cut_and_its_frame_is_on_the_screen(screen: QRect) -> None:
    place = fit_to_screen(QRect(0, 0, 1280, 800), [screen])
    frame = QRect(place.topLeft(), place.size() + FRAME)
    assert screen.contains(frame)
    assert frame.height() == screen.height()


def test_what_fits_stays_as_it_is() -> None:
    assert fit_to_screen(QRect(2000, 50, 1000, 700), [FULL_HD, RIGHT_OF_IT]) == QRect(2000, 50, 1000, 700)


def test_the_screen_with_most_of_it_has_it_and_one_that_is_gone_does_not() -> None:
    across = QRect(1800, 100, 1000, 600)
    assert fit_to_screen(across, [FULL_HD, RIGHT_OF_IT]) == QRect(1920, 100, 1000, 600)
    assert FULL_HD.contains(fit_to_screen(QRect(2500, 100, 1000, 600), [FULL_HD]))
    assert FULL_HD.contains(fit_to_screen(QRect(-5000, -900, 1000, 600), [FULL_HD]))


def test_without_a_screen_nothing_changes() -> None:
    assert fit_to_screen(QRect(0, 0, 3000, 3000), []) == QRect(0, 0, 3000, 3000)
    assert minimum_window_size([]) == QSize(960, 540)


def test_a_restored_window_is_cut_to_the_screen(
    make_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    large = make_window()
    large.setGeometry(100, 100, 1900, 1000)
    large.close()
    monkeypatch.setattr("app.window.available_screens", lambda: [QRect(0, 0, 1024, 700)])
    small = make_window()
    assert QRect(0, 0, 1024, 700).contains(small.geometry())
    assert small.height() == 660
    assert small.minimumSize() == QSize(960, 540)


def test_the_least_size_fits_on_every_screen() -> None:
    assert minimum_window_size([FULL_HD]) == QSize(960, 540)
    assert minimum_window_size([FULL_HD, QRect(0, 0, 960, 540)]) == QSize(960, 540) - FRAME
