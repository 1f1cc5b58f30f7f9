"""The chain of logits processors that a pipeline file lists, in its order.

    generation.logits ──the person's options replace their ops──▶ processors, one after another ──▶ the choice

Without a list the checkpoint and the options define the chain, in transformers' order (constraints.py, processors.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from workflows.bundle.strategy import LogitsOp
from workflows.generate.constraints import GenerationStart, block_repeated_ngrams, remove_tokens
from workflows.generate.grammar import requested_form
from workflows.generate.logits_combination import requested_combinations
from workflows.generate.options import GenerateOptions
from workflows.generate.processors import (
    Logits,
    Processor,
    compose,
    mask_except,
    min_p,
    repetition_penalty,
    softmax,
    temperature,
    top_k,
    top_p,
)

CONTEXT_OPS = ("combine", "grammar")
NEUTRAL_VALUES = {"repetition_penalty": 1.0, "temperature": 0.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
"""The options that are ops of a chain, in transformers' order → the value at which each has no effect."""


class OpCompiler(Protocol):
    """Makes the processor of an op that needs more than the start of a generation."""

    def __call__(self, op: LogitsOp) -> Processor: ...


def chain_with_options(ops: Sequence[LogitsOp], options: GenerateOptions) -> tuple[list[LogitsOp], GenerateOptions]:
    """The chain with the person's options in place of its own ops, and the remaining options.

    An option without an op in the chain comes before `sample`; one that combines logits comes first. A requested form
    replaces the file's grammars. A chain with `sample` samples at its temperature, unless the person gave another: 0 is
    greedy.
    """
    combined = requested_combinations(options)
    replaced = {one.mode for one in combined} | ({None} if requested_form(options) else set())
    ops = [*combined, *(op for op in ops if op.op not in CONTEXT_OPS or op.mode not in replaced)]
    own = {name: getattr(options, name) for name in NEUTRAL_VALUES if name in options.set_fields}
    chain = [op for op in ops if op.op not in own or own[op.op] != NEUTRAL_VALUES[op.op]]
    chain = [op.model_copy(update={"value": own[op.op]}) if op.op in own else op for op in chain]
    new = [LogitsOp(op=name, value=value) for name, value in own.items()  # type: ignore[arg-type]
           if value != NEUTRAL_VALUES[name] and not any(op.op == name for op in chain)]  # fmt: skip
    place = next((i for i, op in enumerate(chain) if op.op == "sample"), len(chain))
    chain[place:place] = new
    drawn = any(op.op == "sample" for op in chain)
    heat = own.get("temperature", next((op.value for op in chain if op.op == "temperature"), 1.0) if drawn else 0.0)
    return chain, options.replaced(temperature=heat)


def compile_chain(
    ops: Sequence[LogitsOp], start: GenerationStart, forms: Sequence[Processor] = (), special: OpCompiler | None = None
) -> Processor:
    """One processor for all `ops`, in their order, after those of `forms`.

    forms: the requested form of the reply; first, so that ops which keep the best few tokens keep allowed ones.
    special: makes the processors of `combine` and `grammar`, which need other models or the tokenizer.
    """
    return compose([*forms, *(_processor(op, start, special) for op in ops if op.op != "sample")])


def _processor(op: LogitsOp, start: GenerationStart, special: OpCompiler | None) -> Processor:
    if op.op in CONTEXT_OPS:
        assert special is not None  # the caller gives it for chains with such ops
        return special(op)
    if op.op == "logit_bias":
        return logit_bias({int(token): delta for token, delta in (op.map or {}).items()})
    assert op.value is not None  # the schema requires one
    if op.op == "min_length":
        return remove_tokens(sorted(start.eos), 0, int(op.value))
    return _VALUE_PROCESSORS[op.op](op.value, len(start.prompt))


def logit_bias(deltas: dict[int, float]) -> Processor:
    """Adds `deltas`, token → number, to the logits."""
    tokens = np.array(list(deltas), np.int64)
    values = np.array(list(deltas.values()), np.float32)

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        logits[tokens] += values
        return logits

    return process


def frequency_penalty(penalty: float, first: int) -> Processor:
    """Subtracts `penalty` for each time that a token was generated. first: the index of the first new token."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        tokens, counts = np.unique(np.asarray(ids[first:], np.int64), return_counts=True)
        logits[tokens] -= np.float32(penalty) * counts.astype(np.float32)
        return logits

    return process


def presence_penalty(penalty: float, first: int) -> Processor:
    """Subtracts `penalty` for every token that was generated. first: the index of the first new token."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        logits[np.unique(np.asarray(ids[first:], np.int64))] -= np.float32(penalty)
        return logits

    return process


def typical_p(mass: float) -> Processor:
    """Keeps the tokens whose surprisal is nearest to the entropy, of at least `mass` together (Meister et al. 2022).

    Like transformers' TypicalLogitsWarper: the last token kept is the one that reaches `mass`.
    """

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = -np.log(softmax(logits))
            entropy = np.nansum(np.exp(-surprise) * surprise)
        order = np.argsort(np.abs(surprise - entropy), kind="stable")
        last = int(np.count_nonzero(np.cumsum(np.exp(-surprise[order])) < mass))
        return mask_except(logits, order[: last + 1])

    return process


_VALUE_PROCESSORS: dict[str, Callable[[float, int], Processor]] = {
    "frequency_penalty": frequency_penalty,
    "presence_penalty": presence_penalty,
    "no_repeat_ngram": lambda size, _: block_repeated_ngrams(int(size)),
    "repetition_penalty": lambda penalty, _: repetition_penalty(penalty),
    "temperature": lambda value, _: temperature(value),
    "top_k": lambda count, _: top_k(int(count)),
    "top_p": lambda mass, _: top_p(mass),
    "min_p": lambda share, _: min_p(share),
    "typical_p": lambda mass, _: typical_p(mass),
}
"""Op with one number → its processor, from that number and the index of the first new token."""
