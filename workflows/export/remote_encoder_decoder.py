"""Encoder-decoder models with their own code, such as Mu: their own attention, but transformers' cache.

Requirements on the code, and what is detected by running it once:

    the encoder takes `input_ids` and a boolean `attention_mask` [1,T] and returns `last_hidden_state`
    the decoder's self-attention calls `update` of its cache, and takes a 4-D additive mask
    `position_id` are absolute positions, so keys may be in any slots
    cross-attention projects the source in a method `project_source(hidden) -> (key, value)`, which the encoder
    component calls once; a decoder without a cache is refused
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from workflows.common.errors import RecipeError
from workflows.common.tensor_names import CROSS_KEY, CROSS_VALUE, MASK
from workflows.export.attention import BaseCacheAdapter, KeyValueRows, LayerFacts, ProbeCacheAdapter
from workflows.export.decoder import DecoderModule
from workflows.export.signature import ExportSignature


class RemoteEncoderModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """The encoder, and the source projections of every cross-attention."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model
        self._cross = [name for name, _ in cross_attentions(model)]

    def forward(self, input_ids: torch.Tensor, source_mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """→ key and value of layer 0, key and value of layer 1 …"""
        seen = source_mask[:, 0, 0, :] >= 0
        with _whole_masks():
            hidden = self.model.get_encoder()(input_ids, attention_mask=seen).last_hidden_state
        modules = dict(self.model.get_decoder().named_modules())
        return tuple(tensor for name in self._cross for tensor in modules[name].project_source(hidden))


class RemoteDecoderModule(DecoderModule):
    """The decoder, whose cross-attentions take their keys and values as inputs."""

    def __init__(self, model: PreTrainedModel, signature: ExportSignature, layers: Sequence[LayerFacts]) -> None:
        super().__init__(model, signature, layers)
        self._cross = [module for _, module in cross_attentions(model)]

    def run(self, adapter: BaseCacheAdapter, by_name: dict[str, torch.Tensor]) -> torch.Tensor:
        cross = [(by_name[CROSS_KEY % i], by_name[CROSS_VALUE % i]) for i in range(len(self.layers))]
        with _whole_masks(), _replaced_projections(self._cross, cross):
            return run_remote(
                self.model, adapter, by_name["input_ids"], by_name["position_ids"], by_name[MASK], by_name
            )


def run_remote(
    model: PreTrainedModel,
    adapter: BaseCacheAdapter,
    ids: torch.Tensor,
    positions: torch.Tensor,
    mask: torch.Tensor,
    by_name: dict[str, torch.Tensor],
) -> torch.Tensor:
    """Logits [1,S,V]; of the encoder's output only the shape is used."""
    source_mask = by_name["source_mask"]
    hidden = torch.zeros(1, source_mask.shape[3], _width(model))
    arguments = {
        "encoder_outputs": BaseModelOutput(last_hidden_state=hidden),
        "attention_mask": source_mask[:, 0, 0, :] >= 0,
        "decoder_input_ids": ids,
        "decoder_attention_mask": mask,
        "position_id": positions,
        "position_ids": positions,
        "past_key_values": adapter,
        "cache_position": positions[0],
        "use_cache": True,
    }
    known = inspect.signature(model.forward).parameters
    output = model(**{name: value for name, value in arguments.items() if name in known})
    logits: torch.Tensor = output.logits
    return logits


def remote_layers(model: PreTrainedModel) -> tuple[LayerFacts, ...]:
    """The decoder's self-attention layers. Raises RecipeError where it has no cache."""
    adapter = ProbeCacheAdapter()
    with torch.no_grad():
        ids = torch.zeros(1, 1, dtype=torch.long)
        run_remote(model, adapter, ids, ids, torch.zeros(1, 1, 1, 1), {"source_mask": torch.zeros(1, 1, 1, 2)})
    if sorted(adapter.present) != list(range(len(adapter.present))) or not adapter.present:
        raise RecipeError(
            "This model's own code does not pass a cache to its decoder, so no KV cache can be fitted to it."
        )
    if len(adapter.present) != len(cross_attentions(model)):
        raise RecipeError(
            "This model's own code does not offer project_source for each layer's cross-attention, so its source "
            "cannot be projected once."
        )
    rows = [adapter.present[layer] for layer in sorted(adapter.present)]
    return tuple(LayerFacts(key.shape[1], key.shape[3], value.shape[3], None) for key, value in rows)


def cross_attentions(model: PreTrainedModel) -> list[tuple[str, torch.nn.Module]]:
    """The decoder's modules that project the source, by name, in execution order."""
    called: list[str] = []
    hidden = torch.zeros(1, 2, _width(model))
    with (
        _observed_projections(model, lambda name, states: called.append(name) if states is hidden else None),
        torch.no_grad(),
    ):
        model.get_decoder()(torch.zeros(1, 1, dtype=torch.long), encoder_hidden_states=hidden)
    modules = dict(model.get_decoder().named_modules())
    return [(name, modules[name]) for name in called]


def _width(model: PreTrainedModel) -> int:
    """The encoder's hidden size; the config key differs between such models."""
    return int(model.get_input_embeddings().weight.shape[1])


@contextmanager
def _whole_masks() -> Iterator[None]:
    """Expands the mask to a row for each query: onnxruntime's Attention does not broadcast a single row."""
    plain = torch.nn.functional.scaled_dot_product_attention

    def attend(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        **terms: object,
    ) -> torch.Tensor:
        if attn_mask is not None and attn_mask.dim() == 4 and attn_mask.shape[2] == 1:
            attn_mask = attn_mask.expand(-1, -1, query.shape[2], -1)
        return plain(query, key, value, attn_mask=attn_mask, **terms)

    torch.nn.functional.scaled_dot_product_attention = attend
    try:
        yield
    finally:
        torch.nn.functional.scaled_dot_product_attention = plain


@contextmanager
def _observed_projections(model: PreTrainedModel, note: Callable[[str, torch.Tensor], None]) -> Iterator[None]:
    """Calls note(module name, states) at each `project_source`."""
    watched = [(name, m) for name, m in model.get_decoder().named_modules() if hasattr(m, "project_source")]
    for name, module in watched:
        module.project_source = _observed_projection(name, module.project_source, note)
    try:
        yield
    finally:
        for _, module in watched:
            del module.project_source


def _observed_projection(
    name: str, project: Callable[[torch.Tensor], KeyValueRows], note: Callable[[str, torch.Tensor], None]
) -> Callable[[torch.Tensor], KeyValueRows]:
    def project_source(states: torch.Tensor) -> KeyValueRows:
        note(name, states)
        return project(states)

    return project_source


@contextmanager
def _replaced_projections(modules: Sequence[torch.nn.Module], cross: Sequence[KeyValueRows]) -> Iterator[None]:
    """Makes module i project to cross[i], whatever the source."""
    for module, rows in zip(modules, cross, strict=True):
        module.project_source = lambda states, rows=rows: rows
    try:
        yield
    finally:
        for module in modules:
            del module.project_source
