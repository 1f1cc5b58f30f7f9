"""Weight files that are described: the same bytes as written ones, computed of the checkpoint's when they are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.checkpoint.gguf.making import Q4_1, blocks_of_32
from tests.workflows.optimize.making import parse, weights
from workflows.checkpoint.gguf.forms import ordered_rows, unpack
from workflows.common.errors import CheckpointError
from workflows.common.tensors import Array
from workflows.graph import described_weights
from workflows.graph.described_weights import (
    CONSTANTS,
    DescribedTensor,
    StoredWeight,
    WeightRecipe,
    join_recipes,
    recipe_tensor,
)
from workflows.graph.weights import WEIGHTS, load_saved_graph, save_graphs, weight_file_size, write_described

TEXT = """g (float[1,S,96] x) => (float[1,S,192] z) {
    y = MatMul(x, a)
    c = Add(y, big)
    d = MatMul(c, b)
    e = MatMul(c, same)
    z = Concat <axis = -1> (d, e)
}"""
DTYPES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16, "float32": np.float32}


def stored(folder: Path, values: Array, dtype: str, name: str = "w", before: int = 5) -> StoredWeight:
    """Writes `values` into a file of their own, from byte `before` on."""
    file = folder / f"{name}.bin"
    file.write_bytes(bytes(before) + values.astype(DTYPES[dtype]).tobytes())
    return StoredWeight(str(file), before, dtype, values.shape, name)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (7,), (130, 257), (3, 5, 7)])
def test_a_stored_weight_becomes_float32_without_rounding(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).normal(size=shape).astype(DTYPES[dtype])
    computed = WeightRecipe.of(stored(tmp_path, values, dtype)).compute()
    assert computed.dtype == np.float32 and computed.shape == shape
    np.testing.assert_array_equal(computed, np.asarray(values).astype(np.float32))


@pytest.mark.parametrize("head", [(), (8, 64)])
def test_blocks_of_integers_become_float32(
    tmp_path: Path, head: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces of whole heads, whose rows come apart; joined, turned, seen in other axes, and some rows alone."""
    monkeypatch.setattr(described_weights, "_CONVERTED", 64 * 12)
    content = blocks_of_32(weights(48, 64), Q4_1)
    (tmp_path / "w.gguf").write_bytes(bytes(7) + content)
    part = StoredWeight(str(tmp_path / "w.gguf"), 7, "Q4_1", (48, 64), "w", head_size=head)
    wanted = ordered_rows(unpack("Q4_1", content).values().reshape(48, 64), head[0] if head else 0)
    recipe = WeightRecipe.of(part)
    assert part.bytes == len(content)
    np.testing.assert_array_equal(recipe.compute(), wanted)
    turned, joined = recipe.transposed((1, 0)), join_recipes([recipe, recipe], 0)
    seen = recipe.rearranged((6, 8, 64), (1, 0, 2), (48, 64))
    assert turned is not None and joined is not None and seen is not None
    np.testing.assert_array_equal(turned.compute(), wanted.T)
    np.testing.assert_array_equal(joined.compute(), np.concatenate([wanted, wanted]))
    np.testing.assert_array_equal(seen.compute(), wanted.reshape(6, 8, 64).swapaxes(0, 1).reshape(48, 64))
    rows = recipe.compute_rows(np.array([0, 5, 40]))
    assert (rows is None) == bool(head)
    if rows is not None:
        np.testing.assert_array_equal(rows[[0, 5, 40]], wanted[[0, 5, 40]])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_rows_of_heads_come_apart(tmp_path: Path, dtype: str) -> None:
    values = weights(24, 6).astype(DTYPES[dtype])
    part = replace(stored(tmp_path, values, dtype), head_size=(8, 6))
    wanted = ordered_rows(np.asarray(values).astype(np.float32), 8)
    np.testing.assert_array_equal(WeightRecipe.of(part).compute(), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_a_table_are_read_alone(tmp_path: Path, dtype: str) -> None:
    values = weights(41, 13).astype(DTYPES[dtype])
    values[7, 3] = np.nan  # in no row that is read
    recipe, rows = WeightRecipe.of(stored(tmp_path, values, dtype)), np.array([0, 5, 40])
    table = recipe.compute_rows(rows)
    assert table is not None and table.dtype == np.float32
    np.testing.assert_array_equal(table[rows], np.asarray(values).astype(np.float32)[rows])
    assert not np.delete(table, rows, 0).any()
    with pytest.raises(CheckpointError, match="holds NaN or infinite"):
        recipe.compute_rows(np.array([7]))
    turned = recipe.transposed((1, 0))
    assert turned is not None and turned.compute_rows(rows[:2]) is None


def test_parts_of_many_blocks_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.graph.described_weights._CONVERTED", 100)
    values = weights(131, 47)
    recipe = WeightRecipe.of(stored(tmp_path, values, "float16"))
    np.testing.assert_array_equal(recipe.compute(), values.astype(np.float16).astype(np.float32))


def test_turned_and_joined_as_numpy_does(tmp_path: Path) -> None:
    one, other = weights(6, 4), weights(10, 4, seed=1)
    recipes = [WeightRecipe.of(stored(tmp_path, w, "float32", f"w{i}")) for i, w in enumerate((one, other))]
    turned = [recipe.transposed((1, 0)) for recipe in recipes]
    joined = join_recipes(list(turned), 1)
    assert joined is not None and joined.shape == (4, 16)
    np.testing.assert_array_equal(joined.compute(), np.concatenate([one.T, other.T], 1))
    assert joined.transposed((1, 0)) is None  # a joined one is not turned
    assert join_recipes([turned[0], recipes[1]], 1) is None  # stored in different orders
    back = turned[0].transposed((1, 0)) if turned[0] else None
    assert back == recipes[0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_weight_that_is_not_finite_is_named(tmp_path: Path, dtype: str, value: float) -> None:
    values = weights(40, 8)
    values[39, 7] = value
    with pytest.raises(CheckpointError, match=r"model\.q holds NaN or infinite"):
        WeightRecipe.of(stored(tmp_path, values, dtype, "model.q")).compute()


@pytest.mark.parametrize("harm", ["gone", "short"])
def test_a_file_that_is_gone_or_cut_is_named(tmp_path: Path, harm: str) -> None:
    weight = stored(tmp_path, weights(40, 8), "float32", "model.q")
    if harm == "gone":
        Path(weight.file).unlink()
    else:
        Path(weight.file).write_bytes(bytes(100))
    with pytest.raises(CheckpointError, match=r"The weight model\.q cannot be read from .*model\.q\.bin"):
        WeightRecipe.of(weight).compute()


def graph(folder: Path, described: bool) -> ir.Model:
    """A graph over a stored weight that is used twice, a part of it, a constant, and an equal stored weight."""
    one, other = weights(96, 96), weights(96, 96, seed=1)
    tensors = {"a": one.T, "big": weights(96), "b": other, "same": other}
    model = parse(TEXT, **{name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()})
    if described:
        recipes = {
            "a": WeightRecipe.of(stored(folder, one, "float32", "one")).transposed((1, 0)),
            "b": WeightRecipe.of(stored(folder, other, "float32", "other")),
            "same": WeightRecipe.of(stored(folder, other, "float32", "copy")),
        }
        for name, recipe in recipes.items():
            assert recipe is not None
            model.graph.initializers[name].const_value = recipe_tensor(recipe, name)
    return model


def test_a_described_file_is_the_written_one_byte_for_byte(tmp_path: Path) -> None:
    whole, described, source = (tmp_path / name for name in ("whole", "described", "source"))
    for folder in (whole, described, source):
        folder.mkdir()
    regions = save_graphs({"g.onnx": graph(source, described=False)}, whole)
    places = save_graphs({"g.onnx": graph(source, described=True)}, described, described=True)
    assert [*regions.values()] == [*places.values()]  # with one place for equal weights
    assert not (described / WEIGHTS).exists()
    assert (described / CONSTANTS).stat().st_size == 96 * 4
    assert weight_file_size(described) == weight_file_size(whole)
    write_described(described, tmp_path / "made.data")
    assert (tmp_path / "made.data").read_bytes() == (whole / WEIGHTS).read_bytes()


def test_a_loaded_graph_reads_the_checkpoint_and_saves_the_same(tmp_path: Path) -> None:
    first, again, written = (tmp_path / name for name in ("first", "again", "written"))
    for folder in (first, again, written):
        folder.mkdir()
    save_graphs({"g.onnx": graph(tmp_path, described=True)}, first, described=True)
    model = load_saved_graph(first / "g.onnx")
    tensor = model.graph.initializers["a"].const_value
    assert isinstance(tensor, DescribedTensor)
    np.testing.assert_array_equal(tensor.numpy(), weights(96, 96).T)
    assert tensor.tobytes() == np.ascontiguousarray(weights(96, 96).T).tobytes()
    save_graphs({"g.onnx": model}, again, described=True)
    save_graphs({"g.onnx": load_saved_graph(first / "g.onnx")}, written)
    write_described(again, tmp_path / "made.data")
    assert (tmp_path / "made.data").read_bytes() == (written / WEIGHTS).read_bytes()


def test_constants_move_with_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "draft"
    folder.mkdir()
    save_graphs({"g.onnx": graph(tmp_path, described=True)}, folder, described=True)
    folder.rename(tmp_path / "complete")
    model = load_saved_graph(tmp_path / "complete" / "g.onnx")
    values = {str(v.name): v.const_value for v in model.graph.initializers.values()}
    np.testing.assert_array_equal(values["big"].numpy(), weights(96))


@pytest.mark.parametrize("grid", [(), (3,), (3, 2)])
@pytest.mark.parametrize("seed", range(4))
def test_axes_in_any_order(grid: tuple[int, ...], seed: int, tmp_path: Path) -> None:
    """What numpy makes of the whole array; of a grid, parts are read straight into their places."""
    rng = np.random.default_rng(seed)
    whole = rng.standard_normal((*grid, 4, 6)).astype(np.float32)
    parts = [stored(tmp_path, part, "float32", f"w{i}") for i, part in enumerate(whole.reshape(-1, 4, 6))]
    recipe = WeightRecipe.of_grid(parts, grid, whole.shape)
    np.testing.assert_array_equal(recipe.compute(), whole)
    view = whole.shape if grid else (2, 2, 3, 2)
    order = tuple(int(axis) for axis in rng.permutation(len(view)))
    expected = whole.reshape(view).transpose(order)
    shape = (expected.shape[0], -1)
    expected = expected.reshape(shape)
    moved = recipe.rearranged(view, order, expected.shape)
    assert moved is not None
    np.testing.assert_array_equal(moved.compute(), expected)
    assert moved.transposed((1, 0)) is None and join_recipes([moved], 0) is None


def test_a_view_that_cuts_across_parts_has_no_recipe(tmp_path: Path) -> None:
    whole = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
    parts = [stored(tmp_path, part, "float32", f"w{i}") for i, part in enumerate(whole)]
    recipe = WeightRecipe.of_grid(parts, (3,), (3, 2, 4))
    assert recipe.rearranged((3, 2, 2, 2), (0, 1, 2, 3), (24,)) is None
    assert recipe.rearranged((2, 3, 4), (0, 1, 2), (24,)) is None
    single = WeightRecipe.of(stored(tmp_path, whole, "float32"))
    assert single.rearranged((6, 4), (0, 1), (24,)) is None
    rows = [WeightRecipe.of(stored(tmp_path, part, "float32", f"r{i}")) for i, part in enumerate(whole)]
    joined = join_recipes([*rows], 0)
    assert joined is not None and joined.rearranged((6, 4), (1, 0), (4, 6)) is None
    found = single.rearranged((3, 2, 2, 2), (0, 2, 1, 3), (3, 8))
    assert found is not None
    np.testing.assert_array_equal(found.compute(), whole.reshape(3, 2, 2, 2).transpose(0, 2, 1, 3).reshape(3, 8))
