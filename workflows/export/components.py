"""From a recipe to sub-graphs on disk, all over one weight file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import TorchTensor

from workflows.checkpoint import Checkpoint
from workflows.export.attention import NAME, LayerFacts, Rows, left_aligned_bias
from workflows.export.check import check_causal, check_layers
from workflows.export.decoder import Decoder, causal_layers
from workflows.export.early import check_early, ended_early
from workflows.export.encoder_decoder import CrossDecoder, Encoder, check_cross, decoder_layers, own_logits
from workflows.export.load import load_model
from workflows.export.remote import RemoteDecoder, RemoteEncoder, remote_layers
from workflows.export.repeat import trace_decoder
from workflows.export.saving import save_parts
from workflows.export.signature import (
    Signature,
    add_cross,
    decoder_signature,
    embeddings_signature,
    encoder_signature,
    head_signature,
    transformer_signature,
)
from workflows.export.single import SingleGraph, single_signature
from workflows.export.trace import trace
from workflows.export.transformer_only import Transformer, cut_transformer
from workflows.memory import give_back
from workflows.names import POSITIONS_KEY
from workflows.recipe import Family, Recipe, family_for
from workflows.recipe.cut import Cut, Role, cut_of
from workflows.recipe.families.base import UNLIMITED, Geometry
from workflows.recipe.schema import writer_of
from workflows.reference import Reference
from workflows.wire.events import Event, ProgressEvent

Trace = Callable[[], ir.Model]


@dataclass(frozen=True)
class Traces:
    """A model taken apart. graphs: by the role of each, how it is traced, in the order of the data.

    windows: how far back each layer was seen to look, () without a cache. reference: the model's own word, where it
    left one.
    """

    graphs: Mapping[Role, Trace]
    windows: tuple[int | None, ...] = ()
    reference: Reference | None = None


def export_components(
    checkpoint: Checkpoint,
    recipe: Recipe,
    folder: Path,
    report: Callable[[Event], None],
) -> Cut:
    """Writes the recipe's graphs and `weights.data` into `folder`; the cut, with windows as the model was seen to have.

    Raises CheckpointError where the weights are not what the config says, and RecipeError where the model cannot be
    cut as the recipe says.
    """
    report(ProgressEvent(stage="export", message="loading the weights", done=0, total=3, unit="steps"))
    family = family_for(recipe.model_type, recipe.task)
    model = load_model(checkpoint, recipe.task, family.remote_code, _attention_of(family))
    traces = _take_apart(family, recipe)(model, recipe)
    if traces.reference is not None:
        traces.reference.write(folder)
    graphs = {}
    for role, traced in traces.graphs.items():
        report(ProgressEvent(stage="export", message=f"tracing the {role}", done=1, total=3, unit="steps"))
        graphs[role] = traced()
    report(ProgressEvent(stage="export", message="writing the weights", done=2, total=3, unit="steps"))
    geometry = replace(family.geometry(checkpoint.config), windows=traces.windows) if family.cached else None
    for graph in graphs.values():
        _note_positions(graph, geometry, recipe)
    cut = cut_of(family, recipe, geometry)
    _hand_over(model, graphs.values())
    save_parts(folder, graphs, cut, recipe.source_length)
    give_back()
    return cut


def _hand_over(model: Any, graphs: Iterable[ir.Model]) -> None:
    """Leaves the weights to the graphs alone, which let go of each as it is written: rules of onnxscript's optimizer
    remember the last graph that they saw, and with it every parameter, for as long as the process lives."""
    bodies = [body for graph in graphs for body in (graph.graph, *graph.graph.subgraphs())]
    values = [value for body in bodies for value in body.initializers.values()]
    own: dict[ir.TensorProtocol | None, ir.TensorProtocol] = {}
    for tensor in (value.const_value for value in values):
        if isinstance(tensor, ir.Tensor) and isinstance(tensor.raw, torch.Tensor):  # of two classes of the exporter's
            own[tensor] = TorchTensor(tensor.raw.detach(), name=tensor.name)
    for value in values:
        value.const_value = own.get(value.const_value, value.const_value)
    for weight in (*model.parameters(), *model.buffers()):
        weight.data = torch.empty(0, dtype=weight.dtype)


def _note_positions(graph: ir.Model, geometry: Geometry | None, recipe: Recipe) -> None:
    """How many positions the model has, where it has a limit: tables of rotary angles are made of as many."""
    limit = geometry.max_positions if geometry else UNLIMITED
    if recipe.variant == "transformer-only":  # whose tables are made already
        limit = recipe.capacity
    if limit < UNLIMITED:
        graph.metadata_props[POSITIONS_KEY] = str(limit)


def _attention_of(family: Family) -> str:
    """transformers' name of how the model attends: ours where a seam is to hold the cache."""
    if family.remote_code:
        return "sdpa"
    return NAME if family.cached else "eager"


def _take_apart(family: Family, recipe: Recipe) -> Callable[[Any, Recipe], Traces]:
    if family.reads is not None:
        return _take_single
    if family.remote_code:
        return _take_remote
    if family.encoder:
        return _take_encoder_decoder
    return _take_transformer if recipe.variant == "transformer-only" else _take_decoder


def _take_single(model: Any, recipe: Recipe) -> Traces:
    (part,) = cut_of(family_for(recipe.model_type, recipe.task), recipe, None).parts
    signature = single_signature(model, part)
    return Traces({part.role: partial(trace, SingleGraph(model, signature), signature, recipe.opset)})


def _take_decoder(model: Any, recipe: Recipe) -> Traces:
    layers = causal_layers(model)
    check_layers(layers, recipe.cache)
    reference = check_causal(model, layers, recipe)

    def traced(facts: tuple[LayerFacts, ...], exposes: bool = False) -> ir.Model:
        def make(facts: Sequence[LayerFacts]) -> tuple[torch.nn.Module, Signature]:
            signature = decoder_signature(facts, writer_of(recipe.cache), exposes=exposes, dtype=_kv_dtype(recipe))
            return Decoder(model, signature, facts), signature

        return trace_decoder(model, facts, make, recipe.opset)

    graphs: dict[Role, Trace] = {Role.DECODER: partial(traced, layers, recipe.expose is not None)}
    if early := check_early(model, layers, recipe):
        graphs[Role.DRAFT] = partial(ended_early, model, len(layers), len(early), partial(traced, early))
    return Traces(graphs, _windows(layers), reference)


def _take_transformer(model: Any, recipe: Recipe) -> Traces:
    layers, hidden = causal_layers(model), model.get_input_embeddings().weight.shape[1]
    check_layers(layers, recipe.cache)
    reference = check_causal(model, layers, recipe)
    early = check_early(model, layers, recipe)
    signature = transformer_signature(layers, hidden, _kv_dtype(recipe))
    embeddings, _, head = cut_transformer(model, signature, layers, recipe.capacity)

    def traced(facts: tuple[LayerFacts, ...]) -> ir.Model:
        def make(facts: Sequence[LayerFacts]) -> tuple[torch.nn.Module, Signature]:
            signature = transformer_signature(facts, hidden, _kv_dtype(recipe))
            return Transformer(model, signature, facts).eval(), signature

        return trace_decoder(model, facts, make, recipe.opset)

    graphs: dict[Role, Trace] = {
        Role.EMBEDDINGS: partial(trace, embeddings, embeddings_signature(), recipe.opset),
        Role.TRANSFORMER: partial(traced, layers),
        Role.HEAD: partial(trace, head, head_signature(hidden), recipe.opset),
    }
    if early:
        graphs[Role.DRAFT] = partial(ended_early, model, len(layers), len(early), partial(traced, early))
    return Traces(graphs, _windows(layers), reference)


def _windows(layers: Sequence[LayerFacts]) -> tuple[int | None, ...]:
    return tuple(layer.window for layer in layers)


def _kv_dtype(recipe: Recipe) -> torch.dtype:
    return torch.float16 if recipe.kv_dtype == "float16" else torch.float32


def _take_encoder_decoder(model: Any, recipe: Recipe) -> Traces:
    expected = own_logits(model)
    left_aligned = left_aligned_bias(model)

    def layers_of(cross: list[Rows]) -> tuple[LayerFacts, ...]:
        layers = decoder_layers(model, cross)
        check_cross(model, layers, expected)
        return layers

    return _take_pair(model, recipe, Encoder(model), CrossDecoder, layers_of, left_aligned)


def _take_remote(model: Any, recipe: Recipe) -> Traces:
    layers = remote_layers(model)  # refuses what cannot be cut, before the encoder is looked for
    return _take_pair(model, recipe, RemoteEncoder(model), RemoteDecoder, lambda cross: layers)


def _take_pair(
    model: Any,
    recipe: Recipe,
    encoder: torch.nn.Module,
    decoder: type[Decoder],
    layers_of: Callable[[list[Rows]], tuple[LayerFacts, ...]],
    left_aligned: bool = False,
) -> Traces:
    """An encoder that hands its keys and values to a decoder; layers_of tells the decoder's layers from these."""
    with torch.no_grad():
        rows = encoder(*encoder_signature(0).inputs.values())
    cross = list(zip(rows[0::2], rows[1::2], strict=True))
    layers = layers_of(cross)
    check_layers(layers, recipe.cache)
    signature = decoder_signature(layers, writer_of(recipe.cache), cross=True, left_aligned=left_aligned)
    add_cross(signature, cross)
    graphs: dict[Role, Trace] = {
        Role.ENCODER: partial(trace, encoder, encoder_signature(len(layers)), recipe.opset),
        Role.DECODER: partial(trace, decoder(model, signature, layers), signature, recipe.opset),
    }
    return Traces(graphs, _windows(layers))
