"""Code that a checkpoint brings along: read file by file before it may run; what is not what was found is not read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.builder import code_view
from app.builder.code_view import CodeDialog

CODE = {"modeling.py": "import torch\n\nclass Model: pass\n", "sub/config.py": "x = '\xfc'\n"}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """name → SHA-256, of files that are there."""
    for name, text in CODE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in CODE.items()}


def dialog_of(qtbot: QtBot, folder: Path, files: dict[str, str]) -> CodeDialog:
    dialog = CodeDialog(folder, files)
    qtbot.addWidget(dialog)
    return dialog


def test_each_file_is_shown_with_its_lines_numbered(qtbot: QtBot, tmp_path: Path, files: dict[str, str]) -> None:
    dialog = dialog_of(qtbot, tmp_path, files)
    assert dialog.code.text.toPlainText() == CODE["modeling.py"] and dialog.code.text.isReadOnly()
    assert dialog.code.numbers.toPlainText().split() == ["1", "2", "3", "4"]
    assert dialog.status.text() == "Not opened yet: sub/config.py" and dialog.seen == {"modeling.py"}
    with qtbot.waitSignal(dialog.read):
        qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.code.text.toPlainText() == CODE["sub/config.py"]
    assert dialog.status.text() == "Every file was opened." and dialog.seen == set(files)


def test_numbers_scroll_with_the_code_and_are_not_reached_by_tab(qtbot: QtBot, tmp_path: Path) -> None:
    text = "\n".join(f"line {n}" for n in range(400))
    (tmp_path / "long.py").write_text(text)
    dialog = dialog_of(qtbot, tmp_path, {"long.py": hashlib.sha256(text.encode()).hexdigest()})
    dialog.show()
    bar, numbers = dialog.code.text.verticalScrollBar(), dialog.code.numbers.verticalScrollBar()
    assert bar.maximum() == numbers.maximum() > 0
    bar.setValue(bar.maximum() // 2)
    assert numbers.value() == bar.value()
    assert dialog.code.numbers.focusPolicy() == Qt.FocusPolicy.NoFocus


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda file: file.write_text("import os"),
            "modeling.py has changed since the source was read: read the source again.",
        ),
        (
            lambda file: file.write_bytes(b""),
            "modeling.py has changed since the source was read: read the source again.",
        ),
        (lambda file: file.unlink(), "modeling.py cannot be read: No such file or directory."),
    ],
)
def test_what_is_not_what_was_found_is_neither_shown_nor_agreed_to(
    qtbot: QtBot, tmp_path: Path, files: dict[str, str], change: object, said: str
) -> None:
    assert callable(change)
    change(tmp_path / "modeling.py")
    dialog = dialog_of(qtbot, tmp_path, files)
    assert dialog.status.text() == said and dialog.code.text.toPlainText() == ""
    with qtbot.assertNotEmitted(dialog.read):
        dialog.list.setCurrentRow(1)
    assert dialog.seen == {"sub/config.py"} and dialog.status.text() == "Not opened yet: modeling.py"


def test_a_file_that_nobody_reads_to_its_end_is_not_agreed_to(
    qtbot: QtBot, tmp_path: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_view, "MAX_FILE_BYTES", len(CODE["modeling.py"]) - 1)
    assert dialog_of(qtbot, tmp_path, files).seen == set()
    monkeypatch.setattr(code_view, "MAX_FILE_BYTES", len(CODE["modeling.py"]))
    assert dialog_of(qtbot, tmp_path, files).seen == {"modeling.py"}
