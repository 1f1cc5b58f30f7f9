"""The chain that logits go through, as the pipeline file lists it: each op in its place, literally.

    generation.logits ──the person's options in their ops' places──▶ processors, one after another ──▶ the choice

Without a list the chain is what the checkpoint and the options ask for, in transformers' order (constraints.py,
processors.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from workflows.bundle.strategy import LogitsOp
from workflows.generate.constraints import GenerationStart, block_repeated_ngrams, remove_tokens
from workflows.generate.grammar import requested_form
from workflows.generate.logits_combination import requested_combinations
from workflows.generate.options import GenerateOptions
from workflows.generate.processors import (
    MASKED,
    Logits,
    Processor,
    min_p,
    repetition_penalty,
    softmax,
    temperature,
    top_k,
    top_p,
)

CONTEXT_OPS = ("combine", "grammar")
NEUTRAL_VALUES = {"repetition_penalty": 1.0, "temperature": 0.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
"""The options that are ops of the chain, in the order of one that is not told any, and what each does nothing at."""


def chain_with_options(ops: Sequence[LogitsOp], options: GenerateOptions) -> tuple[list[LogitsOp], GenerateOptions]:
    """The chain where what a person asked for stands in place of its own, and the options that it leaves.

    An option whose op the chain has not got comes before `sample`, one that combines logits before all. A form that
    is asked for stands for the file's grammars. A chain with `sample` draws, with its temperature, unless the person
    asked for another one: 0 is greedy.
    """
    combined = requested_combinations(options)
    replaced = {one.mode for one in combined} | ({None} if requested_form(options) else set())
    ops = [*combined, *(op for op in ops if op.op not in CONTEXT_OPS or op.mode not in replaced)]
    asked = {name: getattr(options, name) for name in NEUTRAL_VALUES if name in options.model_fields_set}
    chain = [op for op in ops if op.op not in asked or asked[op.op] != NEUTRAL_VALUES[op.op]]
    chain = [op.model_copy(update={"value": asked[op.op]}) if op.op in asked else op for op in chain]
    new = [LogitsOp(op=name, value=value) for name, value in asked.items()  # type: ignore[arg-type]
           if value != NEUTRAL_VALUES[name] and not any(op.op == name for op in chain)]  # fmt: skip
    place = next((i for i, op in enumerate(chain) if op.op == "sample"), len(chain))
    chain[place:place] = new
    drawn = any(op.op == "sample" for op in chain)
    heat = asked.get("temperature", next((op.value for op in chain if op.op == "temperature"), 1.0) if drawn else 0.0)
    return chain, options.model_copy(update={"temperature": heat})


def compile_chain(
    ops: Sequence[LogitsOp],
    start: GenerationStart,
    forms: Sequence[Processor] = (),
    special: Callable[[LogitsOp], Processor] | None = None,
) -> Processor:
    """One processor that is all of `ops`, in their order. forms: what a person holds the reply to, before all of them.
    special: makes the ops that need more than what a generation begins with: combine and grammar.

    There, for an op that keeps the best few must not keep those alone that the form forbids.
    """
    chain = [*forms, *(_processor(op, start, special) for op in ops if op.op != "sample")]

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        for step in chain:
            logits = step(ids, logits)
        return logits

    return process


def _processor(op: LogitsOp, start: GenerationStart, special: Callable[[LogitsOp], Processor] | None) -> Processor:
    if op.op in CONTEXT_OPS:
        assert special is not None  # of a chain that has such ops
        return special(op)
    if op.op == "logit_bias":
        return logit_bias({int(token): delta for token, delta in (op.map or {}).items()})
    assert op.value is not None  # the schema asks for one
    if op.op == "min_length":
        return remove_tokens(sorted(start.eos), 0, int(op.value))
    if op.op in _PENALTIES:
        return _PENALTIES[op.op](op.value, len(start.prompt))
    if op.op in _COUNT_OPS:
        return _COUNT_OPS[op.op](int(op.value))
    return _VALUE_OPS[op.op](op.value)


def logit_bias(deltas: dict[int, float]) -> Processor:
    """Adds to the logits of the tokens that are named."""
    tokens = np.array(list(deltas), np.int64)
    values = np.array(list(deltas.values()), np.float32)

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        logits[tokens] += values
        return logits

    return process


def frequency_penalty(penalty: float, first: int) -> Processor:
    """Takes `penalty` off for each time that a token was generated; `first`: the place of the first new one."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        tokens, counts = np.unique(np.asarray(ids[first:], np.int64), return_counts=True)
        logits[tokens] -= np.float32(penalty) * counts.astype(np.float32)
        return logits

    return process


def presence_penalty(penalty: float, first: int) -> Processor:
    """Takes `penalty` off for every token that was generated; `first`: the place of the first new one."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        logits[np.unique(np.asarray(ids[first:], np.int64))] -= np.float32(penalty)
        return logits

    return process


def typical_p(mass: float) -> Processor:
    """Keeps the tokens whose surprise is nearest the entropy, with at least `mass` (Meister et al. 2022).

    As transformers' TypicalLogitsWarper: the last token is the one that reaches `mass`.
    """

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = -np.log(softmax(logits))
            entropy = np.nansum(np.exp(-surprise) * surprise)
        order = np.argsort(np.abs(surprise - entropy), kind="stable")
        reached = np.cumsum(np.exp(-surprise[order]))
        last = int(np.count_nonzero(reached < mass))
        kept = order[: last + 1]
        found = np.full_like(logits, MASKED)
        found[kept] = logits[kept]
        return found

    return process


_PENALTIES: dict[str, Callable[[float, int], Processor]] = {
    "frequency_penalty": frequency_penalty,
    "presence_penalty": presence_penalty,
}
_COUNT_OPS: dict[str, Callable[[int], Processor]] = {"no_repeat_ngram": block_repeated_ngrams, "top_k": top_k}
_VALUE_OPS: dict[str, Callable[[float], Processor]] = {
    "repetition_penalty": repetition_penalty,
    "temperature": temperature,
    "top_p": top_p,
    "min_p": min_p,
    "typical_p": typical_p,
}
