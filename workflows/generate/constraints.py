"""The logits processors of a checkpoint's generation config: tokens that are forced, suppressed, or not repeated.

Formulas and order are those of transformers' generation/logits_process.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from workflows.generate.generation_config import GenerationConfig
from workflows.generate.processors import MASKED, Logits, Processor, repetition_penalty
from workflows.generate.speech.timestamps import timestamp_processor


@dataclass(frozen=True)
class GenerationStart:
    """The start of a generation.

    prompt: the decoder's ids. source: the encoder's ids, the prompt where there is no encoder. eos: the end tokens.
    negative: the ids that guidance leads away from; empty for the prompt's last token.
    """

    prompt: Sequence[int]
    source: Sequence[int]
    eos: frozenset[int]
    max_new_tokens: int
    negative: Sequence[int] = ()


def compile_constraints(defaults: GenerationConfig, start: GenerationStart, penalty: float) -> list[Processor]:
    """The processors of `defaults`, empty where nothing is set. penalty: the repetition penalty."""
    first, ends = len(start.prompt), sorted(start.eos)
    chain: list[Processor] = []
    if defaults.encoder_repetition_penalty != 1:
        chain.append(source_repetition_penalty(start.source, defaults.encoder_repetition_penalty))
    if penalty != 1:
        chain.append(repetition_penalty(penalty))
    if defaults.no_repeat_ngram_size:
        chain.append(block_repeated_ngrams(defaults.no_repeat_ngram_size))
    if defaults.encoder_no_repeat_ngram_size:
        chain.append(block_repeated_ngrams(defaults.encoder_no_repeat_ngram_size, start.source))
    words = [word for word in defaults.bad_words_ids if word not in {(end,) for end in ends}]
    if words:
        chain.append(block_words(words))
    least = max(defaults.min_length, first + defaults.min_new_tokens if defaults.min_new_tokens else 0)
    if least and ends:
        chain.append(remove_tokens(ends, 0, least))
    if defaults.forced_bos_token_id:
        chain.append(force_tokens(defaults.forced_bos_token_id, 1))
    if defaults.forced_eos_token_id:
        chain.append(force_tokens(defaults.forced_eos_token_id, first + start.max_new_tokens - 1))
    if defaults.suppress_tokens:
        chain.append(remove_tokens(defaults.suppress_tokens))
    if defaults.begin_suppress_tokens:
        begin = first if first > 1 or not defaults.forced_bos_token_id else first + 1
        chain.append(remove_tokens(defaults.begin_suppress_tokens, begin, begin + 1))
    return [*chain, *_of_transcripts(defaults, first)]


def _of_transcripts(defaults: GenerationConfig, first: int) -> list[Processor]:
    """Those that a transcript has besides. first: the length of its prefix."""
    chain = [] if defaults.timestamps is None else [timestamp_processor(defaults.timestamps, first)]
    return chain if defaults.logprobs is None else [*chain, defaults.logprobs.process]


def source_repetition_penalty(source: Sequence[int], penalty: float) -> Processor:
    """Favours the ids of the source: the inverse repetition penalty over the source's ids."""
    process = repetition_penalty(1 / penalty)
    return lambda ids, logits: process(source, logits)


def block_repeated_ngrams(size: int, text: Sequence[int] | None = None) -> Processor:
    """Masks tokens that would complete an n-gram of `text` (Paulus et al. 2017); None for the ids so far."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        seen = np.asarray(ids if text is None else text, np.int64)
        if len(seen) < size or len(ids) < size - 1:
            return logits
        tail = np.asarray(ids[len(ids) - size + 1 :], np.int64)
        ngrams = sliding_window_view(seen, size)
        logits[ngrams[(ngrams[:, :-1] == tail).all(axis=1), -1]] = MASKED
        return logits

    return process


def block_words(words: Sequence[tuple[int, ...]]) -> Processor:
    """Masks the last token of each word whose other tokens are the last ids."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        for *head, last in words:
            if len(head) <= len(ids) and list(ids[len(ids) - len(head) :]) == head:
                logits[last] = MASKED
        return logits

    return process


def remove_tokens(tokens: Sequence[int], begin: int = 0, end: int | None = None) -> Processor:
    """Masks `tokens` while the number of ids so far is in [begin, end)."""
    rows: NDArray[np.int64] = np.asarray(tokens, np.int64)

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        if begin <= len(ids) and (end is None or len(ids) < end):
            logits[rows] = MASKED
        return logits

    return process


def force_tokens(tokens: Sequence[int], at: int) -> Processor:
    """Masks all but `tokens` where the number of ids so far is `at`."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        if len(ids) == at:
            logits[:] = MASKED
            logits[np.asarray(tokens, np.int64)] = 0
        return logits

    return process
