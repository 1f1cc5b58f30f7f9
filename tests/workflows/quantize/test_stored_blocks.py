"""stored: products and rows by the checkpoint's own integers, judged by the identity, whose product is the weight."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime as ort
import pytest

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import F32, Q4_1, Q8_0, write_gguf
from tests.workflows.checkpoint.gguf.test_forms import random_blocks
from tests.workflows.checkpoint.quantized.making import gptq, write_layer
from tests.workflows.optimize.making import parse, weights
from workflows.builder import BuildRequest, build
from workflows.bundle.evidence import load_evidence
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.gguf.forms import BLOCK_FORMS, ordered_rows, unpack
from workflows.common.errors import CheckpointError, JoineryError, RecipeError
from workflows.graph.described_weights import StoredWeight, WeightRecipe, join_recipes, recipe_tensor
from workflows.quantize import METHODS, run_method
from workflows.recipe import QuantizeSettings
from workflows.recipe.stored_forms import HELD_FORMS, HeldForm

INNER = 512
EXACT = QuantizeSettings(accuracy_level=0, embedding=True)
PRODUCT = "g (float[1,S,512] x) => (float[1,S,N] y) { y = MatMul(x, w) }"


def stored(folder: Path, form: str, rows: int = 16, head: tuple[int, ...] = ()) -> tuple[WeightRecipe, np.ndarray]:
    """A weight [rows, INNER] in a file, and its numbers."""
    blocks = random_blocks(form, rows * INNER // BLOCK_FORMS[form].elements)
    if form == "MXFP4":
        blocks[:, 0] = blocks[:, 0] % 16 + 112
    file = folder / f"{form}{len(head)}.gguf"
    file.write_bytes(blocks.tobytes())
    numbers = unpack(form, blocks.tobytes()).values().reshape(rows, INNER)
    recipe = WeightRecipe.of(StoredWeight(str(file), 0, form, (rows, INNER), "w", head_size=head))
    return recipe, ordered_rows(numbers, head[0] if head else 0)


def product(recipe: WeightRecipe, columns: int, settings: QuantizeSettings = EXACT) -> tuple[np.ndarray, ir.Model]:
    """The product of the identity and the weight, which is the weight [N,K]; and the graph."""
    turned = WeightRecipe(
        tuple(replace(part, axes=(1, 0)) for part in recipe.parts),
        (INNER, columns), axis=1,
    )  # fmt: skip
    model = parse(PRODUCT.replace("N", str(columns)), w=np.zeros((INNER, columns), np.float32))
    model.graph.initializers["w"].const_value = recipe_tensor(turned, "w")
    assert run_method(model, METHODS["stored"], settings).modified
    run = ort.InferenceSession(ir.to_proto(model).SerializeToString(), providers=["CPUExecutionProvider"])
    return run.run(None, {"x": np.eye(INNER, dtype=np.float32)[None]})[0][0].T, model


@pytest.mark.parametrize("form", BLOCK_FORMS)
def test_the_weight_is_that_of_the_checkpoint(tmp_path: Path, form: str) -> None:
    """To the bit (but for the sign of zero) without minimums, with them to their rounding, 1/8192 of a step."""
    recipe, wanted = stored(tmp_path, form)
    found, model = product(recipe, 16)
    if HELD_FORMS[form].minimums:
        steps = unpack(form, Path(recipe.parts[0].file).read_bytes()).scales.max()
        np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=float(steps) * 15 / 8192)
        inside = np.abs(found - wanted) <= np.abs(wanted).max() * 1e-4
        assert inside.mean() > 0.95
    else:
        np.testing.assert_array_equal(found, wanted)
    operators = [node.op_type for node in model.graph]
    assert operators.count("MatMulNBits") == 1 and ("ReduceSum" in operators) == HELD_FORMS[form].minimums
    held = sum(value.const_value.nbytes for value in model.graph.initializers.values() if value.const_value)
    assert held == pytest.approx(wanted.size * HELD_FORMS[form].bytes_a_number, rel=0.02)


def test_every_form_that_is_read_is_held() -> None:
    assert {*HELD_FORMS} == {*BLOCK_FORMS}
    assert HELD_FORMS["Q4_K"].joined(HELD_FORMS["Q6_K"]) == HeldForm(8, 16, minimums=True)
    assert HELD_FORMS["Q4_1"].bytes_a_number * 32 == 16 + 2 + 0.5 + 2
    assert HELD_FORMS["Q4_K"].bytes_a_number * 32 == 16 + 4 + 0.5 + 2


def test_weights_of_several_forms_become_one_product(tmp_path: Path) -> None:
    """As query, key and value, in the finest of their forms, with the rows of heads in order."""
    one, first = stored(tmp_path, "Q5_0", head=(8, INNER))
    two, second = stored(tmp_path, "Q8_0", rows=8)
    joined = join_recipes([one, two], 0)
    assert joined is not None
    np.testing.assert_array_equal(product(joined, 24)[0], np.concatenate([first, second]))
    three, third = stored(tmp_path, "Q6_K", rows=8)
    mixed = join_recipes([two, three], 0)
    assert mixed is not None
    np.testing.assert_array_equal(product(mixed, 16)[0], np.concatenate([second, third]))


@pytest.mark.parametrize("form", ["Q8_0", "Q4_0", "Q4_1", "Q6_K"])
def test_rows_of_a_table_and_the_head_that_is_tied_to_it(tmp_path: Path, form: str) -> None:
    recipe, wanted = stored(tmp_path, form, rows=32)
    text = """g (int64[1,S] ids) => (float[1,S,512] rows, float[1,S,32] y) {
        rows = Gather <axis = 0> (w, ids)
        t = Transpose <perm = [1, 0]> (w)
        y = MatMul(rows, t)
    }"""
    model = parse(text, w=weights(32, INNER))
    model.graph.initializers["w"].const_value = recipe_tensor(recipe, "w")
    run_method(model, METHODS["stored"], EXACT)
    run = ort.InferenceSession(ir.to_proto(model).SerializeToString(), providers=["CPUExecutionProvider"])
    rows, logits = run.run(None, {"ids": np.array([[3, 31, 0]])})
    np.testing.assert_allclose(rows[0], wanted[[3, 31, 0]], rtol=0, atol=1e-4 if form == "Q4_1" else 0)
    np.testing.assert_allclose(logits[0], wanted[[3, 31, 0]] @ wanted.T, rtol=1e-4, atol=2e-2)
    assert "GatherBlockQuantized" in [node.op_type for node in model.graph]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("tied", [False, True])
def test_a_table_in_16_bits_stays_so(tmp_path: Path, dtype: str, tied: bool) -> None:
    """Unless a product reads it as well; NaN in any row is refused."""
    file, numbers = tmp_path / "table", weights(32, INNER).astype(getattr(ml_dtypes, dtype, dtype))
    file.write_bytes(numbers.tobytes())
    text = "g (int64[1,S] ids) => (float[1,S,512] rows, float[1,S,32] y) { rows = Gather <axis = 0> (w, ids) END }"
    end = "t = Transpose <perm = [1, 0]> (w) y = MatMul(rows, t)" if tied else "y = MatMul(rows, v)"
    model = parse(text.replace("END", end), w=weights(32, INNER), **({} if tied else {"v": weights(INNER, 32)}))
    recipe = WeightRecipe.of(StoredWeight(str(file), 0, dtype, (32, INNER), "w"))
    model.graph.initializers["w"].const_value = recipe_tensor(recipe, "w")
    assert run_method(model, METHODS["stored"], EXACT).modified == (not tied)
    if tied:
        return
    assert model.graph.initializers[f"w.{dtype}"].const_value.nbytes == numbers.nbytes
    assert "w" not in model.graph.initializers
    run = ort.InferenceSession(ir.to_proto(model).SerializeToString(), providers=["CPUExecutionProvider"])
    rows = run.run(["rows"], {"ids": np.array([[3, 31, 0]])})[0]
    np.testing.assert_array_equal(rows[0], numbers[[3, 31, 0]].astype(np.float32))
    numbers[30, 7] = np.nan
    file.write_bytes(numbers.tobytes())
    again = parse(text.replace("END", end), w=weights(32, INNER), v=weights(INNER, 32))
    again.graph.initializers["w"].const_value = recipe_tensor(recipe, "w")
    run_method(again, METHODS["stored"], EXACT)
    with pytest.raises(CheckpointError, match="the weight w holds NaN or infinite values"):
        again.graph.initializers[f"w.{dtype}"].const_value.numpy()


def test_what_is_no_weight_in_blocks_stays(tmp_path: Path) -> None:
    model = parse(PRODUCT.replace("N", "16"), w=weights(INNER, 16))
    report = run_method(model, METHODS["stored"], EXACT)
    assert not report.modified and report.refused[0].reason == "it is no weight of the checkpoint by itself"
    plain = StoredWeight(str(tmp_path / "f"), 0, "float32", (16, INNER), "w", (1, 0))
    model.graph.initializers["w"].const_value = recipe_tensor(WeightRecipe.of(plain), "w")
    assert run_method(model, METHODS["stored"], EXACT).refused[0].reason == "the checkpoint stores it in float32"


def packed(folder: Path, number: int, rows: int, **own: Any) -> tuple[WeightRecipe, np.ndarray]:
    """A weight [rows, INNER] of GPTQ in a file, and its numbers."""
    tensors, weight = gptq(np.random.default_rng(number), rows, INNER, **own)
    settings = {"quant_method": "gptq", "bits": own.get("bits", 4), "group_size": own.get("group", 64)}
    checkpoint = open_checkpoint(str(write_layer(folder / str(number), settings, "layer", tensors)))
    info = checkpoint.tensors["layer.weight"]
    assert info.packed is not None
    within = info.packed.within(checkpoint.folder)
    return WeightRecipe.of(StoredWeight(info.file, 0, info.dtype, info.shape, "layer.weight", packed=within)), weight


@pytest.mark.parametrize("order", ["", "shared"])
@pytest.mark.parametrize(("bits", "group"), [(4, 32), (4, 128), (8, 64), (4, -1)])
def test_packed_weights_are_held_to_the_bit(tmp_path: Path, bits: int, group: int, order: str) -> None:
    recipe, wanted = packed(tmp_path, 1, 24, bits=bits, group=group, order=order)
    found, model = product(recipe, 24)
    np.testing.assert_array_equal(found, wanted)
    (node,) = [node for node in model.graph if node.op_type == "MatMulNBits"]
    assert node.attributes.get_int("bits") == bits and node.attributes.get_int("block_size") == min(group % 1024, 128)
    assert [node.op_type for node in model.graph].count("Gather") == (1 if order and group != -1 else 0)


def test_products_of_one_order_share_its_gather_and_others_are_joined(tmp_path: Path) -> None:
    one, first = packed(tmp_path, 1, 16, order="shared")
    two, second = packed(tmp_path, 2, 8, order="shared")
    three, third = packed(tmp_path, 3, 8, order="own")
    joined = join_recipes([one, two], 0)
    mixed = join_recipes([one, two, three], 0)
    assert joined is not None and mixed is not None
    found, model = product(joined, 24)
    np.testing.assert_array_equal(found, np.concatenate([first, second]))
    assert [node.op_type for node in model.graph].count("MatMulNBits") == 1
    found, model = product(mixed, 32)
    np.testing.assert_array_equal(found, np.concatenate([first, second, third]))
    operators = [node.op_type for node in model.graph]
    assert (operators.count("MatMulNBits"), operators.count("Gather"), operators.count("Concat")) == (2, 2, 1)
    text = "g (float[1,S,512] x) => (float[1,S,16] a, float[1,S,8] b) { a = MatMul(x, v) b = MatMul(x, w) }"
    model = parse(text, v=weights(INNER, 16), w=weights(INNER, 8))
    for name, recipe in (("v", one), ("w", two)):
        turned = recipe.transposed((1, 0))
        assert turned is not None
        model.graph.initializers[name].const_value = recipe_tensor(turned, name)
    run_method(model, METHODS["stored"], EXACT)
    assert [node.op_type for node in model.graph if node.op_type != "Cast"] == ["Gather", "MatMulNBits", "MatMulNBits"]
    run = ort.InferenceSession(ir.to_proto(model).SerializeToString(), providers=["CPUExecutionProvider"])
    results = run.run(None, {"x": np.eye(INNER, dtype=np.float32)[None]})
    np.testing.assert_array_equal(results[0][0].T, first)
    np.testing.assert_array_equal(results[1][0].T, second)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = make_model("llama", tie_word_embeddings=True, num_hidden_layers=2)

    def kind_of(name: str, array: Any) -> int:
        return Q8_0 if name == "token_embd.weight" else Q4_1 if array.ndim > 1 else F32

    tensors = tensors_of("llama", model, kind_of)
    metadata = metadata_of("llama", model.config)
    return write_gguf(tmp_path_factory.mktemp("gguf") / "m.gguf", metadata, tensors)


@pytest.mark.slow
def test_a_bundle_of_a_file_holds_its_integers_by_default(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workflows.export import stand_ins

    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
    messages: list[str] = []
    options = {"capacity": 96, "check": "quick", "quantize": {"accuracy_level": 0}}
    build(
        BuildRequest(str(source), tmp_path / "out", options), lambda e: messages.append(str(getattr(e, "message", "")))
    )
    assert any(
        line.startswith("The bundle holds the weights as the checkpoint stores them: 14 in Q4_1 as 4-bit")
        for line in messages
    )
    graph = onnx.load(tmp_path / "out" / "decoder.onnx", load_external_data=False).graph
    operators = [node.op_type for node in graph.node]
    assert operators.count("MatMulNBits") >= 9 and operators.count("GatherBlockQuantized") == 1
    last = load_evidence(tmp_path / "out")[-1]
    assert last["precision"] == "stored" and 0 < last["parity"]["max_abs_diff"] < 1e-3


def test_a_checkpoint_without_blocks_has_nothing_stored(tmp_path: Path) -> None:
    with pytest.raises(
        RecipeError, match=r"stored in blocks of integers, such as GGUF, and this one stores \w+: choose"
    ):
        build(BuildRequest("demo:qwen3", tmp_path / "out", {"precision": "stored"}))
    with pytest.raises(JoineryError, match="does not support precision stored"):
        build(BuildRequest("demo:qwen3", tmp_path / "out", {"precision": "stored", "target": "openvino"}))
