"""The picture under pointer, wheel and keyboard: what moves, what is chosen, and what is said of a box."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.inspect.graph.graph_canvas import ZOOM_STEP, GraphCanvas
from tests.app.graph_scene.test_scene import scene_of
from tests.fakes.graphs import small

Key, Mod, Button = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    made = GraphCanvas()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show_scene(scene_of(small(), "model"))
    made.set_view(1.0, QPointF(40, 30))
    made.show()
    return made


def wheel(canvas: GraphCanvas, angle: QPoint, pixels: QPoint = QPoint(), mod: Mod = Mod.NoModifier) -> None:  # noqa: B008
    at = QPointF(200, 100)
    phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(at, canvas.mapToGlobal(at), pixels, angle, Button.NoButton, mod, phase, False)
    QApplication.sendEvent(canvas, event)


def middle(canvas: GraphCanvas, key: int | str) -> QPoint:
    place = canvas.place_of(key)
    assert place is not None
    return canvas.to_screen(place).center().toPoint()


@pytest.mark.parametrize(
    ("angle", "pixels", "mod", "scale", "moved"),
    [
        (QPoint(0, 120), QPoint(), Mod.NoModifier, ZOOM_STEP, None),
        (QPoint(0, -240), QPoint(), Mod.NoModifier, ZOOM_STEP**-2, None),
        (QPoint(0, 120), QPoint(7, 5), Mod.ControlModifier, ZOOM_STEP, None),  # a touch pad zooms with Ctrl
        (QPoint(0, 120), QPoint(7, 5), Mod.NoModifier, 1.0, QPoint(7, 5)),
        (QPoint(0, 120), QPoint(), Mod.ShiftModifier, 1.0, QPoint(120, 0)),
        (QPoint(60, 0), QPoint(), Mod.ShiftModifier, 1.0, QPoint(60, 0)),
    ],
)
def test_a_wheel_zooms_and_a_touch_pad_moves(
    canvas: GraphCanvas, angle: QPoint, pixels: QPoint, mod: Mod, scale: float, moved: QPoint | None
) -> None:
    before = QPoint(canvas.offset)
    wheel(canvas, angle, pixels, mod)
    assert canvas.scale == pytest.approx(scale)
    if moved is not None:
        assert canvas.offset - before == moved


@pytest.mark.parametrize(
    ("key", "mod", "step"),
    [
        (Key.Key_Left, Mod.ShiftModifier, QPoint(80, 0)),
        (Key.Key_Right, Mod.ShiftModifier, QPoint(-80, 0)),
        (Key.Key_Up, Mod.ShiftModifier, QPoint(0, 80)),
        (Key.Key_Down, Mod.ShiftModifier, QPoint(0, -80)),
        (Key.Key_PageUp, Mod.NoModifier, QPoint(0, 540)),
        (Key.Key_PageDown, Mod.NoModifier, QPoint(0, -540)),
    ],
)
def test_keys_move_the_picture(canvas: GraphCanvas, qtbot: QtBot, key: Key, mod: Mod, step: QPoint) -> None:
    before = QPoint(canvas.offset)
    qtbot.keyClick(canvas, key, mod)
    assert canvas.offset - before == step and canvas.scale == 1.0


def test_keys_zoom(canvas: GraphCanvas, qtbot: QtBot) -> None:
    scales = []
    for letter in ("+", "=", "-", "1"):
        qtbot.keyClicks(canvas, letter)
        scales.append(canvas.scale)
    assert scales == pytest.approx([ZOOM_STEP, ZOOM_STEP**2, ZOOM_STEP, 1.0])
    qtbot.keyClicks(canvas, "0")
    assert canvas.visible().contains(canvas.bounds())


def test_plain_arrows_and_enter_are_the_neighbours_matter(canvas: GraphCanvas, qtbot: QtBot) -> None:
    keyed: list[int] = []
    activated: list[object] = []
    chosen: list[object] = []
    canvas.key_pressed.connect(keyed.append)
    canvas.activated.connect(activated.append)
    canvas.chosen.connect(chosen.append)
    for key in (Key.Key_Left, Key.Key_Down, Key.Key_Backspace, Key.Key_Return, Key.Key_Escape):
        qtbot.keyClick(canvas, key)  # nothing is chosen: Enter and Escape mean nothing
    assert keyed == [Key.Key_Left, Key.Key_Down, Key.Key_Backspace] and activated == chosen == []
    canvas.highlights.selected = "model/layers.0"
    for key in (Key.Key_Return, Key.Key_Enter, Key.Key_Escape):
        qtbot.keyClick(canvas, key)
    assert activated == ["model/layers.0"] * 2 and chosen == [None]


def test_a_click_chooses_and_a_drag_moves_and_chooses_nothing(canvas: GraphCanvas, qtbot: QtBot) -> None:
    chosen: list[object] = []
    canvas.chosen.connect(chosen.append)
    at = middle(canvas, "model/rotary_emb")
    qtbot.mouseClick(canvas, Button.LeftButton, pos=at)
    assert chosen == ["model/rotary_emb"] and canvas.hasFocus()
    before = QPoint(canvas.offset)
    qtbot.mousePress(canvas, Button.LeftButton, pos=at)
    qtbot.mouseMove(canvas, at + QPoint(2, 2))  # a hand is never quite still
    assert canvas.offset == before
    qtbot.mouseMove(canvas, at + QPoint(30, 20))
    assert canvas.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    qtbot.mouseRelease(canvas, Button.LeftButton, pos=at + QPoint(30, 20))
    assert canvas.offset - before == QPoint(30, 20) and len(chosen) == 1
    assert canvas.cursor().shape() != Qt.CursorShape.ClosedHandCursor
    qtbot.mouseClick(canvas, Button.LeftButton, pos=QPoint(799, 1))
    assert chosen[1:] == [None]  # beside every box


def test_what_is_pointed_at_is_reported_once_and_no_more_when_the_pointer_leaves(
    canvas: GraphCanvas, qtbot: QtBot
) -> None:
    told: list[object] = []
    canvas.hovered.connect(told.append)
    at = middle(canvas, "model/rotary_emb")
    for point in (at, at + QPoint(1, 0), QPoint(799, 1), at):
        qtbot.mouseMove(canvas, point)
    canvas._set_hovered(None)
    assert told == ["model/rotary_emb", None, "model/rotary_emb", None]


def test_a_box_as_text(canvas: GraphCanvas) -> None:
    assert canvas.scene is not None

    def words(key: int | str) -> str:
        assert canvas.scene is not None
        found = canvas.scene.find(key)
        assert found is not None
        return canvas.describe(found[0])

    count = canvas.scene.outline.scopes["model/layers.1"].total
    assert words("model/layers.1") == f"Scope model/layers.1, closed. {count} nodes"
    assert words("model").startswith("Scope model, open. ")
    place = next(n.index for n in canvas.scene.graph.nodes if n.scope == "model" and n.op == "Cast")
    assert words(place).splitlines()[::2] == ["Cast", f"↗ val_{place}: float32 1 × tokens × 128"]
    canvas.show_scene(None)
    assert canvas.box_at(QPoint(5, 5)) is None
