"""One weight file: each distinct tensor once, streamed, aligned, the same bytes every time."""

from __future__ import annotations

import errno
import shutil
import tracemalloc
import weakref
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx_ir as ir
import pytest

from workflows.common.digests import HashingFile
from workflows.common.errors import DiskFullError
from workflows.common.files import link_or_copy
from workflows.graph import weights
from workflows.graph.weights import SMALL, WEIGHTS, large_initializers, load_saved_graph, save_graphs, tensor_key

RNG = np.random.default_rng(0)


def made(**arrays: np.ndarray | ir.TensorProtocol) -> ir.Model:
    """A model that adds up its weights."""
    values = []
    for name, array in arrays.items():
        tensor = array if isinstance(array, ir.TensorProtocol) else ir.tensor(array, name=name)
        values.append(ir.Value(name=name, const_value=tensor, shape=ir.Shape(tensor.shape), type=None))
    node = ir.Node("", "Sum", values, name="sum")
    graph = ir.Graph([], node.outputs, nodes=[node], initializers=values, opset_imports={"": 21}, name="g")
    return ir.Model(graph, ir_version=10)


def stored(path: Path) -> dict[str, np.ndarray]:
    return {n: np.array(v.const_value.numpy()) for n, v in ir.load(path).graph.initializers.items() if v.const_value}


def test_equal_tensors_are_stored_once_under_any_name_in_any_graph(tmp_path: Path) -> None:
    """And come back value for value; what is small stays in its graph."""
    shared, own = RNG.normal(size=(64, 64)).astype(np.float32), RNG.normal(size=(64, 64)).astype(np.float32)
    bf16, small = own.astype(ml_dtypes.bfloat16), np.ones(SMALL // 4 - 1, np.float32)
    models = {"a.onnx": made(x=shared, small=small), "b.onnx": made(y=shared.copy(), z=own, half=bf16)}
    regions = save_graphs(models, tmp_path)
    assert (tmp_path / WEIGHTS).stat().st_size <= 2 * shared.nbytes + bf16.nbytes + 2 * 4096
    assert len(regions) == 4 and len(set(regions.values())) == 3
    a, b = stored(tmp_path / "a.onnx"), stored(tmp_path / "b.onnx")
    for found, expected in ((a["x"], shared), (b["y"], shared), (b["z"], own), (b["half"], bf16), (a["small"], small)):
        np.testing.assert_array_equal(found, expected)
    loaded = ir.load(tmp_path / "a.onnx").graph.initializers
    assert isinstance(loaded["x"].const_value, ir.ExternalTensor)
    assert not isinstance(loaded["small"].const_value, ir.ExternalTensor)


def test_offsets_can_be_mapped(tmp_path: Path) -> None:
    """Cache lines for small tensors, pages for others, Windows' 64 KiB for large ones."""
    sizes = {"line": 300, "page": 5000, "large": 1 << 20}
    arrays = {name: RNG.integers(0, 255, size).astype(np.uint8) for name, size in sizes.items()}
    save_graphs({"a.onnx": made(**arrays, after=arrays["line"] + 1)}, tmp_path)
    tensors = {name: value.const_value for name, value in ir.load(tmp_path / "a.onnx").graph.initializers.items()}
    for name, step in {"line": 64, "page": 4096, "large": 65536, "after": 64}.items():
        tensor = tensors[name]
        assert isinstance(tensor, ir.ExternalTensor) and (tensor.offset or 0) % step == 0


def test_int4_is_stored_packed(tmp_path: Path) -> None:
    """Two in a byte."""
    array = RNG.integers(-8, 8, (40, 41)).astype(ml_dtypes.int4)
    save_graphs({"a.onnx": made(w=array)}, tmp_path)
    assert (tmp_path / WEIGHTS).stat().st_size == 820
    np.testing.assert_array_equal(stored(tmp_path / "a.onnx")["w"], array)


def test_the_same_models_give_the_same_bytes(tmp_path: Path) -> None:
    """Graphs and weights."""
    array = RNG.normal(size=(64, 64)).astype(np.float32)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        save_graphs({"a.onnx": made(x=array, y=array + 1)}, tmp_path / name)
    for file in ("a.onnx", WEIGHTS):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A folder with a graph over 32 tensors."""
    (tmp_path / "exported").mkdir()
    (tmp_path / "optimized").mkdir()
    arrays = {f"w{i}": np.full((32, 32), i, np.float32) for i in range(32)}
    save_graphs({"a.onnx": made(**arrays)}, tmp_path / "exported")
    return tmp_path / "exported"


def test_weights_that_stayed_are_linked(exported: Path) -> None:
    """Not written again; each tensor is where it was."""
    model, target = ir.load(exported / "a.onnx"), exported.parent / "optimized"
    keys = [tensor_key(value.const_value) for value in model.graph.initializers.values() if value.const_value]
    regions = save_graphs({"a.onnx": model}, target)
    assert (exported / WEIGHTS).samefile(target / WEIGHTS)
    assert set(regions) == set(keys)


def test_a_file_of_another_name_is_linked(exported: Path) -> None:
    """As that of a single quantized tensor; it is the weight file then."""
    other = (exported / WEIGHTS).rename(exported / "part-1.data")
    model = ir.load(exported / "a.onnx")
    for value in large_initializers(model):
        tensor = value.const_value
        assert isinstance(tensor, ir.ExternalTensor)
        value.const_value = ir.ExternalTensor(
            other, tensor.offset, tensor.length, tensor.dtype, shape=ir.Shape(tensor.shape), name=str(tensor.name)
        )
    save_graphs({"a.onnx": model}, exported.parent / "optimized")
    assert other.samefile(exported.parent / "optimized" / WEIGHTS)


def test_what_a_pass_added_and_took_away(exported: Path) -> None:
    """A new file with the new tensor and without the old one; the untouched ones are copied."""
    models = {name: ir.load(exported / "a.onnx") for name in ("a.onnx", "b.onnx")}
    packed = np.concatenate([np.full((32, 32), i, np.float32) for i in (0, 1)])
    gone = {tensor_key(model.graph.initializers["w0"].const_value) for model in models.values()}  # type: ignore[arg-type]
    for model in models.values():
        (node,) = model.graph
        tensor = ir.LazyTensor(lambda: ir.tensor(packed), ir.DataType.FLOAT, ir.Shape(packed.shape), name="packed")
        value = ir.Value(name="packed", const_value=tensor, shape=tensor.shape, type=ir.TensorType(tensor.dtype))
        model.graph.register_initializer(value)
        node.replace_input_with(0, value)
        node.replace_input_with(1, value)
        for name in ("w0", "w1"):
            del model.graph.initializers[name]
    target = exported.parent / "optimized"
    regions = save_graphs(models, target)
    assert gone.isdisjoint(regions)
    assert (target / WEIGHTS).stat().st_size == 32 * 32 * 32 * 4  # 30 as they were and the packed one once
    found = stored(target / "b.onnx")
    np.testing.assert_array_equal(found["packed"], packed)
    assert all((found[f"w{i}"] == i).all() for i in range(2, 32))


def test_no_second_copy_in_memory(tmp_path: Path) -> None:
    """128 MB that are made when they are asked for: at most two of sixteen pieces are there at once."""

    def piece(number: int) -> ir.TensorProtocol:
        return ir.tensor(np.full((1 << 21,), number, np.float32))

    shape = ir.Shape([1 << 21])
    lazy = {f"w{i}": ir.LazyTensor(lambda i=i: piece(i), ir.DataType.FLOAT, shape) for i in range(16)}  # type: ignore
    model = made(**lazy)
    tracemalloc.start()
    save_graphs({"a.onnx": model}, tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * (8 << 20)
    assert (tmp_path / WEIGHTS).stat().st_size == 128 << 20


def test_what_nobody_else_holds_leaves_the_memory_while_the_rest_is_written(tmp_path: Path) -> None:
    given, counted = list[weakref.ref[np.ndarray]](), list[int]()

    def piece(number: int) -> ir.TensorProtocol:
        counted.append(sum(one() is not None for one in given))
        return ir.tensor(np.full((512,), number, np.float32))

    kept = {}
    for number in range(8):
        array = np.full((512,), 100 + number, np.float32)
        given.append(weakref.ref(array))
        kept[f"a{number}"] = ir.tensor(array)
        shape = ir.Shape([512])
        kept[f"b{number}"] = ir.LazyTensor(lambda n=number: piece(n), ir.DataType.FLOAT, shape)  # type: ignore
        del array
    model = made(**kept)
    kept.clear()
    save_graphs({"a.onnx": model}, tmp_path)
    assert counted == list(range(7, -1, -1))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(300, 17), (17, 300), (8, 64), (1, 700), (700, 1), (5, 7, 40), (40, 5, 7)])
def test_any_order_in_memory_is_stored_row_by_row(tmp_path: Path, shape: tuple[int, ...], dtype: type) -> None:
    rows = RNG.integers(-100, 100, shape).astype(dtype)
    orders = {"rows": rows, "turned": np.asfortranarray(rows), "apart": np.repeat(rows, 2, axis=-1)[..., ::2]}
    orders["back"] = np.ascontiguousarray(rows[::-1])[::-1]
    for name, array in orders.items():
        (tmp_path / name).mkdir()
        save_graphs({"a.onnx": made(w=array)}, tmp_path / name)
        np.testing.assert_array_equal(stored(tmp_path / name / "a.onnx")["w"], rows)


def test_what_differs_is_distinguished_without_reading_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the usual types, and float32 that was rounded to 16 bits, whose other half is zero throughout."""
    compared = list[int]()

    def holds(_file: HashingFile, offset: int, _data: memoryview) -> bool:
        compared.append(offset)
        return False

    monkeypatch.setattr(HashingFile, "holds", holds)
    chances = np.random.default_rng(0)
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, np.int8):
        for narrow in (dtype, np.float16, ml_dtypes.bfloat16):
            for shape in ((64, 64), (63, 65), (8, 8)):
                tensors = (chances.normal(0, 9, shape).astype(narrow).astype(dtype) for _ in range(9))
                save_graphs({"a.onnx": made(**{f"w{i}": tensor for i, tensor in enumerate(tensors)})}, tmp_path)
    assert not compared


@pytest.mark.parametrize("at", [0, 1, 2, 4095, 4096, 4097, 1 << 22, (1 << 23) + 255])
def test_tensors_that_differ_in_one_byte_are_two(tmp_path: Path, at: int) -> None:
    one = RNG.integers(0, 255, (1 << 23) + 256).astype(np.uint8)
    other = one.copy()
    other[at] ^= 1
    save_graphs({"a.onnx": made(x=one, y=other, z=one.copy())}, tmp_path)
    assert (tmp_path / WEIGHTS).stat().st_size < 2 * one.nbytes + (1 << 17)
    for name, array in stored(tmp_path / "a.onnx").items():
        np.testing.assert_array_equal(array, other if name == "y" else one)


def test_a_linked_file_is_read(exported: Path, tmp_path: Path) -> None:
    """A stage that drops nothing links its weights; onnx_ir by itself reads no tensor of a file with two links."""
    link_or_copy(exported / WEIGHTS, tmp_path / WEIGHTS)
    name = next(path.name for path in exported.glob("*.onnx"))
    shutil.copyfile(exported / name, tmp_path / name)
    found, plain = load_saved_graph(tmp_path / name), ir.load(tmp_path / name)
    tensors = [value.const_value for value in large_initializers(found)]
    for tensor, other in zip(tensors, large_initializers(plain), strict=True):
        assert tensor is not None and tensor_key(tensor) == tensor_key(other.const_value)
        content = (exported / WEIGHTS).read_bytes()[tensor.offset : tensor.offset + tensor.nbytes]  # type: ignore[attr-defined]
        assert tensor.numpy().tobytes() == content


def test_a_disk_that_fills_up_is_reported_with_what_the_weights_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes of all tensors."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(weights, "append_aligned", full)
    with pytest.raises(DiskFullError, match=r"full: weights\.data needs 1\.5 MiB and"):
        save_graphs({"a.onnx": made(x=np.ones((3 << 17,), np.float32))}, tmp_path)
