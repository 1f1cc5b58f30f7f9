"""A picture drawn band by band is the one that is drawn at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from app.graph_scene.indexed_graph import read_graph
from app.graph_scene.scene import Scene
from app.graph_scene.scope_tree import read_scope_tree
from app.inspect.graph import scene_painter
from app.inspect.graph.scene_painter import ScenePainter
from app.jobs.time_slices import run_at_once
from tests.fakes.graphs import decoder_graph


@pytest.fixture
def scene() -> Scene:
    """A decoder with all of its scopes open."""
    graph = run_at_once(read_graph(decoder_graph(200)))
    outline = run_at_once(read_scope_tree(graph))
    made = Scene(graph, outline, set(outline.scopes))
    run_at_once(made.build())
    return made


@pytest.mark.parametrize("scale", [0.1, 0.35, 1.0])
def test_bands_come_to_the_same_picture(
    qtbot: Any, monkeypatch: pytest.MonkeyPatch, scene: Scene, scale: float
) -> None:
    monkeypatch.setattr(scene_painter, "BAND_NODES", 20)
    area, corner, art = QRectF(0, 0, scene.root.width, scene.root.height), QPointF(3, 5), ScenePainter()
    pictures = []
    for _ in range(2):
        image = QImage(round(area.width() * scale) + 8, round(area.height() * scale) + 8, QImage.Format.Format_RGB32)
        image.fill(art.paper)
        pictures.append(image)
    painter = QPainter(pictures[0])
    painter.translate(corner)
    painter.scale(scale, scale)
    art.draw(painter, scene, area, scale)
    painter.end()
    steps = sum(1 for _ in scene_painter.draw_in_bands(pictures[1], art, scene, area, scale, corner))
    assert steps == len(scene.graph.nodes) // 20 > 5
    one, other = (np.frombuffer(image.constBits(), np.uint8).astype(np.int16) for image in pictures)
    assert np.abs(one - other).max() < 64  # the edge of a letter; a line that lacks is twice that
    assert scale != 0.1 or pictures[0] == pictures[1]  # where nothing is antialiased


def test_boxes_of_a_part_are_those_that_reach_into_it(scene: Scene) -> None:
    every = [box.key for box, _, _ in scene.boxes_within((0, 0, scene.root.width, scene.root.height))]
    nodes, scopes = range(len(scene.graph.nodes)), filter(None, scene.outline.scopes)
    assert sorted(map(str, every)) == sorted(map(str, [*nodes, *scopes]))
    part = (100.0, 300.0, 400.0, 900.0)
    for box, x, y in scene.boxes_within(part):
        assert scene.find(box.key) == (box, x, y)
        assert x <= part[2] and x + box.w >= part[0] and y <= part[3] and y + box.h >= part[1]


def test_boxes_that_stand_for_nodes(scene: Scene) -> None:
    nodes = range(len(scene.graph.nodes))
    scene.open({"", "model"})
    assert scene.visible_boxes(nodes) == {scene.visible_box(node) for node in nodes}
    assert len(scene.visible_boxes(nodes)) < len(nodes)
