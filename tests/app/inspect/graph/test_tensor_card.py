"""The card of an initializer: its bars, its figures in words, what is not finite, and why it cannot be shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.inspect.graph.tensor_card import TensorCard, short_number
from app.inspect.graph.tensor_card import TensorHistogram as Bars
from app.widgets.theme import theme
from workflows.wire.reports.graphs import TensorReport, ValueHistogram

REPORT = TensorReport(
    name="model.embed.weight",
    dtype="float16",
    shape=[4, 8],
    bytes=64,
    count=32,
    zeros=3,
    nan=0,
    inf=0,
    min=-1.5,
    max=2.25,
    mean=0.123456,
    std=1e-7,
    histogram=ValueHistogram(-1.5, 2.25, [1, 0, 400, 200]),
    head=[0.5, None, -1.0],
)


@pytest.fixture
def card(qtbot: QtBot) -> TensorCard:
    made = TensorCard()
    qtbot.addWidget(made)
    made.resize(400, 300)
    return made


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "–"), (0.0, "0"), (0.123456, "0.1235"), (1e-7, "1e-07"), (123456.0, "1.235e+05"), (-1.0, "-1")],
)
def test_a_figure_is_short(value: float | None, words: str) -> None:
    assert short_number(value) == words


def test_bars_are_as_high_as_their_counts_and_none_is_lost(qtbot: QtBot) -> None:
    bars = Bars()
    qtbot.addWidget(bars)
    bars.resize(400, bars.height())
    bars.show_counts(-1.5, 2.25, [1, 0, 400, 200])
    low, none, most, half = bars.bars()
    assert low.height() == 1 and none.height() == 0  # one that is seldom is seen all the same
    assert half.height() == pytest.approx(most.height() / 2)
    assert [round(one.x()) for one in (low, none, most, half)] == [0, 100, 200, 300]
    assert low.bottom() == most.bottom() == half.bottom()
    assert bars.accessibleName() == "Histogram from -1.5 to 2.25, the highest bar counts 400"
    bars.show_counts(0.0, 0.0, [])
    assert bars.bars() == []


def test_the_bars_are_drawn_in_the_theme_s_colour(qtbot: QtBot) -> None:
    bars = Bars()
    qtbot.addWidget(bars)
    bars.resize(400, bars.height())
    bars.show_counts(-1.0, 1.0, [0, 0, 9, 0])
    tall, accent = bars.bars()[2].center().toPoint(), theme().color("accent").name()
    image = bars.grab().toImage()
    ratio = image.devicePixelRatio()
    assert image.pixelColor(tall * ratio).name() == accent
    assert image.pixelColor(bars.bars()[1].bottomRight().toPoint() * ratio).name() != accent


def test_what_was_found_as_text(card: TensorCard) -> None:
    card.show_reading("model.embed.weight")
    assert card.isVisible() and card.type.toolTip() == "Reading its values …" and not card.figures.isVisible()
    card.show_tensor(REPORT)
    assert card.type.toolTip() == "float16 4 × 8 · 64 B"
    assert card.figures.text() == "32 values · min -1.5 · max 2.25 · mean 0.1235 · std 1e-07 · 3 zeros"
    assert card.head.text() == "First values: 0.5, –, -1"
    assert card.histogram.isVisible() and card.histogram.counts == [1, 0, 400, 200]


def test_a_scalar_is_one_value(card: TensorCard) -> None:
    """And never "1 values"."""
    card.show_tensor(replace(REPORT, shape=[], count=1, zeros=1, histogram=None, head=[]))
    assert card.type.toolTip() == "float16 scalar · 64 B"
    assert card.figures.text().startswith("1 value · ") and card.figures.text().endswith(" · 1 zero")
    assert not card.histogram.isVisible() and not card.head.isVisible()


def test_what_is_not_finite_is_counted(card: TensorCard) -> None:
    odd = replace(REPORT, nan=32, inf=2, min=None, max=None, mean=None, std=None, histogram=None)
    card.show_tensor(odd)
    assert card.figures.text().endswith("min – · max – · mean – · std – · 3 zeros · 32 NaN · 2 infinite")


def test_why_it_cannot_be_shown_and_the_next_one_is_without_that(card: TensorCard) -> None:
    card.show_tensor(REPORT)
    card.show_reading("other")
    card.show_error("Its data is in a file that is not there.")
    assert card.name.toolTip() == "other" and card.error.text() == "Its data is in a file that is not there."
    assert card.error.isVisible() and not card.figures.isVisible() and not card.histogram.isVisible()
    card.show_tensor(REPORT)
    assert not card.error.isVisible() and card.figures.isVisible()
