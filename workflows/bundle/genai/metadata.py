"""Queries that need no knowledge of version 1: whether a folder is genai's, and what `metadata.genai` keeps."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from workflows.bundle.genai.keys import Json, leaves, object_at, value_at
from workflows.bundle.schema import Pipeline

CONFIG = "genai_config.json"


def is_genai(folder: Path) -> bool:
    """Whether the folder belongs to onnxruntime-genai."""
    return (folder / CONFIG).is_file()


def extra_files(pipeline: Pipeline) -> list[str]:
    """The files that the configuration names and the program does not run, such as a draft's in a folder beside it."""
    own = {session.file for session in pipeline.pipeline.sessions.values()}
    rest = pipeline.metadata.genai
    files = [
        value
        for path, value in leaves(rest)
        if path.rpartition(".")[2] in ("filename", "file") and isinstance(value, str) and value and value not in own
    ]
    return list(dict.fromkeys(files))


def search_settings(pipeline: Pipeline) -> Json:
    """The search settings of the configuration that version 2 lacks, by transformers' names."""
    return object_at(pipeline.metadata.genai, "search")


def folder_digest(files: dict[str, Path]) -> str:
    """Identifies the folder's state by names, sizes and times: hashing gigabytes would take too long."""
    stats = [(name, path.stat().st_size, path.stat().st_mtime_ns) for name, path in sorted(files.items())]
    return hashlib.sha256(json.dumps(stats).encode()).hexdigest()


def ignored_settings(pipeline: Pipeline) -> list[str]:
    """Sentences about settings that Joinery ignores and that do not change a greedy token."""
    rest = pipeline.metadata.genai
    drafts = ("speculative", "pipeline.strategy", "model.draft") if pipeline.pipeline.strategy is None else ()
    ignored = [f"{path} (tokens come one at a time)" for path in (*drafts, "model.mtp") if value_at(rest, path)]
    return ignored + (["engine (one conversation at a time)"] if value_at(rest, "engine") else [])
