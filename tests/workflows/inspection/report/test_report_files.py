"""Reports in files: by the ending, of runs and of a bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.bundle.making import bundle, draft
from tests.workflows.measure.run_reports import generation, run
from workflows.bundle import read_bundle
from workflows.bundle.evidence import save_evidence
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.common.errors import RequestError
from workflows.inspection.report.report_files import write_bundle, write_runs
from workflows.measure.history import RunHistory, short_digest

REFUSED = [{"reason": "no RMSNorm <here>", "node": "n1"}, {"reason": "no RMSNorm <here>", "node": "n2"}]
STAGE = {
    "name": "optimize", "component": "decode", "nodes": 90, "bytes": 2**20, "seconds": 1.5,
    "parity": {"max_abs_diff": 2e-6, "greedy_equal": 32, "greedy_tokens": 32, "note": ""},
    "passes": [{"name": "p", "title": "Fuse norms", "modified": True, "nodes_before": 100, "nodes_after": 90,
                "refused": REFUSED, "seconds": 0.5, "bytes": 2**20, "parity": None, "snapshot": "p.onnx"}],
}  # fmt: skip


@pytest.fixture
def history(tmp_path: Path) -> RunHistory:
    found = RunHistory(tmp_path / "runs.db")
    for one in (generation("a1", [9.0, 2.0]), generation("b2", [8.0, 3.0])):
        found.add(one.run, one.steps)
    return found


@pytest.mark.parametrize("ending", ["html", "md", "csv", "json"])
def test_runs_by_the_ending(history: RunHistory, tmp_path: Path, ending: str) -> None:
    """Each run once, however often it is named."""
    out = tmp_path / "out" / f"r.{ending}"
    written = write_runs(history, ["a1", "b", "a1"], out)
    pictures = [str(out.with_name("r-1.svg"))] if ending == "md" else []
    assert written.files == [str(out), *pictures] and all(Path(file).stat().st_size for file in written.files)
    if ending == "json":
        assert [one["run"]["id"] for one in json.loads(out.read_text("utf-8"))["runs"]] == ["a1", "b2"]


@pytest.mark.parametrize(
    ("name", "told"), [("r.pdf", "as .pdf: end it in .html, .md, .csv or .json"), ("r", "a file without an ending")]
)
def test_another_ending_is_refused(history: RunHistory, tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(RequestError, match=told):
        write_runs(history, ["a1"], tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_bundle_tells_how_it_was_built_and_measured(history: RunHistory, tmp_path: Path) -> None:
    """From its own files and from the runs of its digest alone."""
    folder = draft(tmp_path / "small-int4")
    (folder / "recipe.json").write_text('{"target": "cpu"}')
    save_evidence(folder, [STAGE])
    (folder / MANIFEST).write_text(make_manifest(folder).model_dump_json(), "utf-8")
    digest, where = short_digest(read_bundle(folder).digest), str(folder)
    build = {"seconds": 4.0, "export_s": 2.5, "export_peak_mib": 512.0, "peak_mib": 600.0}
    history.add(run("c1", "build", where, digest, minute=1, **build))
    history.add(run("e1", "eval", where, digest, minute=2, top1_agreement=0.875, against="demo:qwen3"))
    history.add(run("s1", "bench", where, digest, minute=3, decode_tokens_per_s=111.0))
    history.add(run("s2", "bench", where, digest, minute=4, decode_tokens_per_s=222.0, roofline_share=0.31))
    page = tmp_path / "r.html"
    assert write_bundle(history, folder, page).files == [str(page)]
    text = page.read_text("utf-8")
    for told in ("<h1>Joinery: small-int4</h1>", "small · qwen3", digest, "demo:qwen3",
                 "&quot;target&quot;: &quot;cpu&quot;", "512 MiB", "2.5 s", "600 MiB", "100 to 90 nodes",
                 "no RMSNorm &lt;here&gt; (× 2)", "32 of 32 tokens alike", "87.50 %", "222 tok/s", "31.00 %",
                 "onnxruntime 1"):  # fmt: skip
        assert told in text, told
    assert "111 tok/s" not in text and "(a1)" not in text


def test_a_bundle_without_runs_is_reported(history: RunHistory, tmp_path: Path) -> None:
    write_bundle(history, bundle(tmp_path / "small"), tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text("utf-8")
    for told in ("The history has no evaluation of this bundle.", "This bundle has no recipe.", "record of its stages"):
        assert told in text
    with pytest.raises(RequestError, match=r"end it in \.html or \.md"):
        write_bundle(history, tmp_path / "small", tmp_path / "r.csv")


@pytest.mark.parametrize("ending", ["html", "md", "csv", "json"])
def test_half_a_character_is_escaped(history: RunHistory, tmp_path: Path, ending: str) -> None:
    """A folder's name of other bytes than UTF-8 comes as such, and a file by other hands may hold it."""
    odd = run("c3", against="b\ud800")
    history.add(odd)
    out = tmp_path / f"r.{ending}"
    write_runs(history, ["c3"], out)
    assert out.read_text("utf-8")
