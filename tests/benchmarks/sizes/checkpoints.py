"""Random checkpoints of real shapes, written tensor by tensor into shards: memory does not grow with the model.

    Shape ──tensors──▶ name, shape ──by the size of a shard──▶ model-0000i-of-0000n.safetensors, the index, config.json

A tensor's numbers depend on its name and the seed alone, so they are the same in any division into shards.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

from tests.benchmarks.peers.checkpoint import DEMO, TOKENIZER, VOCABULARY

SHARD_BYTES = 1_000_000_000
DEVIATION = 0.02
_AT_ONCE = 1 << 23
"""Numbers that are made at once: 32 MB in float32."""
Tensor = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Shape:
    """The sizes of a Qwen3 decoder; with experts, a Qwen3-MoE one whose `inner` is that of each expert."""

    name: str
    layers: int
    hidden: int
    inner: int
    heads: int
    kv_heads: int
    tied: bool = True
    experts: int = 0
    experts_per_token: int = 8
    head: int = 128
    vocabulary: int = VOCABULARY

    def config(self) -> dict[str, Any]:
        """The content of config.json."""
        kind = ("qwen3_moe", "Qwen3MoeForCausalLM") if self.experts else ("qwen3", "Qwen3ForCausalLM")
        experts = {
            "num_experts": self.experts, "num_experts_per_tok": self.experts_per_token, "norm_topk_prob": True,
            "moe_intermediate_size": self.inner, "decoder_sparse_step": 1, "mlp_only_layers": [],
        }  # fmt: skip
        return {
            "model_type": kind[0], "architectures": [kind[1]], "dtype": "bfloat16", "hidden_act": "silu",
            "vocab_size": self.vocabulary, "hidden_size": self.hidden, "num_hidden_layers": self.layers,
            "intermediate_size": self.inner, "num_attention_heads": self.heads, "head_dim": self.head,
            "num_key_value_heads": self.kv_heads, "max_position_embeddings": 40_960, "rms_norm_eps": 1e-6,
            "rope_theta": 1e6, "rope_scaling": None, "tie_word_embeddings": self.tied, "attention_bias": False,
            "bos_token_id": None, "eos_token_id": 2, "pad_token_id": 0, **(experts if self.experts else {}),
        }  # fmt: skip

    def tensors(self) -> Iterator[Tensor]:
        """Name and shape of each stored tensor, in the order of the layers."""
        yield "model.embed_tokens.weight", (self.vocabulary, self.hidden)
        for layer in range(self.layers):
            yield from self._layer(f"model.layers.{layer}.")
        yield "model.norm.weight", (self.hidden,)
        if not self.tied:
            yield "lm_head.weight", (self.vocabulary, self.hidden)

    def _layer(self, at: str) -> Iterator[Tensor]:
        yield at + "input_layernorm.weight", (self.hidden,)
        for name, heads in (("q", self.heads), ("k", self.kv_heads), ("v", self.kv_heads)):
            yield f"{at}self_attn.{name}_proj.weight", (heads * self.head, self.hidden)
        yield at + "self_attn.o_proj.weight", (self.hidden, self.heads * self.head)
        for name in ("q_norm", "k_norm"):
            yield f"{at}self_attn.{name}.weight", (self.head,)
        yield at + "post_attention_layernorm.weight", (self.hidden,)
        if self.experts:
            yield at + "mlp.gate.weight", (self.experts, self.hidden)
        for place in (f"experts.{expert}." for expert in range(self.experts)) if self.experts else ("",):
            yield f"{at}mlp.{place}gate_proj.weight", (self.inner, self.hidden)
            yield f"{at}mlp.{place}up_proj.weight", (self.inner, self.hidden)
            yield f"{at}mlp.{place}down_proj.weight", (self.hidden, self.inner)

    @property
    def parameters(self) -> int:
        """The number of stored numbers."""
        return sum(math.prod(shape) for _, shape in self.tensors())


class HybridShape(Shape):
    """The sizes of a Qwen3.5 decoder: three layers with recurrent state for each with keys and values."""

    def config(self) -> dict[str, Any]:
        kinds = ["linear_attention", "linear_attention", "linear_attention", "full_attention"]
        return {
            "model_type": "qwen3_5_text", "architectures": ["Qwen3_5ForCausalLM"], "dtype": "bfloat16",
            "vocab_size": self.vocabulary, "hidden_size": self.hidden, "num_hidden_layers": self.layers,
            "intermediate_size": self.inner, "num_attention_heads": self.heads, "num_key_value_heads": self.kv_heads,
            "head_dim": self.head, "layer_types": (kinds * self.layers)[: self.layers], "linear_num_key_heads": 16,
            "linear_num_value_heads": 16, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
            "max_position_embeddings": 32_768, "tie_word_embeddings": self.tied, "bos_token_id": None,
            "eos_token_id": 2, "pad_token_id": 0,
        }  # fmt: skip

    def tensors(self) -> Iterator[Tensor]:
        return _tensors_of(self, AutoModelForCausalLM)


class PictureShape(Shape):
    """The sizes of a Qwen2.5-VL decoder, whose encoder of pictures has the released size: 0.67 billion parameters."""

    def config(self) -> dict[str, Any]:
        vision = {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16,
                  "out_hidden_size": self.hidden, "fullatt_block_indexes": [7, 15, 23, 31]}  # fmt: skip
        text = {
            "model_type": "qwen2_5_vl_text", "vocab_size": self.vocabulary, "hidden_size": self.hidden,
            "num_hidden_layers": self.layers, "intermediate_size": self.inner, "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads, "max_position_embeddings": 32_768, "rms_norm_eps": 1e-6,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [16, 24, 24]},
        }  # fmt: skip
        return {
            "model_type": "qwen2_5_vl", "architectures": ["Qwen2_5_VLForConditionalGeneration"], "dtype": "bfloat16",
            "text_config": text, "vision_config": vision, "tie_word_embeddings": self.tied, "image_token_id": 1005,
            "video_token_id": 1006, "vision_start_token_id": 1003, "vision_end_token_id": 1004,
        }  # fmt: skip

    def tensors(self) -> Iterator[Tensor]:
        return _tensors_of(self, AutoModelForImageTextToText)


def _tensors_of(shape: Shape, auto: Any) -> Iterator[Tensor]:
    """Those of transformers' own model."""
    config = AutoConfig.for_model(**shape.config())
    with torch.device("meta"):
        model = auto.from_config(config)
    for name, tensor in model.state_dict().items():
        if not (shape.tied and name == "lm_head.weight"):
            yield name, tuple(tensor.shape)


SHAPES = {
    one.name: one
    for one in (
        Shape("0.6B", 28, 1024, 3072, 16, 8),
        Shape("1.7B", 28, 2048, 6144, 16, 8),
        Shape("4B", 36, 2560, 9728, 32, 8),
        Shape("8B", 36, 4096, 12288, 32, 8, tied=False),
        Shape("moe-30B", 48, 2048, 768, 32, 4, tied=False, experts=128),
        HybridShape("hybrid-0.8B", 24, 1024, 3584, 8, 2, head=256, vocabulary=248_320),
        PictureShape("vl-3B", 36, 2048, 11008, 16, 2),
        PictureShape("vl-7B", 28, 3584, 18944, 28, 4, tied=False, vocabulary=152_064),
    )
}


def shape_of(name: str, layers: int | None) -> Shape:
    """One of SHAPES, with fewer layers where `layers` says so; its name then has their number."""
    shape = SHAPES[name]
    return replace(shape, layers=layers, name=f"{name}-{layers}-layers") if layers else shape


def write_checkpoint(folder: Path, shape: Shape, seed: int = 0, shard_bytes: int = SHARD_BYTES) -> Path:
    """Writes the checkpoint in bfloat16; one that is there already is whole and stays.

    shard_bytes: the most that a shard holds, unless it holds one tensor.
    """
    if folder.exists():
        return folder
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    shards = _divided(shape, shard_bytes)
    places = {}
    for number, shard in enumerate(shards, 1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        with (part / name).open("wb") as file:
            _write_shard(file, shard, seed)
        places |= {tensor: name for tensor, _ in shard}
    index = {"metadata": {"total_size": 2 * shape.parameters}, "weight_map": places}
    (part / "model.safetensors.index.json").write_text(json.dumps(index, indent=1), "utf-8")
    (part / "config.json").write_text(json.dumps(shape.config(), indent=1), "utf-8")
    for name in TOKENIZER:
        shutil.copy(DEMO / name, part / name)
    part.rename(folder)
    return folder


def _divided(shape: Shape, limit: int) -> list[list[Tensor]]:
    shards: list[list[Tensor]] = []
    size = limit
    for name, dims in shape.tensors():
        length = 2 * math.prod(dims)
        if size + length > limit:
            shards.append([])
            size = 0
        shards[-1].append((name, dims))
        size += length
    return shards


def _write_shard(file: IO[bytes], shard: list[Tensor], seed: int) -> None:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, dims in shard:
        begin, end = end, end + 2 * math.prod(dims)
        header[name] = {"dtype": "BF16", "shape": dims, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # the data are aligned, as the library writes them
    file.write(len(text).to_bytes(8, "little") + text)
    for name, dims in shard:
        for values in numbers(name, math.prod(dims), seed):
            file.write(values.view(torch.int16).numpy().data)


def numbers(name: str, count: int, seed: int) -> Iterator[torch.Tensor]:
    """The bfloat16 numbers of a tensor, in pieces [n]: ones for a norm, else normal with DEVIATION."""
    generator = torch.Generator()
    generator.manual_seed(int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:7], "big"))
    for begin in range(0, count, _AT_ONCE):
        piece = torch.ones(min(_AT_ONCE, count - begin))
        if "norm" not in name:
            piece.normal_(0.0, DEVIATION, generator=generator)
        yield piece.bfloat16()
