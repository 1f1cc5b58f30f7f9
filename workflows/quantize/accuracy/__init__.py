"""Two bundles in, how far the second is from the first, out.

    prompts.py ─▶ ids ─▶ reference: its own greedy trajectory ─▶ tokens
                                │ both are fed the same tokens, in step (compare.py)
                                ▼
        logits, hidden states (taps.py), keys and values by position ─▶ statistics.py ─▶ the report

Nothing is kept of a position but sums, so memory does not grow with the number of prompts. suggest.py ranks quantized
products by what putting each back to full precision gains.
"""

from workflows.quantize.accuracy.compare import compare
from workflows.quantize.accuracy.prompts import Prompt, Prompts, choose_prompts
from workflows.quantize.accuracy.suggest import suggest

__all__ = ["Prompt", "Prompts", "choose_prompts", "compare", "suggest"]
