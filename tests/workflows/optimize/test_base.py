"""The runner of passes: what its callback sees, in which order."""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, PassReport, PassResult, Refusal, run_passes


class Renames(Pass):
    """A pass that gives the graph's one node a name, or refuses where it has that one."""

    title = "Rename"

    def __init__(self, name: str) -> None:
        self.name = name

    def requires(self, model: ir.Model) -> Refusal | None:
        return Refusal("named so", self.name) if model.graph.node(0).name == self.name else None

    def call(self, model: ir.Model) -> PassResult:
        model.graph.node(0).name = self.name
        return PassResult(True)


def test_after_each_pass_the_callback_sees_its_report_and_the_model() -> None:
    """In order, also after one that refused; seconds are on the report."""
    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([1]))
    node = ir.Node("", "Relu", [x], name="old")
    model = ir.Model(ir.Graph([x], node.outputs, nodes=[node], opset_imports={"": 23}, name="g"), ir_version=10)
    seen: list[tuple[PassReport, str | None]] = []
    reports = run_passes(
        model,
        [Renames("one"), Renames("one"), Renames("two")],
        lambda report, model: seen.append((report, model.graph.node(0).name)),
    )
    assert [report for report, _ in seen] == reports
    assert [(report.modified, name) for report, name in seen] == [(True, "one"), (False, "one"), (True, "two")]
    assert reports[1].refused == [Refusal("named so", "one")]
    assert all(report.seconds >= 0 and report.to_dict()["seconds"] == report.seconds for report in reports)
