"""Spans of a text from the labels of its tokens, as the aggregation `simple` of transformers' pipeline joins them.

B-PER I-PER O B-LOC ──neighbours of one kind, until a B-──▶ (start, end, text, PER, mean score), (…, LOC, …)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workflows.predict.text_encoder import EncodedText
from workflows.wire.reports.labels import ScoredSpan

OUTSIDE = "O"


@dataclass(frozen=True)
class _Token:
    """A token with its label; kind: the label without B- or I-; begins: whether it is a B-."""

    start: int
    end: int
    label: str
    score: float

    @property
    def kind(self) -> str:
        return self.label[2:] if self.label.startswith(("B-", "I-")) else self.label

    @property
    def begins(self) -> bool:
        return self.label.startswith("B-")


def find_spans(text: str, encoded: EncodedText, scores: NDArray[np.float64], labels: Sequence[str]) -> list[ScoredSpan]:
    """The spans of `text` whose label is not O. scores: [S, labels], the probabilities of each token's labels."""
    tokens = [
        _Token(*encoded.offsets[place], labels[int(row.argmax())], float(row.max()))
        for place, row in enumerate(scores)
        if not encoded.special[place]
    ]
    groups = [tokens[:1]] if tokens else []
    for before, token in pairwise(tokens):
        if token.kind == before.kind and not token.begins:
            groups[-1].append(token)
        else:
            groups.append([token])
    return [_span(text, group) for group in groups if _name(group) != OUTSIDE]


def _name(group: Sequence[_Token]) -> str:
    """The label of a span: of its first token, without what stands before the first hyphen."""
    return group[0].label.split("-", 1)[-1]


def _span(text: str, group: Sequence[_Token]) -> ScoredSpan:
    start, end = group[0].start, group[-1].end
    return ScoredSpan(_name(group), float(np.mean([token.score for token in group])), start, end, text[start:end])
