"""Replaces onnxruntime's linear attention by ONNX's own operators, for providers without its kernel.

    one token       S ← exp(g) S          u = v, or β (v − k·S)          S ← S + k ⊗ u          o = q·S
    many tokens     the same for blocks of tokens, with products over the tokens of a block
    any number      Scan over the tokens, each as one

Within a block, W_ij is the decay from token j to token i ≥ j, and E_i the decay from the block's start (Dao and Gu
2024, section 6; Yang et al. 2024, section 3). Each is the exponential of a sum over just the tokens in question, so
none is a quotient of numbers that may overflow:

    u = v, or (I + β k·kᵀ∘W)⁻¹ β (v − E k·S)        o = (q·kᵀ∘W) u + E q·S        S ← E_last S + (k∘W_last)ᵀ u

The inverse of a lower triangle is assembled from blocks of 1, 2, 4 … rows, as accurately as by substitution: with T the
inverse of the diagonal blocks and O those below them in pairs, that of twice the size is T − T O T. Where the decay
differs for each key dimension, W has that axis too, and blocks are shorter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import NodeBuilder, replace_nodes
from workflows.optimize.queries import dimensions, find_nodes, last_dimension

_BLOCK, _BLOCK_BY_DIMENSION = 64, 16  # tokens
_LEAST = -80.0  # the exponent of a decay
_DELTA, _GATED = ("delta", "gated_delta"), ("gated", "gated_delta")
_RULES = ("linear", "gated", "delta", "gated_delta")
_INPUTS = ("query", "key", "value", "state", "decay", "beta")


@dataclass(frozen=True)
class _Rule:
    """A node's numbers. q_heads, heads: of queries and of keys and values. size, width: of a key and of a value.

    decay: heads x size, or heads, or 0 without one; beta: heads, or 1 for all, or 0. length: tokens; None for any.
    """

    q_heads: int
    heads: int
    size: int
    width: int
    scale: float
    decay: int
    beta: int
    length: int | None

    @property
    def by_dimension(self) -> bool:
        """Whether the decay differs for each dimension of a key."""
        return self.decay > self.heads

    @property
    def decay_size(self) -> int:
        """The numbers of a head's decay."""
        return self.size if self.by_dimension else 1

    @property
    def outputs(self) -> int:
        """The heads of the output."""
        return max(self.q_heads, self.heads)


class PortableRecurrence(Pass):
    """LinearAttention in float32 with all its rules; refuses a window of states."""

    name = "portable_recurrence"
    title = "Linear attention in ONNX's own operators"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for node in find_nodes(model.graph, "LinearAttention", domain=CONTRIB):
            rule = _rule(node)
            if isinstance(rule, _Rule):
                _replace(model.graph, node, rule)
            yield refusal_of(node, "" if isinstance(rule, _Rule) else rule)


def _rule(node: ir.Node) -> _Rule | str:
    """Reads the node; a str is why it stays."""
    named = dict(zip(_INPUTS, node.inputs, strict=False))
    state = dimensions(named.get("state"))
    if node.attributes.get_int("state_window", 0):
        return "it keeps the states of several tokens"
    if any(value is not None and value.dtype not in (None, ir.DataType.FLOAT) for value in node.inputs):
        return "it is not in float32"
    if state is None or len(state) != 4 or not all(isinstance(axis, int) for axis in state[1:]):
        return "it keeps no state of a known size"
    rule = node.attributes.get_string("update_rule", "gated_delta")
    if rule not in _RULES:
        return f"its update_rule is {rule}"
    decay, beta = (last_dimension(named.get(name)) for name in ("decay", "beta"))
    if (rule in _GATED and decay is None) or (rule in _DELTA and beta is None):
        return "the size of its decay or of its beta is not known"
    lengths = [axes[1] for name in _INPUTS[:3] if (axes := dimensions(named[name])) and isinstance(axes[1], int)]
    heads, size, width = (int(axis) for axis in state[1:] if isinstance(axis, int))
    return _Rule(
        q_heads=node.attributes.get_int("q_num_heads", 0),
        heads=heads,
        size=size,
        width=width,
        scale=node.attributes.get_float("scale", 0.0) or size**-0.5,
        decay=(decay or 0) if rule in _GATED else 0,
        beta=(beta or 0) if rule in _DELTA else 0,
        length=int(lengths[0]) if lengths else None,
    )


def _replace(graph: ir.Graph, node: ir.Node, rule: _Rule) -> None:
    query, key, value, state, decay, beta = (*node.inputs, None, None)[:6]
    assert query is not None and key is not None and value is not None and state is not None
    builder, heads = NodeBuilder(graph, node), (rule.heads, rule.outputs)
    if rule.scale != 1:
        query = builder.add("Mul", query, builder.floats(f"recurrence.scale.{rule.scale:.9g}", np.asarray(rule.scale)))
    rows = [query, key, value]
    rows += [decay] if decay is not None and rule.decay else []
    rows += [beta] if beta is not None and rule.beta else []
    state = _repeated(builder, state, heads, (rule.size, rule.width))
    if rule.length is None:
        output, state = _scan(builder, rule, rows, state)
    elif rule.length == 1:
        output, state = _token(builder, rule, rows, state)
        output = builder.reshape(output, 0, 1, rule.outputs * rule.width)
    else:
        output, state = _blocks(builder, rule, rule.length, rows, state)
    if rule.outputs > rule.heads:  # a head's queries share its state
        state = builder.add("Slice", state, *map(builder.whole, (0, rule.outputs, 1, rule.outputs // rule.heads)))
    for new, old in zip((output, state), node.outputs, strict=False):
        new.name, new.shape = old.name, old.shape
    replace_nodes(node.outputs, [output, state][: len(node.outputs)], builder.nodes, node)


def _repeated(builder: NodeBuilder, value: ir.Value, heads: tuple[int, int], axes: tuple[int, int]) -> ir.Value:
    """[B,h,…] → [B,H,…] of heads (h, H): each head for as many that follow one another. axes: the last two."""
    few, many = heads
    if few == many:
        return value
    flat = builder.reshape(value, 0, few, 1, axes[0] * axes[1])
    return builder.reshape(builder.add("Tile", flat, builder.whole(1, 1, many // few, 1)), 0, many, *axes)


def _exponential(builder: NodeBuilder, value: ir.Value) -> ir.Value:
    """Below _LEAST it would differ by less than float32 shows beside a state: QNN computes -131008 there."""
    return builder.add("Exp", builder.add("Max", value, builder.floats("recurrence.least", np.asarray(_LEAST))))


# -- one token ---------------------------------------------------------------------------------------------------------


def _token(builder: NodeBuilder, rule: _Rule, rows: list[ir.Value], state: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The output [B,H,1,Dv] and the state after one token, of rows [B,1,…] or [B,…]."""

    def of_heads(row: ir.Value, heads: int, size: int) -> ir.Value:
        return _repeated(builder, builder.reshape(row, 0, heads, 1, size), (heads, rule.outputs), (1, size))

    query = of_heads(rows[0], rule.q_heads, rule.size)
    key, new = of_heads(rows[1], rule.heads, rule.size), of_heads(rows[2], rule.heads, rule.width)
    if rule.decay:
        faded = of_heads(_exponential(builder, rows[3]), rule.heads, rule.decay_size)
        faded = builder.reshape(faded, 0, rule.outputs, rule.size, 1) if rule.by_dimension else faded
        state = builder.add("Mul", state, faded)
    if rule.beta:
        error = builder.add("Sub", new, builder.add("MatMul", key, state))
        new = builder.add("Mul", error, of_heads(rows[-1], rule.beta, 1))
    column = builder.reshape(key, 0, rule.outputs, rule.size, 1)
    state = builder.add("Add", state, builder.add("Mul", column, new))
    return builder.add("MatMul", query, state), state


def _scan(builder: NodeBuilder, rule: _Rule, rows: list[ir.Value], state: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The output [B,S,H · Dv] and the state after S tokens."""
    kind, prefix = ir.TensorType(ir.DataType.FLOAT), f"{builder.like.outputs[0].name}.token"
    names = "state", *(f"row{index}" for index in range(len(rows)))
    inputs = [ir.Value(name=f"{prefix}.{name}", type=kind) for name in names]
    inner = NodeBuilder(builder.graph, builder.like, prefix)
    output, after = _token(inner, rule, inputs[1:], inputs[0])
    packed = inner.reshape(output, 0, rule.outputs * rule.width)
    body = ir.Graph(inputs, [after, packed], nodes=inner.nodes, name=prefix)
    attributes = {"body": body, "num_scan_inputs": len(rows), "scan_input_axes": [1] * len(rows),
                  "scan_output_axes": [1]}  # fmt: skip
    present, joined = builder.add_all("Scan", [state, *rows], 2, attributes)
    return joined, present


# -- blocks of tokens --------------------------------------------------------------------------------------------------


def _blocks(
    builder: NodeBuilder, rule: _Rule, length: int, rows: list[ir.Value], state: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """The output [B,S,H · Dv] and the state after `length` tokens."""
    most = _BLOCK_BY_DIMENSION if rule.by_dimension else _BLOCK
    lengths = [min(most, length - start) for start in range(0, length, most)]
    parts = [[row] for row in rows]
    if len(lengths) > 1:
        parts = [builder.add_all("Split", [row, builder.whole(*lengths)], len(lengths), {"axis": 1}) for row in rows]
    outputs = []
    for index, tokens in enumerate(lengths):
        output, state = _block(builder, rule, tokens, [part[index] for part in parts], state)
        outputs.append(output)
    joined = builder.add("Concat", *outputs, axis=2) if len(outputs) > 1 else outputs[0]
    return builder.reshape(
        builder.add("Transpose", joined, perm=[0, 2, 1, 3]), 0, length, rule.outputs * rule.width
    ), state


def _block(
    builder: NodeBuilder, rule: _Rule, tokens: int, rows: list[ir.Value], state: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """The output [B,H,C,Dv] and the state after a block of C tokens."""

    def of_heads(row: ir.Value, heads: int, size: int) -> ir.Value:  # [B,C,heads · size] → [B,H,C,size]
        turned = builder.add("Transpose", builder.reshape(row, 0, tokens, heads, size), perm=[0, 2, 1, 3])
        return _repeated(builder, turned, (heads, rule.outputs), (tokens, size))

    query = of_heads(rows[0], rule.q_heads, rule.size)
    key, new = of_heads(rows[1], rule.heads, rule.size), of_heads(rows[2], rule.heads, rule.width)
    decay = _Decay(builder, rule, tokens, of_heads(rows[3], rule.heads, rule.decay_size) if rule.decay else None)
    if rule.beta:
        beta = of_heads(rows[-1], rule.beta, 1)
        error = builder.add("Sub", new, builder.add("MatMul", decay.from_start(key), state))
        triangle = builder.add("Mul", decay.products(key, key), beta)
        new = builder.add("MatMul", _inverse(builder, triangle, tokens), builder.add("Mul", error, beta))
    inside = builder.add("MatMul", decay.products(query, key), new)
    output = builder.add("Add", inside, builder.add("MatMul", decay.from_start(query), state))
    gathered = builder.add("MatMul", builder.add("Transpose", decay.to_end(key), perm=[0, 1, 3, 2]), new)
    return output, builder.add("Add", decay.over_all(state), gathered)


def _inverse(builder: NodeBuilder, triangle: ir.Value, tokens: int) -> ir.Value:
    """The inverse of I plus what is below the diagonal of `triangle` [B,H,C,C]."""
    row, column = np.indices((tokens, tokens))
    inverse, size = builder.floats(f"recurrence.identity.{tokens}", np.eye(tokens)), 1
    while size < tokens:
        pairs = (row // size - column // size == 1) & (row // size % 2 == 1)
        below = builder.add("Mul", triangle, builder.floats(f"recurrence.pairs.{tokens}.{size}", pairs))
        change = below if size == 1 else builder.add("MatMul", builder.add("MatMul", inverse, below), inverse)
        inverse, size = builder.add("Sub", inverse, change), 2 * size
    return inverse


class _Decay:
    """The decays within a block of C tokens, of `decay` [B,H,C,1 or D] in log space; none without it."""

    def __init__(self, builder: NodeBuilder, rule: _Rule, tokens: int, decay: ir.Value | None) -> None:
        self._builder, self._rule, self._tokens, self._decay = builder, rule, tokens, decay
        seen = np.tri(tokens)  # [i,j]: whether token j is not after token i
        self._seen = builder.floats(f"recurrence.seen.{tokens}", seen)
        if decay is None:
            return
        # sums over the tokens m ≤ i, over m > j, and over j < m ≤ i
        self._from_start = _exponential(builder, builder.add("MatMul", self._seen, decay))
        after = builder.floats(f"recurrence.after.{tokens}", 1 - seen)
        self._to_end = _exponential(builder, builder.add("MatMul", after, decay))
        self._between = self._pairs(decay, 1 - seen.T)

    def _pairs(self, decay: ir.Value, later: NDArray[np.float64]) -> ir.Value:
        """[B,H,C,C] or [B,H,C,C,D]: W, 0 where j > i. later: [m,j], whether token m is after token j."""
        builder, heads, tokens, size = self._builder, self._rule.outputs, self._tokens, self._rule.decay_size
        if not self._rule.by_dimension:
            spread = builder.add("Mul", decay, builder.floats(f"recurrence.later.{tokens}", later))
            return builder.add("Mul", _exponential(builder, builder.add("MatMul", self._seen, spread)), self._seen)
        rows = builder.reshape(decay, 0, heads, tokens, 1, size)
        mask = builder.floats(f"recurrence.later.{tokens}.rows", later[:, :, None])
        spread = builder.reshape(builder.add("Mul", rows, mask), 0, heads, tokens, tokens * size)
        sums = builder.reshape(builder.add("MatMul", self._seen, spread), 0, heads, tokens, tokens, size)
        seen = builder.floats(f"recurrence.seen.{tokens}.rows", np.tri(tokens)[:, :, None])
        return builder.add("Mul", _exponential(builder, sums), seen)

    def products(self, rows: ir.Value, columns: ir.Value) -> ir.Value:
        """[B,H,C,C] of [B,H,C,D]: row i times column j, faded from token j to i; 0 where j > i."""
        builder, heads, tokens, size = self._builder, self._rule.outputs, self._tokens, self._rule.size
        if not self._rule.by_dimension:
            plain = builder.add("MatMul", rows, builder.add("Transpose", columns, perm=[0, 1, 3, 2]))
            return builder.add("Mul", plain, self._between if self._decay is not None else self._seen)
        faded = builder.add("Mul", self._between, builder.reshape(rows, 0, heads, tokens, 1, size))
        each = builder.add("Mul", faded, builder.reshape(columns, 0, heads, 1, tokens, size))
        return builder.add("ReduceSum", each, builder.whole(-1), keepdims=0)

    def from_start(self, rows: ir.Value) -> ir.Value:
        """[B,H,C,D], faded from the block's start."""
        return rows if self._decay is None else self._builder.add("Mul", rows, self._from_start)

    def to_end(self, rows: ir.Value) -> ir.Value:
        """[B,H,C,D], faded to the block's end."""
        return rows if self._decay is None else self._builder.add("Mul", rows, self._to_end)

    def over_all(self, state: ir.Value) -> ir.Value:
        """The state [B,H,D,Dv], faded over the whole block."""
        if self._decay is None:
            return state
        builder, size = self._builder, self._rule.decay_size
        total = builder.add("ReduceSum", self._decay, builder.whole(2), keepdims=0)
        return builder.add("Mul", state, builder.reshape(_exponential(builder, total), 0, self._rule.outputs, size, 1))
