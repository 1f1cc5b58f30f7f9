"""Bundles of earlier versions run, with the tokens of today's; one of a later version says so, and is not "damaged".

The programs are those that 0.1 (commit 940c6fc2) and 0.2 (commit 9fd71a33) wrote for demo:qwen3, without dates;
whole bundles of both commits were also verified, run, inspected, measured, compared, reported and exported by hand.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from workflows.bundle.read import read_bundle
from workflows.common.errors import BundleError

CACHE = {
    "format": "separate",
    "past_key_pattern": "past_key_values.%d.key",
    "past_value_pattern": "past_key_values.%d.value",
    "present_key_pattern": "present.%d.key",
    "present_value_pattern": "present.%d.value",
}
FACTS = {
    "model_type": "qwen3", "name": "qwen3-demo", "architecture": "Qwen3ForCausalLM", "task": "text-generation",
    "family": "qwen3", "precision": "fp32", "vocabulary": 1024,
}  # fmt: skip


def program(chunk: int, layout: str, step: dict[str, str], component: dict[str, str]) -> dict[str, Any]:
    """pipeline.json as an earlier version wrote it."""
    runtime = {"precision": "fp32", "chunked_prefill": {"max_batched_tokens": chunk}}
    return {
        "version": 2,
        "pipeline": {
            "sessions": {"decoder": {"file": "decoder.onnx", "session_options": {"runtime": runtime}}},
            "flow": [{"run": "decoder", "when": "step", **step}],
            "dataflow": [],
            "state": {"kv_cache": CACHE},
        },
        "tokens": {"eos": [2], "pad": 0},
        "generation": {"max_length": 4096},
        "metadata": {
            **FACTS, "layout": layout, "chunk": chunk,
            "components": [{"name": "decoder", "role": "decoder", **component}],
        },
    }  # fmt: skip


EARLIER = {
    "0.1": ("static", program(64, "static", {}, {})),
    "0.2": ("gqa", program(128, "gqa", {"loop": "batched"}, {"precision": "fp32"})),
}


@pytest.mark.parametrize("version", EARLIER)
def test_a_program_of_an_earlier_version_gives_the_same_tokens(
    version: str, built: Built, cli: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    layout, text = EARLIER[version]
    today = built("demo:qwen3", cache=layout)
    shutil.copytree(today, tmp_path / "old")
    (tmp_path / "old" / "pipeline.json").write_text(json.dumps(text), "utf-8")
    words = ("--chat", "--prompt", "What is 8 times 7?", "--max-new-tokens", "12", "--json")
    ends = []
    for bundle in (today, tmp_path / "old"):
        code, out, err = cli("generate", bundle, *words)
        assert code == 0, err
        ends.append(json.loads(out.splitlines()[-1]))
    assert ends[0]["token_ids"] == ends[1]["token_ids"] and "56" in ends[1]["text"]
    code, out, err = cli("inspect", tmp_path / "old", "--json")
    assert code == 0 and json.loads(out)["kv"][0]["layout"] == layout, err


@pytest.mark.parametrize("name", ["pipeline.json", "manifest.json"])
def test_a_bundle_of_a_later_version_is_said_to_be_one(name: str, demo_bundle: Path, tmp_path: Path) -> None:
    """After a downgrade: the bundle is whole, and must not be called damaged."""
    shutil.copytree(demo_bundle, tmp_path / "later")
    file = tmp_path / "later" / name
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"version": 9, "new": 1}), "utf-8")
    with pytest.raises(
        BundleError, match=rf"{name} is of version 9, .* update Joinery, or build the bundle with this one"
    ):
        read_bundle(tmp_path / "later")
