"""From a recipe to sub-graphs on disk, all over one weight file."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import onnx_ir as ir
import torch

from workflows.checkpoint import Checkpoint
from workflows.errors import JoineryError, RecipeError, printable
from workflows.export.attention import NAME, LayerFacts, Rows, left_aligned_bias
from workflows.export.check import check_causal, check_layers
from workflows.export.decoder import Decoder, causal_layers
from workflows.export.encoder_decoder import CrossDecoder, Encoder, check_cross, decoder_layers, own_logits
from workflows.export.load import load_model
from workflows.export.remote import RemoteDecoder, RemoteEncoder, remote_layers
from workflows.export.signature import (
    CAPACITY,
    SEQUENCE,
    SOURCE,
    TOTAL,
    Signature,
    add_cross,
    decoder_signature,
    embeddings_signature,
    encoder_signature,
    head_signature,
    transformer_signature,
)
from workflows.export.single import SingleGraph, single_signature
from workflows.export.transformer_only import Transformer, cut_transformer
from workflows.kvcache.geometry import FACTS_KEY
from workflows.recipe import Family, Recipe, family_for
from workflows.recipe.families.base import UNLIMITED
from workflows.recipe.schema import POSITIONS_KEY, writer_of
from workflows.reference import Reference
from workflows.weights import save_graphs
from workflows.wire.events import Event, ProgressEvent

Trace = Callable[[], ir.Model]
Cut = tuple[list[tuple[str, Trace]], Reference | None]


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

    Raises CheckpointError where the weights are not what the config says, and RecipeError where the model cannot be
    cut as the recipe says.
    """
    report(ProgressEvent(stage="export", message="loading the weights", done=0, total=3, unit="steps"))
    family = family_for(recipe.model_type, recipe.task)
    model = load_model(checkpoint, recipe.task, family.remote_code, _attention_of(family))
    traced = []
    cut, reference = _cut_of(family, recipe)(model, recipe)
    if reference is not None:
        reference.write(folder)
    for name, trace in cut:
        report(ProgressEvent(stage="export", message=f"tracing the {name}", done=1, total=3, unit="steps"))
        traced.append((name, trace()))
    report(ProgressEvent(stage="export", message="writing the weights", done=2, total=3, unit="steps"))
    for _, graph in traced:
        _note_positions(graph, family, checkpoint, recipe)
    exported = _save(folder, traced, recipe)
    _empty(model)
    return exported


def _empty(model: Any) -> None:
    """Gives the weights' memory back: rules of onnxscript's optimizer remember the last graph that they saw, and with
    it every parameter, for as long as the process lives."""
    for tensor in (*model.parameters(), *model.buffers()):
        tensor.data = torch.empty(0, dtype=tensor.dtype)


def _note_positions(graph: ir.Model, family: Family, checkpoint: Checkpoint, recipe: Recipe) -> None:
    """How many positions the model has, where it has a limit: tables of rotary angles are made of as many."""
    limit = family.geometry(checkpoint.config).max_positions if family.cached else UNLIMITED
    if recipe.variant == "transformer-only":  # whose tables are made already
        limit = recipe.capacity
    if limit < UNLIMITED:
        graph.metadata_props[POSITIONS_KEY] = str(limit)


def _attention_of(family: Family) -> str:
    """transformers' name of how the model attends: ours where a seam is to hold the cache."""
    if family.remote_code:
        return "sdpa"
    return NAME if family.cached else "eager"


def _cut_of(family: Family, recipe: Recipe) -> Callable[[Any, Recipe], Cut]:
    if family.reads is not None:
        return _cut_single
    if family.remote_code:
        return _cut_remote
    if family.encoder:
        return _cut_encoder_decoder
    return _cut_transformer if recipe.variant == "transformer-only" else _cut_decoder


def _cut_single(model: Any, recipe: Recipe) -> Cut:
    reads = family_for(recipe.model_type, recipe.task).reads
    assert reads is not None
    signature = single_signature(model, reads, recipe.task)
    return [("model", partial(_trace, SingleGraph(model, signature), signature, recipe.opset))], None


def _cut_decoder(model: Any, recipe: Recipe) -> Cut:
    layers = causal_layers(model)
    check_layers(layers, recipe.cache)
    reference = check_causal(model, layers, recipe)
    signature = decoder_signature(layers, writer_of(recipe.cache), dtype=_kv_dtype(recipe))
    return [("decoder", partial(_trace, Decoder(model, signature, layers), signature, recipe.opset))], reference


def _cut_transformer(model: Any, recipe: Recipe) -> Cut:
    layers, hidden = causal_layers(model), model.get_input_embeddings().weight.shape[1]
    check_layers(layers, recipe.cache)
    reference = check_causal(model, layers, recipe)
    signature = transformer_signature(layers, hidden, _kv_dtype(recipe))
    embeddings, transformer, head = cut_transformer(model, signature, layers, recipe.capacity)
    return [
        ("embeddings", partial(_trace, embeddings, embeddings_signature(), recipe.opset)),
        ("transformer", partial(_trace, transformer, signature, recipe.opset)),
        ("head", partial(_trace, head, head_signature(hidden), recipe.opset)),
    ], reference


def _kv_dtype(recipe: Recipe) -> torch.dtype:
    return torch.float16 if recipe.kv_dtype == "float16" else torch.float32


def _cut_encoder_decoder(model: Any, recipe: Recipe) -> Cut:
    expected = own_logits(model)
    left_aligned = left_aligned_bias(model)

    def layers_of(cross: list[Rows]) -> tuple[LayerFacts, ...]:
        layers = decoder_layers(model, cross)
        check_cross(model, layers, expected)
        return layers

    return _cut_pair(model, recipe, Encoder(model), CrossDecoder, layers_of, left_aligned)


def _cut_remote(model: Any, recipe: Recipe) -> Cut:
    layers = remote_layers(model)  # refuses what cannot be cut, before the encoder is looked for
    return _cut_pair(model, recipe, RemoteEncoder(model), RemoteDecoder, lambda cross: layers)


def _cut_pair(
    model: Any,
    recipe: Recipe,
    encoder: torch.nn.Module,
    decoder: type[Decoder],
    layers_of: Callable[[list[Rows]], tuple[LayerFacts, ...]],
    left_aligned: bool = False,
) -> Cut:
    """An encoder that hands its keys and values to a decoder; layers_of tells the decoder's layers from these."""
    with torch.no_grad():
        rows = encoder(*encoder_signature(0).inputs.values())
    cross = list(zip(rows[0::2], rows[1::2], strict=True))
    layers = layers_of(cross)
    signature = decoder_signature(layers, writer_of(recipe.cache), cross=True, left_aligned=left_aligned)
    add_cross(signature, cross)
    return [
        ("encoder", partial(_trace, encoder, encoder_signature(len(layers)), recipe.opset)),
        ("decoder", partial(_trace, decoder(model, signature, layers), signature, recipe.opset)),
    ], None


def _save(folder: Path, traced: list[tuple[str, ir.Model]], recipe: Recipe) -> list[Exported]:
    """The graphs over one weight file; what holds the cache as prefill + decode where the recipe says so."""
    if recipe.source_length is not None:
        for _, graph in traced:
            _fix(graph, {SOURCE: recipe.source_length})
    save_graphs({f"{name}.onnx": graph for name, graph in traced}, folder)
    return [exported for name, _ in traced for exported in _split(folder, name, recipe)]


def _split(folder: Path, name: str, recipe: Recipe) -> list[Exported]:
    if name not in ("decoder", "transformer") or recipe.graphs == "single":
        return [Exported(name, f"{name}.onnx", name)]
    sizes = {} if name == "transformer" else {CAPACITY: recipe.capacity}  # a transformer keeps its slots symbolic
    exported = [
        _fixed(folder, name, "prefill", {**sizes, SEQUENCE: recipe.chunk}),
        _fixed(folder, name, "decode", {**sizes, SEQUENCE: 1}),
    ]
    (folder / f"{name}.onnx").unlink()
    return exported


def _trace(module: torch.nn.Module, signature: Signature, opset: int) -> ir.Model:
    axes, starred = tuple(signature.axes.values()), isinstance(module, Decoder | SingleGraph | Transformer)
    try:
        with _quiet():
            program = torch.onnx.export(
                module.eval(),
                tuple(signature.inputs.values()),
                dynamo=True,
                opset_version=opset,
                input_names=list(signature.inputs),
                output_names=signature.outputs,
                dynamic_shapes=(axes,) if starred else axes,
                verbose=False,
            )
    except torch.onnx.OnnxExporterError as error:
        cause = _root_cause(error)
        if isinstance(cause, RecipeError):  # what a seam cannot do
            raise cause from None
        first = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
        raise JoineryError(
            f"torch cannot export this model to ONNX: {printable(first, 200)}; it may use an operator that ONNX lacks."
        ) from error
    assert program is not None  # dynamo=True without a file always gives one
    if signature.facts is not None:
        program.model.metadata_props[FACTS_KEY] = signature.facts.to_json()
    return program.model


def _root_cause(error: BaseException) -> BaseException:
    """The error at the end of the chain: the exporter wraps it in pages of advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _fixed(folder: Path, source: str, name: str, sizes: dict[str, int]) -> Exported:
    """The dynamic graph `source` with the axes in `sizes` fixed, over the same weight file."""
    if CAPACITY in sizes:
        sizes = {**sizes, TOTAL: sizes[CAPACITY] + sizes[SEQUENCE]}
    model = ir.load(folder / f"{source}.onnx")
    _fix(model, sizes)
    ir.save(model, folder / f"{name}.onnx")
    return Exported(name, f"{name}.onnx", name)


def _fix(model: ir.Model, sizes: dict[str, int]) -> None:
    """Gives the symbolic axes that `sizes` names their sizes, in the graph's inputs and outputs."""
    ends = {*model.graph.inputs, *model.graph.outputs}
    for value in ends:
        assert value.shape is not None  # the exporter gives every input and output a shape
        value.shape = ir.Shape([_size(axis, sizes) for axis in value.shape])
    for node in model.graph:
        for value in node.outputs:
            if value not in ends:
                value.shape = _fixed_shape(value.shape, sizes)


def _fixed_shape(shape: ir.Shape | None, sizes: dict[str, int]) -> ir.Shape | None:
    """The shape of a value within the graph; None, for onnxruntime to infer, where an axis is more than a sum of these.
    """
    axes = [axis if isinstance(axis, int) else _sum(str(axis.value), sizes) for axis in shape or ()]
    return None if shape is None or None in axes else ir.Shape([axis for axis in axes if axis is not None])


def _sum(axis: str, sizes: dict[str, int]) -> int | str | None:
    """`sequence + capacity` as a number; an axis that none of `sizes` is part of stays as it is."""
    if not any(name in axis for name in sizes):
        return axis
    parts = [sizes.get(part) for part in axis.split(" + ")]
    return None if None in parts else sum(part for part in parts if part is not None)


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
