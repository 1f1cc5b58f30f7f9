"""What run_passes asks of every pass, held against passes that do wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import parse
from workflows.common.errors import JoineryError
from workflows.optimize import PASSES, run_passes
from workflows.optimize.base import Pass, PassResult
from workflows.recipe.families import FAMILIES
from workflows.recipe.family import OPTIONAL_PASSES
from workflows.recipe.target import CONTRIB_PASSES, PORTABLE_PASSES, REPAIR_PASSES, TARGETS

TEXT = "g (float[1,S,4] x) => (float[1,S,4] y) { y = Mul(x, w) }"


class Does(Pass):
    """A pass that does as it is told."""

    name = title = "does"

    def __init__(self, change: Callable[[ir.Model], object]) -> None:
        self.change = change

    def call(self, model: ir.Model) -> PassResult:
        self.change(model)
        return PassResult(True)


def model(opset: int = 23) -> ir.Model:
    return parse(TEXT, opset=opset, w=np.ones(4, np.float32))


def test_dead_initializers_and_unused_imports_go() -> None:
    made = model()

    def litter(model: ir.Model) -> None:
        model.opset_imports["ai.onnx.ml"] = 3
        value = ir.Value(name="dead", const_value=ir.tensor(np.ones(3, np.float32), name="dead"))
        model.graph.register_initializer(value)

    run_passes(made, [Does(litter)])
    assert list(made.graph.initializers) == ["w"]
    assert made.opset_imports == {"": 23}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: setattr(m.graph.inputs[0], "shape", ir.Shape([1, 7, 4])), r"x was .*\[1,S,4\].* and is .*\[1,7,4\]"),
        (lambda m: setattr(m.graph.outputs[0], "name", "z"), "y was .* and is None"),
        (
            lambda m: setattr(m.graph.node(0), "op_type", "Unheard"),
            "onnx's checker refuses the graph: No Op registered",
        ),
    ],
)
def test_what_is_broken_is_reported_with_the_passes_before(change: Callable[[ir.Model], object], message: str) -> None:
    before = Does(lambda model: None)
    with pytest.raises(JoineryError, match=f"The pass does broke its promise: {message}.*after does.; switch it off"):
        run_passes(model(), [before, Does(change)])


def test_the_one_operator_that_the_checker_does_not_know() -> None:
    def name_it(model: ir.Model) -> None:
        node = model.graph.node(0)
        node.op_type = "SimplifiedLayerNormalization"
        node.attributes["axis"] = ir.AttrInt64("axis", -1)

    made = model(17)
    run_passes(made, [Does(name_it)])
    assert (made.graph.node(0).domain, made.opset_imports) == ("", {"": 17})


def test_families_name_passes_that_there_are_in_the_order_in_which_they_run() -> None:
    order = list(PASSES)
    for family in FAMILIES.families:
        assert list(family.passes) == sorted(family.passes, key=order.index), family.name
        for target in TARGETS.values():
            passes = family.default_passes(target)
            off = {one for one in order if not target.passes.get(one, one not in OPTIONAL_PASSES)}
            assert {one for one, on in passes.items() if not on} == off & set(family.passes)
    assert set(order) == {name for family in FAMILIES.families for name in family.passes}


def test_targets_switch_the_passes_that_they_are_about() -> None:
    switched = {name: {one for one, on in target.passes.items() if on} for name, target in TARGETS.items()}
    assert switched == {
        "cpu": {"logits_rows"},
        "webgpu": set(),
        "openvino": set(PORTABLE_PASSES),
        "qnn": set(REPAIR_PASSES) - {"contrib_gelu"},
        "dml": {"contrib_gelu", *PORTABLE_PASSES},
    }
    assert {one for one, on in TARGETS["qnn"].passes.items() if not on} == set(CONTRIB_PASSES)
    assert {one for one, on in TARGETS["dml"].passes.items() if not on} == {"matmul_add_fusion"}


def test_every_pass_shows_what_it_is_for() -> None:
    assert all(name == a_pass.name and a_pass.title and a_pass.__doc__ for name, a_pass in PASSES.items())
