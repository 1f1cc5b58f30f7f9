"""A decoder's head reads the last token of each text, as transformers does, and never padding."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers

from workflows.common.errors import RecipeError
from workflows.export.signature import ExportSignature
from workflows.export.single_graph import LastTokenModule, single_module

PAD = 7
_SIZES: dict[str, Any] = {"vocab_size": 61, "num_labels": 3, "initializer_range": 0.4}
_LLAMA = {**_SIZES, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
_GPT2 = {**_SIZES, "n_embd": 16, "n_layer": 2, "n_head": 2}


def made(model_type: str, pad: int | None, **config: Any) -> Any:
    torch.manual_seed(3)
    settings = transformers.AutoConfig.for_model(model_type, pad_token_id=pad, **config)
    return transformers.AutoModelForSequenceClassification.from_config(settings, attn_implementation="eager").eval()


def module(model: Any) -> LastTokenModule:
    signature = ExportSignature(outputs=["logits"])
    for name in ("input_ids", "attention_mask"):
        signature.add(name, torch.ones(1, 2, dtype=torch.long), {1: "sequence"})
    found = single_module(model, signature, "text-classification", is_decoder=True)
    assert isinstance(found, LastTokenModule)
    return found


@pytest.mark.parametrize(("model_type", "config"), [("llama", _LLAMA), ("gpt2", _GPT2)])
@pytest.mark.parametrize("pad", [PAD, None])
def test_texts_of_different_lengths_in_a_batch(model_type: str, config: dict[str, Any], pad: int | None) -> None:
    """transformers alone takes each; padding is any token that the mask hides."""
    model = made(model_type, pad, **config)
    lengths, width = (1, 2, 5, 9), 9
    ids = torch.randint(10, 61, (len(lengths), width), generator=torch.Generator().manual_seed(1))
    mask = (torch.arange(width) < torch.tensor(lengths)[:, None]).long()
    with torch.no_grad():
        wanted = torch.cat([model(ids[i : i + 1, :n]).logits for i, n in enumerate(lengths)])
        padded = torch.where(mask.bool(), ids, PAD if pad is not None else 0)
        (found,) = module(model)(padded, mask)
        (other,) = module(model)(torch.where(mask.bool(), ids, 11), mask)
    assert torch.allclose(found, wanted, atol=1e-5) and torch.allclose(other, wanted, atol=1e-5)
    assert float(wanted.std(0).min()) > 0.01


def test_a_text_that_ends_with_the_padding_token() -> None:
    """transformers passes over it, as it cannot be told from padding."""
    model = made("llama", PAD, **_LLAMA)
    ids = torch.tensor([[20, 30, 40, PAD, PAD]])
    with torch.no_grad():
        (found,) = module(model)(ids, torch.ones_like(ids))
        assert torch.allclose(found, model(ids).logits, atol=1e-6)
        assert not torch.allclose(found, made("llama", None, **_LLAMA)(ids).logits, atol=1e-2)


def test_a_head_of_another_kind_is_refused() -> None:
    with pytest.raises(RecipeError, match="^CTRLForSequenceClassification has a head of its own kind, which Joinery"):
        module(made("ctrl", 0, **_GPT2, dff=24))
