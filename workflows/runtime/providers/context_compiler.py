"""Compiles a bundle's graphs for a provider ahead of time, in a process that may crash, and tests the result.

    compile_bundle ──starts──▶ python -m workflows.runtime.providers.context_compiler ──▶ a draft folder of contexts
                   ──starts──▶ preflight, from the draft ──▶ right: published in BUNDLE/contexts/KEY │ wrong: removed

Where the provider can share weights between components, that is tried first. If the process crashes or the results are
wrong, each component gets its own copy, and the report says so.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workflows.bundle import Bundle, read_bundle
from workflows.bundle.contexts import (
    CONTEXTS,
    RECORD,
    CompiledContext,
    ContextFolder,
    ContextRecord,
    publish_contexts,
    remove_context_drafts,
)
from workflows.bundle.manifest import FileEntry, sha256_of
from workflows.common.errors import BundleError, DeviceError, JoineryError, printable
from workflows.common.files import remove, sync
from workflows.process.subprocesses import exit_with_parent, run_isolated
from workflows.runtime.loading.compiled_contexts import context_origin
from workflows.runtime.loading.sessions import (
    ORT_ERRORS,
    SHARE,
    Placement,
    SessionPlan,
    plan_sessions,
    session_settings,
)
from workflows.runtime.providers import device_named, provider_of
from workflows.runtime.providers.preflight import try_out
from workflows.wire.reports.compiled import CompiledComponent, CompileReport
from workflows.wire.reports.devices import Device

_SECONDS = 3600.0
_STOP_SHARING = "ep.stop_share_ep_contexts"
_FAILED = "failed: "


def compile_bundle(
    folder: Path,
    provider: str,
    options: Mapping[str, str] | None = None,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    seconds: float = _SECONDS,
) -> CompileReport:
    """Compiles every graph of the bundle that runs on `provider`; options: the provider's.

    on_progress: receives a line per step. Raises BundleError for a folder that is not a bundle built by Joinery,
    DeviceError for a provider that cannot be used, compiles nothing or makes wrong contexts, and Cancelled on request;
    no files remain then.
    """
    device, bundle = check_compiles(provider), read_bundle(folder)
    own = provider_of(device)
    if not bundle.built:
        raise BundleError(f"{folder} is read in place: make a bundle of it with `joinery import`, and compile that.")
    attempt = _Compilation(folder, device, dict(options or {}), on_progress, cancelled, seconds)
    remove_context_drafts(folder)
    several = len(_groups(bundle, device, {})) > 1
    tried = attempt.make(shared=True) if own.sharing and several else ""
    if isinstance(tried, ContextFolder):
        return _report(tried, device)
    made = attempt.make(shared=False)
    if not isinstance(made, ContextFolder):
        raise DeviceError(f"{folder} cannot be compiled for {device.title}: {made}")
    note = f"Components have a copy of the weights each, for shared ones cannot be used: {tried}" if tried else ""
    return _report(made, device, note)


def check_compiles(provider: str) -> Device:
    """The device called `provider`. Raises DeviceError for one that cannot be used, or compiles nothing."""
    device = device_named(provider)
    if not provider_of(device).compiles:
        raise DeviceError(f"{device.title} makes no compiled contexts: its graphs are opened as they are.")
    return device


@dataclass(frozen=True)
class _Compilation:
    """The compilation of one bundle for one device."""

    folder: Path
    device: Device
    options: Mapping[str, str]
    on_progress: Callable[[str], None]
    cancelled: Callable[[], bool]
    seconds: float

    def make(self, *, shared: bool) -> ContextFolder | str:
        """Compiles, tests and publishes the contexts; or returns why that failed."""
        draft = self.folder / CONTEXTS / f".{secrets.token_hex(4)}.draft"
        try:
            return self._compile(draft, shared) or self._try(draft) or publish_contexts(self.folder, draft)
        finally:
            remove(draft)

    def _compile(self, draft: Path, shared: bool) -> str:
        arguments = [
            str(self.folder),
            self.device.name,
            json.dumps(dict(self.options)),
            "1" if shared else "",
            str(draft),
        ]
        ended = run_isolated(
            "workflows.runtime.providers.context_compiler",
            arguments,
            self.seconds,
            on_line=self.on_progress,
            cancelled=self.cancelled,
        )
        if ended.failure:
            return f"The process that compiled {ended.failure}."
        return ended.last_line.removeprefix(_FAILED) if ended.last_line.startswith(_FAILED) else ""

    def _try(self, draft: Path) -> str:
        self.on_progress("trying a chunk and a step")
        found = try_out(
            self.folder, self.device.name, self.options, contexts=draft, seconds=self.seconds, cancelled=self.cancelled
        )
        return "" if found.usable else found.reason


def _report(made: ContextFolder, device: Device, note: str = "") -> CompileReport:
    record = made.record
    inside = f"{CONTEXTS}/{record.key}"
    components = [
        CompiledComponent(name, f"{inside}/{one.file}", record.files[one.file].bytes, one.seconds)
        for name, one in record.sessions.items()
    ]
    total = sum(entry.bytes for entry in record.files.values())
    return CompileReport(device.name, inside, record.shared, total, components, note)


# -- in the process of its own ---------------------------------------------------------------------------------


def make_contexts(folder: Path, provider: str, options: Mapping[str, str], shared: bool, draft: Path) -> None:
    """Writes the contexts and their record to `draft`. Raises DeviceError where the provider cannot."""
    device, bundle = device_named(provider), read_bundle(folder)
    groups = _groups(bundle, device, options)
    draft.mkdir(parents=True)
    compiled: dict[str, CompiledContext] = {}
    for place, (opening, names) in enumerate(groups):
        _say(f"compiling {', '.join(names)}")
        began = time.perf_counter()
        _compile(opening, draft / f"{names[0]}.onnx", shared, last=place == len(groups) - 1)
        seconds = round(time.perf_counter() - began, 3)
        origin = context_origin(bundle, opening)
        compiled |= {name: CompiledContext(file=f"{names[0]}.onnx", origin=origin, seconds=seconds) for name in names}
    files = {
        path.name: FileEntry(bytes=path.stat().st_size, sha256=sha256_of(path)) for path in sorted(draft.iterdir())
    }
    record = ContextRecord(shared=shared, sessions=compiled, files=files)
    (draft / RECORD).write_text(record.model_dump_json(indent=1) + "\n", "utf-8")
    for path in (*draft.iterdir(), draft):
        sync(path)


def _groups(bundle: Bundle, device: Device, options: Mapping[str, str]) -> list[tuple[SessionPlan, list[str]]]:
    """The session plans, each with the names of the sessions that share it."""
    found: dict[tuple[Path, str, str], tuple[SessionPlan, list[str]]] = {}
    for name, opening in plan_sessions(bundle, Placement(device, {}), options).items():
        found.setdefault(opening.key, (opening, []))[1].append(name)
    return list(found.values())


def _compile(opening: SessionPlan, target: Path, shared: bool, last: bool) -> None:
    provider = provider_of(opening.device)
    entries = {SHARE: "1"} | ({_STOP_SHARING: "1"} if last else {}) if shared else {}
    options = {**opening.options, **(provider.sharing if shared else {})}
    try:
        provider.compile(opening.path, session_settings(opening.settings, entries), options, target)
    except ORT_ERRORS as error:
        raise DeviceError(f"{provider.title} does not compile {opening.name}: {printable(error, 200)}") from error
    if not target.is_file():
        raise DeviceError(f"{provider.title} takes no node of {opening.name}, so that there is nothing to compile.")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> None:
    """Runs make_contexts; the last line of the output says why it failed, where it did."""
    exit_with_parent()
    folder, provider, options, shared, draft = arguments
    try:
        make_contexts(Path(folder), provider, json.loads(options), bool(shared), Path(draft))
    except JoineryError as error:
        _say(f"\n{_FAILED}{error}")


if __name__ == "__main__":
    main(sys.argv[1:])
