"""Graphs as the worker sends them, of any size: a decoder with scopes, a chain without, and changes between two."""

from __future__ import annotations

from typing import Any


class Maker:
    """Puts a "graph" answer together."""

    def __init__(self, title: str = "decode") -> None:
        self.values: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.title = title
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.stages: list[dict[str, Any]] = []

    def value(self, name: str, shape: list[int | str] | None = None, kind: str = "value", size: int = 0) -> int:
        """A value; its place."""
        self.values.append(
            {"name": name, "dtype": "float32", "shape": shape, "kind": kind, "bytes": size, "change": "", "was": {}}
        )
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
        node = {"name": name, "op": op, "domain": "", "scope": scope, "in": list(inputs), "out": [out]}
        self.nodes.append({**node, "attrs": attrs, "made_by": "", "parent": -1, "change": "", "was": {}})
        return out

    def output(self, value: int, name: str) -> None:
        """Makes a value an output of the graph."""
        self.values[value].update(name=name, kind="output")
        self.outputs.append(value)

    def answer(self) -> dict[str, Any]:
        """The value of a "graph" result."""
        facts = {"producer": "joinery", "ir_version": 10, "opset": {"": 23}, "bytes": 4096, "functions": 0}
        return {
            "title": self.title,
            "path": "/b/demo",
            "component": self.title,
            "stage": self.stages[-1]["name"] if self.stages else "final",
            "stages": self.stages or [stage("final", "final", len(self.nodes))],
            "values": self.values,
            "nodes": self.nodes,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "facts": {**facts, "warnings": []},
        }


def stage(name: str, kind: str, nodes: int, **fields: Any) -> dict[str, Any]:
    """A stop of the slider."""
    base = {"name": name, "title": name.replace("-", " "), "kind": kind, "modified": True, "nodes": nodes}
    return {**base, "bytes": 90 * nodes, "seconds": 0.2, "parity": None, "refused": [], **fields}


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


def small(layers: int = 2) -> dict[str, Any]:
    """A decoder of two layers, or more, that was built in three stages."""
    maker = decoder(layers)
    nodes = len(maker.nodes)
    parity = {"max_abs_diff": 1.9e-6, "greedy_equal": 32, "greedy_tokens": 32, "note": ""}
    refused = [{"reason": "The norm has two consumers.", "node": maker.nodes[8]["name"]}]
    maker.stages = [
        stage("export", "export", nodes + 14, seconds=1.4),
        stage("fuse-rmsnorm", "pass", nodes, parity=parity, refused=refused),
        stage("final", "final", nodes, modified=False, seconds=0.0),
    ]
    maker.nodes[9]["made_by"] = "fuse-rmsnorm"
    return maker.answer()


def decoder_graph(nodes: int) -> dict[str, Any]:
    """A decoder of about `nodes` nodes."""
    return decoder(max(1, (nodes - 12) // 44)).answer()


def flat_graph(nodes: int) -> dict[str, Any]:
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


def diff_of(answer: dict[str, Any]) -> dict[str, Any]:
    """A "diff" whose merged graph is `answer`: each norm's Pow removed, its last Mul changed, a fused one added."""
    counts = dict.fromkeys(("removed", "added", "changed"), 0)
    scopes: dict[str, dict[str, int]] = {}
    for node in answer["nodes"]:
        if "norm" not in node["scope"]:
            continue
        change = {"Pow": "removed", "Sqrt": "removed", "ReduceMean": "added", "Reciprocal": "changed"}.get(node["op"])
        if change is None:
            continue
        node["change"] = change
        if change == "changed":
            before = {"axis": "0"}
            node["attrs"], node["was"] = (
                {"axis": "-1"},
                {"op": "Div", "domain": "", "attrs": before, "in": [], "out": []},
            )
        counts[change] += 1
        row = scopes.setdefault(node["scope"], dict.fromkeys(("removed", "added", "changed"), 0))
        row[change] += 1
        answer["values"][node["out"][0]]["change"] = "" if change == "changed" else change
    total = len(answer["nodes"])
    return {
        "graph": answer,
        "counts": {"same": total - sum(counts.values()), **counts},
        "ops": [
            {"op": "Pow", "before": counts["removed"] // 2, "after": 0},
            {"op": "ReduceMean", "before": 0, "after": counts["added"]},
        ],
        "scopes": [{"scope": scope, **row} for scope, row in sorted(scopes.items())],
        "initializers": {"removed": ["two"], "added": [], "changed": []},
        "notes": ["The opset of ai.onnx went from 18 to 23."],
    }
