"""`verify` needs no onnx for files, and says what it then leaves out."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from workflows.inspection import contents
from workflows.inspection.verification import verify_with_installed


def test_without_onnx_the_files_are_compared(
    demo_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An altered file is found; the pipeline is not checked, which a doubt says with the package's name."""
    whole = verify_with_installed(demo_bundle)
    assert whole == contents.check_bundle(demo_bundle) and whole.ok
    altered = tmp_path / "altered"
    shutil.copytree(demo_bundle, altered)
    (altered / "tokenizer" / "tokenizer.json").write_text("{}", "utf-8")

    monkeypatch.delitem(sys.modules, contents.__name__)
    monkeypatch.setitem(sys.modules, "onnx", None)
    alone = verify_with_installed(demo_bundle)
    assert alone.ok and (alone.files, alone.bytes) == (whole.files, whole.bytes)
    [doubt] = alone.doubts
    assert doubt == "The pipeline was not compared with the graphs, for the package onnx is not installed."
    assert [problem.file for problem in verify_with_installed(altered).problems] == ["tokenizer/tokenizer.json"]


def test_another_missing_package_is_an_error(demo_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, contents.__name__)
    monkeypatch.setitem(sys.modules, "numpy", None)
    for name in [name for name in sys.modules if name.startswith("workflows.kvcache")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        verify_with_installed(demo_bundle)
