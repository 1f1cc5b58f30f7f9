"""verify: each kind of damage to a bundle is found and named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflows.bundle.making import bundle
from workflows.bundle import verify_bundle
from workflows.bundle.manifest import make_manifest, read_manifest
from workflows.common.errors import BundleError, Cancelled


def replace_by_link(root: Path) -> None:
    target = root.parent / "elsewhere.onnx"
    (root / "decode.onnx").rename(target)
    (root / "decode.onnx").symlink_to(target)


def replace_folder_by_link(root: Path) -> None:
    target = root.parent / "elsewhere"
    (root / "tokenizer").rename(target)
    (root / "tokenizer").symlink_to(target)


def test_a_whole_bundle_is_ok(tmp_path: Path) -> None:
    """Files and bytes are counted, nothing is reported."""
    root = bundle(tmp_path / "b")
    checked = verify_bundle(root)
    assert (checked.ok, checked.files, checked.problems) == (True, 4, [])
    assert checked.bytes == sum(p.stat().st_size for p in root.rglob("*") if p.is_file() and p.name != "manifest.json")


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda root: (root / "decode.onnx").unlink(), [("decode.onnx", "missing")]),
        (lambda root: (root / "decode.onnx").write_bytes(b"Decode graph"), [("decode.onnx", "altered")]),
        (lambda root: (root / "decode.onnx").write_bytes(b"decode graph and more"), [("decode.onnx", "altered")]),
        (lambda root: (root / "decode.onnx").write_bytes(b"decode"), [("decode.onnx", "truncated")]),
        (replace_by_link, [("decode.onnx", "link")]),
        (replace_folder_by_link, [("tokenizer/tokenizer.json", "link"), ("tokenizer", "unknown")]),
        (lambda root: (root / "run.py").write_text("1"), [("run.py", "unknown")]),
        (lambda root: (root / "tokenizer" / "manifest.json").write_text("1"), [("tokenizer/manifest.json", "unknown")]),
        (lambda root: (root / "way-out").symlink_to("/"), [("way-out", "unknown")]),
        (
            lambda root: ((root / "prefill.onnx").write_bytes(b"PREFILL"), (root / "decode.onnx").unlink()),
            [("decode.onnx", "missing"), ("prefill.onnx", "altered")],
        ),
    ],
)
def test_damage_is_named(tmp_path: Path, damage: Callable[[Path], object], expected: list[tuple[str, str]]) -> None:
    """The file and what is wrong with it, all of them."""
    root = bundle(tmp_path / "b")
    damage(root)
    checked = verify_bundle(root)
    assert [(problem.file, problem.problem) for problem in checked.problems] == expected
    assert not checked.ok


def test_files_as_built_that_say_nonsense_are_refused(tmp_path: Path) -> None:
    """A manifest that fits a pipeline.json which cannot be run does not make a bundle."""
    root = bundle(tmp_path / "b")
    (root / "pipeline.json").write_text('{"version": 3}')
    (root / "manifest.json").write_text(make_manifest(root).model_dump_json())
    with pytest.raises(BundleError, match=r"pipeline\.json"):
        verify_bundle(root)


def test_cancel_ends_the_check(tmp_path: Path) -> None:
    """Between two files."""
    asked = iter([False, True])
    with pytest.raises(Cancelled):
        verify_bundle(bundle(tmp_path / "b"), lambda: next(asked))


def test_manifest_holds_sizes_and_hashes_of_every_file(tmp_path: Path) -> None:
    """As hashlib computes them; the manifest does not list itself."""
    root = bundle(tmp_path / "b")
    files = read_manifest(root).files
    assert list(files) == ["decode.onnx", "pipeline.json", "prefill.onnx", "tokenizer/tokenizer.json"]
    assert files["decode.onnx"].bytes == 12
    assert files["decode.onnx"].sha256 == hashlib.sha256(b"decode graph").hexdigest()
