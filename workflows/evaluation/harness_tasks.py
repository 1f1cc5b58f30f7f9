"""Tasks of EleutherAI's lm-eval, asked of a bundle. The package lm-eval is no part of Joinery: it is used where it is.

names, files ──TaskManager──▶ tasks ──JoineryLM──▶ results ──▶ HarnessReport
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from workflows.common.errors import Cancelled, PackageError, RequestError, printable
from workflows.process.sandbox import OnFetched, keep_network
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.harness import HarnessReport, TaskScore

INSTALL = "pip install lm-eval"


def run_tasks(
    bundle: Path,
    tasks: Sequence[str],
    limit: int | None = None,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    fetched: OnFetched = keep_network,
) -> HarnessReport:
    """The bundle's scores. tasks: names of tasks, groups or tags, or YAML files of one's own. limit: samples of each.

    lm-eval fetches the data of its own tasks from the hub; `fetched` is called after that, before the bundle is opened,
    as in `build`. Raises PackageError where it is not installed, RequestError
    for a task that it does not have and for a bundle that is no decoder of text, and Cancelled.
    """
    if not tasks:
        raise RequestError("--lm-eval takes the names of tasks, such as hellaswag,arc_easy.")
    if limit is not None and limit < 1:
        raise RequestError(f"--limit must be at least 1, and {limit} was given.")
    if importlib.util.find_spec("lm_eval") is None:
        raise PackageError(f"Tasks of lm-eval need its package: install it with {INSTALL}.")
    from lm_eval import simple_evaluate

    from workflows.evaluation.harness import FetchedTasks, JoineryLM

    report(ProgressEvent(stage="eval", message="fetching the tasks"))
    manager = FetchedTasks()
    check_names(tasks, manager.all_tasks)
    manager.load(list(tasks))
    fetched(0)

    def on_request(done: int, total: int) -> None:
        if cancelled():
            raise Cancelled("Cancelled.")
        report(ProgressEvent(stage="eval", message=", ".join(tasks), done=done, total=total, unit="requests"))

    model = JoineryLM(str(bundle))
    model.on_request = on_request
    found = simple_evaluate(model=model, tasks=list(tasks), limit=limit, task_manager=manager, log_samples=False)
    return HarnessReport(
        scores=task_scores(found), samples=sum(one["effective"] for one in found["n-samples"].values()), limit=limit,
        version=version("lm-eval"),
    )  # fmt: skip


def check_names(tasks: Sequence[str], known: Sequence[str]) -> None:
    """Raises RequestError for a task that is not known, with similar ones, and for a file that is not there."""
    for name in tasks:
        if name.endswith((".yaml", ".yml")):
            if not Path(name).is_file():
                raise RequestError(f"There is no task file {printable(name, 200)}: check the path.")
        elif name not in known:
            near = difflib.get_close_matches(name, known, 3)
            like = f" it has {', '.join(near)}" if near else " `lm_eval ls tasks` lists them"
            raise RequestError(f"lm-eval has no task {printable(name, 80)!r}:{like}.")


def task_scores(results: dict[str, Any]) -> list[TaskScore]:
    """Each metric of each task, then of each group; lm-eval names them `metric,filter` and `metric_stderr,filter`."""
    scores = []
    for task, row in (results["results"] | results.get("groups", {})).items():
        better = results["higher_is_better"].get(task) or {}
        for name, value in row.items():
            metric, comma, chosen = name.partition(",")
            if not comma or metric.endswith("_stderr") or not isinstance(value, int | float):
                continue
            error = row.get(f"{metric}_stderr,{chosen}")
            shown = metric if chosen == "none" else f"{metric}, {chosen}"
            stderr = float(error) if isinstance(error, int | float) else None
            scores.append(TaskScore(task, shown, float(value), stderr, better.get(metric)))
    return scores
