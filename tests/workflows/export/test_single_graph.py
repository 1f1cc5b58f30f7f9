"""A decoder's head reads the last token of each text, as transformers does, and never padding."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers

from workflows.common.errors import RecipeError
from workflows.export.signature import ExportSignature
from workflows.export.single_graph import (
    LastTokenModule,
    SingleGraphModule,
    TokenScoreModule,
    keep_rows_of_head,
    single_module,
)

PAD = 7
_SIZES: dict[str, Any] = {"vocab_size": 61, "num_labels": 3, "initializer_range": 0.4}
_LLAMA = {**_SIZES, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
_GPT2 = {**_SIZES, "n_embd": 16, "n_layer": 2, "n_head": 2}


def made(model_type: str, pad: int | None, **config: Any) -> Any:
    torch.manual_seed(3)
    settings = transformers.AutoConfig.for_model(model_type, pad_token_id=pad, **config)
    return transformers.AutoModelForSequenceClassification.from_config(settings, attn_implementation="eager").eval()


def module(model: Any) -> SingleGraphModule:
    signature = ExportSignature(outputs=["logits"])
    for name in ("input_ids", "attention_mask"):
        signature.add(name, torch.ones(1, 2, dtype=torch.long), {1: "sequence"})
    return single_module(model, signature, "text-classification", is_decoder=True)


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
        assert isinstance(module(model), LastTokenModule)
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
    with pytest.raises(RecipeError, match=r"^CTRLForSequenceClassification has a head of its own kind, which Joinery"):
        module(made("ctrl", 0, **_GPT2, dff=24))


@pytest.mark.parametrize("tokens", [(9, 30), (9,)])
@pytest.mark.parametrize("tied", [True, False])
def test_a_score_of_the_logits_of_tokens(tokens: tuple[int, ...], tied: bool) -> None:
    """Of the last token that the mask shows, after what the model does with its logits."""
    torch.manual_seed(3)
    config = transformers.Gemma2Config(
        **_LLAMA, num_key_value_heads=1, head_dim=8, final_logit_softcapping=2.0, tie_word_embeddings=tied
    )
    model = transformers.Gemma2ForCausalLM(config).eval()
    ids = torch.randint(10, 61, (1, 7), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        last = model(ids).logits[0, -1]
        keep_rows_of_head(model, tokens)
        padded = torch.cat([ids, torch.full((1, 3), 5)], 1)
        made = module(model)
        assert isinstance(made, TokenScoreModule)
        (found,) = made(padded, (torch.arange(10) < 7).long()[None])
    wanted = last[tokens[0]] - (last[tokens[1]] if len(tokens) > 1 else 0)
    assert found.shape == (1, 1) and float(found) == pytest.approx(float(wanted), abs=1e-5)
    assert abs(float(wanted)) > 0.01


def test_a_token_that_the_model_lacks_is_refused() -> None:
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**_LLAMA))
    with pytest.raises(
        RecipeError, match=r"the logit of token 61, and the model knows 61 tokens: correct config\.json"
    ):
        keep_rows_of_head(model, (9, 61))
