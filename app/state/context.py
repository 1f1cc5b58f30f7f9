"""What every page is given: the models, the workers, and the few things that a page asks of the frame.

    Settings, Recents, BuildModel ─┐
    Session, Measurements ─────────┼─ AppContext ──▶ pages
    Workers: session, probe ───────┘

A page's actions (`QWidget.addAction`) are found by the command palette of Ctrl+K.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from app.state.activities import Activities
from app.state.build import BuildModel
from app.state.bundle_session import BundleSession
from app.state.demo_build import DemoBuild
from app.state.device_jobs import DeviceJobs
from app.state.measurements import Measurements
from app.state.notes import Note, NoteOwner, Notes
from app.state.preflights import Preflights
from app.state.recent_bundles import Reader, RecentBundles, read_summary
from app.state.run_history import HistoryModel
from app.state.settings import Settings, home_folder
from app.state.unfinished_builds import UnfinishedBuilds
from app.state.unsaved_recipe import UnsavedRecipe
from app.state.unsaved_recipe_file import UnsavedRecipeFile
from workflows.common.errors import BundleError
from workflows.common.paths import make_folder
from workflows.wire.events import GenerationDone, ReadyEvent
from workflows.wire.requests import PruneRuns

Act = Callable[[], object]


class AppContext(QObject):
    """One per window. `program` is the workers' command line, where it is not the engine's own."""

    bundleChanged = Signal(object)  # noqa: N815  the summary, or None
    navigate = Signal(str)  # the name of a page
    inspectRequested = Signal(object)  # noqa: N815  a Look: what the inspect page is to show
    accuracyRequested = Signal(str, str, object)  # noqa: N815  bundle, bundle or source to compare with, code consented to
    exportRequested = Signal(str, str)  # noqa: N815  bundle and its name: for another program, or out of one's folder
    memoryChanged = Signal(object)  # noqa: N815  resident bytes of all workers
    closing = Signal()  # the window closes, and its workers are about to end

    def __init__(
        self, home: Path | None = None, program: Sequence[str] | None = None, read: Reader = read_summary
    ) -> None:
        super().__init__()
        self.home = home or home_folder()
        make_folder(self.home)
        self.program = program
        self._read = read
        self._bundle: dict[str, Any] | None = None
        self._memory: dict[WorkerClient, int] = {}
        self._closed = False
        self.activities = Activities(self)
        self.notes = Notes(self)
        self._hangs: dict[WorkerClient, Note] = {}
        self.settings = Settings(self.home, self)
        self.settings.trouble.connect(self.show_error)
        self.recents = RecentBundles(self.home, read, self)
        self.recents.trouble.connect(self.show_error)
        self.plugins = DeviceJobs(self.new_worker, self)
        self.compiler = DeviceJobs(self.new_worker, self)
        self._tidying = OneShotWorker(self.new_worker, self)
        self.preflights = Preflights(self.home, self.new_worker, self)
        self.preflights.trouble.connect(self.show_error)
        self.session_worker = self.new_worker()
        self.probe_worker = self.new_worker()
        self.source_worker = self.new_worker()
        """Looks at sources, on the hub as well: the others give up the network with what they open."""
        self.session = BundleSession(self.session_worker, self)
        self.session.stateChanged.connect(lambda state: self.notes.bring("session", (self.session.bundle, state)))
        self.measurements = Measurements()
        self.measurements.follow(self.session, self.describe)
        self.session.finished.connect(self._note_speed)
        self.history = HistoryModel(self.home, self.new_worker, self)
        self.build = BuildModel(self.new_worker, self)
        self.build.finished.connect(self._on_built)
        self.draft = self._new_draft()
        self.inspectRequested.connect(lambda look: self.notes.bring("look", look))
        self.draft.changed.connect(lambda: self.notes.bring("draft", self.draft.source))
        self.kept_draft = UnsavedRecipeFile(self.home, self.draft, self)
        self.unfinished = UnfinishedBuilds(self.home, self.build, self)
        self.unfinished.trouble.connect(self.show_error)
        self.demo = DemoBuild(self._new_draft(), self.build, self)
        self.demo.failed.connect(self.show_error)

    @property
    def bundle(self) -> dict[str, Any] | None:
        """The summary of the current bundle; see `workflows.bundle.read.read_summary`."""
        return self._bundle

    @property
    def ready(self) -> ReadyEvent | None:
        """What the worker reported of the current bundle; None unless the session has this very build of it open."""
        bundle = self._bundle
        if bundle is None or not self.measurements.owner.is_of(bundle):
            return None
        return self.session.ready_for(str(bundle["path"]))

    @property
    def bundles_folder(self) -> Path:
        """Where new bundles go unless a person says otherwise."""
        chosen = self.settings.preference("bundles")
        return Path(chosen) if chosen else self.home / "bundles"

    def prune_history(self) -> None:
        """Remove the runs that are more than a person wants to keep, if so many were named."""
        keep = self.settings.preference("history.keep")
        if keep.isdecimal() and int(keep):
            job = self._tidying.run(PruneRuns(int(keep)))
            job.on_error(lambda error: self.show_error(error.message))

    @property
    def memory(self) -> int:
        """Resident bytes of all workers together."""
        return sum(self._memory.values())

    def _new_draft(self) -> UnsavedRecipe:
        return UnsavedRecipe(self.source_worker, lambda: self.bundles_folder, self)

    def new_worker(self) -> WorkerClient:
        """A worker that ends with the window and counts towards `memory`."""
        worker = WorkerClient(self.program, self)
        worker.over = self._closed
        worker.memory.connect(lambda rss: self._note_memory(worker, rss))
        worker.hung.connect(lambda hangs: self._note_hang(worker, hangs))
        self.activities.follow(worker)
        worker.retired.connect(lambda: self._forget_worker(worker))
        self._memory[worker] = 0
        return worker

    def _note_hang(self, worker: WorkerClient, hangs: bool) -> None:
        """A way out of what hears no message any more; what it did is told as any other end is."""
        before = self._hangs.pop(worker, None)
        if before is not None:
            self.notes.drop(before)
        if hangs:
            text = self.tr("A worker does not answer: it hangs, or was stopped.")
            ours = worker is self.session_worker
            action, act = (self.tr("Restart it"), self.session.restart) if ours else (self.tr("End it"), worker.kill)
            self._hangs[worker] = self.show_note(text, action, act, owner={})

    def _note_memory(self, worker: WorkerClient, rss: int) -> None:
        if worker in self._memory:
            self._memory[worker] = rss
            self.memoryChanged.emit(self.memory)

    def _forget_worker(self, worker: WorkerClient) -> None:
        self._note_hang(worker, False)
        self._memory.pop(worker, None)
        self.memoryChanged.emit(self.memory)
        worker.deleteLater()

    def describe(self, path: str) -> dict[str, Any]:
        """The summary of a bundle; empty for what is none: a source, or a folder that is damaged."""
        try:
            return self._read(path)
        except BundleError:
            return {}

    def open_bundle(self, path: str | Path) -> bool:
        """Make a bundle the current one; False, and an error shown, where it is damaged."""
        folder = str(path)
        try:
            summary = self._read(folder)
        except BundleError as error:
            entry = self.recents.find(folder)
            if entry is not None:
                entry.problem = str(error)
                self.recents.changed.emit()
            self.show_error(str(error))
            return False
        self.recents.add(folder)
        self.settings.set("bundle", folder)
        self._set_bundle(summary)
        return True

    def _on_built(self) -> None:
        """A bundle that was built is the current one; while another answers, it is among the recent ones alone."""
        outcome = self.build.outcome
        if outcome is None:
            return
        if self.session.state == "generating":
            self.recents.add(outcome.bundle)
        else:
            self.open_bundle(outcome.bundle)

    def clear_build(self) -> None:
        """Forget a build that ended, and the draft where it was of that: another one waits as it was left."""
        if self.draft.is_of(self.build.request):
            self.draft.reset()
        self.build.reset()

    def _set_bundle(self, summary: dict[str, Any] | None) -> None:
        if summary != self._bundle:
            self._bundle = summary
            self.notes.bring("bundle", str(summary["path"]) if summary else None)
            self.bundleChanged.emit(summary)

    def show_error(
        self,
        message: str,
        details: str = "",
        action: str = "",
        on_action: Act | None = None,
        owner: NoteOwner | None = None,
    ) -> None:
        """An error over the page: one sentence, its details, a button for the likely mend; it stays until it is read.

        owner: what must be in front for it to hold, if anything.
        """
        self.notes.show(Note(message, action, on_action, owner or {}, details, error=True))

    def show_note(
        self, message: str, action: str = "", on_action: Act | None = None, owner: NoteOwner | None = None
    ) -> Note:
        """A note that is no error. owner: what must be in front for it to hold; the page and bundle that are, unless
        said otherwise."""
        return self.notes.show(Note(message, action, on_action, self.notes.here if owner is None else owner))

    def _note_speed(self, done: GenerationDone) -> None:
        self.recents.note_speed(self.session.bundle, done.decode_tokens_per_s, done.provider)

    def close(self) -> None:
        """End every worker, and start none any more; a build that runs resumes when it is asked for again."""
        self.closing.emit()
        self.kept_draft.save()
        self.history.close()
        self._closed = True
        for worker in list(self._memory):
            worker.over = True
        for worker in list(self._memory):
            worker.close()
