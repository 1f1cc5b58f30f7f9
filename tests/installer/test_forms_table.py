"""The documentation page has the table of the code, and each form is said to be what it is."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from workflows.checkpoint.quantized.forms import PACKED_FORMS
from workflows.checkpoint.quantized.methods import METHODS

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "resources" / "docs" / "quantized-weights.md"


def table() -> str:
    spec = importlib.util.spec_from_file_location("forms_table", ROOT / "installer" / "forms_table.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: str = module.table()
    return made


def test_the_documentation_has_the_table() -> None:
    assert f"\n\n{table()}\n" in DOCUMENT.read_text("utf-8")


def test_each_form_has_one_row() -> None:
    rows = table().splitlines()
    assert all(sum(line.startswith(f"| {form.title} |") for line in rows) == 1 for form in PACKED_FORMS.values())
    assert "| GGUF Q4_0 | kept exactly | 4-bit integers in blocks of 32 |" in rows
    assert "| GGUF Q4_K | kept, minimums to 1/8192 of a step | 4-bit integers in blocks of 32 with minimums |" in rows
    assert "| FP8 by tensor, row, group or block | converted | float32, by value |" in rows
    assert "gptq" in METHODS and not any(line.startswith("| `gptq`") for line in rows)
