"""The progress of a job on the command line: its events as JSON on stdout, or a display on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from workflows.cli.console import Console
from workflows.cli.interrupts import interruptible
from workflows.cli.output import mebibytes, write_json
from workflows.cli.streams import print_line
from workflows.wire.events import BuildDone, Event, LogEvent, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.reports.cost import QuantizationCost

JobCallbacks = tuple[Callable[[Event], None], Callable[[], bool]]  # report, cancelled


@contextmanager
def progress_display(as_json: bool = False, log_to_stdout: bool = False) -> Iterator[JobCallbacks]:
    """Yields the callbacks of a job whose stages are displayed; as_json: its events are printed instead.

    log_to_stdout: where no terminal shows it, the log is part of the output, so that stderr has errors alone.
    """
    with interruptible() as cancelled:
        if as_json:
            yield lambda event: write_json(event.to_dict()), cancelled
        else:
            with ProgressDisplay(log_to_stdout) as display:
                yield display.show, cancelled


@contextmanager
def status_line(text: str) -> Iterator[JobCallbacks]:
    """Yields the callbacks of a job with a single stage: its last message replaces `text` on one line."""
    status = Console(stderr=True).status(text)

    def report(event: Event) -> None:
        if isinstance(event, ProgressEvent):
            status.update(event.message)

    with interruptible() as cancelled, status:
        yield report, cancelled


def print_done(done: BuildDone, as_json: bool, outcome: str) -> None:
    """Prints the written folder as JSON, or on one line that ends in `outcome`, and a line on what quantizing cost."""
    if as_json:
        write_json(done.to_dict())
    else:
        print_line(f"{done.bundle}: {', '.join(done.components)}, {mebibytes(done.bytes)}, {outcome}")
        if done.cost is not None:
            print_line(cost_line(done.cost))


def cost_line(cost: QuantizationCost) -> str:
    """What quantizing cost, and what keeps more."""
    summary = cost.summary()
    return f"{summary[0].upper()}{summary[1:]}. {cost.advice()}".rstrip()


class ProgressDisplay:
    """Shows stages and progress on stderr, if it is a terminal."""

    def __init__(self, log_to_stdout: bool = False) -> None:
        self._log_to_stdout = log_to_stdout
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        console = Console(stderr=True)
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> ProgressDisplay:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, event: Event) -> None:
        if isinstance(event, StageEvent):
            task = self._task(event.stage)
            note = f" ({event.note})" if event.note and event.state != "failed" else ""  # the error has it
            ended = event.state != "started"
            self._progress.update(task, description=f"{event.stage}: {event.state}{note}", total=1, completed=ended)
        elif isinstance(event, ProgressEvent):
            task = self._task(event.stage)
            self._progress.update(
                task, description=f"{event.stage}: {event.message}", total=event.total or None, completed=event.done
            )
        elif isinstance(event, LogEvent) and self._log_to_stdout and not self._progress.console.is_terminal:
            print_line(event.message)
        elif isinstance(event, LogEvent | NoticeEvent):
            self._progress.console.print(event.message, highlight=False, soft_wrap=True)

    def _task(self, stage: str) -> TaskID:
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=None)
        return self._tasks[stage]
