"""Quantized checkpoints as packages write them to safetensors: GPTQ, AWQ, compressed-tensors and others.

quantization_settings ──▶ methods.present_quantized ──▶ {name: TensorInfo} with packed weights
                                                         │ block_rows.BlockRows
                                                         ▼
                                         Blocks: integers, scales, zero points
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workflows.checkpoint.configuration import read_optional

# the rest imports numpy, which no other checkpoint needs to be opened
# of AutoGPTQ and AutoAWQ, before config.json had the settings, and the layers of quanto
SETTINGS_FILES = {"quantize_config.json": "gptq", "quant_config.json": "awq", "quanto_qmap.json": "quanto"}


def quantization_settings(folder: Path, config: Mapping[str, object]) -> dict[str, object]:
    """What config.json, or an older file beside it, says of a quantized checkpoint; empty for any other."""
    own = config.get("quantization_config") or config.get("compression_config")
    if own:
        return own if isinstance(own, dict) else {"quant_method": str(own)}
    for name, method in SETTINGS_FILES.items():
        if settings := read_optional(folder, name):
            return {"quant_method": method, **settings}
    return {}
