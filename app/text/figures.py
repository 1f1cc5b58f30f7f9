"""The figures of runs: the name of each, and what it is, for the tool tips wherever it stands.

The measures themselves (unit, direction, where a run has them) are in workflows/measure/run_measures.py.
"""

from __future__ import annotations

from app.text.translatable import tr


def figure_titles() -> dict[str, str]:
    """Measure → its name."""
    return {
        "decode": tr("decode"),
        "prefill": tr("prefill"),
        "roofline": tr("roofline"),
        "accept": tr("accept rate"),
        "per_step": tr("tokens per step"),
        "speedup": tr("beside plain"),
        "ttft": tr("TTFT"),
        "p50": "p50",
        "p95": "p95",
        "p99": "p99",
        "memory": tr("peak memory"),
        "resident": tr("resident memory"),
        "size": tr("size"),
        "top1": tr("top-1"),
        "kl": tr("KL"),
        "perplexity": tr("perplexity"),
        "task": tr("task"),
    }


def figure_definition(key: str) -> str:
    """What a measure is; empty for anything else. Over several runs, a figure is the median of theirs."""
    latency = tr("The latency that {0} % of the generated tokens do not exceed; the first token is not counted.")
    return {
        "ttft": tr("Time to first token: from the prompt's first chunk to the first generated token. A beam search, "
                   "which gives all tokens at its end, divides its time among them."),
        "prefill": tr("Prompt tokens that a reply reads, without those already in the cache ÷ its time to first "
                      "token."),
        "decode": tr("Generated tokens after the first ÷ the time they took."),
        "roofline": tr("Decode speed ÷ the limit by memory bandwidth: read bandwidth ÷ bytes of weights, keys and "
                       "values that a token reads. A benchmark measures the bandwidth."),
        "accept": tr("Accepted draft tokens ÷ drafted tokens."),
        "per_step": tr("Tokens that a run of the model gives with drafts, on average."),
        "speedup": tr("Decode speed with drafts ÷ that without, measured in turns."),
        "p50": latency.format(50),
        "p95": latency.format(95),
        "p99": latency.format(99),
        "memory": tr("The most memory that the process held during the run."),
        "resident": tr("The memory that the worker held at the end of the reply."),
        "size": tr("Bytes of all files of the bundle."),
        "top1": tr("Positions at which the bundle and the reference rank the same token first ÷ all positions."),
        "kl": tr("Kullback–Leibler divergence of the bundle's token distribution from the reference's, mean over all "
                 "positions."),
        "perplexity": tr("Perplexity of the prompts under the bundle."),
        "task": tr("Correct answers ÷ questions of the task."),
    }.get(key, "")  # fmt: skip
