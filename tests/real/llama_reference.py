"""llama.cpp's own reading of a GGUF file: python llama_reference.py FOLDER ASKED.json OUT.npz

FOLDER: has the one file. ASKED: {"ids", "following" or "count", "texts"}: of `ids` the logits [V] after the last one
and after each of `following`, or of `count` greedy tokens but the last. texts: those to encode, with special tokens.
OUT: tokens [n] that followed, rows [n,V] that they were chosen by, and the ids of each text as JSON.
"""

from __future__ import annotations

import json
import sys
from ctypes import c_bool, c_char_p, c_int32, c_void_p
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


def main(folder: str, asked: Path, out: Path) -> None:
    peer, wanted = LlamaCpp(), json.loads(asked.read_text("utf-8"))
    peer.open(folder, 512)
    tokens, rows, fed = list(wanted.get("following", [])), [], wanted["ids"]
    for place in range(wanted.get("count", len(tokens) + 1)):
        rows.append(peer._feed(fed).copy())
        if place == len(tokens):
            tokens.append(int(rows[-1].argmax()))
        fed = [tokens[place]]
    texts = [encoded(peer, text) for text in wanted.get("texts", [])]
    np.savez(out, tokens=tokens, rows=np.array(rows), texts=json.dumps(texts))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
