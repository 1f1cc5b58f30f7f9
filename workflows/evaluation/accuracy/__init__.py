"""Measures how far a candidate bundle is from a reference bundle.

    prompts ─▶ ids ─▶ reference: its own greedy trajectory ─▶ tokens
                                │ both are fed the same tokens, in step (compare)
                                ▼
        logits, hidden states, keys and values by position ─▶ statistics ─▶ the report

Only sums over positions are stored, so memory does not grow with the number of prompts. `suggestions` ranks quantized
products by the gain of restoring each to full precision.
"""

from workflows.evaluation.accuracy.compare import compare
from workflows.evaluation.accuracy.suggestions import suggest
from workflows.generate.prompt_sets import EvaluationPrompt, PromptSet, choose_prompts

__all__ = ["EvaluationPrompt", "PromptSet", "choose_prompts", "compare", "suggest"]
