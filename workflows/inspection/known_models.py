"""Well-known open models, described without a file of theirs: their sizes give each tensor's shape.

resources/known_models.json ──sizes of a config──▶ shapes of the tensors ──▶ Checkpoint, for the estimates of a build
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.tokenizer import TokenizerInfo
from workflows.checkpoint.weights import TensorInfo

FILE = "known_models.json"
_NO_FOLDER = Path("/nonexistent")
_PUBLISHED_BYTES = 2  # of a weight: these models are published in bfloat16
_ONE_PROJECTION = ("phi3",)  # model types with one weight for queries, keys and values, and one for gate and up
_HEAD_NORMS = ("qwen3", "qwen3_moe", "gemma3_text")  # those that normalize queries and keys
_FOUR_NORMS = ("gemma3_text",)
Shapes = Iterator[tuple[str, tuple[int, ...]]]


@cache
def known_models() -> tuple[Checkpoint, ...]:
    """The models as checkpoints without files, the smallest first."""
    text = (resources.files("resources") / FILE).read_text("utf-8")
    return tuple(sorted((_checkpoint(**one) for one in json.loads(text)), key=lambda model: model.parameters))


def _checkpoint(name: str, config: dict[str, Any]) -> Checkpoint:
    shapes = dict(_decoder_shapes(config))
    tensors = {key: TensorInfo("BF16", shape, "", _PUBLISHED_BYTES * math.prod(shape)) for key, shape in shapes.items()}
    parameters = sum(map(math.prod, shapes.values()))
    return Checkpoint(
        source=name,
        kind="hub",
        folder=_NO_FOLDER,
        root=_NO_FOLDER,
        weights_folder=_NO_FOLDER,
        revision="",
        config=config,
        generation_config={},
        model_type=config["model_type"],
        architectures=(),
        tensors=tensors,
        dtype="BF16",
        parameters=parameters,
        weights_bytes=_PUBLISHED_BYTES * parameters,
        tokenizer=TokenizerInfo("bpe", config["vocab_size"], chat_template=True, fast=True),
        eos_token_ids=(),
        bos_token_id=None,
        pad_token_id=None,
        remote_code={},
    )


def _decoder_shapes(config: dict[str, Any]) -> Shapes:
    """The tensors of a decoder as its published files name them; shapes as torch has them, [out, in]."""
    table = config["vocab_size"], config["hidden_size"]
    yield "model.embed_tokens.weight", table
    for layer in range(config["num_hidden_layers"]):
        for name, shape in (*_attention(config), *_feed_forward(config), *_norms(config)):
            yield f"model.layers.{layer}.{name}.weight", shape
    yield "model.norm.weight", table[1:]
    if not config["tie_word_embeddings"]:
        yield "lm_head.weight", table


def _attention(config: dict[str, Any]) -> Shapes:
    hidden, size = config["hidden_size"], config["head_dim"]
    queries, keys = size * config["num_attention_heads"], size * config["num_key_value_heads"]
    if config["model_type"] in _ONE_PROJECTION:
        yield "self_attn.qkv_proj", (queries + 2 * keys, hidden)
    else:
        yield "self_attn.q_proj", (queries, hidden)
        yield "self_attn.k_proj", (keys, hidden)
        yield "self_attn.v_proj", (keys, hidden)
    yield "self_attn.o_proj", (hidden, queries)


def _feed_forward(config: dict[str, Any]) -> Shapes:
    hidden, experts = config["hidden_size"], config.get("num_experts", 0)
    if experts:
        yield "mlp.gate", (experts, hidden)
    inner = config["moe_intermediate_size"] if experts else config["intermediate_size"]
    for block in [f"mlp.experts.{one}" for one in range(experts)] or ["mlp"]:
        if config["model_type"] in _ONE_PROJECTION:
            yield f"{block}.gate_up_proj", (2 * inner, hidden)
        else:
            yield f"{block}.gate_proj", (inner, hidden)
            yield f"{block}.up_proj", (inner, hidden)
        yield f"{block}.down_proj", (hidden, inner)


def _norms(config: dict[str, Any]) -> Shapes:
    names = ["input_layernorm", "post_attention_layernorm"]
    if config["model_type"] in _FOUR_NORMS:
        names += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
    for name in names:
        yield name, (config["hidden_size"],)
    if config["model_type"] in _HEAD_NORMS:
        for name in ("self_attn.q_norm", "self_attn.k_norm"):
            yield name, (config["head_dim"],)
