"""Experts in the blocks of integers in which the checkpoint stores them: MoE becomes QMoE, and nothing is rounded.

parts [F,K] of each expert ──HeldRows──▶ integers, scales, zero points ──stacked as the weight is──▶ [E,N,…]
a part [E,N,K] of all ─────as [E·N,K]──┘
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.graph.described_weights import WeightRecipe, block_rows, recipe_of
from workflows.optimize.graph_edits import add_initializer
from workflows.quantize.experts import Experts, quantize_experts
from workflows.quantize.grids import BlockFormat
from workflows.quantize.held_rows import HeldRows
from workflows.quantize.lazy_tensors import Kind, lazy_tensors
from workflows.recipe.stored_forms import HeldForm, held_form


def hold_experts(experts: Experts, level: int) -> bool:
    """Replaces the node by QMoE with the checkpoint's integers; False where the operator does not take them so.

    Both products need one size of blocks and of integers, without minimums, and inputs in their own order.
    """
    graph, sources = experts.node.graph, [weight.const_value for weight in experts.weights]
    recipes = [recipe for source in sources if (recipe := recipe_of(source)) is not None]
    forms = [form for recipe in recipes for form in _forms(recipe)]
    if graph is None or len(recipes) < len(sources) or None in forms:
        return False
    form = reduce(HeldForm.joined, [one for one in forms if one])
    if form.minimums:
        return False
    own = HeldForm(form.bits, form.size, zeros=form.zeros)
    made = [
        _initializers(graph, source, recipe, own) for source, recipe in zip(sources, recipes, strict=True) if source
    ]
    quantize_experts(experts, BlockFormat(own.bits, own.size, not own.zeros), "", level, made)
    return True


def _forms(recipe: WeightRecipe) -> list[HeldForm | None]:
    """How each part is held; None for one that is not, or does not lie along its inputs."""
    first = recipe.parts[0]
    if _is_stack(recipe):
        return [held_form(first)]
    axes = len(recipe.grid) + len(first.shape)
    is_rows = len(first.shape) == 2 and bool(recipe.grid) and recipe.shape[-1] == first.shape[-1]
    if recipe.is_constant or not is_rows or (recipe.order and recipe.order[-1] != axes - 1):
        return [None]
    odd = any(part.axes or part.head_size or (part.packed and block_rows(part).order() is not None)
              for part in recipe.parts)  # fmt: skip
    return [None] if odd else [held_form(part) for part in recipe.parts]


def _is_stack(recipe: WeightRecipe) -> bool:
    """Whether it is one stored tensor of all experts, each row by row."""
    first = recipe.parts[0]
    whole = len(recipe.parts) == 1 and not first.axes and recipe == WeightRecipe.of(first)
    return whole and bool(first.packed) and len(first.shape) == 3


def _initializers(graph: ir.Graph, source: ir.TensorProtocol, recipe: WeightRecipe, form: HeldForm) -> list[ir.Value]:
    """Adds integers [E,N,K·bits/8], scales [E,N,blocks] and, where there are any, zero points."""
    count, outer, inner = recipe.shape
    blocks, name = inner // form.size, f"{source.name}.stored"
    kinds: list[Kind] = [
        (name, ir.DataType.UINT8, (count, outer, inner * form.bits // 8)),
        (f"{name}.scales", ir.DataType.FLOAT, (count, outer, blocks)),
    ]
    if form.zeros:
        kinds.append((f"{name}.zeros", ir.DataType.UINT8, (count, outer, -(-blocks * form.bits // 8))))

    is_stack = _is_stack(recipe)
    parts = [replace(recipe.parts[0], shape=(count * outer, inner))] if is_stack else recipe.parts

    def make(_: NDArray[Any]) -> list[NDArray[Any]]:
        rows = [HeldRows(source, (part,), form, (None,)).unpacked() for part in parts]
        if is_stack:
            return [whole.reshape(kind[2]) for whole, kind in zip(rows[0], kinds, strict=True)]
        return [_stacked([one[index] for one in rows], recipe, kind[2]) for index, kind in enumerate(kinds)]

    group = lazy_tensors(source, ("stored experts", form, recipe), kinds, make, reads=False)
    return [add_initializer(graph, str(tensor.name), tensor) for tensor in group.tensors]


def _stacked(parts: list[NDArray[Any]], recipe: WeightRecipe, shape: Any) -> NDArray[Any]:
    """The parts [F,…] in the order in which the weight has their rows."""
    whole = np.stack(parts).reshape(*recipe.grid, *parts[0].shape)
    return (whole.transpose(recipe.order) if recipe.order else whole).reshape(shape)
