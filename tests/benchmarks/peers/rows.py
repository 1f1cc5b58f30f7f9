"""The rows of the table, and the goals for Joinery's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Figures = Mapping[str, Mapping[str, float]]  # row → engine → its median


@dataclass(frozen=True)
class Goal:
    """Joinery's figure is to be `limit` at most (`least`: at least), times a peer's or another row of its own.

    of: the peer; row: the other row; neither: the limit is the figure itself.
    """

    limit: float
    of: str = ""
    row: str = ""
    least: bool = False

    def words(self, title: str) -> str:
        """`≤ 0.85 × onnxruntime-genai`; title: of the peer or the row that it is measured by, empty for none."""
        return f"{'≥' if self.least else '≤'} {self.limit:g}" + (f" × {title}" if title else "")

    def share(self, row: str, figures: Figures) -> float | None:
        """What Joinery has in place of `limit`; None where a figure is missing."""
        own = figures.get(row, {}).get("joinery")
        by = figures.get(self.row or row, {}).get(self.of or "joinery") if self.of or self.row else 1.0
        return own / by if own is not None and by else None

    def reached(self, share: float) -> bool:
        """Whether that is enough."""
        return share >= self.limit if self.least else share <= self.limit


@dataclass(frozen=True)
class Row:
    """A figure of every engine. visit: what measures it. scale: what a sample is divided by for its unit."""

    key: str
    title: str
    unit: str
    visit: str
    goals: tuple[Goal, ...] = ()
    scale: float = 1.0
    digits: int = 1


FASTER_PREFILL = (Goal(0.55, "genai"), Goal(0.80, "llama"))
FASTER_STEP = (Goal(0.9, "genai"), Goal(0.9, "llama"))
ROWS = (
    Row("decode", "decode, int4, a token", "ms", "short", (Goal(0.80, "genai"), Goal(0.90, "llama"))),
    Row("decode_again", "the same after a 512-token prompt and reset", "ms", "short", (Goal(1.03, row="decode"),)),
    Row("step_2048", "step at 2,048 valid tokens, int4", "ms", "long", FASTER_STEP),
    Row("step_8000", "step at 8,000 valid tokens, int4", "ms", "full", FASTER_STEP),
    Row("step_32000", "step at 32,000 valid tokens, int4", "ms", "longest", FASTER_STEP),
    Row("prefill_64", "prefill 64, int4", "ms", "short", FASTER_PREFILL, digits=0),
    Row("prefill_512", "prefill 512, int4", "ms", "short", FASTER_PREFILL, digits=0),
    Row("prefill_2048", "prefill 2,048, int4", "ms", "long", FASTER_PREFILL, digits=0),
    Row("decode_fp32", "decode, fp32, a token", "ms", "fp32"),
    Row("roofline", "its share of the memory roofline", "", "fp32", (Goal(0.9, least=True),), digits=2),
    Row("demo", "demo, fp32, a token, whole loop", "ms", "demo", (Goal(1.0, "genai"),), digits=3),
    Row("demo_int4", "demo, int4, a token, whole loop", "ms", "demo_int4", digits=3),
    Row("resident_64", "resident after a 64-token prompt, int4", "GB", "short", (Goal(0.7),), 1e9, 2),
    Row("resident_512", "resident after a 512-token prompt, int4", "GB", "short", (Goal(0.85),), 1e9, 2),
    Row("disk", "on disk, int4", "MB", "build", (Goal(1.02, "genai"),), 1e6, 0),
    Row("build_wall", "build to int4, wall", "s", "build", (Goal(1.2, "genai"),), digits=0),
    Row("build_cpu", "build to int4, CPU", "s", "build", digits=0),
    Row("build_peak", "build to int4, peak", "GB", "build", (Goal(3.5),), 1e9, 2),
    Row("kl_shape", "KL to fp32, 0.6B shape, int4", "nats", "shape", (Goal(1.0, "genai"),), digits=5),
    Row("top1_shape", "top-1 with fp32, 0.6B shape, int4", "%", "shape", scale=0.01),
    Row("kl_demo", "KL to fp32, demo, int4", "nats", "trained", (Goal(1.0, "genai"),), digits=5),
    Row("top1_demo", "top-1 with fp32, demo, int4", "%", "trained", scale=0.01),
    Row("questions", "demo's held-back questions right, int4", "%", "questions", scale=0.01),
)
