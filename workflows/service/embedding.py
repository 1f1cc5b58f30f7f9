"""Texts compared by the vectors of one bundle, which stays open between requests, as the vectors of its texts do.

Embed ──bundle──▶ Embedder ──new texts──▶ vectors, cached ──similarities──▶ EmbedReport
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workflows.common.errors import RequestError
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.requests import Embed

if TYPE_CHECKING:
    from workflows.predict import Embedder
    from workflows.predict.embedder import TextVector

_QUERY = "query"
"""The prompt that sentence-transformers puts before a search, where a bundle has one of this name."""


class EmbeddingService:
    """Keeps the last bundle open, and the vectors of the last request's texts."""

    def __init__(self) -> None:
        self._key: tuple[str, str, str, str] | None = None
        self._embedder: Embedder | None = None
        self._vectors: dict[tuple[str, str], TextVector] = {}  # (prompt, text)

    def compare(self, request: Embed, cancelled: Callable[[], bool]) -> EmbedReport:
        """Raises PromptError that names the wrong text, Cancelled, and what open_embedder raises."""
        from workflows.predict.pooling import similarities

        embedder = self._open(request)
        own = embedder.prompt(None)
        before = embedder.settings.prompts.get(_QUERY, own)
        names = [f"Line {number}" for number in range(1, len(request.texts) + 1)]
        wanted = [(own, text, name) for text, name in zip(request.texts, names, strict=True)]
        if request.query:
            wanted.append((before, request.query, "The search"))
        self._embed(embedder, wanted, cancelled)
        found = [self._vectors[prompt, text] for prompt, text, _ in wanted]
        lines, query = found[: len(names)], found[len(names) :]
        kind = embedder.settings.similarity
        vectors = [one.vector for one in lines]
        rows = similarities(vectors, kind).tolist() if request.table else []
        ranking = [float(similarities([query[0].vector, one], kind)[0, 1]) for one in vectors] if query else []
        notes = [one.note for one in found if one.note]
        return EmbedReport(
            similarity=kind,
            summary=embedder.settings.summary(),
            dimensions=len(vectors[0]),
            tokens=[one.tokens for one in lines],
            scores=[[round(score, 4) for score in row] for row in rows],
            ranking=[round(score, 4) for score in ranking],
            notes=notes,
            vectors=[one.tolist() for one in vectors] if request.vectors else [],
        )

    def _open(self, request: Embed) -> Embedder:
        """The embedder of a bundle as it is now: one that was built anew is opened again."""
        from workflows.bundle import read_bundle
        from workflows.predict import open_embedder

        bundle = read_bundle(request.bundle)
        key = (request.bundle, bundle.digest, request.provider, request.pooling or "")
        if key != self._key or self._embedder is None:
            self._key, self._embedder = None, None  # two models are never in memory at once
            self._vectors.clear()
            stated = bundle.pipeline.metadata.embedding
            if stated is None and not request.pooling and bundle.pipeline.metadata.task == "feature-extraction":
                raise RequestError("The bundle does not state its pooling: choose the one that its model's page names.")
            pooling: Any = request.pooling if stated is None else None
            self._embedder, self._key = open_embedder(request.bundle, request.provider, pooling), key
        return self._embedder

    def _embed(self, embedder: Embedder, wanted: list[tuple[str, str, str]], cancelled: Callable[[], bool]) -> None:
        """Computes the vectors that are not cached, and forgets those that are not wanted any more."""
        kept = {(prompt, text) for prompt, text, _ in wanted}
        self._vectors = {key: one for key, one in self._vectors.items() if key in kept}
        for before in dict.fromkeys(prompt for prompt, _, _ in wanted):
            missing = [one for one in wanted if one[0] == before and one[:2] not in self._vectors]
            new = {text: name for _, text, name in missing}
            if new:
                vectors = embedder.embed([*new], before, names=[*new.values()], cancelled=cancelled)
                self._vectors |= {(before, one.text): one for one in vectors}
