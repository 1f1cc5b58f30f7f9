"""Texts compared by vectors: those of the embedder, kept between requests, and one sentence for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.predict.text_bundles import made_bundle
from workflows.bundle.text_tasks import EmbeddingSettings, NormalizeStep
from workflows.common.errors import BundleError, Cancelled, PromptError, RequestError
from workflows.predict import open_embedder
from workflows.predict.embedder import Embedder
from workflows.predict.pooling import similarities
from workflows.service.embedding import EmbeddingService
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.requests import Embed

LINES = ("the cat", "the dog", "anna went to paris", "the cat")
SETTINGS = EmbeddingSettings(pooling=["mean"], steps=[NormalizeStep()], prompts={"query": "query : "})


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(made_bundle(tmp_path_factory.mktemp("e") / "b", embedding=SETTINGS, task="feature-extraction"))


def compare(service: EmbeddingService, bundle: str, *texts: str, **more: Any) -> EmbedReport:
    return service.compare(Embed(bundle, texts, **more), lambda: False)


def test_scores_are_those_of_the_embedder_and_a_search_has_its_own_prompt(bundle: str) -> None:
    report = compare(EmbeddingService(), bundle, *LINES, query="cat")
    embedder = open_embedder(bundle)
    vectors = [one.vector for one in embedder.embed(LINES)]
    assert np.array(report.scores) == pytest.approx(similarities(vectors, "cosine"), abs=6e-5)
    query = embedder.embed(["cat"], "query : ")[0].vector
    assert report.ranking == pytest.approx([float(query @ one) for one in vectors], abs=6e-5)
    assert (report.similarity, report.dimensions, report.tokens) == ("cosine", 6, [4, 4, 6, 4])
    assert report.summary == "mean pooling, normalized" and report.notes == []
    assert compare(EmbeddingService(), bundle, *LINES, table=False).scores == [] == report.notes


def test_only_new_texts_are_computed(bundle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    whole = Embedder.embed

    def embed(self: Embedder, texts: list[str], *args: Any, **more: Any) -> Any:
        asked.append(list(texts))
        return whole(self, texts, *args, **more)

    monkeypatch.setattr(Embedder, "embed", embed)
    service = EmbeddingService()
    first = compare(service, bundle, *LINES)
    again = compare(service, bundle, *LINES, query="dog")
    assert asked == [["the cat", "the dog", "anna went to paris"], ["dog"]] and again.scores == first.scores
    compare(service, bundle, "cat", "the dog")
    compare(service, bundle, "the cat")
    assert asked[2:] == [["cat"], ["the cat"]]


def test_the_wrong_line_is_named_by_its_number(bundle: str) -> None:
    service = EmbeddingService()
    compare(service, bundle, "cat")
    with pytest.raises(PromptError, match=r"Line 2 has no token beside special ones"):
        compare(service, bundle, "cat", "[SEP]")
    with pytest.raises(PromptError, match=r"The search has a NUL character"):
        compare(service, bundle, "cat", query="a\0")
    report = compare(service, bundle, "cat", " ".join(["dog"] * 30))
    assert report.notes == ["Line 2 has 32 tokens, and the model reads 8: the rest was left out."]


def test_a_pooling_that_is_not_stated_is_chosen(tmp_path: Path) -> None:
    bundle = str(made_bundle(tmp_path / "b", task="feature-extraction"))
    service = EmbeddingService()
    with pytest.raises(RequestError, match="does not state its pooling: choose"):
        compare(service, bundle, "cat")
    one, other = (compare(service, bundle, "cat", "dog", pooling=kind).scores for kind in ("mean", "cls"))
    assert one != other


def test_what_makes_no_vectors_and_what_is_cancelled(bundle: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no text to compare"):
        Embed(bundle, ())
    with pytest.raises(Cancelled):
        EmbeddingService().compare(Embed(bundle, LINES), lambda: True)
    other = str(made_bundle(tmp_path / "b", "logits", 2, task="text-classification"))
    with pytest.raises(BundleError, match="gives no hidden states"):
        compare(EmbeddingService(), other, "cat")
