"""The children's end of the protocol, by an engine that counts; and the file that is made for llama.cpp."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.benchmarks.peers.checkpoint import DEMO
from tests.benchmarks.peers.engines import lines
from tests.benchmarks.peers.environments import PROGRAMS


class Counting(lines.Peer):
    """Each token is the one before it, plus one."""

    def open(self, folder: str, capacity: int) -> None:
        self.last = 0

    def begin(self, ids: Sequence[int], ends: bool) -> int:
        self.last = ids[-1]
        return self.step()

    def step(self) -> int:
        self.last += 1
        return self.last

    def rows(self, prompt: Sequence[int], following: Sequence[int]) -> list[NDArray[np.float32]]:
        return [np.float32([token, 0]) for token in (prompt[-1], *following)]


def test_a_run_gives_its_tokens_and_a_time_each() -> None:
    found = lines.answer(Counting(), {"do": "run", "ids": [5, 7], "new": 3, "ends": None})
    assert found["ids"] == [8, 9, 10] and len(found["ms"]) == 3


def test_a_run_ends_with_the_end_token() -> None:
    assert lines.answer(Counting(), {"do": "run", "ids": [7], "new": 9, "ends": 9})["ids"] == [8, 9]


def test_logits_of_all_texts_are_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "logits.npy"
    texts = [[2, [1, 2, 3]], [1, [9]]]
    assert lines.answer(Counting(), {"do": "logits", "texts": texts, "path": str(file)}) == {"rows": 3}
    assert np.load(file).tolist() == [[2, 0], [3, 0], [9, 0]]


def test_an_unknown_job_is_named() -> None:
    with pytest.raises(ValueError, match="'dance'"):
        lines.answer(Counting(), {"do": "dance"})


def test_the_file_for_llama_has_the_demo_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gguf = pytest.importorskip("gguf", reason="it is in the environment of llama.cpp alone")
    monkeypatch.syspath_prepend(str(PROGRAMS))
    make = __import__("make_gguf")
    from safetensors.numpy import load_file

    make.write(DEMO, tmp_path / "demo.gguf", np.float16)
    reader = gguf.GGUFReader(tmp_path / "demo.gguf")
    found = {one.name: gguf.quants.dequantize(one.data, one.tensor_type) for one in reader.tensors}
    source = load_file(DEMO / "model.safetensors")
    assert len(found) == len(source)
    for name, array in source.items():
        np.testing.assert_array_equal(found[make.gguf_name(name)], array.astype(np.float32))
    config = json.loads((DEMO / "config.json").read_text())
    assert reader.fields["qwen3.block_count"].contents() == config["num_hidden_layers"]
