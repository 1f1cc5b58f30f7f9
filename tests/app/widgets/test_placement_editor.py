"""Components elsewhere: a box each, folded away until someone asks, what is chosen stays."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.widgets.placement_editor import PlacementEditor
from tests.fakes.worker import CPU, DML, QNN


@pytest.fixture
def part(qtbot: Any) -> PlacementEditor:
    made = PlacementEditor()
    qtbot.addWidget(made)
    made.set_devices([CPU, QNN, DML])
    made.set_components(["encoder", "decoder"])
    return made


def test_all_run_where_all_run_until_one_is_moved(qtbot: Any, part: PlacementEditor) -> None:
    assert part.chosen == {} and list(part.boxes) == ["encoder", "decoder"]
    assert part.boxes["encoder"].accessibleName() == "Provider of encoder"
    with qtbot.waitSignal(part.changed):
        qtbot.keyClick(part.boxes["encoder"], Qt.Key.Key_Down)
    assert part.chosen == {"encoder": "cpu"}
    qtbot.keyClick(part.boxes["encoder"], Qt.Key.Key_Down)
    qtbot.keyClick(part.boxes["encoder"], Qt.Key.Key_Down)  # DirectML is greyed
    assert part.chosen == {"encoder": "qnn"}
    qtbot.keyClick(part.boxes["encoder"], Qt.Key.Key_Home)
    assert part.chosen == {}


def test_the_link_unfolds_and_folds(qtbot: Any, part: PlacementEditor) -> None:
    part.show()
    assert not part.boxes["decoder"].isVisible()
    qtbot.mouseClick(part.more, Qt.MouseButton.LeftButton)
    assert part.boxes["decoder"].isVisible()
    qtbot.keyClick(part.more, Qt.Key.Key_Space)
    assert not part.boxes["decoder"].isVisible()


@pytest.mark.parametrize(
    ("place", "chosen", "unfolds"),
    [({}, {}, False), ({"decoder": "qnn"}, {"decoder": "qnn"}, True), ({"vision": "qnn"}, {}, False),
     ({"decoder": "dml"}, {}, True)],
)  # fmt: skip
def test_a_session_is_followed(
    qtbot: Any, part: PlacementEditor, place: dict[str, str], chosen: dict[str, str], unfolds: bool
) -> None:
    with qtbot.assertNotEmitted(part.changed):
        part.show_placement(place)
    assert part.chosen == chosen and part._body.isHidden() != unfolds


@pytest.mark.parametrize("names", [["decoder"], []])
def test_one_component_has_no_other_to_differ_from(part: PlacementEditor, names: list[str]) -> None:
    part.set_components(names)
    assert part.boxes == {} and part.isHidden() and part.chosen == {}


def test_another_bundle_begins_anew_and_the_same_one_does_not(part: PlacementEditor) -> None:
    part.show_placement({"decoder": "qnn"})
    part.set_components(["encoder", "decoder"])
    assert part.chosen == {"decoder": "qnn"}
    part.set_components(["prefill", "decoder"])
    assert part.chosen == {} and list(part.boxes) == ["prefill", "decoder"]


def test_a_choice_stays_while_it_is_offered(part: PlacementEditor) -> None:
    part.show_placement({"decoder": "qnn"})
    part.set_devices([CPU, QNN])
    assert part.chosen == {"decoder": "qnn"}
    part.set_offers([("CPU", "cpu", "")])
    assert part.chosen == {}
