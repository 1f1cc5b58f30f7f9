"""Second moments of the inputs of matrix products, for error compensation.

    inputs x [rows, K] of one run ──groups──▶ Σ xᵀx, of each weight

Only these sums are stored, so memory does not grow with the samples; correlations between groups are left out, so that
it grows linearly with K.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.graph.weights import Key, tensor_key
from workflows.optimize.graph_checks import infer_shapes
from workflows.quantize.calibration.ranges import WHOLE
from workflows.quantize.error_compensation import Sums, second_moments, shrink_moments
from workflows.quantize.linear_layers import find_linears
from workflows.recipe import QuantizeSettings


class SecondMoments:
    """The moments of the weights in `models`, component → graph. Weights with the same input share theirs."""

    whole = True

    def __init__(self, models: Mapping[str, ir.Model], settings: Mapping[str, QuantizeSettings]) -> None:
        self.names: dict[str, list[str]] = {}
        self._fed: dict[tuple[str, int], list[int]] = {}  # component, place of the value → the sums it is added to
        self._of_weight: dict[Key, int] = {}
        self._sums: dict[int, Sums] = {}
        self._seen: dict[int, tuple[int, int]] = {}  # rows that the sums are of, and how wide they are
        for component, model in models.items():
            self._plan(component, model, settings[component])

    def _plan(self, component: str, model: ir.Model, settings: QuantizeSettings) -> None:
        infer_shapes(model)
        fed: dict[str, list[Key]] = {}
        for linear in find_linears(model, settings)[0]:
            value = linear.node.inputs[0]
            if value is not None and value.dtype == ir.DataType.FLOAT and value.const_value is None:
                fed.setdefault(str(value.name), []).append(tensor_key(linear.tensor))
        self.names[component] = [*fed]
        for place, keys in enumerate(fed.values()):
            fresh = len(set(self._of_weight.values()))
            into = [self._of_weight.setdefault(key, fresh) for key in keys]
            self._fed[component, place] = list(dict.fromkeys(into))

    def observe(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """Adds the inputs of one run; the outputs are named as `observers` names them."""
        for place in range(len(self.names[component])):
            inputs = np.asarray(outputs[WHOLE % place], np.float32)
            sums, width = second_moments(inputs), inputs.shape[-1]
            for index in self._fed[component, place]:
                found = self._sums.setdefault(index, np.zeros_like(sums))
                found += sums
                rows, _ = self._seen.get(index, (0, width))
                self._seen[index] = rows + inputs.size // width, width

    def of(self, weight: ir.TensorProtocol) -> Sums | None:
        """Returns the shrunk moments; None for a weight that no run has used."""
        index = self._of_weight.get(tensor_key(weight), -1)
        sums = self._sums.get(index)
        return None if sums is None else shrink_moments(sums, *self._seen[index])
