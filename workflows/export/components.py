"""Exports a recipe's components: ONNX graphs on disk over one weight file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import TorchTensor
from transformers import PreTrainedModel

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.picture_settings import picture_settings
from workflows.common.errors import RecipeError
from workflows.common.memory import trim_heap
from workflows.common.tensor_names import ALIGNMENT, POSITIONS, POSITIONS_KEY
from workflows.export.attention import ATTENTION_NAME, KeyValueRows, LayerFacts, patch_position_bias
from workflows.export.decoder import DecoderModule, causal_layers
from workflows.export.dynamic_rotation import choose_rotations
from workflows.export.early_exit import check_early_exit, with_first_layers
from workflows.export.encoder_decoder import (
    CrossCheck,
    CrossDecoderModule,
    EncoderModule,
    SoundEncoderModule,
    decoder_layers,
    example_sound,
)
from workflows.export.equivalence import check_causal, check_layers
from workflows.export.experts import connect_experts
from workflows.export.feature_encoder import FeatureEncoderModule
from workflows.export.features import (
    EmbedsDecoderModule,
    MergedEmbeddingsModule,
    check_features,
    check_one_run,
    per_layer_size,
)
from workflows.export.load import load_model
from workflows.export.picture_size import picture_size, symbolic_sizes
from workflows.export.reference import SEEING_FILE, ReferenceLogits
from workflows.export.remote_encoder_decoder import RemoteDecoderModule, RemoteEncoderModule, remote_layers
from workflows.export.repeated_layers import trace_decoder
from workflows.export.signature import (
    CAPACITY,
    SEQUENCE,
    SOURCE,
    TILES,
    TOTAL,
    EmbeddedTokens,
    ExportSignature,
    add_cross,
    decoder_signature,
    embeddings_signature,
    encoder_signature,
    head_signature,
    merged_embeddings_signature,
    transformer_signature,
    with_rows,
)
from workflows.export.single_graph import SingleGraphModule, picture_signature, single_module, single_signature
from workflows.export.sound_encoder import ATTENTION as SOUND_ATTENTION
from workflows.export.sound_encoder import sound_module
from workflows.export.stand_ins import NotStreamedError, StandIns
from workflows.export.trace import trace
from workflows.export.transformer_only import TransformerModule, cut_transformer
from workflows.export.vision import ATTENTION as PICTURE_ATTENTION
from workflows.export.vision import vision_module
from workflows.graph.weights import save_graphs
from workflows.recipe import Family, Recipe, family_for
from workflows.recipe.build_memory import build_bytes, can_stream
from workflows.recipe.cut import Component, ComponentRole, Cut, make_cut
from workflows.recipe.family import UNLIMITED, LayerCache, ModelGeometry
from workflows.recipe.schema import cache_writer
from workflows.wire.events import Event, NoticeEvent, ProgressEvent

EXPERT_PROVIDERS = ("cpu",)  # whose package computes com.microsoft.MoE in float32
TraceFunction = Callable[[], ir.Model]


@dataclass(frozen=True)
class ComponentTraces:
    """The components of a model. graphs: role → the function that traces it, in dataflow order.

    caches: what each layer keeps, () without a cache. reference: the model's own logits, where available.
    seeing: those of a text with pictures or sound.
    """

    graphs: Mapping[ComponentRole, TraceFunction]
    caches: tuple[LayerCache, ...] = ()
    reference: ReferenceLogits | None = None
    seeing: ReferenceLogits | None = None


def export_components(checkpoint: Checkpoint, recipe: Recipe, folder: Path, report: Callable[[Event], None]) -> Cut:
    """Writes the recipe's graphs and `weights.data` into `folder`; returns the cut with the detected windows.

    The weights of a large model are described instead of written, and are never in memory together, where the model can
    be traced without them. Raises CheckpointError where weights and config disagree, and RecipeError where the model
    cannot be divided as the recipe states.
    """
    family = family_for(recipe.model_type, recipe.task)

    def on_layer(done: int, total: int) -> None:
        message = "running the model with a cache, layer by layer"
        report(ProgressEvent(stage="export", message=message, done=done, total=total, unit="layers"))

    if can_stream(checkpoint, family):
        try:
            return _export(checkpoint, recipe, folder, report, StandIns(checkpoint, on_layer))
        except NotStreamedError as refusal:
            needed = f"{build_bytes(checkpoint, streamed=False) / 1e9:,.1f} GB"
            message = f"The build holds all weights in memory, about {needed}, because {refusal}."
            report(NoticeEvent(code="memory", message=message))
    return _export(checkpoint, recipe, folder, report, None)


def _export(
    checkpoint: Checkpoint,
    recipe: Recipe,
    folder: Path,
    report: Callable[[Event], None],
    stand_ins: StandIns | None,
) -> Cut:
    report(ProgressEvent(stage="export", message="loading the weights", done=0, total=3, unit="steps"))
    family = family_for(recipe.model_type, recipe.task)
    model = load_model(checkpoint, recipe.task, family.remote_code, _attention_of(family), stand_ins)
    choose_rotations(model, recipe.capacity if family.cached else 1)  # texts of one graph end with the short range
    if recipe.target in EXPERT_PROVIDERS:
        connect_experts(model)
    traces = _tracer_for(family, recipe, stand_ins, checkpoint)(model, recipe)
    if traces.reference is not None:
        traces.reference.write(folder)
    if traces.seeing is not None:
        traces.seeing.write(folder, SEEING_FILE)
    graphs = {}
    for role, traced in traces.graphs.items():
        message = f"tracing the {role}"
        report(ProgressEvent(stage="export", message=message, done=1, total=3, unit="steps", component=role.value))
        graphs[role] = traced()
    report(ProgressEvent(stage="export", message="writing the weights", done=2, total=3, unit="steps"))
    geometry = replace(family.geometry(checkpoint.config), caches=traces.caches) if family.cached else None
    for graph in graphs.values():
        _record_positions(graph, geometry, recipe)
        if geometry is not None and not any(layer.rows for layer in geometry.caches):
            _drop_unread_positions(graph.graph)
    cut = make_cut(family, recipe, geometry)
    if stand_ins is not None:
        stand_ins.describe(body for graph in graphs.values() for body in (graph.graph, *graph.graph.subgraphs()))
    _release_weights(model, graphs.values())
    save_components(folder, graphs, cut, recipe.source_length, described=stand_ins is not None)
    trim_heap()
    return cut


def _drop_unread_positions(graph: ir.Graph) -> None:
    """Removes the input of positions if nothing reads it: OpenVINO's provider mistakes inputs behind an unread one."""
    for value in [value for value in graph.inputs if value.name == POSITIONS and not value.uses()]:
        graph.inputs.remove(value)


def _release_weights(model: PreTrainedModel, graphs: Iterable[ir.Model]) -> None:
    """Removes all references to the weights except the graphs', which release each after writing it: rules of
    onnxscript's optimizer keep the last graph, and with it every parameter, until the process ends.
    """
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


def _record_positions(graph: ir.Model, geometry: ModelGeometry | None, recipe: Recipe) -> None:
    """Stores the model's position limit, if any: tables of rotary angles have as many rows."""
    limit = geometry.positions(recipe.capacity) if geometry else UNLIMITED
    if recipe.variant == "transformer-only":  # its tables exist already
        limit = recipe.capacity
    if limit < UNLIMITED:
        graph.metadata_props[POSITIONS_KEY] = str(limit)


def _attention_of(family: Family) -> str | dict[str, str]:
    """transformers' name of the attention implementation: ours where a cache adapter holds the cache."""
    if family.sees:
        return PICTURE_ATTENTION
    if family.takes_sound:
        return SOUND_ATTENTION
    if family.remote_code:
        return "sdpa"
    return ATTENTION_NAME if family.cached else "eager"


def _tracer_for(
    family: Family, recipe: Recipe, stand_ins: StandIns | None, checkpoint: Checkpoint
) -> Callable[[PreTrainedModel, Recipe], ComponentTraces]:
    if family.reads == "pixels":
        return partial(_trace_pictures, settings=picture_settings(checkpoint.folder, checkpoint.model_type))
    if family.reads is not None:
        return _trace_single
    if family.remote_code:
        return _trace_remote
    if family.encoder:
        return _trace_encoder_decoder
    if family.has_features:
        return partial(_trace_features, stand_ins=stand_ins)
    causal = _trace_transformer if recipe.variant == "transformer-only" else _trace_decoder
    return partial(causal, stand_ins=stand_ins)


def _trace_single(model: PreTrainedModel, recipe: Recipe) -> ComponentTraces:
    family = family_for(recipe.model_type, recipe.task)
    (part,) = make_cut(family, recipe, None).components
    signature = single_signature(model, part)
    module = single_module(model, signature, recipe.task, is_decoder=recipe.model_type not in family.model_types)
    return ComponentTraces({part.role: partial(trace, module, signature, recipe.opset)})


def _trace_pictures(model: PreTrainedModel, recipe: Recipe, settings: Mapping[str, object]) -> ComponentTraces:
    (part,) = make_cut(family_for(recipe.model_type, recipe.task), recipe, None).components
    size = picture_size(model, settings, recipe.build_target.fixed)
    signature = picture_signature(model, part, size)

    def traced() -> ir.Model:
        with symbolic_sizes(model) if size.any_size else nullcontext():
            return trace(SingleGraphModule(model, signature), signature, recipe.opset)

    return ComponentTraces({part.role: traced})


def _check_rows(layers: Sequence[LayerFacts], recipe: Recipe) -> None:
    """Raises RecipeError where a step of several texts would mix them."""
    if recipe.batch == 1:
        return
    state = any(layer.states for layer in layers)
    if state or any(layer.biased for layer in layers):
        what = "keeps state of fixed size" if state else "adds a bias by distance to its attention"
        raise RecipeError(f"A layer of this model {what}, of which a batch has none for each text: leave batch out.")


def _trace_decoder(model: PreTrainedModel, recipe: Recipe, stand_ins: StandIns | None = None) -> ComponentTraces:
    layers = causal_layers(model)
    check_layers(layers, recipe.cache, recipe.target)
    _check_rows(layers, recipe)
    reference = check_causal(model, layers, recipe, stand_ins)

    def traced(facts: tuple[LayerFacts, ...], exposes: bool = False) -> ir.Model:
        def make(facts: Sequence[LayerFacts]) -> tuple[torch.nn.Module, ExportSignature]:
            signature = decoder_signature(
                facts,
                cache_writer(recipe.cache),
                left_aligned=any(layer.biased for layer in facts),
                exposes=exposes,
                dtype=_kv_dtype(recipe),
            )
            if recipe.batch > 1:
                signature = with_rows(signature)
            return DecoderModule(model, signature, facts), signature

        return trace_decoder(model, facts, make, recipe.opset)

    graphs: dict[ComponentRole, TraceFunction] = {
        ComponentRole.DECODER: partial(traced, layers, recipe.expose is not None)
    }
    if early := check_early_exit(model, layers, recipe, stand_ins):
        graphs[ComponentRole.DRAFT] = partial(with_first_layers, model, len(layers), len(early), partial(traced, early))
    return ComponentTraces(graphs, _caches(layers), reference)


def _trace_transformer(model: PreTrainedModel, recipe: Recipe, stand_ins: StandIns | None = None) -> ComponentTraces:
    layers, hidden = causal_layers(model), model.get_input_embeddings().weight.shape[1]
    check_layers(layers, recipe.cache, recipe.target)
    reference = check_causal(model, layers, recipe, stand_ins)
    early = check_early_exit(model, layers, recipe, stand_ins)
    signature = transformer_signature(layers, hidden, _kv_dtype(recipe))
    embeddings, _, head = cut_transformer(model, signature, layers, recipe.capacity)

    def traced(facts: tuple[LayerFacts, ...]) -> ir.Model:
        def make(facts: Sequence[LayerFacts]) -> tuple[torch.nn.Module, ExportSignature]:
            signature = transformer_signature(facts, hidden, _kv_dtype(recipe))
            return TransformerModule(model, signature, facts).eval(), signature

        return trace_decoder(model, facts, make, recipe.opset)

    graphs: dict[ComponentRole, TraceFunction] = {
        ComponentRole.EMBEDDINGS: partial(trace, embeddings, embeddings_signature(), recipe.opset),
        ComponentRole.TRANSFORMER: partial(traced, layers),
        ComponentRole.HEAD: partial(trace, head, head_signature(hidden), recipe.opset),
    }
    if early:
        graphs[ComponentRole.DRAFT] = partial(with_first_layers, model, len(layers), len(early), partial(traced, early))
    return ComponentTraces(graphs, _caches(layers), reference)


def _trace_features(model: PreTrainedModel, recipe: Recipe, stand_ins: StandIns | None = None) -> ComponentTraces:
    layers = causal_layers(model)
    check_layers(layers, recipe.cache, recipe.target)
    reference = check_causal(model, layers, recipe, stand_ins)
    family = family_for(recipe.model_type, recipe.task)
    encoder = _feature_encoder(model, family)
    embeddings = MergedEmbeddingsModule(model, encoder.placeholder)
    mutual = family.mutual_of(model.config.to_dict())
    if mutual and recipe.graphs != "single":
        check_one_run(encoder, recipe.chunk)
    seeing = check_features(model, layers, encoder, embeddings, mutual, stand_ins)
    hidden, writer = model.get_input_embeddings().weight.shape[1], cache_writer(recipe.cache)
    embedded = EmbeddedTokens(hidden, family.sees == "grids", embeddings.deepstack, per_layer_size(model), mutual)
    signature = decoder_signature(layers, writer, dtype=_kv_dtype(recipe), embedded=embedded)
    decoder = EmbedsDecoderModule(model, signature, layers)
    merged = merged_embeddings_signature(embedded, encoder.features, encoder.placeholder)
    role = ComponentRole.SPEECH if family.takes_sound else ComponentRole.VISION
    graphs: dict[ComponentRole, TraceFunction] = {
        role: partial(trace, encoder, encoder.signature(), recipe.opset),
        ComponentRole.EMBEDDINGS: partial(trace, embeddings, merged, recipe.opset),
        ComponentRole.DECODER: partial(trace, decoder, signature, recipe.opset),
    }
    return ComponentTraces(graphs, _caches(layers), reference, seeing if _fits(seeing, recipe, family) else None)


def _fits(seeing: ReferenceLogits, recipe: Recipe, family: Family) -> bool:
    """Whether two pictures or recordings go through the graphs: they may be longer than what fixed graphs take."""
    whole = family.mutual == "prompt" and recipe.graphs != "single"
    return len(seeing.ids) <= recipe.capacity and not (whole and len(seeing.ids) - seeing.steps > recipe.chunk)


def _feature_encoder(model: PreTrainedModel, family: Family) -> FeatureEncoderModule:
    return sound_module(model) if family.takes_sound else vision_module(model, str(family.sees))


def _caches(layers: Sequence[LayerFacts]) -> tuple[LayerCache, ...]:
    return tuple(
        LayerCache(layer.window, layer.attends, tuple(state.name for state in layer.states)) for layer in layers
    )


def _kv_dtype(recipe: Recipe) -> torch.dtype:
    return torch.float16 if recipe.kv_dtype == "float16" else torch.float32


def _trace_encoder_decoder(model: PreTrainedModel, recipe: Recipe) -> ComponentTraces:
    is_sound = family_for(recipe.model_type, recipe.task).source == "sound"
    check = CrossCheck.of_sound(model) if is_sound else CrossCheck.of_text(model)
    encoder = SoundEncoderModule(model) if is_sound else EncoderModule(model)
    sound = example_sound(model) if is_sound else None
    expected = check.eager_logits(model)
    left_aligned = patch_position_bias(model)

    def layers_of(cross: list[KeyValueRows]) -> tuple[LayerFacts, ...]:
        layers = decoder_layers(model, cross)
        check.compare(model, encoder, layers, expected)
        return layers

    return _trace_pair(model, recipe, encoder, CrossDecoderModule, layers_of, left_aligned, sound)


def _trace_remote(model: PreTrainedModel, recipe: Recipe) -> ComponentTraces:
    layers = remote_layers(model)  # raises for an unsupported model, before the encoder is searched
    return _trace_pair(model, recipe, RemoteEncoderModule(model), RemoteDecoderModule, lambda cross: layers)


def _trace_pair(
    model: PreTrainedModel,
    recipe: Recipe,
    encoder: torch.nn.Module,
    decoder: type[DecoderModule],
    layers_of: Callable[[list[KeyValueRows]], tuple[LayerFacts, ...]],
    left_aligned: bool = False,
    sound: torch.Tensor | None = None,
) -> ComponentTraces:
    """Traces an encoder, and the decoder that takes its keys and values; layers_of detects its layers from these.

    sound: see encoder_signature.
    """
    with torch.no_grad():
        rows = encoder(*encoder_signature(0, sound).inputs.values())
    cross = list(zip(rows[0::2], rows[1::2], strict=True))
    layers = layers_of(cross)
    check_layers(layers, recipe.cache, recipe.target)
    attends: Literal["masked", "whole"] = "masked" if sound is None else "whole"
    signature = decoder_signature(layers, cache_writer(recipe.cache), cross=attends, left_aligned=left_aligned)
    add_cross(signature, cross, fixed=sound is not None)
    if recipe.expose == "alignment":
        signature.outputs.insert(1, ALIGNMENT)
    graphs: dict[ComponentRole, TraceFunction] = {
        ComponentRole.ENCODER: partial(trace, encoder, encoder_signature(len(layers), sound), recipe.opset),
        ComponentRole.DECODER: partial(trace, decoder(model, signature, layers), signature, recipe.opset),
    }
    return ComponentTraces(graphs, _caches(layers))


def save_components(
    folder: Path,
    graphs: Mapping[ComponentRole, ir.Model],
    cut: Cut,
    source_length: int | None,
    described: bool = False,
) -> None:
    """Writes the cut's components into `folder` over one weight file. source_length: an encoder's, None for any.

    described: see save_graphs.
    """
    if source_length is not None:
        for graph in graphs.values():
            _fix(graph, {SOURCE: source_length})
    for part in cut.components:
        if part.tiles is not None:
            _fix(graphs[part.role], {TILES: part.tiles})
    files = {role: folder / f"{role}.onnx" for role in graphs}
    save_graphs({file.name: graphs[role] for role, file in files.items()}, folder, described)
    copied = set[Path]()
    for part in cut.components:
        if part.copy_of is not None:
            model = ir.load(files[part.copy_of])
            if sizes := _sizes(part):
                _fix(model, sizes)
            ir.save(model, folder / part.file)  # over the same weight file
            copied.add(files[part.copy_of])
    for file in copied:
        file.unlink()


def _sizes(part: Component) -> dict[str, int]:
    """The component's fixed axes, by name."""
    sizes = {SEQUENCE: part.columns, CAPACITY: part.slots}
    fixed = {axis: size for axis, size in sizes.items() if size is not None}
    return fixed | ({TOTAL: sum(fixed.values())} if len(fixed) == len(sizes) else {})


def _fix(model: ir.Model, sizes: Mapping[str, int]) -> None:
    """Fixes the symbolic axes in `sizes` in the graph's inputs, outputs and values."""
    ends = {*model.graph.inputs, *model.graph.outputs}
    for value in ends:
        assert value.shape is not None  # the exporter gives every input and output a shape
        value.shape = ir.Shape([_fixed_axis(axis, sizes) for axis in value.shape])
    for node in model.graph:
        for value in node.outputs:
            if value not in ends:
                value.shape = _fixed_shape(value.shape, sizes)


def _fixed_shape(shape: ir.Shape | None, sizes: Mapping[str, int]) -> ir.Shape | None:
    """The fixed shape of an inner value; None, for onnxruntime to infer, where an axis is not made of known sizes."""
    named = [axis.value for axis in shape or () if not isinstance(axis, int) and axis.value is not None]
    if shape is None or any(_size(name, sizes) is None for name in named):
        return None
    return ir.Shape([_fixed_axis(axis, sizes) for axis in shape])


def _fixed_axis(axis: int | ir.SymbolicDim, sizes: Mapping[str, int]) -> int | str | ir.SymbolicDim:
    """The axis as a number where it is made of known sizes; one without a name stays so."""
    if isinstance(axis, int) or axis.value is None:
        return axis
    size = _size(axis.value, sizes)
    return axis if size is None else size


def _size(axis: str, sizes: Mapping[str, int]) -> int | str | None:
    """`sequence + capacity` or `16*tiles` as a number; an axis without a name from `sizes` is unchanged."""
    if not any(name in axis for name in sizes):
        return axis
    terms = [[sizes.get(one, one) for one in term.split("*")] for term in axis.split(" + ")]
    if not all(isinstance(one, int) or one.isdecimal() for term in terms for one in term):
        return None
    return sum(math.prod(map(int, term)) for term in terms)
