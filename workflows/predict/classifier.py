"""Labels of texts, spans of texts, and scores of pairs, from the logits of one graph.

logits [labels] ──softmax or sigmoid──▶ label → probability      logits [1] of (query, text) ──▶ score, sorted
logits [S,labels] ──softmax──▶ a label per token ──find_spans──▶ spans of the text
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle
from workflows.bundle.text_tasks import ClassificationSettings
from workflows.common.errors import BundleError, printable
from workflows.common.tensors import TensorSpec
from workflows.predict.prompts import named_prompt
from workflows.predict.spans import find_spans
from workflows.predict.text_encoder import EncodedText
from workflows.predict.text_model import TextModel, truncation_note
from workflows.predict.turns import PairTurns
from workflows.wire.reports.labels import ScoredLabel, ScoredSpan

_SEQUENCE, _TOKEN = "text-classification", "token-classification"


@dataclass(frozen=True)
class ClassifiedText:
    """The labels of a text, the most probable first, or its spans. note: what was left out of the text, or empty."""

    index: int
    text: str
    tokens: int
    truncated: bool
    labels: Sequence[ScoredLabel]
    spans: Sequence[ScoredSpan]
    note: str = ""


@dataclass(frozen=True)
class RankedText:
    """A text with its score for a query; logit: the number that the score was made of."""

    index: int
    text: str
    tokens: int
    truncated: bool
    score: float
    logit: float
    note: str = ""


class Classifier:
    """An open bundle that classifies texts or their tokens, or scores pairs. settings: labels, and what logits mean."""

    def __init__(self, model: TextModel, settings: ClassificationSettings) -> None:
        self.model, self.settings = model, settings
        self.by_token = len(model.output.shape) == 3
        self._turns = PairTurns.of_bundle(model.bundle, settings.template) if settings.template else None

    def classify(self, texts: Sequence[str], cancelled: Callable[[], bool] = lambda: False) -> list[ClassifiedText]:
        """The labels of `texts`, or their spans, in order.

        Raises PromptError that names the wrong text, and Cancelled between two batches.
        """
        names = [f"Text {number}" for number in range(1, len(texts) + 1)]
        encoded = [self.model.encoder.encode(text, name) for text, name in zip(texts, names, strict=True)]
        return [
            ClassifiedText(
                index=index,
                text=texts[index],
                tokens=len(one.ids),
                truncated=one.truncated,
                labels=[] if self.by_token else ranked_labels(self.settings, logits),
                spans=self._spans(texts[index], one, logits) if self.by_token else [],
                note=truncation_note(names[index], one),
            )
            for index, (one, logits) in enumerate(zip(encoded, self.model.run(encoded, cancelled), strict=True))
        ]

    def prompt(self, name: str | None) -> str:
        """The text of the prompt `name`, of the default one for None. Raises PromptError that lists the prompts."""
        return named_prompt(self.settings, name)

    def rank(
        self,
        query: str,
        texts: Sequence[str],
        prompt: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[RankedText]:
        """The texts by their scores for `query`, the highest first; equal ones in their order.

        prompt: a text before the query, or the first turn of a chat template; None for the default one.

        Raises BundleError where a pair has no single score, PromptError that names the wrong text, and Cancelled.
        """
        if self.by_token or len(self.settings.labels) != 1:
            what = "labels of tokens" if self.by_token else f"{len(self.settings.labels)} labels"
            raise BundleError(
                f"{self.model.bundle.folder} gives {what} and not one score of a pair: rank takes a reranker, whose "
                "model has one label."
            )
        names = [f"Text {number} with the query" for number in range(1, len(texts) + 1)]
        before = self.prompt(None) if prompt is None else prompt
        encoded = [self._encode_pair(before, query, text, name) for text, name in zip(texts, names, strict=True)]
        ranked = []
        for index, (one, logits) in enumerate(zip(encoded, self.model.run(encoded, cancelled), strict=True)):
            logit = float(logits[0])
            score = logit if self.settings.score == "identity" else float(_sigmoid(logits)[0])
            note = truncation_note(names[index], one)
            ranked.append(RankedText(index, texts[index], len(one.ids), one.truncated, score, logit, note))
        return sorted(ranked, key=lambda one: -one.logit)

    def _encode_pair(self, prompt: str, query: str, text: str, name: str) -> EncodedText:
        if self._turns is not None:
            return self.model.encoder.encode_turns(self._turns, prompt, query, text, name)
        return self.model.encoder.encode(query, name, pair=text, prompt=prompt)

    def _spans(self, text: str, encoded: EncodedText, logits: NDArray[np.float32]) -> list[ScoredSpan]:
        return find_spans(text, encoded, _softmax(logits), self.settings.labels)


def open_classifier(folder: str | Path, provider: str = "cpu") -> Classifier:
    """Opens a bundle that classifies. Raises BundleError for another kind of bundle."""
    model = TextModel.open(folder, provider)
    bundle, task = model.bundle, model.bundle.pipeline.metadata.task
    if bundle.pipeline.metadata.classification is None and task not in (_SEQUENCE, _TOKEN):
        raise BundleError(
            f"{bundle.folder} was built for {printable(task or 'another task')}, so its graph gives no labels: build a "
            f"checkpoint for {_SEQUENCE} or {_TOKEN}."
        )
    return Classifier(model, label_settings(bundle, model.output))


def label_settings(bundle: Bundle, output: TensorSpec) -> ClassificationSettings:
    """The labels of a bundle whose graph gives the logits `output`. Raises BundleError where they are not as many."""
    settings, count = bundle.pipeline.metadata.classification, output.shape[-1]
    if settings is None:  # built before the labels were kept
        known = count if isinstance(count, int) else 1
        settings = ClassificationSettings(labels=[f"LABEL_{place}" for place in range(known)])
    if isinstance(count, int) and count != len(settings.labels):
        raise BundleError(
            f"{bundle.folder} names {len(settings.labels)} labels and its graph gives {count}: correct "
            "metadata.classification in pipeline.json."
        )
    return settings


def ranked_labels(settings: ClassificationSettings, logits: NDArray[np.float32]) -> list[ScoredLabel]:
    """Each label with its probability, the most probable first. logits: [labels]."""
    scores = _PROBABILITIES[settings.activation](logits)
    labels = [ScoredLabel(label, float(score)) for label, score in zip(settings.labels, scores, strict=True)]
    return sorted(labels, key=lambda one: -one.score)


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    raised = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def _sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits.astype(np.float64), -700, 700))))


def _identity(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    return logits.astype(np.float64)


_PROBABILITIES = {"softmax": _softmax, "sigmoid": _sigmoid, "identity": _identity}
