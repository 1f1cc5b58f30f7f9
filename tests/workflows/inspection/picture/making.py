"""Composites to draw: compiled from signatures by hand, and random ones."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from workflows.bundle.schema import Pipeline, parse_pipeline
from workflows.common.tensors import TensorSpec
from workflows.inspection.picture.composite import composite_of
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.signature import FileSignature
from workflows.wire.reports.composite import (
    ComponentSession,
    Composite,
    CompositeEdge,
    CompositeFeed,
    CompositeOutput,
    CompositeState,
    CompositeTensor,
    LayerGroup,
)

Specs = dict[str, tuple[tuple[int | str, ...], str]]  # name → shape, type
IDS: Specs = {"input_ids": ((1, "n"), "int64")}
HIDDEN: Specs = {"hidden": ((1, "n", 8), "float32")}
ROWS: Specs = {"rows": ((1, "m", 8), "float32")}
LOGITS: Specs = {"logits": ((1, "n", 50), "float32")}
CROSS: Specs = {f"cross.{i}.{role}": ((1, 2, "source", 4), "float32") for i in (0, 1) for role in ("key", "value")}
SOURCE: Specs = {"source_mask": ((1, 1, 1, "source"), "float32")}
DRIVERS: Specs = {"position_ids": ((1, "n"), "int64"), "attention_mask": ((1, 1, "n", "total"), "float32")}


def cache(*widths: int) -> tuple[Specs, Specs]:
    """Past and present of layers with these head sizes."""
    past, present = Specs(), Specs()
    for layer, size in enumerate(widths):
        for role in ("key", "value"):
            past[f"past_key_values.{layer}.{role}"] = (1, 2, "slots", size), "float32"
            present[f"present.{layer}.{role}"] = (1, 2, "n", size), "float32"
    return past, present


def graph(inputs: Specs, outputs: Specs, **metadata: Any) -> FileSignature:
    """The signature of a graph with these tensors."""
    sides = [tuple(TensorSpec(name, *spec) for name, spec in side.items()) for side in (inputs, outputs)]
    return FileSignature(*sides, {key: json.dumps(value) for key, value in metadata.items()})


def read(
    graphs: dict[str, FileSignature], flow: list[str], edges: list[str], state: dict[str, Any] | None = None
) -> Composite:
    """The composite of these graphs; flow: `session when`, edges: `session.tensor session.tensor`."""
    pipeline = described(graphs, flow, edges, {"kv_cache": {}} if state is None else state)
    program = compile_program(pipeline, graphs) if pipeline.pipeline.state.kv_cache else None
    return composite_of(pipeline, graphs, program)


def described(graphs: dict[str, FileSignature], flow: list[str], edges: list[str], state: dict[str, Any]) -> Pipeline:
    """The parsed file."""
    data = {
        "pipeline": {
            "sessions": {name: {"file": f"{name}.onnx"} for name in graphs},
            "flow": [dict(zip(("run", "when"), stage.split(), strict=True)) for stage in flow],
            "dataflow": [dict(zip(("from", "to"), edge.split(), strict=True)) for edge in edges],
            "state": state,
        },
        "generation": {"max_length": 32},
        "metadata": {"model_type": "any", "name": "small", "vocabulary": 50},
    }
    return parse_pipeline(data, "the file")


def decoder(*widths: int, **metadata: Any) -> Composite:
    """One graph over a cache whose layers have these head sizes."""
    past, present = cache(*widths)
    return read({"decoder": graph({**IDS, **DRIVERS, **past}, {**LOGITS, **present}, **metadata)}, ["decoder step"], [])


def seams(table: str = "table", first: str = "first", later: str = "later", head: str = "head") -> Composite:
    """Embeddings, two bodies and a head, under any names."""
    past, present = cache(4)
    body = graph({**HIDDEN, **DRIVERS, **past}, {**HIDDEN, **present})
    graphs = {table: graph(IDS, HIDDEN), first: body, later: body, head: graph(ROWS, LOGITS)}
    flow = [f"{name} {when}" for when, own in (("init", first), ("step", later)) for name in (table, own, head)]
    pairs = [(f"{table}.hidden", f"{name}.hidden") for name in (first, later)]
    pairs += [(f"{name}.hidden", f"{head}.rows") for name in (first, later)]
    return read(graphs, flow, [" ".join(pair) for pair in pairs])


def encoder_decoder(reader: str = "reader", writer: str = "writer") -> Composite:
    """A decoder behind an encoder, under any names."""
    past, present = cache(4)
    graphs = {
        reader: graph({"input_ids": ((1, "source"), "int64"), **SOURCE}, CROSS),
        writer: graph({**IDS, **DRIVERS, **past, **CROSS, **SOURCE}, {**LOGITS, **present}),
    }
    edges = [f"{reader}.{name} {writer}.{name}" for name in CROSS]
    state = {"kv_cache": {}, "cross_cache": {"source": reader}}
    return read(graphs, [f"{reader} init", f"{writer} step"], edges, state)


NAMES = st.text(min_size=1, max_size=40)
SHAPES = st.lists(st.integers(0, 99_999) | st.text(max_size=12), max_size=5).map(tuple)
TENSORS = st.builds(CompositeTensor, NAMES, SHAPES, st.sampled_from(["float32", "int64", "bfloat16"]))
KINDS = st.sampled_from(["cache", "carried", "another"])  # what is handed over once has an order of its own
RUNS = st.lists(st.sampled_from(["source", "prefill", "decode", "final"]), unique=True).map(tuple)


@st.composite
def composites(draw: st.DrawFn) -> Composite:
    """Up to ten sessions with any names, joined by edges without a circle, and states among them."""
    names = draw(st.lists(NAMES, min_size=1, max_size=10, unique=True))
    sessions = tuple(ComponentSession(name, draw(NAMES), draw(NAMES), draw(RUNS)) for name in names)
    pairs = [(one, other) for i, one in enumerate(names) for other in names[i + 1 :]]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=20)) if pairs else []
    edges = tuple(
        CompositeEdge((one, tensor.name), (other, draw(NAMES)), tensor, draw(RUNS))
        for one, other in chosen
        for tensor in [draw(TENSORS)]
    )
    some = st.lists(st.sampled_from(names), max_size=3, unique=True).map(tuple)
    rows = st.lists(TENSORS, max_size=9).map(tuple)
    layers = st.lists(st.builds(LayerGroup, st.sampled_from([(0, 1, 3), ()]), rows.filter(bool)), max_size=6).map(tuple)
    kept = st.builds(CompositeState, NAMES, KINDS, st.sampled_from(["host", "graph"]), layers, some, some, RUNS)
    feeds = tuple(
        CompositeFeed(kind, name, draw(rows), draw(RUNS))
        for name in draw(some)
        for kind in draw(st.sets(NAMES, max_size=2))
    )
    outputs = tuple(CompositeOutput(name, draw(rows), draw(RUNS)) for name in draw(some))
    states = tuple(draw(st.lists(kept, max_size=3)))
    return Composite(draw(NAMES), ("source", "prefill", "decode", "final"), sessions, edges, states, feeds, outputs)
