"""What a JSON schema adds to a token at a vocabulary of 151,936: the decode loop with and without one, in turn.

python -m tests.benchmarks.grammar [--rounds 7]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from tests.workflows.generate.scripted import generated
from workflows.generate.tokenizer import BundleTokenizer

VOCABULARY, TOKENS = 151_936, 120
SCHEMA = {"type": "array", "minItems": 40, "items": {"type": "object", "properties": {
    "name": {"type": "string"}, "kind": {"enum": ["töne", "日本", 3, None]}, "size": {"type": "number"}},
    "required": ["name", "kind", "size"], "additionalProperties": False}}  # fmt: skip


def large() -> Tokenizer:
    """A byte-level BPE of as many tokens as Qwen's, whose words are put together at random."""
    random = np.random.default_rng(0)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [one for one in letters if one.isascii()] + ["Ġ"]
    vocabulary, merges = {one: place for place, one in enumerate(letters)}, list[tuple[str, str]]()
    while len(vocabulary) < VOCABULARY:
        left, right = (words[int(i)] for i in random.integers(len(words), size=2))
        if len(left + right) <= 12 and left + right not in vocabulary:
            vocabulary[left + right] = len(vocabulary)
            merges.append((left, right))
            words.append(left + right)
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(False), decoders.ByteLevel()
    return tokenizer


def token_ms(text: BundleTokenizer, **options: Any) -> float:
    """Median milliseconds of a token whose graph takes no time."""
    random = np.random.default_rng(1)

    def change(step: int, logits: np.ndarray) -> None:
        logits += random.standard_normal(1, np.float32) * 0  # its own memory, as a graph's is
        logits[random.integers(0, VOCABULARY, 4000)] += 0.5

    events, _ = generated(text, [7] * TOKENS, eos=[VOCABULARY - 1], change=change, **options)
    return statistics.median(event.latency_ms for event in events[2:])


def main() -> None:
    """Prints what making a form takes, the first time and afterwards, and both medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    text, schema = BundleTokenizer(large(), VOCABULARY), json.dumps(SCHEMA)
    for name in ("first", "again"):
        began = time.perf_counter()
        generated(text, [7], eos=[VOCABULARY - 1], json_schema=schema)
        print(f"a generation of one token, {name}: {(time.perf_counter() - began) * 1000:.1f} ms")
    pairs = [(token_ms(text), token_ms(text, json_schema=schema)) for _ in range(rounds)]
    plain, formed = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"without {plain:.3f} ms a token, with a schema {formed:.3f} ms: {formed - plain:.3f} ms more")


if __name__ == "__main__":
    main()
