"""How a model is divided: its components, their edges, and the cache that they share; the only place that decides it.

family + recipe + geometry ──make_cut──▶ Cut: components in dataflow order, edges, shared cache tensors

graphs            single                           prefill-decode
plain             decoder                          prefill, decode
with an encoder   encoder, decoder                 encoder, prefill, decode
with pictures     vision, embeddings, decoder      vision, embeddings, prefill, decode
with sound        speech, embeddings, decoder      speech, embeddings, prefill, decode
transformer-only  embeddings, transformer, head    embeddings, prefill, decode, head
without a cache   model

early_exit        adds a draft, which runs by itself: the first layers, with their own cache
fast_prefill      divides a single decoder into prefill and decode, which take runs of any length as well
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Literal

from workflows.common import tensor_names
from workflows.recipe.family import Family, LayerCache, ModelGeometry
from workflows.recipe.schema import Recipe, cache_writer, single_graph_output

RunPhase = Literal["init", "step"]


class ComponentRole(StrEnum):
    """What a component does; its name in the cut."""

    ENCODER = "encoder"
    VISION = "vision"
    SPEECH = "speech"
    EMBEDDINGS = "embeddings"
    DECODER = "decoder"
    TRANSFORMER = "transformer"
    PREFILL = "prefill"
    DECODE = "decode"
    HEAD = "head"
    DRAFT = "draft"
    MODEL = "model"


@dataclass(frozen=True)
class CacheTensors:
    """Cache tensors that components share and keep between runs: what each of `layers` keeps."""

    layers: tuple[LayerCache, ...]

    @property
    def past(self) -> tuple[str, ...]:
        """The names of the tensors before a step."""
        return self._names(tensor_names.PAST_KEY, tensor_names.PAST_VALUE, state=tensor_names.PAST_STATE)

    @property
    def present(self) -> tuple[str, ...]:
        """The names of the tensors after a step, in the order of `past`."""
        return self._names(tensor_names.PRESENT_KEY, tensor_names.PRESENT_VALUE, state=tensor_names.PRESENT_STATE)

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each layer that attends."""
        return tuple(layer.window for layer in self.layers if layer.rows)

    def _names(self, *rows: str, state: str) -> tuple[str, ...]:
        return tuple(
            pattern % i
            for i, layer in enumerate(self.layers)
            for pattern in (*(rows if layer.rows else ()), *(state.format(name) for name in layer.states))
        )


@dataclass(frozen=True)
class Component:
    """One graph of a cut. own_inputs, own_outputs: inputs and outputs besides the cache tensors.

    when: empty for a draft, which a strategy runs. copy_of: the graph of which this is a copy, with the axes fixed that
    `columns` and `slots` name; None if it is traced itself. columns, slots, tiles: tokens per run, cache slots, and
    tiles of pictures per run if the graph fixes them, None for any number.
    """

    role: ComponentRole
    when: tuple[RunPhase, ...]
    own_inputs: tuple[str, ...]
    own_outputs: tuple[str, ...]
    state: CacheTensors | None = None
    copy_of: ComponentRole | None = None
    columns: int | None = None
    slots: int | None = None
    tiles: int | None = None

    @property
    def name(self) -> str:
        """The name of its session."""
        return self.role.value

    @property
    def file(self) -> str:
        """The name of its file in a bundle."""
        return f"{self.name}.onnx"

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs of the graph."""
        return (*self.own_inputs, *(self.state.past if self.state else ()))

    @property
    def outputs(self) -> tuple[str, ...]:
        """All outputs of the graph."""
        return (*self.own_outputs, *(self.state.present if self.state else ()))


@dataclass(frozen=True)
class ComponentEdge:
    """A tensor that is an output of one component and an input of another, under the same name."""

    producer: str
    consumer: str
    tensor: str

    @property
    def source(self) -> str:
        """Its source as written in a pipeline file."""
        return f"{self.producer}.{self.tensor}"

    @property
    def target(self) -> str:
        """Its target as written in a pipeline file."""
        return f"{self.consumer}.{self.tensor}"


@dataclass(frozen=True)
class Cut:
    """The components in dataflow order. cache: shared cache tensors, None for a model without a cache.

    source: the component that reads a source once and whose outputs are kept; None where there is none.
    """

    components: tuple[Component, ...]
    cache: CacheTensors | None = None
    source: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its components."""
        return tuple(part.name for part in self.components)

    @property
    def cached_components(self) -> tuple[Component, ...]:
        """The components that read and write the cache."""
        return tuple(part for part in self.components if part.state is not None)

    @property
    def stages(self) -> tuple[tuple[str, RunPhase], ...]:
        """(component, when) in execution order."""
        order: tuple[RunPhase, ...] = ("init", "step")
        return tuple((part.name, when) for when in order for part in self.components if when in part.when)

    @property
    def edges(self) -> tuple[ComponentEdge, ...]:
        """From each output to the later components that take it."""
        return tuple(
            ComponentEdge(producer.name, consumer.name, tensor)
            for i, producer in enumerate(self.components)
            for consumer in self.components[i + 1 :]
            for tensor in producer.own_outputs
            if tensor in consumer.own_inputs
        )

    def follows_text(self, part: Component) -> bool:
        """Whether the component runs on the prompt and generated tokens, so that chunks and windows apply to it."""
        encodes = part.role in (ComponentRole.VISION, ComponentRole.SPEECH)
        return self.cache is not None and part.name != self.source and not encodes


def make_cut(family: Family, recipe: Recipe, geometry: ModelGeometry | None) -> Cut:
    """The cut of a recipe. geometry: from the config or the loaded model; None without a cache."""
    if geometry is None:
        return Cut((Component(ComponentRole.MODEL, ("init",), family.inputs, (single_graph_output(recipe.task),)),))
    cache = CacheTensors(geometry.caches)
    if recipe.variant == "transformer-only":
        return Cut(_transformer_only_components(recipe, cache), cache)
    if family.has_features:
        return Cut(_feature_components(recipe, cache, family, geometry), cache)
    positions = (tensor_names.POSITIONS,) if cache.windows else ()  # a model without attention reads none
    drivers = tensor_names.IDS, *positions, *_cache_inputs(recipe, cache.windows)
    if not family.encoder:
        gives = (tensor_names.LOGITS, tensor_names.HIDDEN) if recipe.expose else (tensor_names.LOGITS,)
        whole = Component(ComponentRole.DECODER, ("step",), drivers, gives, cache)
        return Cut((*_cached_components(recipe, whole), *_early_exit_component(recipe, whole, cache)), cache)
    crossing = tensor_names.CROSS_KEY, tensor_names.CROSS_VALUE
    cross = tuple(pattern % layer for layer in range(geometry.layers) for pattern in crossing)
    text = family.source == "text"
    gives = (tensor_names.LOGITS, tensor_names.ALIGNMENT) if recipe.expose else (tensor_names.LOGITS,)
    reads, masks = ((tensor_names.IDS,), (tensor_names.SOURCE_MASK,)) if text else ((tensor_names.SOUND,), ())
    encoder = Component(ComponentRole.ENCODER, ("init",), (*reads, *masks), cross)
    decoder = Component(ComponentRole.DECODER, ("step",), (*drivers, *masks, *cross), gives, cache)
    return Cut((encoder, *_cached_components(recipe, decoder)), cache, encoder.name)


def reads_single_tiles(geometry: ModelGeometry, recipe: Recipe) -> bool:
    """Whether a graph of fixed shapes reads one tile of a picture at a time: only tiles have one size."""
    return geometry.sees == "tiles" and recipe.build_target.fixed


def _feature_components(
    recipe: Recipe, cache: CacheTensors, family: Family, geometry: ModelGeometry
) -> tuple[Component, ...]:
    """The encoder of pictures or sound, the embeddings with its rows at placeholders, and the decoder over these."""
    more = {tensor_names.DEEPSTACK: family.deepstack, tensor_names.PER_LAYER: geometry.per_layer}
    embeds = tensor_names.EMBEDS, *(name for name, has in more.items() if has)
    takes = *embeds, tensor_names.POSITIONS, *_cache_inputs(recipe, cache.windows)
    whole = Component(ComponentRole.DECODER, ("step",), takes, (tensor_names.LOGITS,), cache)
    cached = _cached_components(recipe, whole)
    when = tuple(when for part in cached for when in part.when)
    reads: tuple[str, ...]
    if family.takes_sound:
        masks = (tensor_names.SOUND_MASK,) if family.masks_frames else ()
        role, reads = ComponentRole.SPEECH, (tensor_names.SOUND, *masks)
        features = tensor_names.SOUND_FEATURES
    else:
        role, features = ComponentRole.VISION, tensor_names.FEATURES
        beside: dict[str, tuple[str, ...]] = {
            "grids": (tensor_names.GRIDS,),
            "patches": (tensor_names.SIZES,),
            "packed": (tensor_names.PLACES, tensor_names.WEIGHTS),
        }
        reads = (tensor_names.PIXELS, *beside.get(str(geometry.sees), ()))
    return (
        Component(role, ("init",), reads, (features,), tiles=1 if reads_single_tiles(geometry, recipe) else None),
        Component(ComponentRole.EMBEDDINGS, when, (tensor_names.IDS, features), embeds),
        *cached,
    )


def _transformer_only_components(recipe: Recipe, cache: CacheTensors) -> tuple[Component, ...]:
    """The transformer between embeddings and head, which run together with it."""
    takes = tensor_names.EMBEDS, *_cache_inputs(recipe, cache.windows)
    whole = Component(ComponentRole.TRANSFORMER, ("step",), takes, (tensor_names.HIDDEN,), cache)
    cached = _cached_components(recipe, whole)
    when = tuple(when for part in cached for when in part.when)
    return (
        Component(ComponentRole.EMBEDDINGS, when, (tensor_names.IDS,), (tensor_names.EMBEDS,)),
        *cached,
        *_early_exit_component(recipe, whole, cache),
        Component(ComponentRole.HEAD, when, (tensor_names.HIDDEN,), (tensor_names.LOGITS,)),
    )


def _cached_components(recipe: Recipe, whole: Component) -> tuple[Component, ...]:
    """The component with the cache, or its two copies: one for prompt chunks, one for single tokens."""
    fixed = recipe.graphs != "single"
    if not (fixed or recipe.fast_prefill):
        return (whole,)
    any_length = (
        whole.role is ComponentRole.TRANSFORMER and not recipe.build_target.fixed
    )  # its operator accepts any length
    slots = recipe.capacity if fixed and not any_length else None
    copy = partial(replace, whole, copy_of=whole.role, slots=slots)
    return (
        copy(role=ComponentRole.PREFILL, when=("init",), columns=recipe.chunk if fixed else None),
        copy(role=ComponentRole.DECODE, when=("step",), columns=1 if fixed else None),
    )


def _early_exit_component(recipe: Recipe, whole: Component, cache: CacheTensors) -> tuple[Component, ...]:
    """The component that drafts, for runs of any length; () without early_exit."""
    if recipe.early_exit is None:
        return ()
    first = CacheTensors(cache.layers[: recipe.early_exit])
    own = _cache_inputs(recipe, first.windows)
    takes = (*(name for name in whole.own_inputs if name not in _cache_inputs(recipe, cache.windows)), *own)
    gives = (
        tuple(name for name in whole.own_outputs if name != tensor_names.HIDDEN) or whole.own_outputs
    )  # no heads draft from it
    return (replace(whole, role=ComponentRole.DRAFT, when=(), own_inputs=takes, own_outputs=gives, state=first),)


def _cache_inputs(recipe: Recipe, windows: Sequence[int | None]) -> tuple[str, ...]:
    """The inputs that the cache's slot table feeds besides ids and positions, by the writer of the cache."""
    masks = tuple(tensor_names.window_masks(windows).values())
    return {
        "host": masks,
        "gqa": (tensor_names.SEQLENS, tensor_names.TOTAL_LENGTH),
        "scatter": (*masks, tensor_names.WRITE_INDICES, tensor_names.VALID_LENGTH),
    }[cache_writer(recipe.cache)]
