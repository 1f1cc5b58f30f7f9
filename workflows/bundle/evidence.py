"""What a build notes of each graph, stage by stage: a file in each stage's folder, and all of it in the bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workflows.common.errors import BundleError

EVIDENCE = "evidence.json"
Evidence = list[dict[str, Any]]  # an entry a stage and component


def load_evidence(folder: Path) -> Evidence:
    """What stands in `folder`. Raises BundleError where it is no list in JSON."""
    try:
        return list(json.loads((folder / EVIDENCE).read_text("utf-8")))
    except (ValueError, TypeError):
        raise BundleError(f"{EVIDENCE} in {folder} is no JSON: build the bundle anew.") from None


def save_evidence(folder: Path, evidence: Evidence) -> None:
    """Writes it into `folder`."""
    (folder / EVIDENCE).write_text(json.dumps(evidence, indent=1) + "\n", "utf-8")
