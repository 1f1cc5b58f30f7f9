"""The table of preconditions against onnxruntime itself: each kernel takes a node exactly where its row says so."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS, layout_violation
from workflows.recipe.schema import BLOCK_SIZES, SCATTER_FROM, Cache
from workflows.runtime.loading.sessions import ORT_ERRORS

HEAD_SIZES = (2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 40, 64, 72, 80, 96, 100, 128, 192, 256)
Arrays = dict[str, np.ndarray]


def run(
    op: str, feeds: Arrays, stored: Arrays | None = None, opset: int = 24, outputs: int = 1, **attributes: Any
) -> Any:
    """The outputs of one node; feeds and then stored are its inputs, in their order or by `order`.

    Raises what onnxruntime raises.
    """
    stored, order = stored or {}, attributes.pop("order", [*feeds, *(stored or {})])
    domain = "com.microsoft" if op in ("GroupQueryAttention", "MatMulNBits", "GatherBlockQuantized") else ""
    kinds = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in feeds.items()}
    first = kinds[next(iter(kinds))]
    names = [f"out{i}" for i in range(outputs)]
    kind = TensorProto.FLOAT if op == "GatherBlockQuantized" else first
    graph = helper.make_graph(
        [helper.make_node(op, order, names, domain=domain, **attributes)],
        "one",
        [helper.make_tensor_value_info(name, kinds[name], array.shape) for name, array in feeds.items()],
        [helper.make_tensor_value_info(name, kind, None) for name in names],
        [numpy_helper.from_array(array, name) for name, array in stored.items()],
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=11)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def takes(*args: Any, **named: Any) -> bool:
    """Whether onnxruntime takes the node."""
    try:
        run(*args, **named)
    except ORT_ERRORS:
        return False
    return True


def heads(size: int, dtype: str = "float32", rotated: int = 0) -> Arrays:
    """Inputs of GroupQueryAttention: three tokens behind five, four heads that share two."""
    chances = np.random.default_rng(size)
    shapes = {"q": (1, 3, 4 * size), "k": (1, 3, 2 * size), "v": (1, 3, 2 * size)}
    shapes |= dict.fromkeys(("pk", "pv"), (1, 2, 16, size))
    arrays = {name: chances.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
    arrays |= {"last": np.array([7], np.int32), "total": np.array([8], np.int32)}
    angles = chances.standard_normal((16, rotated // 2))
    tables = {"cos": np.cos(angles).astype(dtype), "sin": np.sin(angles).astype(dtype)}
    return arrays | (tables if rotated else {})


def group_query(size: int, dtype: str = "float32", rotated: int = 0) -> dict[str, Any]:
    named = {"num_heads": 4, "kv_num_heads": 2, "do_rotary": int(rotated > 0)}
    return {"op": "GroupQueryAttention", "feeds": heads(size, dtype, rotated), "outputs": 3, **named}


def attended(feeds: Arrays, bias: np.ndarray | float = 0.0) -> np.ndarray:
    """[3,4·D]: what attention over these is, in numpy. bias: [4,3,8]."""
    size = feeds["pk"].shape[3]
    query = feeds["q"].reshape(3, 4, size).transpose(1, 0, 2)
    key, value = (
        np.concatenate([feeds[past][0, :, :5], feeds[new].reshape(3, 2, size).transpose(1, 0, 2)], 1).repeat(2, 0)
        for past, new in (("pk", "k"), ("pv", "v"))
    )
    scores = query @ key.transpose(0, 2, 1) / np.sqrt(size) + bias
    scores += np.where(np.arange(3)[:, None] + 5 >= np.arange(8), 0, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(3, 4 * size)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_group_query_attention_takes_the_heads_that_the_table_says(dtype: str) -> None:
    """And is right for each of them."""
    kernel = KERNEL_CONSTRAINTS["GroupQueryAttention"]
    told = {size: not kernel.violation(head_size=size, dtype=dtype) for size in HEAD_SIZES}
    assert {size: takes(**group_query(size, dtype)) for size in HEAD_SIZES} == told
    for size in (size for size, taken in told.items() if taken):
        node = group_query(size, dtype)
        expected = attended({name: array.astype("float64") for name, array in node["feeds"].items()})
        np.testing.assert_allclose(run(**node)[0][0], expected, atol=5e-3 if dtype == "float16" else 1e-5)


def test_group_query_attention_takes_a_bias_of_the_valid_tokens() -> None:
    """One column for each of them, and not for each slot of its buffer; ALiBi's is of that size."""
    node = group_query(16)
    unused = ["", "", ""]  # the tables of rotary positions, and positions
    order = [*node["feeds"], *unused, "bias"]
    bias = np.random.default_rng(0).standard_normal((1, 4, 3, 8)).astype("float32")
    feeds = {name: array.astype("float64") for name, array in node["feeds"].items()}
    found = run(**node | {"feeds": node["feeds"] | {"bias": bias}, "order": order})[0][0]
    np.testing.assert_allclose(found, attended(feeds, bias[0]), atol=1e-5)
    for columns in (7, 16):
        wrong = np.zeros((1, 4, 3, columns), "float32")
        assert not takes(**node | {"feeds": node["feeds"] | {"bias": wrong}, "order": order})


def test_group_query_attention_rotates_what_the_table_says() -> None:
    kernel = KERNEL_CONSTRAINTS["GroupQueryAttention with rotary positions"]
    sizes = [(head, part) for head in (8, 16, 24, 32, 40, 80, 96) for part in range(2, head + 1, 2)]
    told = {pair: not kernel.violation(head_size=pair[0], rotary_size=pair[1]) for pair in sizes}
    assert {pair: takes(**group_query(pair[0], rotated=pair[1])) for pair in sizes} == told


def test_group_query_attention_without_new_rows_attends_to_the_buffer() -> None:
    """As layers do that read another layer's keys (export/in_place.py): it writes nothing and returns the same."""
    node = group_query(16)
    output, *present = run(**node)
    none = np.zeros((1, 0, 32), np.float32)
    node["feeds"] |= {"k": none, "v": none, "pk": present[0], "pv": present[1]}
    np.testing.assert_allclose(run(**{**node, "outputs": 1})[0], output, atol=1e-6)


def test_keys_and_values_have_one_size() -> None:
    node = group_query(16)
    node["feeds"] |= {name: heads(24)[name] for name in ("v", "pv")}
    assert not takes(**node)
    assert "one size alone, not 16 and 24" in KERNEL_CONSTRAINTS["GroupQueryAttention"].violation(
        head_size=16, value_size=24
    )
    assert "one size alone" in layout_violation("gqa", 16, 24) and not layout_violation("static", 16, 24)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_other_types_are_not_taken(dtype: str) -> None:
    import ml_dtypes

    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    arrays = {name: a.astype(kind) if a.dtype == np.float32 else a for name, a in heads(16).items()}
    assert not takes(**(group_query(16) | {"feeds": arrays}))
    assert f"not {dtype}" in KERNEL_CONSTRAINTS["GroupQueryAttention"].violation(head_size=16, dtype=dtype)


@pytest.mark.parametrize("opset", [21, 23, 24])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_operators_of_onnx_stand_from_their_opset_on_for_heads_of_any_size(opset: int, dtype: str) -> None:
    for size in (2, 10, 12, 20, 80, 256):
        rows, half = np.ones((1, 2, 3, size), dtype), np.ones((1, 3, size // 2), dtype)
        for name, node in {
            "Attention": {"feeds": {"q": rows, "k": rows, "v": np.ones((1, 2, 3, size + 4), dtype)}},
            "RotaryEmbedding": {"feeds": {"x": rows, "cos": half, "sin": half}},
            "RMSNormalization": {"feeds": {"x": rows, "scale": np.ones(size, dtype)}},
            "TensorScatter": {
                "feeds": {"past": np.ones((1, 8, size), dtype), "new": np.ones((1, 2, size), dtype),
                          "at": np.array([3], np.int64)},
                "axis": 1,
            },
        }.items():  # fmt: skip
            told = not KERNEL_CONSTRAINTS[name].violation(head_size=size, opset=opset, dtype=dtype)  # type: ignore[index]
            assert takes(name, opset=opset, **node) == told, (name, size)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("block", [8, 16, 24, 32, 48, 64, 96, 128, 256])
def test_weights_in_blocks_have_the_sizes_of_the_table(bits: int, block: int) -> None:
    """Rows of any length: what is no whole block is filled up."""
    for inner in (20, 36, 52, 60, 100, 130):
        blocks = -(-inner // block)
        packed = np.full((6, blocks, block * bits // 8), 0x99, np.uint8)
        scales = np.full((6, blocks), 0.5, np.float32)
        product = {
            "feeds": {"x": np.ones((1, 3, inner), np.float32)}, "stored": {"q": packed, "s": scales},
            "K": inner, "N": 6, "bits": bits, "block_size": block, "accuracy_level": 4,
        }  # fmt: skip
        gather = {
            "feeds": {"i": np.array([[0, 5]], np.int64)},
            "stored": {"q": packed.reshape(6, -1)[:, : inner * bits // 8], "s": scales}, "order": ["q", "i", "s"],
            "bits": bits, "block_size": block, "gather_axis": 0, "quantize_axis": 1,
        }  # fmt: skip
        assert takes("MatMulNBits", **product) == (not KERNEL_CONSTRAINTS["MatMulNBits"].violation(block_size=block))
        assert takes("GatherBlockQuantized", **gather) == (
            not KERNEL_CONSTRAINTS["GatherBlockQuantized"].violation(block_size=block)
        )


def test_what_a_recipe_can_say_is_in_the_table() -> None:
    """Block sizes, the opset of TensorScatter, and every layout."""
    for name in ("MatMulNBits", "GatherBlockQuantized"):
        assert not [size for size in BLOCK_SIZES if KERNEL_CONSTRAINTS[name].violation(block_size=size)]  # type: ignore[index]
    assert KERNEL_CONSTRAINTS["TensorScatter"].since == SCATTER_FROM
    assert [one for one in get_args(Cache) if layout_violation(one, 12)] == ["gqa"]
