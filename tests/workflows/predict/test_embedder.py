"""Vectors of texts from hand-made bundles: pooling by each formula, limits, prompts, batches, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.predict.text_bundles import WIDTH, hidden, made_bundle, tokenizer
from workflows.bundle.manifest import write_manifest
from workflows.bundle.text_tasks import DenseStep, EmbeddingSettings, NormalizeStep
from workflows.common.errors import BundleError, LogitsError, PromptError, RequestError
from workflows.predict import open_embedder
from workflows.predict.pooling import pool, similarities

MEAN = EmbeddingSettings(pooling=["mean"])
TEXTS = ["the cat", "cat", "the dog sat on the mat", "anna went to paris .", "dog on cat", "the cats"]


def ids(text: str) -> list[int]:
    return list(tokenizer().encode(text).ids)


def expected(rows: np.ndarray, mode: str) -> np.ndarray:
    """Each mode written out token by token."""
    count = len(rows)
    if mode == "cls":
        return rows[0]
    if mode == "lasttoken":
        return rows[count - 1]
    if mode == "max":
        return np.array([max(rows[i, j] for i in range(count)) for j in range(rows.shape[1])])
    if mode == "weightedmean":
        return sum((i + 1) * rows[i] for i in range(count)) / sum(range(1, count + 1))
    return sum(rows) / (count if mode == "mean" else count**0.5)


@pytest.fixture(scope="module")
def mean_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_bundle(tmp_path_factory.mktemp("mean") / "b", embedding=MEAN, task="feature-extraction")


@pytest.mark.parametrize("mode", ["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"])
def test_a_pooling_is_its_formula(tmp_path: Path, mode: Any) -> None:
    bundle = made_bundle(tmp_path / "b", embedding=EmbeddingSettings(pooling=[mode]))
    for one in open_embedder(bundle).embed(TEXTS):
        assert one.vector == pytest.approx(expected(hidden(ids(one.text)), mode), abs=1e-5)


def test_modes_are_joined_and_steps_follow_in_their_order(tmp_path: Path) -> None:
    weight = np.random.default_rng(5).standard_normal((4, 2 * WIDTH)).astype("<f4")
    bias = np.arange(4, dtype="<f4")
    steps = [
        NormalizeStep(),
        DenseStep(file="dense/1.data", inputs=2 * WIDTH, outputs=4, activation="tanh"),
        NormalizeStep(),
    ]
    settings = EmbeddingSettings(pooling=["cls", "mean"], steps=steps)
    bundle = made_bundle(tmp_path / "b", embedding=settings)
    (bundle / "dense").mkdir()
    (bundle / "dense" / "1.data").write_bytes(weight.tobytes() + bias.tobytes())
    write_manifest(bundle)
    rows = hidden(ids("the cat"))
    joined = np.concatenate([rows[0], rows.mean(axis=0)])
    made = np.tanh(weight @ (joined / np.linalg.norm(joined)) + bias)
    (found,) = open_embedder(bundle).embed(["the cat"])
    assert found.vector == pytest.approx(made / np.linalg.norm(made), abs=1e-6)
    (bundle / "dense" / "1.data").write_bytes(weight.tobytes())
    write_manifest(bundle)
    with pytest.raises(BundleError, match=r"dense/1.data in .* has 48 numbers, and .* a layer of 12 to 4"):
        open_embedder(bundle)


def test_a_batch_changes_no_vector(tmp_path: Path, mean_bundle: Path) -> None:
    """Padding takes no part: one by one, in batches, and in graphs of fixed sizes, it is the same vector."""
    together = open_embedder(mean_bundle).embed(TEXTS * 20)
    assert [one.index for one in together] == list(range(len(TEXTS) * 20))
    for name, sizes in {"rows": {"rows": 1}, "both": {"rows": 2, "columns": 8}}.items():
        alone = open_embedder(made_bundle(tmp_path / name, embedding=MEAN, **sizes))
        for one, other in zip(together, alone.embed(TEXTS), strict=False):
            assert one.vector == pytest.approx(other.vector, abs=1e-6)
            assert one.vector == pytest.approx(hidden(ids(one.text)).mean(axis=0), abs=1e-5)


def test_a_scale_of_a_batch_would_change_vectors_so_texts_run_alone(tmp_path: Path) -> None:
    """int8-dynamic rounds all rows of a run with one scale."""
    embedder = open_embedder(made_bundle(tmp_path / "b", embedding=MEAN, scaled=True))
    together = embedder.embed(TEXTS)
    for one in together:
        assert one.vector.tolist() == embedder.embed([one.text])[0].vector.tolist()
        rows = hidden(ids(one.text))
        step = (max(rows.max(), 0) - min(rows.min(), 0)) / 255
        assert 0 < np.abs(one.vector - rows.mean(axis=0)).max() <= step / 2 + 1e-6


@pytest.mark.parametrize(("words", "read"), [(1, 3), (5, 7), (6, 8), (7, 8), (40, 8)])
def test_a_text_is_cut_at_the_limit_and_that_is_reported(mean_bundle: Path, words: int, read: int) -> None:
    (found,) = open_embedder(mean_bundle).embed([" ".join(["cat"] * words)])
    assert (found.tokens, found.truncated) == (read, words > 6)
    note = f"Text 1 has {words + 2} tokens, and the model reads 8: the rest was left out."
    assert found.note == (note if words > 6 else "")
    left = hidden(ids(" ".join(["cat"] * min(words, 6))))
    assert found.vector == pytest.approx(left.mean(axis=0), abs=1e-5)


def test_a_prompt_stands_before_the_text_and_may_not_count(tmp_path: Path) -> None:
    prompts = {"query": "query : ", "empty": ""}
    whole = hidden(ids("query : the cat"))
    for include in (True, False):
        settings = EmbeddingSettings(pooling=["mean"], prompts=prompts, default_prompt="query", include_prompt=include)
        embedder = open_embedder(made_bundle(tmp_path / str(include), embedding=settings))
        (found,) = embedder.embed(["the cat"], embedder.prompt(None))
        assert found.vector == pytest.approx((whole if include else whole[3:]).mean(axis=0), abs=1e-5)
        (bare,) = embedder.embed(["the cat"], embedder.prompt("empty"))
        assert bare.vector == pytest.approx(hidden(ids("the cat")).mean(axis=0), abs=1e-5)
    with pytest.raises(PromptError, match="has no prompt 'passage'; its prompts are: query, empty"):
        embedder.prompt("passage")


def test_lower_case_is_that_of_the_settings(tmp_path: Path, mean_bundle: Path) -> None:
    lower = open_embedder(made_bundle(tmp_path / "b", embedding=MEAN, lowercase=True))
    assert lower.embed(["The CAT"])[0].vector == pytest.approx(hidden(ids("the cat")).mean(axis=0), abs=1e-5)
    as_it_is = open_embedder(mean_bundle).embed(["The CAT"])[0]
    assert as_it_is.vector == pytest.approx(hidden(ids("[UNK] [UNK]")).mean(axis=0), abs=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Text 2 is empty: give a text"),
        (" \t", "Text 2 is empty"),
        ("[CLS] [SEP] [PAD]", "Text 2 has no token beside special ones"),
        ("the\0cat", "Text 2 has a NUL character"),
        ("the \ud800", "Text 2 is not valid Unicode"),
    ],
)
def test_a_text_that_is_none_is_named(mean_bundle: Path, text: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        open_embedder(mean_bundle).embed(["cat", text])


def test_numbers_that_are_not_finite_are_no_vector(tmp_path: Path) -> None:
    embedder = open_embedder(made_bundle(tmp_path / "b", embedding=MEAN, infinite=True))
    assert embedder.embed(["the cat"])[0].vector == pytest.approx(hidden(ids("the cat")).mean(axis=0), abs=1e-5)
    with pytest.raises(LogitsError, match="gives NaN or infinity for text 2: build the bundle in a higher precision"):
        embedder.embed(["the cat", "the cats"])


def test_what_makes_no_vectors_is_refused(tmp_path: Path, mean_bundle: Path) -> None:
    plain = made_bundle(tmp_path / "plain")
    with pytest.raises(RequestError, match=r"without modules\.json, so its pooling is unknown: give --pooling"):
        open_embedder(plain)
    rows = hidden(ids("the cat"))
    (found,) = open_embedder(plain, pooling="lasttoken", normalize=True).embed(["the cat"])
    assert found.vector == pytest.approx(rows[-1] / np.linalg.norm(rows[-1]), abs=1e-6)
    with pytest.raises(RequestError, match=r"states its pooling \(mean pooling\): leave --pooling"):
        open_embedder(mean_bundle, pooling="cls")
    labelled = made_bundle(tmp_path / "labels", "logits", 3, task="text-classification")
    with pytest.raises(BundleError, match="built for text-classification, so its graph gives no hidden states"):
        open_embedder(labelled)
    short = made_bundle(tmp_path / "short", embedding=MEAN, tokens=2)
    with pytest.raises(BundleError, match="reads 2 tokens, and its tokenizer puts 2 special ones"):
        open_embedder(short)


def test_similarities_are_their_formulas() -> None:
    one, other = np.array([3, 4], np.float32), np.array([-4, 3], np.float32)
    table = {kind: similarities([one, other, one * 2], kind) for kind in ("cosine", "dot", "euclidean", "manhattan")}
    assert table["cosine"] == pytest.approx(np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]]), abs=1e-12)
    assert table["dot"].tolist() == [[25, 0, 50], [0, 25, 0], [50, 0, 100]]
    assert table["euclidean"][0] == pytest.approx([0, -(50**0.5), -5])
    assert table["manhattan"][0].tolist() == [0, -8, -7]


def test_a_vector_of_zeros_stays_one() -> None:
    zeros = np.zeros(3, np.float32)
    assert similarities([zeros, zeros], "cosine").tolist() == [[0, 0], [0, 0]]
    assert pool(np.zeros((2, 3)), np.ones(2, bool), ["mean"]).tolist() == [0, 0, 0]
