"""Texts of the pages of tasks: saved by page, kept beside those of another window, and lost by no damaged file."""

from __future__ import annotations

from pathlib import Path

from app.state.saved_texts import SavedTexts


def test_each_page_has_its_text_and_a_damaged_file_is_reported(tmp_path: Path) -> None:
    messages: list[str] = []
    texts = SavedTexts(tmp_path, messages.append)
    assert texts.of("labels") == "" and not (tmp_path / "texts.json").exists()
    texts.save({"labels": ""})
    assert not (tmp_path / "texts.json").exists()  # nothing is there to save
    texts.save({"labels": "one\ntwo"})
    SavedTexts(tmp_path, messages.append).save({"vectors": "三"})
    assert (texts.of("labels"), texts.of("vectors")) == ("one\ntwo", "三") and messages == []
    (tmp_path / "texts.json").write_text("[1]", "utf-8")
    assert texts.of("labels") == "" and "was damaged and was reset" in messages[0]
