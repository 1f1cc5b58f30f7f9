"""Graphs for tests of passes, and what every such test asks: equal values, equal ends, and nothing left to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.optimize import PASSES, PassReport, run_passes

Arrays = Mapping[str, NDArray[Any]]


def parse(text: str, *, opset: int = 23, contrib: bool = False, **initializers: NDArray[Any]) -> ir.Model:
    """A model of the graph in ONNX's text form, `name (inputs) => (outputs) { nodes }`, with these initializers."""
    imports = f'"" : {opset}' + (', "com.microsoft" : 1' if contrib else "")
    header = f"<ir_version: 10, opset_import: [{imports}]>"
    tensors = [ir.tensor(array, name=name) for name, array in initializers.items()]
    return ir.from_onnx_text(f"{header} {text}", initializers=tensors)


def weights(*shape: int, seed: int = 0, dtype: Any = np.float32) -> NDArray[Any]:
    return (np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[0])).astype(dtype)


def values(model: ir.Model, inputs: Arrays) -> list[NDArray[Any]]:
    """The outputs, computed by onnxruntime without optimizations of its own."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(ir.to_proto(model).SerializeToString(), options, ["CPUExecutionProvider"])
    return list(session.run(None, dict(inputs)))


def apply(model: ir.Model, *names: str) -> list[PassReport]:
    return run_passes(model, [PASSES[name] for name in names])


def operators(model: ir.Model) -> dict[str, int]:
    return dict(Counter(node.op_type for node in model.graph))


def structure(model: ir.Model) -> list[Any]:
    """Nodes, initializers and imports: all but the shapes that run_passes fills in."""
    nodes = [
        (
            n.op_type,
            [v and v.name for v in n.inputs],
            [v.name for v in n.outputs],
            [*map(_plain, n.attributes.values())],
        )
        for n in model.graph
    ]
    return [*nodes, sorted(model.graph.initializers), dict(model.opset_imports)]


def _plain(attribute: ir.Attr) -> tuple[str, Any]:
    is_tensor = attribute.type == ir.AttributeType.TENSOR
    return attribute.name, attribute.value.tobytes() if is_tensor else attribute.value


def check_fires(
    model: ir.Model, name: str, inputs: Arrays | Sequence[Arrays], *, tolerance: float = 1e-5
) -> dict[str, int]:
    """The pass changes the graph and no value of it, and does nothing the second time; gives the operators' counts."""
    feeds = [inputs] if isinstance(inputs, Mapping) else inputs
    before = [values(model, feed) for feed in feeds]
    (report,) = apply(model, name)
    assert report.modified, report.refused
    for feed, expected in zip(feeds, before, strict=True):
        for got, wanted in zip(values(model, feed), expected, strict=True):
            assert got.shape == wanted.shape and got.dtype == wanted.dtype
            np.testing.assert_allclose(got, wanted, atol=tolerance, rtol=tolerance)
    counts = operators(model)
    (again,) = apply(model, name)
    assert not again.modified and operators(model) == counts
    assert model.graph.num_nodes() == report.nodes_after
    return counts


def check_refuses(model: ir.Model, name: str, reason: str, *, node: str | None = None) -> None:
    """The pass leaves the graph as it is, and says `reason`, at `node` where that is given."""
    before = structure(model)
    (report,) = apply(model, name)
    assert not report.modified
    assert any(reason in refusal.reason for refusal in report.refused), report.refused
    if node is not None:
        assert node in [refusal.node for refusal in report.refused]
    assert structure(model) == before


def export_old(module: Any, *example: Any, names: Sequence[str] = ("x",), opset: int = 17) -> ir.Model:
    """As other people's tools export: TorchScript, an old opset, and everything spelt out."""
    import io
    import warnings

    import onnx
    import torch

    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module.eval(), example, stream, dynamo=False, opset_version=opset, input_names=list(names))
    return ir.from_proto(onnx.load_model_from_string(stream.getvalue()))
