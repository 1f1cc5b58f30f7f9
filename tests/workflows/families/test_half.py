"""Keys and values in half precision stay so from the graph's edge to the cache and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto
from onnxruntime.transformers.float16 import convert_float_to_float16

from tests.workflows.conftest import Built
from tests.workflows.families.foreign import in_type
from tests.workflows.families.models import save_decoder
from workflows.runtime import open_onnx

CAPACITY, PROMPT, COUNT = 64, [5, 17, 29, 101, 7, 64, 33], 20
# what numpy calls it, bytes an element; numpy has no bfloat16, and holds its bits
TYPES = {"float16": (np.float16, TensorProto.FLOAT16), "bfloat16": (np.uint16, TensorProto.BFLOAT16)}


@pytest.fixture(scope="module")
def ours(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    checkpoint = save_decoder("llama", tmp_path_factory.mktemp("half") / "checkpoint")
    return built(checkpoint, cache="static", capacity=256) / "decoder.onnx"


def graph_of(kind: str, ours: Path, folder: Path) -> tuple[Path, str]:
    """`float16`: every tensor of the graph is; else the keys, values and masks at its edges are, for onnxruntime's
    CPU has few operators of bfloat16 and a cast is one of them."""
    if kind == "float16":
        model = convert_float_to_float16(onnx.load(ours), keep_io_types=False, disable_shape_infer=True)
        onnx.save(model, folder / "half.onnx")
        return folder / "half.onnx", "float16"
    dtype = kind.removeprefix("edges ")
    return in_type(ours, folder / "half.onnx", TYPES[dtype][1]), dtype


@pytest.mark.parametrize("layout", ["static", "window", "fifo"])
@pytest.mark.parametrize("kind", ["float16", "edges float16", "edges bfloat16"])
def test_no_silent_float32(kind: str, layout: str, ours: Path, tmp_path: Path) -> None:
    path, dtype = graph_of(kind, ours, tmp_path)
    machine = open_onnx({"decoder": path}, cache=layout, capacity=CAPACITY)
    cache = machine.cache
    numpy_type, _ = TYPES[dtype]
    assert {tensor.dtype for tensor in cache.tensors.values()} == {cache.view()[0].dtype} == {dtype}
    assert {cache.past(name).dtype for name in cache.names} == {np.dtype(numpy_type)}
    assert cache.bytes == 4 * 2 * CAPACITY * 16 * 2  # tensors, heads, slots, head size, bytes
    rows = [machine.step(PROMPT, "prefill")[-1].copy()]  # the next run writes there again
    tokens = [int(rows[0].argmax())]
    while len(tokens) < COUNT:
        rows.append(machine.step(tokens[-1:], "decode")[-1].copy())
        tokens.append(int(rows[-1].argmax()))
    expected, by_hand = fed_by_hand(path, dtype)
    assert tokens == expected
    tolerance = 0 if layout == "static" else 2e-2  # the same sums in another order of the slots
    assert max(float(np.abs(a - b).max()) for a, b in zip(rows, by_hand, strict=True)) <= tolerance


def fed_by_hand(path: Path, dtype: str) -> tuple[list[int], list[np.ndarray]]:
    """The same graph without our cache: numpy arrays, past as long as the cache's buffers, the rows put in by index."""
    session = ort.InferenceSession(path)
    numpy_type, element = TYPES[dtype]
    lowest: Any = np.uint16(0xFF7F) if dtype == "bfloat16" else np.finfo(np.float16).min
    past = {i.name: np.zeros((1, 2, CAPACITY, 16), numpy_type) for i in session.get_inputs() if "past" in i.name}
    tokens, length, feed, kept = [], 0, list(PROMPT), []
    while len(tokens) < COUNT:
        n = len(feed)
        mask = np.full((1, 1, n, CAPACITY + n), lowest, numpy_type)
        for row in range(n):
            mask[0, 0, row, :length] = 0
            mask[0, 0, row, CAPACITY : CAPACITY + row + 1] = 0
        inputs = {"attention_mask": mask, **past}
        values = {name: ort.OrtValue.ortvalue_from_numpy_with_onnx_type(a, element) for name, a in inputs.items()}
        values["input_ids"] = ort.OrtValue.ortvalue_from_numpy(np.array([feed]))
        values["position_ids"] = ort.OrtValue.ortvalue_from_numpy(np.arange(length, length + n)[None])
        binding = session.io_binding()
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        given = {}
        for spec in session.get_outputs():
            shape = (1, n, 211) if spec.name == "logits" else (1, 2, n, 16)
            kind = spec.type[7:-1]
            given[spec.name] = np.zeros(shape, np.float32 if kind == "float" else numpy_type)
            wanted = TensorProto.FLOAT if kind == "float" else element
            place = given[spec.name].ctypes.data
            binding.bind_output(spec.name, "cpu", 0, wanted, shape, place)
        session.run_with_iobinding(binding)
        for name in past:
            past[name][:, :, length : length + n] = given[name.replace("past_key_values", "present")]
        kept.append(given["logits"][0, -1].astype(np.float32))
        tokens.append(int(kept[-1].argmax()))
        length, feed = length + n, [tokens[-1]]
    return tokens, kept
