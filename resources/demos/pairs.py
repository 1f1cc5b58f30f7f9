"""Training pairs of the encoder-decoder demos, and which of them are held back.

A pair whose normalized source (lowercase letters and digits alone) hashes into the held-back tenth is never trained on.
"""

import json
import zlib
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

from resources.demos.qwen3_phrases import normalized

HELD_BACK_SHARE = 10


class Pair(NamedTuple):
    """What a person types, and the one right answer."""

    kind: str
    source: str
    target: str


def is_held_back(source: str) -> bool:
    """Whether `source` belongs to the texts that are never trained on."""
    return zlib.crc32(normalized(source).encode()) % HELD_BACK_SHARE == 0


def draw_trained(rng: Random, make: Callable[[Random], Pair], count: int) -> list[Pair]:
    """`count` pairs from `make` that may be trained on."""
    pairs: list[Pair] = []
    while len(pairs) < count:
        pair = make(rng)
        if not is_held_back(pair.source):
            pairs.append(pair)
    return pairs


def draw_held_back(rng: Random, make: Callable[[Random], Pair], count: int, known: Collection[str] = ()) -> list[Pair]:
    """`count` different pairs from `make` that are held back; the normalized sources in `known` are trained on."""
    pairs: list[Pair] = []
    seen = set(known)
    while len(pairs) < count:
        pair = make(rng)
        key = normalized(pair.source)
        if is_held_back(pair.source) and key not in seen:
            seen.add(key)
            pairs.append(pair)
    return pairs


def sources_in_common(some: Iterable[Pair], others: Iterable[Pair]) -> list[str]:
    """The sources of `others` that `some` has as well, after normalizing."""
    keys = {normalized(pair.source) for pair in some}
    return [pair.source for pair in others if normalized(pair.source) in keys]


def write_pairs(pairs: Iterable[Pair], path: Path) -> None:
    """One pair a line, as JSON."""
    rows = [json.dumps({"kind": p.kind, "prompt": p.source, "expected": p.target}, ensure_ascii=False) for p in pairs]
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def read_pairs(path: Path) -> list[Pair]:
    """What `write_pairs` wrote."""
    return [Pair(row["kind"], row["prompt"], row["expected"]) for row in json.loads(path.read_text(encoding="utf-8"))]
