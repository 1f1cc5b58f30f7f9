"""Texts classified and ranked by an open bundle: the classifier's own answers, for another build opened anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.predict.text_bundles import made_bundle
from workflows.bundle.text_tasks import ClassificationSettings
from workflows.common.errors import BundleError, Cancelled
from workflows.predict import open_classifier
from workflows.service.labeling import LabelingService
from workflows.wire.reports.labels import LabelsReport
from workflows.wire.requests import LabelTexts

TEXTS = ("the cat", "anna went to paris")


def label(bundle: Path, *texts: str, **more: Any) -> LabelsReport:
    return LabelingService().label(LabelTexts(str(bundle), texts, **more), lambda: False)


def test_labels_are_those_of_the_classifier(tmp_path: Path) -> None:
    settings = ClassificationSettings(labels=["a", "b", "c"])
    bundle = made_bundle(tmp_path / "b", "logits", 3, task="text-classification", classification=settings)
    report, own = label(bundle, *TEXTS), open_classifier(bundle).classify(TEXTS)
    assert [[one.label for one in text] for text in report.labels] == [
        [one.label for one in text.labels] for text in own
    ]
    assert report.labels[0][0].score == pytest.approx(own[0].labels[0].score, abs=6e-5)
    assert (report.spans, report.ranking, report.tokens) == ([], [], [4, 6]) and report.notes == []
    with pytest.raises(BundleError, match=r"gives 3 labels and not one score of a pair"):
        label(bundle, *TEXTS, query="cat")


def test_scores_are_in_the_order_of_the_texts(tmp_path: Path) -> None:
    settings = ClassificationSettings(labels=["score"])
    bundle = made_bundle(tmp_path / "b", "logits", 1, tokens=12, task="text-classification", classification=settings)
    report = label(bundle, *TEXTS, query="the dog")
    own = {one.index: one.score for one in open_classifier(bundle).rank("the dog", TEXTS)}
    assert report.ranking == pytest.approx([own[0], own[1]], abs=6e-5) and report.labels == []


def test_parts_of_a_text(tmp_path: Path) -> None:
    settings = ClassificationSettings(labels=["O", "B-PER"])
    bundle = made_bundle(tmp_path / "b", "tokens", 2, tokens=16, task="token-classification", classification=settings)
    report, own = label(bundle, *TEXTS), open_classifier(bundle).classify(TEXTS)
    found = [[(one.start, one.end, one.text) for one in text] for text in report.spans]
    assert found == [[(one.start, one.end, one.text) for one in text.spans] for text in own] and report.labels == []


def test_a_bundle_stays_open_until_it_is_built_anew_and_cancels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import workflows.predict as predict

    opened: list[str] = []
    whole = predict.open_classifier
    monkeypatch.setattr(predict, "open_classifier", lambda folder, provider: opened.append(folder) or whole(folder))  # type: ignore[func-returns-value]
    settings = ClassificationSettings(labels=["a", "b"])
    bundle = made_bundle(tmp_path / "b", "logits", 2, task="text-classification", classification=settings)
    service, request = LabelingService(), LabelTexts(str(bundle), TEXTS)
    service.label(request, lambda: False)
    service.label(request, lambda: False)
    assert len(opened) == 1
    other = made_bundle(tmp_path / "c", "logits", 2, task="text-classification", classification=settings)
    service.label(LabelTexts(str(other), TEXTS), lambda: False)
    assert len(opened) == 2
    with pytest.raises(Cancelled):
        service.label(request, lambda: True)
