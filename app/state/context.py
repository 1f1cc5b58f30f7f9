"""What every page receives: the models, the workers, and requests to the main window.

    Settings, RecentBundles, BuildModel ─┐
    BundleSession, Measurements ─────────┼─ AppContext ──▶ pages
    workers: session, probe, source ─────┘

The command palette (Ctrl+K) finds a page's actions (`QWidget.addAction`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.jobs.one_shot_worker import OneShotWorker, ReportModel
from app.jobs.worker_client import WorkerClient
from app.state.activities import Activities
from app.state.build import BuildModel
from app.state.build_part import BuildPart
from app.state.bundle_session import BundleSession
from app.state.demo_build import DemoBuild
from app.state.device_jobs import DeviceJobs
from app.state.machines import MachinesModel
from app.state.measurements import Measurements
from app.state.notes import Note, NoteOwner, Notes
from app.state.preflights import Preflights
from app.state.recent_bundles import Reader, RecentBundles, bundle_title, read_summary
from app.state.run_history import HistoryModel
from app.state.server import ServerModel
from app.state.settings import Settings, home_folder
from app.state.unfinished_builds import UnfinishedBuilds
from app.state.unsaved_recipe import UnsavedRecipe, UnsavedRecipeFile
from app.text.engine_text import translate_engine_text
from workflows.common.errors import BundleError
from workflows.common.paths import make_folder
from workflows.wire.events import GenerationDone, ReadyEvent
from workflows.wire.requests import DescribeCapabilities, PruneRuns

Act = Callable[[], object]
IDLE_MS = 2 * 60_000
"""A worker that inspects, or runs texts, ends after this time without a job: it has imported the runtime."""


class AppContext(QObject):
    """One per window. program: the workers' command line, if it is not the engine's own."""

    bundleChanged = Signal(object)  # noqa: N815  the summary, or None
    navigate = Signal(str)  # the name of a page
    chatRequested = Signal(str)  # noqa: N815  a bundle's folder, which is open and on the chat page by then
    inspectRequested = Signal(object)  # noqa: N815  an InspectTarget
    accuracyRequested = Signal(str, str, object)  # noqa: N815  bundle, bundle or source to compare with, code consented to
    exportRequested = Signal(str, str)  # noqa: N815  bundle and its name: for another program, or out of one's folder
    convertRequested = Signal(str)  # noqa: N815  the hub id of a model, which the source page is filled in with
    helpRequested = Signal(str)  # noqa: N815  the name of a sheet of the help dialog
    tourRequested = Signal()  # noqa: N815  the guided tour
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
        self.bundle: dict[str, Any] | None = None
        """The summary of the current bundle; see `workflows.bundle.read.read_summary`."""
        self._memory: dict[WorkerClient, int] = {}
        self._closed = False
        self.activities = Activities(self)
        self.notes = Notes(self)
        self._hangs: dict[WorkerClient, Note] = {}
        self._offers: dict[str, Note] = {}  # by the folder of a bundle that was made and not opened yet
        self.settings = Settings(self.home, self)
        self.settings.errorOccurred.connect(self.show_error)
        self.recents = RecentBundles(self.home, read, self)
        self.recents.errorOccurred.connect(self.show_error)
        self.build_part = BuildPart(self.new_worker, self)
        self.capabilities = ReportModel(self.new_worker, self)
        """What this machine can do, by the last request."""
        self.plugins = DeviceJobs(self.new_worker, self)
        self.compiler = DeviceJobs(self.new_worker, self)
        self._tidying = OneShotWorker(self.new_worker, self)
        self.preflights = Preflights(self.home, self.new_machine_worker, self)
        self.preflights.errorOccurred.connect(self.show_error)
        self.machines = MachinesModel(self.new_worker, self)
        self.session_worker = self.new_worker()
        self.machine_probe = self.new_idle_worker()
        """Lists the devices of the chosen machine."""
        self.probe_worker = self.new_idle_worker()
        self.source_worker = self.new_idle_worker()
        """Inspects sources, also on the hub: the other workers lose network access with what they open."""
        self.session = BundleSession(self.session_worker, self)
        self.session.stateChanged.connect(lambda state: self.notes.set_front("session", (self.session.bundle, state)))
        self.machines.chosen.connect(self._on_machine)
        self.measurements = Measurements()
        self.measurements.record_session(self.session, self.describe)
        self.session.finished.connect(self._note_speed)
        self.server = ServerModel(self.home, None, self)
        self.server.errorOccurred.connect(self.show_error)
        self.history = HistoryModel(self.home, self.new_worker, self)
        self.build = BuildModel(self.new_worker, self)
        self.build.finished.connect(self._on_built)
        self.unsaved_recipe = self._new_recipe()
        self.inspectRequested.connect(lambda target: self.notes.set_front("look", target))
        self.unsaved_recipe.changed.connect(lambda: self.notes.set_front("draft", self.unsaved_recipe.source))
        self.recipe_file = UnsavedRecipeFile(self.home, self.unsaved_recipe, self)
        self.unfinished = UnfinishedBuilds(self.home, self.build, self)
        self.unfinished.errorOccurred.connect(self.show_error)
        self.demo = DemoBuild(self._new_recipe(), self.build, self)
        self.demo.failed.connect(self.show_error)

    @property
    def ready(self) -> ReadyEvent | None:
        """What the worker reported of the current bundle; None unless the session has exactly this build open."""
        bundle = self.bundle
        if bundle is None or not self.measurements.owner.is_of(bundle):
            return None
        return self.session.ready_for(str(bundle["path"]))

    @property
    def bundles_folder(self) -> Path:
        """The folder for new bundles."""
        chosen = self.settings.preference("bundles")
        return Path(chosen) if chosen else self.home / "bundles"

    def describe_machine(self) -> None:
        """Requests what this machine can do, unless a request is under way; `capabilities` has the answer."""
        self.capabilities.start(DescribeCapabilities(str(self.bundles_folder)))

    def prune_history(self) -> None:
        """Removes the oldest runs of the history, if the user limited their number."""
        keep = self.settings.preference("history.keep")
        if keep.isdecimal() and int(keep):
            job = self._tidying.run(PruneRuns(int(keep)))
            job.on_error(lambda error: self.show_error(error.message))

    @property
    def memory(self) -> int:
        """Resident bytes of all workers together."""
        return sum(self._memory.values())

    @property
    def worker_count(self) -> int:
        """The number of worker processes that run."""
        return sum(rss > 0 for rss in self._memory.values())

    def _new_recipe(self) -> UnsavedRecipe:
        return UnsavedRecipe(self.source_worker, lambda: self.bundles_folder, self)

    def new_worker(self) -> WorkerClient:
        """A worker that ends with the window and counts towards `memory`."""
        worker = WorkerClient(self.program, self)
        worker.refusing = self._closed
        worker.memory.connect(lambda rss: self._note_memory(worker, rss))
        worker.hung.connect(lambda hangs: self._note_hang(worker, hangs))
        self.activities.track_worker(worker)
        self.build_part.watch(worker)
        worker.retired.connect(lambda: self._forget_worker(worker))
        self._memory[worker] = 0
        return worker

    def new_idle_worker(self) -> WorkerClient:
        """A worker that ends after a while without a job, with the model or graph that it holds open."""
        worker = self.new_worker()
        worker.idle_ms = IDLE_MS
        return worker

    def new_machine_worker(self, machine: str | None = None) -> WorkerClient:
        """A worker on a machine, by default the chosen one; "" is this machine, as new_worker."""
        worker, program = self.new_worker(), self.machines.program(machine)
        if program is not None:
            worker.use_program(program, remote=True)
        return worker

    def _on_machine(self, name: str) -> None:
        """The session moves to the chosen machine, with the open bundle; its devices may be others."""
        request = self.session.request
        self.preflights.show_machine(name)
        self.session.close()
        for worker in (self.session_worker, self.machine_probe):
            worker.use_program(self.machines.program() or self.program, remote=bool(name))
        if request is not None:
            self.session.open(request.bundle, "cpu", request.cache, request.capacity)

    def _note_hang(self, worker: WorkerClient, hangs: bool) -> None:
        """Offers to end or restart a worker that hangs."""
        before = self._hangs.pop(worker, None)
        if before is not None:
            self.notes.drop(before)
        if hangs:
            text = self.tr("A worker process does not respond.")
            action, act = self.tr("End it"), worker.kill
            if worker is self.session_worker:
                action, act = self.tr("Restart it"), partial(self.session.end, reopen=True)
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
        """The summary of a bundle; empty for a source and for a damaged bundle."""
        try:
            return self._read(path)
        except BundleError:
            return {}

    def title_of(self, path: str) -> str:
        """The name, precision and cache of a bundle; the folder's name if it cannot be read."""
        entry = self.recents.find(path)  # most often: without reading files
        summary = entry.summary if entry is not None and entry.summary else self.describe(path)
        return bundle_title(summary) if summary else Path(path).name

    def open_bundle(self, path: str | Path) -> bool:
        """Makes a bundle the current one; shows an error and returns False if it is damaged."""
        folder = str(path)
        try:
            summary = self._read(folder)
        except BundleError as error:
            entry = self.recents.find(folder)
            if entry is not None:
                entry.problem = translate_engine_text(str(error))
                self.recents.changed.emit()
            self.show_error(translate_engine_text(str(error)))
            return False
        self.recents.add(folder)
        self.settings.set("bundle", folder)
        self._set_bundle(summary)
        return True

    def chat_with(self, path: str | Path) -> bool:
        """Opens a bundle for a chat with it; returns False, and stays on the page, if it is damaged."""
        if not self.open_bundle(path):
            return False
        self.navigate.emit("chat")
        self.chatRequested.emit(str(path))
        return True

    def _on_built(self) -> None:
        """Adds a bundle that was built to the recent ones; the build page itself offers what to do with it."""
        outcome = self.build.outcome
        if outcome is None:
            return
        self.recents.add(outcome.bundle, self.build.request.source if self.build.request else "")
        if self.notes.here["page"] != "build":
            self.offer_bundle(outcome.bundle)

    def clear_build(self) -> None:
        """Forgets a build that ended, and the unsaved recipe if it is that build's."""
        if self.unsaved_recipe.is_of(self.build.request):
            self.unsaved_recipe.reset()
        self.build.reset()

    def _set_bundle(self, summary: dict[str, Any] | None) -> None:
        if summary != self.bundle:
            self.bundle = summary
            for job in ("open", "generate"):
                self.activities.acknowledge(job)  # a failure of the bundle before
            path = str(summary["path"]) if summary else None
            self.notes.set_front("bundle", path)
            self.notes.drop(self._offers.pop(path, None) if path else None)
            self.bundleChanged.emit(summary)

    def show_error(
        self,
        message: str,
        details: str = "",
        action: str = "",
        on_action: Act | None = None,
        owner: NoteOwner | None = None,
    ) -> None:
        """Shows an error over the page until it is read, with a button `action`. owner: what must be in front."""
        self.notes.show(Note(message, {action: on_action} if action else {}, owner or {}, details, error=True))

    def show_note(
        self, message: str, action: str = "", on_action: Act | None = None, owner: NoteOwner | None = None
    ) -> Note:
        """Shows a note that is no error. owner: what must be in front; by default the current page and bundle."""
        actions = {action: on_action} if action else {}
        return self.notes.show(Note(message, actions, self.notes.here if owner is None else owner))

    def offer_bundle(self, path: str, remarks: Sequence[str] = ()) -> None:
        """Says that a bundle was made in the background, and offers to open it: the open one stays as it is."""
        actions: dict[str, Act | None] = {
            self.tr("Open"): lambda: self.open_bundle(path),
            self.tr("Chat"): lambda: self.chat_with(path),
        }
        message = " ".join([self.tr("{0} is built.").format(Path(path).name), *remarks])
        self._offers[path] = self.notes.show(Note(message, actions))

    def _note_speed(self, done: GenerationDone) -> None:
        self.recents.note_speed(self.session.bundle, done.decode_tokens_per_s, done.provider)

    def close(self) -> None:
        """Ends all workers and starts none any more; a running build resumes when it is requested again."""
        self.closing.emit()
        self.recipe_file.save()
        self.history.close()
        self.server.close()
        self._closed = True
        for worker in list(self._memory):
            worker.refusing = True
        for worker in list(self._memory):
            worker.close()
