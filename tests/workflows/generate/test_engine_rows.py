"""Texts that are generated at once: each is what its engine gives alone, whatever its options and however many wait."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from workflows.builder import BuildRequest, build
from workflows.common.errors import Cancelled, RequestError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.engine_rows import EngineRows
from workflows.wire.events import Event, GenerationDone, TokenEvent

ROWS = 3
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"temperature": 0.8, "seed": 5}, {"repetition_penalty": 1.3},
                                       {"regex": "[0-9]{2,6}"}, {"stop": ("5",)})  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("rows") / "bundle"
    options = {"capacity": 160, "chunk": 32, "batch": ROWS, "check": "quick"}
    build(BuildRequest("demo:qwen3", folder, options))
    with open_engine(folder) as one:
        yield one


def done(events: Iterator[Event]) -> tuple[list[int], str, str]:
    *_, last = events
    assert isinstance(last, GenerationDone)
    return list(last.token_ids), last.text, last.finish_reason


def jobs(engine: Engine, count: int = 15) -> list[tuple[list[int], GenerateOptions]]:
    chances = random.Random(2)
    questions = [
        f"What is {chances.randrange(10)} times {chances.randrange(10)}?" * (1 + 4 * (i % 3)) for i in range(count)
    ]
    return [
        (
            engine.encode(text)[:110],
            GenerateOptions(max_new_tokens=chances.randrange(1, 30), **OPTIONS[i % len(OPTIONS)]),
        )
        for i, text in enumerate(questions)
    ]


def test_each_text_is_what_it_is_alone(engine: Engine) -> None:
    """Fifteen texts on three rows: greedy, sampled by a seed, penalized, constrained and stopped ones."""
    asked = jobs(engine)
    alone = [done(engine.generate(*job)) for job in asked]
    results: dict[int, object] = {}
    with EngineRows(engine, ROWS) as rows:

        def work(number: int) -> None:
            try:
                results[number] = done(rows.generate(*asked[number]))
            except BaseException as error:  # noqa: BLE001 - shown by the comparison
                results[number] = error

        threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(len(asked))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert [results.get(number) for number in range(len(asked))] == alone
    assert done(engine.generate(*asked[0])) == alone[0], "the engine itself goes on"


def test_a_text_that_is_left_gives_its_row_back(engine: Engine) -> None:
    prompt = engine.encode("What is 8 times 7?")
    with EngineRows(engine, 1) as rows:
        events = rows.generate(prompt, GenerateOptions(max_new_tokens=20))
        assert any(isinstance(event, TokenEvent) for event in events)
        with pytest.raises(Cancelled, match="cancelled before a row was free"):
            list(rows.generate(prompt, GenerateOptions(), lambda: True))
        events.close()
        assert done(rows.generate(prompt, GenerateOptions(max_new_tokens=9))) == done(
            engine.generate(prompt, GenerateOptions(max_new_tokens=9))
        )


def test_another_adapter_than_the_others_is_refused(engine: Engine) -> None:
    with EngineRows(engine, 1) as rows, pytest.raises(RequestError, match="All rows run with one adapter, none now"):
        list(rows.generate([5], GenerateOptions(adapter="mine")))
