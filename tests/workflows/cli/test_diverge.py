"""`joinery diverge`: the contract's fields, words for a person, one sentence for errors; and the worker's job."""

from __future__ import annotations

import json

import pytest

from tests.workflows.evaluation.divergence.making import bundle, scaled
from tests.workflows.runtime.toy_bundles import Toy
from workflows.cli import run
from workflows.service import JobContext, JobRunner
from workflows.wire.events import Event, ProgressEvent, ResultEvent
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.requests import Diverge, DivergenceSide

FIRST = {"component", "node", "op", "scope", "max_abs_diff", "reference_max"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("pair")
    return str(bundle(folder / "a", Toy())), str(bundle(folder / "b", scaled("1.o", 1.01)))


def test_json_has_the_contract_s_fields(pair: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diverge", *pair, "--prompt-ids", "5,9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.keys() >= {"prompt", "nodes_compared", "first", "curve"}
    assert found["first"].keys() >= FIRST
    assert (found["first"]["component"], found["first"]["op"]) == ("decoder", "MatMul")
    assert len(found["curve"]) == found["nodes_compared"]
    depth = found["first"]["depth"]
    assert found["curve"][depth - 1] == [depth, found["first"]["max_abs_diff"]]


def test_words_for_a_person(pair: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diverge", *pair, "--prompt-ids", "5,9"]) == 0
    assert "first to part: MatMul" in capsys.readouterr().out
    assert run(["diverge", pair[0], pair[0], "--prompt-ids", "5,9"]) == 0
    assert "no divergence" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "Give one of --prompt, --prompt-ids and --prompt-file."),
        (("--prompt-ids", "5,99"), "The prompt has the id 99"),
        (("--prompt-ids", "5", "--stage-b", "export"), "has no stage 'export': it has no evidence of its build."),
        (("--prompt-ids", "5", "--provider-b", "abacus"), "abacus"),
    ],
)
def test_what_is_wrong_is_told(
    pair: tuple[str, str], more: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["diverge", *pair, *more]) == 2
    assert said in capsys.readouterr().err


def test_the_worker_s_job(pair: tuple[str, str]) -> None:
    told: list[Event] = []
    request = Diverge(DivergenceSide(pair[0]), DivergenceSide(pair[1]), prompt_ids=(5, 9), steps=1)
    (answer,) = JobRunner().run(request, JobContext(told.append, lambda: False))
    assert isinstance(answer, ResultEvent)
    assert isinstance(answer.value, DivergenceReport)
    assert answer.value.first is not None
    assert len(answer.value.token_ids) == 1
    assert all(isinstance(event, ProgressEvent) for event in told)
