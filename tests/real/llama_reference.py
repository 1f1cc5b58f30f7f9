"""llama.cpp's own reading of a GGUF file: python llama_reference.py FOLDER ASKED.json OUT.npz

FOLDER: has the one file. ASKED: {"ids", "following" or "count", "texts"}: of `ids` the logits [V] after the last one
and after each of `following`, or of `count` greedy tokens but the last. texts: those to encode, with special tokens.
embed: texts whose vectors to make. OUT: tokens [n] that followed, rows [n,V] that they were chosen by, the ids of each
text as JSON, and vectors [m,H], pooled as the file says and not of length 1.
"""

from __future__ import annotations

import json
import sys
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int32, c_void_p
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks" / "peers" / "engines"))

from run_llama import LlamaCpp

_MOST = 4096  # tokens of a text


def encoded(peer: LlamaCpp, text: str) -> list[int]:
    """The ids of a text, special tokens by their names, with those that the model wants around it."""
    content, ids = text.encode(), np.empty(_MOST, np.int32)
    tokenize = peer._lib.llama_tokenize
    tokenize.restype = c_int32
    tokenize.argtypes = [c_void_p, c_char_p, c_int32, c_void_p, c_int32, c_bool, c_bool]
    count = tokenize(peer._vocabulary, content, len(content), ids.ctypes.data, _MOST, True, True)
    return [int(one) for one in ids[:count]]


def embedded(peer: LlamaCpp, text: str) -> list[float]:
    """The vector of a text."""
    library, ids = peer._lib, np.asarray(encoded(peer, text), np.int32)
    library.llama_set_embeddings.argtypes = [c_void_p, c_bool]
    library.llama_get_embeddings_seq.argtypes = [c_void_p, c_int32]
    library.llama_get_embeddings_seq.restype = POINTER(c_float)
    library.llama_model_n_embd.argtypes = library.llama_get_model.argtypes = [c_void_p]
    library.llama_get_model.restype = c_void_p
    library.llama_set_embeddings(peer._context, True)
    if library.llama_decode(peer._context, library.llama_batch_get_one(ids.ctypes.data, len(ids))):
        raise OSError("llama.cpp does not read the text.")
    size = library.llama_model_n_embd(library.llama_get_model(peer._context))
    return [float(one) for one in library.llama_get_embeddings_seq(peer._context, 0)[:size]]


def main(folder: str, asked: Path, out: Path) -> None:
    peer, wanted = LlamaCpp(), json.loads(asked.read_text("utf-8"))
    peer.open(folder, 512)
    tokens, rows, fed = list(wanted.get("following", [])), [], wanted.get("ids", [])
    for place in range(wanted.get("count", len(tokens) + 1)):
        rows.append(peer._feed(fed).copy())
        if place == len(tokens):
            tokens.append(int(rows[-1].argmax()))
        fed = [tokens[place]]
    texts = [encoded(peer, text) for text in wanted.get("texts", [])]
    vectors = [embedded(peer, text) for text in wanted.get("embed", [])]
    np.savez(out, tokens=tokens, rows=np.array(rows), texts=json.dumps(texts), vectors=np.array(vectors, np.float32))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
