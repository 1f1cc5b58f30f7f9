"""The seam between a model and its cache: transformers calls our attention, and we decide who writes the keys.

    model ──q,k,v──▶ seam.update ──▶ seam.attend ──▶ output

A seam is one way to hold past keys and values in a graph: `HostCacheAdapter` gives the new rows out and concatenates,
`GroupQuerySeam` and `ScatterSeam` write in place. Every model of transformers calls its attention through one table,
so that a seam serves all; what a layer needs (heads, sizes, scale, and the window of its mask) is seen, not read from a
config.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import MethodType
from typing import Any, Protocol

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import causal_mask_function, sdpa_mask

from workflows.common.errors import RecipeError, printable
from workflows.export.masks import MaskRule, is_part_of, window_of

ATTENTION_NAME = "joinery"
KeyValueRows = tuple[torch.Tensor, torch.Tensor]
# What a model's own code may raise when it is run with something else than transformers' cache.
MODEL_ERRORS = (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, RuntimeError,
                TypeError, ValueError)  # fmt: skip


@dataclass(frozen=True)
class LayerFacts:
    """What one attention layer does: it keeps keys [B, kv_heads, S, head_dim], and sees `window` positions back.

    direct: it attends to the rows as they are kept; else it makes something else of them first, as latent attention.
    """

    kv_heads: int
    head_dim: int
    value_dim: int
    window: int | None
    direct: bool = True


def windows_of(layers: Sequence[LayerFacts]) -> dict[int, int | None]:
    """Layer → how far back it sees."""
    return {i: layer.window for i, layer in enumerate(layers)}


@dataclass(frozen=True)
class AttentionCall:
    """One call of attention: query [B,Hq,S,D], key and value as the seam gave them, and the formula's terms.

    window: how far back the layer sees; before it was probed, what the layer says of itself. sinks [Hq]: logits of a
    key without a value. mask: the one that the model gave.
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


class CacheAdapter(Protocol):
    """How past and new keys and values come together; also the `past_key_values` that the model is given."""

    def update(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        """Called by the model with the new tokens' rows, [B,H,S,D]."""
        ...

    def attend(self, call: AttentionCall) -> torch.Tensor:
        """The attention's output, [B,Hq,S,Dv]."""
        ...

    def key_positions(self, sequence: int) -> torch.Tensor:
        """The position of each key that `attend` sees, for models with a learned relative bias."""
        ...


_seam: ContextVar[CacheAdapter] = ContextVar("seam")


@contextmanager
def using_adapter(seam: CacheAdapter) -> Iterator[None]:
    """Within it, attention of a model that was loaded with `attn_implementation=NAME` goes through `seam`."""
    token = _seam.set(seam)
    try:
        yield
    finally:
        _seam.reset(token)


def current_adapter() -> CacheAdapter:
    """The seam of the innermost `attending`."""
    return _seam.get()


def _attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: Any = None,
    scaling: float | None = None,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """What transformers calls; the mask that it was given is replaced by the seam's own."""
    call = AttentionCall(
        layer=module.layer_idx,
        query=query,
        key=key,
        value=value,
        scale=scaling if scaling is not None else 1 / math.sqrt(query.shape[-1]),
        window=options.get("sliding_window"),
        softcap=options.get("softcap"),
        bias=options.get("position_bias"),
        sinks=options.get("s_aux"),
        mask=attention_mask,
    )
    return _seam.get().attend(call).transpose(1, 2).contiguous(), None


def _mask(*, mask_function: MaskRule = causal_mask_function, **options: Any) -> torch.Tensor:
    """What transformers calls for a mask [B,1,S,T]; a probe learns by which rule it was made."""
    whole = {**options, "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
    mask: torch.Tensor = sdpa_mask(mask_function=mask_function, **whole)
    seam = _seam.get(None)
    if isinstance(seam, ProbeCacheAdapter):
        seam.rules.append((mask, mask_function))
    return mask


AttentionInterface.register(ATTENTION_NAME, _attention)
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
    """[B,Hq,S,T]: the softmax, of which a sink takes its share and gives nothing for it."""
    if sinks is None:
        return torch.softmax(scores, dim=-1)
    column = sinks.reshape(1, -1, 1, 1).expand(scores.shape[0], -1, scores.shape[2], 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]


@dataclass
class BaseCacheAdapter:
    """What every seam keeps: past by layer, the new rows, and what models ask a cache.

    windows: layer → how far back it sees, where a probe has seen it.
    """

    keys: Sequence[torch.Tensor] = ()
    values: Sequence[torch.Tensor] = ()
    start: torch.Tensor | int = 0  # the first new token's position, for models that ask the cache for it
    source_mask: torch.Tensor | None = None  # [1,1,1,T] of the encoder's tokens, where there is an encoder
    windows: Mapping[int, int | None] = field(default_factory=dict)
    present: dict[int, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)
    pending: bool = False  # between update and attend, that is, within self-attention

    is_compileable = False

    def take(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        """What `update` gives back and notes."""
        raise NotImplementedError

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        """Attention over past and new rows."""
        raise NotImplementedError

    def key_positions(self, sequence: int) -> torch.Tensor:
        """See Seam."""
        raise NotImplementedError

    def update(self, key: torch.Tensor, value: torch.Tensor, layer: int, *_: Any, **__: Any) -> KeyValueRows:
        """See Seam; the model's further arguments differ by version and do not matter."""
        self.pending = True
        return self.take(key, value, layer)

    def attend(self, call: AttentionCall) -> torch.Tensor:
        """See Seam: without an update before it, this is attention over the encoder's tokens."""
        if not self.pending:  # the operator wants a row of the mask for each query
            mask = self.source_mask
            return reference_attention(
                call, None if mask is None else mask.expand(1, 1, call.query.shape[2], mask.shape[3])
            )
        self.pending = False
        return self.attend_self(replace(call, window=self.windows.get(call.layer, call.window)))

    def get_seq_length(self, layer: int = 0) -> Any:
        """Tokens before this step."""
        return self.start


@dataclass
class HostCacheAdapter(BaseCacheAdapter):
    """Keys are past ++ new; present is the new rows alone, and the host puts them where its table says.

    masks: window → additive mask [1,1,S,C+S].
    """

    masks: Mapping[int | None, torch.Tensor] = field(default_factory=dict)

    def take(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        """→ [B,H,C+S,D] each."""
        self.present[layer] = key, value
        return torch.cat([self.keys[layer], key], dim=2), torch.cat([self.values[layer], value], dim=2)

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        """See BaseCacheAdapter."""
        return reference_attention(call, self.masks[call.window])

    def key_positions(self, sequence: int) -> torch.Tensor:
        """[C+S]: the position of each key where slots are positions, as in a left-aligned cache."""
        return torch.cat([torch.arange(self.keys[0].shape[2]), torch.arange(sequence) + self.start])


@dataclass
class ProbeCacheAdapter(BaseCacheAdapter):
    """Runs a model without past, and notes what each of its layers does. cross: it also attends to an encoder."""

    cross: bool = False
    facts: dict[int, LayerFacts] = field(default_factory=dict)
    rules: list[tuple[torch.Tensor, MaskRule]] = field(default_factory=list)  # of the masks that the model asked for

    def take(self, key: torch.Tensor, value: torch.Tensor, layer: int) -> KeyValueRows:
        """Gives back what it was given."""
        self.present[layer] = key, value
        return key, value

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        """Attends without a mask: the values do not matter."""
        key, value = self.present[call.layer]
        direct = torch.equal(key, call.key) and torch.equal(value, call.value)
        self.facts[call.layer] = LayerFacts(key.shape[1], key.shape[3], value.shape[3], self._window(call), direct)
        return reference_attention(call, None)

    def _window(self, call: AttentionCall) -> int | None:
        """That of the mask's rule; a decoder with an encoder is given its mask, and may name a window in the call."""
        if self.cross:
            return call.window
        rules = [rule for mask, rule in self.rules if call.mask is not None and is_part_of(call.mask, mask)]
        if not rules:
            raise RecipeError(
                "A layer of this model attends by another mask than transformers made for it, which no cache layout "
                "here can follow: it cannot be built."
            )
        return window_of(rules[0])

    def attend(self, call: AttentionCall) -> torch.Tensor:
        """See Seam. Raises RecipeError where a layer attends a second time to what it kept once."""
        if not (self.pending or self.cross):
            raise RecipeError(
                "A layer of this model attends twice to one set of keys, or to another layer's, and the cache layouts "
                "here give each its own once: it cannot be built."
            )
        return super().attend(call)

    def key_positions(self, sequence: int) -> torch.Tensor:
        """[S]."""
        return torch.arange(sequence)

    def get_query_offset(self, layer: int = 0) -> int:
        """Tokens before this step, as the makers of masks ask for it."""
        return 0

    def get_mask_sizes(self, sequence: int, layer: int = 0) -> tuple[int, int]:
        """Keys, and the first one's position."""
        return sequence, 0


def detect_layers(run: Callable[[ProbeCacheAdapter], object], cross: bool = False) -> tuple[LayerFacts, ...]:
    """The attention layers of a decoder, seen by `run`, which runs it once with the seam as its cache.

    cross: the decoder also attends to an encoder.

    Raises RecipeError where the model keeps state that is no key and value of every layer.
    """
    seam = ProbeCacheAdapter(cross=cross)
    try:
        with using_adapter(seam), torch.no_grad():
            run(seam)
    except MODEL_ERRORS as error:
        if isinstance(error, AttributeError) and error.obj is seam:
            raise RecipeError(
                f"This model asks its cache for {printable(error.name)}, which is no matter of keys and values alone, "
                "so no KV cache can be fitted to it."
            ) from None
        raise RecipeError(
            "This model's attention does not go through transformers' table, or it keeps another state than keys and "
            f"values, so no KV cache can be fitted to it: {printable(error)}."
        ) from error
    if not seam.facts:
        raise RecipeError(
            "This model attends by code of its own, which does not go through transformers' table of attention "
            "functions, so no KV cache can be fitted to it."
        )
    if sorted(seam.facts) != list(range(len(seam.facts))) or seam.facts.keys() != seam.present.keys():
        raise RecipeError("This model's layers do not all keep keys and values, so no KV cache can be fitted to it.")
    return tuple(seam.facts[layer] for layer in sorted(seam.facts))


def patch_position_bias(model: Any) -> bool:
    """Has learned relative position biases ask the seam where the keys stand, instead of counting from the first.

    Changes `compute_bias` of T5's kind of attention, on this model's decoder alone; gives whether there was any.
    """
    found = [m for m in model.modules() if hasattr(m, "compute_bias") and getattr(m, "is_decoder", False)]
    for module in found:
        module.compute_bias = MethodType(_compute_bias, module)
    return bool(found)


def _compute_bias(
    self: Any, query_length: int, key_length: int, device: Any = None, past_seen_tokens: Any = 0
) -> torch.Tensor:
    """[1,H,S,T]: the bias of T5 (Raffel et al. 2020, section 2.1) between query and key positions."""
    queries = torch.arange(query_length)[:, None] + past_seen_tokens
    buckets = self._relative_position_bucket(
        _seam.get().key_positions(query_length)[None, :] - queries,
        bidirectional=False,
        num_buckets=self.relative_attention_num_buckets,
        max_distance=self.relative_attention_max_distance,
    )
    return self.relative_attention_bias(buckets).permute(2, 0, 1)[None]
