"""`joinery bench`: the numbers' relations, not the clock; providers side by side; what does not fit; cancelling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import save_encoder_decoder
from tests.workflows.families.test_single import _RESNET, _TEXT, save
from tests.workflows.families.test_source_length import FIXED
from tests.workflows.runtime.test_composites import IDS, STEP, fed, opened
from tests.workflows.runtime.toy_bundles import D, Toy
from workflows.builder import BuildRequest, build
from workflows.cli import run
from workflows.common.errors import Cancelled, DeviceError, PromptError, RequestError
from workflows.generate import open_engine
from workflows.measure.bench import (
    BenchContext,
    BenchLoad,
    BenchSample,
    CompositeSubject,
    DraftRequest,
    bench,
    percentiles,
)
from workflows.measure.history import RunHistory
from workflows.measure.roofline import kv_bytes, weight_bytes
from workflows.measure.run_measures import drafts_of
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.bench import Percentiles


def test_a_row_holds_together(demo_bundle: Path) -> None:
    (row,) = bench(demo_bundle, load=BenchLoad(40, 8, 2))
    assert (row.provider, row.usable, row.prompt_tokens, row.new_tokens) == ("cpu", True, 40, 8)
    spread = row.inter_token_ms
    assert 0 < spread.p50 <= spread.p95 <= spread.p99
    assert row.prefill_tokens_per_s == pytest.approx(40 / row.ttft_ms * 1000, rel=1e-3)
    roofline = row.roofline
    share = row.decode_tokens_per_s * roofline.bytes_per_token / roofline.bandwidth_bytes_per_s
    assert roofline.share == pytest.approx(share, abs=1e-3)
    assert row.peak_rss_bytes > weight_bytes(open_engine(demo_bundle).bundle)
    assert row.memory is not None and row.memory.tokens == row.memory.capacity == row.cache.capacity
    assert row.memory.weights_bytes > 1 << 20 and not row.memory.mapped_bytes
    assert roofline.bandwidth_bytes_per_s > 1e8


def test_bytes_of_a_token(demo_bundle: Path) -> None:
    """Qwen3 of the demo: 357 k parameters of 4 bytes; 3 layers × (key + value) × 1 head × 32 × 4 bytes a token."""
    subject = CompositeSubject(open_engine(demo_bundle).bundle, "cpu")
    subject.prompt_tokens, subject.new_tokens = 40, 8
    assert len(subject.sample(lambda: False).latencies) == 8
    assert kv_bytes(subject._engine.machine) == (40 + 8 - 1) * 3 * 2 * 32 * 4
    assert 357_000 * 4 <= weight_bytes(subject._engine.bundle) <= 500_000 * 4


def test_state_of_fixed_size_is_read_whole(tmp_path: Path) -> None:
    """Beside the keys and values of the tokens: a convolution of two columns, however many tokens there were."""
    Toy(convolves=True).write(tmp_path, ["decoder"])
    machine = opened(tmp_path, STEP)
    fed(machine, IDS[:5])
    slots, state = machine.cache.view()
    assert kv_bytes(machine) == slots.bytes // slots.allocated * 5 + D * 2 * 4
    assert state.bytes == D * 2 * 4


def test_medians_and_percentiles(demo_bundle: Path) -> None:
    subject = CompositeSubject(open_engine(demo_bundle).bundle, "cpu")
    subject.prompt_tokens, subject.new_tokens = 10, 3
    samples = [BenchSample([10.0, 1.0, 3.0]), BenchSample([30.0, 4.0, 4.0]), BenchSample([20.0, 1.0, 1.0])]
    found = subject.row(BenchContext("cpu", 3, 0, 1e9), samples)
    assert (found.ttft_ms, found.prefill_tokens_per_s, found.decode_tokens_per_s) == (20, 500, 500)
    assert found.inter_token_ms.p50 == 2.0  # of 1, 1, 1, 3, 4, 4
    assert percentiles([]) == Percentiles(0, 0, 0)
    assert percentiles(list(range(101))) == Percentiles(50, 95, 99)


@pytest.mark.slow
def test_an_encoder_is_in_the_first_token(built: Built, tmp_path: Path) -> None:
    bundle = built(save_encoder_decoder("t5", tmp_path / "checkpoint"), **FIXED, cache="static")
    (row,) = bench(bundle, load=BenchLoad(repeats=1))
    assert (row.prompt_tokens, row.new_tokens) == (33, 32)  # what fits
    for sizes in ({"prompt_tokens": 34}, {"new_tokens": 33}):
        with pytest.raises(PromptError, match="takes a prompt of 33, and its cache holds 32 tokens"):
            bench(bundle, load=BenchLoad(**sizes))


def test_what_does_not_fit(demo_split_bundle: Path) -> None:
    (row,) = bench(demo_split_bundle, load=BenchLoad(250, 7, 1))  # the last one is not fed
    assert row.new_tokens == 7
    with pytest.raises(PromptError, match="250 prompt tokens and 8 new ones do not fit"):
        bench(demo_split_bundle, load=BenchLoad(250, 8))
    with pytest.raises(RequestError, match="--repeats must be at least 1, and 0 was given"):
        bench(demo_split_bundle, load=BenchLoad(repeats=0))


@pytest.mark.parametrize(("model_type", "kind", "config"), [
    ("bert", "AutoModelForSequenceClassification", _TEXT),
    pytest.param("resnet", "AutoModelForImageClassification", _RESNET, marks=pytest.mark.slow),
])  # fmt: skip
def test_one_graph(model_type: str, kind: str, config: dict[str, Any], tmp_path: Path) -> None:
    build(BuildRequest(str(save(model_type, kind, config, tmp_path / "checkpoint")), tmp_path / "out", {}))
    (row,) = bench(tmp_path / "out", load=BenchLoad(16, repeats=3))
    shape = [1, 16] if model_type == "bert" else [1, 3, 224, 224]
    assert shape in row.inputs.values()
    assert row.runs_per_s == pytest.approx(1000 / row.latency_ms.p50, rel=1e-2)
    with pytest.raises(RequestError, match="this one is a single graph"):
        bench(tmp_path / "out", load=BenchLoad(16, drafts=DraftRequest()))


def test_providers_side_by_side(demo_bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[Event] = []
    rows = bench(demo_bundle, ["cpu", "cuda"], BenchLoad(4, 2, 2), report=told.append)
    assert [row.usable for row in rows] == [True, False]
    assert rows[1].reason.startswith("NVIDIA CUDA cannot be used: ")
    messages = [event.message for event in told if isinstance(event, ProgressEvent)]
    assert messages == ["cpu: warming up", "cpu: run 1 of 2", "cpu: run 2 of 2", "done"]
    with pytest.raises(DeviceError, match="NVIDIA CUDA cannot be used"):
        bench(demo_bundle, ["cuda"])
    capsys.readouterr()
    sizes = ["--prompt-tokens", "4", "--new-tokens", "2", "--repeats", "1"]
    assert run(["bench", str(demo_bundle), *sizes, "--provider", "cpu", "--provider", "dml", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["provider"], line["usable"]) for line in lines] == [("cpu", True), ("dml", False)]
    assert run(["bench", str(demo_bundle), *sizes, "--provider", "nonsense"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run(["bench", str(demo_bundle), *sizes, "--provider", "cpu", "--provider", "dml"]) == 0
    shown = capsys.readouterr()
    assert "time to first token" in shown.out and "DirectML cannot be used" in shown.err


def test_drafts_are_measured_beside_plain_decoding(demo_bundle: Path, order: list[int]) -> None:
    """In turns, a row each; the counts are those of all counted runs, and the ratio is that of the two rows."""
    told: list[Event] = []
    load = BenchLoad(new_tokens=12, repeats=2, prompt=[5, 6, 7] * 6, drafts=DraftRequest(demo_bundle, most=3))
    plain, drafted = bench(demo_bundle, load=load, report=told.append)
    assert (plain.prompt_tokens, drafted.prompt_tokens, plain.drafts) == (18, 18, None)
    name = demo_bundle.name
    messages = [event.message for event in told if isinstance(event, ProgressEvent)]
    assert messages[:3] == ["cpu: warming up", f"cpu with {name}: warming up", "cpu: run 1 of 2"]
    assert order == [order[0], order[1]] * 3 and order[0] != order[1]
    use = drafted.drafts
    assert use is not None and (use.name, use.kept) == (name, 2 * 11)  # the first tokens are the prompt's
    assert use.accepted <= use.drafted <= 3 * use.steps and use.kept <= use.accepted + use.steps
    assert use.tokens_per_step == round(use.kept / use.steps, 4)
    assert use.accept_rate == (round(use.accepted / use.drafted, 4) if use.drafted else None)
    assert use.speedup == pytest.approx(drafted.decode_tokens_per_s / plain.decode_tokens_per_s, abs=1e-3)


def test_what_drafts_cannot_be_measured_with(demo_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PromptError, match="The prompt has 3 tokens, and --prompt-tokens asks for 4"):
        bench(demo_bundle, load=BenchLoad(4, prompt=[5, 6, 7]))
    with pytest.raises(RequestError, match="draft_tokens cannot be 99"):
        bench(demo_bundle, load=BenchLoad(2, 2, drafts=DraftRequest(most=99)))
    why = "Drafts are off."
    monkeypatch.setattr("workflows.measure.bench.select_strategy", lambda *asked: why if asked[1].ngram else None)
    plain, refused = bench(demo_bundle, load=BenchLoad(2, 2, 1, drafts=DraftRequest()))
    assert plain.usable and not refused.usable and refused.reason == why


def test_a_row_with_drafts_on_the_terminal(
    demo_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A column of its own, and lines that the plain one has nothing to say in; a run of its own is kept."""
    (tmp_path / "text.txt").write_text("one two one two one two one two one two")
    asked = ["bench", str(demo_bundle), "--prompt-file", str(tmp_path / "text.txt"), "--new-tokens", "6"]
    assert run([*asked, "--repeats", "1", "--ngram"]) == 0
    shown = capsys.readouterr().out
    assert "cpu + ngram" in shown and "tokens per step" in shown and "decode, beside plain" in shown
    kept, plain = RunHistory().runs("bench", last=2)
    assert (drafts_of(kept), drafts_of(plain)) == ("ngram", "")
    assert kept.figures["kept"] == 5 and "speedup" in kept.figures and "steps" not in plain.figures
    assert run([*asked, "--ngram", "--draft", str(demo_bundle)]) == 2
    assert "give --draft, --ngram or --no-drafts" in capsys.readouterr().err


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Which subject had its turn."""
    found: list[int] = []
    real = CompositeSubject.sample

    def sample(self: CompositeSubject, cancelled: Any) -> BenchSample:
        found.append(id(self))
        return real(self, cancelled)

    monkeypatch.setattr(CompositeSubject, "sample", sample)
    return found


def test_lanes_take_turns(demo_bundle: Path, order: list[int]) -> None:
    bench(demo_bundle, ["cpu", "CPUExecutionProvider"], BenchLoad(2, 2, 2))
    assert len(order) == 6 and len(set(order)) == 2
    assert np.array_equal(order[0::2], [order[0]] * 3)  # one after the other, round by round


def test_cancelling(demo_bundle: Path) -> None:
    asked = iter([False] * 3 + [True] * 1000)
    with pytest.raises(Cancelled):
        bench(demo_bundle, load=BenchLoad(4, 40), cancelled=lambda: next(asked))
