"""Reads from the bundle's evidence what each build stage did to one component.

    evidence.json ──▶ GraphStage: export, each pass, final     stages/<component>.tar.xz ──▶ each stage's graph

The archive holds one graph without weights for the export and one for each pass that changed it; a pass that changed
nothing has the graph of the stage before it. Its dictionary spans at least two graphs; without times and owners, the
same contents give the same bytes.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from workflows.bundle import Bundle
from workflows.bundle.evidence import EVIDENCE
from workflows.common.errors import BundleError, GraphError, RequestError, printable
from workflows.inspection.flat_graph import FlatGraph
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.reports.graphs import GraphStage
from workflows.wire.reports.inspection import BuiltPass, BuiltStage, ParityReport

FINAL, EXPORT = "final", "export"
FOLDER = "stages"
MADE_BY = "made_by.json"
READ_LIMIT = 1 << 30
_XZ_PRESET = 3  # a sixth of the time of those above, for a twentieth more bytes
_XZ_DICTIONARY = (1 << 16, 1 << 26)  # bytes, at least and at most: a larger one takes time to set up


def archive_name(component: str) -> str:
    return f"{FOLDER}/{component}.tar.xz"


def final_stage(view: FlatGraph, parity: ParityReport | None = None) -> GraphStage:
    """Returns the stage of the graph that runs."""
    top = sum(node.parent < 0 for node in view.nodes)
    return GraphStage(FINAL, "As it runs", FINAL, False, top, view.facts.bytes, parity=parity)


@dataclass(frozen=True)
class StageHistory:
    """The build stages of one component before the final one; empty if the bundle has no evidence of them."""

    component: str
    stages: tuple[GraphStage, ...]
    files: Mapping[str, str]  # stage → its graph in the archive
    archive: Path | None
    parity: ParityReport | None = None  # of the final graph against the export

    def snapshot(self, stage: str) -> bytes:
        """Returns a stage's graph as the bytes of an .onnx file. Raises RequestError if there is no such stage."""
        if stage not in self.files:
            names = ", ".join([*self.files, FINAL])
            raise RequestError(f"{self.component} has no stage {printable(stage)!r}: it has {names}.")
        name = self.files[stage]
        if name not in self._contents:
            raise BundleError(f"The archive of {self.component}'s stages lacks {printable(name)}: build it anew.")
        return self._contents[name]

    def made_by(self, stage: str) -> dict[str, str]:
        """Maps the name of a node's first output to the last pass, up to `stage`, that created or changed the node."""
        if not self._contents:
            return {}
        try:
            made: dict[str, list[str]] = json.loads(self._contents.get(MADE_BY, b"{}"))
        except ValueError:
            raise BundleError(f"{MADE_BY} of {self.component} is not JSON: build the bundle again.") from None
        order = [one.name for one in self.stages]
        until = order if stage == FINAL else order[: order.index(stage) + 1]
        return {output: name for name in until for output in made.get(name, ())}

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        return read_archive(self.archive) if self.archive else {}


class _Evidence(NamedTuple):
    """The evidence of one stage and component, and the names of its graphs in the archive."""

    stage: BuiltStage
    exported: str
    passes: list[str]


def read_evidence(bundle: Bundle) -> list[BuiltStage]:
    """Reads the evidence, an entry a stage and component; empty without one. Raises BundleError if it is damaged."""
    return [entry.stage for entry in _read(bundle)]


def read_stages(bundle: Bundle, component: str) -> StageHistory:
    """Reads the history of one component. Raises BundleError if the evidence is damaged."""
    name = archive_name(component)
    if name not in bundle.files:
        return StageHistory(component, (), {}, None)
    entries = [entry for entry in _read(bundle) if entry.stage.component == component]
    return _history(component, entries, bundle.file(name))


def _read(bundle: Bundle) -> list[_Evidence]:
    text = bundle.text(EVIDENCE)
    try:
        return [_entry(entry) for entry in json.loads(text)] if text else []
    except json.JSONDecodeError:
        raise BundleError(f"{EVIDENCE} in {bundle.folder} is not JSON: build the bundle again.") from None
    except (KeyError, TypeError, AttributeError, PayloadMismatch):
        raise BundleError(
            f"{EVIDENCE} in {bundle.folder} is not what a build writes: build the bundle again."
        ) from None


def _entry(entry: dict[str, object]) -> _Evidence:
    """Keeps the part of an entry that is shown."""
    steps = read(list[dict[str, object]], entry["passes"])
    shown = {name: entry[name] for name in _names(BuiltStage) & entry.keys()}
    shown["passes"] = [{name: step[name] for name in _names(BuiltPass) & step.keys()} for step in steps]
    return _Evidence(read(BuiltStage, shown), str(entry.get("snapshot", "")), [str(step["snapshot"]) for step in steps])


def _names(kind: type[BuiltStage | BuiltPass]) -> set[str]:
    return {field.name for field in fields(kind)}


def _history(component: str, entries: list[_Evidence], archive: Path) -> StageHistory:
    stages: list[GraphStage] = []
    files: dict[str, str] = {}
    parity = None
    for built, exported, snapshots in entries:
        if built.name == EXPORT:
            stages.append(GraphStage(EXPORT, "As exported", EXPORT, True, built.nodes, built.bytes, built.seconds))
            files[EXPORT] = exported
        for step, snapshot in zip(built.passes, snapshots, strict=True):
            name = step.name if step.name not in files else f"{built.name}/{step.name}"
            kind = "quantize" if built.name == "quantize" else "pass"
            facts = (step.nodes_after, step.bytes, step.seconds, step.parity, step.refused)
            stages.append(GraphStage(name, step.title, kind, step.modified, *facts))
            files[name] = snapshot
        parity = built.parity or parity
    return StageHistory(component, tuple(stages), files, archive, parity)


def write_archive(path: Path, files: Mapping[str, bytes]) -> None:
    """Writes `files`, in their order, to `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        lzma.open(path, "wb", filters=[_xz_filter(max(map(len, files.values()), default=0))]) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def _xz_filter(longest: int) -> dict[str, int]:
    """Returns the LZMA filter whose dictionary still contains the whole previous file at the end of the current one."""
    least, most = _XZ_DICTIONARY
    return {"id": lzma.FILTER_LZMA2, "preset": _XZ_PRESET, "dict_size": min(max(2 * longest, least), most)}


def read_archive(path: Path) -> dict[str, bytes]:
    """Reads all files. Raises GraphError if the archive is damaged or unpacks to more than READ_LIMIT bytes."""
    contents: dict[str, bytes] = {}
    left = READ_LIMIT
    try:
        with tarfile.open(path, "r|xz") as archive:
            for entry in archive:
                left -= entry.size
                file = archive.extractfile(entry)
                if left < 0 or file is None:
                    raise GraphError(
                        f"{printable(path.name)} exceeds the size limit of a graph archive: build the bundle again."
                    )
                contents[entry.name] = file.read()
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise GraphError(f"{printable(path.name)} is damaged ({printable(error)}): build the bundle again.") from None
    return contents
