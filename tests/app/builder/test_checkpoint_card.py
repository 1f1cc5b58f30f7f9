"""The card of what a probe found: facts in words, why not, and a consent that needs reading first."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.builder.checkpoint_card import CheckpointCard
from app.text.formatting import format_bytes
from workflows.wire.reports.plan import DecoderFacts, ProbeReport, TokenizerFacts

DECODER = DecoderFacts(layers=28, hidden_size=512, vocabulary=512, max_positions=4096, kv_bytes_per_token=2048)
FOUND = ProbeReport(
    source="/m",
    path="/m",
    kind="folder",
    model_type="qwen3",
    architectures=["Qwen3ForCausalLM"],
    parameters=1_500_000,
    dtype="bfloat16",
    weights_bytes=3_000_000,
    tokenizer=TokenizerFacts(kind="BPE", vocabulary=512, chat_template=True),
    remote_code={},
    family="qwen3",
    tasks=["text-generation"],
    supported=True,
    reason="",
    decoder=DECODER,
)


@pytest.fixture
def card(qtbot: QtBot) -> CheckpointCard:
    made = CheckpointCard()
    qtbot.addWidget(made)
    made.show()
    return made


def facts(card: CheckpointCard) -> dict[str, str]:
    parts = [card._grid.itemAt(index).widget() for index in range(card._grid.count())]
    texts = [part.text() for part in parts if isinstance(part, QLabel)]
    return dict(zip(texts[::2], texts[1::2], strict=True))


def test_what_was_found_as_text(card: CheckpointCard) -> None:
    card.set_report(FOUND, {}, False)
    assert card._name.text() == "Qwen3ForCausalLM" and card._pill.text() == "supported"
    told = facts(card)
    assert told["Shape"] == "28 layers, width 512" and told["KV cache per token"] == format_bytes(2048)
    assert (
        told["Weights"] == f"bfloat16, {format_bytes(3_000_000)}"
        and told["Tokenizer"] == "BPE, 512 tokens, chat template"
    )
    assert not card.consent.isVisible() and not card.open_code.isVisible() and not card.reason.isVisible()


def test_layers_with_state_of_fixed_size(card: CheckpointCard) -> None:
    """A line of their own; the bytes of a token are those of the layers with keys and values."""
    card.set_report(FOUND, {}, False)
    assert "State of fixed size" not in facts(card)
    card.set_report(replace(FOUND, decoder=replace(DECODER, state_layers=21)), {}, False)
    told = facts(card)
    assert (told["State of fixed size"], told["KV cache per token"]) == ("in 21 of 28 layers", format_bytes(2048))
    card.set_report(replace(FOUND, decoder=replace(DECODER, state_layers=28, kv_bytes_per_token=0)), {}, False)
    told = facts(card)
    assert (told["State of fixed size"], told["KV cache per token"]) == ("in all 28 layers", "none")


def test_one_layer_and_no_template(card: CheckpointCard) -> None:
    tokenizer = replace(FOUND.tokenizer, vocabulary=1, chat_template=False)  # type: ignore[type-var]
    card.set_report(replace(FOUND, decoder=replace(DECODER, layers=1, max_positions=1), tokenizer=tokenizer), {}, False)
    told = facts(card)
    assert told["Shape"].startswith("1 layer, ") and told["Longest context"] == "1 token"
    assert told["Tokenizer"] == "BPE, 1 token, no chat template"


def test_an_encoder_has_no_cache_and_may_have_no_tokenizer(card: CheckpointCard) -> None:
    card.set_report(FOUND, {}, False)
    card.set_report(replace(FOUND, decoder=None, tokenizer=None, architectures=[]), {}, False)
    told = facts(card)
    assert set(told) == {"Parameters", "Weights", "Model type", "Tokenizer"} and told["Tokenizer"] == "none"
    assert card._name.text() == "qwen3"  # no architecture is named


def test_why_it_cannot_be_built(card: CheckpointCard) -> None:
    card.set_report(replace(FOUND, supported=False, reason="Mamba has no family here."), {}, False)
    assert card._pill.text() == "not supported"
    assert card.reason.isVisible() and card.reason.text() == "Mamba has no family here."
    card.set_report(FOUND, {}, False)
    assert not card.reason.isVisible()


def test_a_decoder_without_a_tokenizer_cannot_chat(card: CheckpointCard) -> None:
    card.set_report(replace(FOUND, tokenizer=None), {}, False)
    assert card._pill.text() == "supported, without chat"
    assert facts(card)["Tokenizer"] == "none: the bundle can be measured, but chat is not possible"


def test_no_consent_is_requested_where_it_leads_nowhere(card: CheckpointCard) -> None:
    """The architecture stays unknown, whatever its code may do."""
    code = {"modeling.py": "ab" * 32}
    card.set_report(replace(FOUND, supported=False, reason="No family builds foo."), code, False)
    assert card._pill.text() == "not supported" and card.reason.text() == "No family builds foo."
    assert not card.consent.isVisible() and not card.open_code.isVisible()
    card.set_report(FOUND, code, False)
    assert card._pill.text() == "needs consent" and card.consent.isVisible()


@pytest.fixture
def code(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "modeling.py").write_text("x = 1")
    return {"modeling.py": hashlib.sha256(b"x = 1").hexdigest()}


def test_who_has_not_read_the_code_cannot_agree(card: CheckpointCard, code: dict[str, str], tmp_path: Path) -> None:
    found = replace(FOUND, path=str(tmp_path))
    card.set_report(found, code, False)
    assert card._pill.text() == "needs consent" and "a Python file" in card._code_head.text()
    assert f"modeling.py  sha256 {code['modeling.py']}" in card._code.text()
    card.consent.click()
    assert not card.consent.isEnabled() and not card.consent.isChecked() and "Read the code" in card.consent.toolTip()
    told: list[bool] = []
    card.consented.connect(told.append)
    card.open_code.click()
    card.code.reject()
    card.consent.click()
    assert told == [True] and card.consent.toolTip() == ""


def test_consent_can_be_taken_back_and_is_to_these_bytes_alone(
    card: CheckpointCard, code: dict[str, str], tmp_path: Path
) -> None:
    found = replace(FOUND, path=str(tmp_path))
    card.set_report(found, code, True)
    assert card._pill.text() == "supported" and card.consent.isChecked() and card.consent.isEnabled()
    card.consent.click()
    assert not card.consent.isChecked()
    card.set_report(found, {"modeling.py": "0" * 64, "more.py": "1" * 64}, False)
    assert not card.consent.isEnabled() and "2 Python files" in card._code_head.text()
