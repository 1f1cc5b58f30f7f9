"""What the general rule of tiny.py cannot know of a config class: values that must go together."""

from __future__ import annotations

from typing import Any

DECODERS: dict[str, dict[str, Any]] = {
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "reformer": {"attn_layers": ["local", "lsh"], "axial_pos_shape": [32, 32], "axial_pos_embds_dim": [32, 32]},
}
