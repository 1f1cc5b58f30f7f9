"""Two bundles in, how far the second is from the first, out.

    prompts.py ─▶ ids ─▶ reference: its own greedy trajectory ─▶ tokens
                                │ both are fed the same tokens, in step (compare.py)
                                ▼
        logits, hidden states (taps.py), keys and values by position ─▶ statistics.py ─▶ the report

Nothing is kept of a position but sums, so memory does not grow with the number of prompts. suggest.py ranks quantized
products by what putting each back to full precision gains.
"""

from workflows.evaluation.accuracy.compare import compare
from workflows.evaluation.accuracy.suggestions import suggest
from workflows.generate.prompt_sets import EvaluationPrompt, PromptSet, choose_prompts

__all__ = ["EvaluationPrompt", "PromptSet", "choose_prompts", "compare", "suggest"]
