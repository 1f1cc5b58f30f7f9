"""Formats are timed at the sizes of a decoder's products, and rounded as builds round them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.processor.test_tuning import HERE
from workflows.bundle import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import Cancelled, RequestError
from workflows.evaluation.tuning import kernel_times, source
from workflows.evaluation.tuning.product_sizes import COMMON, Sizes, sizes_of_bundle, sizes_of_checkpoint
from workflows.processor.cores import processor_name
from workflows.processor.tuning import Tuning
from workflows.quantize.grids import BlockFormat
from workflows.wire.events import Event, ProgressEvent


def test_sizes_are_those_of_the_checkpoint_and_of_what_is_built_of_it(
    demo_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joined products are one in the graph; the numbers of weights are the same."""
    monkeypatch.setattr("workflows.evaluation.tuning.product_sizes.LEAST", 1 << 10)
    stored, built = sizes_of_checkpoint(open_checkpoint("demo:qwen3")), sizes_of_bundle(read_bundle(demo_bundle))
    numbers = [sum(n * k * count for (n, k), count in sizes.items()) for sizes in (stored, built)]
    assert numbers[0] == numbers[1] > 300_000
    assert sum(built.values()) < sum(stored.values())


def test_a_small_model_does_not_choose_for_all_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The demo's products are fastest in one thread, which would take a large model nearly twice the time."""
    timed: list[Sizes] = []

    def record(sizes: Sizes, weights: str, *_: object) -> Tuning:
        timed.append(sizes)
        return replace(HERE, weights=weights)

    monkeypatch.setenv("JOINERY_HOME", str(tmp_path))
    monkeypatch.setattr(source, "tune", record)
    assert "demo:qwen3 is too small" in source.tune_for("demo:qwen3").weights
    source.tune_for(None)
    monkeypatch.setattr(source, "SMALLEST", 1)
    assert source.tune_for("demo:qwen3").weights == "demo:qwen3"
    own = sizes_of_checkpoint(open_checkpoint("demo:qwen3"))
    assert timed == [COMMON, COMMON, own] and own != COMMON


def test_a_model_without_large_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.evaluation.tuning.product_sizes.LEAST", 1 << 30)
    with pytest.raises(RequestError, match="has no products with large weights"):
        sizes_of_checkpoint(open_checkpoint("demo:qwen3"))


def test_every_format_is_timed_and_the_finer_one_rounds_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_times, "_BYTES", 1 << 14)
    monkeypatch.setattr(kernel_times, "_ROUNDS", 2)
    events: list[Event] = []
    tuning = kernel_times.tune({(96, 130): 3, (64, 256): 1}, "two", events.append)
    assert tuning.processor == processor_name() and 0 <= tuning.others <= 1
    errors = {(one.block_size, one.symmetric): one.error for one in tuning.formats}
    assert len(errors) == 6 and all(one.step_ms > 0 and one.chunk_ms > 0 for one in tuning.formats)
    assert errors[32, False] < errors[32, True] < errors[64, False] < errors[64, True] < errors[128, False]
    told = [(event.message, event.done, event.total) for event in events if isinstance(event, ProgressEvent)]
    sizes = ("products of 130 × 96", "products of 256 × 64")
    *both, last = told
    assert both == [(sizes[index % 2], index, 5) for index in range(4)]  # the formats, then the threads
    assert last == ("prompts through 130 × 96", 4, 5)  # not through what comes once, as the head
    assert [one.tokens for one in tuning.widths] == [64, 128, 256, 512]
    assert all(one.token_ms > 0 for one in tuning.widths) and tuning.fastest_width() in kernel_times.WIDTHS


def test_threads_are_timed_up_to_the_cores_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_times, "_BYTES", 1 << 14)
    monkeypatch.setattr(kernel_times, "_ROUNDS", 2)
    asked: list[int] = []
    plain = kernel_times._session

    def session(outer: int, inner: int, how: BlockFormat, copies: int, threads: int) -> object:
        asked.append(threads)
        return plain(outer, inner, how, copies, min(threads, 2))

    monkeypatch.setattr(kernel_times, "_session", session)
    for cores, counts in ((12, [6, 9, 12]), (2, [1, 2]), (1, [1])):
        monkeypatch.setattr(kernel_times, "usable_cores", lambda cores=cores: cores)
        tuning = kernel_times.tune({(64, 64): 1}, "one")
        assert [one.threads for one in tuning.threads] == counts
        assert all(one.step_ms > 0 and one.chunk_ms > 0 for one in tuning.threads)
        assert set(asked) == {cores, *counts}  # the formats with all
        asked.clear()


def test_a_prompt_s_tokens_do_not_go_through_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int, int]] = []

    def times(outer: int, inner: int, rows: int, variants: Mapping[Any, Any], base: object) -> dict[Any, float]:
        asked.append((outer, inner, rows))
        return dict.fromkeys(variants, 1.0)

    monkeypatch.setattr(kernel_times, "_times", times)
    tuning = kernel_times.tune({(96, 64): 3, (512, 64): 1}, "a head of 512")
    assert set(asked) == {(96, 64, 1), (96, 64, kernel_times.CHUNK), (512, 64, 1)}
    assert {(one.step_ms, one.chunk_ms) for one in tuning.formats} == {(4000.0, 3000.0)}


def test_it_can_be_cancelled() -> None:
    with pytest.raises(Cancelled, match="tuning was cancelled"):
        kernel_times.tune({(96, 130): 3}, "one", cancelled=lambda: True)
