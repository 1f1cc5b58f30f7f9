"""The texts of axes: numbers as the language writes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale
from pytestqt.qtbot import QtBot

from app.widgets.plot_style import NumberAxis

TEXTS = {
    "en_US": [["0", "1,000", "20,000"], ["0.005", "0.010"], ["2e-07"]],
    "de_DE": [["0", "1.000", "20.000"], ["0,005", "0,010"], ["2e-07"]],
}


@pytest.fixture(params=TEXTS)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield request.param
    QLocale.setDefault(before)


def test_ticks_are_numbers_of_the_language(qtbot: QtBot, language: str) -> None:
    axis = NumberAxis("left")
    ticks = ([0, 1_000, 20_000], 1_000), ([0.005, 0.01], 0.005), ([2e-7], 2e-7)
    assert [axis.tickStrings(values, 1.0, spacing) for values, spacing in ticks] == TEXTS[language]
    axis.setLogMode(x=False, y=True)
    assert axis.tickStrings([0.0, 2.0], 1.0, 1.0) == ["1", "10²"]
