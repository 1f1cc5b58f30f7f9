"""Reads from the bundle's evidence what each build stage did to one component.

    evidence.json ──▶ GraphStage: export, each pass, final     stages/<component>.tar.xz ──▶ each stage's graph, no weig

The archive holds one file for the export and one for each pass that changed the graph; a pass that changed nothing has
the graph of the stage before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from workflows.bundle import Bundle
from workflows.bundle.evidence import EVIDENCE
from workflows.common.errors import BundleError, RequestError, printable
from workflows.inspection.flat_graph import FlatGraph
from workflows.inspection.graph_archive import read_archive
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.reports.graphs import GraphStage
from workflows.wire.reports.inspection import BuiltPass, BuiltStage, ParityReport

FINAL, EXPORT = "final", "export"
FOLDER = "stages"
MADE_BY = "made_by.json"


def archive_name(component: str) -> str:
    """Returns the archive's path in the bundle."""
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
    """Reads the evidence, one entry a stage and component; empty if the bundle has none.

    Raises BundleError if the evidence is damaged.
    """
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
