"""Second moments of the inputs of matrix products, for error compensation.

    inputs x [rows, K] of one run ──▶ Σ xᵀx [K,K], of each value that products read ──▶ ErrorFeedback

Only these sums are stored, so memory does not grow with the samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.quantize.calibration.ranges import WHOLE
from workflows.quantize.compensated_rounding import CompensatedRounding
from workflows.quantize.error_compensation import ErrorFeedback, error_feedback
from workflows.quantize.grids import BlockFormat, Floats
from workflows.quantize.linear_layers import LinearProduct

_TOGETHER = 2048  # inputs that are multiplied at once: 256 take three times as long each
Products = Sequence[tuple[LinearProduct, BlockFormat]]


@dataclass
class MomentSum:
    """The sum of xᵀx over `rows` inputs x [K], None at first; some wait for others, to be added in one product."""

    total: Floats | None = None
    rows: int = 0
    _waiting: list[Floats] = field(default_factory=list)

    def add(self, inputs: NDArray[np.generic]) -> None:
        """Adds inputs [.., K]."""
        self._waiting.append(np.array(inputs.reshape(-1, inputs.shape[-1]), np.float32))
        if sum(map(len, self._waiting)) >= _TOGETHER:
            self._add_waiting()

    def _add_waiting(self) -> None:
        rows = np.concatenate(self._waiting)
        self._waiting.clear()
        self.rows += len(rows)
        square = rows.T @ rows
        if self.total is None:
            self.total = square
        else:
            self.total += square

    def feedback(self) -> ErrorFeedback | None:
        """Returns the feedback of errors, and forgets the sum; None where there was no input but zeros."""
        if self._waiting:
            self._add_waiting()
        total, self.total = self.total, None
        if total is None or not np.trace(total) > 0:
            return None
        return error_feedback(shrink_moments(total, self.rows))


def shrink_moments(total: Floats, rows: int) -> Floats:
    """Shrinks the correlations in a sum over so many rows, in place.

    Few rows have correlations by chance, and compensating for those is worse than rounding each weight by itself.
    The diagonal stays; the correlations shrink by the coefficient of
    Chen, Wiesel, Eldar, Hero: Shrinkage Algorithms for MMSE Covariance Estimation, 2010, equation 23.
    """
    diagonal = np.diag(total).copy()
    scale = 1 / np.sqrt(np.maximum(diagonal, np.finfo(np.float32).tiny))
    alike = total * scale[:, None]
    alike *= scale
    size, norm = len(diagonal), float(np.vdot(alike, alike))
    del alike
    spare = (rows + 1 - 2 / size) * (norm - size)
    share = min(1.0, ((1 - 2 / size) * norm + size * size) / spare) if spare > 0 else 1.0
    total *= np.float32(1 - share)
    total[np.diag_indices(size)] = diagonal
    return total


def values_by_name(products: Products) -> dict[str, list[tuple[LinearProduct, BlockFormat]]]:
    """Returns the float32 values that products read → these products."""
    found: dict[str, list[tuple[LinearProduct, BlockFormat]]] = {}
    for product, how in products:
        value = product.node.inputs[0]
        if value is not None and value.dtype == ir.DataType.FLOAT and value.const_value is None:
            found.setdefault(str(value.name), []).append((product, how))
    return found


class SecondMoments:
    """The moments of some products of a composite that runs as a whole; products: by component."""

    whole = True

    def __init__(self, products: Mapping[str, Products]) -> None:
        self._products = {component: values_by_name(of) for component, of in products.items()}
        self.names = {component: [*values] for component, values in self._products.items()}
        self._sums = {component: [MomentSum() for _ in values] for component, values in self.names.items()}

    def observe(self, component: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """Adds the inputs of one run; the outputs are named as `observers` names them."""
        for place, total in enumerate(self._sums[component]):
            total.add(outputs[WHOLE % place])

    def round(self, rounding: CompensatedRounding) -> None:
        """Rounds the products' weights, each by the first of the values that it multiplied."""
        for component, values in self._products.items():
            for total, products in zip(self._sums[component], values.values(), strict=True):
                round_products(products, total, rounding)


def round_products(products: Products, moments: MomentSum, rounding: CompensatedRounding) -> dict[str, Floats]:
    """Rounds the weights of products that read one value; returns those that were not rounded before, by their names.

    A weight that was rounded before, of another value that it multiplies, stays as it is.
    """
    fresh = [(one, how) for one, how in products if not rounding.learned(one.tensor, how)]
    feedback = moments.feedback() if fresh else None
    if feedback is None:
        return {}
    return {str(one.weight.name): rounding.round(one, how, feedback) for one, how in fresh}
