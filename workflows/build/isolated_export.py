"""The export of a checkpoint that brings code, in a process of its own: no network, and a bound on memory.

    export_isolated ──▶ [ confined ──▶ the checkpoint read again, consent held against it ──▶ make_export ]
            ▲ events, a line each; the last one is the evidence, or the error that ended it          │
            └──────────────────────────────────────────────────────────────────────────────────────┘

What the code leaves behind in a process is so of no later job. It may read and write what its owner may.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workflows.build.workspace import Report
from workflows.bundle.evidence import Evidence
from workflows.checkpoint import Checkpoint
from workflows.common.errors import CheckpointError, error_from_dict, error_to_dict, printable
from workflows.process.sandbox import confine, memory_limit
from workflows.process.subprocesses import claim_stdout, exit_with_parent, run_isolated
from workflows.recipe import Recipe
from workflows.wire.events import Event, NoticeEvent, parse

_SECONDS = 30 * 24 * 3600.0  # it ends with its owner, and with who cancels: a large model takes as long as it takes


def export_isolated(
    checkpoint: Checkpoint, recipe: Recipe, folder: Path, report: Report, check: Callable[[], None]
) -> Evidence:
    """What make_export does and gives. check: raises Cancelled where the person said stop.

    Raises what make_export raises, and CheckpointError where the code ended the process.
    """
    asked = {
        "folder": str(checkpoint.folder),
        "source": checkpoint.source,
        "kind": checkpoint.kind,
        "revision": checkpoint.revision,
        "consented": sorted(checkpoint.remote_code.values()),
        "recipe": recipe.model_dump(mode="json"),
        "out": str(folder),
        "most": memory_limit(checkpoint.weights_bytes),
    }

    def cancelled() -> bool:
        check()
        return False

    ended = run_isolated(__name__, [json.dumps(asked)], _SECONDS, on_line=_event_reader(report), cancelled=cancelled)
    check()  # Ctrl+C ends the process, too
    found = _last(ended.last_line)
    if "evidence" in found:
        return list(found["evidence"])
    if "error" in found:
        raise error_from_dict(found)
    why = printable(next(reversed(ended.log.strip().splitlines()), ""), 200)
    raise CheckpointError(
        f"The process that ran the code of {checkpoint.source} {ended.failure or 'told nothing'}{why and f': {why}'}."
    )


def _event_reader(report: Report) -> Callable[[str], None]:
    """Passes the events on; a line that is none is the last one, or what a stranger's code printed."""

    def hear(line: str) -> None:
        try:
            event: Event | None = parse(json.loads(line), object)
        except (ValueError, RecursionError):
            event = None
        if event is not None:
            report(event)

    return hear


def _last(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


# -- in the process of its own ---------------------------------------------------------------------------------


def main() -> None:
    """Tells what it does, and at last the evidence or the error."""
    exit_with_parent()
    out = claim_stdout("utf-8")

    def tell(line: str) -> None:
        out.write(line + "\n")
        out.flush()

    asked = json.loads(sys.argv[1])
    why = confine(asked["most"])
    if why:
        tell(NoticeEvent(code="open", message=why).to_line(0))
    try:
        tell(json.dumps({"evidence": _export(asked, lambda event: tell(event.to_line(0)))}))
    except Exception as error:  # noqa: BLE001 - a stranger's code raises what it likes; the owner tells of it
        traceback.print_exc()
        told = error_to_dict(error, "build")
        if told is None:
            sys.exit(1)
        tell(json.dumps(told))


def _export(asked: Mapping[str, Any], report: Report) -> Evidence:
    from workflows.build.stages import make_export
    from workflows.checkpoint.checkpoint import read_checkpoint

    checkpoint = read_checkpoint(Path(asked["folder"]), asked["source"], asked["kind"], asked["revision"])
    checkpoint.require_consent(False, frozenset(asked["consented"]))
    return make_export(checkpoint, Recipe.model_validate(asked["recipe"]), Path(asked["out"]), report)


if __name__ == "__main__":
    main()
