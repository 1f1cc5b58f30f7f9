"""Graphs as the worker sends them, of any size: a decoder with scopes, a chain without, and changes between two."""

from __future__ import annotations

from dataclasses import replace

from workflows.wire.reports.graphs import (
    Change,
    DiffReport,
    GraphFacts,
    GraphNode,
    GraphReport,
    GraphStage,
    GraphValue,
    NodeBefore,
    OperatorCounts,
    ScopeCounts,
)
from workflows.wire.reports.inspection import ParityReport, PassRefusal


class Maker:
    """Puts a "graph" answer together."""

    def __init__(self, title: str = "decode") -> None:
        self.values: list[GraphValue] = []
        self.nodes: list[GraphNode] = []
        self.title = title
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.stages: list[GraphStage] = []

    def value(self, name: str, shape: list[int | str] | None = None, kind: str = "value", size: int = 0) -> int:
        """A value; its place."""
        self.values.append(GraphValue(name, "float32", shape, kind, size))
        return len(self.values) - 1

    def input(self, name: str, shape: list[int | str]) -> int:
        """An input of the graph."""
        self.inputs.append(self.value(name, shape, "input"))
        return self.inputs[-1]

    def weight(self, name: str, *shape: int) -> int:
        """An initializer."""
        size = 4
        for extent in shape:
            size *= extent
        return self.value(name, list(shape), "initializer", size)

    def node(self, scope: str, op: str, *inputs: int, **attrs: str) -> int:
        """A node with one output; the place of that."""
        name = f"{scope.replace('/', '.')}.{op}_{len(self.nodes)}" if scope else f"{op}_{len(self.nodes)}"
        out = self.value(f"val_{len(self.nodes)}", [1, "tokens", 128])
        self.nodes.append(GraphNode(name, op, "", scope, list(inputs), [out], attrs, "", -1))
        return out

    def output(self, value: int, name: str) -> None:
        """Makes a value an output of the graph."""
        self.values[value].name, self.values[value].kind = name, "output"
        self.outputs.append(value)

    def answer(self) -> GraphReport:
        """The report of the graph as it is now."""
        return GraphReport(
            title=self.title,
            path="/b/demo",
            component=self.title,
            stage=self.stages[-1].name if self.stages else "final",
            stages=self.stages or [stage("final", "final", len(self.nodes))],
            values=self.values,
            nodes=self.nodes,
            inputs=self.inputs,
            outputs=self.outputs,
            facts=GraphFacts("joinery", 10, {"ai.onnx": 23}, 4096, 0, []),
        )


def stage(
    name: str,
    kind: str,
    nodes: int,
    *,
    modified: bool = True,
    seconds: float = 0.2,
    parity: ParityReport | None = None,
    refused: list[PassRefusal] | None = None,
) -> GraphStage:
    """A stop of the slider."""
    title = name.replace("-", " ")
    return GraphStage(name, title, kind, modified, nodes, 90 * nodes, seconds, parity, refused or [])


def norm(maker: Maker, scope: str, x: int) -> int:
    """RMSNorm as it is exported, in seven nodes."""
    square = maker.node(scope, "Pow", x, maker.weight(f"{scope}.two"))
    mean = maker.node(scope, "ReduceMean", square, axes="[-1]", keepdims="1")
    root = maker.node(scope, "Sqrt", maker.node(scope, "Add", mean, maker.weight(f"{scope}.eps")))
    scaled = maker.node(scope, "Mul", x, maker.node(scope, "Reciprocal", root))
    return maker.node(scope, "Mul", scaled, maker.weight(f"{scope}.weight", 128))


def project(maker: Maker, scope: str, x: int) -> int:
    """A linear layer."""
    return maker.node(scope, "MatMul", x, maker.weight(f"{scope}.weight", 128, 128))


def attention(maker: Maker, scope: str, x: int, rope: int, mask: int, past: int) -> tuple[int, int]:
    """Projections, rotary positions, the cache, softmax; the output and the present keys."""
    q, k, v = (project(maker, f"{scope}/{p}_proj", x) for p in "qkv")
    turned = []
    for part in (q, k):
        half = maker.node(scope, "Slice", part)
        other = maker.node(scope, "Neg", maker.node(scope, "Slice", part))
        both = maker.node(scope, "Concat", other, half, axis="-1")
        turned.append(
            maker.node(scope, "Add", maker.node(scope, "Mul", part, rope), maker.node(scope, "Mul", both, rope))
        )
    keys = maker.node(scope, "Concat", past, turned[1], axis="2")
    scores = maker.node(scope, "MatMul", turned[0], maker.node(scope, "Transpose", keys, perm="[0, 1, 3, 2]"))
    weights = maker.node(scope, "Softmax", maker.node(scope, "Add", scores, mask), axis="-1")
    mixed = maker.node(scope, "Reshape", maker.node(scope, "MatMul", weights, v))
    return project(maker, f"{scope}/o_proj", mixed), keys


def layer(maker: Maker, index: int, x: int, rope: int, mask: int) -> int:
    """A decoder layer of 45 nodes."""
    scope = f"model/layers.{index}"
    past = maker.input(f"past_key_values.{index}.key", [1, 2, "past", 64])
    mixed, keys = attention(maker, f"{scope}/self_attn", norm(maker, f"{scope}/input_layernorm", x), rope, mask, past)
    maker.output(keys, f"present.{index}.key")
    x = maker.node(scope, "Add", x, mixed)
    y = norm(maker, f"{scope}/post_attention_layernorm", x)
    gate = project(maker, f"{scope}/mlp/gate_proj", y)
    act = maker.node(f"{scope}/mlp/act_fn", "Mul", gate, maker.node(f"{scope}/mlp/act_fn", "Sigmoid", gate))
    both = maker.node(f"{scope}/mlp", "Mul", act, project(maker, f"{scope}/mlp/up_proj", y))
    return maker.node(scope, "Add", x, project(maker, f"{scope}/mlp/down_proj", both))


def decoder(layers: int) -> Maker:
    """A decoder of so many layers with its scopes."""
    maker = Maker()
    ids = maker.input("input_ids", [1, "tokens"])
    mask = maker.input("attention_mask", [1, "total"])
    positions = maker.input("position_ids", [1, "tokens"])
    x = maker.node("model/embed_tokens", "Gather", maker.weight("model.embed_tokens.weight", 512, 128), ids)
    rope = maker.node("model/rotary_emb", "Cos", maker.node("model/rotary_emb", "MatMul", positions))
    bias = maker.node("model", "Where", maker.node("model", "Cast", mask, to="9"))
    for index in range(layers):
        x = layer(maker, index, x, rope, bias)
    x = norm(maker, "model/norm", x)
    maker.output(project(maker, "lm_head", x), "logits")
    return maker


def small(layers: int = 2) -> GraphReport:
    """A decoder of two layers, or more, that was built in three stages."""
    maker = decoder(layers)
    nodes = len(maker.nodes)
    parity = ParityReport(1.9e-6, 32, 32)
    refused = [PassRefusal("The norm has two consumers.", maker.nodes[8].name)]
    maker.stages = [
        stage("export", "export", nodes + 14, seconds=1.4),
        stage("fuse-rmsnorm", "pass", nodes, parity=parity, refused=refused),
        stage("final", "final", nodes, modified=False, seconds=0.0),
    ]
    maker.nodes[9].made_by = "fuse-rmsnorm"
    return maker.answer()


def decoder_graph(nodes: int) -> GraphReport:
    """A decoder of about `nodes` nodes."""
    return decoder(max(1, (nodes - 12) // 44)).answer()


def flat_graph(nodes: int) -> GraphReport:
    """A graph without scopes: blocks of branches that meet again, a residual around each, a mask into all."""
    maker = Maker("flat")
    x = maker.input("x", [1, 128])
    mask = maker.node("", "Cast", maker.input("mask", [1]))
    while len(maker.nodes) < nodes:
        kept = x
        branches = [maker.node("", "Relu", maker.node("", "MatMul", x, maker.weight("w", 8, 8))) for _ in range(3)]
        x = maker.node("", "Concat", *branches, mask, axis="1")
        for _ in range(3):
            x = maker.node("", "Add", x, maker.weight("b", 8))
        x = maker.node("", "Add", x, kept)
    maker.output(x, "y")
    return maker.answer()


_CHANGED: dict[str, Change] = {"Pow": "removed", "Sqrt": "removed", "ReduceMean": "added", "Reciprocal": "changed"}


def diff_of(answer: GraphReport) -> DiffReport:
    """A difference whose merged graph is `answer`: in each norm two nodes went, one came and one is another."""
    counts = {"same": 0, "removed": 0, "added": 0, "changed": 0}
    scopes: dict[str, ScopeCounts] = {}
    for value in answer.values:
        value.change = ""
    for node in answer.nodes:
        node.change = _CHANGED.get(node.op, "") if "norm" in node.scope else ""
        counts[node.change or "same"] += 1
        if not node.change:
            continue
        if node.change == "changed":
            node.attrs, node.was = {"axis": "-1"}, NodeBefore("Div", "", {"axis": "0"}, [], [])
        else:
            answer.values[node.outputs[0]].change = node.change
        row = scopes.get(node.scope) or ScopeCounts(node.scope, 0, 0, 0)
        scopes[node.scope] = replace(row, **{node.change: getattr(row, node.change) + 1})
    return DiffReport(
        graph=answer,
        counts=counts,
        ops=[OperatorCounts("Pow", counts["removed"] // 2, 0), OperatorCounts("ReduceMean", 0, counts["added"])],
        scopes=[scopes[scope] for scope in sorted(scopes)],
        initializers={"removed": ["two"], "added": [], "changed": []},
        notes=["The opset of ai.onnx went from 18 to 23."],
    )
