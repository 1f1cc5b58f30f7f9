"""The checkpoints that are measured: one of Qwen3-0.6B's shape with random weights, and the trained demo."""

from __future__ import annotations

import shutil
from pathlib import Path

DEMO = Path(__file__).parents[3] / "resources" / "demos" / "qwen3"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
VOCABULARY = 151_936
LAYERS = 28


def make_shape(folder: Path, layers: int = LAYERS) -> Path:
    """Qwen3-0.6B's shape in fp16: tied, seeded, with the demo's tokenizer; about 1.2 GB. Kept where it is whole.

    layers: fewer than its own for what takes too long with all of them.
    """
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    if (folder / "model.safetensors").exists():
        return folder
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=1024,
        intermediate_size=3072,
        num_hidden_layers=layers,
        num_attention_heads=16,
        num_key_value_heads=8,
        head_dim=128,
        max_position_embeddings=40_960,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=2,
        pad_token_id=0,
        rope_parameters={"rope_type": "default", "rope_theta": 1e6},
    )
    part = folder.with_suffix(".part")
    Qwen3ForCausalLM(config).half().save_pretrained(part)
    for name in TOKENIZER:
        shutil.copy(DEMO / name, part / name)
    part.rename(folder)
    return folder
