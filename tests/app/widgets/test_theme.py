"""The contrast of the colors, in both themes: WCAG's 4.5 for text, 3.0 for frames that alone mark a field."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QSpinBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.inspect.graph.heat_panel import MAX_STRENGTH
from app.widgets.theme import blend_colors, theme
from workflows.inspection.picture import svg
from workflows.wire.reports.graphs import CHANGES

GROUNDS = ("window", "surface", "raised", "sunken")
TINTS = ("accent", "ok", "warning", "error", "prefill", "decode", "cache", *CHANGES)
"""Colors of text that are also the tint of a pill."""


@pytest.fixture(params=["light", "dark"])
def mode(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[str]:
    theme().set_mode(request.param)
    yield request.param
    theme().set_mode("system")


def luminance(color: QColor) -> float:
    parts = (color.redF(), color.greenF(), color.blueF())
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: QColor, other: QColor) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def text_pairs() -> Iterator[tuple[str, str, QColor, QColor]]:
    """Each color of text with each background that it is used on: names and colors."""
    color = theme().color
    for text in ("text", "muted", *TINTS):
        for ground in GROUNDS:
            yield text, ground, color(text), color(ground)
    for text in TINTS:
        yield text, "pill", color(text), blend_colors(color(text), color("surface"), 0.1)
        yield "paper", f"badge in {text}", color("window"), color(text)
    for change in CHANGES:  # scene_painter.py: a box that differs
        yield change, "changed box", color(change), blend_colors(color(change), color("raised"), 0.16)
    for heat in ("error", "prefill", "warning"):
        ground = blend_colors(color(heat), color("raised"), MAX_STRENGTH)
        yield "text", f"box as strong as {heat}", color("text"), ground
    yield "accent", "selected page", color("accent"), blend_colors(color("accent"), color("surface"), 0.12)
    yield "accent_text", "selection", color("accent_text"), color("accent")
    hovered = blend_colors(color("accent"), color("text"), 0.88)
    yield "accent_text", "hovered button", color("accent_text"), hovered


def test_text_can_be_read_on_each_background(mode: str) -> None:
    weak = [
        f"{t} on {g}: {contrast(one, other):.2f}" for t, g, one, other in text_pairs() if contrast(one, other) < 4.5
    ]
    assert not weak, (mode, weak)


def test_the_measure_is_that_of_wcag() -> None:
    assert contrast(QColor("#ffffff"), QColor("#000000")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("field", [QLineEdit, QComboBox, QSpinBox, QPlainTextEdit])
def test_a_frame_marks_a_field(mode: str, qtbot: QtBot, field: type[QWidget]) -> None:
    """The drawn frame, against the field and against the page around it."""
    page = QWidget()
    qtbot.addWidget(page)
    page.setStyleSheet(theme().sheet)
    edit = field()
    QVBoxLayout(page).addWidget(edit)
    page.resize(200, 100)
    page.show()
    page.setFocus()
    image: QImage = page.grab().toImage()
    middle = edit.geometry().left() + 30
    ys = range(edit.geometry().top() - 1, edit.geometry().top() + 3)
    outside, frame, inside, _ = (image.pixelColor(middle, y) for y in ys)
    assert frame == theme().color("frame")
    assert contrast(frame, outside) >= 3 and contrast(frame, inside) >= 3
    for ground in GROUNDS:
        assert contrast(frame, theme().color(ground)) >= 3, ground


def test_an_exported_composite_has_the_window_s_colors(mode: str) -> None:
    written = svg._DARK if mode == "dark" else svg._LIGHT
    names = ("surface", "text", "muted", "accent", "prefill", "decode", "cache")
    assert {name: written[name] for name in names} == {name: theme().color(name).name() for name in names}
    assert written["paper"] == theme().color("window").name()
