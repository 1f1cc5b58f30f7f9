"""The speed of a bundle on each provider; `joinery bench --json` prints one row per line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report
from workflows.wire.reports.memory import MemoryFit


@dataclass
class Percentiles:
    """Percentiles in milliseconds, interpolated."""

    p50: float
    p95: float
    p99: float


@dataclass
class Roofline:
    """Bytes read per decoded token, the memory bandwidth, and the share of it that decoding reached."""

    bytes_per_token: int
    bandwidth_bytes_per_s: int
    share: float


@dataclass
class BenchCache:
    """The measured cache."""

    layout: str
    capacity: int


@dataclass
class DraftFigures:
    """The drafts of a row, with their statistics over all counted runs.

    name: ngram, or the draft's bundle. speedup: decoded tokens per second ÷ those of the provider's row without drafts,
    whose runs alternated with these; None if that row could not be measured.
    """

    name: str
    drafted: int
    accepted: int
    steps: int
    kept: int
    accept_rate: float | None
    tokens_per_step: float | None
    speedup: float | None = None


@dataclass
class UnusableProviderRow:
    """A provider on which the bundle did not run."""

    provider: str
    reason: str
    usable: Literal[False] = False


@dataclass
class CompositeRow:
    """A bundle with a cache: medians over the generations, percentiles over their tokens.

    memory: before the bundle was opened; None except on the CPU. adapter: the active one, empty for none; None for a
    bundle that takes none.
    """

    provider: str
    repeats: int
    prompt_tokens: int
    new_tokens: int
    ttft_ms: float
    inter_token_ms: Percentiles
    prefill_tokens_per_s: float
    decode_tokens_per_s: float
    roofline: Roofline
    cache: BenchCache
    peak_rss_bytes: int
    usable: Literal[True] = True
    memory: MemoryFit | None = field(default=None, metadata=ABSENT)
    drafts: DraftFigures | None = field(default=None, metadata=ABSENT)
    adapter: str | None = field(default=None, metadata=ABSENT)


@dataclass
class SingleRow:
    """One graph without a cache; inputs: the shapes of its inputs."""

    provider: str
    repeats: int
    inputs: dict[str, list[int]]
    latency_ms: Percentiles
    runs_per_s: float
    peak_rss_bytes: int
    usable: Literal[True] = True


Row = UnusableProviderRow | CompositeRow | SingleRow


@dataclass
class BenchReport(Report):
    """A row per provider, in the requested order."""

    rows: list[Row]
