"""The integers of GGUF's blocks: the numbers that transformers' own code makes of the same bytes, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers.integrations.gguf.dequant import GGML_BLOCK, dequantize

from workflows.checkpoint.gguf.forms import BLOCK_FORMS, FORMS, ordered_rows, unpack

NUMBERS = {form.name: number for number, form in FORMS.items()}


def random_blocks(name: str, count: int = 64) -> np.ndarray:
    """Blocks of any bits, with scales that are finite."""
    form = FORMS[NUMBERS[name]]
    blocks = np.random.default_rng(NUMBERS[name]).integers(0, 256, (count, form.bytes), np.uint8)
    halves = {"Q2_K": (80, 82), "Q3_K": (108,), "Q6_K": (208,), "MXFP4": ()}.get(name, (0, 2))
    for start in halves:
        blocks[:, start + 1] &= 0x3F  # a float16 below 2
    return blocks


@pytest.mark.parametrize("number", sorted({*GGML_BLOCK} & {*FORMS}))
def test_numbers_are_those_of_transformers(number: int) -> None:
    form = FORMS[number]
    assert (form.elements, form.bytes) == GGML_BLOCK[number]
    blocks = random_blocks(form.name)
    theirs = dequantize(torch.from_numpy(blocks.reshape(-1)), number).numpy()
    ours = unpack(form.dtype, blocks.tobytes()).values()
    assert np.isfinite(theirs).all() and np.ptp(theirs) > 0
    np.testing.assert_array_equal(ours.reshape(-1), theirs)


@pytest.mark.parametrize(("name", "minimum"), [("Q5_0", False), ("Q5_1", True)])
def test_five_bits(name: str, minimum: bool) -> None:
    """Which transformers does not read: low halves in nibbles, the fifth bits in 32 bits of their own (ggml)."""
    blocks = random_blocks(name)
    start = 4 if minimum else 2
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    offset = blocks[:, 2:4].copy().view(np.float16).astype(np.float32)
    fifths = blocks[:, start : start + 4].copy().view(np.uint32)
    for place in range(32):
        packed = blocks[:, start + 4 + place % 16]
        integer = (packed >> 4 if place >= 16 else packed & 15) | ((fifths[:, 0] >> place & 1) << 4).astype(np.uint8)
        wanted = scale[:, 0] * integer + offset[:, 0] if minimum else scale[:, 0] * (integer.astype(np.float32) - 16)
        np.testing.assert_array_equal(unpack(name, blocks.tobytes()).values()[:, place], wanted)


def test_four_bits_of_floating_point() -> None:
    """MXFP4: powers of two times the eight numbers of E2M1 and their negatives (OCP Microscaling Formats)."""
    block = bytes([130, *range(0, 256, 17)])  # 2^3; the nibbles 0 to 15 twice
    levels = [0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6]
    assert unpack("MXFP4", block).values().tolist() == [[8 * level for level in [*levels, *levels]]]


def test_each_integer_fits_its_bits() -> None:
    for name, form in BLOCK_FORMS.items():
        blocks = unpack(name, random_blocks(form.name).tobytes())
        assert blocks.integers.dtype == np.uint8 and int(blocks.integers.max()) < 1 << blocks.bits
        assert blocks.integers.size == 64 * form.elements and len(blocks.scales) == len(blocks.integers)


def test_rows_of_a_head_come_apart() -> None:
    """As transformers' checkpoints have them, of rows as llama.cpp's converter writes them."""
    rows = np.arange(2 * 6 * 3).reshape(12, 3)  # two heads of six rows
    stored = rows.reshape(2, 2, 3, 3).swapaxes(1, 2).reshape(12, 3)
    np.testing.assert_array_equal(ordered_rows(stored, 6), rows)
    assert ordered_rows(stored, 0) is stored
