"""A Qwen3 checkpoint → GGUF in fp16 → llama.cpp's own Q4_0, its tied table in Q6_K as llama.cpp does it.

    python make_gguf.py CHECKPOINT OUT [fp32]

fp32: one file in that precision instead.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
from gguf_names import gguf_name
from numpy.typing import NDArray

Q4_0 = 2  # llama_ftype
_FTYPE = 4  # offset in llama_model_quantize_params, whose default is 7, Q8_0


def tensors(folder: Path) -> Iterator[tuple[str, NDArray[np.float32 | np.float16]]]:
    """Every tensor of the checkpoint by GGUF's name, as it is stored."""
    from safetensors import safe_open

    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(file, "np") as opened:
            for name in opened.keys():  # noqa: SIM118  it is no mapping
                yield gguf_name(name), opened.get_tensor(name)


def write(folder: Path, out: Path, kind: type[np.floating]) -> None:
    """Writes `out`: matrices in `kind`, vectors in fp32."""
    config = json.loads((folder / "config.json").read_text())
    writer = gguf.GGUFWriter(out, "qwen3")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_file_type(gguf.LlamaFileType.ALL_F32 if kind is np.float32 else gguf.LlamaFileType.MOSTLY_F16)
    add_tokenizer(writer, folder, config["vocab_size"], config["eos_token_id"])
    for name, array in tensors(folder):
        writer.add_tensor(name, array.astype(kind if array.ndim > 1 else np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_tokenizer(writer: gguf.GGUFWriter, folder: Path, size: int, end: int) -> None:
    """The byte-pair tokenizer, with words of no meaning for the ids that the checkpoint's does not reach."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    words = [f"[PAD{index}]" for index in range(size)]
    kinds = [gguf.TokenType.UNUSED] * size
    for word, index in tokenizer["model"]["vocab"].items():
        words[index], kinds[index] = word, gguf.TokenType.NORMAL
    for added in tokenizer["added_tokens"]:
        words[added["id"]], kinds[added["id"]] = added["content"], gguf.TokenType.CONTROL
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in tokenizer["model"]["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(words)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_eos_token_id(end)
    writer.add_add_bos_token(False)


def main() -> None:
    """Writes OUT/model.gguf."""
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True)
    if sys.argv[3:] == ["fp32"]:
        write(source, out / "model.gguf", np.float32)
        return
    from run_llama import load

    half = out / "half.part"
    write(source, half, np.float16)
    library = load()
    asked = library.llama_model_quantize_default_params()
    asked.put(_FTYPE, Q4_0, 7)
    failed = library.llama_model_quantize(str(half).encode(), str(out / "model.gguf").encode(), ctypes.byref(asked))
    half.unlink()
    if failed:
        raise SystemExit(f"llama_model_quantize gave {failed}.")


if __name__ == "__main__":
    main()
