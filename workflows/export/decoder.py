"""The decoder component of any causal LM, with its KV cache as inputs and outputs.

host     input_ids [1,S] · position_ids [1,S] · attention_mask [1,1,S,C+S] · past [1,H,C,D] per layer and role
             ──▶ logits [1,S,V] · present [1,H,S,D]: the new tokens' rows only; hidden_states [1,S,E] if exposed
gqa      input_ids · position_ids · seqlens_k [1] · total_sequence_length [] · past [1,H,C,D]
             ──▶ logits · present [1,H,C,D]: the same buffer, written in place
scatter  input_ids · position_ids · attention_mask [1,1,S,C] · write_indices [1] · nonpad_kv_seqlen [1] · past [1,C,H·D]
             ──▶ logits · present [1,C,H·D]: the same buffer, written in place

Layers with state of fixed size have it as inputs and outputs too: past.i.conv [1,C,k-1] and past.i.recurrent, which
present.i.conv and present.i.recurrent replace. Layers with another attention window have their own mask. Facts about
the cache that names and shapes do not show are in the graph's metadata under `joinery.kv`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPast

from workflows.common.errors import RecipeError
from workflows.common.tensor_names import HIDDEN, PAST_STATE
from workflows.export.attention import (
    BaseCacheAdapter,
    HostCacheAdapter,
    LayerFacts,
    ProbeCacheAdapter,
    chunks_of,
    detect_layers,
    sources_of,
    using_adapter,
    windows_of,
)
from workflows.export.in_place import GroupQueryAdapter, ScatterAdapter
from workflows.export.recurrence import StateKey
from workflows.export.signature import PATTERNS, ExportSignature
from workflows.export.stand_ins import StandInProducts
from workflows.kvcache.geometry import SOURCE_MASK, StateFacts
from workflows.kvcache.token_blocks import TokenBlocks


class DecoderModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """A causal LM with its cache as separate tensors; inputs and outputs in the signature's order."""

    def __init__(self, model: PreTrainedModel, signature: ExportSignature, layers: Sequence[LayerFacts]) -> None:
        super().__init__()
        self.model = model
        self.names, self.layers, self.facts = list(signature.inputs), tuple(layers), signature.facts
        self.exposes = HIDDEN in signature.outputs

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        by_name = dict(zip(self.names, inputs, strict=True))
        assert self.facts is not None
        adapter = make_adapter(by_name, self.facts, self.layers)
        with using_adapter(adapter), hidden_states(self.model, self.exposes) as hidden:
            logits = self.run(adapter, by_name)
        return logits, *hidden, *self.exposed(adapter), *present_tensors(adapter, self.layers)

    def exposed(self, adapter: BaseCacheAdapter) -> tuple[torch.Tensor, ...]:
        """Outputs of a step besides logits, hidden states and cache."""
        return ()

    def run(self, adapter: BaseCacheAdapter, by_name: dict[str, torch.Tensor]) -> torch.Tensor:
        """The model's logits [1,S,V], with `adapter` as its cache."""
        return run_causal(self.model, adapter, by_name["input_ids"], by_name["position_ids"])


def present_tensors(adapter: BaseCacheAdapter, layers: Sequence[LayerFacts]) -> Iterator[torch.Tensor]:
    """What the layers keep after a step, in the order of the signature."""
    for i, layer in enumerate(layers):
        yield from adapter.present[i] if layer.attends else ()
        for state in layer.states:
            yield adapter.new_states[i, state.name]


@contextmanager
def hidden_states(model: PreTrainedModel, wanted: bool) -> Iterator[list[torch.Tensor]]:
    """Collects the decoder's output [1,S,E] if `wanted`. Raises RecipeError for a decoder that is no module."""
    states: list[torch.Tensor] = []
    if not wanted:
        yield states
        return
    inner = getattr(model, model.base_model_prefix, None)
    if inner is None:
        raise RecipeError(
            "This model's decoder is not separate from its head, so it cannot expose hidden_states: leave expose out."
        )

    def record(module: torch.nn.Module, inputs: object, output: BaseModelOutputWithPast) -> None:
        states[:] = [output.last_hidden_state]

    handle = inner.register_forward_hook(record)
    try:
        yield states
    finally:
        handle.remove()


def run_causal(
    model: PreTrainedModel,
    adapter: BaseCacheAdapter,
    ids: torch.Tensor | None,
    positions: torch.Tensor,
    own_mask: bool = False,
    embeds: torch.Tensor | None = None,
    per_layer: torch.Tensor | None = None,
) -> torch.Tensor:
    """Logits [1,S,V] of a causal LM. own_mask: the model builds its masks, as a probe requires.

    Otherwise it gets an unused 4-D mask, which keeps it from building others; the adapter has its own. embeds: in place
    of `ids`, [1,S,E]. per_layer: a token's embeddings for each layer [1,S,L·P], which go with `embeds` (Gemma 4).
    """
    width = positions.shape[-1]
    recurrent = "cache_params" in inspect.signature(type(model).forward).parameters  # a model without attention
    unused = None if own_mask or recurrent else torch.zeros(1, 1, width, width)
    taken = {"input_ids": ids} if embeds is None else {"inputs_embeds": embeds}
    if per_layer is not None:
        layers = model.config.get_text_config().num_hidden_layers
        taken["per_layer_inputs"] = per_layer.unflatten(-1, (layers, -1))
    cache = {"cache_params": adapter} if recurrent else {"past_key_values": adapter, "position_ids": positions}
    output = model(**taken, attention_mask=unused, use_cache=True, **cache)
    logits: torch.Tensor = output.logits
    return logits


@dataclass(frozen=True)
class CachedStep:
    """The tokens from `start` to before `end`, and the adapter that holds the rows of the steps before them."""

    adapter: HostCacheAdapter
    start: int
    end: int


class _EarlierRows(Sequence[torch.Tensor]):
    """The keys or the values of earlier steps, joined for a layer when it asks for them."""

    def __init__(self, layers: Sequence[LayerFacts], earlier: Sequence[HostCacheAdapter], role: int) -> None:
        self._layers, self._earlier, self._role = layers, tuple(earlier), role

    def __len__(self) -> int:
        return len(self._layers)

    def __getitem__(self, layer: Any) -> Any:
        """[1,H,C,D]."""
        facts = self._layers[layer]
        none = torch.zeros(1, facts.kv_heads, 0, (facts.head_dim, facts.value_dim)[self._role])
        return torch.cat([none, *(adapter.present[layer][self._role] for adapter in self._earlier)], dim=2)


def cached_steps(
    layers: Sequence[LayerFacts], ends: Sequence[int], blocks: TokenBlocks | None = None
) -> list[CachedStep]:
    """Steps with these `ends`, each of whose layers reads what that layer of the earlier steps wrote.

    blocks: the tokens that attend to each other in both directions.
    """
    steps: list[CachedStep] = []
    for start, end in zip((0, *ends), ends, strict=False):
        earlier = [step.adapter for step in steps]
        keys, values = (_EarlierRows(layers, earlier, role) for role in (0, 1))
        windows = windows_of(layers)
        chunks = chunks_of(layers)
        masks = {one: _causal_mask(start, end, one, one in chunks, blocks) for one in windows.values()}
        states = earlier[-1].new_states if earlier else empty_states(layers)
        reading: dict[str, Any] = {"windows": windows, "sources": sources_of(layers)}
        adapter = HostCacheAdapter(keys, values, torch.tensor(start), masks=masks, states=states, **reading)
        steps.append(CachedStep(adapter, start, end))
    return steps


def empty_states(layers: Sequence[LayerFacts]) -> dict[StateKey, torch.Tensor]:
    """The layers' state of fixed size before the first step."""
    return {(i, state.name): torch.zeros(state.shape) for i, layer in enumerate(layers) for state in layer.states}


def logits_in_steps(
    layers: Sequence[LayerFacts],
    ends: Sequence[int],
    run: Callable[[HostCacheAdapter, int, int], torch.Tensor],
    blocks: TokenBlocks | None = None,
) -> torch.Tensor:
    """Logits [S,V] of cached_steps. run: takes the adapter and the step's first and last token; returns [1,S,V]."""
    rows = []
    for step in cached_steps(layers, ends, blocks):
        with using_adapter(step.adapter):
            rows.append(run(step.adapter, step.start, step.end)[0])
    return torch.cat(rows)


def run_step(model: PreTrainedModel, ids: torch.Tensor, step: CachedStep) -> torch.Tensor:
    """Logits [S,V] of a step's tokens among `ids` [1,N]."""
    with using_adapter(step.adapter):
        logits = run_causal(
            model, step.adapter, ids[:, step.start : step.end], torch.arange(step.start, step.end)[None]
        )
    return logits[0]


def _causal_mask(start: int, end: int, window: int | None, chunked: bool, blocks: TokenBlocks | None) -> torch.Tensor:
    """[1,1,S,end] additive: causal, within the window, or its own chunk of that size, and to the end of a block."""
    queries, keys = torch.arange(start, end)[:, None], torch.arange(end)[None]
    seen = (queries >= keys) & (queries - keys < (window or end))
    if chunked and window:
        seen &= queries // window == keys // window
    ahead = None if blocks is None else blocks.ahead(np.arange(start, end))
    if ahead is not None and blocks is not None and (window or not blocks.in_windows):
        seen[:, start:] |= torch.from_numpy(ahead)
    return torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]


def causal_layers(model: PreTrainedModel) -> tuple[LayerFacts, ...]:
    """The attention layers of a causal LM. Raises RecipeError where a cache adapter cannot be used."""
    ids = torch.zeros(1, 3, dtype=torch.long)

    def run(adapter: ProbeCacheAdapter) -> None:
        with StandInProducts():
            run_causal(model, adapter, ids, torch.arange(3)[None], own_mask=True)

    return detect_layers(run, layers=getattr(model.config.get_text_config(), "num_hidden_layers", None) or 0)


def past_tensors(by_name: Mapping[str, torch.Tensor], layers: Sequence[LayerFacts]) -> dict[str, Any]:
    """What the layers kept, as arguments of an adapter."""
    attending = [i for i, layer in enumerate(layers) if layer.attends]
    return {
        "keys": {i: by_name[PATTERNS.past_key % i] for i in attending},
        "values": {i: by_name[PATTERNS.past_value % i] for i in attending},
        "states": {key: by_name[PAST_STATE.format(key[1]) % key[0]] for key in empty_states(layers)},
    }


def make_adapter(by_name: dict[str, torch.Tensor], facts: StateFacts, layers: Sequence[LayerFacts]) -> BaseCacheAdapter:
    """Creates the adapter for the graph's kind of cache from its input tensors."""
    past: dict[str, Any] = {
        **past_tensors(by_name, layers),
        "start": by_name["position_ids"].reshape(-1)[0],
        "source_mask": by_name.get(SOURCE_MASK),
        "windows": windows_of(layers),
        "sources": sources_of(layers),
    }
    if facts.writer == "gqa":
        return GroupQueryAdapter(**past, lengths=(by_name["seqlens_k"], by_name["total_sequence_length"]))
    past["masks"] = {group.window: by_name[group.mask] for group in facts.groups}
    if facts.writer == "scatter":
        return ScatterAdapter(**past, drivers=(by_name["write_indices"], by_name["nonpad_kv_seqlen"]))
    return HostCacheAdapter(**past)
