"""Products with the factors of an adapter as inputs: values with any rank, packed or not, with a bias or as a Gemm."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import apply, parse, values, weights
from workflows.graph.scopes import SCOPES_KEY
from workflows.optimize.adapter_inputs import AdaptedModule, add_adapter_inputs, find_products
from workflows.optimize.packing import pack_projections, projections_by_input

K, N, ROWS = 8, 6, 3
PLAIN = """g (float[b,s,8] x) => (float[b,s,6] y, float[b,s,4] z) {
    q0 = MatMul(x, wq)
    q = Add(q0, bq)
    y = Relu(q)
    k = MatMul(x, wk)
    z = Relu(k)
}"""


def scoped(model: ir.Model, **paths: str) -> ir.Model:
    """The model with the module of each node, by its first output, as the exporter notes it."""
    for node in model.graph:
        if path := paths.get(str(node.outputs[0].name)):
            node.metadata_props[SCOPES_KEY] = f"['', 'model', 'model.{path}', '{node.outputs[0].name}']"
    return model


def plain() -> ir.Model:
    factors = {"wq": weights(K, N), "bq": weights(N), "wk": weights(K, 4, seed=2)}
    return scoped(parse(PLAIN, **factors), q0="attn.q", q="attn.q", k="attn.k")


def feeds(rank: int, **sizes: int) -> dict[str, np.ndarray]:
    """x, and random factors of the modules of so many outputs."""
    found = {"x": weights(1, ROWS, K, seed=5)}
    for seed, (name, outputs) in enumerate(sizes.items()):
        found[f"lora_A.attn.{name}"] = weights(K, rank + seed * bool(rank), seed=7 + seed)
        found[f"lora_B.attn.{name}"] = weights(rank + seed * bool(rank), outputs, seed=9 + seed)
    return found


def expected(given: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What the graph gives with each weight changed by A · B."""
    x, sums = given["x"], []
    for name, weight, bias in (("q", weights(K, N), weights(N)), ("k", weights(K, 4, seed=2), 0)):
        change = given[f"lora_A.attn.{name}"] @ given[f"lora_B.attn.{name}"]
        sums.append(np.maximum(x @ (weight + change) + bias, 0))
    return sums


@pytest.mark.parametrize("rank", [0, 1, 5])
@pytest.mark.parametrize("packed", [False, True])
def test_the_values_are_those_of_changed_weights(rank: int, packed: bool) -> None:
    """Of ranks that differ between modules, too; without an adapter they are those of before."""
    before, model = plain(), plain()
    if packed:
        (group,) = projections_by_input(model.graph).values()
        assert pack_projections(model.graph, group, "qkv") is None
    products = find_products(before, model, "model")
    assert [len(one.modules) for one in products] == ([2] if packed else [1, 1])
    modules = [module for one in products for module in one.modules]
    assert modules == [AdaptedModule("attn.q", K, N), AdaptedModule("attn.k", K, 4)]
    assert add_adapter_inputs(model, products) == dict.fromkeys(("attn.q", "attn.k"), ir.DataType.FLOAT)
    given = feeds(rank, q=N, k=4)
    for found, wanted in zip(values(model, given), expected(given), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    if rank == 0:
        for found, wanted in zip(values(model, given), values(plain(), {"x": given["x"]}), strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_a_gemm_and_an_output_of_the_graph() -> None:
    """Of a graph of matrices whose product is its output, with the weights turned."""
    text = "g (float[s,8] x) => (float[s,6] y) { y = Gemm<transB=1>(x, w, b) }"

    def made() -> ir.Model:
        return scoped(parse(text, w=weights(N, K), b=weights(N)), y="attn.q")

    model = made()
    products = find_products(made(), model, "model")
    add_adapter_inputs(model, products)
    given = feeds(2, q=N) | {"x": weights(ROWS, K, seed=5)}
    change = given["lora_A.attn.q"] @ given["lora_B.attn.q"]
    (found,) = values(model, given)
    np.testing.assert_allclose(found, given["x"] @ (weights(N, K).T + change) + weights(N), atol=1e-5)
    assert [value.name for value in model.graph.outputs] == ["y"]


def test_a_module_that_is_used_twice_has_one_pair_of_inputs() -> None:
    text = """g (float[b,s,8] x) => (float[b,s,8] y) {
        a = MatMul(x, w)
        r = Relu(a)
        y = MatMul(r, w)
    }"""

    def made() -> ir.Model:
        return scoped(parse(text, w=weights(K, K)), a="attn.q", y="attn.q")

    model = made()
    add_adapter_inputs(model, find_products(made(), model, "model"))
    assert [value.name for value in model.graph.inputs] == ["x", "lora_A.attn.q", "lora_B.attn.q"]
    given = feeds(3, q=K)
    weight = weights(K, K) + given["lora_A.attn.q"] @ given["lora_B.attn.q"]
    np.testing.assert_allclose(values(model, given)[0], np.maximum(given["x"] @ weight, 0) @ weight, atol=1e-5)


def test_a_path_with_two_weights_is_no_linear_layer() -> None:
    """And a graph without the product has no place for the adapter."""
    model = scoped(plain(), q0="attn", q="attn", k="attn")
    assert find_products(model, model, "model") == []
    products = find_products(plain(), plain(), "model")
    other = parse("g (float[b,s,8] x) => (float[b,s,8] y) { y = Relu(x) }")
    with pytest.raises(KeyError, match="q0"):
        add_adapter_inputs(other, products)
    assert apply(other, "dead_nodes")  # it is a graph that runs as before
