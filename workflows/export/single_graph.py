"""A model as a single graph without a cache.

tokens   input_ids [B,S] · attention_mask [B,S] (1 visible, 0 padding) · token_type_ids [B,S] if the model has types
             ──▶ last_hidden_state [B,S,H] · logits [B,S,V] or [B,labels], of a decoder by its last token
pixels   pixel_values [1,C,H,W] ──▶ logits [1,labels] · last_hidden_state · predicted_depth [1,H,W] · field_of_view
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature as parameters_of

import torch
from transformers import PreTrainedModel

from workflows.common.errors import RecipeError
from workflows.common.tensor_names import IDS, MASK, PIXELS
from workflows.export.picture_size import PictureSize, picture_channels
from workflows.export.signature import BATCH, SEQUENCE, ExportSignature
from workflows.recipe.cut import Component

HEIGHT, WIDTH = "height", "width"


class SingleGraphModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """The model with inputs and outputs in the signature's order."""

    def __init__(self, model: PreTrainedModel, signature: ExportSignature) -> None:
        super().__init__()
        self.model, self.names, self.outputs = model, list(signature.inputs), signature.outputs
        model.config.use_cache = False  # of a decoder, whose cache nothing would read

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        output = self.model(**dict(zip(self.names, inputs, strict=True)), return_dict=True)
        return tuple(output[name] for name in self.outputs)


class LastTokenModule(SingleGraphModule):
    """A decoder whose head reads the last token of each text.

    transformers takes the last one that is not the padding token, or of one text without such a token its last. This
    takes the same, and never one that the mask hides.
    """

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """→ logits [B,labels]."""
        given = dict(zip(self.names, inputs, strict=True))
        hidden = self.model.base_model(**given, return_dict=True).last_hidden_state
        ids, seen = given[IDS], given[MASK]
        padding = self.model.config.get_text_config().pad_token_id
        if padding is not None:
            seen = seen * (ids != padding).to(seen.dtype)
        last = (seen * torch.arange(ids.shape[1])).amax(-1)  # [B]
        places = last[:, None, None].expand(-1, 1, hidden.shape[2])
        return (self.model.score(hidden.gather(1, places).squeeze(1)),)


class TokenRows(torch.nn.Linear):  # type: ignore[misc]  # torch is not type-checked here
    """The rows of a head for a few tokens."""


def keep_rows_of_head(
    model: PreTrainedModel, tokens: Sequence[int], read: Callable[[torch.Tensor], torch.Tensor] = torch.Tensor.detach
) -> None:
    """Makes the head of a causal LM give the logits of `tokens` alone. read: the numbers of a weight.

    Raises RecipeError for an id that it lacks.
    """
    head = model.get_output_embeddings()
    if max(tokens) >= len(head.weight):
        raise RecipeError(
            f"The score is made of the logit of token {max(tokens)}, and the model knows {len(head.weight):,} tokens: "
            "correct config.json of the module LogitScore."
        )
    rows = TokenRows(head.weight.shape[1], len(tokens), bias=head.bias is not None).requires_grad_(False)
    rows.weight.copy_(read(head.weight)[list(tokens)])
    if head.bias is not None:
        rows.bias.copy_(head.bias.detach()[list(tokens)])
    model.set_output_embeddings(rows)


class TokenScoreModule(SingleGraphModule):
    """A causal LM that scores one text by the logit of a token after it, less that of another if there are two."""

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """→ logits [1,1]."""
        given = dict(zip(self.names, inputs, strict=True))
        last = (given[MASK] * torch.arange(given[IDS].shape[1])).amax(-1)  # [1]
        logits = self.model(**given, logits_to_keep=last, return_dict=True).logits[:, 0]
        return (logits[:, :1] - logits[:, 1:] if logits.shape[1] > 1 else logits,)


def single_module(model: PreTrainedModel, signature: ExportSignature, task: str, is_decoder: bool) -> SingleGraphModule:
    """The module of `task`. Raises RecipeError for a decoder with a head of another kind than transformers' `score`."""
    if not is_decoder or task != "text-classification":
        return SingleGraphModule(model, signature)
    if ranks_by_tokens(model):
        if "logits_to_keep" not in parameters_of(model.forward).parameters:
            raise RecipeError(f"{type(model).__name__} gives no logits of one token alone, which its score is made of.")
        return TokenScoreModule(model, signature)
    if not isinstance(getattr(model, "score", None), torch.nn.Linear):
        raise RecipeError(
            f"{type(model).__name__} has a head of its own kind, which Joinery does not know: it builds decoders whose "
            "labels come from the last token."
        )
    return LastTokenModule(model, signature)


def ranks_by_tokens(model: PreTrainedModel) -> bool:
    """Whether its head gives the logits of a few tokens, which are a score."""
    return isinstance(model.get_output_embeddings(), TokenRows)


def picture_signature(model: PreTrainedModel, part: Component, size: PictureSize) -> ExportSignature:
    """The signature of a graph that reads one picture of `size`.

    Includes the part's outputs, and the model's own: the field of view of a camera.
    """
    signature = ExportSignature(outputs=[*part.own_outputs])
    if getattr(model.config, "use_fov_model", False):  # DepthPro: depth in metres needs the field of view
        signature.outputs.append("field_of_view")
    axes = {2: HEIGHT, 3: WIDTH} if size.any_size else {}
    signature.add(PIXELS, torch.zeros(1, picture_channels(model.config), size.height, size.width), axes)
    return signature


def single_signature(model: PreTrainedModel, part: Component) -> ExportSignature:
    """The signature of a graph that reads any number of texts and tokens.

    Rotary positions of these models have one row for all texts, which the ONNX operator does not repeat: one text.
    Includes the part's inputs and outputs, and the model's own: token types.
    """
    signature = ExportSignature(outputs=[*part.own_outputs])
    names = [*part.own_inputs]
    if "token_type_ids" in parameters_of(model.forward).parameters and getattr(model.config, "type_vocab_size", 0) > 1:
        names.append("token_type_ids")
    rotary = any("Rotary" in type(module).__name__ for module in model.modules())
    rows, axes = (1, {1: SEQUENCE}) if rotary or ranks_by_tokens(model) else (2, {0: BATCH, 1: SEQUENCE})
    for name in names:
        signature.add(name, torch.full((rows, 7), int(name == MASK), dtype=torch.long), axes)
    return signature
