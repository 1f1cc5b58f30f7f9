"""Labels, spans and ranks from hand-made bundles: the probabilities of numpy, and the joining of spans by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workflows.predict.text_bundles import head, hidden, made_bundle, tokenizer
from workflows.bundle.text_tasks import ClassificationSettings, PairTemplate
from workflows.common.errors import BundleError, PromptError
from workflows.predict import open_classifier
from workflows.predict.spans import find_spans
from workflows.predict.text_encoder import EncodedText

LABELS = ["good", "bad", "neither"]


def logits(text: str, pair: str | None = None, labels: int = 3) -> np.ndarray:
    made = tokenizer().encode(text, pair)
    return hidden(list(made.ids), list(made.type_ids))[0] @ head(labels)


@pytest.mark.parametrize("activation", ["softmax", "sigmoid", "identity"])
def test_labels_have_the_probabilities_of_their_logits(tmp_path: Path, activation: str) -> None:
    settings = ClassificationSettings.model_validate({"labels": LABELS, "activation": activation})
    bundle = made_bundle(tmp_path / "b", "logits", 3, classification=settings)
    for one in open_classifier(bundle).classify(["the cat", "dog sat on the mat", "cat " * 40]):
        raw = logits(" ".join(one.text.split()[:6])).astype(np.float64)
        wanted = {"softmax": np.exp(raw) / np.exp(raw).sum(), "sigmoid": 1 / (1 + np.exp(-raw)), "identity": raw}
        by_label = dict(zip(LABELS, wanted[activation], strict=True))
        assert {label.label: label.score for label in one.labels} == pytest.approx(by_label, abs=1e-5)
        assert [label.label for label in one.labels] == sorted(by_label, key=lambda name: -by_label[name])
        assert one.truncated == (len(one.text) > 99) and one.spans == []


@pytest.mark.parametrize("score", ["sigmoid", "identity"])
def test_pairs_are_ranked_by_their_score(tmp_path: Path, score: str) -> None:
    settings = ClassificationSettings.model_validate({"labels": ["LABEL_0"], "score": score})
    bundle = made_bundle(tmp_path / "b", "logits", 1, tokens=12, classification=settings)
    texts = ["the cat", "paris", "anna went to paris with bob", "dog"]
    ranked = open_classifier(bundle).rank("the dog", texts)
    raw = [float(logits("the dog", text, 1)[0]) for text in texts]
    assert len({*raw}) == 4 and [one.index for one in ranked] == sorted(range(4), key=lambda place: -raw[place])
    for one in ranked:
        assert one.logit == pytest.approx(raw[one.index], abs=1e-5)
        assert one.score == pytest.approx(one.logit if score == "identity" else 1 / (1 + np.exp(-one.logit)))
        assert one.tokens == len(tokenizer().encode("the dog", one.text).ids)


TURNS = "[CLS]{% for m in messages %} {{ m.role if m.role == 'query' }} : {{ m.content }} [SEP]{% endfor %} on the mat"


@pytest.mark.parametrize("parts", [False, True])
def test_a_pair_as_turns_of_a_chat_template(tmp_path: Path, parts: bool) -> None:
    """The prompt is a turn before them; the tokenizer adds no special tokens."""
    template = TURNS.replace("m.content", "m.content[0].text") if parts else TURNS
    settings = ClassificationSettings(
        labels=["score"], template=PairTemplate(parts=parts), prompts={"p": "bob"}, default_prompt="p"
    )
    bundle = made_bundle(tmp_path / "b", "logits", 1, tokens=99, classification=settings, template=template)
    classifier = open_classifier(bundle)
    for prompt, turn in ((None, " : bob [SEP]"), ("", ""), ("anna went", " : anna went [SEP]")):
        (one,) = classifier.rank("the dog", ["paris"], prompt)
        text = f"[CLS]{turn} query : the dog [SEP] : paris [SEP] on the mat"
        ids = tokenizer().encode(text, add_special_tokens=False).ids
        assert (one.logit, one.tokens) == (pytest.approx(float((hidden(ids)[0] @ head(1))[0]), abs=1e-5), len(ids))
    with pytest.raises(PromptError, match="has no prompt 'q'; its prompts are: p"):
        classifier.prompt("q")
    with pytest.raises(PromptError, match="Text 1 with the query is empty"):
        classifier.rank("the dog", [" "])


def test_turns_that_are_cut_end_as_the_template_ends(tmp_path: Path) -> None:
    """As sentence-transformers 6.2: what a model reads last stays."""
    settings = ClassificationSettings(labels=["score"], template=PairTemplate())
    bundle = made_bundle(tmp_path / "b", "logits", 1, tokens=12, classification=settings, template=TURNS)
    (one,) = open_classifier(bundle).rank("the dog", ["cat " * 20])
    whole = tokenizer().encode(f"[CLS] query : the dog [SEP] : {'cat ' * 20}", add_special_tokens=False).ids
    end = "[UNK] [SEP] on the mat"  # the probes are digits, which this tokenizer does not know
    ids = [*whole[:7], *tokenizer().encode(end, add_special_tokens=False).ids]
    assert one.logit == pytest.approx(float((hidden(ids)[0] @ head(1))[0]), abs=1e-5)
    assert (
        one.truncated
        and one.note == "Text 1 with the query has 31 tokens, and the model reads 12: the rest was left out."
    )


def test_a_template_that_scores_no_pair_is_refused(tmp_path: Path) -> None:
    settings = ClassificationSettings(labels=["score"], template=PairTemplate())
    with pytest.raises(BundleError, match="ranks with a chat template, and its tokenizer has none"):
        open_classifier(made_bundle(tmp_path / "a", "logits", 1, classification=settings))
    bundle = made_bundle(tmp_path / "b", "logits", 1, classification=settings, template="{{ messages[0].content }}")
    with pytest.raises(BundleError, match="a chat template that leaves out the turns query or document"):
        open_classifier(bundle)


def test_types_are_zero_where_the_tokenizer_gives_none(tmp_path: Path) -> None:
    """As transformers fills them in for a tokenizer class whose inputs are ids and mask alone."""
    settings = ClassificationSettings(labels=["LABEL_0"])
    names = ["input_ids", "attention_mask"]
    (one,) = open_classifier(made_bundle(tmp_path / "b", "logits", 1, classification=settings, names=names)).rank(
        "the", ["cat"]
    )
    row = hidden(list(tokenizer().encode("the", "cat").ids))[0]
    assert one.logit == pytest.approx(float((row @ head(1))[0]), abs=1e-5)


def test_of_a_long_pair_the_longer_text_is_cut_first(tmp_path: Path) -> None:
    settings = ClassificationSettings(labels=["LABEL_0"], score="identity")
    bundle = made_bundle(tmp_path / "b", "logits", 1, classification=settings)
    (one,) = open_classifier(bundle).rank("the dog", ["cat sat on the mat with anna"])
    assert (one.tokens, one.truncated) == (8, True)
    assert one.logit == pytest.approx(float(logits("the dog", "cat sat on", 1)[0]), abs=1e-5)
    assert one.note.startswith("Text 1 with the query has 12 tokens, and the model reads 8")
    with pytest.raises(PromptError, match="Text 2 with the query is empty"):
        open_classifier(bundle).rank("dog", ["cat", ""])
    tight = made_bundle(tmp_path / "tight", "logits", 1, tokens=4, classification=settings)
    with pytest.raises(PromptError, match="Text 1 with the query has no room: the model reads 4 tokens"):
        open_classifier(tight).rank("dog", ["cat"])


def encoded(text: str) -> EncodedText:
    made = tokenizer().encode(text)
    special = [bool(one) for one in made.special_tokens_mask]
    return EncodedText(made.ids, made.type_ids, special, made.offsets, len(made.ids))


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-PER O O B-LOC I-LOC O", [(0, 4, "anna", "PER"), (13, 23, "paris with", "LOC")]),
        ("B-PER B-PER O O O O", [(0, 4, "anna", "PER"), (5, 9, "went", "PER")]),
        ("I-PER B-PER I-PER I-LOC O O", [(0, 4, "anna", "PER"), (5, 12, "went to", "PER"), (13, 18, "paris", "LOC")]),
        ("PER PER O O O LOC", [(0, 9, "anna went", "PER"), (24, 27, "bob", "LOC")]),
        ("O O O O O O", []),
    ],
)
def test_neighbours_of_one_kind_are_a_span(tags: str, spans: list[tuple[int, int, str, str]]) -> None:
    text = "anna went to paris with bob"
    names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "PER", "LOC"]
    scores = np.full((8, 7), 0.01)
    scores[[0, 7], 1] = 0.99  # of the special tokens, which are no part of the text
    for place, tag in enumerate(tags.split()):
        scores[place + 1, names.index(tag)] = 0.5 + place / 20
    found = find_spans(text, encoded(text), scores, names)
    assert [(one.start, one.end, one.text, one.label) for one in found] == spans
    if spans and tags.startswith("B-PER O"):
        assert [one.score for one in found] == pytest.approx([0.5, (0.65 + 0.7) / 2])


def test_a_classifier_of_tokens_gives_the_spans_of_its_logits(tmp_path: Path) -> None:
    settings = ClassificationSettings(labels=["O", "X"])
    bundle = made_bundle(tmp_path / "b", "tokens", 2, tokens=16, classification=settings)
    (one,) = open_classifier(bundle).classify(["anna went to paris with bob"])
    made = encoded(one.text)
    rows = hidden(list(made.ids)) @ head(2)
    marked = [made.offsets[place] for place in range(1, 7) if rows[place].argmax() == 1]
    assert 0 < len(marked) < 6 and one.labels == []
    assert {place for span in one.spans for place in (span.start, span.end)} <= {end for both in marked for end in both}
    assert sum(span.end - span.start for span in one.spans) >= sum(end - start for start, end in marked)


def test_what_gives_no_labels_is_refused(tmp_path: Path) -> None:
    hidden_states = made_bundle(tmp_path / "a", task="feature-extraction")
    with pytest.raises(BundleError, match="built for feature-extraction, so its graph gives no labels"):
        open_classifier(hidden_states)
    settings = ClassificationSettings(labels=LABELS)
    wrong = made_bundle(tmp_path / "b", "logits", 2, classification=settings)
    with pytest.raises(BundleError, match="names 3 labels and its graph gives 2"):
        open_classifier(wrong)
    right = made_bundle(tmp_path / "c", "logits", 3, classification=settings)
    with pytest.raises(BundleError, match="gives 3 labels and not one score of a pair"):
        open_classifier(right).rank("cat", ["dog"])
    older = made_bundle(tmp_path / "d", "logits", 2, task="text-classification")
    (one,) = open_classifier(older).classify(["cat"])
    assert {label.label for label in one.labels} == {"LABEL_0", "LABEL_1"}
