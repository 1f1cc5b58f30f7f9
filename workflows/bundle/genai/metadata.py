"""What is asked of a bundle or a folder without knowing version 1: whether it is one, and what its program has kept."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from workflows.bundle.genai.keys import Json, leaves, object_at, value_at
from workflows.bundle.schema import Pipeline

CONFIG = "genai_config.json"


def is_genai(folder: Path) -> bool:
    """Whether a folder is one of genai's."""
    return (folder / CONFIG).is_file()


def extra_files(pipeline: Pipeline) -> list[str]:
    """The files that the configuration names and the program does not run, such as a draft's in a folder beside it."""
    own = {session.file for session in pipeline.pipeline.sessions.values()}
    rest = pipeline.metadata.genai
    found = [
        value
        for path, value in leaves(rest)
        if path.rpartition(".")[2] in ("filename", "file") and isinstance(value, str) and value and value not in own
    ]
    return list(dict.fromkeys(found))


def search_settings(pipeline: Pipeline) -> Json:
    """How tokens are chosen, as the configuration says it and version 2 has no word for; by transformers' names."""
    return object_at(pipeline.metadata.genai, "search")


def folder_digest(files: dict[str, Path]) -> str:
    """Tells one state of the folder from another, by names, sizes and times: reading gigabytes would take too long."""
    told = [(name, path.stat().st_size, path.stat().st_mtime_ns) for name, path in sorted(files.items())]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def ignored_settings(pipeline: Pipeline) -> list[str]:
    """What the configuration asks for, without changing a greedy token, and Joinery does not do; in words."""
    rest = pipeline.metadata.genai
    drafts = ("speculative", "pipeline.strategy", "model.draft") if pipeline.pipeline.strategy is None else ()
    found = [f"{path} (tokens come one at a time)" for path in (*drafts, "model.mtp") if value_at(rest, path)]
    return found + (["engine (one conversation at a time)"] if value_at(rest, "engine") else [])
