"""No text of the window is parsed as HTML or Markdown but in our own view of Markdown.

The syntax trees of app/ are walked for the Qt names that parse text which looks like HTML, or always do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAIN = "app/widgets/plain_text.py"
TYPES = {
    "QLabel": "PlainLabel of app/widgets/plain_text.py",
    "QErrorMessage": "a Banner, which is plain",
    "QInputDialog": "a dialog of our own labels",
    "QMessageBox": "a Banner, which is plain",
    "QProgressDialog": "a dialog of our own labels",
    "QSplashScreen": "a PlainLabel",
    "QStaticText": "QPainter.drawText",
    "QTextBrowser": "QPlainTextEdit",
    "QTextDocument": "QPlainTextEdit",
    "QTextEdit": "QPlainTextEdit",
    "QToolBar": "a row of buttons: Qt takes their tool tips from the texts of actions",
    "QWhatsThis": "set_tool_tip",
    "LabelItem": "pyqtgraph's TextItem with text=",
}
"""What parses what it is given (pyqtgraph's LabelItem always does), and what to use instead."""
METHODS = {
    "setToolTip": "set_tool_tip of app/widgets/plain_text.py",
    "showText": "show_tool_tip of app/widgets/plain_text.py",
    "setTextFormat": "PlainLabel, whose format is fixed",
    "setWhatsThis": "set_tool_tip",
    "setHtml": "setPlainText",
    "insertHtml": "insertText with a format",
    "appendHtml": "appendPlainText",
    "setMarkdown": "setPlainText",
    "insertMarkdown": "insertText",
    "setSubTitle": "a label of the page's own",
    "addRow": "a label() beside the field: QFormLayout makes a QLabel of a text",
    "setOpenExternalLinks": "a button",
    "setDefaultAction": "a button of its own: Qt takes its tool tip from the action's text",
    "setLabel": "a label beside the chart, where the text is not our own: pyqtgraph parses it",
    "addLegend": "app/measure/history/latency_curves.py, where the names are not our own: pyqtgraph parses them",
}
ALLOWED = {
    (PLAIN, "QLabel"), (PLAIN, "setTextFormat"), (PLAIN, "setToolTip"), (PLAIN, "showText"),
    ("app/widgets/markdown.py", "QTextDocument"),  # the document of Markdown, which loads nothing
    ("app/widgets/markdown.py", "setMarkdown"),
    ("app/chat/message_text.py", "QTextEdit"),  # the view of such a document
    ("app/help/documentation.py", "QTextBrowser"),  # a view of such a document, over our own pages
    ("app/widgets/token_diff.py", "QTextEdit"),  # filled by insertText with formats
    ("app/inspect/graph/node_panel.py", "QTextBrowser"),  # the same, with links of our own
    ("app/measure/accuracy/layer_chart.py", "addLegend"),  # our own words, here and in the next five
    ("app/measure/accuracy/layer_chart.py", "setLabel"),
    ("app/measure/divergence/growth_chart.py", "setLabel"),
    ("app/measure/history/latency_curves.py", "setLabel"),
    ("app/measure/history/pareto_chart.py", "setLabel"),
    ("app/measure/charts/plot_rows.py", "setLabel"),
    ("app/measure/history/pareto_chart.py", "tip="),  # pyqtgraph's for a point: a plain_tool_tip
    ("app/widgets/expiring_question.py", "QMessageBox"),  # as plain text
    ("app/widgets/expiring_question.py", "setTextFormat"),
}  # fmt: skip


def parsing(tree: ast.AST) -> Iterator[str]:
    """The names in a module that parse text: types that are made or inherited, and methods."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            yield node.attr
        for made in [node.func] if isinstance(node, ast.Call) else node.bases if isinstance(node, ast.ClassDef) else []:
            name = made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")
            if name in TYPES:
                yield name
        if isinstance(node, ast.keyword) and node.arg in ("html", "tip", "toolTip", "whatsThis"):
            yield f"{node.arg}="


def modules() -> Iterator[tuple[str, ast.AST]]:
    for file in sorted((ROOT / "app").rglob("*.py")):
        yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text("utf-8"))


def test_no_module_uses_what_parses_text_as_html() -> None:
    instead = TYPES | METHODS
    wrong = [
        f"{file} uses {name}: use {instead.get(name, 'a plain text')}"
        for file, tree in modules()
        for name in parsing(tree)
        if (file, name) not in ALLOWED
    ]
    assert wrong == []


def test_what_is_allowed_is_used() -> None:
    assert {(file, name) for file, tree in modules() for name in parsing(tree)} == ALLOWED


def test_tool_tips_of_models_are_plain() -> None:
    """A model gives its tool tips to Qt's views itself."""
    for file, tree in modules():
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if "ToolTipRole" in names:
            calls = {getattr(node.func, "id", "") for node in ast.walk(tree) if isinstance(node, ast.Call)}
            assert "plain_tool_tip" in calls, file


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("QLabel(text)", "QLabel"),
        ("class Name(QtWidgets.QLabel): ...", "QLabel"),
        ("widget.setToolTip(text)", "setToolTip"),
        ("signal.connect(widget.setToolTip)", "setToolTip"),
        ("QToolTip.showText(place, text)", "showText"),
        ("pg.LabelItem(text)", "LabelItem"),
        ("pg.TextItem(html=text)", "html="),
        ("QPushButton(toolTip=text)", "toolTip="),
        ("form.addRow(text, field)", "addRow"),
    ],
)
def test_the_control_sees(source: str, name: str) -> None:
    assert list(parsing(ast.parse(source))) == [name]


def test_the_control_lets_types_be_named() -> None:
    assert list(parsing(ast.parse("def f(x: QLabel): isinstance(x, QLabel); findChildren(QLabel)"))) == []
