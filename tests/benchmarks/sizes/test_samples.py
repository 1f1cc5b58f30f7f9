"""The table: medians, ratios, failures, in a form that the test of provenance accepts; and its place in a document."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.sizes.samples import Sample, Samples, markdown, write_section
from tests.provenance import runs_in
from tests.test_provenance import measured, tables


def build(engine: str, seconds: float, own: float) -> Sample:
    figures = {"seconds": seconds, "own": own * 1e9, "file": 5e8, "written": 4e9, "folder": 3e9, "bundle": 4e8}
    return Sample(
        "0.6B, int4", engine, "s1", {**figures, "others": 0.12}, {"export": 30.0, "bundle": 0.1}, {"export": 2e9}
    )


def test_a_row_has_medians_and_ratios() -> None:
    samples = [build("joinery", 90, 3.0), build("joinery", 110, 3.2), build("genai", 50, 2.0)]
    text = markdown([*samples, Sample("8B, int4", "genai", "s1", failed="It was killed.")])
    assert (
        "| 0.6B, int4 | 3.10 | 0.50 | 100 | export 30 (2.0) | 4.00 | 3.00 | 0.40 | 50 | 2.00 | 2.00 | 1.55 | 12 |"
        in text
    )
    assert "- 8B, int4: genai failed: It was killed." in text
    ((before, cells),) = tables(text)
    (commit,) = runs_in(before)
    assert measured(cells) and "workflows" in commit.sources


def test_samples_of_another_engine_state_are_left_out(tmp_path: Path) -> None:
    samples = Samples(tmp_path / "samples.jsonl")
    assert samples.of("s1") == []
    samples.add(build("joinery", 90, 3.0))
    samples.add(Sample("0.6B, int4", "joinery", "s2", failed="no"))
    assert samples.of("s1") == [build("joinery", 90, 3.0)]


def test_a_section_replaces_its_own_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "document.md"
    write_section(file, "## Sizes\n\nfirst\n")
    assert file.read_text() == "## Sizes\n\nfirst\n"
    file.write_text("# Title\n\n## Sizes\n\nold\n### of it\n\n## Next\n\nstays\n")
    write_section(file, "## Sizes\n\nnew \\1\n\n")
    assert file.read_text() == "# Title\n\n## Sizes\n\nnew \\1\n\n## Next\n\nstays\n"
    write_section(file, "## Other\n")
    assert file.read_text().endswith("stays\n\n## Other\n")
