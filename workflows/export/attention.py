"""Connects a model's attention to its KV cache: transformers calls `attend_with_adapter`, an adapter holds the keys.

    model ──q,k,v──▶ adapter.update ──▶ adapter.attend ──▶ output

A cache adapter is one way to hold past keys and values in a graph: `HostCacheAdapter` concatenates and outputs the new
rows, `GroupQueryAdapter` and `ScatterAdapter` write in place. All models of transformers call attention through one
table, so an adapter works with each; the properties of a layer (heads, sizes, scale, window) are detected in a run, not
read from a config.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MethodType
from typing import Any, Protocol

import torch
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.masking_utils import causal_mask_function, sdpa_mask

from workflows.common.errors import RecipeError, printable
from workflows.export.recurrence import RecurrentStates, StateShape
from workflows.recipe.family import UNLIMITED

ATTENTION_NAME = "joinery"
KeyValueRows = tuple[torch.Tensor, torch.Tensor]
MaskRule = Callable[..., torch.Tensor]  # (batch, head, query, key) → whether the query attends to the key
_QUERIES = (0, 1, 2, 77, 4097, UNLIMITED // 2 + 1, UNLIMITED - 2, UNLIMITED - 1)  # positions at which rules are tried
LATER_TOKENS = (
    "This model's tokens attend to later tokens, so keys and values cannot be cached: it cannot be built as a model "
    "that generates."
)
# Exceptions that a model's code may raise when its cache is not one of transformers'.
MODEL_ERRORS = (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, RuntimeError,
                TypeError, ValueError)  # fmt: skip


@dataclass(frozen=True)
class LayerFacts:
    """What a layer keeps: keys [B, kv_heads, S, head_dim] of a window of `window` positions back, and state.

    kv_heads: 0 for a layer without keys and values. direct: attention uses keys and values as they are cached; False if
    it expands them first, as latent attention does. biased: attention adds a bias of positions, such as ALiBi's, to the
    scores. states: state of fixed size, of convolutions and recurrences. reads: the layer whose keys and values it
    attends to without storing any: an earlier one; or itself, where it attends to its own more than once. chunked:
    `window` is the size of chunks that follow each other, of which a token attends to its own alone.
    """

    kv_heads: int = 0
    head_dim: int = 0
    value_dim: int = 0
    window: int | None = None
    direct: bool = True
    biased: bool = False
    states: tuple[StateShape, ...] = ()
    reads: int | None = None
    chunked: bool = False

    @property
    def attends(self) -> bool:
        """Whether the layer keeps keys and values."""
        return self.kv_heads > 0


def windows_of(layers: Sequence[LayerFacts]) -> dict[int, int | None]:
    """Layer → its window, for each that attends to its own keys and values or to another layer's."""
    return {i: layer.window for i, layer in enumerate(layers) if layer.attends or layer.reads is not None}


def chunks_of(layers: Sequence[LayerFacts]) -> set[int | None]:
    """The windows that are chunks; no other window has the size of one."""
    return {layer.window for layer in layers if layer.chunked}


def sources_of(layers: Sequence[LayerFacts]) -> dict[int, int]:
    """Layer → the layer whose keys and values it attends to without storing any."""
    return {i: layer.reads for i, layer in enumerate(layers) if layer.reads is not None}


@dataclass(frozen=True)
class AttentionCall:
    """One call of attention: query [B,Hq,S,D], key and value of the adapter, and the terms of the formula.

    window: how far back the layer attends; before detection, the layer's own argument. sinks [Hq]: logits of a key
    without a value. mask: the model's. own_mask: the layer's own code applies its window, beside the model's mask.
    cached_bias: `bias` is not of positions, but computed from cached values.
    """

    layer: int
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    scale: float
    window: int | None
    softcap: float | None
    bias: torch.Tensor | None
    sinks: torch.Tensor | None = None
    mask: torch.Tensor | None = None
    own_mask: bool = False
    cached_bias: bool = False


class CacheAdapter(Protocol):
    """Combines past and new keys and values; passed to the model as `past_key_values`."""

    def update(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        """Called by the model with the new tokens' keys and values, [B,H,S,D]; returns those that attention uses."""

    def attend(self, call: AttentionCall) -> torch.Tensor:
        """Computes the attention output, [B,Hq,S,Dv]."""

    def key_positions(self, sequence: int) -> torch.Tensor:
        """The position of each key in `attend`, for models with a relative bias."""

    def get_seq_length(self, layer: int = 0) -> torch.Tensor | int:
        """The number of tokens before this step."""


_adapter: ContextVar[CacheAdapter] = ContextVar("adapter")


@contextmanager
def using_adapter(adapter: CacheAdapter) -> Iterator[None]:
    """Within it, attention of models loaded with `attn_implementation=ATTENTION_NAME` uses `adapter`."""
    token = _adapter.set(adapter)
    try:
        yield
    finally:
        _adapter.reset(token)


def current_adapter() -> CacheAdapter:
    """The adapter of the innermost `using_adapter`."""
    return _adapter.get()


def current_states() -> RecurrentStates | None:
    """The adapter of the innermost `using_adapter`, where it holds state of fixed size; None outside of one."""
    adapter = _adapter.get(None)
    return adapter if isinstance(adapter, RecurrentStates) else None


def is_using_adapter() -> bool:
    """Whether a cache adapter holds the cache; otherwise a model computes by its own code."""
    return _adapter.get(None) is not None


def attend_with_adapter(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    scaling: float | None = None,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """The attention function that transformers calls; the adapter's mask replaces the argument."""
    from_values = getattr(module, "mask_is_bias", False)  # own_attention/doge.py
    call = AttentionCall(
        layer=module.layer_idx,
        query=query,
        key=key,
        value=value,
        scale=scaling if scaling is not None else 1 / math.sqrt(query.shape[-1]),
        window=options.get("sliding_window"),
        softcap=options.get("softcap"),
        bias=attention_mask if from_values else options.get("position_bias"),
        sinks=options.get("s_aux"),
        mask=attention_mask,
        own_mask=options.get("own_mask", False),
        cached_bias=from_values,
    )
    return _adapter.get().attend(call).transpose(1, 2).contiguous(), None


def _mask(*, mask_function: MaskRule = causal_mask_function, **options: Any) -> torch.Tensor:
    """The mask function that transformers calls, [B,1,S,T]; a probe records the mask's rule."""
    whole = {**options, "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
    mask: torch.Tensor = sdpa_mask(mask_function=mask_function, **whole)
    adapter = _adapter.get(None)
    if isinstance(adapter, ProbeCacheAdapter):
        adapter.rules.append((mask, mask_function))
    return mask


AttentionInterface.register(ATTENTION_NAME, attend_with_adapter)
AttentionMaskInterface.register(ATTENTION_NAME, _mask)


def reference_attention(call: AttentionCall, mask: torch.Tensor | None) -> torch.Tensor:
    """Softmax attention with an additive mask [1,1,S,T]; keys and values may have fewer heads than queries."""
    grouped = call.query.shape[1] != call.key.shape[1]
    if call.bias is not None:
        mask = call.bias if mask is None else mask + call.bias
    if call.softcap is None and call.sinks is None:
        return torch.nn.functional.scaled_dot_product_attention(
            call.query, call.key, call.value, attn_mask=mask, scale=call.scale, enable_gqa=grouped
        )
    repeats = call.query.shape[1] // call.key.shape[1]
    key, value = (t.repeat_interleave(repeats, dim=1) for t in (call.key, call.value))
    scores = call.query @ key.transpose(-1, -2) * call.scale
    if call.softcap is not None:
        scores = torch.tanh(scores / call.softcap) * call.softcap
    return _weights(scores if mask is None else scores + mask, call.sinks) @ value


def _weights(scores: torch.Tensor, sinks: torch.Tensor | None) -> torch.Tensor:
    """[B,Hq,S,T]: the softmax over keys and sinks, without the sinks' column."""
    if sinks is None:
        return torch.softmax(scores, dim=-1)
    column = sinks.reshape(1, -1, 1, 1).expand(scores.shape[0], -1, scores.shape[2], 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]


@dataclass
class BaseCacheAdapter(RecurrentStates):
    """State of every adapter, and the methods that models call on a cache.

    windows: layer → detected window. sources: see sources_of.
    """

    keys: Mapping[int, torch.Tensor] | Sequence[torch.Tensor] = ()  # by layer
    values: Mapping[int, torch.Tensor] | Sequence[torch.Tensor] = ()
    start: torch.Tensor | int = 0  # the first new token's position, for models that read it from the cache
    source_mask: torch.Tensor | None = None  # [1,1,1,T] of the encoder's tokens, where there is an encoder
    windows: Mapping[int, int | None] = field(default_factory=dict)
    sources: Mapping[int, int] = field(default_factory=dict)
    present: dict[int, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)
    cross_calls: dict[int, AttentionCall] | None = None  # of a step, by layer, where someone wants them
    pending: int | None = None  # the layer between its update and its attend, that is, within self-attention

    is_compileable = False
    is_initialized = False  # of a cache that holds no token yet, after which models take no mask for a prompt

    def add_rows(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        """Takes the new rows and returns what `update` returns, by default its arguments."""
        return key, value

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        """Self-attention over past and new rows."""
        raise NotImplementedError

    def attend_again(self, call: AttentionCall, source: int) -> torch.Tensor:
        """Self-attention over the rows of the layer `source`, which has stored its new ones in this step."""
        return self.attend_self(call)

    def key_positions(self, sequence: int) -> torch.Tensor:
        return torch.arange(sequence)

    def update(self, key: torch.Tensor, value: torch.Tensor, layer: int, *_: object, **__: object) -> KeyValueRows:
        """See CacheAdapter; further arguments differ between models and are ignored."""
        self.pending = layer
        return self.add_rows(key, value, layer)

    def attend(self, call: AttentionCall) -> torch.Tensor:
        """See CacheAdapter: without a preceding update, this is over another layer's keys, or the encoder's tokens."""
        if self.pending is None and call.layer in self.sources:
            windowed = replace(call, window=self.windows.get(call.layer, call.window))
            return self.attend_again(windowed, self.sources[call.layer])
        if self.pending is None:  # the operator needs a mask row for each query
            if self.cross_calls is not None:
                self.cross_calls[call.layer] = call
            mask = self.source_mask
            return reference_attention(
                call, None if mask is None else mask.expand(1, 1, call.query.shape[2], mask.shape[3])
            )
        layer, self.pending = self.pending, None  # a module that several layers share has a number of its own
        return self.attend_self(replace(call, layer=layer, window=self.windows.get(layer, call.window)))

    def get_seq_length(self, layer: int = 0) -> torch.Tensor | int:
        """See CacheAdapter."""
        return self.start

    def get_query_offset(self, layer: int = 0) -> torch.Tensor | int:
        """The same, as transformers' mask functions read it."""
        return self.start

    def get_mask_sizes(self, sequence: int, layer: int = 0) -> tuple[int, int]:
        """The number of keys of a step of `sequence` tokens without a past, and the first one's position."""
        return sequence, 0


@dataclass
class HostCacheAdapter(BaseCacheAdapter):
    """Keys are past ++ new; present has the new rows, for the host. masks: window → [1,1,S,C+S], additive."""

    masks: Mapping[int | None, torch.Tensor] = field(default_factory=dict)

    def add_rows(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        """→ [B,H,C+S,D] each."""
        self.present[layer] = key, value
        return torch.cat([self.keys[layer], key], dim=2), torch.cat([self.values[layer], value], dim=2)

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        return reference_attention(call, self.masks[call.window])

    def key_positions(self, sequence: int) -> torch.Tensor:
        """[C+S]: the position of each key where slots are positions, as in a left-aligned cache."""
        return torch.cat([torch.arange(self.keys[0].shape[2]), torch.arange(sequence) + self.start])


@dataclass
class ProbeCacheAdapter(BaseCacheAdapter):
    """Runs a model without past and records the properties of its layers. cross: it also attends to an encoder."""

    cross: bool = False
    facts: dict[int, LayerFacts] = field(default_factory=dict)
    rules: list[tuple[torch.Tensor, MaskRule]] = field(default_factory=list)  # of the masks that the model requested

    def add_rows(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        self.present[layer] = key, value
        return key, value

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        """Attends without a mask: the values do not matter."""
        key, value = self.present[call.layer]
        direct = not call.cached_bias and torch.equal(key, call.key) and torch.equal(value, call.value)
        biased = call.bias is not None and not call.cached_bias
        (window, chunked), sizes = self._window(call), (key.shape[1], key.shape[3], value.shape[3])
        self.facts[call.layer] = LayerFacts(*sizes, window, direct, biased=biased, chunked=chunked)
        return reference_attention(call, None)

    def _window(self, call: AttentionCall) -> tuple[int | None, bool]:
        """The window of the mask's rule; with an encoder or a mask of the layer's own, the window in the call.

        And whether it is one of chunks.
        """
        if self.cross or call.own_mask:
            return call.window, False
        made = self.rules if call.cached_bias else []  # its layer computed the mask of this one
        made = made or [one for one in self.rules if call.mask is not None and is_part_of(call.mask, one[0])]
        rules = [rule for _, rule in made]
        if not rules:
            raise RecipeError(
                "A layer of this model uses a mask that transformers did not create, which no cache layout "
                "supports: it cannot be built."
            )
        chunk = chunk_of(rules[0])
        return (window_of(rules[0]), False) if chunk is None else (chunk, True)

    def attend(self, call: AttentionCall) -> torch.Tensor:
        """See CacheAdapter. Raises RecipeError for attention to keys that no layer stores."""
        if self.pending is None and not self.cross:
            self._attend_to_stored(call)
            return reference_attention(call, None)
        return super().attend(call)

    def _attend_to_stored(self, call: AttentionCall) -> None:
        """Records a layer that attends to keys which it, or another one, has stored."""
        source = next((layer for layer, (key, _) in self.present.items() if key is call.key), None)
        if source is None:
            raise RecipeError(
                "A layer of this model attends to keys that no layer stores, which no cache layout supports: it "
                "cannot be built."
            )
        (window, chunked), direct = self._window(call), self.present[source][1] is call.value
        if (window, chunked) != (self.facts[source].window, self.facts[source].chunked):
            raise RecipeError(
                "A layer of this model attends to another layer's keys with a window of its own, which no cache "
                "layout supports: it cannot be built."
            )
        own = self.facts.get(call.layer, LayerFacts(window=window, biased=call.bias is not None, chunked=chunked))
        self.facts[call.layer] = replace(own, direct=own.direct and direct, reads=source)


def detect_layers(
    run: Callable[[ProbeCacheAdapter], object], cross: bool = False, layers: int = 0
) -> tuple[LayerFacts, ...]:
    """Detects what each layer of a decoder keeps: `run` runs it once with the adapter as its cache.

    cross: the decoder also attends to an encoder. layers: the number in its config; of a model with state of fixed
    size, some may keep nothing. Raises RecipeError where the model keeps what no adapter can hold.
    """
    adapter = ProbeCacheAdapter(cross=cross, probing=True)
    try:
        with using_adapter(adapter), torch.no_grad():
            run(adapter)
    except MODEL_ERRORS as error:
        if isinstance(error, AttributeError) and error.obj is adapter:
            raise RecipeError(
                f"This model reads {printable(error.name)} from its cache, which is neither keys and values nor state "
                "of a convolution or a recurrence, so no cache can be fitted to it."
            ) from None
        raise RecipeError(
            "This model does not use transformers' attention interface, or has state other than keys and values, "
            f"so no KV cache can be fitted to it: {printable(error)}."
        ) from error
    if not (adapter.facts or adapter.new_states):
        raise RecipeError(
            "This model has its own attention code, which does not use transformers' attention interface, so no KV "
            "cache can be fitted to it."
        )
    return _layers_of(adapter, layers)


def _layers_of(adapter: ProbeCacheAdapter, layers: int) -> tuple[LayerFacts, ...]:
    """What every layer keeps. Raises RecipeError for an attention layer that keeps nothing."""
    states: dict[int, list[StateShape]] = {}
    for (layer, name), tensor in adapter.new_states.items():
        states.setdefault(layer, []).append(StateShape(name, tuple(tensor.shape)))
    numbers = {*adapter.facts, *states}
    count = max(layers, *(number + 1 for number in numbers)) if states else len(adapter.facts)
    storing = {layer for layer, one in adapter.facts.items() if one.attends}
    if storing != adapter.present.keys() or not (states or numbers == set(range(count))):
        raise RecipeError("This model's layers do not all keep keys and values, so no KV cache can be fitted to it.")
    if {one.window for one in adapter.facts.values() if one.chunked} & {
        one.window for one in adapter.facts.values() if not one.chunked
    }:
        raise RecipeError("This model has chunks and windows of one size, which no cache layout supports.")
    facts = (adapter.facts.get(layer, LayerFacts()) for layer in range(count))
    return tuple(replace(one, states=tuple(states.get(layer, ()))) for layer, one in enumerate(facts))


def patch_position_bias(model: PreTrainedModel) -> bool:
    """Makes T5's learned relative biases use the adapter's key positions; returns whether there was any."""
    modules = [m for m in model.modules() if hasattr(m, "compute_bias") and getattr(m, "is_decoder", False)]
    for module in modules:
        module.compute_bias = MethodType(_compute_bias, module)
    return bool(modules)


def _compute_bias(
    self: torch.nn.Module,
    query_length: int,
    key_length: int,
    device: torch.device | None = None,
    past_seen_tokens: torch.Tensor | int = 0,
) -> torch.Tensor:
    """[1,H,S,T]: the bias of T5 (Raffel et al. 2020, section 2.1) between query and key positions."""
    queries = torch.arange(query_length)[:, None] + past_seen_tokens
    buckets = self._relative_position_bucket(
        _adapter.get().key_positions(query_length)[None, :] - queries,
        bidirectional=False,
        num_buckets=self.relative_attention_num_buckets,
        max_distance=self.relative_attention_max_distance,
    )
    return self.relative_attention_bias(buckets).permute(2, 0, 1)[None]


@lru_cache(maxsize=4)
def chunk_of(rule: MaskRule) -> int | None:
    """The size of the chunks within which tokens attend to earlier ones by `rule`; None for another rule."""
    first, positions = torch.zeros(1, 1, dtype=torch.long), torch.arange(UNLIMITED)
    unseen = (~torch.as_tensor(rule(first, first, positions[:, None], first)).reshape(-1)).nonzero()
    size = int(unseen[0]) if len(unseen) else 0  # the first token that does not attend to token 0
    if not size:
        return None
    near = (one for at in (1, 2, 3) for one in (at * size - 1, at * size, at * size + 1))
    queries = torch.tensor(sorted({*_QUERIES, *(one for one in near if one < UNLIMITED)}))[:, None]
    seen = torch.as_tensor(rule(first, first, queries, positions[None])).expand(len(queries), UNLIMITED)
    same = queries // size == positions // size
    return size if torch.equal(seen, same & (queries >= positions)) else None


@lru_cache(maxsize=4)  # many layers share a rule
def window_of(rule: MaskRule) -> int | None:
    """How many positions back a token attends by `rule`, itself included; None for all.

    Raises RecipeError for a rule that is not a causal band: blocks, chunks, prefixes, or later tokens.
    """
    queries, keys = torch.tensor(_QUERIES)[:, None], torch.arange(UNLIMITED)[None]
    first = torch.zeros(1, 1, dtype=torch.long)
    seen = torch.as_tensor(rule(first, first, queries, keys)).expand(len(_QUERIES), UNLIMITED)
    back = queries - keys
    if bool((seen & (back < 0)).any()):
        raise RecipeError(LATER_TOKENS)
    window = int(seen[-1].sum())
    if window == 0:
        raise RecipeError(
            "By its mask a token of this model attends to no token, not even itself: config.json has a sliding "
            "window without a size, so correct the file."
        )
    if not torch.equal(seen, (back >= 0) & (back < window)):
        raise RecipeError(
            "This model's mask is neither causal nor a sliding window, which no cache layout supports: it cannot "
            "be built."
        )
    return window if window < UNLIMITED else None


def is_part_of(view: torch.Tensor, whole: torch.Tensor) -> bool:
    """Whether `view` is `whole` or a slice of it."""
    base, other = (one if one._base is None else one._base for one in (view, whole))
    return base is other
