"""Linear attention in ONNX's own operators has the values of onnxruntime's kernel, with its state carried on."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import apply, check_refuses, operators, parse, values

SIZE, WIDTH = 10, 6
RULES = ("linear", "gated", "delta", "gated_delta")


def graph(rule: str, heads: tuple[int, int], by_dimension: bool, length: int | str, more: str = "") -> ir.Model:
    """One LinearAttention of q and k heads."""
    q, k = heads
    gates = [f", float[1,{length},{k * (SIZE if by_dimension else 1)}] g"] if rule.startswith("gated") else []
    gates += [f", float[1,{length},{k}] b"] if rule.endswith("delta") else []
    given = f"q, k, v, s, {'g' if rule.startswith('gated') else ''}{', b' if rule.endswith('delta') else ''}"
    return parse(
        f"""g (float[1,{length},{q * SIZE}] q, float[1,{length},{k * SIZE}] k, float[1,{length},{k * WIDTH}] v,
               float[1,{k},{SIZE},{WIDTH}] s{"".join(gates)})
            => (float[1,{length},{max(q, k) * WIDTH}] o, float[1,{k},{SIZE},{WIDTH}] s2)
        {{ o, s2 = com.microsoft.LinearAttention<q_num_heads = {q}, kv_num_heads = {k}, update_rule = "{rule}"{more}>
          ({given}) }}""",
        opset=21,
        contrib=True,
    )


def rows(model: ir.Model, length: int, seed: int) -> dict[str, np.ndarray]:
    """Drawn inputs: normalized keys, which resemble each other, and decays from none to nearly all."""
    random = np.random.default_rng(seed)
    found = {}
    for value in model.graph.inputs:
        assert value.shape is not None
        shape = [length if index == 1 and value.name != "s" else int(axis) for index, axis in enumerate(value.shape)]  # type: ignore[arg-type]
        found[str(value.name)] = random.normal(size=shape).astype(np.float32)
    keys = found["k"].reshape(1, length, -1, SIZE) + 1
    found["k"] = (keys / np.linalg.norm(keys, axis=-1, keepdims=True)).reshape(found["k"].shape)
    if "g" in found:
        found["g"] = -np.exp(2 * found["g"])
    if "b" in found:
        found["b"] = (1 / (1 + np.exp(-3 * found["b"]))).astype(np.float32)
    return found


@pytest.mark.parametrize("heads", [(3, 3), (4, 2), (2, 4)])
@pytest.mark.parametrize("by_dimension", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_values_are_those_of_the_kernel(rule: str, by_dimension: bool, heads: tuple[int, int]) -> None:
    """Runs of 1, 2, 63, 64 and 65 tokens after each other, in graphs of any length and of a fixed one."""
    if by_dimension and not rule.startswith("gated"):
        pytest.skip("has no decay")
    kernel, any_length = (graph(rule, heads, by_dimension, "S") for _ in range(2))
    assert apply(any_length, "portable_recurrence")[0].modified
    state = None
    for length in (1, 2, 63, 64, 65):
        fixed = graph(rule, heads, by_dimension, length)
        (report,) = apply(fixed, "portable_recurrence")
        assert (
            report.modified and "LinearAttention" not in operators(fixed) and "com.microsoft" not in fixed.opset_imports
        )
        feed = rows(kernel, length, length)
        feed = feed if state is None else feed | {"s": state}
        output, state = values(kernel, feed)
        for model in (fixed, any_length):
            for found, wanted in zip(values(model, feed), (output, state), strict=True):
                assert found.shape == wanted.shape
                np.testing.assert_allclose(found, wanted, atol=2e-5)


def test_errors_do_not_grow_with_equal_keys() -> None:
    """Of an inverse by powers of the triangle they would: these reach 10¹⁷ within a block."""
    kernel, fixed = (graph("delta", (1, 1), False, 64) for _ in range(2))
    apply(fixed, "portable_recurrence")
    feed = rows(kernel, 64, 0) | {"b": np.ones((1, 64, 1), np.float32)}
    feed["k"] = np.tile(feed["k"][:, :1], (1, 64, 1))
    for found, wanted in zip(values(fixed, feed), values(kernel, feed), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_a_token_takes_few_nodes_and_no_loop() -> None:
    one, any_length = graph("gated_delta", (3, 3), False, 1), graph("gated_delta", (3, 3), False, "S")
    apply(one, "portable_recurrence")
    apply(any_length, "portable_recurrence")
    assert one.graph.num_nodes() <= 20 and "Scan" not in operators(one) and operators(any_length)["Scan"] == 1


def test_a_window_of_states_is_refused() -> None:
    model = graph("gated", (3, 3), False, 4, ", state_window = 2")
    check_refuses(model, "portable_recurrence", "it keeps the states of several tokens")


def test_an_unknown_rule_is_refused() -> None:
    check_refuses(graph("gated_squared", (3, 3), False, 4), "portable_recurrence", "its update_rule is gated_squared")
