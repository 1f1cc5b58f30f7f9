"""A folder of BERT as llama.cpp's converter writes it (conversion/bert.py), in a form of choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from tests.workflows.checkpoint.gguf.making import F32, I32, Tensor, blocks_of_32, floats, write_gguf

F16 = 1
_OUTSIDE = {"embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
            "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm"}  # fmt: skip
_LAYER = {"attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
          "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
          "intermediate.dense": "ffn_up", "output.dense": "ffn_down",
          "output.LayerNorm": "layer_output_norm"}  # fmt: skip
_SPECIAL = {"unknown": "[UNK]", "seperator": "[SEP]", "padding": "[PAD]", "cls": "[CLS]", "mask": "[MASK]"}


def write_bert(path: Path, folder: Path, kind: int = F32, **changes: Any) -> Path:
    """The folder's model, matrices in the form `kind`. changes: of metadata, dots as __; None takes an entry away."""
    metadata = {**_facts(folder), **{name.replace("__", "."): value for name, value in changes.items()}}
    return write_gguf(
        path, {name: value for name, value in metadata.items() if value is not None}, _tensors(folder, kind)
    )


def _facts(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    ids = tokenizer["model"]["vocab"]
    control = {one["content"] for one in tokenizer["added_tokens"]}
    pieces = sorted(ids, key=ids.__getitem__)
    facts = {
        "block_count": config["num_hidden_layers"],
        "context_length": config["max_position_embeddings"],
        "embedding_length": config["hidden_size"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": config["num_attention_heads"],
        "attention.layer_norm_epsilon": config["layer_norm_eps"],
        "attention.causal": False,
        "pooling_type": 1,
    }
    return {
        "general.architecture": "bert",
        **{f"bert.{name}": value for name, value in facts.items()},
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.pre": "jina-v2-en",
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.tokens": [one if one in control else _phantom(one) for one in pieces],
        "tokenizer.ggml.token_type": [I32(3 if one in control else 1) for one in pieces],
        **{f"tokenizer.ggml.{name}_token_id": ids[token] for name, token in _SPECIAL.items()},
    }


def _phantom(piece: str) -> str:
    return piece[2:] if piece.startswith("##") else f"▁{piece}"


def _tensors(folder: Path, kind: int) -> list[Tensor]:
    tensors = []
    for name, array in load_file(folder / "model.safetensors").items():
        whole, _, last = name.removeprefix("bert.").rpartition(".")
        if whole == "pooler.dense" or last == "position_ids":
            continue
        layer = whole.removeprefix("encoder.layer.").split(".", 1)
        stored = _OUTSIDE.get(whole) or f"blk.{layer[0]}.{_LAYER[layer[1]]}"
        tensors.append(_tensor(f"{stored}.{last}", array.astype(np.float32), kind))
    return tensors


def _tensor(name: str, array: Any, kind: int) -> Tensor:
    """Vectors, and the tables of positions and kinds, are float32 whatever the form."""
    if array.ndim < 2 or kind == F32 or name.startswith(("position_embd", "token_types")):
        return floats(name, array)
    content = array.astype(np.float16).tobytes() if kind == F16 else blocks_of_32(array, kind)
    return name, array.shape, kind, content
