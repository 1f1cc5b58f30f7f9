"""Optimized graphs to disk: each weight file is written anew with the tensors that are still read, once.

decoder.onnx ─┐                       graphs whose tensors lie in one file share it again: a name is one tensor,
decode.onnx ──┴─▶ weights.data        for the passes name what they make after what they made it of
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import onnx_ir as ir

SMALL = 1024  # bytes up to which a tensor that a pass made stays within the graph


def save_graphs(models: Mapping[str, ir.Model], source: Path, folder: Path) -> None:
    """Writes file → model into `folder`; `source` holds the weight files that they were loaded over.

    Tensors are read and written one at a time. A weight file of which nothing changed is linked.
    """
    for location, files in _by_weights(models).items():
        tensors: dict[str, ir.TensorProtocol] = {}
        for file in files:
            tensors |= {name: tensor for name, tensor in _large(models[file]).items() if name not in tensors}
        if all(isinstance(tensor, ir.ExternalTensor) for tensor in tensors.values()):
            link_or_copy(source / location, folder / location)
            continue
        stored = ir.external_data.convert_tensors_to_external(list(tensors.values()), folder, location)
        by_name = dict(zip(tensors, stored, strict=True))
        for file in files:
            for name in _large(models[file]):
                models[file].graph.initializers[name].const_value = by_name[name]
    for file, model in models.items():
        ir.save(model, folder / file)


def link_or_copy(source: Path, target: Path) -> None:
    """A hard link where the disk has them, for weights are large; else a copy."""
    try:
        os.link(source, target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(source, target)


def _by_weights(models: Mapping[str, ir.Model]) -> dict[str, list[str]]:
    """Weight file → the graphs over it."""
    found: dict[str, list[str]] = {}
    for file, model in models.items():
        tensors = [value.const_value for value in model.graph.initializers.values()]
        locations = [os.fspath(tensor.location) for tensor in tensors if isinstance(tensor, ir.ExternalTensor)]
        if locations:
            found.setdefault(locations[0], []).append(file)
    return found


def _large(model: ir.Model) -> dict[str, ir.TensorProtocol]:
    """The tensors that lie in the weight file, or are to."""
    return {
        name: tensor
        for name, value in model.graph.initializers.items()
        if (tensor := value.const_value) is not None
        and (isinstance(tensor, ir.ExternalTensor) or tensor.nbytes > SMALL)
    }
