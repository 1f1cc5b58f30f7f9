"""What the window asks of a form while it is written, and of a draft beside an open bundle."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workflows.common.errors import RequestError
from workflows.service import JobContext, JobRunner
from workflows.wire.events import GenerationDone, ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.requests import CheckConstraint, Close, Generate, Open, UseDraft

TOLD = JobContext(lambda event: None, lambda: False)


def test_a_form_that_can_be_is_done_and_another_is_one_sentence() -> None:
    (answer,) = JobRunner().run(CheckConstraint("regex", "[0-9]+"), TOLD)
    assert answer == ResultEvent(value=Done())
    with pytest.raises(RequestError, match=r"^The regular expression cannot be used: unclosed group\.$"):
        list(JobRunner().run(CheckConstraint("regex", "(a"), TOLD))


def generated(jobs: JobRunner) -> GenerationDone:
    request = Generate(prompt="8*7=", options={"max_new_tokens": 6})
    *_, done = jobs.run(request, TOLD)
    assert isinstance(done, GenerationDone)
    return done


def other_words(bundle: Path, to: Path) -> Path:
    """The bundle with one of its special tokens renamed, byte for byte as long as it was."""
    shutil.copytree(bundle, to)
    file = to / "tokenizer" / "tokenizer.json"
    text = file.read_text("utf-8")
    name = str(json.loads(text)["added_tokens"][0]["content"])
    file.write_text(text.replace(f'"{name}"', f'"{name[:-1]}X"'), "utf-8")
    return to


def test_a_draft_comes_and_goes_beside_the_open_bundle(
    demo_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tokens are those of the model alone; a draft that is refused leaves the one that was there."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    jobs = JobRunner()
    with pytest.raises(RequestError, match="No bundle is open"):
        list(jobs.run(UseDraft(str(demo_bundle)), TOLD))
    list(jobs.run(Open(str(demo_bundle)), TOLD))
    plain = generated(jobs)
    assert plain.speculation is None
    list(jobs.run(UseDraft(str(demo_bundle)), TOLD))
    with pytest.raises(RequestError):
        list(jobs.run(UseDraft(str(tmp_path / "none")), TOLD))
    with pytest.raises(RequestError, match="other tokens than the model's"):
        list(jobs.run(UseDraft(str(other_words(demo_bundle, tmp_path / "other"))), TOLD))
    drafted = generated(jobs)
    assert drafted.token_ids == plain.token_ids
    assert drafted.speculation is not None and drafted.speculation.drafted > 0
    list(jobs.run(UseDraft(None), TOLD))
    assert generated(jobs).speculation is None
    list(jobs.run(Open(str(demo_bundle), draft=str(demo_bundle)), TOLD))
    assert generated(jobs).speculation is not None
    list(jobs.run(Close(), TOLD))
