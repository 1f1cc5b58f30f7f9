"""How a model is cut: its parts, what feeds what, and the state that they share. Whoever must know it reads it here.

family + recipe + geometry ──make_cut──▶ Cut: parts in the order of the data, edges, the state that they share

graphs            single                           prefill-decode
plain             decoder                          prefill, decode
with an encoder   encoder, decoder                 encoder, prefill, decode
transformer-only  embeddings, transformer, head    embeddings, prefill, decode, head
without a cache   model
early_exit        a draft besides, which runs by itself: the first layers, over their own cache
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Literal

from workflows.common import tensor_names
from workflows.recipe.families.base import Family, ModelGeometry
from workflows.recipe.schema import Recipe, cache_writer, single_graph_output
from workflows.recipe.target import find_target

RunPhase = Literal["init", "step"]


class ComponentRole(StrEnum):
    """What a part does; a cut names its parts by it."""

    ENCODER = "encoder"
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
    """Keys and values that parts share and keep between runs. past, present: tensors, a pair of each layer and role.

    windows: how many positions back each layer sees, itself included; None for all.
    """

    past: tuple[str, ...]
    present: tuple[str, ...]
    windows: tuple[int | None, ...]


@dataclass(frozen=True)
class Component:
    """One graph of a cut. takes, gives: inputs and outputs beside those of the state.

    when: empty for a draft, which a strategy runs. made_of: the graph of which this is a copy with fixed axes; None for
    one that is traced itself. columns, slots: how many tokens a run takes and the cache holds where the graph is fixed
    to a number, None for any.
    """

    role: ComponentRole
    when: tuple[RunPhase, ...]
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    state: CacheTensors | None = None
    made_of: ComponentRole | None = None
    columns: int | None = None
    slots: int | None = None

    @property
    def name(self) -> str:
        """Its session's."""
        return self.role.value

    @property
    def file(self) -> str:
        """Its graph in a bundle."""
        return f"{self.name}.onnx"

    @property
    def inputs(self) -> tuple[str, ...]:
        """Everything that the graph takes."""
        return (*self.takes, *(self.state.past if self.state else ()))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Everything that the graph gives."""
        return (*self.gives, *(self.state.present if self.state else ()))


@dataclass(frozen=True)
class ComponentEdge:
    """A tensor that one part gives and another takes under the same name."""

    giver: str
    taker: str
    tensor: str

    @property
    def source(self) -> str:
        """Where it begins, as a pipeline file writes it."""
        return f"{self.giver}.{self.tensor}"

    @property
    def target(self) -> str:
        """Where it ends."""
        return f"{self.taker}.{self.tensor}"


@dataclass(frozen=True)
class Cut:
    """The parts in the order of the data. cache: what every run reads and writes, None for a model that keeps nothing.

    source: the part that reads a source once, and whose outputs are kept; None where there is none.
    """

    parts: tuple[Component, ...]
    cache: CacheTensors | None = None
    source: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of its parts."""
        return tuple(part.name for part in self.parts)

    @property
    def keepers(self) -> tuple[Component, ...]:
        """The parts that read and write the cache."""
        return tuple(part for part in self.parts if part.state is not None)

    @property
    def stages(self) -> tuple[tuple[str, RunPhase], ...]:
        """(part, when) in the order in which they run."""
        order: tuple[RunPhase, ...] = ("init", "step")
        return tuple((part.name, when) for when in order for part in self.parts if when in part.when)

    @property
    def edges(self) -> tuple[ComponentEdge, ...]:
        """From what a part gives to the parts after it that take it."""
        return tuple(
            ComponentEdge(giver.name, taker.name, tensor)
            for i, giver in enumerate(self.parts)
            for taker in self.parts[i + 1 :]
            for tensor in giver.gives
            if tensor in taker.takes
        )

    def follows_text(self, part: Component) -> bool:
        """Whether the part runs on the prompt and the tokens after it, so that chunks and windows are its business."""
        return self.cache is not None and part.name != self.source


def make_cut(family: Family, recipe: Recipe, geometry: ModelGeometry | None) -> Cut:
    """The cut of a recipe. geometry: of the model, as its config or the model itself tells; None without a cache."""
    if geometry is None:
        return Cut((Component(ComponentRole.MODEL, ("init",), family.inputs, (single_graph_output(recipe.task),)),))
    cache = _state(geometry.windows)
    if recipe.variant == "transformer-only":
        return Cut(_transformer_only_components(recipe, cache), cache)
    drivers = tensor_names.IDS, tensor_names.POSITIONS, *_cache_inputs(recipe, cache.windows)
    if not family.encoder:
        gives = (tensor_names.LOGITS, tensor_names.HIDDEN) if recipe.expose else (tensor_names.LOGITS,)
        whole = Component(ComponentRole.DECODER, ("step",), drivers, gives, cache)
        return Cut((*_cached_components(recipe, whole), *_early_exit_component(recipe, whole, cache)), cache)
    cross = _by_layer(geometry.layers, tensor_names.CROSS_KEY, tensor_names.CROSS_VALUE)
    encoder = Component(ComponentRole.ENCODER, ("init",), (tensor_names.IDS, tensor_names.SOURCE_MASK), cross)
    decoder = Component(
        ComponentRole.DECODER, ("step",), (*drivers, tensor_names.SOURCE_MASK, *cross), (tensor_names.LOGITS,), cache
    )
    return Cut((encoder, *_cached_components(recipe, decoder)), cache, encoder.name)


def _transformer_only_components(recipe: Recipe, cache: CacheTensors) -> tuple[Component, ...]:
    """The transformer between the table of tokens and the head, which run whenever it does."""
    takes = tensor_names.EMBEDS, *_cache_inputs(recipe, cache.windows)
    whole = Component(ComponentRole.TRANSFORMER, ("step",), takes, (tensor_names.HIDDEN,), cache)
    keepers = _cached_components(recipe, whole)
    when = tuple(when for part in keepers for when in part.when)
    return (
        Component(ComponentRole.EMBEDDINGS, when, (tensor_names.IDS,), (tensor_names.EMBEDS,)),
        *keepers,
        *_early_exit_component(recipe, whole, cache),
        Component(ComponentRole.HEAD, when, (tensor_names.HIDDEN,), (tensor_names.LOGITS,)),
    )


def _cached_components(recipe: Recipe, whole: Component) -> tuple[Component, ...]:
    """The part that keeps the cache, or the two that are made of it: one for chunks of a prompt, one for tokens."""
    if recipe.graphs == "single":
        return (whole,)
    any_length = (
        whole.role is ComponentRole.TRANSFORMER and not find_target(recipe.target).fixed
    )  # as its operator takes
    slots = None if any_length else recipe.capacity
    copy = partial(replace, whole, made_of=whole.role, slots=slots)
    return (
        copy(role=ComponentRole.PREFILL, when=("init",), columns=recipe.chunk),
        copy(role=ComponentRole.DECODE, when=("step",), columns=1),
    )


def _early_exit_component(recipe: Recipe, whole: Component, cache: CacheTensors) -> tuple[Component, ...]:
    """The part that drafts for the whole, for runs of any length, where the recipe asks for one."""
    if recipe.early_exit is None:
        return ()
    windows = cache.windows[: recipe.early_exit]
    own = _cache_inputs(recipe, windows)
    takes = (*(name for name in whole.takes if name not in _cache_inputs(recipe, cache.windows)), *own)
    gives = tuple(name for name in whole.gives if name != tensor_names.HIDDEN) or whole.gives  # no heads draft from it
    return (replace(whole, role=ComponentRole.DRAFT, when=(), takes=takes, gives=gives, state=_state(windows)),)


def _cache_inputs(recipe: Recipe, windows: Sequence[int | None]) -> tuple[str, ...]:
    """What the cache's table feeds beside ids and positions, by who writes the cache."""
    masks = tuple(tensor_names.window_masks(windows).values())
    return {
        "host": masks,
        "gqa": (tensor_names.SEQLENS, tensor_names.TOTAL_LENGTH),
        "scatter": (*masks, tensor_names.WRITE_INDICES, tensor_names.VALID_LENGTH),
    }[cache_writer(recipe.cache)]


def _state(windows: tuple[int | None, ...]) -> CacheTensors:
    layers = len(windows)
    past = _by_layer(layers, tensor_names.PAST_KEY, tensor_names.PAST_VALUE)
    return CacheTensors(past, _by_layer(layers, tensor_names.PRESENT_KEY, tensor_names.PRESENT_VALUE), windows)


def _by_layer(layers: int, *patterns: str) -> tuple[str, ...]:
    return tuple(pattern % layer for layer in range(layers) for pattern in patterns)
