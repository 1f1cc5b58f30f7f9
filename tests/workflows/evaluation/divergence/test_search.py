"""Where no node is wrong by itself, the one at which the error of the free runs leaps is named."""

from __future__ import annotations

from workflows.evaluation.divergence.matching import ComponentPair, ValuePair
from workflows.evaluation.divergence.search import ComparedValue, mark_jump
from workflows.evaluation.divergence.tolerance import Gap
from workflows.wire.reports.graphs import GraphNode

PART = ComponentPair("decoder", "decoder", (), {})


def row(name: str, gap: float, *reads: str) -> ComparedValue:
    node = GraphNode(name, "Add", "", "", [], [], {}, "", -1)
    pair = ValuePair(name, name, node, node, True, 4)
    return ComparedValue(PART, pair, Gap(gap, 1.0), types=("float32", "float32"), reads=list(reads))


def marked(*rows: ComparedValue, one_provider: bool = True) -> list[str]:
    mark_jump(rows, one_provider)
    return [one.pair.b for one in rows if one.parts]


def test_the_first_that_leaps() -> None:
    assert marked(row("a", 1e-7), row("b", 0.5, "a"), row("c", 0.9, "b"), row("d", 0.5, "a")) == ["b"]


def test_what_grows_step_by_step_is_nobody_s_fault() -> None:
    rows = [row("v0", 1e-6)] + [row(f"v{i}", 1e-6 * 2.0**i, f"v{i - 1}") for i in range(1, 18)]
    assert rows[-1].free.difference > 0.1
    assert marked(*rows) == []


def test_rounding_alone_is_no_leap() -> None:
    assert marked(row("a", 0.0), row("b", 1e-4, "a")) == []
    assert marked(row("a", 0.0), row("b", 2e-4, "a")) == ["b"]
    assert marked(row("a", 0.0), row("b", 0.1, "a"), one_provider=False) == []
