"""open_onnx on graphs that nobody thought of: it runs, or one sentence says what is wrong with the file."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from workflows.common.errors import GraphError, JoineryError
from workflows.runtime import open_onnx

Value = tuple[str, int, tuple[int | str, ...]]
FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64
IDS: Value = ("input_ids", INT, (1, "s"))
LOGITS: Value = ("logits", FLOAT, (1, "s", 50))


def past(name: str, kind: int = FLOAT, shape: Sequence[int | str] = (1, 2, "c", 4)) -> Value:
    """A past tensor."""
    return name, kind, tuple(shape)


def pairs(pattern: str, *layers: object, out: str = "present") -> tuple[list[Value], list[Value]]:
    """Past and present of these layers; `pattern` has a place for the layer and one for the role."""
    names = [pattern.format(layer, role) for layer in layers for role in ("key", "value")]
    presents = [name.replace("past_key_values", out) for name in names]
    return [past(name) for name in names], [past(name, shape=(1, 2, "s", 4)) for name in presents]


def save(folder: Path, inputs: Sequence[Value], outputs: Sequence[Value]) -> Path:
    """A graph whose outputs are ones of the declared shape; `s` is as long as input_ids, any other symbol 3."""
    nodes = []
    has_ids = any(name == "input_ids" for name, *_ in inputs)
    for name, kind, shape in outputs:
        sizes = [_size(nodes, f"{name}.{i}", axis if has_ids else 3) for i, axis in enumerate(shape)]
        if sizes:
            nodes.append(helper.make_node("Concat", sizes, [f"{name}.shape"], axis=0))
        else:
            value = helper.make_tensor("v", INT, [0], [])
            nodes.append(helper.make_node("Constant", [], [f"{name}.shape"], value=value))
        one = helper.make_tensor("v", kind, [1], [1])
        nodes.append(helper.make_node("ConstantOfShape", [f"{name}.shape"], [name], value=one))
    sides = [[helper.make_tensor_value_info(*value) for value in side] for side in (inputs, outputs)]
    model = helper.make_model(helper.make_graph(nodes, "g", *sides), opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    onnx.save(model, folder / "graph.onnx")
    return folder / "graph.onnx"


def _size(nodes: list[onnx.NodeProto], name: str, axis: int | str) -> str:
    """A node that gives one size as [1] int64."""
    if axis == "s":
        nodes.append(helper.make_node("Shape", ["input_ids"], [name], start=-1))
    else:
        value = helper.make_tensor("v", INT, [1], [axis if isinstance(axis, int) else 3])
        nodes.append(helper.make_node("Constant", [], [name], value=value))
    return name


@pytest.mark.parametrize(
    ("inputs", "outputs", "told"),
    [
        ([("input_ids", INT, ("n",)), *pairs("past_key_values.{}.{}", 0)[0]], 0, r"input input_ids is \['n'\] int64"),
        ([("input_ids", INT, (1, 1, 3)), *pairs("past_key_values.{}.{}", 0)[0]], 0, r"input_ids is \[1, 1, 3\] int64"),
        ([IDS, past("key_cache.0.bad"), past("value_cache.0.bad")], (), "key_cache.0.bad is named like a cache tensor"),
        ([IDS, ("cache", FLOAT, (1,))], (), "has inputs named like .*key_cache.0.*: decoder takes input_ids, cache"),
        ([IDS, past("past_key_values.0.key", TensorProto.STRING), past("past_key_values.0.value")], 0, "does not fit"),
    ],
)
def test_what_is_odd_is_named(inputs: list[Value], outputs: object, told: str, tmp_path: Path) -> None:
    """The name of the tensor, and what it is."""
    layers = outputs if isinstance(outputs, tuple) else (outputs,)
    file = save(tmp_path, inputs, [LOGITS, *pairs("past_key_values.{}.{}", *layers)[1]])
    with pytest.raises(GraphError, match=told) as raised:
        open_onnx({"decoder": file})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("merged", [True, False])
def test_optimum_s_decoder_behind_an_encoder(merged: bool, tmp_path: Path) -> None:
    """Its names are known, and what is missing to run it is said: the first run, which computes the cross cache."""
    own = pairs("past_key_values.{}.decoder.{}", 0, 1)
    cross = pairs("past_key_values.{}.encoder.{}", 0, 1)
    inputs = [("encoder_attention_mask", INT, (1, "e")), IDS, *own[0], *cross[0]]
    if merged:
        inputs += [("encoder_hidden_states", FLOAT, (1, "e", 8)), ("use_cache_branch", TensorProto.BOOL, (1,))]
    file = save(tmp_path, inputs, [LOGITS, *own[1], *(cross[1] if merged else ())])
    told = r"feeds decoder\.past_key_values\.0\.encoder\.key \(and 3 like it\), which in optimum's export"
    told = "takes use_cache_branch, .*merged" if merged else told
    with pytest.raises(GraphError, match=told):
        open_onnx({"decoder": file})


KINDS = (FLOAT, INT, TensorProto.INT32, TensorProto.FLOAT16, TensorProto.BOOL, TensorProto.DOUBLE, TensorProto.INT8)
NAMES = ("input_ids", "position_ids", "attention_mask", "cache_position", "seqlens_k", "write_indices", "source_mask",
         "nonpad_kv_seqlen", "total_sequence_length", "past_key_values.0.key", "past_key_values.0.value", "key_cache.0",
         "value_cache.0", "past_0_key", "inputs_embeds", "strange")  # fmt: skip
AXES = (1, 1, 1, 2, 3, 4, "s", "c", "c + s", "")
SOUND: dict[str, Value] = {
    value[0]: value
    for value in (IDS, ("position_ids", INT, (1, "s")), ("attention_mask", FLOAT, (1, 1, "s", "t")),
                  *pairs("past_key_values.{}.{}", 0)[0])
}  # fmt: skip
GIVEN: dict[str, Value] = {value[0]: value for value in (LOGITS, *pairs("past_key_values.{}.{}", 0)[1])}


def strange(chances: random.Random, name: str) -> Value:
    """A tensor of any type and shape."""
    return name, chances.choice(KINDS), tuple(chances.choice(AXES) for _ in range(chances.randrange(6)))


def disturb(chances: random.Random, values: dict[str, Value]) -> list[Value]:
    """Up to three tensors changed, dropped or added."""
    found = dict(values)
    for _ in range(chances.randrange(4)):
        name = chances.choice((*values, *NAMES))
        if chances.random() < 0.2:
            found.pop(name, None)
        else:
            found[name] = strange(chances, name)
    return list(found.values()) or [strange(chances, "strange")]


def test_any_graph_runs_or_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Random ranks, types and names at the edge of a graph; onnxruntime itself refuses some."""
    chances, ran = random.Random(5), 0
    for number in range(400):
        inputs, outputs = disturb(chances, SOUND), disturb(chances, GIVEN)
        try:
            machine = open_onnx({"decoder": save(tmp_path, inputs, outputs)}, capacity=16)
            for tokens, phase in machine.chunks([3, 4, 5]):
                machine.step(tokens, phase)
            ran += 1
        except JoineryError as error:
            assert str(error).strip() and "\n" not in str(error), (number, str(error))
        except Exception as error:
            raise AssertionError((number, inputs, outputs)) from error
    assert ran > 20


@pytest.mark.parametrize("field", [b"input_ids", b"logits"])
def test_a_name_that_is_no_text_is_refused(tmp_path: Path, field: bytes) -> None:
    """onnxruntime takes it as it is, and fails over it when it is asked for names or says what is wrong."""
    path = save(tmp_path, [IDS], [LOGITS])
    path.write_bytes(path.read_bytes().replace(field, b"\xb7" + field[1:]))
    with pytest.raises(GraphError, match="contains a name that is not valid UTF-8"):
        open_onnx({"graph": path})
