"""The evidence of a build: facts about each graph after each stage, one file per stage, and all of them in the
bundle.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workflows.common.errors import BundleError

EVIDENCE = "evidence.json"
Evidence = list[dict[str, Any]]  # an entry per stage and component


def load_evidence(folder: Path) -> Evidence:
    """Reads the evidence in `folder`. Raises BundleError where it is not a JSON list."""
    try:
        return list(json.loads((folder / EVIDENCE).read_text("utf-8")))
    except (ValueError, TypeError):
        raise BundleError(f"{EVIDENCE} in {folder} is not a JSON list: build the bundle anew.") from None


def save_evidence(folder: Path, evidence: Evidence) -> None:
    (folder / EVIDENCE).write_text(json.dumps(evidence, indent=1) + "\n", "utf-8")
