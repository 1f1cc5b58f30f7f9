"""Saves traced graphs as the components of a cut: files over one weight file, with the axes that the cut fixes.

decoder, any columns and slots ──save_components──▶ decoder.onnx │ prefill.onnx [1, chunk] · decode.onnx [1, 1]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import onnx_ir as ir

from workflows.export.signature import CAPACITY, SEQUENCE, SOURCE, TOTAL
from workflows.graph.weights import save_graphs
from workflows.recipe.cut import Component, ComponentRole, Cut


def save_components(
    folder: Path, graphs: Mapping[ComponentRole, ir.Model], cut: Cut, source_length: int | None
) -> None:
    """Writes the graphs of the cut's components over one weight file into `folder`.

    graphs: the traced ones. source_length: the fixed length of an encoder, None for any.
    """
    if source_length is not None:
        for graph in graphs.values():
            _fix(graph, {SOURCE: source_length})
    files = {role: folder / f"{role}.onnx" for role in graphs}
    save_graphs({file.name: graphs[role] for role, file in files.items()}, folder)
    copied = set[Path]()
    for part in cut.parts:
        if part.made_of is not None:
            _save_fixed(files[part.made_of], folder / part.file, _sizes(part))
            copied.add(files[part.made_of])
    for file in copied:
        file.unlink()


def _sizes(part: Component) -> dict[str, int]:
    """The component's fixed axes, by name."""
    sizes = {SEQUENCE: part.columns, CAPACITY: part.slots}
    fixed = {axis: size for axis, size in sizes.items() if size is not None}
    return fixed | ({TOTAL: sum(fixed.values())} if len(fixed) == len(sizes) else {})


def _save_fixed(source: Path, target: Path, sizes: Mapping[str, int]) -> None:
    """Saves the dynamic graph `source` with the axes in `sizes` fixed, over the same weight file."""
    model = ir.load(source)
    _fix(model, sizes)
    ir.save(model, target)


def _fix(model: ir.Model, sizes: Mapping[str, int]) -> None:
    """Fixes the symbolic axes in `sizes` in the graph's inputs, outputs and values."""
    ends = {*model.graph.inputs, *model.graph.outputs}
    for value in ends:
        assert value.shape is not None  # the exporter gives every input and output a shape
        value.shape = ir.Shape([_size(axis, sizes) for axis in value.shape])
    for node in model.graph:
        for value in node.outputs:
            if value not in ends:
                value.shape = _fixed_shape(value.shape, sizes)


def _fixed_shape(shape: ir.Shape | None, sizes: Mapping[str, int]) -> ir.Shape | None:
    """The fixed shape of an inner value; None, for onnxruntime to infer, where an axis is not a sum of known sizes."""
    axes = [axis if isinstance(axis, int) else _sum(str(axis.value), sizes) for axis in shape or ()]
    return None if shape is None or None in axes else ir.Shape([axis for axis in axes if axis is not None])


def _sum(axis: str, sizes: Mapping[str, int]) -> int | str | None:
    """`sequence + capacity` as a number; an axis without a name from `sizes` is unchanged."""
    if not any(name in axis for name in sizes):
        return axis
    parts = [sizes.get(part) for part in axis.split(" + ")]
    return None if None in parts else sum(part for part in parts if part is not None)


def _size(axis: int | ir.SymbolicDim, sizes: Mapping[str, int]) -> int | ir.SymbolicDim:
    return axis if isinstance(axis, int) else sizes.get(str(axis.value), axis)
