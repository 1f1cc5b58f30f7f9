"""Texts that steps continue together: each row's tokens are those of the row alone, with rows that come and go."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.workflows.families.models import DECODERS, save_decoder
from workflows.builder import BuildRequest, build
from workflows.bundle.read import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import Cancelled, CapacityError, RecipeError, RequestError
from workflows.recipe import resolve_recipe
from workflows.runtime import Machine, device_named, open_machine
from workflows.runtime.execution.row_batch import RowBatch

ROWS, CAPACITY, CHUNK = 3, 160, 32
INT4: dict[str, object] = {"precision": "int4"}
LENGTHS = (1, 2, 31, 32, 33, 64, 65, 100, 120)
SCHEDULES = int(os.environ.get("JOINERY_TEST_SCHEDULES", "40" if os.environ.get("JOINERY_EVERY_LAYOUT") else "4"))


@dataclass
class Text:
    """A prompt and what follows it. steps: how many tokens."""

    prompt: list[int]
    steps: int
    tokens: list[int] = field(default_factory=list)


def opened(source: str, folder: Path, **options: object) -> Machine:
    own = {"capacity": CAPACITY, "chunk": CHUNK, "batch": ROWS, "check": "quick", "tokenizer": False, **options}
    build(BuildRequest(source, folder, own))
    return open_machine(read_bundle(folder), device_named("cpu"))


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    with opened("demo:qwen3", tmp_path_factory.mktemp("rows") / "bundle") as one:
        yield one


def alone(machine: Machine, text: Text) -> list[int]:
    machine.cache.reset()
    for fed, phase in machine.chunks(text.prompt):
        logits = machine.step(fed, phase)
    tokens = [int(logits[-1].argmax())]
    while len(tokens) < text.steps:
        tokens.append(int(machine.step([tokens[-1]])[-1].argmax()))
    return tokens


def run_together(batch: RowBatch, texts: list[Text], chances: random.Random) -> None:
    """Texts join as rows get free and leave at their end; a chunk of each prompt is read between two steps."""
    waiting, reading, running = list(texts), dict[int, tuple[Text, Iterator]](), dict[int, Text]()
    while waiting or reading or running:
        while waiting and (row := batch.join()) is not None:
            text = waiting.pop()
            reading[row] = text, iter(list(batch.rows[row].chunks(text.prompt)))
        for row, (text, chunks) in list(reading.items()):
            if chunk := next(chunks, None):
                text.tokens[:] = [int(batch.rows[row].step(*chunk)[-1].argmax())]
            else:
                del reading[row]
                running[row] = text
        fed = {row: text.tokens[-1] for row, text in running.items() if len(text.tokens) < text.steps}
        chosen = {row: token for row, token in fed.items() if chances.random() < 0.9}
        for row, logits in batch.step(chosen).items():
            running[row].tokens.append(int(logits.argmax()))
        for row in [row for row, text in running.items() if len(text.tokens) >= text.steps]:
            batch.leave(row)
            del running[row]


def texts_of(machine: Machine, chances: random.Random, count: int = 9) -> list[Text]:
    return [
        Text(
            [chances.randrange(5, machine.vocabulary) for _ in range(chances.choice(LENGTHS))], chances.randrange(1, 40)
        )
        for _ in range(count)
    ]


def compare(machine: Machine, seed: int) -> None:
    chances = random.Random(seed)
    texts = texts_of(machine, chances)
    with RowBatch(machine, ROWS) as batch:
        run_together(batch, texts, chances)
        assert batch.used == ()
    for text in texts:
        assert text.tokens == alone(machine, text), f"{len(text.prompt)} tokens"


@pytest.mark.parametrize("seed", range(SCHEDULES))
def test_each_row_s_tokens_are_those_of_the_row_alone(machine: Machine, seed: int) -> None:
    compare(machine, seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [INT4, {"precision": "fp16"}, {"kv_dtype": "int8", "tokenizer": True}, INT4 | {"fast_prefill": True}],
    ids=str,
)
def test_precisions(options: dict[str, object], tmp_path: Path) -> None:
    with opened("demo:qwen3", tmp_path / "bundle", **options) as one:
        compare(one, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemma3_text", "mistral", "qwen3_moe", "gpt2", "opt", "phi3"])
def test_families(name: str, tmp_path: Path) -> None:
    """Windows of 24, experts, learned positions."""
    assert name in DECODERS
    with opened(str(save_decoder(name, tmp_path / "checkpoint")), tmp_path / "bundle") as one:
        compare(one, 5)


def test_rows_join_and_leave(machine: Machine) -> None:
    machine.cache.reset()
    machine.step([7, 8, 9], "prefill")
    with RowBatch(machine, 2) as batch:
        assert (batch.join(), batch.join(), batch.join()) == (0, 1, None)
        batch.rows[0].step([5], "prefill")
        batch.leave(0)
        assert batch.used == (1,) and batch.join() == 0 and batch.rows[0].cache.length == 0
        assert batch.step({}) == {}
        batch.leave(1)
        for action in (lambda: batch.leave(1), lambda: batch.step({1: 5}), lambda: batch.step({7: 5})):
            with pytest.raises(RequestError, match=r"Row [17] is not taken"):
                action()
    assert machine.cache.length == 3, "the machine's own cache is no row"
    assert len(machine.step([4])) == 1, "and its sessions stay open"


def test_a_full_row_stops_no_other(machine: Machine) -> None:
    with RowBatch(machine, 2) as batch:
        for row, length in ((0, CAPACITY), (1, 1)):
            assert batch.join() == row
            for fed, phase in batch.rows[row].chunks([5] * length):
                batch.rows[row].step(fed, phase)
        with pytest.raises(CapacityError, match="The cache holds 160 tokens"):
            batch.step({0: 5, 1: 5})
        assert [row.cache.length for row in batch.rows] == [CAPACITY, 1]
        batch.step({1: 5})
        assert [row.cache.length for row in batch.rows] == [CAPACITY, 2]


def test_a_stopped_batch_goes_on(machine: Machine) -> None:
    with RowBatch(machine, 1) as batch:
        row = batch.join()
        assert row == 0
        batch.rows[0].step([5, 6], "prefill")
        batch.stop()
        for action in (lambda: batch.step({0: 5}), lambda: batch.rows[0].step([5])):
            with pytest.raises(Cancelled):
                action()
        batch.resume()
        batch.step({0: 5})
        assert batch.rows[0].cache.length == 3
    with pytest.raises(RequestError, match="closed"):
        batch.step({0: 5})


def test_a_bundle_of_one_text_says_so(demo_bundle: Path) -> None:
    with open_machine(read_bundle(demo_bundle), device_named("cpu")) as one:
        wanted = (
            "cannot continue several texts in a step, for the static cache takes one mask for all columns of a run: "
        )
        with pytest.raises(RequestError, match=wanted):
            RowBatch(one, 2)
        assert one.cache.length == 0


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        (
            "demo:qwen3",
            {"cache": "static"},
            "A batch needs --cache gqa, whose rows know nothing of each other, and not s",
        ),
        ("demo:qwen3", {"target": "qnn"}, "A batch is for the kernels of the CPU provider, and not for the target qnn"),
        ("demo:qwen3", {"precision": "w8a16"}, "A batch goes with .* and not with w8a16"),
        ("demo:qwen3", {"early_exit": 1}, "Drafts of early_exit and of hidden states continue one text"),
        ("demo:t5", {}, "A batch is for a decoder without an encoder, and not for t5"),
        ("demo:vision", {}, "A batch is for texts, and this model reads pictures or sound"),
    ],
)
def test_recipes_without_rows_are_refused(source: str, options: dict[str, object], reason: str) -> None:
    with pytest.raises(RecipeError, match=reason):
        resolve_recipe(open_checkpoint(source), {"batch": 2, **options})


def test_state_of_fixed_size_has_no_rows(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="keeps state of fixed size, of which a batch has none for each text"):
        build(BuildRequest("demo:qwen3_5", tmp_path / "bundle", {"batch": 2}))
