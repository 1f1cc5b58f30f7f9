"""Vectors of texts: a bundle of the task feature-extraction, with the pooling that its pipeline file states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.text_tasks import EmbeddingSettings, EmbeddingStep, NormalizeStep, PoolingMode
from workflows.common.errors import BundleError, RequestError, printable
from workflows.predict.pooling import EmbeddingHead
from workflows.predict.prompts import named_prompt
from workflows.predict.text_model import TextModel, truncation_note

_HIDDEN = "last_hidden_state"


@dataclass(frozen=True)
class TextVector:
    """The vector of one text. tokens: those that the model read. note: what was left out of the text, or empty."""

    index: int
    text: str
    tokens: int
    truncated: bool
    vector: NDArray[np.float32]
    note: str = ""


class Embedder:
    """An open bundle that makes vectors of texts. settings: how."""

    def __init__(self, model: TextModel, settings: EmbeddingSettings) -> None:
        self.model, self.settings = model, settings
        self._head = EmbeddingHead(settings, model.bundle)

    def prompt(self, name: str | None) -> str:
        """The text of the prompt `name`, of the default one for None. Raises PromptError that lists the prompts."""
        return named_prompt(self.settings, name)

    def embed(
        self,
        texts: Sequence[str],
        prompt: str = "",
        *,
        names: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[TextVector]:
        """The vectors of `texts` in order, each after `prompt`.

        names: what texts are called in messages, by default by their number. Raises PromptError that names the wrong
        text, and Cancelled.
        """
        names = names or [f"Text {number}" for number in range(1, len(texts) + 1)]
        encoded = [
            self.model.encoder.encode(text, name, prompt=prompt) for text, name in zip(texts, names, strict=True)
        ]
        return [
            TextVector(
                index=index,
                text=texts[index],
                tokens=len(one.ids),
                truncated=one.truncated,
                vector=self._head.vector(hidden, one.prompt),
                note=truncation_note(names[index], one),
            )
            for index, (one, hidden) in enumerate(zip(encoded, self.model.run(encoded, cancelled), strict=True))
        ]


def open_embedder(
    folder: str | Path, provider: str = "cpu", pooling: PoolingMode | None = None, normalize: bool = False
) -> Embedder:
    """Opens a bundle that makes vectors. pooling, normalize: for a bundle whose file states no pooling.

    Raises BundleError for another kind of bundle, and RequestError where the pooling is stated twice or not at all.
    """
    model = TextModel.open(folder, provider)
    bundle = model.bundle
    if model.output.name != _HIDDEN or len(model.output.shape) != 3:
        task = bundle.pipeline.metadata.task or "another task"
        raise BundleError(
            f"{bundle.folder} was built for {printable(task)}, so its graph gives no hidden states for a vector: build "
            "the checkpoint with --task feature-extraction."
        )
    stated = bundle.pipeline.metadata.embedding
    if stated is not None and (pooling is not None or normalize):
        raise RequestError(
            f"{bundle.folder} states its pooling ({stated.summary()}): leave --pooling and --normalize out."
        )
    if stated is None and pooling is None:
        raise RequestError(
            f"{bundle.folder} was built from a checkpoint without modules.json, so its pooling is unknown: give "
            "--pooling as the model's page states it."
        )
    steps: list[EmbeddingStep] = [NormalizeStep()] if normalize else []
    return Embedder(model, stated or EmbeddingSettings(pooling=[pooling or "mean"], steps=steps))
