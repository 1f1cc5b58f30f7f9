"""A search for a divergence as the worker gives it: 28 layers of four nodes, a product in the tenth parts."""

from __future__ import annotations

from workflows.wire.reports.divergence import ComparedNode, DivergenceReport

_NODES = (("RMSNormalization", "input_layernorm"), ("MatMul", "self_attn/q_proj"), ("Attention", "self_attn"),
          ("MatMul", "mlp/down_proj"))  # fmt: skip
FIRST = 38


def report() -> DivergenceReport:
    """What was found: the difference grows from the product on, which alone is to blame."""
    nodes = [_node(depth) for depth in range(1, 4 * 28 + 1)]
    return DivergenceReport(
        prompt="What is the capital of France?",
        nodes_compared=len(nodes),
        first=nodes[FIRST - 1],
        curve=[(node.depth, node.max_abs_diff) for node in nodes],
        nodes=nodes,
        prompt_ids=[3, 8, 41, 5],
        token_ids=[17, 2],
        notes=["The two take prompts in different chunks, so both were fed token by token."],
    )


def _node(depth: int) -> ComparedNode:
    layer, place = divmod(depth - 1, len(_NODES))
    op, scope = _NODES[place]
    parts, after = depth == FIRST, depth >= FIRST
    return ComparedNode(
        component="decoder",
        node=f"node_{op.lower()}_{layer}_{place}",
        op=op,
        scope=f"model/layers/{layer}/{scope}",
        reference=f"node_{op.lower()}_{layer}_{place}",
        depth=depth,
        max_abs_diff=0.012 * 1.03 ** (depth - FIRST) if after else 2e-7 * depth,
        reference_max=3.5,
        own_abs_diff=0.012 if parts else 1e-7,
        tolerance=5e-5,
        parts=parts,
    )
