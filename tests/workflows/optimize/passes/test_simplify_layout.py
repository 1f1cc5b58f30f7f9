from __future__ import annotations

import pytest

from tests.workflows.optimize.making import apply, check_fires, parse, weights

X = {"x": weights(1, 5, 12)}
ENDS = "g (float[1,S,12] x) => (float[1,S,12] y) <int64[4] h = {1, -1, 3, 4}, int64[3] f = {1, -1, 12}>"
OTHER = "Transpose<perm = [0,1,3,2]>"
TURN = "Transpose<perm = [0,2,1,3]>"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"a = Reshape(x, h) b = {TURN}(a) c = {TURN}(b) d = Reshape(c, f) y = Neg(d)", {"Neg": 1}),
        ("a = Reshape(x, h) b = Reshape(a, f) y = Neg(b)", {"Neg": 1}),
        ("a = Reshape(x, f) y = Neg(a)", {"Neg": 1}),
        (
            f"a = Reshape(x, h) b = {TURN}(a) c = {OTHER}(b) d = {TURN}(c) e = Reshape(d, f) y = Neg(e)",
            {"Reshape": 2, "Transpose": 1, "Neg": 1},
        ),
    ],
)
def test_chains(body: str, left: dict[str, int]) -> None:
    model = parse(f"{ENDS} {{ {body} }}")
    assert check_fires(model, "simplify_layout", X) == left
    assert str(model.graph.outputs[0].shape) == "[1,S,12]"


@pytest.mark.parametrize(
    "body",
    [
        f"a = Reshape(x, h) b = {TURN}(a) y = Reshape(b, f)",
        "n = Neg(x) y = Reshape(n, f)",  # the graph gives it out under its name
    ],
)
def test_what_does_something_stays(body: str) -> None:
    assert not apply(parse(f"{ENDS} {{ {body} }}"), "simplify_layout")[0].modified


def test_a_reshape_that_copies_an_axis_of_the_inner_one_stays() -> None:
    text = ENDS.replace("{1, -1, 12}", "{0, -1, 12}")
    model = parse(f"{text} {{ a = Reshape(x, h) b = Reshape(a, f) y = Neg(b) }}")
    assert not apply(model, "simplify_layout")[0].modified
