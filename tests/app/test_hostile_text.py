"""Every page and dialog over a bundle, checkpoint, graph, chat, run and driver whose texts look like HTML and Markdown.

The fake worker puts the hostile text before each free text that it says, and the files hold it; no document of the
window but the view of Markdown may have an image, a heading or a link of it, and nothing opens the picture.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QTextEdit, QVBoxLayout, QWidget, QWizard

from app.builder.step_page import DONE, OPTIMIZE, QUANTIZE, RECIPE, SOURCE
from app.chat.decoding.decoding_options import DecodingOptions, ReplyForms
from app.chat.message_text import MessageText
from app.main import PAGES
from app.measure.divergence.dialog import DivergenceDialog
from app.state.context import AppContext
from app.state.conversation import Conversation, Reply
from app.state.conversation_format import conversation_to_json
from app.widgets.plain_text import plain_tool_tip
from app.window import MainWindow
from tests.app.canary import Canary
from tests.app.composite.example_composites import inspect_report
from tests.app.conftest import fake_summary, make_bundle
from tests.app.parsed import all_widgets, parsed_tip, shown
from tests.app.test_build_wizard import press, start_build, wizard_of
from tests.fakes.hostile import hostile, poisoned
from tests.fakes.inspections import DECODE
from tests.fakes.runs import history
from tests.fakes.worker import program
from tests.workflows.inspection.picture.making import seams
from tests.workflows.inspection.report.test_runs_report import EVIL, evil
from workflows.inspection.report.document import markdown_of
from workflows.measure.history import DATABASE_FILE, RunHistory
from workflows.wire.codec import dumps
from workflows.wire.reports.runs import RunReport
from workflows.wire.requests import Build, Diverge, Eval
from workflows.wire.requests import DivergenceSide as Compared

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", "does not support raise")
MARK = "<h1>X</h1>"
Make = Callable[..., Any]
KEPT = ("path", "layout", "built_at")


@pytest.fixture
def canary(qapp: object, tmp_path: Path) -> Iterator[Canary]:
    made = Canary(tmp_path / "canary.png")
    yield made
    made.close()


class Hostile:
    """A window over hostile texts. `look` sees what it shows now."""

    def __init__(self, qtbot: Any, window: MainWindow, canary: Canary, text: str) -> None:
        self.qtbot, self.window, self.canary, self.text = qtbot, window, canary, text
        self.context = window.context

    def page(self, name: str) -> Any:
        """The page, in front."""
        self.window.show_page(name)
        return self.window.stack.page(name)

    def chat(self, prompt: str) -> None:
        """A prompt on the chat page, to its end."""
        page = self.page("chat")
        self.qtbot.waitUntil(lambda: page.session.state != "opening")
        page.send(prompt)
        self.qtbot.waitUntil(lambda: not page.controller.running)

    def tip(self, text: str) -> None:
        """What a tool tip would show at once holds no image, heading or link."""
        assert parsed_tip(text) == ""

    def look(self, *kinds: str) -> None:
        """Widgets of `kinds` show the text, and none parses it; the picture was not opened."""
        self.window.grab()
        self.qtbot.waitUntil(lambda: set(kinds) <= shown(MARK)[0])
        assert shown(MARK)[1] == set()
        assert self.canary.opened() == 0


@pytest.fixture
def text(canary: Canary) -> str:
    return hostile(canary.path.as_uri())


@pytest.fixture
def make(qtbot: Any, canary: Canary, text: str, home: Path) -> Iterator[Make]:
    contexts: list[AppContext] = []

    def read(folder: str) -> dict[str, Any]:
        found = fake_summary(folder)
        named = {name: text + one for name, one in found.items() if isinstance(one, str) and name not in KEPT}
        return found | named | {"components": [text + one for one in found["components"]]}

    def build(open_bundle: bool = True, **scenario: Any) -> Hostile:
        found = inspect_report(seams())
        inspection = replace(found, components=[*found.components, DECODE], doubts=["It is old."])
        context = AppContext(program=program(**{"hostile": text, "inspection": inspection} | scenario), read=read)
        contexts.append(context)
        window = MainWindow(context, PAGES)
        qtbot.addWidget(window)
        window.resize(1280, 800)
        window.show()
        if open_bundle:
            context.open_bundle(make_bundle(home / "bundles" / "demo"))
        return Hostile(qtbot, window, canary, text)

    yield build
    for context in contexts:
        context.close()
        context.deleteLater()


def test_the_control_sees_what_is_parsed(qtbot: Any, qapp: object, canary: Canary, text: str) -> None:
    """A label, a tool tip, a text and a point of a chart that were told of the text without our helpers."""
    window = QWidget()
    qtbot.addWidget(window)
    box = QVBoxLayout(window)
    for part in (QLabel(text), tipped := QWidget(), edit := QTextEdit(), chart := pg.PlotWidget()):
        box.addWidget(part)
    tipped.setToolTip(text)
    edit.setText(text)
    chart.addItem(pg.ScatterPlotItem([1], [1], data=[text], tip=lambda x, y, data: data))
    window.show()
    window.grab()
    assert shown(MARK)[1] >= {
        "QLabel: an HTML label",
        "QWidget.toolTip: a heading, a link, an image",
        "QTextEdit: a heading, a link, an image",
        "ScatterPlotItem, a point's tool tip: a heading, a link, an image",
    }
    assert canary.opened() > 0


def dialogs(kind: str) -> Any:
    return next(one for one in all_widgets() if one.isWindow() and type(one).__name__ == kind and one.isVisible())


def test_home(qtbot: Any, make: Make, home: Path) -> None:
    """Bundles, one of them damaged, a build that was left, and what is said of both."""
    at = make()
    damaged = make_bundle(home / "bundles" / "<h1>X<", damaged=True)
    at.context.recents.add(str(damaged))
    at.context.open_bundle(damaged)
    at.window.show_page("home")
    at.look("RecentRow", "PillLabel", "QToolButton")


def test_a_build_that_was_left(qtbot: Any, make: Make, home: Path) -> None:
    at = make(open_bundle=False, delay=2)
    at.context.build.start(Build("demo:qwen3", str(home / "bundles" / "x"), {}), 20.0)
    qtbot.waitUntil(lambda: at.context.build.current is not None)
    at.window.close()
    at.look()
    at.window.close_guard.question.buttons()[1].click()


def test_dialogs_of_home(qtbot: Any, make: Make, home: Path, tmp_path: Path) -> None:
    """Import, export, and files put together."""
    at = make(assembly={"lacking": ["an embedding"]})
    at.context.exportRequested.emit(at.context.bundle["path"], at.text)  # type: ignore[index]
    at.look("PlainLabel")
    dialogs("ExportDialog").close()
    at.context.show_note(at.text, at.text, list)
    at.look("NoteLine", "QPushButton")
    at.context.show_error(at.text, at.text)
    at.look("ErrorBanner", "QPlainTextEdit")


def test_build(qtbot: Any, make: Make) -> None:
    """Each step of the wizard, to its end."""
    at = make(open_bundle=False)
    wizard = wizard_of(at.window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    for step in (SOURCE, RECIPE, OPTIMIZE, QUANTIZE):
        assert wizard.currentId() == step
        qtbot.waitUntil(lambda: wizard.button(QWizard.WizardButton.NextButton).isEnabled())
        at.look("PlainLabel")
        press(qtbot, wizard)
    qtbot.waitUntil(lambda: wizard.button(QWizard.WizardButton.CommitButton).isEnabled())
    at.look("PlainLabel", "QCheckBox")
    press(qtbot, wizard, QWizard.WizardButton.CommitButton)
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    at.look("QPlainTextEdit")


def test_a_build_that_fails(qtbot: Any, make: Make) -> None:
    at = make(open_bundle=False, fail_stage="export")
    wizard = wizard_of(at.window)
    start_build(qtbot, wizard)
    qtbot.waitUntil(lambda: at.context.build.state == "failed")
    at.look("QPlainTextEdit", "PlainLabel")


@pytest.mark.parametrize("probe", [{"supported": False, "reason": "It is of no known family."}, {}])
def test_a_checkpoint_with_code(qtbot: Any, make: Make, tmp_path: Path, probe: dict[str, Any]) -> None:
    """Its files are called and read so, too; or it is not supported."""
    name = "<h1>X<b> &lt;i&gt;.py"
    code = tmp_path / "c" / name
    code.parent.mkdir()
    code.write_text(MARK)
    digest = hashlib.sha256(code.read_bytes()).hexdigest()
    found = {"remote_code": {name: digest}, "path": str(code.parent)} | probe
    at = make(open_bundle=False, remote_code={name: digest}, probe=found)
    source: Any = wizard_of(at.window).steps[SOURCE]
    source.cards[1].radio.click()
    source.hub.setText("owner/name")
    qtbot.keyClick(source.hub, Qt.Key.Key_Return)
    if not probe.get("supported", True):
        qtbot.waitUntil(source.card.reason.isVisible)
        at.look("PlainLabel")
        return
    qtbot.waitUntil(lambda: source.card.consent.isVisible())
    source.card.open_code.click()
    at.look("PlainLabel", "QPlainTextEdit")
    source.card.code.close()


def test_what_the_engine_refuses(qtbot: Any, make: Make) -> None:
    errors = {job: {"kind": "request", "message": "No.", "details": "Why."} for job in ("probe", "open", "inspect")}
    at = make(errors=errors)
    for name in ("chat", "inspect"):
        at.window.show_page(name)
        page: Any = at.window.stack.page(name)
        qtbot.waitUntil(lambda page=page: MARK in page.banner.message)
        at.look("PlainLabel", "QPlainTextEdit")


@pytest.mark.parametrize("base", [False, True])
def test_chat(qtbot: Any, make: Make, base: bool) -> None:
    """A prompt, its reply with a notice, tokens under the pointer, the list of chats."""
    at = make(reply="x", notice={"code": "window", "message": "It slid."}, base=base, languages={"demo": ["de", "en"]})
    page: Any = at.page("chat")
    at.chat(f"{at.text} ")
    view = page.transcript.views[1]
    for text in view.findChildren(MessageText):
        if text._map is not None:
            at.tip(text.token_html(0))
    at.look("MessageText", "PlainLabel", "PillLabel", "QListView of ChatList", "QListView of ChatList, a tool tip")
    page.header.compare.click()
    at.look("QComboBox of BundleField")


def test_a_reply_of_markdown(qtbot: Any, make: Make, text: str) -> None:
    """Its headings and links are Markdown's; of its images nothing is loaded."""
    answer = f"# H\n\n{text}\n\n<think>{text}</think>\n```{text}\n{text}\n```\n|a|\n|-|\n|{text}|"
    at = make(reply=answer, drafts=[[4, 3]])
    page: Any = at.page("chat")
    at.chat("x")
    at.look("MessageText")
    assert any(kind == "CodeBlock" for kind in (type(one).__name__ for one in page.transcript.views[1].text.parts))


@pytest.mark.parametrize("kind", ["request", "crash"])
def test_a_reply_that_fails(qtbot: Any, make: Make, kind: str) -> None:
    """As a template's raise_exception has it; its process says so, too."""
    errors = {"generate": {"kind": kind, "message": "The template says no.", "details": "Traceback …"}}
    at = make(errors=errors)
    at.chat("x")
    at.look("PlainLabel")
    status = at.page("chat").transcript.views[1].status
    assert MARK in status.accessibleDescription() and status.text() in ("not sent", "failed")
    assert MARK in at.page("chat").banner.message


def test_a_json_reply_as_a_tree(qtbot: Any, make: Make, text: str) -> None:
    value = dumps({f"{text}key": [text, {"a": text}]})
    at = make(reply=value)
    page: Any = at.page("chat")
    page.controller.decoding = DecodingOptions(forms=ReplyForms("json_schema", "{}"))
    at.chat("x")
    assert page.transcript.views[1].tree is not None
    at.look("_Tree of JsonReplyTree", "_Tree of JsonReplyTree, a tool tip")


def test_chats_and_presets_of_files(qtbot: Any, make: Make, home: Path) -> None:
    """A chat's title, its bundle, its figures and notices; a preset's name."""
    chat = Conversation(system="x")
    at = make()
    chat.name, chat.bundle = at.text, at.text
    chat.ask(at.text)
    reply = chat.begin_reply(1)
    reply.content = at.text
    reply.reply = Reply(
        at.text, tokens=3, error=at.text, notices=[at.text], provider=at.text, bundle=at.text, drafter=at.text
    )
    store = home / "chats"
    store.mkdir(exist_ok=True)
    (store / f"{chat.key}.chat.json").write_text(conversation_to_json(chat))
    page: Any = at.page("chat")
    page.controller.open_chat(chat.key)
    qtbot.waitUntil(lambda: len(page.transcript.views) == 2)
    at.look("MessageText", "PlainLabel")


def test_inspect(qtbot: Any, make: Make) -> None:
    """Every tab; a failed verification."""
    at = make()
    page: Any = at.page("inspect")
    qtbot.waitUntil(lambda: page.inspection is not None)
    page.choose(len(page.components.cards) - 1)
    for name in ("composite", "signature", "operators", "kv", "passes", "details"):
        page.tabs.show_tab(name)
        at.look("PlainLabel", "ComponentCard")
    page.tabs.passes.table.selectRow(0)
    page.tabs.details.verify_button.click()
    qtbot.wait(500)
    at.look("ReadOnlyTable of SignatureTab", "ReadOnlyTable of SignatureTab, a tool tip", "NodeItem.toolTip")


def test_graph(qtbot: Any, make: Make) -> None:
    """A node's details and tensor, changes, stages, time and providers, and what stands under the pointer."""
    at = make(preflight={})
    page: Any = at.page("inspect")
    qtbot.waitUntil(lambda: page.inspection is not None)
    page.tabs.show_tab("graph")
    graph = page.tabs.graph
    graph.show_graph(at.context.bundle["path"], f"{at.text}decode")  # type: ignore[index]
    qtbot.waitUntil(lambda: graph.model.scene is not None)
    for box in graph.model.scene.root.boxes:
        at.tip(plain_tool_tip(graph.view.canvas.describe(box)))
    at.look("GraphCanvas")
    graph.model.select(0)
    at.look("QTextBrowser")
    graph.stages.compare_before()
    qtbot.waitUntil(lambda: graph.model.diff is not None)
    at.look(
        "NodeTree of QStackedWidget, a tool tip", "ReadOnlyTable of QStackedWidget, a tool tip", "QPushButton.toolTip"
    )
    graph.model.compare(None)
    graph.tools.heat.click()
    graph.colors.heat.run.click()
    qtbot.waitUntil(lambda: bool(graph.colors.heat.heat.profiles) and not graph.colors.heat.heat.measurements.running)
    at.look("NodeTable of HeatPanel, a tool tip")
    graph.tools.providers.click()
    panel = graph.colors.providers
    qtbot.waitUntil(lambda: panel.provider.count() == 1)
    panel.check.click()
    qtbot.waitUntil(lambda: panel.overlay.is_coloring)
    at.look("NodeTree of ProviderPanel, a tool tip")


def test_devices(qtbot: Any, make: Make) -> None:
    """Names, reasons, what pip says, what was tried and what was compiled."""
    at = make()
    page: Any = at.page("devices")
    qtbot.waitUntil(lambda: bool(page.cards) and page.cards[-1].isVisible())
    for name in ("check", "compile"):
        getattr(next(card for card in page.cards if card.device.name == "qnn"), name).click()
        qtbot.waitUntil(lambda: not any(card.cancel.isVisible() for card in page.cards))
        at.look("PlainLabel", "DeviceCard", "ReadOnlyTable of BundleTable", "ReadOnlyTable of BundleTable, a tool tip")
    next(card for card in page.cards if card.device.name == "webgpu").act.click()
    qtbot.waitUntil(lambda: page.plugins.question is not None)
    at.look("QLabel")
    page.plugins.question.buttons()[0].click()
    qtbot.waitUntil(lambda: page.plugins.question is None and not at.context.plugins.device)
    at.look("DeviceCard")


def test_accuracy(qtbot: Any, make: Make) -> None:
    at = make()
    page: Any = at.page("measure")
    page.show_accuracy()
    page.accuracy.compare(Eval(at.context.bundle["path"], "demo:qwen3", "", 8))  # type: ignore[index]
    qtbot.waitUntil(lambda: page.accuracy.model.state == "done")
    at.look("PlainLabel", "QTextEdit")


def test_divergence(qtbot: Any, make: Make) -> None:
    at = make()
    dialog = DivergenceDialog(at.context)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.start(Diverge(Compared("/a"), Compared("/b", "", "qnn"), at.text))
    qtbot.waitUntil(lambda: dialog.model.state == "done")
    at.look("PlainLabel")


def test_history(qtbot: Any, make: Make, home: Path, tmp_path: Path) -> None:
    """Rows, filters, curves with their legend, the scatter with its names, one run."""
    history(tmp_path / "plain")
    at = make()
    kept = RunHistory(tmp_path / "plain" / DATABASE_FILE)
    own = []
    for one in kept.runs():
        figures = {name: at.text + value if isinstance(value, str) else value for name, value in one.figures.items()}
        own.append(RunReport(replace(poisoned(one, at.text), figures=figures), kept.steps(one.id)))
    RunHistory(home / DATABASE_FILE).restore(own)
    page: Any = at.page("measure")
    page.tabs.show_tab("history")
    tab = page.history
    qtbot.waitUntil(lambda: tab.model.loaded and bool(tab.table.lines.shown))
    tab.table.selectAll()
    for place, kind in enumerate(
        ("RunComparison of QStackedWidget, a tool tip", "CurveLegend.toolTip", "QGraphicsTextItem")
    ):
        tab.views.setCurrentIndex(place)
        at.look(kind)
    tab.views.show_run(own[0].run)
    at.look("ReadOnlyTable of QSplitter, a tool tip")


def test_a_report_in_markdown(qapp: object) -> None:
    """As Qt's reader of GitHub's Markdown takes it: two headings and a picture of its own, and no link."""
    document = QTextDocument()
    document.setMarkdown(markdown_of(evil(), "report")[0])
    blocks = [document.findBlockByNumber(place) for place in range(document.blockCount())]
    forms = [fragment.fragment().charFormat() for block in blocks for fragment in block]
    assert [block.blockFormat().headingLevel() for block in blocks if block.blockFormat().headingLevel()] == [1, 2]
    assert {form.toImageFormat().name() for form in forms if form.isImageFormat()} == {"report-1.svg"}
    assert not any(form.isAnchor() for form in forms)
    assert document.toPlainText().count(EVIL) >= 5
