"""Passes that mend what a provider computes wrongly: values stay, and the form that it cannot compute is gone."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import Arrays, apply, check_fires, check_refuses, parse, structure, weights
from workflows.common.tensor_names import POSITIONS_KEY


def check_stays(model: ir.Model, name: str) -> None:
    """There is nothing for the pass to do, and nothing that it refuses."""
    before = structure(model)
    (report,) = apply(model, name)
    assert (report.modified, report.refused, structure(model)) == (False, [], before)


# -- norms -----------------------------------------------------------------------------------------------------


def normed(shape: str, norm: str = "RMSNormalization", size: int = 8) -> ir.Model:
    return parse(f"g (float[{shape}] x) => (float[{shape}] y) {{ y = {norm}(x, scale) }}", scale=weights(size))


@pytest.mark.parametrize("norm", ["RMSNormalization", "LayerNormalization<axis = 3>", "RMSNormalization<axis = -1>"])
@pytest.mark.parametrize(
    ("shape", "real"), [("1,5,3,8", (1, 5, 3, 8)), ("1,N,3,8", (1, 5, 3, 8)), ("2,3,N,8", (2, 3, 4, 8))]
)
def test_a_norm_over_heads_has_three_axes_of_which_the_first_is_one(
    norm: str, shape: str, real: tuple[int, ...]
) -> None:
    model = normed(shape, norm)
    counts = check_fires(model, "norm_in_three_axes", {"x": weights(*real)}, tolerance=0)
    assert counts["Reshape"] == 2
    view = next(node.inputs[0] for node in model.graph if "Normalization" in node.op_type)
    assert view is not None and view.shape is not None and len(view.shape) == 3 and view.shape[0] == 1


@pytest.mark.parametrize("shape", ["1,5,8", "5,8"])
def test_other_norms_stay(shape: str) -> None:
    check_stays(normed(shape), "norm_in_three_axes")


def test_norms_that_cannot_be_flattened_are_refused() -> None:
    check_refuses(normed("B,3,N,8"), "norm_in_three_axes", "two of its axes have no fixed size")
    whole = parse(
        "g (float[1,2,3,8] x) => (float[1,2,3,8] y) { y = RMSNormalization<axis = 2>(x, scale) }", scale=weights(3, 8)
    )
    check_refuses(whole, "norm_in_three_axes", "it norms over more than the last axis")
    told = parse(
        """g (float[1,2,3,8] x) => (float[1,2,3,8] y, float[1,2,3,1] m)
        { y, m = LayerNormalization<axis = 3>(x, scale) }""",
        scale=weights(8),
    )
    check_refuses(told, "norm_in_three_axes", "its mean or deviation is read too")


def centred(shape: str, **bias: Any) -> ir.Model:
    given = ", ".join(["scale", *bias])
    ends = f"y = LayerNormalization<axis = -1, epsilon = 0.02>(x, {given})"
    return parse(f"g (float[{shape}] x) => (float[{shape}] y) {{ {ends} }}", scale=weights(8), **bias)


@pytest.mark.parametrize("shape", ["1,16,8", "16,8", "4,4,8"])
@pytest.mark.parametrize("biased", [True, False])
def test_a_norm_of_sixteen_rows_has_its_mean_apart(shape: str, biased: bool) -> None:
    """A large mean, so that one that is forgotten shows, and an epsilon that does."""
    model = centred(shape, **({"bias": weights(8, seed=1)} if biased else {}))
    x = weights(*map(int, shape.split(",")), seed=2) + np.float32(3)
    counts = check_fires(model, "means_apart", {"x": x}, tolerance=1e-5)
    assert counts == {"ReduceMean": 1, "Sub": 1, "RMSNormalization": 1} | ({"Add": 1} if biased else {})


@pytest.mark.parametrize("shape", ["1,15,8", "1,17,8", "1,32,8", "1,1,8", "1,N,8", "2,16,8"])
def test_norms_of_other_rows_keep_their_mean(shape: str) -> None:
    check_stays(centred(shape), "means_apart")


def test_norms_whose_mean_cannot_be_taken_apart_are_refused() -> None:
    whole = parse("g (float[2,8,8] x) => (float[2,8,8] y) { y = LayerNormalization<axis = 1>(x, scale) }",
                  scale=weights(8, 8))  # fmt: skip
    check_refuses(whole, "means_apart", "it norms over more than the last axis")
    told = parse(
        """g (float[16,8] x) => (float[16,8] y, float[16,1] m)
        { y, m = LayerNormalization<axis = 1>(x, scale) }""",
        scale=weights(8),
    )
    check_refuses(told, "means_apart", "its mean or deviation is read too")


# -- positions -------------------------------------------------------------------------------------------------

ANGLES = """a = Cast<to = 1>(position_ids) b = Unsqueeze(a, last) c = Mul(b, rates)"""


def turned(ends: str, outputs: str, positions: int = 50) -> ir.Model:
    model = parse(
        f"g (int64[1,N] position_ids, float[1,N,4] x) => ({outputs}) {{ {ANGLES} {ends} }}",
        last=np.array([-1]), rates=(1 / 10 ** np.arange(4.0)).astype(np.float32),
        **({"scale": np.array(1.3, np.float32)} if "scale" in ends else {}),
    )  # fmt: skip
    model.metadata_props[POSITIONS_KEY] = str(positions)
    return model


def feeds(*starts: int) -> list[Arrays]:
    """Steps of one and of five columns, at the beginning, amid and at the last position."""
    return [
        {"position_ids": np.arange(start, start + new)[None], "x": weights(1, new, 4, seed=start)}
        for start in starts
        for new in (1, 5)
    ]


def test_angles_come_from_tables_at_every_position() -> None:
    model = turned("d = Cos(c) e = Sin(c) y = Mul(x, d) z = Add(y, e)", "float[1,N,4] z")
    counts = check_fires(model, "position_tables", feeds(0, 17, 45), tolerance=1e-6)
    assert counts == {"Gather": 2, "Mul": 1, "Add": 1}
    assert [value.shape for value in model.graph.initializers.values() if value.name and "table" in value.name] == [
        ir.Shape([50, 4]), ir.Shape([50, 4]),
    ]  # fmt: skip


def test_what_is_made_of_a_curve_is_in_the_table_too() -> None:
    model = turned("d = Cos(c) e = Mul(d, scale) f = Concat<axis = -1>(e, e) y = Add(x, e) z = Identity(f)",
                   "float[1,N,4] y, float[1,N,8] z")  # fmt: skip
    counts = check_fires(model, "position_tables", feeds(3), tolerance=1e-6)
    assert "Cos" not in counts and "Cast" not in counts


def test_a_graph_of_fixed_columns_may_hold_constants_for_them() -> None:
    """As M-RoPE's sections, which are written into the angles by column."""
    model = parse(
        f"g (int64[1,5] position_ids, float[1,5,4] x) => (float[1,5,4] z) {{ {ANGLES} d = Mul(c, columns) e = Cos(d)"
        " z = Add(e, x) }",
        last=np.array([-1]), rates=(1 / 10 ** np.arange(4.0)).astype(np.float32),
        columns=np.ones((1, 5, 1), np.float32),
    )  # fmt: skip
    model.metadata_props[POSITIONS_KEY] = "48"  # not a multiple of the columns
    feed = [{"position_ids": np.arange(start, start + 5)[None], "x": weights(1, 5, 4)} for start in (0, 43)]
    assert check_fires(model, "position_tables", feed, tolerance=1e-6) == {"Gather": 1, "Add": 1}


def test_curves_of_something_else_stay() -> None:
    check_stays(turned("d = Mul(c, x) e = Cos(d) z = Add(e, x)", "float[1,N,4] z"), "position_tables")


def test_without_a_number_of_positions_nothing_is_done() -> None:
    model = turned("d = Cos(c) z = Add(d, x)", "float[1,N,4] z")
    del model.metadata_props[POSITIONS_KEY]
    check_refuses(model, "position_tables", "how many positions the model has")
    check_refuses(turned("d = Cos(c) z = Add(d, x)", "float[1,N,4] z", 1 << 26), "position_tables", "too much memory")
    plain = parse("g (float[1,4] x) => (float[1,4] y) { y = Cos(x) }")
    check_refuses(plain, "position_tables", "takes no position_ids")


# -- masks -----------------------------------------------------------------------------------------------------


def attending(mask: str) -> ir.Model:
    return parse(
        f"""g (float[1,2,3,8] q, float[1,2,5,8] k, float[1,2,5,8] v, {mask}[1,1,3,5] m)
        => (float[1,2,3,8] y, float[1,2,3,8] z) {{ y = Attention(q, k, v, m) z = Attention(y, k, v, m) }}"""
    )


def test_masks_of_truths_become_masks_of_numbers() -> None:
    seen = np.tril(np.ones((3, 5), bool), 1)[None, None]
    keys = {name: weights(1, 2, 5, 8, seed=i) for i, name in enumerate("kv")}
    counts = check_fires(attending("bool"), "float_masks", {"q": weights(1, 2, 3, 8), **keys, "m": seen})
    assert counts == {"Where": 1, "Attention": 2}  # one mask serves both


def test_masks_of_numbers_and_no_masks_stay() -> None:
    check_stays(attending("float"), "float_masks")
    bare = parse("g (float[1,2,3,8] q) => (float[1,2,3,8] y) { y = Attention(q, q, q) }")
    check_stays(bare, "float_masks")
