"""A bundle that was really built goes out and comes back with the same tokens, and the wheel gives them too."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from workflows.generate import GenerateOptions, open_engine
from workflows.interop.genai_export import export_genai
from workflows.interop.genai_import import import_genai
from workflows.wire.events import GenerationDone

PROMPT = [5, 17, 29, 101, 7, 64, 33] * 10
NEW = 24


def tokens(folder: Path) -> list[int]:
    *_, done = open_engine(folder).generate(PROMPT, GenerateOptions(max_new_tokens=NEW), eos=[])
    assert isinstance(done, GenerationDone)
    return done.token_ids


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"cache": "static"}, {}, {"kv_dtype": "int8"}, {"variant": "transformer-only", "graphs": "single"}]
)
def test_there_and_back(options: dict[str, Any], built: Any, tmp_path: Path) -> None:
    """In either version, opened in place and imported."""
    bundle = built("demo:qwen3", **options)
    expected = tokens(bundle)
    for version in (1, 2):
        folder = tmp_path / f"v{version}"
        export_genai(bundle, folder, version=version, link=True)  # type: ignore[arg-type]
        assert tokens(folder) == expected
        import_genai(folder, tmp_path / f"b{version}")
        assert tokens(tmp_path / f"b{version}") == expected


@pytest.mark.slow
@pytest.mark.skipif(find_spec("onnxruntime_genai") is None, reason="onnxruntime-genai is not installed")
@pytest.mark.parametrize("options", [{"cache": "static"}, {"kv_dtype": "int8"}])
def test_the_wheel_gives_them_too(options: dict[str, Any], built: Any, tmp_path: Path) -> None:
    """By the page beside the folder: from ids, and from a text, with the folder's own tokenizer."""
    bundle = built("demo:qwen3", **options)
    expected = tokens(bundle)
    export_genai(bundle, tmp_path / "g")

    def page(*arguments: str) -> str:
        command = [sys.executable, str(tmp_path / "g" / "sample.py"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    found = [int(token) for token in page("--ids", ",".join(map(str, PROMPT)), "--max-new-tokens", str(NEW)).split()]
    assert found and found == expected[: len(found)]
    assert page("Once upon a time", "--max-new-tokens", "5").strip()
