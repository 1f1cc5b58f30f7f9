"""Tasks of lm-eval where its package is not installed, wrong ones, and its results as scores."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from workflows.cli import run
from workflows.common.errors import PackageError, RequestError
from workflows.evaluation.harness_tasks import check_names, run_tasks, task_scores

RESULTS = {
    "results": {
        "arc": {"alias": "arc", "acc,none": 0.25, "acc_stderr,none": 0.01, "acc_norm,none": 0.5,
                "acc_norm_stderr,none": "N/A"},
        "gsm": {"alias": "gsm", "exact_match,strict-match": 0.125, "exact_match_stderr,strict-match": 0.02},
    },
    "groups": {"all": {"alias": "all", "acc,none": 0.375, "acc_stderr,none": 0.03}},
    "higher_is_better": {"arc": {"acc": True, "acc_norm": True}, "gsm": {"exact_match": True}},
}  # fmt: skip


@pytest.mark.skipif(importlib.util.find_spec("lm_eval") is not None, reason="lm-eval is installed")
def test_a_missing_package_is_named_with_its_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PackageError, match="pip install lm-eval"):
        run_tasks(tmp_path, ["hellaswag"])
    assert run(["eval", str(tmp_path), "--lm-eval", "hellaswag"]) == 1
    assert capsys.readouterr().err == (
        "joinery: Tasks of lm-eval need its package: install it with pip install lm-eval.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "either --against"),
        (["--against", "b", "--lm-eval", "a"], "either --against"),
        (["--against", "b", "--limit", "4"], "leave it out"),
        (["--lm-eval", ","], "the names of tasks"),
        (["--lm-eval", "a", "--limit", "0"], "at least 1"),
    ],
)
def test_arguments_that_do_not_go_together(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["eval", str(tmp_path), *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_an_unknown_task_is_named_with_its_neighbours(tmp_path: Path) -> None:
    known = ["hellaswag", "hellaswag_de", "arc_easy"]
    with pytest.raises(RequestError, match="no task 'helaswag': it has hellaswag, hellaswag_de"):
        check_names(["arc_easy", "helaswag"], known)
    with pytest.raises(RequestError, match="lm_eval ls tasks"):
        check_names(["zzz"], known)
    with pytest.raises(RequestError, match=r"no task file .*own\.yaml"):
        check_names([str(tmp_path / "own.yaml")], known)
    (tmp_path / "own.yaml").write_text("task: own", "utf-8")
    check_names([str(tmp_path / "own.yaml"), "hellaswag"], known)


def test_results_become_scores() -> None:
    found = [(one.task, one.metric, one.value, one.stderr, one.higher_is_better) for one in task_scores(RESULTS)]
    assert found == [
        ("arc", "acc", 0.25, 0.01, True),
        ("arc", "acc_norm", 0.5, None, True),
        ("gsm", "exact_match, strict-match", 0.125, 0.02, True),
        ("all", "acc", 0.375, 0.03, None),
    ]
