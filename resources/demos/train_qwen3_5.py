"""Train the hybrid demo: `python -m resources.demos.train_qwen3_5` from the root of the checkout.

A Qwen3.5 of four layers, of which three keep a state of fixed size (a convolution and a gated delta rule) and the last
keeps keys and values; on the same corpus with the same tokens as the Qwen3 demo. Seeded; nothing is downloaded.
"""

from functools import partial
from pathlib import Path

from transformers import Qwen2Tokenizer, Qwen3_5ForCausalLM, Qwen3_5TextConfig
from transformers.models.qwen3_5 import modeling_qwen3_5

from resources.demos.qwen3_samples import MAX_LENGTH
from resources.demos.qwen3_siblings import train_sibling

FOLDER = Path(__file__).parent / "qwen3_5"
CHUNK = 32  # transformers pads to chunks of 64, and most samples are shorter
STEPS = 3_600


def new_model(tokenizer: Qwen2Tokenizer) -> Qwen3_5ForCausalLM:
    """A Qwen3.5 with random weights; the key head of its linear attention serves two value heads."""
    config = Qwen3_5TextConfig(
        vocab_size=len(tokenizer),
        hidden_size=96,
        intermediate_size=256,
        num_hidden_layers=4,
        layer_types=["linear_attention"] * 3 + ["full_attention"],
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=32,
        linear_num_key_heads=1,
        linear_num_value_heads=2,
        linear_key_head_dim=32,
        linear_value_head_dim=32,
        linear_conv_kernel_dim=4,
        max_position_embeddings=MAX_LENGTH,
        rope_parameters={
            "rope_type": "default",
            "rope_theta": 1_000_000.0,
            "partial_rotary_factor": 0.25,
            "mrope_section": [2, 1, 1],
            "mrope_interleaved": True,
        },
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3_5ForCausalLM(config)


def main() -> None:
    """Train, save and evaluate."""
    rule = modeling_qwen3_5.torch_chunk_gated_delta_rule
    modeling_qwen3_5.torch_chunk_gated_delta_rule = partial(rule, chunk_size=CHUNK)
    train_sibling(new_model, FOLDER, STEPS)


if __name__ == "__main__":
    main()
