"""Results of several machines in one document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.peers.environments import PeerError
from tests.benchmarks.peers.machines import read_result, side_by_side
from tests.benchmarks.peers.rounds import Log
from tests.benchmarks.peers.table import Table


def result(file: Path, machine: str, **rows: dict[str, float]) -> Path:
    kept = Log()
    for row, of in rows.items():
        for engine, value in of.items():
            kept.add("short", engine, {row: value}, 0.0)
    file.write_text(Table(kept, ["joinery", "genai"], ["that day"], machine=machine).as_json(), "utf-8")
    return file


def test_each_machine_has_a_column(tmp_path: Path) -> None:
    files = [
        result(tmp_path / "a.json", "one, avx2", decode={"joinery": 20.0, "genai": 25.0}),
        result(tmp_path / "b.json", "other, avx512f", decode={"joinery": 10.0}, resident_64={"joinery": 0.6e9}),
    ]
    lines = side_by_side([*map(read_result, files)]).splitlines()
    assert "|  | unit | one, avx2 | other, avx512f |" in lines and "- one, avx2: that day" in lines
    assert "| decode, int4, a token | ms | 20.0 (onnxruntime-genai ×1.25) | 10.0 |" in lines
    assert "| resident after a 64-token prompt, int4 | GB | – | 0.60 |" in lines
    assert not any("prefill" in line for line in lines)  # no machine has it


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"rows": []})])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text, "utf-8")
    with pytest.raises(PeerError, match=r"x\.json (cannot be read|names no machine)"):
        read_result(tmp_path / "x.json")
