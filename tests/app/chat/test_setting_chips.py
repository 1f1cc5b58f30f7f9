"""The chips above the composer: the bundle, the sampling, and each setting that is not at its default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.decoding.chain_ops import ChainRow
from app.chat.decoding.decoding_options import DecodingOptions, ReplyForms
from app.chat.page import ChatPage
from app.chat.sampling import SamplingSettings
from app.chat.setting_chips import SettingChip
from tests.app.test_chat_page import Make, ask, make, summary

__all__ = ["make"]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
SCHEMA = ReplyForms("json_schema", '{"type": "object"}')
SHAPED = DecodingOptions("ngram", chain=(ChainRow("top_k", "3"), ChainRow("sample")), forms=SCHEMA)
SAMPLED = SamplingSettings(0.7, 40, 0.95, max_new_tokens=99, seed=3, stop=("x",))
ALL = [
    "Limits: 99 tokens, seed 3, 1 stop string",
    "System prompt: Be brief.",
    "Begins with: Sure:",
    "Tools: []",
    "Form: JSON schema",
    "Chain: 2 ops",
    "Drafts: From the text so far (n-gram)",
]


def titles(page: ChatPage) -> list[str]:
    """The chips that can be removed."""
    return [chip.name_button.accessibleName() for chip in page.frame.chips.chips if chip.setting.changed]


def chip(page: ChatPage, name: str) -> SettingChip:
    return next(one for one in page.frame.chips.chips if one.setting.name == name)


def set_all(page: ChatPage) -> None:
    page.panel.system.setPlainText("Be brief.")
    page.panel.opening.prefill.setText("Sure:")
    page.panel.opening.tools.setPlainText("[]")
    page.choices.set_sampling(SAMPLED)
    page.choices.decoding.choose(SHAPED)


def held(page: ChatPage) -> tuple[Any, ...]:
    """All that the next request is made of."""
    c = page.controller
    return c.chat.system, c.chat.prefill, c.chat.tools, c.sampling, c.decoding


def test_defaults_show_the_bundle_and_the_sampling(make: Make, qtbot: QtBot) -> None:
    page = make()
    texts = [chip.name_button.accessibleName() for chip in page.frame.chips.chips]
    assert texts == ["demo · fp32 · static 4,096: loaded on cpu", "Sampling: Greedy"]
    assert all(chip.remove_button.isHidden() for chip in page.frame.chips.chips)


def test_the_bundles_chip_follows_its_state(make: Make, qtbot: QtBot) -> None:
    page = make()

    def status() -> str:
        return page.frame.chips.chips[0].setting.value

    page.opener.open()
    assert status() == "opening …"
    qtbot.waitUntil(lambda: page.session.state == "ready")
    assert status() == "loaded on cpu"
    page.session.close()
    assert status() == "not loaded"


def test_a_dot_marks_the_tab_of_a_changed_setting(make: Make) -> None:
    page = make()
    tabs = page.panel.tabs
    assert [tabs.tabText(index) for index in range(3)] == ["Prompt", "Sampling", "Decoding"]
    page.panel.system.setPlainText("Be brief.")
    page.choices.decoding.choose(SHAPED)
    assert [tabs.tabText(index) for index in range(3)] == ["Prompt •", "Sampling", "Decoding •"]
    page.panel.system.clear()
    assert tabs.tabText(0) == "Prompt"


def test_each_has_its_chip_and_a_new_chat_none_but_the_bundles(make: Make, qtbot: QtBot) -> None:
    page = make()
    set_all(page)
    assert titles(page) == ALL and page.frame.chips.isVisible()
    ask(qtbot, page, "x")
    first = page.controller.chat.key
    page.controller.new_chat()
    assert titles(page) == ["Sampling: Balanced", ALL[0], ALL[1], ALL[6]]  # a chain stands in place of the sampling
    page.controller.open_chat(first)
    assert titles(page) == ALL
    page.shut()
    assert titles(make()) == ALL  # the chat that was open last


@pytest.mark.parametrize("name", ["System prompt", "Begins with", "Tools", "Limits", "Form", "Chain", "Drafts"])
def test_a_cross_takes_one_away_and_undo_brings_it_back(make: Make, qtbot: QtBot, name: str) -> None:
    page = make()
    set_all(page)
    before, said = held(page), titles(page)
    qtbot.mouseClick(chip(page, name).remove_button, Qt.MouseButton.LeftButton)
    left = [title for title in titles(page) if title != "Sampling: Balanced"]  # which holds without a chain
    assert left == [title for title in said if not title.startswith(name)]
    assert sum(one != other for one, other in zip(before, held(page), strict=True)) == 1
    assert page.frame.chips.undo.accessibleName().startswith(f"Undo: restore {name}")
    qtbot.mouseClick(page.frame.chips.undo, Qt.MouseButton.LeftButton)
    assert (titles(page), held(page), page.frame.chips.undo.isVisible()) == (said, before, False)


def test_sampling_and_beams(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.choices.set_sampling(SamplingSettings(1.0, min_p=0.05, max_new_tokens=99))
    assert titles(page) == ["Sampling: Creative", "Limits: 99 tokens"]
    qtbot.mouseClick(chip(page, "Sampling").remove_button, Qt.MouseButton.LeftButton)
    assert page.controller.sampling == SamplingSettings(max_new_tokens=99)
    page.frame.chips.undo.click()
    assert page.controller.sampling == SamplingSettings(1.0, min_p=0.05, max_new_tokens=99)
    page.choices.set_sampling(SamplingSettings())
    page.choices.decoding.choose(DecodingOptions(num_beams=4))
    assert titles(page) == ["Beams: 4"]
    qtbot.mouseClick(chip(page, "Beams").remove_button, Qt.MouseButton.LeftButton)
    assert page.controller.decoding == DecodingOptions() and page.panel.decoding.beams.count.value() == 1


def test_undo_brings_back_what_it_was_when_it_was_removed(make: Make, qtbot: QtBot) -> None:
    """And not what it was when its chip first came."""
    page = make()
    page.choices.decoding.choose(replace(SHAPED, forms=ReplyForms("regex", "a")))
    page.choices.decoding.choose(replace(SHAPED, forms=ReplyForms("regex", "ab")))
    qtbot.mouseClick(chip(page, "Form").remove_button, Qt.MouseButton.LeftButton)
    page.frame.chips.undo.click()
    assert page.controller.decoding.forms == ReplyForms("regex", "ab")


def test_undo_goes_with_the_next_prompt_and_with_the_chat(make: Make, qtbot: QtBot) -> None:
    page = make()
    for leave in (lambda: ask(qtbot, page, "x"), page.controller.new_chat):
        page.panel.opening.prefill.setText("Sure:")
        qtbot.mouseClick(chip(page, "Begins with").remove_button, Qt.MouseButton.LeftButton)
        assert page.frame.chips.undo.isVisible()
        leave()
        assert page.frame.chips.undo.isHidden()


@pytest.mark.parametrize("name", ["System prompt", "Begins with", "Tools", "Limits", "Form", "Chain", "Drafts"])
def test_a_click_opens_the_panel_at_its_place(make: Make, qtbot: QtBot, name: str) -> None:
    page = make()
    set_all(page)
    page.header.side.setChecked(False)
    assert page.side.isHidden()
    one = chip(page, name)
    qtbot.mouseClick(one.name_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not one.setting.place.visibleRegion().isEmpty())
    focus = QApplication.focusWidget()
    assert focus is not None and (focus is one.setting.place or one.setting.place.isAncestorOf(focus))


def test_the_keyboard_reaches_each_chip_and_its_cross(make: Make, qtbot: QtBot) -> None:
    page = make()
    set_all(page)
    row = page.frame.chips
    chip(page, "Limits").name_button.setFocus()
    reached = []
    for _ in range(2 * len(ALL)):
        focus = QApplication.focusWidget()
        assert focus is not None
        reached.append(focus.accessibleName())
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert reached == [name for title in ALL for name in (title, f"Remove {title}")]
    assert page.composer.edit.hasFocus()
    qtbot.keyClick(page.composer.edit, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is row.chips[-1].remove_button
    cross = chip(page, "Form").remove_button
    cross.setFocus()
    qtbot.keyClick(cross, Qt.Key.Key_Space)
    assert page.controller.decoding.forms.kind is None and row.undo.hasFocus()
    qtbot.keyClick(row.undo, Qt.Key.Key_Space)
    assert page.controller.decoding == SHAPED and chip(page, "Form").name_button.hasFocus()


def test_a_long_or_hostile_value_is_cut_and_shown_as_it_is(make: Make) -> None:
    page = make()
    page.panel.opening.prefill.setText("<b>&amp;</b> " * 200)
    one = chip(page, "Begins with")
    assert one.name_button.accessibleName() == "Begins with: <b>&amp;</b> <b>&amp;</b> <b>&a…"
    assert one.name_button.text() == one.name_button.accessibleName().replace("&", "&&")  # which Qt shows as one
    assert "&lt;b&gt;" in one.name_button.toolTip()


def test_many_chips_take_more_lines_and_none_is_cut(make: Make, qtbot: QtBot) -> None:
    page = make()
    set_all(page)
    row = page.frame.chips
    for width in (900, 1400):
        page.resize(width, 700)
        qtbot.waitUntil(lambda: row.height() == row.heightForWidth(row.width()))
        assert all(row.rect().contains(one.geometry()) for one in row.chips)
        assert all(one.name_button.width() >= one.name_button.sizeHint().width() for one in row.chips)


def test_an_adapter_of_the_bundle_is_a_chip(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """With none, too. The request names it, the reply says it, and its cross goes back to the model alone."""
    assert make().panel.adapter.isHidden()
    adapters = {"adapters": ["poems", "laws"]}
    monkeypatch.setattr("tests.app.test_chat_page.summary", lambda folder: summary(folder) | adapters)
    page, sent = make("/b/adapted"), list[dict[str, Any]]()
    generate = page.session.generate
    monkeypatch.setattr(
        page.session, "generate", lambda text, options, **more: sent.append(options) or generate(text, options, **more)
    )
    assert chip(page, "Adapter").setting.title == "Adapter: none" and not titles(page)
    ask(qtbot, page, "Hello")
    page.panel.adapter.choose("laws")
    assert titles(page) == ["Adapter: laws"]
    ask(qtbot, page, "Hello again")
    assert [options.get("adapter") for options in sent] == [None, "laws"]
    last = page.controller.chat.last("assistant")
    assert last is not None and last.reply is not None and last.reply.bundle.endswith("· laws")
    qtbot.mouseClick(chip(page, "Adapter").remove_button, Qt.MouseButton.LeftButton)
    assert not titles(page) and page.controller.adapter == ""
    qtbot.mouseClick(page.frame.chips.undo, Qt.MouseButton.LeftButton)
    assert titles(page) == ["Adapter: laws"] and page.controller.adapter == "laws"
