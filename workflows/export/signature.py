"""The inputs and outputs of a graph: names, example tensors, and symbolic axes.

The example sizes differ from each other, so that no two axes are confused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch

from workflows.common import tensor_names
from workflows.common.tensor_names import window_masks
from workflows.export.attention import LayerFacts, chunks_of
from workflows.export.recurrence import STATE_NAMES
from workflows.kvcache.cache_inputs import GRID_AXES
from workflows.kvcache.geometry import GroupFacts, StateFacts, StatePatterns
from workflows.kvcache.token_blocks import Mutual
from workflows.recipe.schema import CacheWriter

PATTERNS = StatePatterns()
SEQUENCE, CAPACITY, TOTAL, SOURCE, TILES = "sequence", "capacity", "total", "source", "tiles"
BATCH = "batch"
FEATURE_ROWS = "features"
_ROWS = tuple((past, present) for _, past, present in PATTERNS.pairs())
_STATES = {
    name: (tensor_names.PAST_STATE.format(name), tensor_names.PRESENT_STATE.format(name)) for name in STATE_NAMES
}
CACHE_NAMES = (*_ROWS, *_STATES.values())  # the patterns of past and present of all that a layer may keep
_S, _C, _T = 3, 5, 7  # example sizes of sequence, capacity and source


@dataclass
class ExportSignature:
    """Inputs and outputs of one graph, in order. `facts`: properties of its cache that names and shapes do not show."""

    inputs: dict[str, torch.Tensor] = field(default_factory=dict)
    axes: dict[str, dict[int, str]] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)
    facts: StateFacts | None = None

    def add(self, name: str, example: torch.Tensor, axes: dict[int, str]) -> None:
        """Adds an input."""
        self.inputs[name], self.axes[name] = example, axes


@dataclass(frozen=True)
class EmbeddedTokens:
    """What a decoder takes in place of ids.

    size: of an embedding. grid: whether a position has three numbers. deepstack: the number of layers that add a row of
    features to their output. per_layer: the numbers of a token's embeddings for all layers. mutual: see StateFacts.
    """

    size: int
    grid: bool = False
    deepstack: int = 0
    per_layer: int = 0
    mutual: Mutual | None = None

    @property
    def sizes(self) -> dict[str, int]:
        """Its inputs, and the numbers of a row of each."""
        sizes = {tensor_names.EMBEDS: self.size, tensor_names.DEEPSTACK: self.deepstack * self.size}
        sizes[tensor_names.PER_LAYER] = self.per_layer
        return {name: size for name, size in sizes.items() if size}

    @property
    def row(self) -> int:
        """The numbers of a row of features."""
        return (1 + self.deepstack) * self.size


def decoder_signature(
    layers: Sequence[LayerFacts],
    writer: CacheWriter,
    *,
    cross: Literal["masked", "whole"] | None = None,
    left_aligned: bool = False,
    exposes: bool = False,
    dtype: torch.dtype = torch.float32,
    embedded: EmbeddedTokens | None = None,
) -> ExportSignature:
    """The decoder's graph. cross: whether it attends to an encoder's keys and values, with a source mask or to all.

    left_aligned: see StateFacts. exposes: it also returns its last hidden states. dtype: of past and present.
    embedded: what it takes in place of ids.
    """
    outputs = [tensor_names.LOGITS, tensor_names.HIDDEN] if exposes else [tensor_names.LOGITS]
    mutual = None if embedded is None else embedded.mutual
    facts = StateFacts(writer, cache_groups(layers), left_aligned, mutual=mutual)
    signature = ExportSignature(outputs=outputs, facts=facts)
    if embedded is None:
        signature.add(tensor_names.IDS, torch.zeros(1, _S, dtype=torch.long), {1: SEQUENCE})
    else:
        for name, size in embedded.sizes.items():
            signature.add(name, torch.zeros(1, _S, size), {1: SEQUENCE})
    positions = torch.arange(_C - _S, _C)[None]
    if embedded is not None and embedded.grid:
        signature.add(tensor_names.POSITIONS, positions[None].expand(GRID_AXES, -1, -1).clone(), {2: SEQUENCE})
    else:
        signature.add(tensor_names.POSITIONS, positions, {1: SEQUENCE})
    _add_cache_inputs(signature, writer)
    _add_past(signature, layers, flat=writer == "scatter", dtype=dtype)
    if cross == "masked":
        signature.add(tensor_names.SOURCE_MASK, torch.zeros(1, 1, 1, _T), {3: SOURCE})
    return signature


def with_rows(signature: ExportSignature) -> ExportSignature:
    """The same decoder for any number of texts, each with a row of ids, positions and keys and a length of its own."""
    for name, example in signature.inputs.items():
        if example.ndim:
            signature.inputs[name] = example.expand(2, *example.shape[1:]).contiguous()
            signature.axes[name] = {0: BATCH, **signature.axes[name]}
    return signature


def transformer_signature(layers: Sequence[LayerFacts], hidden: int, dtype: torch.dtype) -> ExportSignature:
    """The decoder between embeddings and head, over a shared buffer."""
    signature = ExportSignature(outputs=[tensor_names.HIDDEN], facts=StateFacts("gqa", cache_groups(layers)))
    signature.add(tensor_names.EMBEDS, torch.zeros(1, _S, hidden), {1: SEQUENCE})
    _add_cache_inputs(signature, "gqa")
    _add_past(signature, layers, flat=False, dtype=dtype)
    return signature


def embeddings_signature() -> ExportSignature:
    """The graph of the embedding table."""
    signature = ExportSignature(outputs=[tensor_names.EMBEDS])
    signature.add(tensor_names.IDS, torch.zeros(1, _S, dtype=torch.long), {1: SEQUENCE})
    return signature


def merged_embeddings_signature(embedded: EmbeddedTokens, features: str, placeholder: int) -> ExportSignature:
    """The graph of the embedding table, with rows of features in the place of placeholders. features: their name.

    A row of features is an embedding, and behind it what each layer with deepstack adds.
    """
    signature = ExportSignature(outputs=[*embedded.sizes])
    ids = torch.zeros(1, _S, dtype=torch.long)
    ids[0, 1:] = placeholder
    signature.add(tensor_names.IDS, ids, {1: SEQUENCE})
    signature.add(features, torch.zeros(_S - 1, embedded.row), {0: FEATURE_ROWS})
    return signature


def head_signature(hidden: int) -> ExportSignature:
    """The graph from hidden states to logits."""
    signature = ExportSignature(outputs=[tensor_names.LOGITS])
    signature.add(tensor_names.HIDDEN, torch.zeros(1, _S, hidden), {1: SEQUENCE})
    return signature


def _add_past(signature: ExportSignature, layers: Sequence[LayerFacts], *, flat: bool, dtype: torch.dtype) -> None:
    """flat: [1,C,H·D] instead of [1,H,C,D]."""
    for i, layer in enumerate(layers):
        for role, past, present in PATTERNS.pairs() if layer.attends else ():
            size = layer.head_dim if role == "key" else layer.value_dim
            shape = (1, _C, layer.kv_heads * size) if flat else (1, layer.kv_heads, _C, size)
            signature.add(past % i, torch.zeros(shape, dtype=dtype), {1 if flat else 2: CAPACITY})
            signature.outputs.append(present % i)
        for state in layer.states:
            past, present = _STATES[state.name]
            signature.add(past % i, torch.zeros(state.shape), {})
            signature.outputs.append(present % i)


def cache_names(layers: Sequence[LayerFacts]) -> list[list[tuple[str, str]]]:
    """For each layer, the patterns of past and present of what it keeps, in the graph's order; `%d` is the layer."""
    return [[*(_ROWS if layer.attends else ()), *(_STATES[state.name] for state in layer.states)] for layer in layers]


def past_names(layers: Sequence[LayerFacts]) -> list[str]:
    """The inputs of what the layers kept, in the graph's order."""
    return [past % i for i, kept in enumerate(cache_names(layers)) for past, _ in kept]


def add_cross(
    signature: ExportSignature, cross: Sequence[tuple[torch.Tensor, torch.Tensor]], fixed: bool = False
) -> None:
    """Adds the encoder's keys and values as inputs, with the shapes of `cross`. fixed: of this length alone."""
    axes: dict[int, str] = {} if fixed else {2: SOURCE}
    for i, (key, value) in enumerate(cross):
        signature.add(tensor_names.CROSS_KEY % i, torch.zeros_like(key), axes)
        signature.add(tensor_names.CROSS_VALUE % i, torch.zeros_like(value), axes)


def encoder_signature(layers: int, sound: torch.Tensor | None = None) -> ExportSignature:
    """The encoder's graph, whose outputs are the decoder's cross-attention keys and values.

    sound: an example of the spectrogram that it reads in place of a text, whose shape is fixed.
    """
    signature = ExportSignature(
        outputs=[name % i for i in range(layers) for name in (tensor_names.CROSS_KEY, tensor_names.CROSS_VALUE)]
    )
    if sound is not None:
        signature.add(tensor_names.SOUND, sound, {})
        return signature
    signature.add(tensor_names.IDS, torch.zeros(1, _T, dtype=torch.long), {1: SOURCE})
    signature.add(tensor_names.SOURCE_MASK, torch.zeros(1, 1, 1, _T), {3: SOURCE})
    return signature


def cache_groups(layers: Sequence[LayerFacts]) -> tuple[GroupFacts, ...]:
    """The layers with keys and values grouped by window; the group without a window comes first."""
    masks, chunks = window_masks(layer.window for layer in layers if layer.attends), chunks_of(layers)
    return tuple(
        GroupFacts(
            name=_group_name(window, window in chunks) if len(masks) > 1 else "all",
            mask=mask,
            layers=tuple(i for i, layer in enumerate(layers) if layer.attends and layer.window == window),
            window=window,
            chunked=window in chunks,
        )
        for window, mask in masks.items()
    )


def _group_name(window: int | None, chunked: bool) -> str:
    return "full" if window is None else f"{'chunk' if chunked else 'window'}{window}"


def _add_cache_inputs(signature: ExportSignature, writer: CacheWriter) -> None:
    assert signature.facts is not None
    if writer == "gqa":
        signature.add(tensor_names.SEQLENS, torch.tensor([_C - 1], dtype=torch.int32), {})
        signature.add(tensor_names.TOTAL_LENGTH, torch.tensor(_C, dtype=torch.int32), {})
        return
    columns, axis = (_C + _S, TOTAL) if writer == "host" else (_C, CAPACITY)
    for group in signature.facts.groups:
        signature.add(group.mask, torch.zeros(1, 1, _S, columns), {2: SEQUENCE, 3: axis})
    if writer == "scatter":
        signature.add(tensor_names.WRITE_INDICES, torch.tensor([_C - _S]), {})
        signature.add(tensor_names.VALID_LENGTH, torch.tensor([_C]), {})
