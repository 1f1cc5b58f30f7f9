"""A small twin of GENAI.md: the peer's real builder and wheel, both ways, for every architecture of the table."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.interop import genai
from workflows.inspection.contents import inspect_path
from workflows.interop.genai_import import import_genai

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("onnxruntime_genai") is None, reason="onnxruntime-genai has no wheel here"),
]
LENGTHS = (7, 65)
SAME = {"equal": {"equal"}, "as the wheel": {"equal", "as the wheel"}}


def rows() -> dict[str, dict[str, str]]:
    """Architecture → column → cell, of the committed table."""
    lines = [line for line in (Path(__file__).parent / "GENAI.md").read_text("utf-8").splitlines() if line[:1] == "|"]
    head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {name: dict(zip(head[1:], cells, strict=True)) for name, *cells in body}


@pytest.mark.parametrize("name", genai.ARCHITECTURES)
def test_what_the_table_says_is_so(name: str, tmp_path: Path) -> None:
    """With fewer lengths and one cache: what is equal stays equal, what was refused says why as before."""
    row = genai.tried(name, tmp_path, LENGTHS, ("gqa",))
    expected = {column: cell for column, cell in rows()[name].items() if column in row.cells}
    assert len(expected) == len(row.cells)
    for column, cell in row.cells.items():
        if column != genai.THEIRS[0]:  # the wheel on its own folder is the peer's own matter
            assert cell in SAME.get(expected[column], {expected[column]}), (column, row.whys)


@pytest.mark.parametrize("name", ["llama", "qwen3"])
def test_the_builders_int4_gives_the_wheels_tokens(name: str, tmp_path: Path) -> None:
    """In place and imported; and its graph has no fault when it is looked at."""
    genai.make(name, tmp_path / "hf")
    genai.builder(tmp_path / "hf", tmp_path / "peer", "int4")
    expected = genai.wheel(tmp_path / "peer", LENGTHS)
    assert genai.joinery(tmp_path / "peer", LENGTHS) == expected
    import_genai(tmp_path / "peer", tmp_path / "imported")
    assert genai.joinery(tmp_path / "imported", LENGTHS) == expected
    for graph in (tmp_path / "peer").glob("*.onnx"):
        assert "warnings" not in inspect_path(graph).metadata
