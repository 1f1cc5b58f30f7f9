"""Which part of a scene is seen: limits of the scale, where a graph begins, and what comes into the middle."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from pytestqt.qtbot import QtBot

from app.graph_scene.scene import Scene
from app.inspect.graph.graph_canvas import GraphCanvas
from app.inspect.graph.graph_view import MAX_SIDE, MIN_SIDE, Minimap
from app.inspect.graph.viewport import MARGIN, MAX_SCALE, MIN_SCALE, MIN_START_SCALE, START_SCALE, Viewport
from app.widgets.theme import theme
from tests.app.graph_scene.test_scene import scene_of
from tests.fakes.graphs import Maker, decoder, flat_graph


@pytest.fixture
def view(qtbot: QtBot) -> Viewport:
    made = Viewport()
    qtbot.addWidget(made)
    made.resize(800, 600)
    return made


def chain(count: int) -> Scene:
    """Nodes under each other: a picture that is narrow and tall."""
    maker = Maker()
    x = maker.input("x", [1])
    for _ in range(count):
        x = maker.node("", "Relu", x)
    return scene_of(maker.answer())


def middle(view: Viewport) -> QPointF:
    return view.visible().center()


def test_without_a_scene_it_is_empty_and_nothing_moves(view: Viewport) -> None:
    view.fit()
    view.start()
    view.center_on(0)
    assert view.bounds() == QRectF(0, 0, 1, 1) and view.place_of(0) is None


@pytest.mark.parametrize(("factor", "limit"), [(1e6, MAX_SCALE), (1e-6, MIN_SCALE)])
def test_the_scale_has_limits_and_the_point_stays_there_too(view: Viewport, factor: float, limit: float) -> None:
    view.show_scene(chain(3))
    at = QPointF(100, 150)
    before = view.to_plane(QRectF(at, at)).topLeft()
    view.zoom(factor, at)
    after = view.to_plane(QRectF(at, at)).topLeft()
    assert view.scale == limit
    assert abs(after.x() - before.x()) * view.scale <= 1 and abs(after.y() - before.y()) * view.scale <= 1


def test_to_the_plane_and_back(view: Viewport) -> None:
    view.set_view(0.5, QPointF(30, -40))
    part = QRectF(10, 20, 200, 100)
    assert view.to_plane(part) == QRectF(-40, 120, 400, 200)
    assert view.to_screen(view.to_plane(part)) == part


def test_fit_shows_all_and_makes_nothing_larger_than_it_is(view: Viewport) -> None:
    small, tall = chain(2), chain(60)
    view.show_scene(small)
    view.fit()
    assert view.scale == 1.0 and view.visible().contains(view.bounds())
    view.show_scene(tall)
    view.fit()
    assert view.scale < 1.0 and view.visible().contains(view.bounds())
    assert view.to_screen(view.bounds()).height() == pytest.approx(600 - 2 * MARGIN, abs=2)
    view.fit(QRectF(0, 0, 100, 100), most=2.0)
    assert view.scale == 2.0 and middle(view).x() == pytest.approx(50, abs=1)


def test_a_large_graph_begins_at_its_beginning_and_can_be_read(view: Viewport) -> None:
    view.show_scene(chain(900))
    view.start()
    first = view.to_screen(view.place_of(0) or QRectF())
    assert view.scale == MIN_START_SCALE and first.left() == MARGIN and MARGIN <= first.top() <= 2 * MARGIN
    assert not view.visible().contains(view.bounds())


def test_a_narrow_graph_that_is_too_tall_is_centered_at_a_scale_that_is_easy_to_read(view: Viewport) -> None:
    view.resize(800, 250)
    view.show_scene(chain(12))
    view.start()
    assert view.scale == START_SCALE and view.to_screen(view.bounds()).top() == MARGIN
    assert view.to_screen(view.bounds()).center().x() == pytest.approx(400, abs=2)


def test_what_is_seen_already_does_not_move_and_what_is_not_comes_into_the_middle(view: Viewport) -> None:
    view.show_scene(chain(900))
    view.start()
    before = view.offset
    view.center_on(1)
    assert view.offset == before
    view.center_on(1, margin=1 / 6)
    assert (middle(view) - (view.place_of(1) or QRectF()).center()).manhattanLength() <= 4
    view.center_on(500)
    place = view.place_of(500)
    assert place is not None and view.offset != before
    assert (middle(view) - place.center()).manhattanLength() <= 2 / view.scale
    view.set_view(0.1, QPointF(0, 0))
    view.center_on(500)
    assert view.scale == MIN_START_SCALE  # where it can be read


def test_what_is_in_a_closed_scope_has_no_place(view: Viewport) -> None:
    scene = scene_of(decoder(2).answer(), "model")
    view.show_scene(scene)
    inside = next(n.index for n in scene.graph.nodes if n.scope == "model/layers.1/self_attn")
    assert view.place_of(inside) is None and view.place_of("no/such") is None and view.place_of(10**6) is None
    assert view.place_of("model/layers.1") is not None


# -- the overview ----------------------------------------------------------------------------------------------


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    made = GraphCanvas()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show_scene(scene_of(flat_graph(300)))
    made.start()
    made.show()
    return made


def test_the_overview_is_a_corner_and_a_click_goes_there(canvas: GraphCanvas, qtbot: QtBot) -> None:
    overview = Minimap(canvas, canvas)
    overview.redraw()
    assert MIN_SIDE <= overview.width() <= MAX_SIDE + 8 and MIN_SIDE <= overview.height() <= MAX_SIDE + 8
    overview.show()
    low = QPoint(overview.width() // 2, overview.height() - 8)
    qtbot.mouseClick(overview, Qt.MouseButton.LeftButton, pos=low)
    bounds = canvas.bounds()
    assert middle(canvas).y() > 0.9 * bounds.height()
    assert middle(canvas).x() == pytest.approx(bounds.center().x(), abs=0.02 * bounds.height())


def test_dragging_goes_along_and_the_pointer_alone_does_not(canvas: GraphCanvas, qtbot: QtBot) -> None:
    overview = Minimap(canvas, canvas)
    overview.redraw()
    overview.show()
    seen: list[float] = []
    canvas.moved.connect(lambda: seen.append(middle(canvas).y()))
    at = overview.rect().center()
    qtbot.mouseMove(overview, at)
    assert seen == []
    qtbot.mousePress(overview, Qt.MouseButton.LeftButton, pos=at)
    for step in (10, 20, 30):
        qtbot.mouseMove(overview, at + QPoint(0, step))
    qtbot.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=at + QPoint(0, 30))
    assert len(seen) >= 1 and seen == sorted(seen)


def test_what_is_seen_is_framed_in_the_theme_s_colour(canvas: GraphCanvas, qtbot: QtBot) -> None:
    overview = Minimap(canvas, canvas)
    overview.redraw()
    accent = theme().color("accent").name()

    def rows() -> list[int]:
        image = overview.grab().toImage()
        x = image.width() // 2
        return [y for y in range(image.height()) if image.pixelColor(x, y).name() == accent]

    top = rows()
    canvas.set_view(canvas.scale, QPointF(canvas.offset) - QPointF(0, canvas.bounds().height() * canvas.scale / 2))
    assert top and rows() and min(rows()) > min(top) and max(rows()) > max(top)
