"""Opening a bundle: what is damaged is named before anything native sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.bundle.making import bundle
from workflows.bundle import read_bundle, read_summary, verify_bundle
from workflows.bundle.manifest import make_manifest
from workflows.common.errors import BundleError


def with_manifest(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes the decoded manifest."""
    path = root / "manifest.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def relinked(root: Path) -> None:
    (root / "tokenizer").rename(root.parent / "elsewhere")
    (root / "tokenizer").symlink_to(root.parent / "elsewhere")


def listing(name: str) -> Callable[[Path], None]:
    """Has the manifest list one more file."""
    return lambda root: with_manifest(root, lambda m: m["files"].update({name: {"bytes": 1, "sha256": "0" * 64}}))


@pytest.mark.parametrize(
    ("damage", "names"),
    [
        (lambda root: (root / "decode.onnx").unlink(), "lacks decode.onnx"),
        (lambda root: (root / "decode.onnx").write_bytes(b"decode"), "decode.onnx in .* has 6 bytes instead of 12"),
        (lambda root: (root / "decode.onnx").write_bytes(b"decode graph, and more"), "has 22 bytes instead of 12"),
        (relinked, "lacks tokenizer/tokenizer.json"),
        (lambda root: (root / "manifest.json").unlink(), "it has no manifest.json"),
        (lambda root: (root / "manifest.json").write_text("{"), "manifest.json is damaged"),
        (lambda root: (root / "manifest.json").write_bytes(b"\xff\xfe"), "manifest.json is damaged"),
        (lambda root: (root / "manifest.json").write_text("[" * 100_000), "manifest.json is damaged"),
        (
            lambda root: with_manifest(root, lambda m: m.update(version=2)),
            "manifest.json is of version 2, .* reads up to 1",
        ),
        (lambda root: with_manifest(root, lambda m: m.update(version=0)), "manifest.json is damaged"),
        (listing("../x"), "manifest.json is damaged"),
        (listing("/etc/passwd"), "manifest.json is damaged"),
        (listing("a/../../x"), "manifest.json is damaged"),
        (lambda root: with_manifest(root, lambda m: m["files"].pop("pipeline.json")), "no pipeline.json in its mani"),
    ],
)
def test_damage_is_named(tmp_path: Path, damage: Callable[[Path], object], names: str) -> None:
    """One sentence with the file's name, from both readers."""
    root = bundle(tmp_path / "b")
    (tmp_path / "x").write_bytes(b"1")
    damage(root)
    for read in (read_bundle, read_summary):
        with pytest.raises(BundleError, match=names) as raised:
            read(root)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "{", "nonsense", "[" * 100_000, '"\\ud800'])
def test_a_pipeline_that_is_no_json(tmp_path: Path, text: str) -> None:
    """The manifest fits, the text does not parse."""
    root = bundle(tmp_path / "b")
    (root / "pipeline.json").write_text(text)
    (root / "manifest.json").write_text(make_manifest(root).model_dump_json())
    with pytest.raises(BundleError, match=r"pipeline\.json is not JSON"):
        read_bundle(root)


def test_a_pipeline_changed_by_hand_is_read_as_it_says(tmp_path: Path) -> None:
    """Longer than the manifest has it: what it says decides, by its JSON path; verify still tells of the change."""
    root = bundle(tmp_path / "b")
    data = json.loads((root / "pipeline.json").read_text())
    data["generation"]["max_length"] = 77
    (root / "pipeline.json").write_text(json.dumps(data, indent=4))
    assert read_bundle(root).pipeline.capacity == 77
    assert [problem.file for problem in verify_bundle(root).problems] == ["pipeline.json"]
    data["surprise"] = 1
    (root / "pipeline.json").write_text(json.dumps(data))
    with pytest.raises(BundleError, match="at surprise: "):
        read_bundle(root)
    (root / "pipeline.json").write_text(" " * (1 << 21))
    with pytest.raises(BundleError, match="which no pipeline needs"):
        read_bundle(root)


def test_no_folder_at_all(tmp_path: Path) -> None:
    """A path that is missing, and one that is a file."""
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "gone", tmp_path / "file"):
        with pytest.raises(BundleError, match="no bundle folder"):
            read_bundle(path)


def test_files_are_given_by_manifest_alone(tmp_path: Path) -> None:
    """A file that lies there and is not listed cannot be had; a listed one that is no text is an error."""
    root = bundle(tmp_path / "b")
    (root / "extra.txt").write_text("x")
    read = read_bundle(root)
    assert read.text("tokenizer/tokenizer.json") == "{}"
    assert read.text("extra.txt") is None
    with pytest.raises(BundleError, match=r"no extra\.txt in its manifest"):
        read.file("extra.txt")
    (root / "tokenizer" / "tokenizer.json").write_bytes(b"\xff\xff")
    with pytest.raises(BundleError, match=r"tokenizer/tokenizer\.json .* not UTF-8"):
        read.text("tokenizer/tokenizer.json")


def test_summary_of_the_demo(demo_split_bundle: Path) -> None:
    """The values that a list of bundles shows."""
    summary = read_summary(demo_split_bundle)
    files = [path for path in demo_split_bundle.rglob("*") if path.is_file() and path.name != "manifest.json"]
    built = summary.pop("built_at")
    assert built.endswith("+00:00")
    assert summary == {
        "path": str(demo_split_bundle),
        "name": "qwen3-demo",
        "model_type": "qwen3",
        "architecture": "Qwen3ForCausalLM",
        "task": "text-generation",
        "family": "qwen3",
        "precision": "fp32",
        "layout": "static",
        "capacity": 256,
        "vocabulary": 1024,
        "chunk": 64,
        "components": ["prefill", "decode"],
        "bytes": sum(path.stat().st_size for path in files),
        "in_place": False,
        "source": "demo:qwen3",
        "labels": None,
        "cost": None,
        "chain": [],
        "adapters": [],
    }
