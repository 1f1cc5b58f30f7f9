"""Results of several machines side by side: what is fast on one processor is a guess on another.

peers.json of each machine ──▶ a column a machine: Joinery's figure, and each peer's divided by it
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.peers.environments import PEERS, PeerError
from tests.benchmarks.peers.rows import ROWS, Row

Result = Mapping[str, Any]  # what Table.as_json writes


def read_result(file: Path) -> Result:
    """Another machine's `peers.json`. Raises PeerError for another file."""
    try:
        result: Result = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PeerError(f"{file} cannot be read as the peers.json of another machine: {error}.") from error
    if not isinstance(result, dict) or not {"machine", "rows"} <= result.keys():
        raise PeerError(f"{file} names no machine: make it again with this version.")
    return result


def side_by_side(results: Sequence[Result]) -> str:
    """The rows that any machine has, as Markdown."""
    heads = ["", "unit", *(str(result["machine"]) for result in results)]
    lines = [heads, ["---", "---", *("---:" for _ in results)]]
    for row in ROWS:
        cells = [_cell(row, result) for result in results]
        if any(cells):
            lines.append([row.title, row.unit, *(cell or "–" for cell in cells)])
    told = [f"- {result['machine']}: {'; '.join(result['about'])}" for result in results]
    body = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(["# Joinery beside its peers, by machine", "", *told, "", *body, ""])


def _cell(row: Row, result: Result) -> str:
    """`18.0 (onnxruntime-genai ×1.11)`; empty where the machine has no figure of Joinery."""
    medians = next((one["medians"] for one in result["rows"] if one["row"] == row.key), {})
    own = medians.get("joinery")
    if not own:
        return ""
    beside = ", ".join(f"{PEERS[e].title} ×{value / own:.2f}" for e, value in medians.items() if e != "joinery")
    return f"{own / row.scale:,.{row.digits}f}" + (f" ({beside})" if beside else "")
