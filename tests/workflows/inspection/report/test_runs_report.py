"""Reports on runs: what they say, as HTML and as Markdown, and that names stay texts."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser

import pytest

from tests.workflows.measure.run_reports import generation, run
from workflows.inspection.report.document import (
    CodeListing,
    Document,
    Heading,
    Paragraph,
    ReportPicture,
    ReportTable,
    html_of,
    markdown_of,
    with_unit,
)
from workflows.inspection.report.report_files import csv_of, json_of
from workflows.inspection.report.runs_report import report_on_runs, side_by_side
from workflows.wire.reports.runs import RunReport

EVIL = '<img src=x onerror="alert(1)"><h1>H</h1>|`[a](http://e) ![c](/etc/x.png) https://e.com www.e.com a@e.com # H'
RUNS = [
    generation("g1", [30.0, 4.0, 5.0], minute=1, decode_tokens_per_s=200.0, ttft_ms=30.0),
    generation("g2", [20.0, 8.0], minute=2, digest="d2", bundle="/b/fp32", decode_tokens_per_s=100.0, ttft_ms=20.0),
    RunReport(run("e1", "eval", minute=3, top1_agreement=0.97), []),
    RunReport(run("e2", "eval", minute=4, digest="d2", top1_agreement=0.99), []),
    RunReport(run("b9", minute=5, digest="d9", bundle="/b/odd", decode_tokens_per_s=5.0), []),
]


class Seen(HTMLParser):
    """Tags and attributes of a page, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.texts = set[str](), list[tuple[str, str]](), list[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_runs_stand_side_by_side_and_the_best_is_reported() -> None:
    table = side_by_side([one.run for one in RUNS[:2]])
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(table.head) == ["", "demo-int4 (g1)", "fp32 (g2)"]
    assert rows["decode"] == ["200 tok/s (best)", "100 tok/s"] and rows["TTFT"] == ["30 ms", "20 ms (best)"]
    assert rows["time"] == ["2026-01-02 03:01 UTC", "2026-01-02 03:02 UTC"]
    assert "KL" not in rows and rows["provider"] == ["cpu", "cpu"]


def test_a_run_with_drafts_is_distinguished() -> None:
    """By a row that only stands there where there is one."""
    plain, drafted = run("a", decode_tokens_per_s=10.0), run("b", drafts="ngram", tokens_per_step=2.5)
    rows = {row[0]: list(row[1:]) for row in side_by_side([plain, drafted]).rows}
    assert rows["drafts"] == ["–", "ngram"] and rows["tokens per step"] == ["–", "2.5"]
    assert "drafts" not in {row[0] for row in side_by_side([plain, plain]).rows}


def test_many_runs_have_a_row_each_and_some_of_the_curves() -> None:
    reports = [generation(f"g{n}", [9.0, 5.0, n], decode_tokens_per_s=float(n)) for n in range(14)]
    table = side_by_side([one.run for one in reports])
    assert len(table.rows) == 14 and table.head[-1] == "decode"
    assert (table.rows[3][0], table.rows[3][-1], table.rows[13][-1]) == ("demo-int4 (g3)", "3 tok/s", "13 tok/s (best)")
    page = html_of(report_on_runs(reports))
    assert "The first 12 of 14 runs with steps are drawn." in page and page.count('stroke-width="1.3"') == 2 * 12


def test_the_page_stands_alone() -> None:
    """No script, nothing fetched; two pictures; and what is left out is named."""
    page = html_of(report_on_runs(RUNS))
    seen = Seen(page)
    assert page.count("<svg") == 2 and not seen.tags & {"script", "link", "img", "iframe", "object"}
    assert not [pair for pair in seen.attributes if pair[0] in ("src", "href") or pair[0].startswith("on")]
    assert "default-src 'none'" in dict(seen.attributes)["content"]
    text = " ".join(seen.texts)
    assert "demo-int4 · int4 · cpu (on the front)" in text and "odd · int4 · cpu · b9 has no top-1" in text
    assert "onnxruntime 1" in text and "here" in text


@pytest.mark.parametrize("runs", [RUNS[:1], RUNS[2:3], RUNS[4:], [RunReport(run("x", "build", bytes=3), [])]])
def test_any_selection_has_a_report(runs: list[RunReport]) -> None:
    """One run, without steps, accuracy or speed."""
    found = report_on_runs(runs)
    assert runs[0].run.id in html_of(found) and "Environment" in markdown_of(found, "r")[0]


def evil() -> Document:
    return Document(
        EVIL,
        [Heading(EVIL), Paragraph(EVIL), ReportTable([EVIL, "b\n| c"], [(EVIL, EVIL)]), CodeListing(EVIL + "\n````"),
         ReportPicture("<svg/>", EVIL)],
    )  # fmt: skip


def test_names_stay_texts_in_html() -> None:
    seen = Seen(html_of(evil()))
    assert not seen.tags & {"img", "a"} and seen.texts.count(EVIL) >= 6
    assert html_of(evil()).count("<h1>") == 1


def test_names_stay_texts_in_markdown() -> None:
    text, pictures = markdown_of(evil(), "report")
    lines = text.splitlines()
    assert "<img" not in "".join(line for line in lines if not line.startswith("<")) or "\\<img" in text
    assert all("\\<img" in line for line in lines if "<img" in line and not line.startswith("<img"))
    assert "| --- | --- |" in lines and pictures == {"report-1.svg": "<svg/>"} and "(<report-1.svg>)" in text
    assert text.count("`````") == 2  # a fence longer than what it holds
    rows = [line for line in lines if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {3}


def test_data_holds_everything() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_of(RUNS[:3]))))
    assert [(row["run"], row["step"], row["latency_ms"]) for row in rows] == [
        ("g1", "0", "30.0"), ("g1", "1", "4.0"), ("g1", "2", "5.0"), ("g2", "0", "20.0"), ("g2", "1", "8.0"),
        ("e1", "", ""),
    ]  # fmt: skip
    assert rows[0]["decode (tok/s)"] == "200.0" and rows[-1]["top1 (share)"] == "0.97" and rows[-1]["kl (nats)"] == ""
    told = json.loads(json_of(RUNS[:1]))["runs"][0]
    assert told["run"]["id"] == "g1" and [step["latency_ms"] for step in told["steps"]] == [30.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(0.99341, "share", "99.34 %"), (3 * 2**20, "bytes", "3.0 MiB"), (1234.5, "tok/s", "1,234 tok/s"),
     (0.000412, "nats", "0.000412 nats"), (12.0, "", "12")],
)  # fmt: skip
def test_figures_have_their_units(value: float, unit: str, said: str) -> None:
    assert with_unit(value, unit) == said  # type: ignore[arg-type]
