"""`joinery bench`: measures a bundle's speed on one or more providers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.flags import Only, with_flags
from workflows.cli.input_files import read_text
from workflows.cli.output import JsonFlag, mebibytes, memory_lines, write_json
from workflows.cli.progress import status_line
from workflows.cli.remote_flag import runs_on_machines
from workflows.cli.run_flags import RunFlags
from workflows.wire.reports.bench import CompositeRow, Percentiles, SingleRow, UnusableProviderRow

Measured = CompositeRow | SingleRow


@runs_on_machines
@with_flags
def bench(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    prompt_tokens: int | None = typer.Option(None, "--prompt-tokens", help="Tokens of the prompt (default: 128)."),
    new_tokens: int | None = typer.Option(None, "--new-tokens", help="Tokens to generate (default: 64)."),
    repeats: int = typer.Option(5, "--repeats", help="Counted runs on each provider; one more warms it up."),
    provider: list[str] = typer.Option(["cpu"], "--provider", metavar="NAME", help="May be given several times."),
    prompt_file: Path | None = typer.Option(None, "--prompt-file", help="A text in place of random tokens."),
    flags: Annotated[RunFlags, Only("draft", "ngram", "draft_tokens", "adapter")] = RunFlags(),
    as_json: bool = JsonFlag,
) -> None:
    """Measure time to first token, inter-token latency, tokens/s, memory, and the share of the memory bandwidth.

    With --draft or --ngram each provider is measured with and without drafts in turns; give a --prompt-file then, for
    random tokens cannot be drafted.
    """
    from workflows.bundle import read_bundle
    from workflows.generate.tokenizer import BundleTokenizer
    from workflows.measure.bench import BenchLoad, DraftRequest
    from workflows.measure.bench import bench as measure
    from workflows.measure.recording import record_bench, to_stderr

    flags.check_drafts()
    drafts = DraftRequest(flags.draft, flags.draft_tokens) if flags.draft is not None or flags.ngram else None
    prompt = list[int]()
    if prompt_file is not None:
        text = read_text(prompt_file, "prompt")
        prompt = BundleTokenizer.of_bundle(read_bundle(bundle)).encode(text, special=True)
    load = BenchLoad(prompt_tokens, new_tokens, repeats, prompt, drafts, flags.adapter or "")
    with status_line("opening the bundle") as (report, cancelled):
        rows = measure(bundle, provider, load, report=report, cancelled=cancelled)
    record_bench(bundle, rows, to_stderr)
    if as_json:
        for row in rows:
            write_json(row)
        return
    Console().print(_table([row for row in rows if not isinstance(row, UnusableProviderRow)]))
    for row in rows:
        if isinstance(row, UnusableProviderRow):
            sys.stderr.write(f"joinery: {row.reason}\n")


def _table(rows: list[Measured]) -> Table:
    """A row per figure, a column per provider."""
    first = rows[0]
    tokens = (
        f"{first.prompt_tokens} prompt tokens, {first.new_tokens} new ones, " if isinstance(first, CompositeRow) else ""
    )
    table = Table(title=f"{tokens}median of {first.repeats} runs")
    table.add_column("")
    for row in rows:
        drafts = row.drafts if isinstance(row, CompositeRow) else None
        table.add_column(row.provider if drafts is None else f"{row.provider} + {drafts.name}", justify="right")
    lines = [_lines(row) | _draft_lines(row) for row in rows]
    for name in dict.fromkeys(name for row in lines for name in row):
        table.add_row(name, *(row.get(name, "") for row in lines))
    return table


def _lines(row: Measured) -> dict[str, str]:
    memory = {"peak memory of the process": mebibytes(row.peak_rss_bytes)}
    if isinstance(row, SingleRow):
        return {**_percentile_line("latency", row.latency_ms), "runs": f"{row.runs_per_s:,.1f} /s", **memory}
    roofline = row.roofline
    adapter = {} if row.adapter is None else {"adapter": row.adapter or "none"}
    return {
        **adapter,
        "time to first token": f"{row.ttft_ms:,.3f} ms",
        **_percentile_line("inter-token", row.inter_token_ms),
        "prefill": f"{row.prefill_tokens_per_s:,.1f} tokens/s",
        "decode": f"{row.decode_tokens_per_s:,.1f} tokens/s",
        "read for a token": mebibytes(roofline.bytes_per_token),
        "memory bandwidth": f"{roofline.bandwidth_bytes_per_s / 1e9:,.1f} GB/s",
        "share of it": f"{roofline.share:.1%}",
        **memory,
        **memory_lines(row.memory),
    }


def _draft_lines(row: Measured) -> dict[str, str]:
    use = row.drafts if isinstance(row, CompositeRow) else None
    if use is None:
        return {}
    none = "–"
    return {
        "drafted tokens accepted": f"{use.accepted:,} of {use.drafted:,}",
        "accept rate": none if use.accept_rate is None else f"{use.accept_rate:.1%}",
        "tokens per step": none if use.tokens_per_step is None else f"{use.tokens_per_step:.2f}",
        "decode, beside plain": none if use.speedup is None else f"{use.speedup:.2f} ×",
    }


def _percentile_line(what: str, times: Percentiles) -> dict[str, str]:
    named = (("p50", times.p50), ("p95", times.p95), ("p99", times.p99))
    return {f"{what} {name}": f"{value:,.3f} ms" for name, value in named}
