"""The window in German: random sequences of actions, after each of which no visible text is an English sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from app.chat.chat_list import ChatList
from app.chat.examples import picture_questions
from app.chat.transcript import Transcript
from app.text.engine_text import install_engine_texts
from app.text.quantizing_cost import cost_summary
from app.text.translator import install_language
from tests.app.sequences import LENGTH, PAGE_NAMES, Walk, inside, process, visible_texts, walk
from workflows.generate.prompt_sets import MEASURING_TEXT
from workflows.wire.reports.cost import QuantizationCost

ENGLISH = re.compile(r"\b(the|is|of|and|cannot|with|from|this|that|which|are|be|not|for|to|it|by|has|no|choose)\b")
"""Words of English sentences that German has not."""
FOREIGN = (Transcript, ChatList)
"""What a person and the model wrote."""


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    before, locale = qapp.findChildren(QTranslator), QLocale()
    install_language(qapp, "de")
    yield
    for one in [new for new in qapp.findChildren(QTranslator) if new not in before]:
        qapp.removeTranslator(one)
        one.deleteLater()
    install_engine_texts(())
    QLocale.setDefault(locale)


def english_texts(one: Walk) -> set[str]:
    """The texts in view that are English sentences; a shipped picture's question is in the language of its model."""
    asked = {question for _, question in picture_questions()}
    texts = {text for widget, text in visible_texts(one.window) if not inside(widget, FOREIGN)} - asked
    return {text for text in texts if ENGLISH.search(text.replace(str(one.folder), "")) and "question " not in text}


@pytest.mark.parametrize("seed", range(4))
def test_sequences_show_no_english_sentence(german: None, seed: int) -> None:
    with TemporaryDirectory() as folder, walk(Path(folder), 4_000 + seed) as one:
        for name in (*PAGE_NAMES, "settings"):
            one.window.show_page(name)
            one.wait(0.2)
            assert english_texts(one) == set(), name
        for _ in range(4 * LENGTH):
            one.act()
            process()
            assert english_texts(one) == set(), one.done
        one.wait(0.1)
        assert english_texts(one) == set(), one.done


def test_what_quantizing_cost_names_its_text_in_german(german: None) -> None:
    text = cost_summary(QuantizationCost(text=MEASURING_TEXT, positions=511, top1_agreement=0.961, kl_mean=0.0151))
    assert "an 511 Stellen von Joinerys Text zum Messen" in text and "96,1 %" in text
