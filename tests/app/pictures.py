"""Pictures of every page, to be looked at: `python -m tests.app.pictures OUT [PAGE…]`.

Each page in its empty, busy, full and failed state, light and dark, at three sizes, over the fake worker.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QItemSelectionModel, QPoint, Qt, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QDialog, QScrollArea, QWidget

from app.builder.code_view import CodeDialog
from app.builder.step_page import QUANTIZE, RECIPE, REVIEW, RUN
from app.chat.decoding.decoding_options import ReplyForms
from app.chat.decoding.decoding_section import DecodingSection
from app.chat.decoding.form_editor import form_examples
from app.inspect.graph.graph_tab import GraphTab
from app.main import PAGES, application
from app.state.chat_store import ChatStore
from app.state.context import AppContext
from app.state.conversation import Conversation
from app.state.unsaved_recipe import DEMO
from app.widgets.theme import theme
from app.window import MainWindow
from tests.app.composite.example_composites import inspect_report as inspection
from tests.app.composite.example_composites import ten_sessions
from tests.app.conftest import fake_summary, make_bundle
from tests.app.netron_models import chain
from tests.fakes.inspections import BUNDLE
from tests.fakes.runs import history as runs_of
from tests.fakes.server import program as fake_server
from tests.fakes.server import traffic
from tests.fakes.worker import program
from tests.workflows.inspection.picture.making import decoder, encoder_decoder, seams
from workflows.wire.requests import Build

SELECT_ROW = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
SIZES = ((1024, 700), (1280, 800), (1920, 1080))
LONG = (
    "A KV cache keeps the keys and values of every token that was seen, so that each new token costs one step. "
    "With a static layout the slots are allocated once; with a sliding window the oldest ones are dropped. "
)
Prepare = Callable[[MainWindow, Path], None]


def wait(seconds: float) -> None:
    """Let the window live."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


RICH = (
    "<think> The list is short. </think>\n\n## Adding up\n\nA *list* of numbers has a `sum`, which takes one pass:\n\n"
    "```python\ndef total(values):\n    return sum(values)  # " + "and a line that is far too long " * 4 + "\n```\n\n"
    "What it costs:\n\n| items | ms |\n|---|--:|\n| 1,000 | 0.01 |\n| 1,000,000 | 9.4 |\n\n"
    "- it is exact for whole numbers\n- it is not for **floats**: see `math.fsum`\n\nThat is all."
)


REFUSED = (
    "The draft knows 32,000 tokens and the model 512: choose a draft of the same family, which speaks the same tokens."
)
TREE = (
    '{"name": "Ada Lovelace", "born": 1815, "known for": ["the analytical engine", "the first program"], '
    '"parents": {"father": "Lord Byron", "mother": "Annabella Milbanke"}, "a poet": false, "title": null}'
)


def until(done: Callable[[], Any], what: str) -> None:
    """Let the window live until `done`; RuntimeError after ten seconds."""
    end = time.monotonic() + 10
    while not done():
        if time.monotonic() > end:
            raise RuntimeError(f"gave up waiting for {what}")
        wait(0.02)


@contextmanager
def window_over(scenario: dict[str, Any]) -> Iterator[tuple[MainWindow, Path]]:
    """A window over a fake worker, in a home that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        context = AppContext(home, program(**scenario), fake_summary)
        window = MainWindow(context, PAGES)
        window.show()
        try:
            yield window, home
        finally:
            context.close()  # first: a window asks before it ends what runs
            window.close()
            window.deleteLater()
            context.deleteLater()
            wait(0.05)


def page(name: str) -> Prepare:
    """The page as it is."""
    return lambda window, _home: window.show_page(name)


def open_bundle(window: MainWindow, home: Path) -> None:
    """A bundle is current."""
    if not (home / "bundles" / "qwen3-demo").exists():
        make_bundle(home / "bundles" / "qwen3-demo")
    window.context.open_bundle(home / "bundles" / "qwen3-demo")


def home_full(window: MainWindow, home: Path) -> None:
    """Four bundles, one of them damaged."""
    for name, speed in (("llama-3.2-1b", 41.2), ("smollm2-360m", 88.0), ("phi-mini", 0.0)):
        path = make_bundle(home / "bundles" / name, damaged=name == "phi-mini")
        window.context.recents.add(str(path))
        window.context.recents.note_speed(str(path), speed, "cpu")
    open_bundle(window, home)
    window.context.recents.note_speed(str(home / "bundles" / "qwen3-demo"), 212.4, "cpu")
    window.show_page("home")


def home_failed(window: MainWindow, home: Path) -> None:
    """A damaged bundle was asked for, and one was removed."""
    home_full(window, home)
    window.context.open_bundle(home / "bundles" / "phi-mini")
    window.stack.page("home").rows[2].remove.emit(window.stack.page("home").rows[2].entry.path)  # type: ignore[attr-defined]


def probe(source: str) -> Prepare:
    """The wizard looks at a source."""

    def act(window: MainWindow, _home: Path) -> None:
        window.show_page("build")
        window.context.unsaved_recipe.probe(source)
        if "busy" not in source:
            until(lambda: not window.context.unsaved_recipe.probing, "the probe")

    return act


def step(ident: int) -> Prepare:
    """The wizard at a step; RUN begins the build."""

    def act(window: MainWindow, home: Path) -> None:
        probe(DEMO)(window, home)
        wizard = window.stack.page("build").wizard  # type: ignore[attr-defined]
        while wizard.currentId() != ident:
            until(wizard.currentPage().isComplete, "a page of the wizard")
            wizard.next()
        until(lambda: ident == RUN or wizard.currentPage().isComplete(), "the plan")

    return act


def for_qnn(window: MainWindow, home: Path) -> None:
    """A target that has its reasons."""
    step(RECIPE)(window, home)
    window.context.unsaved_recipe.set_option("target", "qnn")
    until(lambda: not window.context.unsaved_recipe.planning, "the plan")
    page = window.stack.page("build").wizard.currentPage()  # type: ignore[attr-defined]
    page.findChild(QScrollArea).ensureWidgetVisible(page.target_note)


def calibrated(window: MainWindow, home: Path) -> None:
    """A precision that asks for calibration."""
    step(QUANTIZE)(window, home)
    window.stack.page("build").wizard.steps[QUANTIZE].table.choose("w8a16")  # type: ignore[attr-defined]


def in_blocks(window: MainWindow, home: Path) -> None:
    """A precision with blocks."""
    step(QUANTIZE)(window, home)
    window.stack.page("build").wizard.steps[QUANTIZE].table.choose("int4")  # type: ignore[attr-defined]


def to_goal(ident: int) -> Prepare:
    """The wizard at a step with a goal chosen; RUN is followed to the end of the build."""

    def act(window: MainWindow, home: Path) -> None:
        step(QUANTIZE)(window, home)
        wizard = window.stack.page("build").wizard  # type: ignore[attr-defined]
        card = wizard.steps[QUANTIZE].goal
        wizard.steps[QUANTIZE].table.choose("goal")
        until(lambda: not window.context.unsaved_recipe.planning, "the plan")
        while wizard.currentId() < min(ident, RUN):
            until(wizard.currentPage().isComplete, "a page of the wizard")
            wizard.next()
        until(lambda: ident != RUN or window.context.build.state == "done", "the build")
        wizard.currentPage().findChild(QScrollArea).ensureWidgetVisible(card)

    return act


def changed_recipe(window: MainWindow, home: Path) -> None:
    """The review of a recipe with choices."""
    step(REVIEW)(window, home)
    window.context.unsaved_recipe.set_options({"capacity": 2048, "precision": "int4", "passes": {"deduplicate": False}})
    until(lambda: not window.context.unsaved_recipe.planning, "the plan")


def edited(window: MainWindow, home: Path) -> None:
    """The recipe was changed to one that cannot be."""
    step(REVIEW)(window, home)
    review = window.stack.page("build").wizard.currentPage()  # type: ignore[attr-defined]
    text = review.recipe.text.toPlainText()
    review.recipe.text.setPlainText(text.replace('"capacity": 4096', '"capacity": 3'))
    until(lambda: review.recipe.problem, "the engine's word")


def code_read(window: MainWindow, home: Path) -> None:
    """The checkpoint's code is open."""
    code = "import torch\n\n\nclass Odd(torch.nn.Module):\n    pass\n"
    (home / "modeling_odd.py").write_text(code)
    files = {"modeling_odd.py": hashlib.sha256(code.encode()).hexdigest(), "tokenization_odd.py": "ab" * 32}
    dialog = CodeDialog(home, files, window)
    dialog.open()
    dialog.setWindowFlags(Qt.WindowType.Widget)
    dialog.setGeometry(60, 40, 900, 600)
    dialog.show()


def unfinished(window: MainWindow, home: Path) -> None:
    """A build that was kept for later, another failed that is in the status line, and a reply under way."""
    home_full(window, home)
    out = home / "bundles" / "llama-3.2-1b-int4-window4096"
    (out.with_name(f".{out.name}.build") / f"export-{'0' * 16}").mkdir(parents=True)
    window.context.build.start(Build("owner/llama-3.2-1b", str(out)))
    until(lambda: window.context.build.state == "failed", "its end")
    window.context.session.open(str(home / "bundles" / "qwen3-demo"))
    until(lambda: window.context.session.state == "ready", "the bundle")
    window.context.session.generate("What is a KV cache?")
    wait(1.5)


def leaving(window: MainWindow, home: Path) -> None:
    """The window is closed while a build runs, and files are dragged over it."""
    building(window, home)
    window.close()
    question = window.close_guard.question
    assert question is not None
    question.setWindowFlags(Qt.WindowType.Widget)
    question.setAutoFillBackground(True)
    question.setGeometry(200, 200, 480, 160)
    question.show()


def dragged(window: MainWindow, home: Path) -> None:
    """A file is dragged over Home."""
    home_full(window, home)
    window.drop_frame.show_for(1)


def ended(window: MainWindow, home: Path) -> None:
    """The build ran to its end, good or bad."""
    step(RUN)(window, home)
    until(lambda: not window.context.build.running, "the build")


def building(window: MainWindow, home: Path) -> None:
    """The build is at work."""
    step(RUN)(window, home)
    until(lambda: window.context.build.active == "decode", "the second component")


def chat_page(window: MainWindow, home: Path) -> None:
    """An empty chat with an open bundle."""
    open_bundle(window, home)
    window.show_page("chat")
    until(lambda: window.context.session.state == "ready", "the bundle")


def chat(text: str, finished: bool = True, prefill: str = "") -> Prepare:
    """A conversation; with a prefill also with a tool."""

    def act(window: MainWindow, home: Path) -> None:
        chat_page(window, home)
        opening = window.stack.page("chat").panel.opening  # type: ignore[attr-defined]
        opening.prefill.setText(prefill)
        opening.tools.setPlainText('[{"name": "get_weather"}]' if prefill else "")
        session, tokens = window.context.session, list[object]()
        session.token.connect(tokens.append)
        window.stack.page("chat").send(text)  # type: ignore[attr-defined]
        until(lambda: len(tokens) > 5 or session.state == "failed", "tokens")
        until(lambda: not finished or not session.busy, "the reply")

    return act


def on_qnn(window: MainWindow, home: Path) -> None:
    """A reply came from the CPU, and QNN is chosen."""
    chat("What is a KV cache?")(window, home)
    page = window.stack.page("chat")
    until(lambda: page.panel.provider.count() == 4, "the devices")  # type: ignore[attr-defined]
    page.panel.provider.setCurrentIndex(1)  # type: ignore[attr-defined]
    page.panel.provider.activated.emit(1)  # type: ignore[attr-defined]


def rich_chat(window: MainWindow, home: Path) -> None:
    """Thinking, code, a table; the panel is hidden."""
    chat("How do I add up a list?")(window, home)
    page = window.stack.page("chat")
    page.header.side.setChecked(True)  # type: ignore[attr-defined]


def decoding(*choose: Callable[[DecodingSection], object], asked: str = "") -> Prepare:
    """The part about decoding, with what was chosen there; asked: a prompt that was answered so."""

    def act(window: MainWindow, home: Path) -> None:
        for name in ("qwen3-tiny", "qwen3-demo"):
            window.context.open_bundle(make_bundle(home / "bundles" / name))
        chat_page(window, home)
        page = window.stack.page("chat")
        part: DecodingSection = page.panel.decoding  # type: ignore[attr-defined]
        for one in choose:
            one(part)
        wait(1.2)
        if asked:
            page.send(asked)  # type: ignore[attr-defined]
            until(lambda: len(page.transcript.views) > 1 and not page.controller.running, "it")  # type: ignore[attr-defined]
        page.header.side.setChecked(True)  # type: ignore[attr-defined]
        page.panel.tabs.setCurrentIndex(2)  # type: ignore[attr-defined]
        wait(0.1)
        area = page.panel.tabs.currentWidget()  # type: ignore[attr-defined]
        area.verticalScrollBar().setValue(part.y() - 8)

    return act


def drafts_refused(part: DecodingSection) -> None:
    """Another bundle was chosen, which cannot draft; beams are unfolded too."""
    part.drafts.unfold(True)
    part.drafts.source.setCurrentIndex(2)
    part.drafts.source.activated.emit(2)
    assert part.drafts.bundle is not None
    part.drafts.bundle.choose(part.drafts.bundle.field.itemData(1))
    part.beams.unfold(True)


def own_chain(part: DecodingSection) -> None:
    """A chain of one's own, one value of which cannot be."""
    part.chain.unfold(True)
    for op in ("no_repeat_ngram", "temperature", "top_p", "logit_bias", "sample"):
        part.chain.add(op)
    part.chain.rows.setData(part.chain.rows.index(2, 0), "1.5")
    part.chain.list.choose(1)


def schema(wrong: bool = False) -> Callable[[DecodingSection], None]:
    """A JSON schema, in its editor where it is wrong."""

    def act(part: DecodingSection) -> None:
        part.form.unfold(True)
        text = form_examples("json_schema")[0].text
        part.form.kind.setCurrentIndex(1)
        if wrong:
            part.form.kind.activated.emit(1)
            editor = part.form.editor
            assert editor is not None
            editor.write(text.replace('"type": "integer",', '"type" "integer",'))
            editor.setParent(part.window(), Qt.WindowType.Widget)
            editor.setAutoFillBackground(True)
            editor.setGeometry(150, 90, 560, 500)
            editor.show()
        else:
            part.form.changed.emit(ReplyForms("json_schema", text))
            part.form.show_forms(ReplyForms("json_schema", text))

    return act


def chat_moved(window: MainWindow, home: Path) -> None:
    """The conversation goes on there, with a component elsewhere."""
    on_qnn(window, home)
    until(lambda: window.context.session.state == "ready", "QNN")
    part = window.stack.page("chat").panel.placement  # type: ignore[attr-defined]
    part.more.click()
    part.boxes["prefill"].setCurrentIndex(1)
    part.boxes["prefill"].activated.emit(1)
    until(lambda: window.context.session.state == "ready", "the placement")
    window.stack.page("chat").header.side.setChecked(True)  # type: ignore[attr-defined]
    window.stack.page("chat").panel.tabs.setCurrentIndex(2)  # type: ignore[attr-defined]


def chat_opening(window: MainWindow, home: Path) -> None:
    """It takes long, or fails."""
    on_qnn(window, home)
    wait(1.4)


def chat_elsewhere(window: MainWindow, home: Path) -> None:
    """The last chat is open in another window."""
    other, talk = ChatStore(home / "chats"), Conversation()
    other.begin()
    talk.begin_reply(talk.ask("What is a KV cache?").id)
    other.commit(talk)
    window.destroyed.connect(lambda: other)  # it lives, and has the chat, as long as the window
    open_bundle(window, home)
    window.show_page("chat")


def measured(finished: bool) -> Prepare:
    """The charts after, or during, a reply."""

    def act(window: MainWindow, home: Path) -> None:
        chat("What is a KV cache?", finished)(window, home)
        window.show_page("measure")

    return act


def measured_two(span: str, log: bool = False, zoom: bool = False) -> Prepare:
    """Replies of two bundles, one on two providers."""

    def act(window: MainWindow, home: Path) -> None:
        measured(finished=True)(window, home)
        page, context = window.stack.page("measure").speed, window.context  # type: ignore[attr-defined]
        make_bundle(home / "bundles" / "qwen3-demo-int4")
        for name, provider in (("qwen3-demo-int4", "cpu"), ("qwen3-demo-int4", "qnn"), ("qwen3-demo", "cpu")):
            context.open_bundle(home / "bundles" / name)
            context.session.open(str(home / "bundles" / name), provider)
            until(lambda: context.session.state == "ready", "the bundle")
            context.session.generate("What is a KV cache?")
            until(lambda: not context.session.busy, "the reply")
        page.toolbar.log.setChecked(log)
        page.toolbar.choose(span)
        until(lambda: page.plots is not None and page.plots.data is not None, "the plots")
        if zoom:
            from app.measure.charts.speed_plots import step_at  # imports numpy and pyqtgraph

            page.plots.zoom_to(0.55, 1.2)
            page.plots.hover(step_at(page.plots.snapshot, 0.8))
        wait(0.2)
        page.exporter.export(home.parent / f"joinery-{span}.svg")
        page.exporter.export(home.parent / f"joinery-{span}.png")
        page.banner.clear()

    return act


def duel(text: str = "", done: bool = True, bundles: bool = True) -> Prepare:
    """Two bundles side by side, before, while or after they answer."""

    def act(window: MainWindow, home: Path) -> None:
        if bundles:
            make_bundle(home / "bundles" / "qwen3-int4")
            window.context.recents.add(str(home / "bundles" / "qwen3-int4"))
            open_bundle(window, home)
        window.show_page("chat")
        page = window.stack.page("chat")
        page.show_compare()  # type: ignore[attr-defined]
        view = page.views.compare  # type: ignore[attr-defined]
        if text:
            view.send(text)
            until(lambda: not view.comparison.running or len(view.comparison.lanes[0].tokens) > 12, "tokens")
            until(lambda: not done or not view.comparison.running, "both answers")

    return act


def benchmark(done: bool) -> Prepare:
    """The dialog over the page, before it runs or with its figures."""

    def act(window: MainWindow, home: Path) -> None:
        home_full(window, home)
        window.show_page("measure")
        dialog = window.stack.page("measure").run_benchmark()  # type: ignore[attr-defined]
        if done:
            dialog.form.start()
            until(lambda: dialog.model.state == "done", "the benchmark")

    return act


def asked_tasks(done: bool) -> Prepare:
    """The dialog of lm-eval's tasks over the accuracy, before it runs or with its scores."""

    def act(window: MainWindow, home: Path) -> None:
        home_full(window, home)
        page = window.stack.page("measure")
        page.show_accuracy()  # type: ignore[attr-defined]
        dialog = page.accuracy.score_tasks()  # type: ignore[attr-defined]
        dialog.form.tasks.setText("hellaswag, arc_easy")
        if done:
            dialog.form.start()
            until(lambda: dialog.model.state in ("done", "failed"), "the scores")

    return act


def page_of_history(window: MainWindow, _home: Path) -> None:
    """The runs that were kept, of which there may be none."""
    window.show_page("measure")
    page = window.stack.page("measure")
    page.tabs.setCurrentWidget(page.history)  # type: ignore[attr-defined]
    until(lambda: window.context.history.loaded, "the history")


def history_at(view: int, chosen: int) -> Prepare:
    """One of its views, with so many generations, or measurements, selected."""

    def act(window: MainWindow, home: Path) -> None:
        runs = runs_of(home, 40)
        page_of_history(window, home)
        tab = window.stack.page("measure").history  # type: ignore[attr-defined]
        kind = "generate" if view in (1, 3) else "bench"
        tab.table.select({run.id for run in [one for one in runs if one.kind == kind][:chosen]})
        tab.views.setCurrentIndex(view)
        if view == 3:
            tab.views.show_run(tab.table.selected[0])
        wait(0.4)

    return act


def history_groups(window: MainWindow, home: Path) -> None:
    """The rows of bundles, two of them selected, and the runs of one expanded."""
    runs_of(home, 40)
    page_of_history(window, home)
    tab = window.stack.page("measure").history  # type: ignore[attr-defined]
    tab.table.selectRow(1)
    tab.table.lines.expand(tab.table.lines.shown[3], True)
    tab.table.selectionModel().select(tab.table.lines.index(0, 0), SELECT_ROW)
    wait(0.4)


def compared_bundles(done: bool = True) -> Prepare:
    """The comparison of two bundles, under way or ended."""

    def act(window: MainWindow, home: Path) -> None:
        home_full(window, home)
        window.context.accuracyRequested.emit(str(home / "bundles" / "qwen3-demo"), "demo:qwen3", [])
        tab = window.stack.page("measure").accuracy  # type: ignore[attr-defined]
        tab.form.suggest.setChecked(True)
        tab.form.start()
        until(lambda: tab.model.done > 3 or not tab.model.running, "the comparison")
        until(lambda: not done or not tab.model.running, "its end")

    return act


def accuracy_empty(window: MainWindow, home: Path) -> None:
    """A bundle is open, and nothing was compared."""
    home_full(window, home)
    window.context.accuracyRequested.emit("", "", [])


def inspected(window: MainWindow, home: Path) -> None:
    """A bundle's graphs."""
    open_bundle(window, home)
    window.show_page("inspect")
    wait(0.6)


def graph(*steps: Callable[[GraphTab], object], done: Callable[[GraphTab], Any] | None = None) -> Prepare:
    """The graph tab after some steps; `done` says when there is something to see."""

    def act(window: MainWindow, home: Path) -> None:
        open_bundle(window, home)
        window.show_page("inspect")
        page = window.stack.page("inspect")
        until(lambda: page.inspection is not None, "the inspection")  # type: ignore[attr-defined]
        page.tabs.show_tab("graph")  # type: ignore[attr-defined]
        tab: GraphTab = page.tabs.graph  # type: ignore[attr-defined]
        for step in steps:
            until(lambda: tab.model.scene is not None and not tab.model.busy, "the graph")
            step(tab)
        ready = done or (lambda tab: not tab.model.busy)
        until(lambda: ready(tab), "what the graph tab shows")

    return act


def composite(window: MainWindow, home: Path) -> None:
    """A bundle's composite, with a box chosen."""
    open_bundle(window, home)
    window.show_page("inspect")
    page = window.stack.page("inspect")
    until(lambda: page.inspection is not None, "the inspection")  # type: ignore[attr-defined]
    view = page.tabs.composite.view  # type: ignore[attr-defined]
    view.setFocus()
    view.choose(next((item for item in view.nodes if item.node.kind == "session"), None))


def composite_lit(window: MainWindow, home: Path) -> None:
    """The same while a chat is at it."""
    composite(window, home)
    session, tokens = window.context.session, list[object]()
    session.token.connect(tokens.append)
    session.open(str(home / "bundles" / "qwen3-demo"))
    session.generate("What is a KV cache?")
    until(lambda: len(tokens) > 5, "tokens")


def composite_saved(window: MainWindow, home: Path) -> None:
    """The picture was saved."""
    composite(window, home)
    window.stack.page("inspect").tabs.composite.save(home / "picture.svg")  # type: ignore[attr-defined]


def by_time() -> Prepare:
    """The graph coloured by time, measured, with the slowest node chosen."""

    def act(window: MainWindow, home: Path) -> None:
        graph()(window, home)
        tab: GraphTab = window.stack.page("inspect").tabs.graph  # type: ignore[attr-defined]
        tab.tools.heat.click()
        assert tab.colors is not None
        panel = tab.colors.heat
        assert panel is not None
        panel.run.click()
        until(lambda: panel.heat.profiles and not panel.heat.measurements.running, "the profile")
        tab.view.toggle("model/layers.0–5")
        until(lambda: not tab.model.busy, "the layers")
        panel.table.picked.emit(3)

    return act


def by_bytes(tab: GraphTab) -> None:
    """Coloured by bytes, as far as the graph says them."""
    assert tab.colors is not None
    tab.tools.heat.click()
    tab.colors.heat.measure.setCurrentIndex(1)
    tab.colors.heat.measure.activated.emit(1)


def by_provider(check: bool = True) -> Prepare:
    """The graph coloured by QNN, which was tried or not, with a node that it left."""

    def act(window: MainWindow, home: Path) -> None:
        graph(lambda tab: tab.view.toggle("model/layers.0/self_attn"))(window, home)
        context = window.context
        if check:
            context.preflights.check(context.bundle or {}, "qnn")
            until(lambda: context.preflights.running is None, "the preflight")
        tab: GraphTab = window.stack.page("inspect").tabs.graph  # type: ignore[attr-defined]
        tab.tools.providers.click()
        assert tab.colors is not None
        panel = tab.colors.providers
        assert panel is not None
        until(lambda: panel.provider.count(), "the devices")
        if check:
            panel.revealRequested.emit(next(reversed(panel.overlay.fallback_nodes)))

    return act


def on_node(op: str, scope: str, values: bool = False) -> Callable[[GraphTab], object]:
    """Goes to a node, and asks for the values of its last input."""

    def act(tab: GraphTab) -> None:
        nodes = tab.model.graph.nodes if tab.model.graph else []
        node = next(n for n in nodes if n.op == op and n.scope == scope)
        tab.view.reveal(node.index)
        if values:
            tab.panel.request_values(node.inputs[-1])

    return act


def search(words: str) -> Callable[[GraphTab], object]:
    """Looks for something."""

    def act(tab: GraphTab) -> None:
        tab.node_search.field.setText(words)
        tab.node_search.search()

    return act


def compared(tab: GraphTab) -> None:
    """Compares with the stage before, and goes to a change."""
    tab.stages.slider.setValue(1)
    until(lambda: not tab.model.busy, "the stage")
    tab.stages.compare_before()
    until(lambda: tab.model.diff is not None, "the difference")
    on_node("ReduceMean", "model/layers.1/input_layernorm")(tab)


def fitted(tab: GraphTab) -> None:
    """The whole graph is shown."""
    tab.view.canvas.fit()


def in_netron(tab: GraphTab) -> None:
    """Netron is in the place of the picture."""
    tab.netron.show("model/layers.1/mlp")
    until(lambda: tab.netron.panel.views, "Netron")
    wait(3)


def checked(window: MainWindow, home: Path) -> None:
    """A bundle was tried on the CPU and on a provider, another one on that provider alone."""
    context = window.context
    make_bundle(home / "bundles" / "qwen3-w8a16")
    for name, providers in (("qwen3-w8a16", ("qnn",)), ("qwen3-demo", ("cpu", "qnn"))):
        open_bundle(window, home)
        context.open_bundle(home / "bundles" / name)
        for provider in providers:
            context.preflights.check(context.bundle or {}, provider)
            until(lambda: context.preflights.running is None, "the preflight")
    window.show_page("devices")


def served(tab: str = "setup", **scenario: Any) -> Prepare:
    """The server was started over a fake process, and a tab is shown; without a scenario it is stopped."""

    def act(window: MainWindow, home: Path) -> None:
        open_bundle(window, home)
        window.show_page("server")
        page = window.stack.page("server")
        page.setup.bundles.add(str(make_bundle(home / "bundles" / "minilm-l6-v2")))  # type: ignore[attr-defined]
        if scenario:
            window.context.server.program = fake_server(**scenario)
            page.start()  # type: ignore[attr-defined]
            until(lambda: scenario.get("silent") or window.context.server.state != "starting", "the server")
            wait(len(scenario.get("statuses", [])) * 0.5)
        page.tabs.show_tab(tab)  # type: ignore[attr-defined]

    return act


def serving_others(window: MainWindow, home: Path) -> None:
    """Setup for other machines: a token was made, and everything is unfolded."""
    served()(window, home)
    setup = window.stack.page("server").setup  # type: ignore[attr-defined]
    window.context.server.change(host="0.0.0.0", certificate="/etc/ssl/server.pem", key="/etc/ssl/server.key")
    setup.address.token.make.click()
    setup.address.token.field.setText("vN3q0f7Xb2kPz9LrT4mYw8Hs")
    setup.tls.unfold(True)
    setup.limits.unfold(True)


def stopping_server(window: MainWindow, home: Path) -> None:
    """The server waits for requests that run."""
    served("requests", statuses=traffic(8), every=0.5, linger=60)(window, home)
    window.context.server.stop()
    wait(0.2)


def on_card(name: str, press: str, agreed: bool = True) -> Prepare:
    """A button of a device's card was pressed."""

    def act(window: MainWindow, home: Path) -> None:
        open_bundle(window, home)
        window.show_page("devices")
        page = window.stack.page("devices")
        until(lambda: page.cards, "the devices")  # type: ignore[attr-defined]
        card = next(one for one in page.cards if one.device.name == name)  # type: ignore[attr-defined]
        getattr(card, press).click()
        if press == "act" and agreed:
            until(lambda: page.plugins.question, "the question")  # type: ignore[attr-defined]
            question = page.plugins.question  # type: ignore[attr-defined]
            next(one for one in question.buttons() if one.text() == "Install").click()
        wait(0.8)

    return act


def palette(window: MainWindow, home: Path) -> None:
    """Ctrl+K over the home page."""
    home_full(window, home)
    window.palette_box.open()


def sweep(window: MainWindow, home: Path) -> Any:
    """The tab of sweeps, without one."""
    open_bundle(window, home)
    window.context.recents.add(str(home / "bundles" / "qwen3-demo"), DEMO)
    window.show_page("measure")
    page: Any = window.stack.page("measure")
    page.show_sweep()
    return page.tabs.currentWidget()


def sweep_plan(window: MainWindow, home: Path) -> None:
    """The dialog that makes a plan, for a bundle of the demo."""
    dialog = sweep(window, home).make_plan()
    until(lambda: "·" in dialog.estimate.text(), "the estimate")


def settings_reset(window: MainWindow, _home: Path) -> None:
    """The settings were taken back."""
    window.show_page("settings")
    window.stack.page("settings").reset()  # type: ignore[attr-defined]


def settings_damaged(window: MainWindow, home: Path) -> None:
    """A damaged file was imported."""
    window.show_page("settings")
    (home / "settings.json").write_text('{"joinery_settings": 1, "settings": {"theme": "pink"}}')
    window.stack.page("settings").files.import_from(home / "settings.json")  # type: ignore[attr-defined]


def welcomed(window: MainWindow, _home: Path) -> None:
    """The first start, with what the machine can do."""
    window.show_page("home")
    window.context.describe_machine()
    until(lambda: not window.context.capabilities.running, "the machine")


def toured(index: int) -> Prepare:
    """The guided tour at a step, with an open bundle."""

    def act(window: MainWindow, home: Path) -> None:
        open_bundle(window, home)
        window.tour.start()
        for _ in range(index):
            window.tour.next()
        until(lambda: window.context.activities.idle, "the page")
        wait(0.5)

    return act


def helped(sheet: str) -> Prepare:
    """The help over the chat page."""

    def act(window: MainWindow, _home: Path) -> None:
        window.show_page("chat")
        window.help.show_sheet(sheet)

    return act


def front(window: MainWindow) -> QWidget:
    """The dialog that is open, else the window."""
    if window.tour.running:
        return window
    return next((one for one in window.findChildren(QDialog) if one.isVisible()), window)


def fails(job: str, message: str, kind: str = "bundle") -> dict[str, Any]:
    """A scenario in which `job` fails."""
    return {"errors": {job: {"kind": kind, "message": message, "details": "Traceback (most recent call last): …"}}}


BEGUN = {"probe": {"recommended": {"cpu": "int4", "qnn": "w8a16"}}}
REPLY = {"reply": LONG, "tokens": 160, "chunks": 3, "inspection": BUNDLE}
REPLY_SLOWLY = {"reply": LONG, "tokens": 4000, "delay": 0.02}
MODEL = str(Path(tempfile.gettempdir()) / "joinery-pictures.onnx")
"""Written by `main`: the fake worker's answer is the path of a file."""
GRAPH = {"inspection": BUNDLE, "layers": 6}
COMPOSITES = {
    "decoder": decoder(64, 64, 64, 64),
    "seams": seams("embeddings", "prefill", "decode", "head"),
    "encoder-decoder": encoder_decoder("encoder", "decoder"),
    "unlike": decoder(64, 128, 64, 96),
    "ten": ten_sessions(),
}
DRAWN = {name: {"inspection": inspection(one)} for name, one in COMPOSITES.items()}
DRAFTS = {"drafts": [[0, 1], [8, 3], [4, 5], [2, 1], [3, 4]]}
ATTENTION = "model/layers.1/self_attn"
DUEL = {"replies": {"qwen3-demo": LONG + LONG, "qwen3-int4": LONG + LONG.replace("dropped", "forgotten")}}
STATES: dict[str, tuple[dict[str, Any], Prepare]] = {
    "home-empty": ({}, page("home")),
    "home-full": ({}, home_full),
    "home-failed": ({}, home_failed),
    "home-unfinished": ({**REPLY, "delay": 0.05, "tokens": 9000, **fails("build", "It broke.", "crashed")}, unfinished),
    "home-dragged": ({}, dragged),
    "build-blocks": ({}, in_blocks),
    "build-edited": ({}, edited),
    "build-code-open": ({}, code_read),
    "build-leaving": ({"delay": 0.3}, leaving),
    "home-palette": ({}, palette),
    "build-empty": ({}, page("build")),
    "build-busy": ({"delay": 3}, probe("busy/model")),
    "build-source": ({}, probe(DEMO)),
    "build-code": ({"remote_code": {"modeling_x.py": "ab12" * 16, "configuration_x.py": "cd34" * 16}}, probe("a/b")),
    "build-failed": (fails("probe", "a/b is not on the hub: check the name.", "hub"), probe("a/b")),
    "build-recipe": (BEGUN, step(RECIPE)),
    "build-target": ({}, for_qnn),
    "build-optimize": ({}, step(RECIPE + 1)),
    "build-quantize": (BEGUN, step(QUANTIZE)),
    "build-calibrate": ({}, calibrated),
    "build-review": (BEGUN, step(REVIEW)),
    "build-review-changed": ({}, changed_recipe),
    "build-goal": ({}, to_goal(QUANTIZE)),
    "build-goal-review": ({}, to_goal(REVIEW)),
    "build-goal-done": ({}, to_goal(RUN)),
    "build-running": ({"endless_stage": "optimize", "delay": 0.05}, building),
    "build-stage-failed": ({"fail_stage": "optimize"}, ended),
    "build-done": ({}, ended),
    "inspect-empty": ({}, page("inspect")),
    "inspect-busy": ({"hang_on": "inspect"}, inspected),
    "inspect-full": ({"inspection": BUNDLE}, graph()),
    **{f"composite-{name}": (drawn, composite) for name, drawn in DRAWN.items()},
    "composite-lit": ({**DRAWN["seams"], **REPLY_SLOWLY}, composite_lit),
    "composite-saved": (DRAWN["encoder-decoder"], composite_saved),
    "composite-none": ({"inspection": BUNDLE}, composite),
    "inspect-expanded": (GRAPH, graph(lambda tab: tab.view.toggle("model/layers.1"), on_node("Softmax", ATTENTION))),
    "inspect-provider": (GRAPH, by_provider()),
    "inspect-provider-untried": (GRAPH, by_provider(check=False)),
    "inspect-time": (GRAPH, by_time()),
    "inspect-bytes": (GRAPH, graph(by_bytes)),
    "inspect-folded": (GRAPH, graph(lambda tab: tab.tools.dock.click())),
    "inspect-columns": (
        GRAPH,
        graph(lambda tab: tab.tools.folds.click(), lambda tab: tab.view.toggle("model/layers.1"), fitted),
    ),
    "inspect-far": (GRAPH, graph(lambda tab: tab.navigation.open_all(), fitted)),
    "inspect-search": (GRAPH, graph(search("softmax"))),
    "inspect-diff": (GRAPH, graph(compared)),
    "inspect-split": (GRAPH, graph(compared, lambda tab: tab.tools.split.click())),
    "inspect-node": (GRAPH, graph(on_node("MatMul", ATTENTION + "/q_proj", values=True))),
    "inspect-stage": (GRAPH, graph(lambda tab: tab.stages.slider.setValue(1))),
    "inspect-scope": (GRAPH, graph(lambda tab: tab.view.reveal("model/layers.2"))),
    "inspect-netron": ({**GRAPH, "netron": MODEL}, graph(in_netron)),
    "inspect-netron-pair": ({**GRAPH, "netron": MODEL}, graph(compared, in_netron)),
    "inspect-large": (GRAPH, graph(lambda tab: tab.netron.show(""), done=lambda tab: tab.banner.message)),
    "inspect-graph-busy": ({**GRAPH, "hang_on": "graph"}, graph(done=lambda tab: tab.model.busy)),
    "inspect-graph-failed": (
        {**GRAPH, **fails("graph", "decode.onnx names weights.data, which is not beside it.", "graph")},
        graph(done=lambda tab: tab.banner.message),
    ),
    "inspect-diff-failed": (
        {**GRAPH, **fails("diff", "export.onnx is cut short: build the bundle anew.", "graph")},
        graph(lambda tab: tab.stages.compare_before(), done=lambda tab: tab.banner.message),
    ),
    "inspect-failed": (fails("inspect", "model.onnx cannot be read: it is cut short."), inspected),
    "chat-empty": ({}, page("chat")),
    "chat-busy": ({**REPLY, "delay": 0.05}, chat("What is a KV cache?", finished=False)),
    "chat-full": (REPLY, chat("What is a KV cache?")),
    "chat-rich": ({"reply": RICH}, rich_chat),
    "chat-drafts": ({"reply": RICH, **DRAFTS}, rich_chat),
    "chat-base-empty": ({"base": True}, chat_page),
    "chat-base-full": ({**REPLY, "base": True}, chat("Once upon a time")),
    "chat-begun": (REPLY, chat("What is a KV cache?", prefill="In short: ")),
    "chat-failed": ({**REPLY, "crash_on": "generate", "crash_after": 12}, chat("What is a KV cache?")),
    "chat-moved": (REPLY, chat_moved),
    "chat-opening": ({**REPLY, "providers": {"qnn": "hang"}}, chat_opening),
    "chat-provider-crashed": ({**REPLY, "providers": {"qnn": "crash"}}, chat_opening),
    "chat-decoding": ({}, decoding(drafts_refused)),
    "chat-drafts-refused": ({"drafts": {"qwen3-tiny": REFUSED}}, decoding(drafts_refused)),
    "chat-chain": ({}, decoding(own_chain)),
    "chat-schema-wrong": ({}, decoding(schema(wrong=True))),
    "chat-tree": ({"reply": TREE}, decoding(schema(), asked="Who was Ada Lovelace?")),
    "chat-elsewhere": (REPLY, chat_elsewhere),
    "compare-empty": ({}, duel(bundles=False)),
    "compare-busy": ({**DUEL, "delay": 0.08}, duel("What is a KV cache?", done=False)),
    "compare-full": (DUEL, duel("What is a KV cache?")),
    "compare-failed": (
        {**DUEL, **fails("open", "weights.data in qwen3-int4 is cut short: build the bundle anew.")},
        duel("What is a KV cache?"),
    ),
    "measure-empty": ({}, page("measure")),
    "measure-busy": ({**REPLY, "delay": 0.02}, measured(finished=False)),
    "measure-full": (REPLY, measured(finished=True)),
    "measure-drafts": ({**REPLY, **DRAFTS}, measured(finished=True)),
    "measure-two": (REPLY, measured_two("all")),
    "measure-log": (REPLY, measured_two("bundle", log=True)),
    "measure-zoomed": (REPLY, measured_two("all", zoom=True)),
    "accuracy-empty": ({}, accuracy_empty),
    "accuracy-busy": ({"delay": 0.4}, compared_bundles(done=False)),
    "accuracy-full": ({}, compared_bundles()),
    "accuracy-bare": ({"eval": {"layers": [], "hidden_cosine": None, "kv_cosine": None}}, compared_bundles()),
    "accuracy-failed": (
        fails("eval", "The reference has 997 tokens in its vocabulary and the candidate 500.", "request"),
        compared_bundles(),
    ),
    "tasks-form": ({}, asked_tasks(done=False)),
    "tasks-done": ({}, asked_tasks(done=True)),
    "tasks-missing": (
        fails("eval_tasks", "Tasks of lm-eval need its package: install it with pip install lm-eval.", "package"),
        asked_tasks(done=True),
    ),
    "benchmark-form": ({}, benchmark(done=False)),
    "benchmark-done": ({}, benchmark(done=True)),
    "history-empty": ({}, page_of_history),
    "history-groups": ({}, history_groups),
    "history-full": ({}, history_at(0, 3)),
    "history-curves": ({}, history_at(1, 40)),
    "history-scatter": ({}, history_at(2, 1)),
    "history-run": ({}, history_at(3, 1)),
    "sweep-empty": ({}, sweep),
    "sweep-plan": ({}, sweep_plan),
    "devices-busy": ({"hang_on": "devices"}, page("devices")),
    "devices-full": ({}, page("devices")),
    "devices-checked": ({}, checked),
    "devices-checking": ({"hang_on": "preflight"}, on_card("qnn", "check")),
    "devices-wrong": (
        {"preflight": {"usable": False, "reason": "The prefill of prefill gives logits that are off by 5.1 of 9.2."}},
        on_card("qnn", "check"),
    ),
    "devices-asked": ({}, on_card("webgpu", "act", agreed=False)),
    "devices-installing": ({"delay": 3}, on_card("webgpu", "act")),
    "devices-not-installed": (
        fails("install", "pip could not install onnxruntime-ep-webgpu==0.4.0: no space is left.", "device"),
        on_card("webgpu", "act"),
    ),
    "devices-empty": ({"devices": []}, page("devices")),
    "devices-failed": (fails("devices", "onnxruntime could not be asked: it is not installed."), page("devices")),
    "server-empty": ({}, page("server")),
    "server-setup": ({}, served()),
    "server-others": ({}, serving_others),
    "server-starting": ({}, served("requests", silent=True, lines=["reading the bundles"])),
    "server-full": ({}, served("requests", statuses=traffic(24), every=0.5)),
    "server-stopping": ({}, stopping_server),
    "server-samples": ({}, served("samples", statuses=[{}])),
    "server-log": ({}, served("log", statuses=[{}], lines=["A line of a library that warns of something."])),
    "server-failed": (
        {},
        served(
            error={"kind": "address", "message": "Nothing can listen on 127.0.0.1, port 8080: Address already in use."}
        ),
    ),
    "server-crashed": ({}, served("requests", statuses=traffic(6), every=0.5, crash_after=5)),
    "settings": ({}, page("settings")),
    "settings-reset": ({}, settings_reset),
    "help-page": ({}, helped("page")),
    "help-shortcuts": ({}, helped("shortcuts")),
    "help-about": ({}, helped("about")),
    "help-machine": ({}, helped("machine")),
    "help-machine-failed": (
        fails("capabilities", "/home/a/tunings.json holds no tunings: remove it, and run joinery tune.", "request"),
        helped("machine"),
    ),
    "settings-damaged": ({}, settings_damaged),
    "welcome": ({}, welcomed),
    "tour-source": ({}, toured(0)),
    "tour-build": ({}, toured(1)),
    "tour-chat": ({}, toured(2)),
    "tour-inspect": ({"inspection": BUNDLE}, toured(3)),
    "tour-measure": (REPLY, toured(4)),
}


def picture(name: str, out: Path, sizes: tuple[tuple[int, int], ...] = SIZES) -> int:
    """Every size and theme of one state; how many pictures were written."""
    scenario, prepare = STATES[name]
    written = 0
    with window_over(scenario) as (window, home):
        window.resize(*sizes[0])
        QCursor.setPos(window.mapToGlobal(QPoint(600, 690)))  # over the status line, where nothing lights up
        prepare(window, home)
        wait(0.4)
        for width, height in sizes:
            window.resize(width, height)
            for mode in ("light", "dark"):
                theme().set_mode(mode)
                until(window.updatesEnabled, "the theme")
                wait(0.12)
                file = out / f"{name}-{width}x{height}-{mode}.png"
                if not front(window).grab().save(str(file)):
                    raise RuntimeError(f"{file} could not be written")
                written += 1
    return written


def main(argv: list[str]) -> int:
    """The exit code; names after the folder choose among the states by their beginnings."""
    if not argv:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    out = Path(argv[0])
    out.mkdir(parents=True, exist_ok=True)
    os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"  # as root in a container
    chain(Path(MODEL), "Relu", 6)
    application()
    chosen = [name for name in STATES if not argv[1:] or name.startswith(tuple(argv[1:]))]
    total = sum(picture(name, out) for name in chosen)
    sys.stdout.write(f"{total} pictures in {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
