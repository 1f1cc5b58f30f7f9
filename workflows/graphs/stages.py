"""What a build did to one component, stage by stage, as the bundle's evidence says it.

    evidence.json ──▶ Stage: export, each pass, final      stages/<component>.tar.xz ──▶ each stage's graph, no weights

The archive holds a file for the export and for each pass that changed something; a pass that changed nothing has the
graph of the stage before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from workflows.bundle import Bundle
from workflows.errors import BundleError, RequestError, printable
from workflows.evidence import EVIDENCE, load_evidence
from workflows.graphs.archive import read_archive
from workflows.graphs.view import View

FINAL, EXPORT = "final", "export"
FOLDER = "stages"
MADE_BY = "made_by.json"


def archive_of(component: str) -> str:
    """The archive's name in the bundle."""
    return f"{FOLDER}/{component}.tar.xz"


@dataclass(frozen=True)
class Stage:
    """One stop of the slider; `kind` is export, pass, quantize or final. `nodes` and `bytes` are those after it."""

    name: str
    title: str
    kind: str
    modified: bool
    nodes: int
    bytes: int
    seconds: float = 0.0
    parity: dict[str, Any] | None = None
    refused: list[dict[str, str]] = field(default_factory=list)

    @classmethod
    def final(cls, view: View, parity: dict[str, Any] | None = None) -> Stage:
        """The graph as it runs."""
        top = sum(node["parent"] < 0 for node in view.nodes)
        return cls(FINAL, "As it runs", FINAL, False, top, view.facts["bytes"], parity=parity)

    def to_dict(self) -> dict[str, Any]:
        """As the window takes it."""
        return asdict(self)


@dataclass(frozen=True)
class History:
    """The stages of one component before the final one; empty for a bundle without evidence of them."""

    component: str
    stages: tuple[Stage, ...]
    files: Mapping[str, str]  # stage → its graph in the archive
    archive: Path | None
    parity: dict[str, Any] | None = None  # of the final graph against the export

    def snapshot(self, stage: str) -> bytes:
        """A stage's graph, as the bytes of an .onnx file. Raises RequestError where there is no such stage."""
        if stage not in self.files:
            names = ", ".join([*self.files, FINAL])
            raise RequestError(f"{self.component} has no stage {printable(stage)!r}: it has {names}.")
        name = self.files[stage]
        if name not in self._contents:
            raise BundleError(f"The archive of {self.component}'s stages lacks {printable(name)}: build it anew.")
        return self._contents[name]

    def made_by(self, stage: str) -> dict[str, str]:
        """Name of a node's first output → the pass, up to `stage`, that made the node or changed it last."""
        if not self._contents:
            return {}
        try:
            made: dict[str, list[str]] = json.loads(self._contents.get(MADE_BY, b"{}"))
        except ValueError:
            raise BundleError(f"{MADE_BY} of {self.component} is no JSON: build the bundle anew.") from None
        order = [one.name for one in self.stages]
        until = order if stage == FINAL else order[: order.index(stage) + 1]
        return {output: name for name in until for output in made.get(name, ())}

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        return read_archive(self.archive) if self.archive else {}


def read_evidence(bundle: Bundle) -> list[dict[str, Any]]:
    """What the build noted, one entry a stage and component; empty where the bundle has none."""
    return load_evidence(bundle.folder) if EVIDENCE in bundle.manifest.files else []


def read_stages(bundle: Bundle, component: str) -> History:
    """The history of one component. Raises BundleError for evidence that is damaged."""
    name = archive_of(component)
    if name not in bundle.manifest.files:
        return History(component, (), {}, None)
    try:
        entries = [entry for entry in read_evidence(bundle) if entry["component"] == component]
        return _history(component, entries, bundle.file(name))
    except (KeyError, TypeError, AttributeError):
        raise BundleError(f"{EVIDENCE} in {bundle.folder} is not what a build writes: build the bundle anew.") from None


def _history(component: str, entries: list[dict[str, Any]], archive: Path) -> History:
    stages: list[Stage] = []
    files: dict[str, str] = {}
    parity = None
    for entry in entries:
        if entry["name"] == EXPORT:
            stages.append(Stage(EXPORT, "As exported", EXPORT, True, *_facts(entry)))
            files[EXPORT] = entry["snapshot"]
        for step in entry["passes"]:
            name = step["name"] if step["name"] not in files else f"{entry['name']}/{step['name']}"
            kind = "quantize" if entry["name"] == "quantize" else "pass"
            facts = (step["nodes_after"], step["bytes"], step["seconds"], step["parity"], step["refused"])
            stages.append(Stage(name, step["title"], kind, step["modified"], *facts))
            files[name] = step["snapshot"]
        parity = entry.get("parity") or parity
    return History(component, tuple(stages), files, archive, parity)


def _facts(entry: Mapping[str, Any]) -> tuple[int, int, float]:
    return entry["nodes"], entry["bytes"], entry["seconds"]
