"""What makes a file's speculative strategy unusable: states that cannot be rewound, other vocabularies and layers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from workflows.runtime.program.draft_pipeline import draft_faults


def program(carried: bool = False, vocabulary: object = 9, layers: int = 1) -> Any:
    logits = (("decode", "logits"), SimpleNamespace(shape=(1, "rows", vocabulary)))
    state = [SimpleNamespace(layer=layer) for layer in range(layers)]
    return SimpleNamespace(all_carried=[1] * carried, decode=SimpleNamespace(logits=logits), state=state)


def faults(target: Any, draft: Any, producer: str = "model", depth: int = 1) -> list[str]:
    strategy = SimpleNamespace(draft=SimpleNamespace(producer=producer, depth=depth))
    pipeline: Any = SimpleNamespace(pipeline=SimpleNamespace(strategy=strategy))
    return [fault.message for fault in draft_faults(pipeline, target, draft)]


def test_a_file_without_a_strategy_has_no_fault() -> None:
    pipeline: Any = SimpleNamespace(pipeline=SimpleNamespace(strategy=None))
    assert not list(draft_faults(pipeline, program(carried=True), None))


def test_a_state_that_cannot_be_rewound_is_a_fault_of_either() -> None:
    assert [text.split(",")[0].partition(" on ")[0] for text in faults(program(True), None)] == [
        "the target carries a state"
    ]
    assert faults(program(), None) == []
    (message,) = faults(program(), program(True))
    assert message.startswith("the draft carries a state")


def test_vocabularies_and_layers_must_agree() -> None:
    assert faults(program(), program(vocabulary=8)) == ["the draft gives logits of 8 tokens and the target of 9"]
    assert faults(program(), program(vocabulary="any")) == []
    assert faults(program(), program(layers=2), "self_speculative", 2) == []
    (message,) = faults(program(), program(layers=2), "self_speculative", 1)
    assert message == "the draft has 2 layers, and 1 are said to draft"
