"""Writes the linear layers that follow the pooling of an embedder: files of float32 that run without torch.

2_Dense/model.safetensors: linear.weight [outputs, inputs], linear.bias [outputs] ──▶ dense/N.data
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from workflows.build.text_tasks import dense_file, embedding_of
from workflows.checkpoint import Checkpoint
from workflows.checkpoint.files import regular_file
from workflows.checkpoint.sentence_transformers import DenseFiles
from workflows.common.errors import CheckpointError, printable
from workflows.recipe import Recipe


def write_dense(checkpoint: Checkpoint, recipe: Recipe, draft: Path) -> None:
    """Writes the layers after the pooling into the bundle's draft. Raises CheckpointError where one is damaged."""
    embedding = embedding_of(checkpoint, recipe)
    for number, step in enumerate(embedding.steps if embedding else ()):
        if isinstance(step, DenseFiles):
            path = draft / dense_file(number)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(_dense_bytes(checkpoint, step))


def _dense_bytes(checkpoint: Checkpoint, step: DenseFiles) -> bytes:
    shapes = {"linear.weight": (step.outputs, step.inputs), **({"linear.bias": (step.outputs,)} if step.bias else {})}
    try:
        with safe_open(regular_file(checkpoint.root, step.file), "np") as file:
            names = set(file.keys())
            arrays = {name: file.get_tensor(name) for name in names & shapes.keys()}
    except (SafetensorError, OSError, ValueError, TypeError) as error:  # TypeError: a dtype that numpy lacks
        raise CheckpointError(f"'{printable(step.file)}' cannot be read: {printable(error)}; get it again.") from None
    if names != shapes.keys() or any(arrays[name].shape != shape for name, shape in shapes.items()):
        raise CheckpointError(f"'{printable(step.file)}' does not hold the layer that its config.json states.")
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise CheckpointError(f"'{printable(step.file)}' holds NaN or infinite values; get it again.")
    return b"".join(arrays[name].astype("<f4").tobytes() for name in shapes)
