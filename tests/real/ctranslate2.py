"""A Whisper in CTranslate2's form → a checkpoint of transformers.

    model.bin:  version, name, revision, count │ per variable: name, axes, sizes, type, bytes, data      little-endian

CTranslate2 joins the projections of one input (query, key and value; key and value of the encoder's output), and gives
keys no bias, as Whisper. Form: CTranslate2's python/ctranslate2/specs/model_spec.py.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

_TYPES = (np.float32, np.int8, np.int16, np.int32, np.float16)
_END, _START = 50256, 50257  # <|endoftext|>, <|startoftranscript|> of the English models
_WORDS = {"tokenizer_class": "WhisperTokenizer", "add_prefix_space": False, "model_max_length": 1024,
          **dict.fromkeys(("bos_token", "eos_token", "unk_token", "pad_token"), "<|endoftext|>")}  # fmt: skip


def read_variables(path: Path) -> dict[str, np.ndarray]:
    """The arrays by their names, such as `encoder/layer_0/ffn/linear_0/weight`."""
    content, place = path.read_bytes(), 0

    def take(kind: str) -> int:
        nonlocal place
        (value,) = struct.unpack_from(f"<{kind}", content, place)
        place += struct.calcsize(kind)
        return int(value)

    def text() -> str:
        nonlocal place
        length = take("H")
        place += length
        return content[place - length : place].rstrip(b"\0").decode()

    take("I"), text(), take("I")
    found: dict[str, np.ndarray] = {}
    for _ in range(take("I")):
        name = text()
        shape, kind, size = [take("I") for _ in range(take("B"))], take("B"), take("I")
        found[name] = np.frombuffer(content, _TYPES[kind], offset=place, count=size // np.dtype(_TYPES[kind]).itemsize)
        found[name] = found[name].reshape(shape)
        place += size
    return found


def _linear(name: str, found: Mapping[str, np.ndarray], into: Mapping[str, str]) -> Iterator[tuple[str, np.ndarray]]:
    """One stored projection as the several that it joins. into: their names → which of weight and bias each has."""
    weights = np.split(found[f"{name}/weight"], len(into))
    biases = np.split(found[f"{name}/bias"], len(into))
    for (target, parts), weight, bias in zip(into.items(), weights, biases, strict=True):
        yield f"{target}.weight", weight
        if "b" in parts:
            yield f"{target}.bias", bias


def _norm(name: str, found: Mapping[str, np.ndarray], target: str) -> Iterator[tuple[str, np.ndarray]]:
    yield f"{target}.weight", found[f"{name}/gamma"]
    yield f"{target}.bias", found[f"{name}/beta"]


def _attention(
    name: str, found: Mapping[str, np.ndarray], target: str, *, cross: bool
) -> Iterator[tuple[str, np.ndarray]]:
    query, key, value, out = ({f"{target}.{one}_proj": "wb"} for one in ("q", "k", "v", "out"))
    key = dict.fromkeys(key, "w")
    if cross:
        yield from _linear(f"{name}/linear_0", found, query)
        yield from _linear(f"{name}/linear_1", found, key | value)
    else:
        yield from _linear(f"{name}/linear_0", found, query | key | value)
    yield from _linear(f"{name}/linear_{2 if cross else 1}", found, out)
    yield from _norm(f"{name}/layer_norm", found, f"{target}_layer_norm")


def _tensors(found: Mapping[str, np.ndarray], layers: int) -> Iterator[tuple[str, np.ndarray]]:
    """The model's tensors by transformers' names."""
    for convolution in ("conv1", "conv2"):
        for part in ("weight", "bias"):
            yield f"model.encoder.{convolution}.{part}", found[f"encoder/{convolution}/{part}"]
    yield "model.decoder.embed_tokens.weight", found["decoder/embeddings/weight"]
    yield "proj_out.weight", found["decoder/embeddings/weight"]
    for side in ("encoder", "decoder"):
        yield f"model.{side}.embed_positions.weight", found[f"{side}/position_encodings/encodings"]
        yield from _norm(f"{side}/layer_norm", found, f"model.{side}.layer_norm")
        for layer in range(layers):
            name, target = f"{side}/layer_{layer}", f"model.{side}.layers.{layer}"
            yield from _attention(f"{name}/self_attention", found, f"{target}.self_attn", cross=False)
            if side == "decoder":
                yield from _attention(f"{name}/attention", found, f"{target}.encoder_attn", cross=True)
            for part in (0, 1):
                yield from _linear(f"{name}/ffn/linear_{part}", found, {f"{target}.fc{part + 1}": "wb"})
            yield from _norm(f"{name}/ffn/layer_norm", found, f"{target}.final_layer_norm")


def write_whisper(source: Path, target: Path) -> None:
    """Converts the folder of a tiny.en."""
    found = read_variables(source / "model.bin")
    settings: dict[str, Any] = json.loads((source / "config.json").read_text("utf-8"))
    width, layers = found["decoder/embeddings/weight"].shape[1], 4
    ids = {"bos_token_id": _END, "eos_token_id": _END, "pad_token_id": _END, "decoder_start_token_id": _START}
    config = transformers.WhisperConfig(
        vocab_size=found["decoder/embeddings/weight"].shape[0], d_model=width, encoder_layers=layers,
        decoder_layers=layers, encoder_attention_heads=6, decoder_attention_heads=6, encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width, num_mel_bins=80, max_source_positions=1500, max_target_positions=448,
        suppress_tokens=None, begin_suppress_tokens=[220, _END], **ids,
    )  # fmt: skip
    model = transformers.WhisperForConditionalGeneration(config)
    tensors = {name: torch.from_numpy(array.astype(np.float32)) for name, array in _tensors(found, layers)}
    model.load_state_dict(tensors)  # all of them, and no others
    model.generation_config = transformers.GenerationConfig(
        max_length=448, is_multilingual=False, no_timestamps_token_id=50362, prev_sot_token_id=50360,
        suppress_tokens=settings["suppress_ids"], begin_suppress_tokens=[220, _END], return_timestamps=False,
        alignment_heads=settings["alignment_heads"], max_initial_timestamp_index=50, **ids,
    )  # fmt: skip
    model.half().save_pretrained(target)
    transformers.WhisperFeatureExtractor(feature_size=80).save_pretrained(target)
    shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
    (target / "tokenizer_config.json").write_text(json.dumps(_WORDS) + "\n", "utf-8")
