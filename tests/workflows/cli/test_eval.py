"""`joinery eval` and the worker's job: fields, a source in place of a bundle, one sentence for errors."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from tests.workflows.quantize.making import perturbed
from tests.workflows.service.test_worker import Client
from workflows.cli import run
from workflows.generate.prompt_sets import demo_questions

FIELDS = {
    "positions", "top1_agreement", "top5_overlap", "kl_mean", "kl_max", "logit_max_abs_diff", "hidden_cosine",
    "kv_cosine", "perplexity", "answer_perplexity", "greedy", "layers", "task", "notes",
}  # fmt: skip


def test_json_has_the_contract_s_fields(demo_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("What is 8 times 7?\nWhat is the capital of France?\n")
    arguments = ["--prompts", prompts, "--steps", "3", "--questions", "4", "--json"]
    assert run(["eval", str(demo_bundle), "--against", str(demo_bundle), *map(str, arguments)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.keys() == FIELDS
    assert (found["positions"], found["top1_agreement"]) == (35, 1.0)  # those of the prompts too
    assert found["perplexity"].keys() == {"reference", "candidate"}
    assert found["greedy"] == [
        {"prompt": "What is 8 times 7?", "tokens_equal": 3, "tokens": 3},
        {"prompt": "What is the capital of France?", "tokens_equal": 3, "tokens": 3},
    ]
    assert found["layers"][0].keys() == {"layer", "part", "hidden_cosine", "key_cosine", "value_cosine"}
    assert found["task"]["rows"] == 4


def test_a_person_s_own_task_is_asked(demo_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *_ = demo_questions("qwen3")
    rows = [{"q": first.text, "a": first.expected}, {"q": first.text, "a": "something else"}]
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("What is 8 times 7?\n")
    arguments = ["--prompts", prompts, "--steps", "1", "--task", file, "--question-column", "q", "--answer-column", "a"]
    command = ["eval", str(demo_bundle), "--against", str(demo_bundle), "--json", *map(str, arguments)]
    assert run(command) == 0
    asked = {"metric": "exact match, own.jsonl", "rows": 2, "score": 0.5, "reference_score": 0.5}
    assert json.loads(capsys.readouterr().out)["task"] == asked
    assert run([*command, "--pattern", "(("]) == 2
    assert "The pattern is no regular expression" in capsys.readouterr().err


def test_a_goal_s_options_belong_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = ["build", "demo:qwen3", "--out", str(tmp_path / "b")]
    for more, said in (
        (["--goal", "top1=0.99", "--precision", "int4"], "leave --precision out"),
        (["--goal", "exact=1"], "METRIC=VALUE with one of top1, kl, perplexity, task"),
        (["--goal", "task=0.9"], "give --task-file"),
        (["--prompts", "p.txt"], "give --goal too"),
    ):
        assert run([*build, *more]) == 2
        assert said in capsys.readouterr().err.replace("\n", " ")


def test_a_source_is_run_by_transformers_itself(
    demo_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert run(["eval", str(demo_bundle), "--against", "demo:qwen3", "--steps", "2", "--questions", "0"]) == 0
    out, error = capsys.readouterr()
    assert "100.00%" in out and "64 of 64" in out and "an fp32 one is built" not in error
    assert "Reference: demo:qwen3 in transformers, with eager attention in float32." in (out + error).replace("\n", " ")
    assert not list(tmp_path.glob("joinery-eval-*"))


def test_tables_show_where_it_was_lost(demo_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = perturbed(demo_bundle, tmp_path / "other", 0.8)
    assert run(["eval", str(other), "--against", str(demo_bundle), "--steps", "4", "--questions", "0"]) == 0
    out = capsys.readouterr().out
    assert "decoder 2" in out
    assert "Solve product of 11 and 7" in out and "of 4" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--prompts", "{tmp}/none.txt"], "none.txt cannot be read: No such file or directory."),
        (["--steps", "0"], "--steps must be at least 1, and 0 was given."),
        (["--suggest", "1"], "No quantized node of the candidate is found in the reference in full precision"),
        (["--questions", "-1"], "--questions cannot be -1: give 0 for none."),
        (["--against", "{tmp}/nothing"], "{tmp}/nothing"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    arguments: list[str], said: str, demo_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [text.replace("{tmp}", str(tmp_path)) for text in arguments]
    assert run(["eval", str(demo_bundle), "--against", str(demo_bundle), *given]) == 2
    error = capsys.readouterr().err
    assert error.startswith("joinery: ") and error.count("\n") == 1
    assert said.replace("{tmp}", str(tmp_path)) in error


@contextmanager
def working() -> Iterator[Client]:
    """A worker of its own, which is ended."""
    client = Client()
    try:
        yield client
    finally:
        client.process.kill()
        client.process.wait()
        for thread in client.threads:
            thread.join()
        for stream in (client.process.stdin, client.process.stdout, client.process.stderr):
            assert stream is not None
            stream.close()


def test_the_worker_s_job_tells_tokens(demo_bundle: Path) -> None:
    """And is the last of its worker that may ask the hub: the network is given up before a model is opened."""
    with working() as client:
        fields: dict[str, Any] = {"bundle": str(demo_bundle), "against": str(demo_bundle)}
        first = client.send("eval", **fields, steps=2, questions=0)
        *_, last = client.until(lambda line: line["job"] == first and line["event"] in ("result", "error"))
        assert last["value"]["positions"] == 1251  # 2 of each of 64 answers, and those of the prompts
        assert [token for token, _ in last["value"]["greedy"][0]["candidate"]] == [19, 19]
        second = client.send("eval", **fields)
        *_, last = client.until(lambda line: line["job"] == second and line["event"] == "error")
        assert last["message"] == "This worker has given up the network: start another one to eval."


def test_the_worker_s_job_can_be_cancelled(demo_bundle: Path) -> None:
    with working() as client:
        fields: dict[str, Any] = {"bundle": str(demo_bundle), "against": str(demo_bundle)}
        wrong = client.send("eval", **fields, steps="many")
        *_, last = client.until(lambda line: line["job"] == wrong and line["event"] == "error")
        assert last["message"].startswith("The job eval") and "steps" in last["message"]
        asked = client.send("eval", **fields)
        client.until(lambda line: line["job"] == asked and line["event"] == "progress")
        client.send("cancel", target=asked)
        *_, last = client.until(lambda line: line["job"] == asked and line["event"] in ("result", "error"))
        assert last["kind"] == "cancelled"


@pytest.mark.slow
def test_suggestions_come_only_where_they_are_requested(
    demo_bundle: Path, built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = built("demo:qwen3", precision="int4")
    arguments = [str(bundle), "--against", str(demo_bundle), "--steps", "2", "--questions", "0"]
    assert run(["eval", *arguments, "--suggest", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.keys() == FIELDS | {"suggestions"}
    assert len(found["suggestions"]["exclude"]) == 2
    assert run(["eval", *arguments, "--suggest", "1"]) == 0
    name = found["suggestions"]["exclude"][0]["node"]
    assert f"""Build with: --set 'quantize.exclude=["{name}"]'""" in capsys.readouterr().out
