"""GGUF headers: what a true file holds, and one sentence for each that is damaged, cut or hostile."""

from __future__ import annotations

import random
import struct
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.checkpoint.gguf.making import (
    F32,
    Q8_0,
    U8,
    Tensor,
    changed_header,
    entry,
    floats,
    gguf,
    quantized,
    tensor_entry,
    text,
)
from workflows.checkpoint.gguf.header import read_gguf
from workflows.common.errors import CheckpointError

METADATA: dict[str, Any] = {"general.architecture": "llama", "a.number": 7, "a.negative": -7, "a.byte": U8(200),
                            "a.truth": True, "a.float": 0.5, "a.words": ["one", "", "drei"], "a.list": [1, 2, 3],
                            "a.empty": []}  # fmt: skip
ROWS = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32)
TENSORS: list[Tensor] = [floats("first.weight", ROWS[:3, :5]), quantized("second.weight", ROWS, Q8_0),
                         floats("third.bias", ROWS[0, :1])]  # fmt: skip


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("version", [2, 3])
def test_a_header_by_value(tmp_path: Path, version: int) -> None:
    content = gguf(METADATA, TENSORS, version)
    header = read_gguf(written(tmp_path, content))
    assert header.metadata == METADATA and list(header.tensors) == ["first.weight", "second.weight", "third.bias"]
    second = header.tensors["second.weight"]
    assert (second.shape, second.form.name, second.bytes) == ((4, 64), "Q8_0", 4 * 2 * 34)
    for name, _, _, data in TENSORS:
        one = header.tensors[name]
        assert content[one.offset : one.offset + one.bytes] == data
    assert header.end <= len(content) < header.end + 32


def test_an_alignment_of_its_own(tmp_path: Path) -> None:
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + entry("general.alignment", 64) + tensor_entry("t", (2,), F32, 64)
    content = head + bytes(-len(head) % 64) + bytes(64) + struct.pack("<2f", 1, 2)
    one = read_gguf(written(tmp_path, content)).tensors["t"]
    assert struct.unpack("<2f", content[one.offset : one.offset + one.bytes]) == (1.0, 2.0)


def start(tensors: int = 1, entries: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries)


def of_tensor(name: str = "t", shape: tuple[int, ...] = (4,), kind: int = F32, offset: int = 0) -> bytes:
    head = start() + tensor_entry(name, shape, kind, offset)
    return head + bytes(-len(head) % 32) + bytes(64)


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is not a GGUF file"),
    "another file": (b"\x80\x02}q\x00" * 10, "is not a GGUF file"),
    "version 1": (start(version=1) + bytes(100), "of version 1, and versions 2 and 3"),
    "big-endian": (start(version=3 << 24) + bytes(100), "in big-endian order"),
    "2^60 tensors": (start(1 << 60) + bytes(100), "announces 1152921504606846976 tensors"),
    "2^64 - 1 entries": (start(1, (1 << 64) - 1) + bytes(100), "announces 1 tensors and 18446744073709551615"),
    "a key of 2^50": (start(0, 1) + struct.pack("<Q", 1 << 50) + bytes(100), "a key is 1125899906842624 bytes long"),
    "a text beyond the end": (start(0, 1) + text("k") + struct.pack("<IQ", 8, 4000) + bytes(99), "cut short"),
    "a list of 2^40": (
        start(0, 1) + text("k") + struct.pack("<IIQ", 9, 4, 1 << 40) + bytes(99),
        "the array 'k' of 1099511627776 entries is larger than any vocabulary",
    ),
    "texts beyond the end": (
        start(0, 1) + text("k") + struct.pack("<IIQ", 9, 8, 1 << 20) + bytes(99),
        "announces the array 'k' of 1048576 entries and ends before",
    ),
    "lists of lists": (start(0, 1) + text("k") + struct.pack("<IIQ", 9, 9, 1) + bytes(99), "of the unknown type 9"),
    "an unknown type": (start(0, 1) + text("k") + struct.pack("<I", 77) + bytes(99), "of the unknown type 77"),
    "a key twice": (start(0, 2) + entry("k", 1) * 2 + bytes(99), "its metadata has 'k' twice"),
    "a key that is no text": (start(0, 1) + text(b"\xff\xfe") + bytes(99), "a key is no text"),
    "no alignment": (start(0, 1) + entry("general.alignment", 0) + bytes(99), "its alignment is 0"),
    "no axes": (of_tensor(shape=()), "its tensor 't' has 0 axes"),
    "five axes": (of_tensor(shape=(1, 1, 1, 1, 4)), "its tensor 't' has 5 axes"),
    "2^62 numbers": (of_tensor(shape=(1 << 31, 1 << 31)), "its tensor 't' has the shape"),
    "an axis of 0": (of_tensor(shape=(0, 4)), "its tensor 't' has the shape [0, 4]"),
    "beyond the end": (of_tensor(shape=(400,)), "its data ends before tensor 't' does, so it is cut short"),
    "an offset of 2^63": (of_tensor(offset=1 << 63), "its data ends before tensor 't' does"),
    "between places": (of_tensor(offset=4), "begins at 4, which is no multiple of 32"),
    "parts of blocks": (of_tensor(kind=Q8_0), "rows of 4 numbers, no whole blocks of 32 as Q8_0 has"),
    "a form not read": (of_tensor(kind=16), "'t' in the form IQ2_XXS, which is not read"),
    "an unknown form": (of_tensor(kind=99), "'t' in the form number 99"),
    "a name twice": (
        start(2) + tensor_entry("t", (4,), F32, 0) + tensor_entry("t", (4,), F32, 32) + bytes(200),
        "it has the tensor 't' twice",
    ),
    "one in another": (
        start(2) + tensor_entry("t", (16,), F32, 0) + tensor_entry("u", (4,), F32, 32) + bytes(200),
        "its tensors 't' and 'u' overlap",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_sentence_for_each(name: str, tmp_path: Path) -> None:
    content, expected = HOSTILE[name]
    tracemalloc.start()
    with pytest.raises(CheckpointError) as refused:
        read_gguf(written(tmp_path, content))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    sentence = str(refused.value)
    assert expected in sentence and sentence.endswith(".") and "\n" not in sentence
    assert peak < 1 << 20, "nothing is allocated because a header says so"


def test_a_cut_file_says_so_wherever_it_ends(tmp_path: Path) -> None:
    content = gguf(METADATA, TENSORS)
    end = read_gguf(written(tmp_path, content)).end
    for length in range(0, end, 7):
        with pytest.raises(CheckpointError, match=r"is damaged: .*\.$|is not a GGUF file"):
            read_gguf(written(tmp_path, content[:length]))


def test_mutants_are_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    content, refused, began = gguf(METADATA, TENSORS), 0, time.monotonic()
    for seed in range(300):
        try:
            header = read_gguf(written(tmp_path, changed_header(content, random.Random(seed))))
        except CheckpointError as error:
            refused += 1
            assert str(error).endswith(".") and "\n" not in str(error)
        else:
            assert all(one.offset + one.bytes <= len(content) + 120 for one in header.tensors.values())
    assert refused > 150 and time.monotonic() - began < 60


def test_the_name_that_comes_twice_is_looked_for_once(tmp_path: Path) -> None:
    """Among 40,000 tensors: with a look at all before each, a file of 200 MB would keep the window for hours."""
    count = 40_000
    names = [*(f"t{number}" for number in range(count - 1)), "t7"]
    entries = b"".join(tensor_entry(name, (8,), F32, 32 * place) for place, name in enumerate(names))
    with pytest.raises(CheckpointError, match="it has the tensor 't7' twice"):
        read_gguf(written(tmp_path, start(count) + entries + bytes(32 * (count + 1))))
