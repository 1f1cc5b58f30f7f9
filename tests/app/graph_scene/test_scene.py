"""Boxes, links and ports of open scopes; opening and closing; finding a box by its place and by its name."""

from __future__ import annotations

from itertools import pairwise

from app.graph_scene.boxes import HEAD, PAD, Port, shorten
from app.graph_scene.indexed_graph import IndexedGraph, read_graph
from app.graph_scene.level_reader import operator_kind
from app.graph_scene.scene import Scene
from app.graph_scene.scope_tree import read_scope_tree
from app.jobs.time_slices import run_at_once
from tests.fakes.graphs import Maker, decoder, decoder_graph, diff_of, flat_graph, small
from workflows.wire.reports.graphs import GraphReport


def scene_of(answer: GraphReport, *opened: str) -> Scene:
    graph: IndexedGraph = run_at_once(read_graph(answer))
    scene = Scene(graph, run_at_once(read_scope_tree(graph)), set(opened))
    run_at_once(scene.build())
    return scene


def ports(scene: Scene, key: int | str) -> set[tuple[str, str, bool]]:
    found = scene.find(key)
    assert found is not None
    return {(p.text, p.kind, p.inward) for p in found[0].ports}


def test_closed_scopes_are_boxes_with_their_lines() -> None:
    scene = scene_of(decoder(6).answer(), "model")
    model = scene.root.by_key["model"]
    assert model.inner is not None
    lines = {(k.source, k.target) for k in model.inner.drawn}
    assert {("model/layers.0", "model/layers.1"), ("model/layers.5", "model/norm")} <= lines
    assert ("model", "lm_head") in scene.root.lines
    assert scene.has_line("model/layers.0", "model/layers.1")
    assert not scene.has_line("model", "model/layers.0")


def test_inputs_outputs_and_far_ends_are_ports() -> None:
    scene = scene_of(decoder(6).answer(), "model")
    assert ("past_key_values.4.key", "input", True) in ports(scene, "model/layers.4")
    assert ("present.4.key", "output", False) in ports(scene, "model/layers.4")
    assert ("rotary_emb", "link", True) in ports(scene, "model/layers.4")
    assert ("layers.4", "link", False) in ports(scene, "model/rotary_emb")
    assert ("logits", "output", False) in ports(scene, "lm_head")


def test_a_port_leads_out_of_an_open_scope() -> None:
    scene = scene_of(decoder(2).answer(), "model", "model/layers.1")
    (port,) = [p for p in scene.find("model/layers.1/input_layernorm")[0].ports if p.inward]  # type: ignore[index]
    assert port.text == "layers.0"
    assert scene.graph.nodes[port.node].scope == "model/layers.0"


def test_only_some_ports_are_named() -> None:
    scene = scene_of(decoder(9).answer(), "model")
    box = scene.find("model/rotary_emb")[0]  # type: ignore[index]
    lines = [text for text, _ in box.lines()]
    assert lines[0] == "2 nodes" and lines[-1] == "↗ +5"
    assert Port("x", "link", True, count=3).line == "↘ x ×3"


def test_open_and_close_lay_out_what_changed_alone() -> None:
    scene = scene_of(decoder(3).answer(), "model")
    root = scene.root
    before = root.height
    scene.open({"model", "model/layers.1"})
    run_at_once(scene.build())
    assert scene.root is root and root.height > before
    inner = scene.find("model/layers.1/self_attn")
    assert inner is not None
    scene.open({"model"})
    run_at_once(scene.build())
    assert root.height == before
    assert scene.find("model/layers.1/self_attn") is None


def test_a_scene_that_is_left_goes_bit_by_bit() -> None:
    scene = scene_of(flat_graph(1000))
    level = scene.root
    boxes = len(level.boxes)
    left = [len(level.boxes) for _ in scene.release()]
    assert left[0] == boxes and left[-1] == 0
    assert max(a - b for a, b in pairwise(left)) <= 200
    assert not level.links and not level.by_key and not list(level.boxes_in(0, 1e9)) and scene.root is not level


def test_what_is_at_a_point() -> None:
    scene = scene_of(decoder(2).answer(), "model", "model/layers.1")
    for key in ("model/layers.1/self_attn", "model/norm", "lm_head"):
        found = scene.find(key)
        assert found is not None
        box, x, y = found
        hit = scene.at(x + box.w / 2, y + box.h / 2)
        assert hit is not None and hit[0].key == key and hit[1:] == (x, y)
    model = scene.root.by_key["model"]
    header = scene.at(model.x + 4, model.y + 4)
    assert header is not None and header[0] is model
    assert scene.at(-50, -50) is None


def test_inner_boxes_lie_within_their_frame() -> None:
    answer = decoder_graph(200)
    scene = scene_of(answer, *{n.scope for n in answer.nodes}, "model", "model/layers.0")
    for scope in scene.outline.scopes.values():
        frame, inside = scene.find(scope.path), [scene.find(c.path) for c in scene.outline.children(scope)]
        for one in inside:
            if one is None or frame is None:
                continue
            assert frame[1] + PAD <= one[1] + 1e-6
            assert frame[2] + HEAD <= one[2] + 1e-6
            assert one[1] + one[0].w <= frame[1] + frame[0].w + 1e-6
            assert one[2] + one[0].h <= frame[2] + frame[0].h + 1e-6


def test_shown_is_the_outermost_closed_scope() -> None:
    scene = scene_of(decoder(2).answer(), "model")
    node = next(n.index for n in scene.graph.nodes if n.scope == "model/layers.1/self_attn/q_proj")
    assert scene.visible_box(node) == "model/layers.1"
    scene.open({"model", "model/layers.1", "model/layers.1/self_attn", "model/layers.1/self_attn/q_proj"})
    assert scene.visible_box(node) == node


def test_scopes_in_a_circle() -> None:
    """Two scopes that feed each other cannot both be above the other: one way is a line, the other two ports."""
    maker = Maker()
    a = maker.node("one", "Relu", maker.input("x", [1]))
    b = maker.node("two", "Relu", a)
    maker.output(maker.node("one", "Add", a, b), "y")
    scene = scene_of(maker.answer())
    assert scene.root.lines == {("one", "two")}
    assert ("two", "link", True) in ports(scene, "one")
    assert ("one", "link", False) in ports(scene, "two")


def test_without_a_line_in_rows() -> None:
    maker = Maker()
    for _ in range(60):
        maker.node("", "RandomNormal")
    scene = scene_of(maker.answer())
    assert scene.root.width <= 1300 and len({b.y for b in scene.root.boxes}) > 2


def test_part_of_a_level() -> None:
    scene = scene_of(flat_graph(300))
    level = scene.root
    top, bottom = level.height / 3, level.height / 2
    expected = {b.key for b in level.boxes if b.y < bottom and b.y + b.h >= top}
    assert {b.key for b in level.boxes_in(top, bottom)} == expected
    wrapping = {id(k) for k in level.drawn if k.wraps}
    lines = {id(k) for k in level.drawn if k.points[0][1] < bottom and k.points[-1][1] >= top}
    assert wrapping and {id(k) for k in level.links_in(top, bottom)} == lines | wrapping


def test_changes_show_on_boxes_and_scopes() -> None:
    graph = run_at_once(read_graph(diff_of(small()).graph))
    outline = run_at_once(read_scope_tree(graph))
    scene = Scene(graph, outline, {"", "model"})
    run_at_once(scene.build())
    box = scene.find("model/norm")[0]  # type: ignore[index]
    assert box.change == "changed" and "−2 +1 ~1" in box.detail
    scene.open({"", "model", "model/norm"})
    run_at_once(scene.build())
    level = scene.find("model/norm")[0].inner  # type: ignore[index]
    assert level is not None
    assert {b.title: b.change for b in level.boxes}["Pow"] == "removed"
    assert "removed" in {k.change for k in level.links}


def test_words() -> None:
    assert shorten("a" * 40) == "a" * 15 + "…" + "a" * 16
    assert shorten("SkipSimplifiedLayerNormalization") == "SkipSimplifiedLayerNormalization"  # the longest operator
    assert operator_kind("GroupQueryAttention") == "attention"
    assert [
        operator_kind(op) for op in ("MatMulNBits", "SkipSimplifiedLayerNormalization", "Gelu", "If", "Reshape")
    ] == [
        "matrix",
        "norm",
        "activation",
        "control",
        "",
    ]
