"""What a model computes of its configuration is a constant in its graph, whatever operators it is computed with."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
import torch

from workflows.common.errors import JoineryError
from workflows.export.signature import ExportSignature
from workflows.export.trace import trace


class Quantile(torch.nn.Module):
    """Gemma 3n's cutoff: the quantile of a normal distribution, of a number of the configuration."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        share = torch.tensor(0.95, dtype=torch.float32, device=x.device)
        return x * torch.distributions.normal.Normal(0, 1).icdf(share).type(x.dtype)


class Special(torch.nn.Module):
    """Other operators that ONNX lacks, of numbers, ranges and tables that are changed in place."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        steps = torch.arange(1, 4, dtype=torch.float32)
        steps = torch.special.i0e(steps) + torch.lgamma(torch.full((3,), 2.5)) + torch.tensor([1.0, 2.0, 3.0])
        first, last = torch.broadcast_tensors(torch.special.erfcx(steps), torch.tensor(2.0))
        written = torch.zeros(3)
        written += x[0]
        return x + first * last + written


class OfInputs(torch.nn.Module):
    """The same of what is only known when the graph runs."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.special.i0e(x)


def signature() -> ExportSignature:
    return ExportSignature({"x": torch.tensor([[0.1, -2.0, 3.0], [1.0, 0.5, 0.0]])}, {"x": {}}, ["y"])


@pytest.mark.parametrize("module", [Quantile(), Special()])
def test_what_the_configuration_says_is_a_constant(module: torch.nn.Module) -> None:
    graph = trace(module, signature(), 23)
    session = onnxruntime.InferenceSession(ir.to_proto(graph).SerializeToString())
    for x in (signature().inputs["x"], torch.linspace(-1, 1, 6).reshape(2, 3)):
        (found,) = session.run(None, {"x": x.numpy()})
        np.testing.assert_allclose(found, module(x).numpy(), rtol=1e-6, atol=1e-7)


def test_the_quantile_is_that_of_a_normal_distribution() -> None:
    """A value, not the module again: 1.6448536 of 0.95."""
    assert math.isclose(float(Quantile()(torch.ones(1))), 1.6448536, rel_tol=1e-6)


def test_what_depends_on_inputs_is_none() -> None:
    with pytest.raises(JoineryError, match="torch cannot export this model to ONNX: No ONNX function found"):
        trace(OfInputs(), signature(), 23)
