"""The sizes of a decoder's products with weights, from a bundle's graphs or a checkpoint's tensors.

bundle: MatMulNBits, and products with constant matrices, of the graph of a step │ checkpoint: its matrices ──▶ Sizes
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import onnx

from workflows.bundle import Bundle
from workflows.checkpoint import Checkpoint
from workflows.common.errors import RequestError

Sizes = Mapping[tuple[int, int], int]  # [N,K] of a weight → how many products a token has with such a one
LEAST = 1 << 16  # numbers of a weight whose product's time counts
# A decoder of 0.6 billion parameters, for a machine without a model.
COMMON: Sizes = {
    (4096, 1024): 28, (1024, 2048): 28, (6144, 1024): 28, (1024, 3072): 28, (151_936, 1024): 1,
}  # fmt: skip


def sizes_of_checkpoint(checkpoint: Checkpoint) -> Sizes:
    """Of the matrices of a layer and the head; tables of embeddings are no products, but where they are the head."""
    shapes = {name: info.shape for name, info in checkpoint.tensors.items() if len(info.shape) == 2}
    tables = [name for name in shapes if "embed" in name or ".wte." in name]
    untied = any("lm_head" in name for name in shapes)
    found = Counter((shape[0], shape[1]) for name, shape in shapes.items() if name not in tables or not untied)
    return _checked({shape: count for shape, count in found.items() if shape[0] * shape[1] >= LEAST}, checkpoint.source)


def sizes_of_bundle(bundle: Bundle) -> Sizes:
    """Of the graphs that run in a step. Raises RequestError where they have no products with weights."""
    program = bundle.pipeline.pipeline
    steps = {stage.run for stage in program.flow if stage.when == "step"}
    found: Counter[tuple[int, int]] = Counter()
    for name, session in program.sessions.items():
        if name in steps:
            found += _products(bundle.folder / session.file)
    return _checked({size: count for size, count in found.items() if size[0] * size[1] >= LEAST}, str(bundle.folder))


def _products(file: Path) -> Counter[tuple[int, int]]:
    graph = onnx.load(file, load_external_data=False).graph
    held = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer if len(tensor.dims) == 2}
    found: Counter[tuple[int, int]] = Counter()
    for node in graph.node:
        facts = {one.name: one.i for one in node.attribute}
        if node.op_type == "MatMulNBits":
            found[facts["N"], facts["K"]] += 1
        elif node.op_type in ("MatMul", "Gemm") and node.input[1] in held:
            size = held[node.input[1]]
            found[size if facts.get("transB") else size[::-1]] += 1
    return found


def _checked(sizes: Sizes, source: str) -> Sizes:
    if not sizes:
        raise RequestError(f"{source} has no products with large weights: give a decoder, or nothing for common sizes.")
    return sizes
