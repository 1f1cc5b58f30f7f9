"""Statistics of initializers against numpy, in every element type and place."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.workflows.graph.making import external, model, node, save
from workflows.common.errors import GraphError, RequestError
from workflows.graph.load import load_graph
from workflows.graph.tensor_statistics import describe_tensor
from workflows.wire.reports.graphs import TensorReport, ValueHistogram

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(0.5, 2, (37, 11))


def described(tensor: onnx.TensorProto, folder: Path) -> TensorReport:
    proto = model([node("Any", ["x", tensor.name], ["y"])], [tensor])
    return describe_tensor(load_graph(save(proto, folder / "a.onnx")), tensor.name)


ARRAYS: dict[str, np.ndarray] = {
    "float32": NORMAL.astype(np.float32),
    "float16": NORMAL.astype(np.float16),
    "float64": NORMAL,
    "bfloat16": NORMAL.astype(ml_dtypes.bfloat16),
    "float8e4m3fn": NORMAL.astype(ml_dtypes.float8_e4m3fn),
    "int8": RNG.integers(-128, 128, (5, 7)).astype(np.int8),
    "uint8": RNG.integers(0, 256, (5, 7)).astype(np.uint8),
    "int64": RNG.integers(-9, 9, 100),
    "bool": RNG.integers(0, 2, 30).astype(bool),
    "int4": RNG.integers(-8, 8, (3, 5)).astype(ml_dtypes.int4),
    "uint4": RNG.integers(0, 16, (3, 5)).astype(ml_dtypes.uint4),
    "int2": RNG.integers(-2, 2, (3, 5)).astype(ml_dtypes.int2),
    "uint2": RNG.integers(0, 4, (3, 5)).astype(ml_dtypes.uint2),
    "float4e2m1": RNG.normal(0, 2, (3, 5)).astype(ml_dtypes.float4_e2m1fn),
}


@pytest.mark.parametrize("dtype", ARRAYS)
def test_statistics_are_numpy_s(tmp_path: Path, dtype: str) -> None:
    """Inside the graph's file and outside it: the same, and right."""
    array = ARRAYS[dtype]
    tensor = numpy_helper.from_array(array, "w")
    inside = described(tensor, tmp_path)
    (tmp_path / "w.data").write_bytes(bytes(24) + tensor.raw_data + bytes(8))
    outside = described(external("w", array.shape, "w.data", 24, tensor.data_type), tmp_path)
    assert inside == outside
    numbers = array.astype(np.float64)
    assert (inside.dtype, inside.shape, inside.count) == (dtype, list(array.shape), array.size)
    assert inside.bytes == len(tensor.raw_data)
    assert (inside.min, inside.max) == (numbers.min(), numbers.max())
    assert inside.mean == pytest.approx(numbers.mean()) and inside.std == pytest.approx(numbers.std())
    assert (inside.zeros, inside.nan, inside.inf) == (np.count_nonzero(numbers == 0), 0, 0)
    assert inside.head == numbers.reshape(-1)[:16].tolist()
    counts = np.histogram(numbers, 64, (numbers.min(), numbers.max()))[0]
    assert inside.histogram == ValueHistogram(numbers.min(), numbers.max(), counts.tolist())


def test_what_is_not_finite_is_counted_and_left_out(tmp_path: Path) -> None:
    """Among others, and alone."""
    some = described(numpy_helper.from_array(np.array([1, np.nan, -np.inf, 3, 0], np.float32), "w"), tmp_path)
    assert (some.min, some.max, some.nan, some.inf, some.zeros) == (0, 3, 1, 1, 1)
    assert some.head == [1, None, None, 3, 0] and sum(some.histogram.counts) == 3
    none = described(numpy_helper.from_array(np.full(3, np.nan, np.float16), "w"), tmp_path)
    assert {getattr(none, key) for key in ("min", "max", "mean", "std", "histogram")} == {None}


def test_one_value_and_none(tmp_path: Path) -> None:
    """A histogram needs a range; an empty tensor has none."""
    one = described(numpy_helper.from_array(np.float32(7), "w"), tmp_path)
    assert (one.min, one.std, one.histogram.low, one.histogram.high) == (7, 0, 6.5, 7.5)
    none = described(numpy_helper.from_array(np.zeros((0, 4), np.float32), "w"), tmp_path)
    assert (none.count, none.min, none.head, none.histogram) == (0, None, [], None)


def test_values_in_typed_fields(tmp_path: Path) -> None:
    """As onnx.helper writes them."""
    found = described(helper.make_tensor("w", TensorProto.FLOAT16, [3], [1.0, 2.0, 4.5]), tmp_path)
    assert found.head == [1, 2, 4.5]


def test_memory_stays_flat(tmp_path: Path) -> None:
    """256 MB of weights in less than 64 MB; a mean far from zero keeps its digits."""
    block = RNG.normal(1000, 1, 1 << 20).astype(np.float32)
    with (tmp_path / "w.data").open("wb") as file:
        for _ in range(64):
            file.write(block.tobytes())
    tracemalloc.start()
    found = described(external("w", [64, 1 << 20], "w.data"), tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20
    assert found.mean == pytest.approx(block.mean(dtype=np.float64), rel=1e-12)
    assert found.std == pytest.approx(block.std(dtype=np.float64), rel=1e-6)


def no_values(folder: Path) -> onnx.TensorProto:
    tensor = external("w", [2], "")
    del tensor.external_data[:]
    return tensor


def cut(folder: Path) -> onnx.TensorProto:
    (folder / "w.data").write_bytes(bytes(4))
    return external("w", [2], "w.data")


REFUSED = {
    "gone": (no_values, "a later pass replaced them"),
    "missing": (lambda folder: external("w", [2], "w.data"), "in w.data, which is not there"),
    "cut": (cut, "w.data is cut short"),
    "texts": (lambda folder: helper.make_tensor("w", TensorProto.STRING, [1], [b"a"]), "contains strings"),
    "complex": (lambda folder: numpy_helper.from_array(np.ones(2, np.complex64), "w"), "type complex64"),
    "unknown": (lambda folder: TensorProto(name="w", data_type=99, dims=[2], raw_data=b"ab"), "type unknown"),
    "few": (lambda folder: TensorProto(name="w", data_type=1, dims=[1 << 40], raw_data=bytes(8)), "holds 2 elements"),
    "few typed": (lambda folder: TensorProto(name="w", data_type=1, dims=[1 << 40], float_data=[1]), "other elements"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_values_that_cannot_be_read_are_one_sentence(tmp_path: Path, name: str) -> None:
    """Why, and nothing is allocated from a shape."""
    make, expected = REFUSED[name]
    with pytest.raises(GraphError, match=expected) as raised:
        described(make(tmp_path), tmp_path)
    assert str(raised.value).endswith(".")


def test_a_sparse_one_and_none(tmp_path: Path) -> None:
    """A sentence each."""
    proto = model([node("Relu", ["x"], ["y"])])
    values = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
    indices = helper.make_tensor("i", TensorProto.INT64, [1], [5])
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [1 << 20, 1 << 20]))
    file = load_graph(save(proto, tmp_path / "a.onnx"))
    with pytest.raises(GraphError, match=r"w is sparse: 1 of 1,099,511,627,776"):
        describe_tensor(file, "w")
    with pytest.raises(RequestError, match="has no initializer q"):
        describe_tensor(file, "q")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1.0, float(np.nextafter(np.float32(1), np.float32(2)))], np.float32),
        ([1e-45, 3e-45], np.float32), ([1e30, 1.0000001e30], np.float32), ([1.0, 1.0009765625], np.float16),
    ],
)  # fmt: skip
def test_neighbours_have_a_histogram(tmp_path: Path, values: list[float], dtype: type) -> None:
    """Damaged weights, and constants that were computed: 64 bins between them are none in their own type."""
    found = described(numpy_helper.from_array(np.array(values, dtype), "w"), tmp_path).histogram
    assert found is not None and (found.counts[0], found.counts[-1], sum(found.counts)) == (1, 1, 2)


@pytest.mark.parametrize("values", [[1.0, float(np.nextafter(1.0, 2.0))], [1e300, 1e300]])
def test_what_cannot_be_divided_has_no_histogram(tmp_path: Path, values: list[float]) -> None:
    assert described(numpy_helper.from_array(np.array(values), "w"), tmp_path).histogram is None
