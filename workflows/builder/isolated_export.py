"""Exports a checkpoint that runs its own code in a sandboxed subprocess: no network, bounded memory.

    export_isolated ──▶ [ sandbox ──▶ the checkpoint read again, consent checked against its files ──▶ make_export ]
            ▲ events, one per line; the last line is the evidence, or the error                         │
            └─────────────────────────────────────────────────────────────────────────────────────────┘

State that the code leaves in a process affects no later job. The code may read and write what its user may.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workflows.builder.workspace import Report
from workflows.bundle.evidence import Evidence
from workflows.checkpoint import Checkpoint
from workflows.common.errors import (
    CheckpointError,
    MemoryShortError,
    error_from_dict,
    error_to_dict,
    names_out_of_memory,
    out_of_memory_message,
    printable,
)
from workflows.process.sandbox import confine, memory_limit
from workflows.process.subprocesses import claim_stdout, exit_with_parent, run_isolated
from workflows.recipe import Recipe
from workflows.recipe.adapters import open_adapters
from workflows.wire.events import Event, NoticeEvent, parse

_SECONDS = 30 * 24 * 3600.0  # no practical limit: the subprocess ends with its parent or by cancellation


def export_isolated(
    checkpoint: Checkpoint, recipe: Recipe, folder: Path, report: Report, check: Callable[[], None]
) -> Evidence:
    """Like make_export; raises CheckpointError where the code ended the process, MemoryShortError where a lack of
    memory did, and Cancelled by `check`.
    """
    request = {
        "folder": str(checkpoint.root),
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

    ended = run_isolated(__name__, [json.dumps(request)], _SECONDS, on_line=_event_reader(report), cancelled=cancelled)
    check()  # Ctrl+C ends the subprocess as well
    result = _last(ended.last_line)
    if "evidence" in result:
        return list(result["evidence"])
    if "error" in result:
        raise error_from_dict(result)
    why = printable(next(reversed(ended.log.strip().splitlines()), ""), 200)
    if ended.failure and names_out_of_memory(ended.log):  # so little that no handler could run
        raise MemoryShortError(out_of_memory_message("build"))
    raise CheckpointError(
        f"The process that ran the code of {checkpoint.source} {ended.failure or 'told nothing'}{why and f': {why}'}."
    )


def _event_reader(report: Report) -> Callable[[str], None]:
    """Forwards events; a line that is not an event is the last one, or output of the checkpoint's code."""

    def read(line: str) -> None:
        try:
            event: Event | None = parse(json.loads(line), object)
        except (ValueError, RecursionError):
            event = None
        if event is not None:
            report(event)

    return read


def _last(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


# -- in the subprocess -----------------------------------------------------------------------------------------


def main() -> None:
    """Prints events, then the evidence or the error."""
    exit_with_parent()
    out = claim_stdout("utf-8")

    def write(line: str) -> None:
        out.write(line + "\n")
        out.flush()

    request = json.loads(sys.argv[1])
    why = confine(request["most"])
    if why:
        write(NoticeEvent(code="open", message=why).to_line(0))
    try:
        write(json.dumps({"evidence": _export(request, lambda event: write(event.to_line(0)))}))
    except Exception as error:  # noqa: BLE001 - a stranger's code raises what it likes; the owner tells of it
        traceback.print_exc()
        failure = error_to_dict(error, "build")
        if failure is None:
            sys.exit(1)
        write(json.dumps(failure))


def _export(request: Mapping[str, Any], report: Report) -> Evidence:
    from workflows.builder.stages import make_export
    from workflows.checkpoint.checkpoint import read_checkpoint

    checkpoint = read_checkpoint(Path(request["folder"]), request["source"], request["kind"], request["revision"])
    checkpoint.require_consent(False, frozenset(request["consented"]))
    recipe = Recipe.model_validate(request["recipe"])
    return make_export(open_adapters(checkpoint, request["recipe"]), recipe, Path(request["out"]), report)


if __name__ == "__main__":
    main()
