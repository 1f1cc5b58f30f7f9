"""A small bundle by hand: no graph in it can run, and nothing here asks one to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workflows.bundle.manifest import MANIFEST, make_manifest


def pipeline(**changes: Any) -> dict[str, Any]:
    """The decoded pipeline.json of a prefill + decode bundle; `changes` replace top-level keys."""
    return {
        "version": 2,
        "pipeline": {
            "sessions": {"prefill": {"file": "prefill.onnx"}, "decode": {"file": "decode.onnx"}},
            "flow": [{"run": "prefill", "when": "init"}, {"run": "decode", "when": "step"}],
            "dataflow": [],
            "state": {"kv_cache": {}},
        },
        "generation": {"max_length": 32},
        "metadata": {"model_type": "qwen3", "vocabulary": 10, "name": "small"},
    } | changes


def draft(folder: Path, text: str | None = None) -> Path:
    """The files of a bundle without their manifest."""
    (folder / "tokenizer").mkdir(parents=True)
    (folder / "pipeline.json").write_text(json.dumps(pipeline()) if text is None else text, "utf-8")
    (folder / "prefill.onnx").write_bytes(b"prefill")
    (folder / "decode.onnx").write_bytes(b"decode graph")
    (folder / "tokenizer" / "tokenizer.json").write_text("{}", "utf-8")
    return folder


def bundle(folder: Path) -> Path:
    """A whole bundle."""
    draft(folder)
    (folder / MANIFEST).write_text(make_manifest(folder).model_dump_json(), "utf-8")
    return folder
