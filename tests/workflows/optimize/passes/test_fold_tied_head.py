from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, parse, weights

TABLE = weights(24, 8)
IDS = {"ids": np.array([[3, 1, 20]])}
HEAD = "t = Transpose<perm = [1,0]>(table) logits = MatMul(x, t)"
TIED = f"g (int64[1,S] ids) => (float[1,S,24] logits) {{ x = Gather(table, ids) {HEAD} }}"


def test_a_tied_head_reads_the_embedding_itself() -> None:
    model = parse(TIED, table=TABLE)
    assert check_fires(model, "fold_tied_head", IDS) == {"Gather": 1, "Reshape": 2, "Gemm": 1}
    large = [value.name for value in model.graph.initializers.values() if value.const_value.size > 3]
    assert large == ["table"]
    assert str(model.graph.outputs[0].shape) == "[1,S,24]"


def test_a_matrix_needs_no_reshape() -> None:
    text = TIED.replace("int64[1,S] ids", "int64[S] ids").replace("float[1,S,24]", "float[S,24]")
    assert check_fires(parse(text, table=TABLE), "fold_tied_head", {"ids": IDS["ids"][0]}) == {"Gather": 1, "Gemm": 1}


def test_a_head_of_its_own_is_turned_once() -> None:
    model = parse(f"g (float[1,S,8] x) => (float[1,S,24] logits) {{ {HEAD} }}", table=TABLE)
    assert check_fires(model, "fold_tied_head", {"x": weights(1, 3, 8)}) == {"MatMul": 1}
    assert list(model.graph.initializers) == ["table.transposed"]
    np.testing.assert_array_equal(model.graph.initializers["table.transposed"].const_value.numpy(), TABLE.T)


def test_a_symbolic_batch_is_refused_with_what_it_would_cost() -> None:
    text = TIED.replace("[1,S]", "[B,S]").replace("[1,S,24]", "[B,S,24]")
    check_refuses(parse(text, table=TABLE), "fold_tied_head", "a transposed copy of table costs 768 bytes")


@pytest.mark.parametrize("perm", ["0,1"])
def test_a_transpose_that_turns_nothing_is_none_of_its_business(perm: str) -> None:
    text = TIED.replace("1,0", perm).replace("24]", "8]")
    assert not apply(parse(text, table=weights(8, 8)), "fold_tied_head")[0].modified
