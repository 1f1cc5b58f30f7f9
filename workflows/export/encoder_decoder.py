"""The two components of an encoder-decoder model.

encoder   input_ids [1,T] · source_mask [1,1,1,T] ──▶ cross.i.key, cross.i.value [1,H,T,D] of every decoder layer
          or input_features [1,mels,frames], a sound of fixed length without a mask
decoder   input_ids [1,S] · position_ids · attention_mask · past · source_mask · cross ──▶ logits · present

Cross-attention's keys and values depend on the source only, so the encoder computes them, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import torch
from transformers import EncoderDecoderCache, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from workflows.common.errors import RecipeError
from workflows.common.tensor_names import ALIGNMENT, CROSS_KEY, CROSS_VALUE, SOUND
from workflows.export.attention import (
    ATTENTION_NAME,
    AttentionCall,
    BaseCacheAdapter,
    HostCacheAdapter,
    KeyValueRows,
    LayerFacts,
    ProbeCacheAdapter,
    detect_layers,
    reference_attention,
    using_adapter,
)
from workflows.export.decoder import DecoderModule, logits_in_steps
from workflows.export.example_ids import without_special
from workflows.export.signature import ExportSignature
from workflows.generate.speech.alignment import SMOOTHED

_SOURCE, _FIRST, _TOKENS = 70, 64, 70  # tokens: past a chunk, in two steps
# Of the largest logit: T5's scores are not scaled, and float32 alone can change its logits by 0.7 % (measured with
# random weights); a missing operation changes them by whole logits.
_TOLERANCE = 2e-2


class CrossCapture:
    """Captures the cross-attention keys and values that a decoder computes from the encoder's output."""

    def __init__(self) -> None:
        self.rows: dict[int, KeyValueRows] = {}

    def update(self, key: torch.Tensor, value: torch.Tensor, layer: int, *_: object, **__: object) -> KeyValueRows:
        """Stores the rows, [1,H,T,D]."""
        self.rows[layer] = key, value
        return key, value


class CrossCache(EncoderDecoderCache):  # type: ignore[misc]  # transformers is not type-checked here
    """The type that transformers' decoders expect: a self-attention cache and a cross-attention cache.

    cross: captures the rows, or provides given ones, which no layer then recomputes.
    """

    def __init__(self, adapter: BaseCacheAdapter, cross: CrossCapture | Sequence[KeyValueRows]) -> None:
        # the parent's constructor takes transformers' caches, and sets nothing that is used here
        self.self_attention_cache = adapter
        self.is_updated: dict[int, bool] = {}
        self.cross_attention_cache: object = cross
        if not isinstance(cross, CrossCapture):
            layers = [SimpleNamespace(keys=key, values=value) for key, value in cross]
            self.cross_attention_cache = SimpleNamespace(layers=layers)
            self.is_updated = dict.fromkeys(range(len(layers)), True)

    def get_seq_length(self, layer: int = 0) -> torch.Tensor | int:
        """The number of tokens before this step."""
        return self.self_attention_cache.get_seq_length(layer)

    @property
    def is_compileable(self) -> bool:
        return False

    # transformers asks a cache for the kinds of its layers before it looks at the mask that it was given
    is_sliding = is_linear = is_dummy = property(lambda self: [])


class SourceAttentionAdapter(BaseCacheAdapter):
    """Attention among the source's tokens, and of one decoder token, run only to capture its cross-attention."""

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        """Attends without a mask; the result is unused."""
        return reference_attention(call, None)


class EncoderModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """The encoder of a text, and the cross-attention projections of every decoder layer."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, source_mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """→ key and value of layer 0, key and value of layer 1 …"""
        adapter = SourceAttentionAdapter(source_mask=source_mask)
        with using_adapter(adapter):
            hidden = self.model.get_encoder()(input_ids=input_ids, attention_mask=source_mask).last_hidden_state
            return _project(self.model, adapter, hidden, encoder_attention_mask=source_mask)


class SoundEncoderModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """The encoder of a sound, and the cross-attention projections of every decoder layer."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_features: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """→ key and value of layer 0, key and value of layer 1 …"""
        adapter = SourceAttentionAdapter()
        with using_adapter(adapter):
            hidden = self.model.get_encoder()(input_features=input_features).last_hidden_state
            return _project(self.model, adapter, hidden)


def _project(
    model: PreTrainedModel, adapter: BaseCacheAdapter, hidden: torch.Tensor, **masks: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Runs the decoder for one token, for its projections of the encoder's output `hidden` [1,T,E]."""
    cross = CrossCapture()
    model.get_decoder()(
        input_ids=torch.zeros(1, 1, dtype=torch.long),
        attention_mask=torch.zeros(1, 1, 1, 1),
        encoder_hidden_states=hidden,
        past_key_values=CrossCache(adapter, cross),
        use_cache=True,
        **masks,
    )
    return tuple(tensor for i in sorted(cross.rows) for tensor in cross.rows[i])


class CrossDecoderModule(DecoderModule):
    """A decoder whose cross-attention takes the encoder's keys and values as inputs."""

    def __init__(self, model: PreTrainedModel, signature: ExportSignature, layers: Sequence[LayerFacts]) -> None:
        super().__init__(model, signature, layers)
        self.alignment = alignment_heads(model) if ALIGNMENT in signature.outputs else ()

    def exposed(self, adapter: BaseCacheAdapter) -> tuple[torch.Tensor, ...]:
        """[1,S,heads · T]: the attention of the chosen heads to the sound, one head after another."""
        if not self.alignment or adapter.cross_calls is None:
            return ()
        weights = []
        for layer, head in self.alignment:
            call = adapter.cross_calls[layer]
            weights.append((call.query[:, head] @ call.key[:, head].transpose(-1, -2) * call.scale).softmax(dim=-1))
        return (torch.cat(weights, dim=-1),)

    def run(self, adapter: BaseCacheAdapter, by_name: dict[str, torch.Tensor]) -> torch.Tensor:
        adapter.cross_calls = {} if self.alignment else None
        cross = [(by_name[CROSS_KEY % i], by_name[CROSS_VALUE % i]) for i in range(len(self.layers))]
        return run_decoder(self.model, adapter, cross, by_name["input_ids"])


def alignment_heads(model: PreTrainedModel) -> tuple[tuple[int, int], ...]:
    """(layer, head) of each whose attention follows the sound: those of generation_config.json, else all of the second
    half of the layers, as OpenAI's own code takes. Raises RecipeError for heads that the model does not have.
    """
    layers, heads = model.config.decoder_layers, model.config.decoder_attention_heads
    if getattr(model.config, "median_filter_width", SMOOTHED) != SMOOTHED:
        raise RecipeError(
            f"config.json has median_filter_width = {model.config.median_filter_width}, and the times of words are "
            f"smoothed over {SMOOTHED} columns: leave expose out."
        )
    chosen = getattr(model.generation_config, "alignment_heads", None)
    if chosen is None:
        return tuple((layer, head) for layer in range(layers // 2, layers) for head in range(heads))
    pairs = tuple((int(layer), int(head)) for layer, head in chosen)
    if not pairs or not all(0 <= layer < layers and 0 <= head < heads for layer, head in pairs):
        raise RecipeError(
            f"generation_config.json names alignment_heads that a model of {layers} layers with {heads} heads does not "
            "have: correct the file."
        )
    return pairs


def run_decoder(
    model: PreTrainedModel, adapter: BaseCacheAdapter, cross: Sequence[KeyValueRows], ids: torch.Tensor
) -> torch.Tensor:
    """Logits [1,S,V]; of the encoder's output only the shape is used."""
    source = cross[0][0].shape[2]
    hidden = torch.zeros(1, source, model.config.hidden_size)
    output = model(
        encoder_outputs=BaseModelOutput(last_hidden_state=hidden),
        attention_mask=torch.zeros(1, 1, 1, source),
        decoder_input_ids=ids,
        decoder_attention_mask=torch.zeros(1, 1, ids.shape[1], ids.shape[1]),
        past_key_values=CrossCache(adapter, cross),
        use_cache=True,
    )
    logits: torch.Tensor = output.logits
    return logits


def decoder_layers(model: PreTrainedModel, cross: Sequence[KeyValueRows]) -> tuple[LayerFacts, ...]:
    """The decoder's self-attention layers. Raises RecipeError where a cache adapter cannot be used."""

    def run(adapter: ProbeCacheAdapter) -> None:
        run_decoder(model, adapter, cross, torch.zeros(1, 3, dtype=torch.long))

    return detect_layers(run, cross=True)


@dataclass(frozen=True)
class CrossCheck:
    """What the divided model is compared on. source: the encoder's inputs, by their names in the model's own forward.

    mask: of a source text, [1,1,1,T]; None for a sound. target: the decoder's ids, [1,S].
    """

    source: Mapping[str, torch.Tensor]
    mask: torch.Tensor | None
    target: torch.Tensor

    @classmethod
    def of_text(cls, model: PreTrainedModel) -> CrossCheck:
        """A text and a reply, at most as long as the model's positions."""
        ids = _ids(max(_SOURCE, _TOKENS), getattr(model.config, "max_position_embeddings", None))
        vocabulary = model.get_input_embeddings().weight.shape[0]
        source = without_special(model, ids * 7919 % vocabulary)[:, :_SOURCE]
        mask = torch.zeros(1, 1, 1, source.shape[1])
        return cls({"input_ids": source}, mask, without_special(model, ids * 104729 % vocabulary)[:, :_TOKENS])

    @classmethod
    def of_sound(cls, model: PreTrainedModel) -> CrossCheck:
        """A spectrogram of noise and a transcript, at most as long as the model's positions."""
        ids = _ids(_TOKENS, model.config.max_target_positions)
        vocabulary = model.get_input_embeddings().weight.shape[0]
        return cls({SOUND: example_sound(model)}, None, without_special(model, ids * 104729 % vocabulary))

    @property
    def encoder_inputs(self) -> tuple[torch.Tensor, ...]:
        """The inputs of the encoder module."""
        return (*self.source.values(), *(() if self.mask is None else (self.mask,)))

    def eager_logits(self, model: PreTrainedModel) -> torch.Tensor:
        """Logits [S,V] of the model's own eager attention, all tokens at once.

        Must be called before the model is modified; the model must have been loaded with our attention, and keeps it.
        """
        with torch.no_grad():
            model.set_attn_implementation("eager")
            logits: torch.Tensor = model(**self.source, decoder_input_ids=self.target, use_cache=False).logits[0]
            model.set_attn_implementation(ATTENTION_NAME)
        return logits

    def compare(
        self, model: PreTrainedModel, encoder: torch.nn.Module, layers: Sequence[LayerFacts], expected: torch.Tensor
    ) -> None:
        """Raises RecipeError where the logits with cross-attention inputs and a cache differ from `expected`."""
        with torch.no_grad():
            rows = encoder(*self.encoder_inputs)
            cross = list(zip(rows[0::2], rows[1::2], strict=True))

            def run(adapter: HostCacheAdapter, start: int, end: int) -> torch.Tensor:
                adapter.source_mask = self.mask
                return run_decoder(model, adapter, cross, self.target[:, start:end])

            first, length = min(_FIRST, self.target.shape[1] - 1), self.target.shape[1]
            logits = logits_in_steps(layers, [first, length] if first else [length], run)
        difference = float((logits - expected).abs().max())
        if not difference <= _TOLERANCE * max(1.0, float(expected.abs().max())):
            raise RecipeError(
                "Divided into an encoder and a decoder with a cache, this model's logits differ from its own by "
                f"{difference:.2g}: it connects the two in a way that Joinery does not support, so it cannot be built."
            )


def example_sound(model: PreTrainedModel) -> torch.Tensor:
    """A spectrogram of noise, [1,mels,frames], of the one length that the encoder takes."""
    encoder, config = model.get_encoder(), model.config
    frames = config.max_source_positions * encoder.conv1.stride[0] * encoder.conv2.stride[0]
    return torch.randn(1, config.num_mel_bins, frames, generator=torch.Generator().manual_seed(0))


def _ids(most: int, limit: int | None) -> torch.Tensor:
    """1 to `most` or `limit`, [1,N]."""
    return torch.arange(1, min(most, limit or most) + 1)[None]
