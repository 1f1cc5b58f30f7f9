"""`joinery import`, `joinery export-genai`, and what the other commands say of a folder that is not imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.interop import peers
from workflows.bundle import read_bundle
from workflows.cli import run


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `joinery` in this process: (exit code, stdout, stderr)."""
    monkeypatch.setenv("COLUMNS", "400")

    def joinery(*arguments: object) -> tuple[int, str, str]:
        code = run([*map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return joinery


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    folder = tmp_path / "peer"
    folder.mkdir()
    peers.staged(folder)
    return folder


def test_there_and_back_as_text(ask: Any, peer: Path, tmp_path: Path) -> None:
    code, out, _ = ask("import", peer, "--out", tmp_path / "b")
    assert (code, out.splitlines()[-1]) == (0, f"{tmp_path / 'b'}: embeddings, transformer, lm_head, 0.0 MiB, imported")
    code, out, _ = ask("export-genai", tmp_path / "b", "--out", tmp_path / "g")
    assert code == 0
    assert out.splitlines()[-1].endswith("embeddings, transformer, lm_head, 0.0 MiB, written for onnxruntime-genai")
    assert ask("verify", tmp_path / "b")[0] == 0
    said = [json.loads((folder / "genai_config.json").read_text()) for folder in (peer, tmp_path / "g")]
    files = [[one.pop("filename") for one in data["model"]["decoder"]["pipeline"][0].values()] for data in said]
    assert said[0] == said[1] and files[1] == ["embeddings.onnx", "transformer.onnx", "lm_head.onnx"]


def test_there_and_back_as_json(ask: Any, peer: Path, tmp_path: Path) -> None:
    """Objects alone, a line each: the stage, notices, and the result last."""
    data = json.loads((peer / "genai_config.json").read_text()) | {"engine": {"static_batching": {}}}
    peers.lay(peer, data)
    code, out, err = ask("import", peer, "--out", tmp_path / "b", "--json")
    events = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [one["event"] for one in events] == ["stage", "stage", "notice", "done"]
    assert "engine (one conversation at a time)" in events[2]["message"]
    bundle = read_bundle(tmp_path / "b")
    assert (events[-1]["bundle"], events[-1]["bytes"]) == (str(tmp_path / "b"), bundle.bytes)
    out = tmp_path / "g"
    code, out, err = ask("export-genai", tmp_path / "b", "--out", out, "--config-version", 2, "--link", "--json")
    events = [json.loads(line) for line in out.splitlines()]
    assert (code, err, events[-1]["components"]) == (0, "", ["embeddings", "transformer", "lm_head"])
    assert json.loads((tmp_path / "g" / "genai_config.json").read_text())["version"] == 2


def test_errors_are_one_sentence_and_exit_2(ask: Any, peer: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    odd = tmp_path / "odd"
    odd.mkdir()
    peers.single(odd)
    data = json.loads((odd / "genai_config.json").read_text())
    peers.lay(odd, data | {"engine": {"pages": 1}})
    for arguments, told in (
        (("import", tmp_path / "none", "--out", tmp_path / "b"), "has no genai_config.json"),
        (("import", odd, "--out", tmp_path / "b"), "at engine.pages: Extra inputs are not permitted"),
        (("import", peer, "--out", peer), "holds files and is not a bundle"),
        (("export-genai", tmp_path / "none", "--out", tmp_path / "g"), "it has no manifest.json"),
        (("export-genai", peer, "--out", peer), "is not empty"),
        (("export-genai", peer, "--out", tmp_path / "g", "--config-version", 3), "no configuration version 3"),
        (("verify", peer), "import it with `joinery import` first"),
    ):
        code, out, err = ask(*arguments)
        assert (code, out) == (2, "") and told in err and len(err.strip().splitlines()) == 1, err
    assert not (tmp_path / "b").exists() and not (tmp_path / "g").exists()


def test_a_folder_that_is_not_imported_is_looked_at(ask: Any, peer: Path) -> None:
    """inspect takes it where it lies."""
    found = json.loads(ask("inspect", peer, "--json")[1])
    assert (found["route"], [one["name"] for one in found["components"]]) == (
        "decoder-pipeline", ["embeddings", "transformer", "lm_head"],
    )  # fmt: skip
    assert [layer for group in found["kv"] for layer in group["layers"]] == [0, 1]
