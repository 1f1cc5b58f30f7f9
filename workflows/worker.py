"""One process that the window can kill: jobs in as JSON lines on stdin, events out as JSON lines on stdout.

    stdin ──reader thread──▶ queue ──main thread──▶ job ──▶ events ──▶ stdout
              └─ cancel: taken at once

Every event carries "job", the id of the request that it belongs to. Jobs run one after another. Whatever else in the
process prints goes to stderr. The end of stdin ends the process at once, whatever it is doing.
"""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from workflows.errors import (
    Cancelled,
    HubError,
    JoineryError,
    RemoteCodeError,
    RequestError,
    describe_os_error,
    printable,
)
from workflows.wire.events import ErrorEvent, Event, ProgressEvent, ResultEvent

Job = Mapping[str, Any]
PROGRESS_EVERY_S = 0.05


class Worker:
    """Runs jobs from `requests` and writes events to `out`; keeps one bundle open between them."""

    def __init__(self, requests: IO[str], out: IO[str]) -> None:
        self._requests, self._out = requests, out
        self._write = threading.Lock()
        self._queue: queue.Queue[Job] = queue.Queue()
        self._pending: set[int] = set()  # taken and not answered to the end
        self._cancelled: set[int] = set()
        self._generating: int | None = None
        self._stopping = threading.Lock()
        self._engine: Any = None
        self._graphs: Any = None
        self._progress_at = 0.0

    def run(self) -> None:
        """Serves until stdin ends; the process then exits."""
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        while True:
            job = self._queue.get()
            self._serve(job)
            self._pending.discard(job["id"])
            self._cancelled.discard(job["id"])

    def _read(self) -> None:
        for line in self._requests:
            try:
                job = json.loads(line)
                if type(job["id"]) is not int or not isinstance(job["job"], str):
                    raise ValueError
            except (ValueError, KeyError, TypeError, RecursionError):
                self._emit(0, ErrorEvent(kind="request", message="A request was no JSON object with an id and a job."))
                continue
            if job["job"] == "cancel":
                self._cancel(job.get("target"))
            else:
                self._pending.add(job["id"])
                self._queue.put(job)
        os._exit(0)  # the window is gone: whatever runs has nobody to run for

    def _cancel(self, target: object) -> None:
        """Marks a job that waits or runs; one that has ended, or never was, is nobody's loss."""
        if not isinstance(target, int) or target not in self._pending:
            return
        self._cancelled.add(target)
        with self._stopping:  # so that a late stop cannot reach the generation after this one
            if self._generating == target:
                self._engine.stop()

    def _serve(self, job: Job) -> None:
        try:
            handler = _JOBS.get(job["job"])
            if handler is None:
                raise RequestError(f"No job is called {printable(job['job'])!r}: there are {', '.join(_JOBS)}.")
            if job["id"] in self._cancelled and job["job"] != "generate":  # that one ends with a done of its own
                raise Cancelled("The job was cancelled before it began.")
            for event in handler(self, job):
                self._emit(job["id"], event)
        except JoineryError as error:
            self._emit(job["id"], _error(error))
        except OSError as error:
            details = traceback.format_exc()
            self._emit(job["id"], ErrorEvent(kind="system", message=describe_os_error(error), details=details))
        except Exception as error:  # noqa: BLE001 - the last wall: the window must hear of every failure
            message = f"{type(error).__name__}: {printable(error, 300)} This is a fault of Joinery: see the details."
            self._emit(job["id"], ErrorEvent(kind="internal", message=message, details=traceback.format_exc()))

    def _emit(self, job: int, event: Event) -> None:
        payload = {"job": job, **event.to_dict()}
        with self._write:
            self._out.write(json.dumps(payload, ensure_ascii=False, separators=(",", ":")) + "\n")
            self._out.flush()

    def _reporter(self, job: Job) -> Callable[[Event], None]:
        """Passes events on; progress at a rate that a person can follow, its last one always."""

        def report(event: Event) -> None:
            if isinstance(event, ProgressEvent):
                now = time.monotonic()
                if now - self._progress_at < PROGRESS_EVERY_S and event.done < event.total:
                    return
                self._progress_at = now
            self._emit(job["id"], event)

        return report

    def _asked_to_stop(self, job: Job) -> Callable[[], bool]:
        return lambda: job["id"] in self._cancelled

    # -- the jobs: each yields its events, and imports what it needs when it runs ------------------------------

    def probe(self, job: Job) -> Iterator[Event]:
        from workflows.probe import probe

        yield ResultEvent(value=probe(_text(job, "source"), self._reporter(job), self._asked_to_stop(job)))

    def recipe(self, job: Job) -> Iterator[Event]:
        from workflows.probe import plan

        options, _ = _split(_table(job, "options"))
        yield ResultEvent(value=plan(_text(job, "source"), options, self._asked_to_stop(job)))

    def build(self, job: Job) -> Iterator[Event]:
        from workflows.builder import BuildRequest, build

        options, own = _split(_table(job, "options"))
        request = BuildRequest(_text(job, "source"), Path(_text(job, "out")), options, **own)
        yield build(request, self._reporter(job), self._asked_to_stop(job))

    def inspect(self, job: Job) -> Iterator[Event]:
        from workflows.inspection import inspect_path

        yield ResultEvent(value=inspect_path(_text(job, "path")))

    def graph(self, job: Job) -> Iterator[Event]:
        yield ResultEvent(value=self._shown(job).to_dict())

    def diff(self, job: Job) -> Iterator[Event]:
        from workflows.graphs import diff_graphs

        before, after = (self._shown({"job": "diff", **_table(job, name)}) for name in ("before", "after"))
        yield ResultEvent(value=diff_graphs(before, after))

    def tensor(self, job: Job) -> Iterator[Event]:
        from workflows.graphs import describe_tensor

        yield ResultEvent(value=describe_tensor(self._shown(job).file, _text(job, "name")))

    def netron(self, job: Job) -> Iterator[Event]:
        from workflows.graphs import write_excerpt

        yield ResultEvent(value=write_excerpt(self._shown(job), _text(job, "scope", "")))

    def _shown(self, job: Job) -> Any:
        """The graph that a job is about, read once while it is among the last few."""
        from workflows.graphs import Graphs, Where

        self._graphs = self._graphs or Graphs()
        return self._graphs.open(Where(Path(_text(job, "path")), _text(job, "component", ""), _text(job, "stage", "")))

    def verify(self, job: Job) -> Iterator[Event]:
        from workflows.inspection import check_bundle

        checked = check_bundle(_text(job, "bundle"), self._asked_to_stop(job))
        yield ResultEvent(value={"ok": checked.ok, **dataclasses.asdict(checked)})

    def bench(self, job: Job) -> Iterator[Event]:
        from workflows.measure import bench

        options = _table(job, "options")
        unknown = sorted(options.keys() - {"providers", "prompt_tokens", "new_tokens", "repeats"})
        if unknown:
            raise RequestError(f"The job bench takes no option {printable(unknown[0])!r}.")
        wanted = {name: value for name, value in options.items() if value is not None}
        for name, value in wanted.items():
            if type(value) is not int and name != "providers":
                raise RequestError(f"The option {name} of the job bench must be a whole number.")
        providers = wanted.pop("providers", ["cpu"])
        if not isinstance(providers, list) or not all(isinstance(name, str) for name in providers):
            raise RequestError("The option providers of the job bench must be a list of names.")
        asked, report = self._asked_to_stop(job), self._reporter(job)
        rows = bench(_text(job, "bundle"), providers, **wanted, report=report, cancelled=asked)
        yield ResultEvent(value={"rows": rows})

    def eval(self, job: Job) -> Iterator[Event]:
        from workflows.evaluation import EvalRequest, evaluate

        options = dict(_table(job, "options"))
        consented = options.pop("consented", [])
        if not isinstance(consented, list) or not all(isinstance(value, str) for value in consented):
            raise RequestError("The option consented takes a list of SHA-256 texts.")
        wanted = {name: value for name, value in options.items() if value is not None}
        unknown = sorted(wanted.keys() - {"steps", "questions", "suggest", "trust_remote_code"})
        if unknown:
            raise RequestError(f"The job eval takes no option {printable(unknown[0])!r}.")
        for name, value in wanted.items():
            if type(value) is not (bool if name == "trust_remote_code" else int):
                raise RequestError(f"The option {name} of the job eval cannot be {printable(value, 40)}.")
        prompts = _text(job, "prompts", "")
        request = EvalRequest(
            Path(_text(job, "bundle")),
            _text(job, "against"),
            Path(prompts) if prompts else None,
            consented=frozenset(consented),
            **wanted,
        )
        yield ResultEvent(value=evaluate(request, self._reporter(job), self._asked_to_stop(job)))

    def devices(self, job: Job) -> Iterator[Event]:
        from workflows.runtime import devices

        yield ResultEvent(value={"devices": [dataclasses.asdict(device) for device in devices()]})

    def open(self, job: Job) -> Iterator[Event]:
        from workflows.generate import open_engine

        bundle, capacity = _text(job, "bundle"), job.get("capacity")
        if capacity is not None and (type(capacity) is not int or capacity < 1):
            raise RequestError(f"The capacity cannot be {printable(capacity, 40)}: give a whole number above 0.")
        provider, cache = _text(job, "provider", "cpu"), _text(job, "cache", "") or None
        self._engine = None  # two models need not be in memory at once
        self._engine = open_engine(bundle, provider=provider, cache=cache, capacity=capacity)
        yield self._engine.ready()

    def generate(self, job: Job) -> Iterator[Event]:
        from workflows.generate.options import check_options

        engine = self._opened()
        options = check_options(_table(job, "options"))
        if job.get("messages") is not None:
            ids = engine.encode_turn(_messages(job), _tools(job), _text(job, "prefill", ""))
        elif job.get("prompt") is not None:
            ids = engine.encode(_text(job, "prompt"))
        else:
            ids = _ids(job)
        self._generating = job["id"]
        try:
            yield from engine.generate(ids, options, self._asked_to_stop(job))
        finally:
            with self._stopping:
                self._generating = None

    def rewind(self, job: Job) -> Iterator[Event]:
        length = job["length"]
        if type(length) is not int:
            raise RequestError(f"The length cannot be {printable(length, 40)}: give a whole number.")
        yield self._opened().rewind(length)
        yield ResultEvent(value={})

    def save_cache(self, job: Job) -> Iterator[Event]:
        path = _text(job, "path")
        self._opened().save_cache(Path(path))
        yield ResultEvent(value={"path": path})

    def load_cache(self, job: Job) -> Iterator[Event]:
        path = _text(job, "path")
        yield self._opened().load_cache(Path(path))
        yield ResultEvent(value={"path": path})

    def _opened(self) -> Any:
        if self._engine is None:
            raise RequestError("No bundle is open: open one first.")
        return self._engine

    def close(self, job: Job) -> Iterator[Event]:
        self._engine = None
        yield ResultEvent(value={})


_JOBS: dict[str, Callable[[Worker, Job], Iterator[Event]]] = {
    "probe": Worker.probe,
    "recipe": Worker.recipe,
    "build": Worker.build,
    "inspect": Worker.inspect,
    "graph": Worker.graph,
    "diff": Worker.diff,
    "tensor": Worker.tensor,
    "netron": Worker.netron,
    "verify": Worker.verify,
    "bench": Worker.bench,
    "eval": Worker.eval,
    "devices": Worker.devices,
    "open": Worker.open,
    "generate": Worker.generate,
    "rewind": Worker.rewind,
    "save_cache": Worker.save_cache,
    "load_cache": Worker.load_cache,
    "close": Worker.close,
}


def _text(job: Job, name: str, default: str | None = None) -> str:
    """A field that holds a text. Raises RequestError where it is missing or something else."""
    value = job.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        wrong = "lacks its" if value is None else "needs a text as its"
        raise RequestError(f"The job {job['job']} {wrong} {name!r}.")
    return value


def _table(job: Job, name: str) -> Mapping[str, Any]:
    """A field that holds an object, empty where it is missing. Raises RequestError for anything else."""
    value = job.get(name) or {}
    if not isinstance(value, Mapping):
        raise RequestError(f"The job {job['job']} needs an object as its {name!r}.")
    return value


def _messages(job: Job) -> list[Any]:
    """The conversation. Raises RequestError for one that is no list of {role, content} texts."""
    turns = job["messages"]
    good = isinstance(turns, list) and all(
        isinstance(turn, dict) and isinstance(turn.get("role"), str) and isinstance(turn.get("content"), str)
        for turn in turns
    )
    if not good:
        raise RequestError("The messages must be a list of objects with a role and a content, both texts.")
    return list(turns)


def _tools(job: Job) -> list[Any] | None:
    """The tools that the model is told of, which come as a JSON text; None where there are none."""
    from workflows.generate import parse_tools

    text = _text(job, "tools", "")
    return parse_tools(text, "The list of tools") if text.strip() else None


def _ids(job: Job) -> list[int]:
    """The prompt's ids. Raises RequestError where they are missing or no list of whole numbers."""
    ids = job.get("prompt_ids")
    if ids is None:
        raise RequestError("The job generate lacks its 'messages', 'prompt' or 'prompt_ids'.")
    if not isinstance(ids, list) or not all(type(one) is int for one in ids):
        raise RequestError("The prompt_ids must be a list of whole numbers.")
    return ids


def _split(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the recipe's fields, the request's own); a whole recipe in the options comes before single fields."""
    recipe = options.get("recipe") or {}
    if not isinstance(recipe, Mapping):
        raise RequestError("The recipe among the options must be an object.")
    fields = {**recipe, **{k: v for k, v in options.items() if v is not None}}
    own: dict[str, Any] = {name: bool(fields.pop(name, False)) for name in ("trust_remote_code", "force")}
    consented = fields.pop("consented", [])
    if not isinstance(consented, list) or not all(isinstance(value, str) for value in consented):
        raise RequestError("The option consented takes a list of SHA-256 texts.")
    fields.pop("recipe", None)
    return fields, {**own, "consented": frozenset(consented)}


def _error(error: JoineryError) -> ErrorEvent:
    data: dict[str, Any] = {}
    if isinstance(error, RemoteCodeError):
        data["files"] = error.files
    if isinstance(error, HubError):
        data["reason"] = error.reason
    return ErrorEvent(kind=error.kind, message=str(error), details=traceback.format_exc(), data=data)


def main() -> None:
    """Takes stdout for events alone: file descriptor 1 is made stderr's before anything heavy is imported."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n", errors="backslashreplace")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    Worker(sys.stdin, out).run()


if __name__ == "__main__":
    main()
