"""Makes the files of sentence-transformers for a GGUF model that makes vectors of texts.

    bert.pooling_type 1, 2, 3 ──make_pooling──▶ modules.json, 1_Pooling/config.json

The file says how vectors of tokens become one, and no more. Vectors have length 1, as those that llama.cpp's programs
give unless they are told otherwise; a linear layer after the pooling would be a tensor of its own, which is refused.
"""

from __future__ import annotations

from typing import Any

from workflows.checkpoint.configuration import CONFIG
from workflows.checkpoint.gguf.model import GgufModel
from workflows.checkpoint.sentence_transformers import MODULES
from workflows.common.errors import printable

_MODES = {1: "mean", 2: "cls", 3: "lasttoken"}  # llama_pooling_type
_FOLDERS = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}


def make_pooling(model: GgufModel) -> dict[str, Any]:
    """The files by their names in the folder; empty for a model without pooling. Raises CheckpointError."""
    kind = model.integer("pooling_type", 0)
    if not kind:
        return {}
    if kind not in _MODES:
        what = "ranks pairs of texts by a head" if kind == 4 else f"has the pooling {printable(kind, 24)}"
        raise model.error(f"it {what}, which is not read from GGUF")
    modules = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{name}"}
        for place, (name, path) in enumerate(_FOLDERS.items())
    ]
    pooling = {"word_embedding_dimension": model.integer("embedding_length"), "pooling_mode": _MODES[kind]}
    return {MODULES: modules, f"{_FOLDERS['Pooling']}/{CONFIG}": pooling}
