"""What a transcript begins with: language, task and times, of new and of old generation configs."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from workflows.common.errors import PromptError, RequestError
from workflows.generate.speech.settings import SpeechOptions, SpeechSettings
from workflows.wire.events import SpeechChoices

START, EN, DE, TRANSCRIBE, TRANSLATE, NONE = 3, 4, 5, 8, 9, 10
MANY: dict[str, Any] = {
    "lang_to_id": {"<|en|>": EN, "<|de|>": DE},
    "task_to_id": {"transcribe": TRANSCRIBE, "translate": TRANSLATE},
    "no_timestamps_token_id": NONE,
}
OLD = {**MANY, "forced_decoder_ids": [[1, None], [2, TRANSCRIBE]]}
ENGLISH = {"no_timestamps_token_id": NONE, "forced_decoder_ids": [[1, NONE]]}


@pytest.mark.parametrize(("values", "options", "detected", "wanted"), [
    (MANY, SpeechOptions(), DE, [START, DE, NONE]),
    (MANY, SpeechOptions("de"), None, [START, DE, TRANSCRIBE, NONE]),
    (MANY, SpeechOptions("DE", "translate"), None, [START, DE, TRANSLATE, NONE]),
    (MANY, SpeechOptions(None, "translate"), EN, [START, EN, TRANSLATE, NONE]),
    (MANY, SpeechOptions("<|en|>", timestamps=True), None, [START, EN, TRANSCRIBE]),
    (OLD, SpeechOptions(), DE, [START, DE, TRANSCRIBE, NONE]),
    (OLD, SpeechOptions(timestamps=True), EN, [START, EN, TRANSCRIBE]),
    ({**OLD, "forced_decoder_ids": [[1, EN], [2, TRANSLATE], [3, NONE]]}, SpeechOptions(), None,
     [START, EN, TRANSLATE, NONE]),
    ({**MANY, "language": "de", "task": "translate"}, SpeechOptions(), None, [START, DE, TRANSLATE, NONE]),
    (ENGLISH, SpeechOptions(), None, [START, NONE]),
    (ENGLISH, SpeechOptions(timestamps=True), None, [START]),
    ({}, SpeechOptions(), None, [START]),
])  # fmt: skip
def test_the_prefix(values: dict[str, Any], options: SpeechOptions, detected: int | None, wanted: list[int]) -> None:
    settings = SpeechSettings.model_validate(values)
    assert settings.needs_detection(options) == (detected is not None)
    assert settings.prefix(START, options, detected) == wanted


def test_what_is_left_to_choose() -> None:
    both = ["transcribe", "translate"]
    forced = {**OLD, "forced_decoder_ids": [[1, EN], [2, TRANSLATE]]}
    for values, wanted in (
        (MANY, SpeechChoices(languages=["de", "en"], tasks=["transcribe", "translate"], times=True)),
        (ENGLISH, SpeechChoices(times=True)),
        ({}, SpeechChoices()),
    ):
        assert SpeechSettings.model_validate(values).choices() == wanted
    for values in (forced, {**MANY, "task": "translate"}):
        choices = SpeechSettings.model_validate(values).choices()
        assert (choices.task, choices.tasks) == ("translate", both)


def test_what_the_model_does_not_know_is_one_sentence() -> None:
    settings, english = SpeechSettings.model_validate(MANY), SpeechSettings.model_validate(ENGLISH)
    assert settings.languages == ["de", "en"]
    with pytest.raises(PromptError, match="does not know the language 'xx': choose one of de, en"):
        settings.prefix(START, SpeechOptions("xx"), None)
    with pytest.raises(PromptError, match="transcribes one language and has no others"):
        english.prefix(START, SpeechOptions("en"), None)
    with pytest.raises(RequestError, match="no token for the task translate: its tasks are none to choose from"):
        english.prefix(START, SpeechOptions(task="translate"), None)
    with pytest.raises(RequestError, match="no tokens for times"):
        SpeechSettings().prefix(START, SpeechOptions(timestamps=True), None)
    with pytest.raises(ValidationError):
        SpeechSettings.model_validate({"lang_to_id": {"<|en|>": "four"}})
