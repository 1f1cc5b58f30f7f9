"""A report of two bundles as the worker gives it: 28 layers that lose more and more, twelve prompts, three differ."""

from __future__ import annotations

from typing import Any

_WORDS = ["The", " capital", " of", " France", " is", " Paris", ".", "<|im_end|>"]


def report() -> dict[str, Any]:
    """The value of an eval's result."""
    return {
        "positions": 192,
        "top1_agreement": 0.9739583,
        "top5_overlap": 0.95416,
        "kl_mean": 0.0123456,
        "kl_max": 0.4321,
        "logit_max_abs_diff": 2.5,
        "hidden_cosine": 0.9912,
        "kv_cosine": 0.9934,
        "perplexity": {"reference": 12.5, "candidate": 12.75},
        "answer_perplexity": {"reference": 1.25, "candidate": 1.375},
        "greedy": [_answer(number) for number in range(12)],
        "layers": [_layer(number) for number in range(28)],
        "task": {"name": "held-back questions", "questions": 200, "reference": 1.0, "candidate": 0.985},
        "notes": ["Prompts: 12 of the 600 held-back questions of demo:qwen3."],
    }


def suggestions() -> dict[str, Any]:
    """Two nodes that hurt most."""
    return {
        "positions": 64,
        "products": 113,
        "before": {"kl_mean": 0.0123, "top1_agreement": 0.97},
        "exclude": [
            {"node": "node_linear_17", "part": "decoder", "kl_mean": 0.0087},
            {"node": "MatMul.linear_4.gate_up", "part": "decoder", "kl_mean": 0.0101},
        ],
        "after": {"kl_mean": 0.0061, "top1_agreement": 0.99},
    }


def _layer(number: int) -> dict[str, Any]:
    lost = 0.001 + 0.0004 * number + (0.006 if number == 17 else 0)
    return {
        "layer": number,
        "part": "decoder",
        "hidden_cosine": 1 - lost,
        "key_cosine": 1 - lost / 2,
        "value_cosine": 1 - lost * 0.8,
    }


def _answer(number: int) -> dict[str, Any]:
    tokens = [[index, word] for index, word in enumerate(_WORDS)]
    other, equal = list(tokens), len(tokens)
    if number % 4 == 3:
        equal = 5
        other = [*tokens[:5], [91, " Lyon"], [92, ","], [93, " I"], [94, " think"]]
    return {
        "prompt": f"What is the capital of France, asked for the {number + 1}th time?",
        "tokens_equal": equal,
        "tokens": len(tokens),
        "reference": tokens,
        "candidate": other,
    }
