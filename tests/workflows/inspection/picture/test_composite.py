"""composite_of: what a program decided, as plain data."""

from __future__ import annotations

import json

import pytest

from tests.workflows.inspection.picture.making import (
    CROSS,
    DRIVERS,
    HIDDEN,
    IDS,
    LOGITS,
    ROWS,
    cache,
    decoder,
    encoder_decoder,
    graph,
    read,
    seams,
)
from workflows.inspection.picture.composite import composite_of_graph
from workflows.kvcache import find_state
from workflows.kvcache.geometry import StatePatterns
from workflows.kvcache.state_inference import infer_facts
from workflows.wire import codec
from workflows.wire.reports.composite import (
    ComponentSession,
    Composite,
    CompositeEdge,
    CompositeState,
    CompositeTensor,
    LayerGroup,
)

BOTH = ("prefill", "decode")


def test_one_decoder() -> None:
    """It takes part in both runs; ids, positions and mask drive it; it reads and gives its cache."""
    found = decoder(4, 4)
    assert found.sessions == (ComponentSession("decoder", "decoder.onnx", "decoder", BOTH),)
    assert (found.name, found.runs, found.edges) == ("small", BOTH, ())
    (feed,) = found.feeds
    assert (feed.kind, feed.session, feed.runs) == ("driver", "decoder", BOTH)
    assert [tensor.name for tensor in feed.inputs] == ["input_ids", "position_ids", "attention_mask"]
    tensors = tuple(CompositeTensor(role, (1, 2, "slots", 4), "float32") for role in ("key", "value"))
    layers = (LayerGroup((0, 1), tensors),)
    assert found.states == (CompositeState("all", "cache", "host", layers, ("decoder",), ("decoder",), BOTH),)
    (output,) = found.outputs
    assert output.outputs == (CompositeTensor("logits", (1, "n", 50), "float32"),)


def test_seams() -> None:
    """Each edge with its shape, and the runs in which it feeds; one cache of two sessions."""
    found = seams()
    assert {one.name: one.runs for one in found.sessions} == {
        "table": BOTH, "first": ("prefill",), "later": ("decode",), "head": BOTH,
    }  # fmt: skip
    hidden = CompositeTensor("hidden", (1, "n", 8), "float32")
    assert set(found.edges) == {
        CompositeEdge(("table", "hidden"), ("first", "hidden"), hidden, ("prefill",)),
        CompositeEdge(("table", "hidden"), ("later", "hidden"), hidden, ("decode",)),
        CompositeEdge(("first", "hidden"), ("head", "rows"), hidden, ("prefill",)),
        CompositeEdge(("later", "hidden"), ("head", "rows"), hidden, ("decode",)),
    }
    (state,) = found.states
    assert (state.writers, state.readers, state.runs) == (("first", "later"), ("first", "later"), BOTH)
    assert {feed.session: [tensor.name for tensor in feed.inputs] for feed in found.feeds} == {
        "table": ["input_ids"],
        "first": ["position_ids", "attention_mask"],
        "later": ["position_ids", "attention_mask"],
    }


def test_encoder_and_decoder() -> None:
    """Keys and values that are handed over are a frozen state; the mask of the source is given to both."""
    found = encoder_decoder()
    assert found.runs == ("source", *BOTH) and found.edges == ()
    own, cross = found.states
    assert (own.name, own.frozen, own.writers, own.readers) == ("all", False, ("writer",), ("writer",))
    tensors = tuple(CompositeTensor(role, (1, 2, "source", 4), "float32") for role in ("key", "value"))
    layers = (LayerGroup((0, 1), tensors),)
    assert cross == CompositeState("cross", "cross", "graph", layers, ("reader",), ("writer",), ("source", *BOTH))
    given = {feed.session: (feed.runs, [t.name for t in feed.inputs]) for feed in found.feeds if feed.kind == "given"}
    assert given == {"reader": (("source",), ["input_ids", "source_mask"]), "writer": (BOTH, ["source_mask"])}


def test_hidden_states_from_an_encoder_are_an_edge() -> None:
    """What belongs to no layer is no cross state."""
    past, present = cache(4)
    graphs = {
        "reader": graph({"input_ids": ((1, "source"), "int64")}, {"states": ((1, "source", 8), "float32")}),
        "writer": graph({**IDS, **DRIVERS, **past, "states": ((1, "source", 8), "float32")}, {**LOGITS, **present}),
    }
    state = {"kv_cache": {}, "cross_cache": {"source": "reader"}}
    found = read(graphs, ["reader init", "writer step"], ["reader.states writer.states"], state)
    assert [(edge.source, edge.runs) for edge in found.edges] == [(("reader", "states"), BOTH)]
    assert [one.frozen for one in found.states] == [False]


def test_layers_are_distinguished_by_their_shapes() -> None:
    """Not by the first one's."""
    (state,) = decoder(4, 8, 4).states
    assert [(one.layers, one.tensors[0].shape) for one in state.layers] == [
        ((0, 2), (1, 2, "slots", 4)),
        ((1,), (1, 2, "slots", 8)),
    ]


def test_a_state_for_each_group() -> None:
    """As the graph notes them, with who writes."""
    groups = [
        {"name": "far", "mask": "attention_mask", "layers": [0], "window": None},
        {"name": "near", "mask": "attention_mask", "layers": [1], "window": 8},
    ]
    facts = {"writer": "host", "groups": groups, "left_aligned": False}
    found = decoder(4, 4, **{"joinery.kv": facts})
    assert [(one.name, one.writer, one.layers[0].layers) for one in found.states] == [
        ("far", "host", (0,)),
        ("near", "host", (1,)),
    ]


def test_what_is_carried_is_a_state() -> None:
    """Of the layers that are in its names; beside the cache."""
    past, present = cache(4)
    conv = {f"past_conv.{i}": ((1, 8, 2), "float32") for i in (0, 2)}
    after = {name.replace("past", "present"): spec for name, spec in conv.items()}
    one = graph({**IDS, **DRIVERS, **past, **conv}, {**LOGITS, **present, **after})
    found = read({"decoder": one}, ["decoder step"], [])
    (_, carried) = found.states
    assert (carried.kind, carried.writers, carried.readers, carried.runs) == (
        "carried",
        ("decoder",),
        ("decoder",),
        BOTH,
    )
    assert carried.layers == (LayerGroup((0, 2), (CompositeTensor("conv", (1, 8, 2), "float32"),)),)
    assert [tensor.name for feed in found.feeds for tensor in feed.inputs] == [*IDS, *DRIVERS]


def test_a_last_session_gives_its_outputs() -> None:
    """Of final nobody takes anything."""
    past, present = cache(4)
    graphs = {
        "decoder": graph({**IDS, **DRIVERS, **past}, {**LOGITS, **HIDDEN, **present}),
        "scorer": graph(HIDDEN, {"score": ((1, 1), "float32")}),
    }
    found = read(graphs, ["decoder step", "scorer final"], ["decoder.hidden scorer.hidden"])
    assert [(one.session, one.outputs[0].name, one.runs) for one in found.outputs] == [
        ("decoder", "logits", BOTH),
        ("scorer", "score", ("final",)),
    ]
    assert [edge.runs for edge in found.edges] == [("final",)]


def test_without_a_cache() -> None:
    """Sessions without runs; what no edge feeds is given, what no edge takes comes out."""
    graphs = {"body": graph(IDS, HIDDEN), "head": graph(ROWS, LOGITS)}
    found = read(graphs, ["body step", "head step"], ["body.hidden head.rows"], {})
    assert [one.runs for one in found.sessions] == [(), ()] and found.states == () and found.runs == ()
    assert [(feed.kind, feed.session, feed.inputs[0].name) for feed in found.feeds] == [("given", "body", "input_ids")]
    assert [(one.session, one.outputs[0].name) for one in found.outputs] == [("head", "logits")]
    assert [(edge.source, edge.target) for edge in found.edges] == [(("body", "hidden"), ("head", "rows"))]


def test_a_graph_alone() -> None:
    """One session; its cache is a state, and so are the keys and values that an encoder would hand over."""
    past, present = cache(4)
    alone = graph({**IDS, **DRIVERS, **past, **CROSS}, {**LOGITS, **present})
    state = find_state(alone.inputs, alone.outputs, StatePatterns())
    found = composite_of_graph("decoder", "decoder.onnx", alone, state, infer_facts(state, alone.inputs))
    assert [(one.name, one.frozen, one.writers, one.readers) for one in found.states] == [
        ("all", False, ("decoder",), ("decoder",)),
        ("cross", True, (), ("decoder",)),
    ]
    assert [tensor.name for tensor in found.feeds[0].inputs] == ["input_ids", "position_ids", "attention_mask"]
    assert [tensor.name for tensor in found.outputs[0].outputs] == ["logits"]


@pytest.mark.parametrize("composite", [decoder(4, 8), seams(), encoder_decoder()])
def test_json_and_back(composite: Composite) -> None:
    """What the worker sends is what the window reads."""
    assert codec.read(Composite, json.loads(codec.dumps(composite))) == composite
