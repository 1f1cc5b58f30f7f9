"""Drafts, beams and forms in the side panel: what can be chosen when, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.chat.decoding.beam_section import BeamSection
from app.chat.decoding.chain_ops import ChainRow
from app.chat.decoding.decoding_options import DecodingOptions, Form, ReplyForms
from app.chat.decoding.decoding_section import DecodingSection
from app.chat.decoding.draft_section import DraftSection
from app.chat.decoding.form_editor import FormFinding, form_examples
from app.chat.decoding.form_section import FormCheck, FormSection
from app.chat.sampling import SamplingSettings
from app.state.recent_bundles import RecentBundles

WARM = SamplingSettings(temperature=0.7)


def pick(combo: QComboBox, value: object) -> None:
    """As a person does."""
    combo.setCurrentIndex(combo.findData(value))
    combo.activated.emit(combo.currentIndex())


def heard(signal: Any) -> list[Any]:
    found: list[Any] = []
    signal.connect(found.append)
    return found


@pytest.fixture
def part(qtbot: QtBot, tmp_path: Path) -> DecodingSection:
    found = DecodingSection()
    qtbot.addWidget(found)
    found.drafts.offer(RecentBundles(tmp_path, lambda folder: {}), lambda summary: "")
    found.show()
    return found


def test_drafts_of_the_text_so_far(part: DecodingSection) -> None:
    changes, drafts = heard(part.changed), part.drafts
    assert drafts.tokens.isHidden() and drafts.summary.toolTip() == "the bundle's default"
    pick(drafts.source, "ngram")
    drafts.tokens.setValue(1)
    assert changes == [DecodingOptions(drafts="ngram"), DecodingOptions(drafts="ngram", draft_tokens=1)]
    assert drafts.tokens.text() == "1 token" and not drafts.tokens.isHidden()


def test_acceptance_means_something_where_tokens_are_drawn(part: DecodingSection) -> None:
    drafts = part.drafts
    pick(drafts.source, "ngram")
    assert not drafts.acceptance.isEnabled() and "temperature 0" in drafts.note.text()
    part.set_sampling(WARM)
    assert drafts.acceptance.isEnabled() and drafts.note.text().startswith("Exact:")
    pick(drafts.acceptance, "typical")
    assert part.choice.acceptance == "typical" and "changes the distribution" in drafts.note.text()
    part.chain.add("top_k")  # a chain of one's own that does not draw
    part.chain.rows.remove(2)
    assert not drafts.acceptance.isEnabled()


def test_a_bundle_is_taken_when_it_was_typed(part: DecodingSection, qtbot: QtBot) -> None:
    """Not with each letter, and what was typed stays where it is refused."""
    changes, drafts = heard(part.changed), part.drafts
    assert drafts.bundle is not None
    pick(drafts.source, "bundle")
    assert changes == []
    for text in ("/b", "/b/t", "/b/tiny"):
        drafts.bundle.field.setEditText(text)
    qtbot.waitUntil(lambda: bool(changes))
    assert changes == [DecodingOptions(drafts="bundle", draft="/b/tiny")]
    drafts.show_checking()
    assert drafts.note.text() == "Opening the bundle …"
    drafts.refuse("It has other tokens.")
    assert drafts.bundle.path == "/b/tiny" and drafts.problem.text() == "It has other tokens."
    drafts.bundle.field.setEditText("/b/other")
    qtbot.waitUntil(lambda: len(changes) == 2)
    assert not drafts.problem.text()


def test_beams_are_dimmed_beside_drafts_and_give_the_reason(part: DecodingSection) -> None:
    beams, why = part.beams, "Beam search cannot be combined with drafts: turn off Drafts or Beams."
    part.show_choice(DecodingOptions(drafts="ngram"))
    assert not beams.count.isEnabled() and beams.count.toolTip() == beams.note.text() == why
    part.show_choice(DecodingOptions(drafts="ngram", num_beams=3))
    assert beams.count.isEnabled() and not beams.length.isEnabled()  # beams can be taken back
    part.show_choice(DecodingOptions(drafts="off"))
    assert beams.count.isEnabled() and beams.count.toolTip() == "The number of texts that are searched at once."


def test_beams_are_off_while_tokens_are_drawn(part: DecodingSection) -> None:
    beams = part.beams
    assert not beams.length.isEnabled() and beams.summary.toolTip() == "off"
    beams.count.setValue(4)
    beams.length.setValue(-0.5)
    pick(beams.stopping, "never")
    assert part.choice == DecodingOptions(num_beams=4, length_penalty=-0.5, early_stopping="never")
    assert beams.summary.toolTip() == "4"
    part.set_sampling(WARM)
    assert not beams.count.isEnabled() and not beams.length.isEnabled()
    assert beams.note.text().startswith("Beam search does not sample")
    part.set_sampling(SamplingSettings())
    assert beams.count.isEnabled() and beams.count.value() == 4


def test_showing_a_choice_tells_of_none(part: DecodingSection) -> None:
    changes = heard(part.changed)
    forms = ReplyForms("regex", "{}", "a+")
    choice = DecodingOptions(
        "bundle", "/d", 5, "typical", 3, 0.5, "true", (ChainRow("top_k", "4"), ChainRow("sample")), forms
    )
    part.show_choice(choice)
    assert changes == [] and part.choice == choice
    assert part.drafts.bundle is not None and part.drafts.bundle.path == "/d"
    assert (part.drafts.tokens.value(), part.beams.count.value(), part.beams.length.value()) == (5, 3, 0.5)
    assert part.chain.rows.rows == choice.chain and part.form.kind.currentData() == "regex"


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        (None, "{", FormFinding()),
        ("json_schema", "{}", FormFinding(sure=False)),
        ("json_schema", "true", FormFinding(sure=False)),
        ("json_schema", " ", FormFinding("The form is empty: write one, or begin with an example.")),
        ("json_schema", '{"a" 1}', FormFinding("Line 1, column 6: Expecting ':' delimiter.", 5)),
        (
            "json_schema",
            "{\n\n",
            FormFinding("Line 3, column 1: Expecting property name enclosed in double quotes.", 3),
        ),
        ("json_schema", "[" * 100_000, FormFinding("it is nested too deeply")),
        ("json_schema", "[1]", FormFinding("A JSON schema is an object: { … }.")),
        ("regex", "(", FormFinding(sure=False)),  # that is for a worker to say
    ],
)
def test_what_can_be_reported_at_once(qtbot: QtBot, kind: Form | None, text: str, found: FormFinding) -> None:
    check = FormCheck()
    findings = heard(check.checked)
    check.validate(kind, text)
    assert findings == [found]


def test_a_worker_is_asked_once_and_answers_about_what_stands_there(qtbot: QtBot) -> None:
    check, asked = FormCheck(), list[tuple[str, str]]()
    check.checkRequested.connect(lambda kind, text: asked.append((kind, text)))
    for text in ("a", "a(", "a(b"):
        check.validate("regex", text)
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [("regex", "a(b")]
    findings = heard(check.checked)
    check.answer("regex", "a(", "too late")
    check.answer("regex", "a(b", "unclosed group")
    assert findings == [FormFinding("unclosed group")]


@pytest.fixture
def form(qtbot: QtBot) -> FormSection:
    found = FormSection()
    qtbot.addWidget(found)
    found.show()
    return found


def test_a_form_is_written_in_an_editor(form: FormSection) -> None:
    """Which opens where there is nothing yet; each kind keeps its text."""
    changes = heard(form.changed)
    pick(form.kind, "json_schema")
    editor = form.editor
    assert editor is not None and editor.isVisible() and "The form is empty" in form.problem_label.text()
    menu = editor.begin.menu()
    assert [entry.text() for entry in menu.actions()] == ["A person", "A list of items", "One of several values"]
    menu.actions()[0].trigger()
    schema = form_examples("json_schema")[0].text
    assert changes[-1] == ReplyForms("json_schema", schema) and not form.problem
    assert editor.status.text() == "Checking …"
    form.check.answer("json_schema", schema, "")
    assert editor.status.text() == "Valid."
    pick(form.kind, "regex")
    editor.text.setPlainText("yes|no")
    assert changes[-1] == ReplyForms("regex", schema, "yes|no")
    pick(form.kind, "json_schema")
    assert editor.text.toPlainText() == schema
    pick(form.kind, None)
    assert not editor.isVisible() and changes[-1] == ReplyForms(None, schema, "yes|no") and form.edit.isHidden()


def test_the_place_of_a_mistake_is_marked(form: FormSection) -> None:
    pick(form.kind, "json_schema")
    editor = form.editor
    assert editor is not None
    editor.text.setPlainText('{\n "a" 1}')
    (mark,) = editor.text.extraSelections()
    assert mark.cursor.selectedText() == "1" and editor.status.text().startswith("Line 2, column 6:")  # type: ignore[attr-defined]
    editor.text.setPlainText("{")
    assert len(editor.text.extraSelections()) == 1  # at the end
    editor.text.moveCursor(QTextCursor.MoveOperation.End)
    assert editor.place.text() == "line 1, column 2"
    editor.text.setPlainText("{}")
    assert editor.text.extraSelections() == []


def test_a_form_comes_from_a_file_and_goes_to_one(form: FormSection, tmp_path: Path) -> None:
    """What cannot be read or written is said, and the text stays; a file can be undone."""
    pick(form.kind, "grammar")
    editor = form.editor
    assert editor is not None
    editor.write("start: x")
    (tmp_path / "ß.lark").write_text('start: "ü"', "utf-8")
    (tmp_path / "latin.lark").write_bytes(b"\xfc")
    (tmp_path / "long.lark").write_bytes(b"a" * ((1 << 20) + 1))
    for name, why in (("none", "No such file"), ("latin.lark", "it is not UTF-8 text"), ("long.lark", "over 1 MiB")):
        editor.load(tmp_path / name)
        assert why in editor.status.text() and editor.text.toPlainText() == "start: x"
    editor.load(tmp_path / "ß.lark")
    assert form._forms.grammar == 'start: "ü"'
    editor.text.undo()
    assert editor.text.toPlainText() == "start: x"
    editor.save(tmp_path / "saved.lark")
    assert (tmp_path / "saved.lark").read_text() == "start: x"
    editor.save(tmp_path / "saved.lark" / "x")
    assert "cannot be written" in editor.status.text()


def test_widgets_alone_begin_folded(qtbot: QtBot) -> None:
    for part in (DraftSection(), BeamSection()):
        qtbot.addWidget(part)
        assert not part.unfolded
        part.head.click()
        assert part.unfolded
