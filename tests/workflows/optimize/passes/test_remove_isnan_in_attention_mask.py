from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.optimize.making import apply, check_fires, check_refuses, export_old, operators, parse, weights

NAME = "remove_isnan_in_attention_mask"
INPUTS = {"q": weights(2, 4, 8), "k": weights(2, 8, 4, seed=1), "seen": np.tri(4, dtype=bool)[None]}
ENDS = (
    "g (float[2,4,8] q, float[2,8,4] k, bool[1,4,4] seen) => (float[2,4,4] y) <float zero = {0.0}, float one = {1.0}>"
)
SCORES = "s = MatMul(q, k) m = Where(seen, zero, low) a = Add(s, m) p = Softmax(a) n = IsNaN(p)"
FINITE, INFINITE = np.float32(-1e38), np.float32(-np.inf)


@pytest.mark.parametrize("guard", ["y = Where(n, zero, p)", "o = Not(n) y = Where(o, p, zero)"])
def test_the_guard_goes_where_masks_are_finite(guard: str) -> None:
    model = parse(f"{ENDS} {{ {SCORES} {guard} }}", low=FINITE)
    assert check_fires(model, NAME, INPUTS) == {"MatMul": 1, "Where": 1, "Add": 1, "Softmax": 1}
    assert [value.name for value in model.graph.outputs] == ["y"]


def test_after_the_clamp_and_not_before() -> None:
    model = parse(f"{ENDS} {{ {SCORES} g = Where(n, zero, p) y = Mul(g, one) }}", low=INFINITE)
    check_refuses(model, NAME, "holds −inf: run clamp_constant_values first")
    assert apply(model, "clamp_constant_values")[0].modified
    assert "IsNaN" not in check_fires(model, NAME, INPUTS)


@pytest.mark.parametrize(
    ("guard", "reason"),
    [
        ("y = Where(n, p, zero)", "gives Softmax's values where they are NaN"),
        ("o = Not(n) y = Where(o, zero, p)", "gives Softmax's values where they are NaN"),
        ("y = Where(n, one, p)", "is not the constant 0"),
        ("y = Where(n, s, p)", "is not the constant 0"),
    ],
)
def test_another_input_of_where_is_refused(guard: str, reason: str) -> None:
    check_refuses(parse(f"{ENDS} {{ {SCORES} {guard} }}", low=FINITE), NAME, reason)


def test_a_mask_that_the_caller_gives_may_hold_anything() -> None:
    text = """g (float[2,4,4] s, float[1,4,4] mask) => (float[2,4,4] y) <float zero = {0.0}>
      { a = Add(s, mask) p = Softmax(a) n = IsNaN(p) y = Where(n, zero, p) }"""
    check_refuses(parse(text), NAME, "may hold −inf")


def test_two_finite_masks_may_come_to_minus_infinity() -> None:
    body = SCORES.replace("a = Add(s, m)", "t = Add(m, m) a = Add(s, t)")
    lowest = np.finfo(np.float32).min
    check_refuses(parse(f"{ENDS} {{ {body} y = Where(n, zero, p) }}", low=lowest), NAME, "holds −inf")
    check_fires(parse(f"{ENDS} {{ {body} y = Where(n, zero, p) }}", low=FINITE), NAME, INPUTS)


def test_an_operator_that_nothing_is_known_of() -> None:
    body = SCORES.replace("a = Add(s, m)", "l = Log(s) a = Add(l, m)")
    check_refuses(
        parse(f"{ENDS} {{ {body} y = Where(n, zero, p) }}", low=FINITE), NAME, "how small l can be, which Log"
    )


def test_a_where_that_is_no_guard_is_none_of_its_business() -> None:
    (report,) = apply(parse(f"{ENDS} {{ {SCORES} y = Where(seen, zero, p) }}", low=FINITE), NAME)
    assert (report.modified, report.refused) == (False, [])


def test_attention_of_an_old_export() -> None:
    import torch

    class Attention(torch.nn.Module):
        def forward(self, q: torch.Tensor, k: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
            mask = torch.where(seen, 0.0, float("-inf"))
            weight = torch.softmax(q @ k + mask, -1)
            return torch.where(torch.isnan(weight), 0.0, weight) @ q

    example = tuple(torch.from_numpy(array) for array in INPUTS.values())
    model = export_old(Attention(), *example, names=list(INPUTS))
    assert operators(model)["IsNaN"] == 1
    check_refuses(model, NAME, "run clamp_constant_values first")
    apply(model, "clamp_constant_values")
    assert "IsNaN" not in check_fires(model, NAME, INPUTS)
