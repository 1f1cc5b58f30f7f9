"""A target that counts round a circle, and heads of every shape that do or don't know it.

table[t]: the token t as a point on four circles     TURN: from each token's point to that of the next
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.workflows.runtime.toy_bundles import FLOAT, INT, D, H, Net, Toy, V, attention, heads

FREQUENCIES = (1, 3, 7, 11)


def _turned(angle: float) -> NDArray[np.float64]:
    """[D, D]: each pair of numbers turned by its frequency times the angle."""
    found = np.zeros((D, D))
    for i, frequency in enumerate(FREQUENCIES):
        c, s = np.cos(frequency * angle), np.sin(frequency * angle)
        found[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return found


TURN = _turned(2 * np.pi / V)
TABLE = np.array([np.tile([1.0, 0.0], 4) @ _turned(2 * np.pi * token / V) for token in range(V)])
NEXT = 5 * np.roll(TABLE, -1, axis=0).T[:, np.argsort((np.arange(V) + 2) % V)]  # [D, V]: largest at the next token


class Circle(Toy):
    """After t comes t + 1, whatever was before."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.exposes = True
        self.weights |= {"table": TABLE, "head": NEXT, "places": 0 * self.weights["places"]}
        self.weights |= {f"{i}.o": np.zeros((D, D)) for i in range(len(self.layers))}


def write_heads(folder: Path, kind: str, right: bool = True, columns: int | str = "n", count: int = 3) -> None:
    """heads.onnx. kind: `medusa`, `medusa last` (heads behind the tokens), `mtp`, `eagle`, `eagle cached`."""
    net, turn = Net(), TURN if right else _turned(0.7)
    inputs: dict[str, Any] = {"hidden_states": (FLOAT, [1, columns, D])}
    outputs: dict[str, Any] = {}
    x = "hidden_states"
    if kind.startswith("medusa"):
        axis = 2 if kind == "medusa last" else 0
        rows = []
        for _ in range(count):
            x = net("MatMul", x, net.const(turn))
            rows.append(net("Unsqueeze", net("MatMul", x, net.const(NEXT)), net.const([axis], np.int64)))
        net("Concat", *rows, axis=axis, out="logits")
        outputs["logits"] = (FLOAT, [1, columns, count, V] if axis else [count, 1, columns, V])
        net.save(folder / "heads.onnx", inputs, outputs)
        return
    inputs["input_ids"] = (INT, [1, columns])
    own = net("Gather", net.const(TABLE if right else np.roll(TABLE, 5, axis=0)), "input_ids")
    x = net("Mul", net("Add", net("MatMul", x, net.const(turn)), own), net.const(0.5))
    if kind == "eagle cached":
        x = _attending(net, x, columns, inputs, outputs)
    net("MatMul", x, net.const(NEXT), out="logits")
    outputs["logits"] = (FLOAT, [1, columns, V])
    if kind.startswith("eagle"):
        net("Identity", x, out="hidden_states_out")
        outputs["hidden_states_out"] = (FLOAT, [1, columns, D])
    net.save(folder / "heads.onnx", inputs, outputs)


MIX = np.random.default_rng(3).normal(0, 0.3, (4, D, D))


def _attending(net: Net, x: str, columns: int | str, inputs: dict[str, Any], outputs: dict[str, Any]) -> str:
    """A layer with keys and values of its own."""
    q, k, v, o = (net.const(one) for one in MIX)
    inputs["position_ids"], inputs["attention_mask"] = (INT, [1, columns]), (FLOAT, [1, 1, columns, "total"])
    both = []
    for role, weights in (("key", k), ("value", v)):
        new, past = heads(net, net("MatMul", x, weights)), f"past_key_values.0.{role}"
        inputs[past], outputs[f"present.0.{role}"] = (FLOAT, [1, H, "slots", D // H]), (FLOAT, [1, H, columns, D // H])
        net("Identity", new, out=f"present.0.{role}")
        both.append(net("Concat", past, new, axis=2))
    far = net("Cast", "position_ids", to=FLOAT)
    placed = net("Mul", net("Unsqueeze", far, net.const([2], np.int64)), net.const(0.01))
    return net("Add", net("Add", x, attention(net, x, both[0], both[1], "attention_mask", q, o)), placed)


def attended(pairs: NDArray[np.float64], tokens: list[int]) -> NDArray[np.float64]:
    """The same in numpy: the own hidden state after the last of [n, D] hidden states and their n tokens."""
    x = 0.5 * (pairs @ TURN + TABLE[tokens])
    q, k, v = ((x @ one).reshape(len(x), H, -1) for one in MIX[:3])
    scores = np.einsum("hd,khd->hk", q[-1], k) * (D // H) ** -0.5
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = np.einsum("hk,khd->hd", shares / shares.sum(-1, keepdims=True), v).reshape(D)
    return np.asarray(x[-1] + mixed @ MIX[3] + 0.01 * (len(x) - 1))
