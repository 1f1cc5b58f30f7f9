"""Writes the linear layers that follow the pooling of an embedder: files of float32 that run without torch.

2_Dense/model.safetensors or pytorch_model.bin: linear.weight [outputs, inputs], linear.bias [outputs] ──▶ dense/N.data
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workflows.builder.text_tasks import dense_file, embedding_of
from workflows.checkpoint import Checkpoint
from workflows.checkpoint.sentence_transformers import DenseFiles
from workflows.checkpoint.weights import read_tensors
from workflows.common.errors import CheckpointError, printable
from workflows.export.checkpoint_tensors import CheckpointTensor
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
    listed = read_tensors(checkpoint.root, [step.file])[step.file]
    if {name: info.shape for name, info in listed.items()} != shapes:
        raise CheckpointError(f"'{printable(step.file)}' does not hold the layer that its config.json states.")
    arrays = {name: CheckpointTensor(checkpoint.root, listed[name]).read().float().numpy() for name in shapes}
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise CheckpointError(f"'{printable(step.file)}' holds NaN or infinite values; get it again.")
    return b"".join(arrays[name].astype("<f4").tobytes() for name in shapes)
