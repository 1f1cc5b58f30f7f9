"""compile_program over signatures by hand: who feeds what, and every way in which a file and its graphs do not fit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from workflows.bundle.schema import parse_pipeline
from workflows.common.errors import BundleError, GraphError
from workflows.common.tensors import TensorSpec
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.program import Program
from workflows.runtime.program.signature import FileSignature

Specs = dict[str, tuple[tuple[int | str, ...], str]]  # name → shape, type
IDS: Specs = {"input_ids": ((1, "n"), "int64")}
HIDDEN: Specs = {"hidden": ((1, "n", 8), "float32")}
LOGITS: Specs = {"logits": ((1, "n", 50), "float32")}
CROSS: Specs = {"cross.0.key": ((1, 2, "source", 4), "float32")}
MASK: Specs = {"source_mask": ((1, 1, 1, "source"), "float32")}
PAST: Specs = {f"past_key_values.0.{role}": ((1, 2, "slots", 4), "float32") for role in ("key", "value")}
PRESENT: Specs = {f"present.0.{role}": ((1, 2, "n", 4), "float32") for role in ("key", "value")}
STEP: Specs = {"position_ids": ((1, "n"), "int64"), "attention_mask": ((1, 1, "n", "total"), "float32"), **PAST}


def graph(inputs: Specs, outputs: Specs) -> FileSignature:
    """The signature of a graph with these tensors."""
    sides = [tuple(TensorSpec(name, *spec) for name, spec in side.items()) for side in (inputs, outputs)]
    return FileSignature(*sides, {})


def composite() -> tuple[dict[str, Any], dict[str, FileSignature]]:
    """Encoder at init; table, body and head at each step: the decoded file and its graphs."""
    graphs = {
        "encoder": graph({"input_ids": ((1, "source"), "int64"), **MASK}, CROSS),
        "table": graph(IDS, HIDDEN),
        "body": graph({**HIDDEN, **STEP, **CROSS, **MASK}, {"given": ((1, "n", 8), "float32"), **PRESENT}),
        "head": graph({"rows": ((1, "m", 8), "float32")}, LOGITS),
    }
    data = {
        "pipeline": {
            "sessions": {name: {"file": f"{name}.onnx"} for name in graphs},
            "flow": [{"run": name, "when": "init" if name == "encoder" else "step"} for name in graphs],
            "dataflow": [
                {"from": "table.hidden", "to": "body.hidden"},
                {"from": "encoder.cross.0.key", "to": "body.cross.0.key"},
                {"from": "body.given", "to": "head.rows"},
            ],
            "state": {"kv_cache": {}, "cross_cache": {"source": "encoder"}},
        },
        "generation": {"max_length": 32},
        "metadata": {"model_type": "any", "vocabulary": 50},
    }
    return data, graphs


def compiled(data: dict[str, Any], graphs: dict[str, FileSignature]) -> Program:
    """As a bundle is opened."""
    return compile_program(parse_pipeline(data, "the file"), graphs, "the file")


def test_every_input_has_its_feed() -> None:
    """Edges, the cache, drivers and the source, each by session and tensor, whatever the edges are called."""
    program = compiled(*composite())
    assert program.source is not None and program.source.sessions == ("encoder",)
    assert program.prefill.sessions == program.decode.sessions == ("table", "body", "head")
    kinds = {".".join(port): feed.kind for run in (program.source, program.decode) for port, feed in run.feeds.items()}
    assert kinds == {
        "encoder.input_ids": "given", "encoder.source_mask": "given", "table.input_ids": "driver",
        "body.hidden": "edge", "body.position_ids": "driver", "body.attention_mask": "driver",
        "body.past_key_values.0.key": "state", "body.past_key_values.0.value": "state", "body.cross.0.key": "edge",
        "body.source_mask": "given", "head.rows": "edge",
    }  # fmt: skip
    assert program.decode.feeds["body", "cross.0.key"].source == ("encoder", "cross.0.key")
    assert program.decode.keepers == ("body",)
    assert program.decode.logits and program.decode.logits[0] == ("head", "logits")
    assert program.decode.columns is None and sorted(program.drivers) == ["attention_mask", "input_ids", "position_ids"]


def test_columns_are_labelled_along_the_edges() -> None:
    """A body of fixed width fixes the run, though no input of it is called input_ids or inputs_embeds."""
    data, graphs = composite()
    fixed = {
        name: (tuple(7 if axis == "n" else axis for axis in shape), kind) for name, (shape, kind) in HIDDEN.items()
    }
    graphs["body"] = graph({**fixed, **STEP, **CROSS, **MASK}, {"given": ((1, 7, 8), "float32"), **PRESENT})
    assert compiled(data, graphs).decode.columns == 7  # a file that says no chunk leaves it to the graphs
    data["metadata"]["chunk"] = 64
    with pytest.raises(BundleError, match=r"at metadata\.chunk: a run takes 64 tokens, and the graphs have 7 columns"):
        compiled(data, graphs)


def test_a_table_of_embeddings_at_init_runs_with_every_token() -> None:
    """As the presets of the format have it: it feeds steps that take no tokens themselves."""
    data, graphs = composite()
    data["pipeline"]["flow"][1]["when"] = "init"
    program = compiled(data, graphs)
    assert program.source is not None and program.source.sessions == ("encoder",)
    assert program.prefill.sessions == program.decode.sessions == ("table", "body", "head")


Change = Callable[[dict[str, Any], dict[str, FileSignature]], object]


def flow(*stages: tuple[str, str]) -> Change:
    """Replaces the flow."""
    return lambda data, _: data["pipeline"].update(flow=[{"run": run, "when": when} for run, when in stages])


def edge(index: int, **ends: str) -> Change:
    """Changes an edge; one past the last is new."""

    def change(data: dict[str, Any], _: object) -> None:
        edges = data["pipeline"]["dataflow"]
        if index == len(edges):
            edges.append({})
        edges[index] |= {name.strip("_"): value for name, value in ends.items()}

    return change


def session(name: str, inputs: Specs, outputs: Specs) -> Change:
    """Replaces a graph."""
    return lambda _, graphs: graphs.update({name: graph(inputs, outputs)})


def chunk(tokens: int) -> Change:
    """Says how many tokens of a prompt a run takes."""
    return lambda data, _: data["metadata"].update(chunk=tokens)


def both(*changes: Change) -> Change:
    """One after the other."""
    return lambda data, graphs: [change(data, graphs) for change in changes]


def runtime(name: str, **settings: dict[str, int]) -> Change:
    """Gives a session runtime settings."""
    options = {"session_options": {"runtime": settings}}
    return lambda data, _: data["pipeline"]["sessions"][name].update(options)


INIT, STEPS = ("encoder", "init"), tuple((name, "step") for name in ("table", "body", "head"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (flow(INIT, *STEPS, ("body", "step")), r"pipeline.flow[4].run: body runs at step already"),
        (flow(INIT), r"pipeline.sessions.table: no stage of the flow runs it"),
        (flow(*((name, "init") for name, _ in (INIT, *STEPS))), "pipeline.flow: no stage runs at step"),
        (flow(INIT, STEPS[1], STEPS[0], STEPS[2]), "pipeline.dataflow[0].from: table runs after body"),
        (flow(INIT, ("encoder", "step"), *STEPS), "cross_cache.source: encoder must run at init only"),
        (edge(0, from_="table.x"), "pipeline.dataflow[0].from: table has no output x; its outputs are hidden"),
        (edge(0, to="body.x"), "pipeline.dataflow[0].to: body has no input x; its inputs are hidden, position_ids"),
        (edge(3, from_="head.logits", to="head.rows"), "pipeline.dataflow[3]: head feeds itself"),
        (edge(3, from_="head.logits", to="body.hidden"), "dataflow[2]: body → head → body is a cycle"),
        (edge(3, from_="table.hidden", to="body.hidden"), "dataflow[3].to: body.hidden is fed by table.hidden already"),
        (edge(3, from_="table.hidden", to="body.past_key_values.0.key"), "dataflow[3]: table.hidden [1, n, 8] float32"),
        (
            edge(3, from_="encoder.cross.0.key", to="body.past_key_values.0.key"),
            "[3].to: body.past_key_values.0.key is",
        ),
        (edge(3, from_="body.given", to="encoder.source_mask"), "dataflow[1]: encoder → body → encoder is a cycle"),
        (lambda data, _: data["pipeline"]["dataflow"].pop(0), "flow[2].run: nothing feeds body.hidden: name who does"),
        (lambda data, _: data["pipeline"]["state"].pop("cross_cache"), "run: nothing feeds encoder.source_mask: name"),
        (session("table", IDS, {"hidden": ((1, "n", 8), "int8")}), "dataflow[0]: table.hidden [1, n, 8] int8 cannot"),
        (session("table", IDS, {"hidden": (("n", 8), "float32")}), "dataflow[0]: table.hidden [n, 8] float32 cannot"),
        (session("table", IDS, {"hidden": ((1, "n", 9), "float32")}), "dataflow[0]: table.hidden [1, n, 9] float32 "),
        (
            both(session("head", {"rows": ((1, "m", "m"), "float32")}, LOGITS), chunk(64)),
            "a run takes 64 tokens, and the graphs have 8",
        ),
        (session("head", {"rows": (("m", "m", "m"), "float32")}, LOGITS), "dataflow[2]: body.given [1, n, 8] float32"),
        (session("table", {}, HIDDEN), "pipeline.flow: no session of prefill takes input_ids"),
        (
            session("head", {"rows": ((1, "m", 8), "float32")}, HIDDEN),
            "pipeline.flow: no session of prefill gives logits",
        ),
        (session("table", IDS, HIDDEN | LOGITS), "pipeline.flow[3].run: table gives logits already"),
        (session("table", IDS | {"x": ((1,), "int64")}, HIDDEN), "flow[1].run: nothing feeds table.x"),
        (
            session("table", {"input_ids": ((1, "n"), "int32"), "position_ids": ((1, "n"), "int32")}, HIDDEN),
            "same type and rank",
        ),
        (
            runtime("body", chunked_prefill={"max_batched_tokens": 0}),
            "chunked_prefill.max_batched_tokens: Input should",
        ),
        (
            runtime("body", sliding_window={"size": 33}),
            "sessions.body.session_options.runtime.sliding_window: 33 tokens",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(change: Change, told: str) -> None:
    """One sentence that begins with the file and says where in it."""
    data, graphs = composite()
    compiled(copy.deepcopy(data), graphs)  # it is the change that is refused
    change(data, graphs)
    with pytest.raises(BundleError) as raised:
        compiled(data, graphs)
    message = str(raised.value)
    assert message.startswith("the file is not a pipeline that Joinery can run: at ") and "\n" not in message
    assert told in message


def test_sessions_share_one_chunk_and_one_window() -> None:
    """Two that ask for different ones are refused at the second; one alone speaks for all."""
    data, graphs = composite()
    runtime("body", chunked_prefill={"max_batched_tokens": 3})(data, graphs)
    assert parse_pipeline(data, "x").chunk == 3
    runtime("head", chunked_prefill={"max_batched_tokens": 4})(data, graphs)
    with pytest.raises(
        BundleError, match=r"at pipeline\.sessions\.head\.session_options\.runtime\.chunked_prefill: body"
    ):
        compiled(data, graphs)


@pytest.mark.parametrize(
    ("name", "spec"),
    [("input_ids", (("n",), "int64")), ("input_ids", ((1, "n"), "string")), ("input_ids", ((2, "n"), "int64"))],
)
def test_a_driver_that_cannot_be_driven_is_named(name: str, spec: tuple[tuple[int | str, ...], str]) -> None:
    """Ranks, types and batches that the cache's table has nothing for are the graph's fault."""
    data, graphs = composite()
    graphs["table"] = graph({name: spec}, HIDDEN)
    with pytest.raises(GraphError, match=name):
        compiled(data, graphs)


def test_more_than_ten_sessions_are_refused() -> None:
    """As the format's other readers do."""
    data, _ = composite()
    data["pipeline"]["sessions"] |= {f"s{i}": {"file": "x.onnx"} for i in range(7)}
    with pytest.raises(BundleError, match=r"at pipeline\.sessions: "):
        parse_pipeline(data, "x")


def test_auto_takes_the_names_from_the_graphs() -> None:
    """The format `separate` means the names that the file says; `auto` the graphs' own where they are others."""
    data, graphs = composite()
    renamed = {"past_0_key": PAST["past_key_values.0.key"], "past_0_value": PAST["past_key_values.0.value"]}
    inputs = {name: spec for name, spec in {**HIDDEN, **STEP, **CROSS, **MASK}.items() if name not in PAST} | renamed
    presents = {name.replace("past", "present"): ((1, 2, "n", 4), "float32") for name in renamed}
    graphs["body"] = graph(inputs, {"given": ((1, "n", 8), "float32"), **presents})
    with pytest.raises(BundleError, match=r"at pipeline\.state\.kv_cache\.past_key_pattern: no session has inputs"):
        compiled(data, graphs)
    data["pipeline"]["state"]["kv_cache"]["format"] = "auto"
    assert [tensor.past for tensor in compiled(data, graphs).state] == ["past_0_key", "past_0_value"]
