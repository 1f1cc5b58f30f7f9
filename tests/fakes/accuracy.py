"""A report of two bundles as the worker gives it: 28 layers that lose more and more, twelve prompts, three differ."""

from __future__ import annotations

from workflows.wire.reports.accuracy import (
    EvalReport,
    GreedyAnswer,
    LayerCosines,
    PairedFigure,
    SuggestedExclusion,
    Suggestions,
    TaskReport,
    TokenDivergence,
)

_WORDS = ["The", " capital", " of", " France", " is", " Paris", ".", "<|im_end|>"]


def report() -> EvalReport:
    """What a comparison found."""
    return EvalReport(
        positions=192,
        top1_agreement=0.9739583,
        top5_overlap=0.95416,
        kl_mean=0.0123456,
        kl_max=0.4321,
        logit_max_abs_diff=2.5,
        hidden_cosine=0.9912,
        kv_cosine=0.9934,
        perplexity=PairedFigure(12.5, 12.75),
        answer_perplexity=PairedFigure(1.25, 1.375),
        greedy=[_answer(number) for number in range(12)],
        layers=[_layer(number) for number in range(28)],
        task=TaskReport("held-back questions", 200, 0.985, 1.0),
        notes=["Prompts: 12 of the 600 held-back questions of demo:qwen3."],
    )


def suggestions() -> Suggestions:
    """Two nodes that hurt most."""
    return Suggestions(
        positions=64,
        products=113,
        before=TokenDivergence(0.0123, 0.97),
        exclude=[
            SuggestedExclusion("node_linear_17", "decoder", 0.0087),
            SuggestedExclusion("MatMul.linear_4.gate_up", "decoder", 0.0101),
        ],
        after=TokenDivergence(0.0061, 0.99),
    )


def _layer(number: int) -> LayerCosines:
    lost = 0.001 + 0.0004 * number + (0.006 if number == 17 else 0)
    return LayerCosines(number, "decoder", 1 - lost, 1 - lost / 2, 1 - lost * 0.8)


def _answer(number: int) -> GreedyAnswer:
    tokens = list(enumerate(_WORDS))
    other, equal = list(tokens), len(tokens)
    if number % 4 == 3:
        equal = 5
        other = [*tokens[:5], (91, " Lyon"), (92, ","), (93, " I"), (94, " think")]
    return GreedyAnswer(
        prompt=f"What is the capital of France, asked for the {number + 1}th time?",
        tokens_equal=equal,
        tokens=len(tokens),
        reference=tokens,
        candidate=other,
    )
