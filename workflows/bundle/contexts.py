"""Compiled contexts: a provider's precompiled form of a bundle's graphs, stored beside the plain graphs.

    BUNDLE/contexts/KEY/context.json     graph, provider, versions and options of each context, and its files
    BUNDLE/contexts/KEY/COMPONENT.onnx   the same inputs and outputs around one EPContext node
    BUNDLE/contexts/KEY/*.bin            that node's data, often shared by several components

The manifest does not list them: a context can be compiled again from the graph and is valid on one kind of machine.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from workflows.bundle.manifest import FileEntry, is_linked
from workflows.bundle.strict_model import NameInBundle, StrictModel
from workflows.common.errors import BundleError
from workflows.common.files import remove, replace_folder
from workflows.common.strict_json import read_json

CONTEXTS = "contexts"
RECORD = "context.json"
_LONGEST = 1 << 20  # bytes of a record


class ContextOrigin(StrictModel):
    """Everything that determines a context: a difference in any field invalidates it.

    graph: SHA-256 of the graph's file. weights: the bundle's digest. version: of the provider's package.
    settings: the session's other onnxruntime settings.
    """

    graph: str
    weights: str
    provider: str
    version: str
    onnxruntime: str
    options: dict[str, str]
    settings: str


class CompiledContext(StrictModel):
    """The context of one component. seconds: its compile time."""

    file: NameInBundle
    origin: ContextOrigin
    seconds: Annotated[float, Field(ge=0)]


class ContextRecord(StrictModel):
    """The contents of context.json. shared: whether components share one copy of the weights."""

    version: Literal[1] = 1
    shared: bool
    sessions: Annotated[dict[str, CompiledContext], Field(min_length=1)]
    files: dict[NameInBundle, FileEntry]

    @property
    def provider_options(self) -> tuple[str, dict[str, str]]:
        """The provider and its options."""
        first = next(iter(self.sessions.values())).origin
        return first.provider, first.options

    @property
    def key(self) -> str:
        """The folder's name, a hash of the origins."""
        origins = {name: one.origin.model_dump() for name, one in sorted(self.sessions.items())}
        return hashlib.sha256(json.dumps([origins, self.shared], sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class ContextFolder:
    """A folder of contexts whose files all exist."""

    folder: Path
    record: ContextRecord

    def context_of(self, name: str, origin: ContextOrigin) -> Path | None:
        """The context of the session `name` if it was compiled from exactly `origin`, else None."""
        compiled = self.record.sessions.get(name)
        return self.folder / compiled.file if compiled is not None and compiled.origin == origin else None


def read_contexts(bundle: Path) -> list[ContextFolder]:
    """Reads the contexts of the bundle in that folder. Raises BundleError for an invalid record or incomplete files."""
    return [read_context(path) for path in _folders(bundle)]


def read_context(folder: Path) -> ContextFolder:
    """Reads one folder of contexts. Raises BundleError that names the file and the remedy."""
    remedy = f"remove {folder}, or compile again with `joinery compile`."
    path = folder / RECORD
    try:
        if path.stat().st_size > _LONGEST:
            raise ValueError
        record = ContextRecord.model_validate(read_json(path.read_bytes()))
    except (OSError, ValidationError, ValueError):
        raise BundleError(f"{path} is not a valid record of compiled contexts: {remedy}") from None
    if strange := next((one.file for one in record.sessions.values() if one.file not in record.files), None):
        raise BundleError(f"{path} lists no file {strange}: {remedy}")
    for name, entry in record.files.items():
        if is_linked(folder, name) or not (folder / name).is_file():
            raise BundleError(f"{folder} lacks {name}: {remedy}")
        if (folder / name).stat().st_size != entry.bytes:
            raise BundleError(f"{name} in {folder} is not {entry.bytes:,} bytes long: {remedy}")
    return ContextFolder(folder, record)


def _folders(bundle: Path) -> list[Path]:
    root = bundle / CONTEXTS
    if is_linked(bundle, CONTEXTS) or not root.is_dir():
        return []
    return sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))


def publish_contexts(bundle: Path, draft: Path) -> ContextFolder:
    """Renames the draft to its key and removes older contexts of that provider with the same options."""
    record = read_context(draft).record
    for folder in _folders(bundle):
        try:
            superseded = read_context(folder).record.provider_options == record.provider_options
        except BundleError:
            superseded = True  # unusable
        if superseded and folder.name != record.key:
            remove(folder)
    replace_folder(draft, bundle / CONTEXTS / record.key)
    return read_context(bundle / CONTEXTS / record.key)


def context_drafts(bundle: Path) -> list[Path]:
    """Contexts that are being compiled, or were when the process was killed."""
    return sorted(bundle.glob(f"{CONTEXTS}/.*.draft"))


def remove_context_drafts(bundle: Path) -> None:
    for draft in context_drafts(bundle):
        remove(draft)


def context_files(bundle: Path) -> dict[str, FileEntry | None]:
    """Every file of the bundle's contexts, by its path in the bundle → its entry; None for a record.

    Folders with an unreadable record are skipped.
    """
    entries: dict[str, FileEntry | None] = {}
    for folder in _folders(bundle):
        inside = folder.relative_to(bundle).as_posix()
        try:
            files = read_context(folder).record.files
        except BundleError:
            continue
        entries |= {f"{inside}/{RECORD}": None, **{f"{inside}/{name}": entry for name, entry in files.items()}}
    return entries
