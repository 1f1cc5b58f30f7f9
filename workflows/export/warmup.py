"""Exports the smallest graph: afterwards torch's exporter is imported and its tables are filled."""

from __future__ import annotations

import torch

from workflows.export.trace import quiet_exporter
from workflows.recipe.schema import DEFAULT_OPSET


def export_minimal_graph() -> None:
    """Traces a product with one dynamic axis, as in the graphs of a decoder, and discards the result."""
    with quiet_exporter():
        torch.onnx.export(
            torch.nn.Linear(2, 2).eval().requires_grad_(False),
            (torch.zeros(2, 2),),
            dynamo=True,
            opset_version=DEFAULT_OPSET,
            dynamic_shapes=({0: torch.export.Dim.DYNAMIC},),
            verbose=False,
        )
