"""Run by a Python that has optimum-onnx: tiny random models, their exports, and what eager Hugging Face makes of them.

    python optimum_export.py FOLDER ──▶ FOLDER/<name>/: checkpoint/, onnx/, truth.npz (prompts, tokens, logits)
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from optimum.exporters.onnx import main_export
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

VOCABULARY, NEW = 256, 24
LENGTHS = (1, 7, 63, 64, 65, 100)
IDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2, "decoder_start_token_id": 0}


def llama() -> LlamaForCausalLM:
    config = LlamaConfig(vocab_size=VOCABULARY, hidden_size=64, intermediate_size=96, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256,
                         pad_token_id=0, bos_token_id=2, eos_token_id=1)  # fmt: skip
    return LlamaForCausalLM(config)


def t5() -> T5ForConditionalGeneration:
    config = T5Config(vocab_size=VOCABULARY, d_model=64, d_kv=16, d_ff=96, num_layers=2, num_heads=4, **IDS)
    return T5ForConditionalGeneration(config)


def bart() -> BartForConditionalGeneration:
    config = BartConfig(vocab_size=VOCABULARY, d_model=64, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=96,
                        decoder_ffn_dim=96, encoder_attention_heads=4, decoder_attention_heads=4,
                        max_position_embeddings=256, forced_eos_token_id=None, **IDS)  # fmt: skip
    return BartForConditionalGeneration(config)


MODELS = {
    "llama": (llama, "text-generation-with-past", {}),
    "llama-legacy": (llama, "text-generation-with-past", {"legacy": True}),
    "t5": (t5, "text2text-generation-with-past", {}),
    "t5-two-file": (t5, "text2text-generation-with-past", {"no_post_process": True}),
    "bart": (bart, "text2text-generation-with-past", {}),
}


def prompt_of(length: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(length).integers(3, VOCABULARY, length)]


@torch.no_grad()
def truth_of(model: torch.nn.Module, prompt: list[int]) -> tuple[list[int], np.ndarray]:
    """Greedy tokens and the logits of each [NEW, V], over the whole sequence anew each time, without any cache."""
    behind = model.config.is_encoder_decoder
    source, ids, rows = torch.tensor([prompt]), [IDS["decoder_start_token_id"]] if behind else list(prompt), []
    for _ in range(NEW):
        given = torch.tensor([ids])
        out = model(input_ids=source, decoder_input_ids=given) if behind else model(input_ids=given)
        rows.append(out.logits[0, -1].numpy().astype(np.float32))
        ids.append(int(rows[-1].argmax()))
    return ids[-NEW:], np.stack(rows)


def main(folder: Path) -> None:
    for name, (make, task, options) in MODELS.items():
        torch.manual_seed(0)
        model, own = make().eval(), folder / name
        for weight in model.parameters():
            torch.nn.init.normal_(weight, std=0.15)  # the usual start gives nearly one token throughout
        model.save_pretrained(own / "checkpoint")
        found = {}
        for length in LENGTHS:
            tokens, logits = truth_of(model, prompt_of(length))
            found |= {f"{length}.prompt": prompt_of(length), f"{length}.tokens": tokens, f"{length}.logits": logits}
        np.savez(own / "truth.npz", **found)
        main_export(str(own / "checkpoint"), own / "onnx", task=task, do_validation=False, **options)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
