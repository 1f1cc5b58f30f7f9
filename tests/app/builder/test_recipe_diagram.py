"""The recipe as a drawing: where its boxes stand, which edges leap over one, and what is said of it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pytestqt.qtbot import QtBot

from app.builder.recipe_diagram import RecipeDiagram
from app.widgets.theme import theme
from workflows.wire.reports.plan import PlanComponent, PlanEdge


def box(name: str) -> PlanComponent:
    return PlanComponent(name, name, ["ids"], ["logits"])


def flow(source: str, target: str) -> PlanEdge:
    return PlanEdge(f"{source}.out", f"{target}.in", "dataflow")


def cache(source: str, target: str) -> PlanEdge:
    return PlanEdge(f"{source}.present", f"{target}.past", "cache")


PARTS = [box(name) for name in ("embed", "prefill", "decode", "head")]


@pytest.fixture
def diagram(qtbot: QtBot) -> RecipeDiagram:
    made = RecipeDiagram()
    qtbot.addWidget(made)
    return made


def shown(diagram: RecipeDiagram, boxes: list[PlanComponent], *edges: PlanEdge, width: int = 1000) -> RecipeDiagram:
    diagram.set_plan(boxes, list(edges), "static 4096")
    diagram.resize(width, diagram.sizeHint().height())
    return diagram


@pytest.mark.parametrize("width", [400, 1000, 3000])
def test_boxes_stand_in_a_row_in_their_order_and_within_the_width(diagram: RecipeDiagram, width: int) -> None:
    places = list(shown(diagram, PARTS, width=width).boxes().values())
    assert list(diagram.boxes()) == ["embed", "prefill", "decode", "head"]
    assert all(left.right() < right.left() for left, right in pairwise(places))
    assert len({round(place.width(), 3) for place in places}) == 1 and places[-1].right() <= width
    assert len({place.top() for place in places}) == 1


@pytest.mark.parametrize(
    ("edges", "leaps"),
    [
        ([flow("embed", "prefill"), flow("prefill", "decode")], 0),
        ([flow("embed", "decode")], 1),
        ([flow("embed", "decode"), flow("embed", "head"), flow("decode", "head")], 2),
        ([cache("embed", "head")], 0),  # it goes by the bar below
        ([flow("head", "embed")], 0),
    ],
)
def test_an_edge_that_leaps_over_a_box_has_room_of_its_own_above(
    diagram: RecipeDiagram, edges: list[PlanEdge], leaps: int
) -> None:
    plain = shown(diagram, PARTS).boxes()["embed"].top()
    height = diagram.sizeHint().height()
    top = shown(diagram, PARTS, *edges).boxes()["embed"].top()
    assert len(diagram._leaps()) == leaps
    assert (top > plain) == (diagram.sizeHint().height() > height) == bool(leaps)


def test_edges_are_said_to_who_cannot_see_them(diagram: RecipeDiagram) -> None:
    shown(diagram, PARTS, flow("embed", "prefill"), cache("prefill", "decode"))
    assert diagram.accessibleDescription() == (
        "embed.out → prefill.in (dataflow); prefill.present → decode.past (cache)"
    )


def pixels(diagram: RecipeDiagram, color: str) -> set[tuple[int, int]]:
    image = diagram.grab().toImage()
    wanted = theme().color(color).rgb()
    return {(x, y) for x in range(image.width()) for y in range(image.height()) if image.pixel(x, y) == wanted}


def test_the_cache_has_a_bar_under_those_that_share_it_alone(diagram: RecipeDiagram) -> None:
    shown(diagram, PARTS[:3], cache("prefill", "decode"), width=300)
    boxes = diagram.boxes()
    drawn = pixels(diagram, "cache")
    assert drawn and min(x for x, _ in drawn) >= boxes["prefill"].left() - 1
    assert max(x for x, _ in drawn) <= boxes["decode"].right() + 1
    assert max(y for _, y in drawn) > boxes["prefill"].bottom()
    shown(diagram, PARTS[:2], flow("embed", "prefill"), width=300)
    assert not any(y > boxes["prefill"].bottom() for _, y in pixels(diagram, "cache"))


def test_ends_that_are_no_component_are_left_out(diagram: RecipeDiagram) -> None:
    """Data from outside the picture."""
    shown(diagram, PARTS[:1], flow("host", "embed"), flow("embed", "host"), cache("host", "host"), width=300)
    assert not diagram.grab().isNull() and not pixels(diagram, "cache")
    shown(diagram, [])
    assert diagram.boxes() == {} and not diagram.grab().isNull()


def test_a_build_lights_the_component_in_progress(diagram: RecipeDiagram) -> None:
    """Named by its name, or by its role: a graph is traced before the components of it have their names."""
    parts = [box("embed"), PlanComponent("first", "prefill", [], []), box("decode")]
    shown(diagram, parts)
    assert [diagram.state_of(part) for part in parts] == ["", "", ""]
    diagram.show_progress("prefill", {"embed"})
    assert [diagram.state_of(part) for part in parts] == ["done", "active", "waiting"]
    assert diagram.accessibleDescription() == "embed: done; first: active; decode: waiting"
    diagram.show_progress("", {"embed", "first", "decode"})
    assert {diagram.state_of(part) for part in parts} == {"done"}


def test_what_is_lit_looks_different(diagram: RecipeDiagram) -> None:
    def picture(active: str, *traced: str) -> bytes:
        diagram.show_progress(active, traced)
        return bytes(diagram.grab().toImage().constBits())

    shown(diagram, PARTS)
    pictures = [picture(""), picture("decode"), picture("", "decode"), picture("decode", "decode")]
    assert len(set(pictures)) == 3 and pictures[1] == pictures[3]
