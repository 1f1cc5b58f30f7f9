"""What is chosen of decoding on the chat page: sent, kept with the chat and the bundle, refused by a worker."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chat.decoding.chain_ops import ChainRow
from app.chat.decoding.decoding_options import DecodingOptions, ReplyForms
from app.chat.intents import Regenerate, Send
from app.chat.page import ChatPage
from app.state.conversation import Conversation
from app.state.conversation_format import conversation_from_dict, conversation_to_dict
from app.state.recent_bundles import RecentBundle
from app.state.saved_choices import BundleChoices, SavedChoices
from tests.app.chat.decoding.test_parts import pick
from tests.app.test_chat_choices import opened
from tests.app.test_chat_page import Make, ask, make

__all__ = ["make"]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
SCHEMA = ReplyForms("json_schema", '{"type": "object"}')
CHAIN = (ChainRow("top_k", "3"), ChainRow("sample"))
REFUSED = "The draft knows 32,000 tokens and the model 512: choose a draft of the same family."


def asked(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line)["options"] for line in file.read_text().splitlines()]


def change(page: ChatPage, **fields: Any) -> None:
    page.panel.decoding._change(fields)


def typed(qtbot: QtBot, page: ChatPage, folder: str) -> None:
    """A draft is chosen, and the worker has answered."""
    drafts = page.panel.decoding.drafts
    pick(drafts.source, "bundle")
    assert drafts.bundle is not None
    drafts.bundle.choose(folder)
    drafts.commit()
    qtbot.waitUntil(lambda: not page.choices.decoding.draft.requesting)


def test_what_is_chosen_is_sent(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    page = make(asked=str(tmp_path / "asked"))
    change(page, drafts="ngram", draft_tokens=4)
    change(page, forms=SCHEMA)
    page.panel.decoding.chain.add("top_k")
    ask(qtbot, page, "x")
    (options,) = asked(tmp_path / "asked")
    assert options["ngram"] is True and options["draft_tokens"] == 4 and options["json_schema"] == SCHEMA.json_schema
    assert options["chain"] == [{"op": "top_k", "value": 40.0}] and "temperature" not in options


def test_a_chain_of_ones_own_dims_what_it_says_itself(make: Make) -> None:
    page = make()
    spins = {name: page.panel.spin(name) for name in ("temperature", "repetition_penalty", "max_new_tokens", "seed")}
    assert [spin.isEnabled() for spin in spins.values()] == [True, True, True, False]
    page.panel.decoding.chain.add("sample")
    assert [spin.isEnabled() for spin in spins.values()] == [False, False, True, True]
    assert not page.panel.presets.isEnabled()
    page.panel.decoding.show_choice(DecodingOptions())  # of another chat
    assert [spin.isEnabled() for spin in spins.values()] == [True, True, True, False]
    page.panel.decoding.show_choice(DecodingOptions(chain=CHAIN))
    assert [spin.isEnabled() for spin in spins.values()] == [False, False, True, True]
    page.panel.decoding.chain.reset.click()
    assert [spin.isEnabled() for spin in spins.values()] == [True, True, True, False]


def test_nothing_is_sent_while_what_was_typed_cannot_be_used(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """The prompt stays in its box, and goes once it can be."""
    page = make(asked=str(tmp_path / "asked"))
    ask(qtbot, page, "before")
    part = page.panel.decoding
    part.chain.add("top_k")
    part.chain.rows.setData(part.chain.rows.index(0, 0), "many")
    page.composer.edit.setPlainText("a prompt")
    page.composer.submit()
    said = "The chain cannot be used. Top-k: many is not a number."
    assert page.composer.edit.toPlainText() == "a prompt" and page.composer.problem.text() == said
    assert not page.composer.button.isEnabled()
    for intent in (Regenerate(), Send("another")):
        page.do(intent)
        assert page.banner.message == said and not page.controller.running
    assert len(page.controller.chat) == 2
    part.chain.rows.undo()
    assert page.composer.button.isEnabled() and page.composer.problem.isHidden()
    page.composer.submit()
    qtbot.waitUntil(lambda: len(page.controller.chat) == 4 and not page.controller.running)
    assert len(asked(tmp_path / "asked")) == 2


def test_a_worker_shows_what_is_wrong_with_a_form(make: Make, qtbot: QtBot) -> None:
    page = make(wrong_form="(")
    form = page.panel.decoding.form
    pick(form.kind, "regex")
    assert form.editor is not None
    form.editor.text.setPlainText("a(b")
    qtbot.waitUntil(lambda: form.problem_label.text().startswith("The regex cannot be used"))
    assert page.composer.problem.text().startswith("The form of the reply cannot be used. The regex")
    assert form.editor.status.text() == form.problem_label.text()
    assert page.context.activities.failures == {}
    form.editor.text.setPlainText("ab")
    qtbot.waitUntil(lambda: not form.problem_label.text())
    form.editor.close()


def test_a_draft_holds_once_it_is_taken(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    page = make(asked=str(tmp_path / "asked"))
    qtbot.waitUntil(lambda: page.context.ready is not None)
    typed(qtbot, page, "/b/tiny")
    assert page.choices.decoding.draft.current == "/b/tiny"
    assert page.controller.decoding == DecodingOptions(drafts="bundle", draft="/b/tiny")
    ask(qtbot, page, "x")
    assert asked(tmp_path / "asked")[0]["draft_tokens"] == 8
    pick(page.panel.decoding.drafts.source, "none")
    qtbot.waitUntil(lambda: page.choices.decoding.draft.current == "")
    assert page.controller.decoding.drafts == "none"


def test_a_draft_that_is_refused_leaves_all_as_it_was(make: Make, qtbot: QtBot) -> None:
    """What was typed stays at its field, with the worker's sentence."""
    page = make(drafts={"big": REFUSED})
    qtbot.waitUntil(lambda: page.context.ready is not None)
    typed(qtbot, page, "/b/tiny")
    typed(qtbot, page, "/b/big")
    drafts = page.panel.decoding.drafts
    assert drafts.problem.text() == REFUSED
    assert drafts.bundle is not None and drafts.bundle.path == "/b/big"
    assert page.choices.decoding.draft.current == page.controller.decoding.draft == "/b/tiny"
    assert page.session.state == "ready" and not page.banner.isVisible()
    assert page.context.activities.failures == {}
    change(page, num_beams=2)  # it is not asked for again with every other choice
    assert not page.choices.decoding.draft.requesting and drafts.problem.text() == REFUSED
    assert page.controller.decoding == DecodingOptions(drafts="bundle", draft="/b/tiny", num_beams=2)
    drafts.commit()  # a person tries again
    assert page.choices.decoding.draft.requesting
    qtbot.waitUntil(lambda: drafts.problem.text() == REFUSED)


def test_a_bundle_that_speaks_other_tokens_is_dimmed_and_gives_the_reason(make: Make) -> None:
    page = make()
    context, choice = page.context, page.panel.decoding.drafts.bundle
    assert choice is not None and context.bundle is not None
    context.recents.entries = [
        RecentBundle(f"/b/{name}", summary={**context.bundle, "name": name, "vocabulary": tokens})
        for name, tokens in (("same", 512), ("other", 32_000), ("unsaid", None))
    ]
    context.bundle["vocabulary"] = 512
    context.recents.changed.emit()
    rows = {choice.field.itemData(row): choice.field.model().index(row, 0) for row in range(choice.field.count())}
    free = {path for path, index in rows.items() if index.flags() & Qt.ItemFlag.ItemIsEnabled}
    assert free == {"/b/same", "/b/unsaid"}  # of the last nothing is known; the worker will say
    why = "The vocabularies differ in size (32,000 and the model's 512): a draft needs the same tokens."
    assert rows["/b/other"].data(Qt.ItemDataRole.ToolTipRole) == f"/b/other\n{why}"
    context.bundle["vocabulary"] = 32_000  # another bundle is open
    page.choices.decoding.show_bundle(DecodingOptions(), ())
    assert choice.field.model().index(0, 0).flags() & Qt.ItemFlag.ItemIsEnabled == Qt.ItemFlag.NoItemFlags
    assert choice.field.model().index(1, 0).flags() & Qt.ItemFlag.ItemIsEnabled


def test_a_draft_of_another_bundle_is_requested_when_that_is_open(make: Make, qtbot: QtBot) -> None:
    """And not of the bundle that is still open, which would refuse it."""
    page = make("/b/one")
    typed(qtbot, page, "/b/tiny")
    opened(qtbot, page, "/b/two")
    typed(qtbot, page, "/b/small")
    draft, said = page.choices.decoding.draft, list[str]()
    draft.accepted.connect(said.append)
    opened(qtbot, page, "/b/one")
    qtbot.waitUntil(lambda: bool(said))
    assert said == ["/b/tiny"] and draft.current == "/b/tiny"
    assert page.controller.decoding.draft == "/b/tiny"


def test_a_draft_is_requested_again_when_the_bundle_is_opened_anew(make: Make, qtbot: QtBot) -> None:
    page = make()
    qtbot.waitUntil(lambda: page.context.ready is not None)
    typed(qtbot, page, "/b/tiny")
    page.opener.open()
    draft = page.choices.decoding.draft
    qtbot.waitUntil(lambda: page.context.ready is not None and draft.current == "/b/tiny" and not draft.requesting)
    opened(qtbot, page, "/b/other")
    qtbot.waitUntil(lambda: not draft.requesting)
    assert draft.current == "" and page.controller.decoding == DecodingOptions()


def test_each_bundle_has_its_own(make: Make, qtbot: QtBot) -> None:
    """Drafts and beams, also after a restart."""
    page = make("/b/one")
    change(page, num_beams=3)
    opened(qtbot, page, "/b/two")
    assert page.controller.decoding == page.panel.decoding.choice == DecodingOptions()
    opened(qtbot, page, "/b/one")
    assert page.controller.decoding.num_beams == page.panel.decoding.beams.count.value() == 3
    page.shut()
    assert make("/b/one").controller.decoding == DecodingOptions(num_beams=3)


def test_what_shapes_an_answer_goes_with_the_chat(make: Make, qtbot: QtBot) -> None:
    """A new chat begins without it, whatever was chosen for the bundle; an earlier one is as it was left."""
    page = make("/b/one")
    change(page, forms=SCHEMA, chain=CHAIN, num_beams=1)
    page.panel.opening.prefill.setText("Sure:")
    page.panel.opening.tools.setPlainText("[]\n")
    ask(qtbot, page, "x")
    first = page.controller.chat.key
    page.controller.new_chat()
    free = DecodingOptions(
        forms=ReplyForms(json_schema=SCHEMA.json_schema)
    )  # what was written is not lost, and does nothing
    panel = page.panel
    for _ in range(2):
        assert page.controller.decoding == panel.decoding.choice == free
        assert (panel.opening.prefill.text(), panel.opening.tools.toPlainText()) == ("", "")
        opened(qtbot, page, "/b/two")
        opened(qtbot, page, "/b/one")
    ask(qtbot, page, "y")
    page.controller.open_chat(first)
    assert page.controller.decoding == panel.decoding.choice == DecodingOptions(chain=CHAIN, forms=SCHEMA)
    assert (panel.opening.prefill.text(), panel.opening.tools.toPlainText()) == ("Sure:", "[]")
    opened(qtbot, page, "/b/two")  # it is still the same chat
    assert page.controller.decoding == DecodingOptions(chain=CHAIN, forms=SCHEMA)
    page.controller.new_chat()
    page.shut()
    last = make("/b/one")
    assert last.controller.decoding == free
    last.controller.open_chat(first)
    assert last.controller.decoding == DecodingOptions(chain=CHAIN, forms=SCHEMA)
    assert (last.controller.chat.prefill, last.controller.chat.tools) == ("Sure:", "[]")
    reply = last.controller.chat.last("assistant")
    assert reply is not None and reply.reply is not None and reply.reply.form == "json_schema"


def test_a_form_that_was_kept_for_a_bundle_is_not_applied(make: Make, tmp_path: Path) -> None:
    """Files from before the form belonged to the chat."""
    kept = asdict(DecodingOptions(num_beams=2, chain=CHAIN, forms=SCHEMA))
    SavedChoices(tmp_path / "home", pytest.fail).keep("/b/one", BundleChoices({}, None, kept))
    page = make("/b/one")
    assert page.controller.decoding == DecodingOptions(num_beams=2, forms=ReplyForms(json_schema=SCHEMA.json_schema))
    assert not [chip for chip in page.frame.chips.chips if chip.setting.name in ("Form", "Chain")]


def test_files_of_before_still_load(tmp_path: Path) -> None:
    chat = Conversation("Be brief.")
    chat.begin_reply(chat.ask("x").id)
    old = conversation_to_dict(chat)
    for name in ("decoding", "prefill", "tools"):
        del old[name]
    del old["messages"][1]["reply"]["form"]
    found = conversation_from_dict(old)
    reply = found.last("assistant")
    assert found.decoding == {} and reply is not None and reply.reply is not None and reply.reply.form == ""
    entry = {"sampling": {"temperature": 1}, "layout": None}
    (tmp_path / "chat-choices.json").write_text(json.dumps({"bundles": {"/b": entry}, "presets": {}}))
    assert SavedChoices(tmp_path, pytest.fail).of("/b") == BundleChoices({"temperature": 1}, None, {})
