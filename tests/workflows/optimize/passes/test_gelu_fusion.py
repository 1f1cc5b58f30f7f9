from __future__ import annotations

import math

import numpy as np
import pytest

from tests.workflows.optimize.making import check_fires, check_refuses, parse

X = {"x": np.linspace(-6, 6, 96, dtype=np.float32).reshape(2, 3, 16)}
NUMBERS = {
    "half": 0.5, "one": 1.0, "three": 3.0, "root": math.sqrt(2), "inverse": math.sqrt(0.5), "cube": 0.044715,
    "slope": math.sqrt(2 / math.pi),
}  # fmt: skip
FORMS = {
    "erf": "d = Div(x, root) e = Erf(d) a = Add(e, one) m = Mul(x, a) y = Mul(m, half)",
    "erf, halved first": "d = Mul(x, inverse) e = Erf(d) a = Add(one, e) h = Mul(half, x) y = Mul(h, a)",
    "erf, halved last": "d = Div(x, root) e = Erf(d) a = Add(e, one) h = Mul(half, a) y = Mul(x, h)",
    "tanh": """c = Pow(x, three) k = Mul(cube, c) s = Add(x, k) z = Mul(slope, s) t = Tanh(z) a = Add(t, one)
               h = Mul(half, x) y = Mul(h, a)""",
    "tanh of products": """q = Mul(x, x) c = Mul(q, x) k = Mul(c, cube) s = Add(k, x) z = Mul(s, slope) t = Tanh(z)
               a = Add(one, t) h = Mul(half, a) y = Mul(x, h)""",
    "fast": """g = Mul(x, cube) q = Mul(g, x) s = Add(one, q) b = Mul(x, slope) z = Mul(b, s) t = Tanh(z)
               a = Add(t, one) h = Mul(x, half) y = Mul(h, a)""",
}


def graph(body: str, **changed: float) -> str:
    constants = ", ".join(f"float {name} = {{{value!r}}}" for name, value in {**NUMBERS, **changed}.items())
    return f"gelu (float[2,3,16] x) => (float[2,3,16] y) <{constants}> {{ {body} }}"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("opset", [17, 20, 23])
def test_every_form(form: str, opset: int) -> None:
    model = parse(graph(FORMS[form]), opset=opset)
    counts = check_fires(model, "gelu_fusion", X, tolerance=5e-4 if "erf" not in form and opset < 20 else 2e-6)
    tanh = "erf" not in form
    (node,) = model.graph
    assert counts == {"FastGelu" if tanh and opset < 20 else "Gelu": 1}
    assert node.domain == ("" if opset >= 20 else "com.microsoft")
    assert node.attributes.get_string("approximate", "none") == ("tanh" if tanh and opset >= 20 else "none")
    assert model.opset_imports == ({"": opset} if opset >= 20 else {"": opset, "com.microsoft": 1})
    assert not model.graph.initializers


@pytest.mark.parametrize(
    ("form", "changed"), [("erf", {"root": 1.7}), ("tanh", {"cube": 0.05}), ("fast", {"slope": 1.702})]
)
def test_other_constants_are_no_gelu(form: str, changed: dict[str, float]) -> None:
    check_refuses(parse(graph(FORMS[form], **changed)), "gelu_fusion", "constants are not those of Gelu")


def test_what_another_node_reads_stays() -> None:
    text = graph(FORMS["erf"]).replace("(float[2,3,16] y)", "(float[2,3,16] y, float[2,3,16] d)")
    assert check_fires(parse(text), "gelu_fusion", X) == {"Gelu": 1, "Div": 1}
