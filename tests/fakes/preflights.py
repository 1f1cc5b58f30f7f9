"""What a preflight finds, as the worker says it: a decoder in two graphs, a few of whose nodes a provider leaves."""

from __future__ import annotations

from workflows.wire.reports.preflight import ComponentPreflight, FallbackNode, OutputDifference, PreflightReport

LEFT = [
    FallbackNode("model.rotary_emb.Cos_2", "Cos", "Cos of two axes has no kernel."),
    FallbackNode("model.layers.0.self_attn.Softmax_33", "Softmax", ""),
    FallbackNode("nchwc_reorder", "com.microsoft.nchwc.ReorderInput", ""),
]
"""The last is a node that onnxruntime made: no graph of ours has it."""


def report(provider: str) -> PreflightReport:
    """The CPU has all of them; another provider leaves three of each graph."""
    left = [] if provider == "cpu" else LEFT
    gap = 0.0 if provider == "cpu" else 0.0084
    parts = [
        ComponentPreflight("prefill", 107, 107 - len(left), left, OutputDifference(gap, gap / 4), None),
        ComponentPreflight("decode", 107, 107 - len(left), left, None, OutputDifference(gap / 2, gap / 8)),
    ]
    return PreflightReport(provider, parts, True, f"{2 * len(left)} nodes run on the CPU provider." if left else "")
