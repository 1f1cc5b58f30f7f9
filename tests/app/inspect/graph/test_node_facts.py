"""What the panel says of a node, a scope and the graph: plain lines, some of which lead on; long lists are cut."""

from __future__ import annotations

from dataclasses import replace

from app.inspect.graph.node_facts import MAX_ENTRIES, FactLine, as_text, describe_selection
from app.state.graph_model import GraphModel
from app.text.formatting import format_bytes
from tests.app.inspect.graph.example_models import answer, model_of, node_of
from tests.app.inspect.graph.test_graph_tab import at_once
from tests.fakes.graphs import Maker, diff_of, small, stage
from workflows.wire.reports.graphs import GraphFacts, NodeBefore, ValueBefore
from workflows.wire.reports.inspection import PassRefusal
from workflows.wire.requests import GraphReference

__all__ = ["at_once"]  # a fixture


def told(model: GraphModel, key: int | str | None, role: str = "") -> list[str]:
    return [line.text.strip() for line in describe_selection(model, key) if role in ("", line.role)]


def links(model: GraphModel, key: int | str | None) -> dict[str, str]:
    return {line.text.strip(): line.link for line in describe_selection(model, key) if line.link}


def hub(takers: int) -> Maker:
    """One node whose value so many others take."""
    maker = Maker("hub")
    out = maker.node("", "Relu", maker.input("x", [1]))
    for _ in range(takers):
        maker.node("", "Neg", out)
    return maker


def test_a_node_reports_its_ends_and_where_they_lead(qapp: object) -> None:
    model = model_of(small())
    place = node_of(model, "MatMul", "model/layers.0/self_attn/q_proj")
    lines = told(model, place)
    scope = "model/layers.0/self_attn/q_proj"
    assert lines[:4] == ["MatMul", "ai.onnx", f"{scope.replace('/', '.')}.MatMul_{place}", scope]
    assert lines[4] == "Inputs" and lines.index("Outputs") > lines.index(f"{scope}.weight")
    to = links(model, place)
    assert to[scope] == f"scope:{place}"
    assert to["from Mul · input_layernorm"].startswith("node:") and to["show values"].startswith("value:")
    assert model.graph is not None
    (taker,) = (link for text, link in to.items() if text.startswith("to Mul"))
    assert model.graph.nodes[int(taker.removeprefix("node:"))].op == "Mul"


def test_what_was_left_out_and_what_is_from_elsewhere_is_said(qapp: object) -> None:
    maker = Maker()
    out = maker.node("", "Attention", maker.input("q", [1]), -1, is_causal="1")
    maker.nodes[0].domain, maker.nodes[0].made_by = "com.microsoft", "fuse-attention"
    maker.output(out, "y")
    lines = told(model_of(maker.answer()), 0)
    assert lines[:3] == ["Attention", "com.microsoft", "Attention_0"]
    made, ends = "Last made or changed by: fuse-attention", ("graph input", "graph output")
    assert {made, "Attributes", "is_causal = 1", "(omitted)", *ends} <= set(lines)


def test_many_takers_are_counted_not_listed(qapp: object) -> None:
    lines = told(model_of(hub(11).answer()), 0)
    assert lines.count("to Neg") == 8 and lines[-1] == "… 3 more"
    assert "more" not in as_text(describe_selection(model_of(hub(8).answer()), 0))


def test_many_inputs_are_cut(qapp: object) -> None:
    maker = Maker()
    maker.node("", "Concat", *(maker.weight(f"w{place}", 2) for place in range(MAX_ENTRIES + 2)))
    lines = told(model_of(maker.answer()), 0)
    assert f"w{MAX_ENTRIES - 1}" in lines and f"w{MAX_ENTRIES}" not in lines and "… 2 more" in lines


def test_what_a_changed_node_was_before(qapp: object) -> None:
    report = small()
    diff = diff_of(report)
    node = next(n for n in report.nodes if n.change == "changed")
    node.was = NodeBefore("Div", "old", {"axis": "0", "gone": "1"}, ["a"], [report.values[node.outputs[0]].name])
    report.values[node.outputs[0]].was = ValueBefore("float16", [2, "n"])
    model = model_of(small())
    model.compare(GraphReference("/b/demo", "decode", "export"))
    answer(model, diff)
    place = report.nodes.index(node)
    assert told(model, place, "removed") == ["− Div  old", "− axis = 0", "− gone = 1", "− inputs a", "− float16 2 × n"]
    assert told(model, place, "added")[:2] == ["+ Reciprocal", "+ axis = -1"]
    assert told(model, place, "changed") == ["~ changed"]


def test_a_scope_counts_its_operators_and_names_its_largest_weights(qapp: object) -> None:
    model = model_of(small())
    lines = told(model, "model/layers.1/mlp")
    assert lines[:3] == ["mlp", "model/layers.1/mlp", "6 nodes"]
    assert lines[lines.index("Operators") + 1 :][:3] == ["MatMul  3", "Mul  2", "Sigmoid  1"]
    assert "Initializers · 3 · 192 KiB" in lines
    assert links(model, "model/layers.1/mlp")["model/layers.1/mlp/up_proj.weight"].startswith("value:")
    assert told(model, "model/embed_tokens")[2] == "1 node"
    assert describe_selection(model, "no/such/scope") == []


def test_layers_that_are_one_say_so(qapp: object) -> None:
    model = model_of(small(4), folds=True)
    assert model.outline is not None
    folded = next(path for path, scope in model.outline.scopes.items() if scope.repeat_count)
    assert "4 scopes with the same structure; open to show each" in told(model, folded)


def test_the_graph_shows_what_its_file_says(qapp: object) -> None:
    report = small()
    model = model_of(report)
    lines = told(model, None)
    assert lines[:2] == ["decode", f"{len(report.nodes)} nodes"]
    assert {"Made by joinery", "Opset ai.onnx 23", "IR version 10", format_bytes(4096)} <= set(lines)
    assert "Inputs · 5" in lines and "Outputs · 3" in lines and not any("function" in line for line in lines)
    assert links(model, None)["input_ids"] == f"node:{node_of(model, 'Gather')}"


def test_one_function_warnings_and_nodes_inside_of_others(qapp: object) -> None:
    maker = hub(2)
    report = replace(maker.answer(), facts=GraphFacts("", 0, {}, 0, 1, ["It names two values alike."]))
    report.nodes[2].parent = 1
    lines = describe_selection(model_of(report), None)
    assert [line.text for line in lines[:5]] == [
        "hub", "2 nodes", "and 1 in a subgraph", "1 function", "! It names two values alike.",
    ]  # fmt: skip
    assert lines[4] == FactLine("! It names two values alike.", "changed")


def test_a_refusal_leads_to_its_node_where_that_is_there(qapp: object) -> None:
    maker = hub(1)
    refused = [PassRefusal("Two takers.", "Neg_1"), PassRefusal("It went.", "Gone_7"), PassRefusal("All of it.")]
    maker.stages = [stage("fuse", "pass", 2, refused=refused)]
    model = model_of(maker.answer())
    found = describe_selection(model, None)
    at = [line.text for line in found].index("Refused in this stage")
    assert [(line.text.strip(), line.link) for line in found[at + 1 : at + 6]] == [
        ("Two takers.", ""), ("Neg_1", "node:1"), ("It went.", ""), ("Gone_7", ""), ("All of it.", ""),
    ]  # fmt: skip
    assert "fuse refused this node: Two takers." in told(model, 1)


def test_without_a_graph_there_is_nothing_to_say(qapp: object) -> None:
    model = model_of(small())
    model.clear()
    assert describe_selection(model, None) == []
