"""The transformer-only variant: embeddings, transformer and head as separate components, in operators of NPUs.

    input_ids ─▶ embeddings ─▶ inputs_embeds ─▶ transformer ─▶ hidden_states ─▶ head ─▶ logits
                                                  ▲ past │ present

In the transformer, GroupQueryAttention applies rotary positions, norms are LpNormalization, and projections are 1×1
Conv. The model's modules are replaced one by one, and the result is compared with the model's original logits; run
eagerly, each replacement computes the same values.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPast

from workflows.common.errors import RecipeError, printable
from workflows.export.attention import MODEL_ERRORS, KeyValueRows, LayerFacts, using_adapter, windows_of
from workflows.export.decoder import past_tensors, present_tensors, run_causal
from workflows.export.in_place import GroupQueryAdapter, rotate_next
from workflows.export.signature import ExportSignature, past_names, transformer_signature

_TOLERANCE = 1e-3  # of the largest logit: float32 in another summation order
_REFUSED = "The transformer-only variant cannot be built from this model: "


class EmbeddingsModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """input_ids [1,S] → inputs_embeds [1,S,E]."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.table = model.get_input_embeddings()

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        embeds: torch.Tensor = self.table(input_ids)
        return embeds


class HeadModule(torch.nn.Module):  # type: ignore[misc]
    """hidden_states [1,S,E] → logits [1,S,V]: everything after the decoder, including scales and caps."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = copy.copy(model)
        self.model._modules = {**model._modules, model.base_model_prefix: _PassThroughDecoder()}

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(inputs_embeds=hidden_states, use_cache=False).logits
        return logits


class _PassThroughDecoder(torch.nn.Module):  # type: ignore[misc]
    """Replaces the decoder and returns its input."""

    def forward(self, *_ids: None, inputs_embeds: torch.Tensor, **_: object) -> BaseModelOutputWithPast:
        return BaseModelOutputWithPast(last_hidden_state=inputs_embeds)


class TransformerModule(torch.nn.Module):  # type: ignore[misc]
    """inputs_embeds [1,S,E] · seqlens_k [1] · total_sequence_length [] · past [1,H,C,D] → hidden_states · present."""

    def __init__(self, model: PreTrainedModel, signature: ExportSignature, layers: Sequence[LayerFacts]) -> None:
        super().__init__()
        self.decoder, self.names, self.layers = model.base_model, list(signature.inputs), tuple(layers)

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        by_name = dict(zip(self.names, inputs, strict=True))
        embeds = by_name["inputs_embeds"]
        adapter = GroupQueryAdapter(
            **past_tensors(by_name, self.layers),
            lengths=(by_name["seqlens_k"], by_name["total_sequence_length"]),
            windows=windows_of(self.layers),
        )
        sequence = embeds.shape[1]
        unused = torch.zeros(1, 1, sequence, sequence)  # as in run_causal
        with using_adapter(adapter):
            hidden = self.decoder(
                inputs_embeds=embeds,
                position_ids=torch.arange(sequence)[None],  # unused: the operator derives positions
                attention_mask=unused,
                past_key_values=adapter,
                use_cache=True,
            ).last_hidden_state
        return hidden, *present_tensors(adapter, self.layers)


class LpNorm(torch.nn.Module):  # type: ignore[misc]
    """RMSNorm as LpNormalization: x·w / rms(x) = √n·w · x / ‖x‖₂.

    RMSNorm adds ε to the mean of squares, which the operator cannot: a column of √(n·ε) beside x adds it to the norm.
    """

    def __init__(self, norm: torch.nn.Module) -> None:
        super().__init__()
        size, epsilon = norm.weight.shape[0], _epsilon(norm)
        # the norm of ones gives the scale, whether the model multiplies by w or by 1 + w
        scale = norm(torch.ones(1, size))[0] * math.sqrt(1 + epsilon)
        self.edge = math.sqrt(size * epsilon)
        self.weight = torch.nn.Parameter(scale * math.sqrt(size), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[…, n] → […, n]."""
        edged = torch.nn.functional.pad(x, (0, 1), value=self.edge)
        if torch.onnx.is_in_onnx_export():
            normed = torch.onnx.ops.symbolic(
                "LpNormalization", (edged,), {"axis": -1, "p": 2}, dtype=x.dtype, shape=edged.shape, version=22
            )
        else:
            normed = edged / edged.norm(dim=-1, keepdim=True)
        return normed[..., :-1] * self.weight


class PointwiseConv(torch.nn.Module):  # type: ignore[misc]
    """A linear projection as a 1×1 convolution over [1,n,1,S]."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(linear.weight[:, :, None, None], requires_grad=False)
        self.bias = linear.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[1,S,n] → [1,S,m]."""
        columns = x.transpose(1, 2).unsqueeze(2)
        return torch.nn.functional.conv2d(columns, self.weight, self.bias).squeeze(2).transpose(1, 2)


class _RotaryTables(torch.nn.Module):  # type: ignore[misc]
    """Replaces the model's rotary embedding and leaves the rotation to attention.

    It returns factors for which q·cos + rotate(q)·sin is q; a layer that multiplies by them notifies the adapter, which
    passes the tables to the operator. Models may use tables of several kinds (`kind`: their own arguments).
    """

    def __init__(self, rotary: torch.nn.Module, positions: int) -> None:
        super().__init__()
        self._rotary, self._positions = [rotary], positions  # in a list: its buffers are not part of the graph
        self._kinds: dict[str, tuple[_RotaryFactor, _RotaryFactor]] = {}

    def forward(self, *args: object, **named: object) -> tuple[_RotaryFactor, _RotaryFactor]:
        kind = [*args[2:], *(value for name, value in named.items() if name != "position_ids")]
        if str(kind) not in self._kinds:
            self._kinds[str(kind)] = self._factors(kind)
        return self._kinds[str(kind)]

    def _factors(self, kind: list[object]) -> tuple[_RotaryFactor, _RotaryFactor]:
        cos, sin = self._rotary[0](torch.zeros(1, 1, 1), torch.arange(self._positions)[None], *kind)
        half = cos.shape[-1] // 2
        tables = cos[0, :, :half].contiguous(), sin[0, :, :half].contiguous()
        return _RotaryFactor(cos.shape, tables), _RotaryFactor(cos.shape, None)


class _RotaryFactor:
    """Cos (with the tables) or sin as a factor that adds no node to the graph."""

    def __init__(self, shape: tuple[int, ...], tables: KeyValueRows | None) -> None:
        self.shape, self._tables = shape, tables

    def unsqueeze(self, _: int) -> _RotaryFactor:
        return self

    def __rmul__(self, other: torch.Tensor) -> Any:
        if self._tables is None:
            return self
        rotate_next(self._tables)
        return other

    def __radd__(self, other: torch.Tensor) -> torch.Tensor:  # `other`: q·cos; self: the product with sin
        return other


def cut_transformer(
    model: PreTrainedModel, signature: ExportSignature, layers: Sequence[LayerFacts], positions: int
) -> tuple[EmbeddingsModule, TransformerModule, HeadModule]:
    """The three components of `model`, whose decoder is permanently modified; positions: rows of the rotary tables.

    Raises RecipeError with the reason where the variant cannot be built from the model.
    """
    if any(layer.biased for layer in layers):
        raise RecipeError(f"{_REFUSED}its positions are a bias of its attention, and not rotary.")
    if any(layer.reads is not None for layer in layers):
        raise RecipeError(f"{_REFUSED}some of its layers attend to another layer's keys.")
    _check_rotary(model.base_model)
    ids = torch.arange(1, 7)[None] % model.get_input_embeddings().weight.shape[0]
    with torch.no_grad():
        wanted = _plain_logits(model, ids, layers)
        _replace_modules(model.base_model, positions)
        parts = EmbeddingsModule(model), TransformerModule(model, signature, layers).eval(), HeadModule(model)
        try:
            got = _logits(parts, ids, layers)
        except MODEL_ERRORS as error:
            raise RecipeError(f"{_REFUSED}it rotates its queries in another way ({printable(error, 120)}).") from error
    if not torch.allclose(got, wanted, rtol=0, atol=_TOLERANCE * float(wanted.abs().max())):
        off = float((got - wanted).abs().max())
        raise RecipeError(f"{_REFUSED}rebuilt, its logits differ by {off:.3g}, so its attention is of another kind.")
    return parts


def _check_rotary(decoder: PreTrainedModel) -> None:
    rotary = getattr(decoder, "rotary_emb", None)
    if rotary is None:
        raise RecipeError(f"{_REFUSED}it has no rotary positions, which GroupQueryAttention would apply.")
    kinds = getattr(rotary, "rope_type", "default")
    if {"dynamic", "longrope"} & set(kinds.values() if isinstance(kinds, dict) else [kinds]):
        raise RecipeError(f"{_REFUSED}its rotary positions change with the length, and tables are fixed.")


def _replace_modules(decoder: PreTrainedModel, positions: int) -> None:
    decoder.rotary_emb = _RotaryTables(decoder.rotary_emb, positions)
    for name, module in list(decoder.named_modules()):
        if isinstance(module, torch.nn.Linear):
            decoder.set_submodule(name, PointwiseConv(module))
        elif type(module).__name__.endswith("RMSNorm"):
            decoder.set_submodule(name, LpNorm(module))


def _epsilon(norm: torch.nn.Module) -> float:
    for name in ("variance_epsilon", "eps", "epsilon"):
        if hasattr(norm, name):
            return float(getattr(norm, name))
    raise RecipeError(f"{_REFUSED}its {type(norm).__name__} names no epsilon.")


def _plain_logits(model: PreTrainedModel, ids: torch.Tensor, layers: Sequence[LayerFacts]) -> torch.Tensor:
    """[1,S,V]: the logits of the unmodified model, over an empty cache."""
    count = ids.shape[1]
    empty = past_tensors(_empty(layers, count), layers)
    adapter = GroupQueryAdapter(**empty, lengths=_lengths(count), windows=windows_of(layers))
    with using_adapter(adapter):
        return run_causal(model, adapter, ids, torch.arange(count)[None])


def _logits(
    parts: tuple[EmbeddingsModule, TransformerModule, HeadModule], ids: torch.Tensor, layers: Sequence[LayerFacts]
) -> torch.Tensor:
    """[1,S,V]: the logits of the components, the last token in a separate step."""
    embeddings, transformer, head = parts
    count = ids.shape[1]
    state = [*_empty(layers, count).values()]
    hidden = []
    for first, last in ((0, count - 1), (count - 1, count)):
        fresh, *state = transformer(embeddings(ids[:, first:last]), *_lengths(last), *state)
        hidden.append(fresh)
    return head(torch.cat(hidden, dim=1))


def _empty(layers: Sequence[LayerFacts], slots: int) -> dict[str, torch.Tensor]:
    """The past tensors of an empty cache of `slots` slots, by name in the signature's order."""
    signature = transformer_signature(layers, 1, torch.float32)
    past = {name: tensor for name, tensor in signature.inputs.items() if name in past_names(layers)}
    return {
        name: torch.zeros(tuple(slots if i in signature.axes[name] else size for i, size in enumerate(tensor.shape)))
        for name, tensor in past.items()
    }


def _lengths(valid: int) -> KeyValueRows:
    """seqlens_k and total_sequence_length."""
    return torch.tensor([valid - 1], dtype=torch.int32), torch.tensor(valid, dtype=torch.int32)
