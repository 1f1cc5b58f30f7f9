"""Reading graphs and differences: who makes a value, who takes it, what a malformed answer says."""

from __future__ import annotations

import pytest

from app.graph_scene.indexed_graph import IndexedGraph, join_indices, read_graph
from app.graph_scene.scope_tree import read_scope_tree
from app.jobs.time_slices import run_at_once
from tests.fakes.graphs import Maker, decoder, diff_of, small
from workflows.wire.requests import GraphReference


def test_producers_and_consumers() -> None:
    maker = Maker()
    x = maker.input("x", [1])
    a = maker.node("", "Relu", x)
    b = maker.node("", "Add", a, a)
    maker.output(maker.node("", "Mul", a, b), "y")
    graph: IndexedGraph = run_at_once(read_graph(maker.answer()))
    assert [n.op for n in graph.nodes] == ["Relu", "Add", "Mul"]
    assert graph.targets({0}) == {1, 2}
    assert graph.sources({2}) == {0, 1}
    assert graph.sources({0, 1, 2}) == graph.targets({1, 2}) == set()
    assert graph.consumers[a] == [1, 2]
    assert graph.producer[x] == -1
    assert graph.values[graph.outputs[0]].name == "y"


def test_stages_and_their_parity() -> None:
    graph: IndexedGraph = run_at_once(read_graph(small()))
    assert [s.name for s in graph.stages] == ["export", "fuse-rmsnorm", "final"]
    parity = graph.stages[1].parity
    assert parity is not None and parity.max_abs_diff == 1.9e-6 and parity.greedy_equal == 32
    assert graph.stages[0].parity is None
    assert graph.stages[1].refused[0].reason == "The norm has two consumers."
    assert graph.where == GraphReference("/b/demo", "decode", "final")


def test_numbers_belong_to_what_they_count() -> None:
    assert [join_indices(s) for s in ("model/layers/3/mlp", "blocks/0/1/x", "layers.3/mlp", "h/12", "v2/a", "")] == [
        "model/layers.3/mlp",
        "blocks.0.1/x",
        "layers.3/mlp",
        "h.12",
        "v2/a",
        "",
    ]
    maker = Maker()
    x = maker.input("x", [1])
    for scope in ("model/layers/0/mlp", "model/layers.1/mlp/act"):
        x = maker.node(scope, "Relu", x)
    graph: IndexedGraph = run_at_once(read_graph(maker.answer()))
    assert [n.scope for n in graph.nodes] == ["model/layers.0/mlp", "model/layers.1/mlp/act"]
    asked = ("model/layers.0/mlp", "model/layers.0", "model/layers.1/mlp", "model", "elsewhere")
    assert [graph.module(path) for path in asked] == [
        "model/layers/0/mlp",
        "model/layers/0",
        "model/layers.1/mlp",
        "model",
        "elsewhere",
    ]


def test_types_as_text() -> None:
    maker = Maker()
    maker.input("x", [1, "tokens"])
    maker.value("scalar", [])
    maker.value("unknown", None)
    graph: IndexedGraph = run_at_once(read_graph(maker.answer()))
    assert [v.type for v in graph.values] == ["float32 1 × tokens", "float32 scalar", "float32 ?"]


def test_difference() -> None:
    diff = diff_of(small())
    assert diff.counts == {"same": 87, "removed": 10, "added": 5, "changed": 5}
    outline = run_at_once(read_scope_tree(run_at_once(read_graph(diff.graph))))
    assert outline.root.changes == {"removed": 10, "added": 5, "changed": 5}
    assert outline.scopes["model/norm"].changes == {"removed": 2, "added": 1, "changed": 1}


def test_node_that_takes_a_value_that_is_not_there() -> None:
    maker = Maker()
    maker.node("", "Relu", 99)
    with pytest.raises(ValueError, match="the graph cannot be read"):
        run_at_once(read_graph(maker.answer()))


def test_outline_and_overview() -> None:
    graph: IndexedGraph = run_at_once(read_graph(decoder(24).answer()))
    outline = run_at_once(read_scope_tree(graph))
    layer = outline.scopes["model/layers.3"]
    assert (layer.name, layer.total) == ("layers.3", len(outline.all_nodes(layer)))
    assert [s.path for s in layer.line] == ["", "model", "model/layers.3"]
    assert outline.root.total == len(graph.nodes)
    assert outline.overview() == {"", "model", "lm_head", "model/embed_tokens", "model/rotary_emb", "model/norm"}
    assert outline.nearest("model/layers.3/none/such").path == "model/layers.3"


def test_scopes_without_references_in_a_circle() -> None:
    """Graphs are kept out of the garbage collector's sight, so what they are made of has to go by itself."""
    import gc
    import weakref

    class Seen(dict):  # type: ignore[type-arg]
        """A dictionary that can be watched."""

    gc.disable()
    try:
        outline = run_at_once(read_scope_tree(run_at_once(read_graph(small()))))
        outline.scopes = Seen(outline.scopes)
        gone = weakref.ref(outline.scopes)
        del outline
        assert gone() is None
    finally:
        gc.enable()
