"""`joinery bench`: how fast a bundle runs, on one provider or several side by side."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from workflows.cli.output import JsonFlag, interruptible, mebibytes, write_json
from workflows.cli.prompt import DraftOption, NGramOption, read_text
from workflows.errors import RequestError
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.bench import CompositeRow, Percentiles, SingleRow, UnusableRow

Measured = CompositeRow | SingleRow


def bench(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    prompt_tokens: int | None = typer.Option(None, "--prompt-tokens", help="Tokens of the prompt (default: 128)."),
    new_tokens: int | None = typer.Option(None, "--new-tokens", help="Tokens to generate (default: 64)."),
    repeats: int = typer.Option(5, "--repeats", help="Counted runs on each provider; one more warms it up."),
    provider: list[str] = typer.Option(["cpu"], "--provider", metavar="NAME", help="May be given several times."),
    prompt_file: Path | None = typer.Option(None, "--prompt-file", help="A text in place of random tokens."),
    draft: Path | None = DraftOption,
    ngram: bool = NGramOption,
    as_json: bool = JsonFlag,
) -> None:
    """Measure time to first token, inter-token latency, tokens/s, memory, and the share of the memory's bandwidth."""
    from workflows.measure.bench import bench as measure
    from workflows.measure.recording import record_bench, to_stderr
    from workflows.measure.subject import Drafts

    if draft is not None and ngram:
        raise RequestError("Drafts come from one place: give --draft or --ngram.")
    drafts = Drafts(draft) if draft is not None or ngram else None
    prompt = None if prompt_file is None else _ids(bundle, read_text(prompt_file, "prompt"))
    status = Console(stderr=True).status("opening the bundle")

    def report(event: Event) -> None:
        if isinstance(event, ProgressEvent):
            status.update(event.message)

    with interruptible() as cancelled, status:
        rows = measure(
            bundle, provider, prompt_tokens=prompt_tokens, new_tokens=new_tokens, repeats=repeats, prompt=prompt,
            drafts=drafts, report=report, cancelled=cancelled,
        )  # fmt: skip
    record_bench(bundle, rows, to_stderr)
    if as_json:
        for row in rows:
            write_json(row)
        return
    Console().print(_table([row for row in rows if not isinstance(row, UnusableRow)]))
    for row in rows:
        if isinstance(row, UnusableRow):
            sys.stderr.write(f"joinery: {row.reason}\n")


def _ids(bundle: Path, text: str) -> list[int]:
    from workflows.bundle import read_bundle
    from workflows.generate.text import Text

    return Text.of_bundle(read_bundle(bundle)).encode(text, special=True)


def _table(rows: list[Measured]) -> Table:
    """A line for each measure, a column for each provider."""
    table = Table(title=_title(rows[0]))
    table.add_column("")
    for row in rows:
        table.add_column(_head(row), justify="right")
    for name, cells in zip(_lines(rows[0]), zip(*(_lines(row).values() for row in rows), strict=True), strict=True):
        table.add_row(name, *cells)
    return table


def _head(row: Measured) -> str:
    drafts = row.drafts if isinstance(row, CompositeRow) else None
    return row.provider if drafts is None else f"{row.provider} + {drafts.name}"


def _title(row: Measured) -> str:
    runs = f"median of {row.repeats} runs"
    if isinstance(row, SingleRow):
        return runs
    return f"{row.prompt_tokens} prompt tokens, {row.new_tokens} new ones, {runs}"


def _lines(row: Measured) -> dict[str, str]:
    memory = {"peak memory of the process": mebibytes(row.peak_rss_bytes)}
    if isinstance(row, SingleRow):
        return {**_spread("latency", row.latency_ms), "runs": f"{row.runs_per_s:,.1f} /s", **memory}
    roofline = row.roofline
    return {
        "time to first token": f"{row.ttft_ms:,.3f} ms",
        **_spread("inter-token", row.inter_token_ms),
        "prefill": f"{row.prefill_tokens_per_s:,.1f} tokens/s",
        "decode": f"{row.decode_tokens_per_s:,.1f} tokens/s",
        "read for a token": mebibytes(roofline.bytes_per_token),
        "memory bandwidth": f"{roofline.bandwidth_bytes_per_s / 1e9:,.1f} GB/s",
        "share of it": f"{roofline.share:.1%}",
        **memory,
        "drafted tokens that were right": _drafted(row),
    }


def _drafted(row: CompositeRow) -> str:
    use = row.drafts
    if use is None:
        return ""
    a_run = (row.new_tokens - 1) / use.steps if use.steps else 0.0
    return f"{use.accepted:,} of {use.drafted:,}; {a_run:.2f} tokens a run"


def _spread(what: str, times: Percentiles) -> dict[str, str]:
    named = (("p50", times.p50), ("p95", times.p95), ("p99", times.p99))
    return {f"{what} {name}": f"{value:,.3f} ms" for name, value in named}
