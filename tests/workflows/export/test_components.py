"""Components on disk: copies of a graph with fixed axes."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx_ir as ir

from tests.workflows.optimize.making import parse, weights
from workflows.export.components import save_components
from workflows.recipe.cut import Component, ComponentRole, Cut

TEXT = """g (float[1,sequence,8] x, float[1,capacity,8] past) => (float[1,sequence,8] y, float[1,other,8] z)
    <float[sequence,a] h, float[b] i> { h = Reshape (x, two) i = Reshape (past, one) y = MatMul (x, w)
    z = Concat <axis = 1> (past, x) }"""


def axes(path: Path) -> dict[str, list[int | str | None]]:
    """Value → its axes: a number, a name, or None."""
    graph = onnx.load(path, load_external_data=False).graph
    return {
        value.name: [
            dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
            for dim in value.type.tensor_type.shape.dim
        ]
        for value in (*graph.input, *graph.output, *graph.value_info)
    }


def test_a_copy_has_the_sizes_of_its_component_and_no_name_for_an_axis_without_one(tmp_path: Path) -> None:
    model = parse(TEXT, w=weights(8, 8), one=weights(1), two=weights(2))
    values = {value.name: value for node in model.graph for value in node.outputs}
    values["i"].shape = ir.Shape([None])
    decoder, prefill = ComponentRole.DECODER, ComponentRole.PREFILL
    copy = Component(prefill, ("init",), ("x",), ("y",), copy_of=decoder, columns=4, slots=16)
    save_components(tmp_path, {decoder: model}, Cut((copy,)), None)
    assert [file.name for file in tmp_path.glob("*.onnx")] == ["prefill.onnx"]
    found = axes(tmp_path / "prefill.onnx")
    assert {name: found[name] for name in ("x", "past", "y", "z", "h", "i")} == {
        "x": [1, 4, 8], "past": [1, 16, 8], "y": [1, 4, 8], "z": [1, "other", 8], "h": [4, "a"], "i": [None],
    }  # fmt: skip
