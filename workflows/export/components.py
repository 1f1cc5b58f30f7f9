"""From a recipe to sub-graphs on disk, all over one weight file."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import onnx_ir as ir
import torch

from workflows.checkpoint import Checkpoint
from workflows.events import Event, ProgressEvent
from workflows.export import decoder
from workflows.export.attention import probe_layers
from workflows.export.load import load_model
from workflows.kvcache.geometry import FACTS_KEY
from workflows.recipe import Recipe

WEIGHTS = "weights.data"


@dataclass(frozen=True)
class Exported:
    """One sub-graph on disk: the session's name, its file in the folder, and its role."""

    name: str
    file: str
    role: str


def export_components(
    checkpoint: Checkpoint,
    recipe: Recipe,
    folder: Path,
    report: Callable[[Event], None],
) -> list[Exported]:
    """Writes the recipe's graphs and `weights.data` into `folder`.

    Raises CheckpointError where the weights are not what the config says.
    """
    report(ProgressEvent(stage="export", message="loading the weights", done=0, total=3, unit="steps"))
    model = load_model(checkpoint)
    report(ProgressEvent(stage="export", message="tracing the decoder", done=1, total=3, unit="steps"))
    layers = probe_layers(model)
    signature = decoder.signature(layers, recipe.cache)
    graph = _trace(decoder.Decoder(model, signature, layers).eval(), signature, recipe.opset)
    graph.metadata_props[FACTS_KEY] = signature.facts.to_json()
    report(ProgressEvent(stage="export", message="writing the weights", done=2, total=3, unit="steps"))
    ir.save(graph, folder / "decoder.onnx", external_data=WEIGHTS)
    if recipe.graphs == "single":
        return [Exported("decoder", "decoder.onnx", "decoder")]
    exported = [
        _fixed(folder, "prefill", sequence=recipe.chunk, capacity=recipe.capacity),
        _fixed(folder, "decode", sequence=1, capacity=recipe.capacity),
    ]
    (folder / "decoder.onnx").unlink()
    return exported


def _trace(module: torch.nn.Module, signature: decoder.Signature, opset: int) -> ir.Model:
    with _quiet():
        program = torch.onnx.export(
            module,
            tuple(signature.inputs.values()),
            dynamo=True,
            opset_version=opset,
            input_names=list(signature.inputs),
            output_names=signature.outputs,
            dynamic_shapes=(tuple(signature.axes.values()),),
            verbose=False,
        )
    assert program is not None  # dynamo=True without a file always gives one
    return program.model


def _fixed(folder: Path, name: str, *, sequence: int, capacity: int) -> Exported:
    """The dynamic graph with its axes fixed, over the same weight file."""
    sizes = {decoder.SEQUENCE: sequence, decoder.CAPACITY: capacity, decoder.TOTAL: capacity + sequence}
    model = ir.load(folder / "decoder.onnx")
    ends = {*model.graph.inputs, *model.graph.outputs}
    for value in ends:
        assert value.shape is not None  # the exporter gives every input and output a shape
        value.shape = ir.Shape([_size(axis, sizes) for axis in value.shape])
    for node in model.graph:
        for value in node.outputs:
            if value not in ends:
                value.shape = None  # onnxruntime infers it anew from the fixed inputs
    ir.save(model, folder / f"{name}.onnx")
    return Exported(name, f"{name}.onnx", name)


def _size(axis: int | ir.SymbolicDim, sizes: dict[str, int]) -> int | ir.SymbolicDim:
    return axis if isinstance(axis, int) else sizes.get(str(axis.value), axis)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps the exporter's remarks on its own internals from a person's terminal; errors still raise."""
    log = logging.getLogger("torch.onnx")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)
