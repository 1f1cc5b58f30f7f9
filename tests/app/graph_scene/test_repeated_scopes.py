"""Layers of one structure are put together: what makes two alike, what does not, and what the outline says of a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.graph_scene.indexed_graph import IndexedGraph, read_graph
from app.graph_scene.repeated_scopes import group_repeated_scopes, repeated_runs
from app.graph_scene.scene import Scene
from app.graph_scene.scope_tree import ScopeTree, read_scope_tree
from app.jobs.time_slices import run_at_once
from tests.fakes.graphs import Maker, decoder, diff_of

Odd = Callable[[Maker], None]


def layered(kinds: str, widths: dict[int, int] | None = None) -> Maker:
    """A stack of small layers: s takes the mask of the window, f the full one; `g` has another operator."""
    maker = Maker()
    x = maker.node("embed", "Gather", maker.weight("table", 8, 16), maker.input("ids", [1, "tokens"]))
    masks = {kind: maker.node("masks", "Where", maker.input(f"{kind}_mask", [1, "total"])) for kind in "sf"}
    for place, kind in enumerate(kinds):
        scope, width = f"model/layers.{place}", (widths or {}).get(place, 16)
        past = maker.input(f"past.{place}.key", [1, 2, "past", 8])
        y = maker.node(f"{scope}/attn", "MatMul", x, maker.weight(f"{scope}.w", 16, width))
        y = maker.node(f"{scope}/attn", "Concat", past, y, axis="2")
        y = maker.node(f"{scope}/attn", "Add", y, masks["f" if kind == "f" else "s"])
        x = maker.node(scope, "Gelu" if kind == "g" else "Add", x, y)
    maker.output(maker.node("head", "MatMul", x, maker.weight("head", 16, 8)), "logits")
    return maker


def read(maker: Maker) -> tuple[IndexedGraph, ScopeTree]:
    graph: IndexedGraph = run_at_once(read_graph(maker.answer()))
    return graph, run_at_once(read_scope_tree(graph))


def found(maker: Maker, parent: str = "model") -> list[tuple[str, int]]:
    graph, outline = read(maker)
    return [(run[0].name, len(run)) for run in run_at_once(repeated_runs(graph, outline, outline.scopes[parent]))]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ("sss", [("layers.0", 3)]),  # the first follows an embedding, the others a layer
        ("gss", [("layers.1", 2)]),
        ("ssg", [("layers.0", 2)]),
        ("sgs", []),
        ("sssssfsssssf", [("layers.0", 5), ("layers.6", 5)]),  # five with a window, one without, and again
        ("sfsf", []),
        ("s", []),
    ],
)
def test_runs_of_layers(kinds: str, expected: list[tuple[str, int]]) -> None:
    assert found(layered(kinds)) == expected


def test_other_shapes_and_attributes_are_no_likeness() -> None:
    assert found(layered("ssss", {2: 32})) == [("layers.0", 2)]
    maker = layered("ssss")
    odd = next(node for node in maker.nodes if (node.scope, node.op) == ("model/layers.1/attn", "Concat"))
    odd.attrs["axis"] = "1"
    assert found(maker) == [("layers.2", 2)]


def test_ties_count() -> None:
    """The same operators with their inputs the other way round."""
    maker = layered("ssss")
    node = next(node for node in maker.nodes if node.scope == "model/layers.3")
    node.inputs.reverse()
    assert found(maker) == [("layers.0", 3)]


def test_scopes_without_numbers_stay_separate() -> None:
    graph, outline = read(decoder(2))
    inside = outline.scopes["model/layers.0/self_attn"]
    assert {"q_proj", "k_proj", "v_proj"} <= {scope.name for scope in outline.children(inside)}
    assert run_at_once(repeated_runs(graph, outline, inside)) == []


def test_a_change_in_one_layer_sets_it_apart() -> None:
    graph, outline = read_diff()
    names = [
        [scope.name for scope in run] for run in run_at_once(repeated_runs(graph, outline, outline.scopes["model"]))
    ]
    assert all("layers.1" not in run for run in names)


def read_diff() -> tuple[IndexedGraph, ScopeTree]:
    report = diff_of(decoder(4).answer()).graph
    for node in report.nodes:
        if not node.scope.startswith("model/layers.1"):
            node.change = None
    graph: IndexedGraph = run_at_once(read_graph(report))
    return graph, run_at_once(read_scope_tree(graph))


def test_a_run_is_one_scope() -> None:
    graph, outline = read(decoder(28))
    run_at_once(group_repeated_scopes(graph, outline))
    group = outline.scopes["model/layers.0–27"]
    assert (group.name, group.repeat_count, len(group.children)) == ("layers.0–27", 28, 28)
    assert group.total == 28 * outline.scopes["model/layers.3"].total
    assert group.path in outline.scopes["model"].children and "model/layers.3" not in outline.scopes["model"].children
    inner = outline.scopes["model/layers.3/self_attn/q_proj"]
    assert [scope.path for scope in inner.above] == [
        "", "model", "model/layers.0–27", "model/layers.3", "model/layers.3/self_attn",
    ]  # fmt: skip
    assert outline.first_of(group.path) == "model/layers.0" and outline.first_of("model") == "model"
    assert "model/layers.0–27" not in outline.overview() and "model" in outline.overview()
    assert sorted(outline.all_nodes(outline.root)) == list(range(len(graph.nodes)))


def test_a_run_is_drawn_once_and_opens_into_its_layers() -> None:
    graph, outline = read(decoder(28))
    run_at_once(group_repeated_scopes(graph, outline))
    scene = Scene(graph, outline, {"model"})
    run_at_once(scene.build())
    inner = scene.root.by_key["model"].inner
    assert inner is not None
    box = inner.by_key["model/layers.0–27"]
    assert (box.title, box.detail) == ("layers.0–27 × 28", ["28 × 47 nodes"])
    assert ("model/layers.0–27", "model/norm") in inner.lines
    node = next(node.index for node in graph.nodes if node.scope == "model/layers.9/mlp")
    assert scene.visible_box(node) == "model/layers.0–27" and scene.find("model/layers.9") is None
    scene.open({"model", "model/layers.0–27"})
    run_at_once(scene.build())
    assert scene.visible_box(node) == "model/layers.9" and scene.find("model/layers.9") is not None
    assert scene.has_line("model/layers.8", "model/layers.9")
