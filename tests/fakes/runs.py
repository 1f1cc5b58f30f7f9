"""A history of runs as a person would have it: three builds of one model on two providers, with their evaluations."""

from __future__ import annotations

import math
from pathlib import Path

from workflows.measure.history import DATABASE_FILE, RunHistory
from workflows.wire.reports.runs import Figure, Kind, RunRecord, RunReport, RunStep

BUILDS = (  # bundle, precision, bytes, decode tokens a second, top-1, KL
    ("qwen3-demo-fp32", "fp32", 8_900_000, 96.0, 1.0, 0.0),
    ("qwen3-demo-int8", "int8", 3_100_000, 171.0, 0.994, 0.0008),
    ("qwen3-demo-int4", "int4", 2_000_000, 214.0, 0.962, 0.021),
)
SPEEDS = {"cpu": 1.0, "qnn": 2.7}


def history(home: Path, count: int = 0, steps: int = 120) -> list[RunRecord]:
    """Keeps them in the history in `home`; with `count` so many generations besides, over the last days."""
    reports = [one for number in range(len(BUILDS)) for one in _of(number, steps)]
    reports += [_generation(n % len(BUILDS), "cpu", 100 + n, steps) for n in range(count)]
    RunHistory(home / DATABASE_FILE).restore(reports)
    return [one.run for one in reports]


def _of(number: int, steps: int) -> list[RunReport]:
    _, _, size, _, top1, kl = BUILDS[number]
    built: dict[str, Figure] = {"seconds": 11.5, "bytes": size, "export_s": 6.25, "peak_mib": 812.0}
    found: dict[str, Figure] = {
        "against": "demo:qwen3", "top1_agreement": top1, "kl_mean": kl, "perplexity": 1.4 + kl, "task": 0.98 * top1,
    }  # fmt: skip
    rest = [_measured(number, provider, 4 * number + at) for at, provider in enumerate(SPEEDS)]
    return [
        RunReport(_run(number, "build", "cpu", 4 * number, built), []),
        RunReport(_run(number, "eval", "cpu", 4 * number + 1, found), []),
        _generation(number, "cpu", 4 * number + 2, steps),
        *rest,
    ]


def _measured(number: int, provider: str, minute: int) -> RunReport:
    rate = BUILDS[number][3] * SPEEDS[provider]
    figures: dict[str, Figure] = {
        "decode_tokens_per_s": round(rate, 1), "prefill_tokens_per_s": round(rate * 9, 1), "ttft_ms": 4000 / rate,
        "p50_ms": 1000 / rate, "p95_ms": 1150 / rate, "p99_ms": 1400 / rate, "peak_rss_bytes": 240 << 20,
        "roofline_share": 0.31, "repeats": 5, "prompt_tokens": 128, "new_tokens": 64,
    }  # fmt: skip
    return RunReport(_run(number, "bench", provider, minute + 20, figures), [])


def _generation(number: int, provider: str, minute: int, steps: int) -> RunReport:
    base = 1000 / BUILDS[number][3]
    latencies = [base * (1.08 + 0.06 * math.sin(n / 7) + (0.5 if n % 41 == 40 else 0)) for n in range(steps)]
    kept = [
        RunStep(n, "decode" if n else "prefill", ms * (6 if n == 0 else 1), n, 4096) for n, ms in enumerate(latencies)
    ]
    figures: dict[str, Figure] = {
        "decode_tokens_per_s": 1000 / (base * 1.1), "ttft_ms": base * 6, "p50_ms": base * 1.08, "p95_ms": base * 1.14,
        "p99_ms": base * 1.6, "rss_bytes": 231 << 20, "prompt_tokens": 24, "new_tokens": steps, "finish_reason": "eos",
    }  # fmt: skip
    return RunReport(_run(number, "generate", provider, minute, figures), kept)


def _run(number: int, kind: Kind, provider: str, minute: int, figures: dict[str, Figure]) -> RunRecord:
    name, precision = BUILDS[number][:2]
    time = f"2026-01-{2 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00.000+00:00"
    version = "onnxruntime 1.31.0" if provider == "cpu" else "onnxruntime-qnn 2.7.1"
    machine = "x86_64, 8 cores, 31.2 GiB, Linux 6.8"
    ident = f"{kind[0]}{number}{provider[0]}{minute:04x}"
    whose = (f"/bundles/{name}", "qwen3-demo", f"digest-{number}", precision, "static", provider, version, machine)
    return RunRecord(ident, kind, time, *whose, figures)
