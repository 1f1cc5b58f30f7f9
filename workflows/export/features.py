"""The components of a model that reads pictures or sound: encoder, embeddings with its rows, decoder over embeddings.

vision      pictures ──▶ image_features [rows,E]: see vision.py
speech      recordings ──▶ audio_features [rows,E]: see sound_encoder.py
embeddings  input_ids [1,S] · features [rows of the placeholders among them,E] ──▶ inputs_embeds [1,S,E]
decoder     inputs_embeds · position_ids [1,S] or [3,1,S] · attention_mask · past ──▶ logits · present

With deepstack (Meng et al. 2024), the first L layers add rows of their own at the placeholders: a row of features has
(1+L)·E numbers, and the embeddings give deepstack_embeds [1,S,L·E] too, zero at all other tokens.
A token of Gemma 4 has an embedding of P numbers for each layer: the embeddings give per_layer_inputs [1,S,L·P], which
features do not change.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch
from transformers import PreTrainedModel

from workflows.common.errors import RecipeError, printable
from workflows.common.tensor_names import DEEPSTACK, EMBEDS, PER_LAYER
from workflows.export.attention import (
    ATTENTION_NAME,
    MODEL_ERRORS,
    BaseCacheAdapter,
    LayerFacts,
    using_adapter,
)
from workflows.export.decoder import CachedStep, DecoderModule, cached_steps, run_causal
from workflows.export.equivalence import is_routed
from workflows.export.example_ids import without_special
from workflows.export.feature_encoder import FeatureEncoderModule
from workflows.export.layerwise import Computation, run_layerwise
from workflows.export.own_attention import EAGER, set_attention
from workflows.export.reference import ReferenceLogits
from workflows.export.stand_ins import StandInProducts, StandIns
from workflows.kvcache.token_blocks import Mutual, TokenBlocks

_TOLERANCE = 1e-3  # of the largest logit
_BEFORE, _AFTER = 5, 9  # tokens of the comparison around its two pictures or recordings
_SINGLES = _AFTER - 1  # the last tokens, which are fed one by one


def deepstack_layers(model: PreTrainedModel) -> int:
    """The number of the first layers that add rows of features of their own."""
    vision = getattr(model.model, "visual", None)  # a config may name them for an encoder without
    return len(getattr(vision, "deepstack_visual_indexes", ()))


def per_layer_size(model: PreTrainedModel) -> int:
    """The numbers of a token's embeddings for all layers, which Gemma 4 has beside the first."""
    table = getattr(getattr(model.model, "language_model", None), "embed_tokens_per_layer", None)
    return 0 if table is None else int(table.weight.shape[1])


class MergedEmbeddingsModule(torch.nn.Module):  # type: ignore[misc]
    """The embedding table, and rows of features in the place of placeholders, in their order.

    Gemma 4 has the padding token's embeddings at placeholders of what is not read here, video and sound, and at all
    placeholders those of its layers.
    """

    def __init__(self, model: PreTrainedModel, placeholder: int) -> None:
        super().__init__()
        self.table, self.placeholder = model.get_input_embeddings(), placeholder
        self.without_row = placeholder >= self.table.weight.shape[0]
        self.deepstack = deepstack_layers(model)
        self.layer_table = model.model.language_model.embed_tokens_per_layer if per_layer_size(model) else None
        self.padding = model.config.get_text_config().pad_token_id
        unread = [getattr(model.config, name, None) for name in ("video_token_id", "audio_token_id")]
        self.unread = [token for token in unread if token is not None and model.config.model_type == "gemma4"]
        self.outputs = (
            EMBEDS,
            *([DEEPSTACK] if self.deepstack else []),
            *([] if self.layer_table is None else [PER_LAYER]),
        )

    def forward(self, input_ids: torch.Tensor, features: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """[1,S], [rows,(1+L)·E] → [1,S,E], and [1,S,L·E] where there are L layers with deepstack, or [1,S,L·P] with
        embeddings of P numbers for each of L layers
        """
        for token in self.unread:
            input_ids = torch.where(input_ids == token, self.padding, input_ids)
        places = (input_ids == self.placeholder)[..., None]
        embeds: torch.Tensor = self.table(input_ids.masked_fill(places[..., 0], 0) if self.without_row else input_ids)
        size = embeds.shape[-1]
        merged = embeds.masked_scatter(places, features[:, :size])
        if self.layer_table is not None:
            return merged, self.layer_table(torch.where(places[..., 0], self.padding, input_ids))
        if not self.deepstack:
            return (merged,)
        none = torch.zeros(1, input_ids.shape[1], self.deepstack * size)
        return merged, none.masked_scatter(places, features[:, size:])


@contextmanager
def deepstacked(model: PreTrainedModel, rows: torch.Tensor | None) -> Iterator[None]:
    """Adds `rows` [1,S,L·E] to the outputs of the first L layers, in this thread's runs."""
    handles, own = [], threading.get_ident()
    if rows is not None:
        size = model.get_input_embeddings().weight.shape[1]
        layers = model.model.language_model.layers

        def add(piece: torch.Tensor, _: object, __: object, hidden: torch.Tensor) -> torch.Tensor:
            return hidden + piece if threading.get_ident() == own else hidden

        for layer, piece in zip(layers, rows.split(size, dim=-1), strict=False):
            handles.append(layer.register_forward_hook(partial(add, piece)))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class EmbedsDecoderModule(DecoderModule):
    """A causal LM that takes embeddings in place of ids, and rows for its first layers where it has deepstack."""

    def run(self, adapter: BaseCacheAdapter, by_name: dict[str, torch.Tensor]) -> torch.Tensor:
        with deepstacked(self.model, by_name.get(DEEPSTACK)):
            return run_causal(
                self.model,
                adapter,
                None,
                by_name["position_ids"],
                embeds=by_name[EMBEDS],
                per_layer=by_name.get(PER_LAYER),
            )


def check_one_run(vision: FeatureEncoderModule, chunk: int) -> None:
    """Raises RecipeError where a run of `chunk` tokens cannot hold the places of a picture."""
    if (rows := max(_example_rows(vision))) > chunk:
        raise RecipeError(
            f"The {rows:,} tokens of a picture attend to each other, so they go through the decoder in one run: set "
            f"chunk to {rows:,} or more."
        )


def _example_rows(encoder: FeatureEncoderModule) -> tuple[int, int]:
    with StandInProducts():
        return encoder.example_rows()


def check_features(
    model: PreTrainedModel,
    layers: Sequence[LayerFacts],
    encoder: FeatureEncoderModule,
    embeddings: MergedEmbeddingsModule,
    mutual: Mutual | None = None,
    stand_ins: StandIns | None = None,
) -> ReferenceLogits:
    """The model's own logits after a text with two pictures or recordings. Raises RecipeError where the divided model's
    differ.

    The tokens go in steps that divide one of them, since a mistake in the example inputs shows in later steps alone.
    mutual: see Family; then the steps divide no block. stand_ins: of a model without weights, which is run layer by
    layer.
    """
    ids = _ids_around(model, encoder.placeholder, *_example_rows(encoder))
    count = ids.shape[1]
    prompt = count - _SINGLES
    blocks = _blocks(ids, prompt, embeddings.placeholder, mutual)
    half = blocks.undivided(0, count // 2) if blocks else count // 2
    steps = cached_steps(layers, [half, count - 2, count - 1, count], blocks)
    divided = _DividedModel(model, encoder, embeddings, ids)
    types = _token_types(ids, prompt, embeddings.placeholder, mutual)
    own = partial(_own_logits, model, ids, {**encoder.own_inputs(ids), **types})
    runs = [(EAGER, own), *((ATTENTION_NAME, partial(divided.run, step)) for step in steps)]
    try:
        with torch.no_grad():
            expected, *rows = _results(model, len(layers), runs, stand_ins)
            logits = torch.cat(rows)
    except MODEL_ERRORS as error:
        raise RecipeError(
            f"Divided into encoder, embeddings and decoder, this model's own code fails ({type(error).__name__}: "
            f"{printable(error, 120)}), so it cannot be built."
        ) from error
    finally:
        set_attention(model, ATTENTION_NAME)
        encoder.attend()
    difference = float((logits - expected).abs().max())
    if not difference <= _TOLERANCE * max(1.0, float(expected.abs().max())):
        raise RecipeError(
            "Divided into encoder, embeddings and decoder, this model's logits differ from its own by "
            f"{difference:.2g}: it connects them in a way that Joinery does not support, so it cannot be built."
        )
    kept = np.arange(count - _AFTER, count)
    given = {name: tensor.numpy() for name, tensor in encoder.example().items()}
    return ReferenceLogits(ids[0].numpy(), kept, expected[kept].numpy(), is_routed(model), steps=_SINGLES, given=given)


def _blocks(ids: torch.Tensor, prompt: int, placeholder: int, mutual: Mutual | None) -> TokenBlocks | None:
    """Which tokens of `ids` [1,S] attend to each other; prompt: the number of the first that are one."""
    return None if mutual is None else TokenBlocks(ids[0, :prompt].tolist(), placeholder, mutual)


def _token_types(ids: torch.Tensor, prompt: int, placeholder: int, mutual: Mutual | None) -> dict[str, torch.Tensor]:
    """The same, as the model's own input says it: 1 in pictures; or 0 in the prompt, 1 behind it.

    Models with another input for it have it among those of their encoder (own_inputs).
    """
    if mutual not in ("pictures", "prompt"):
        return {}
    marked = ids == placeholder if mutual == "pictures" else torch.arange(ids.shape[1])[None] >= prompt
    return {"token_type_ids": marked.int()}


class _DividedModel:
    """The encoder, embeddings and decoder over `ids` [1,S], step by step; the first step runs the encoder."""

    def __init__(
        self,
        model: PreTrainedModel,
        encoder: FeatureEncoderModule,
        embeddings: MergedEmbeddingsModule,
        ids: torch.Tensor,
    ) -> None:
        self._model, self._encoder, self._embeddings, self._ids = model, encoder, embeddings, ids
        self._rows: dict[str, torch.Tensor] = {}
        self._positions = encoder.positions(model, ids)

    def run(self, step: CachedStep) -> torch.Tensor:
        """Logits [S,V] of a step's tokens."""
        part = slice(step.start, step.end)
        if not self._rows:
            self._encoder.attend()
            rows = self._embeddings(self._ids, self._encoder(**self._encoder.example()))
            self._rows = dict(zip(self._embeddings.outputs, rows, strict=True))
        rows = {name: value[:, part] for name, value in self._rows.items()}
        with using_adapter(step.adapter), deepstacked(self._model, rows.get(DEEPSTACK)):
            positions, beside = self._positions[..., part], rows.get(PER_LAYER)
            return run_causal(self._model, step.adapter, None, positions, embeds=rows[EMBEDS], per_layer=beside)[0]


def _results(
    model: PreTrainedModel, layers: int, runs: Sequence[Computation], stand_ins: StandIns | None
) -> list[torch.Tensor]:
    """The result of each run: layer by layer of a model of stand-ins, else one run after another."""
    if stand_ins is not None:
        return run_layerwise(model, layers, runs, stand_ins)
    results = []
    for attention, compute in runs:
        set_attention(model, attention)
        results.append(compute())
    return results


def _own_logits(model: PreTrainedModel, ids: torch.Tensor, given: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """[S,V] of the unmodified model for one text with pictures or recordings."""
    logits: torch.Tensor = model(input_ids=ids, **given, use_cache=False).logits[0]
    return logits


def _ids_around(model: PreTrainedModel, placeholder: int, first: int, second: int) -> torch.Tensor:
    """[1,S]: text, `first` placeholders, text, `second` placeholders, text."""
    vocabulary = model.get_input_embeddings().weight.shape[0]
    ids = without_special(model, torch.arange(1, _BEFORE + first + second + 2 * _AFTER + 1)[None] * 7919 % vocabulary)
    ids[ids == placeholder] = (placeholder + 1) % vocabulary
    ids[0, _BEFORE : _BEFORE + first] = placeholder
    start = _BEFORE + first + _AFTER
    ids[0, start : start + second] = placeholder
    return ids
