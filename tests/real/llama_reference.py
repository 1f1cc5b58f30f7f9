"""llama.cpp's own reading of a GGUF file: python llama_reference.py FOLDER ASKED.json OUT.json

FOLDER: has the one file. ASKED, all of which may be left out:
rows: lists of ids, of each of which the logits [V] after the last id and after each of the next `following` are given.
prompts: lists of ids, each of which `count` greedy tokens follow. texts: those to encode, special tokens included.
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
    following = wanted.get("following", [])
    found = {
        "rows": [np.array(peer.rows(ids, following)).tolist() for ids in wanted.get("rows", [])],
        "tokens": [
            [peer.begin(ids, ends=False), *(peer.step() for _ in range(wanted["count"] - 1))]
            for ids in wanted.get("prompts", [])
        ],
        "ids": [encoded(peer, text) for text in wanted.get("texts", [])],
    }
    out.write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
