"""Run benchmark: from the form to the figures, stopped, failed, and reached from the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.measure.benchmark.dialog import BenchmarkDialog, row_text
from app.measure.page import MeasurePage
from app.text.formatting import format_bytes
from tests.app.conftest import make_bundle
from workflows.wire.reports.bench import Percentiles, SingleRow, UnusableProviderRow
from workflows.wire.requests import Bench


@pytest.fixture
def dialog(qtbot: Any, make_context: Any, tmp_path: Path) -> Any:
    def make(**scenario: Any) -> BenchmarkDialog:
        context = make_context(**scenario)
        context.open_bundle(make_bundle(tmp_path / "mine"))
        made = BenchmarkDialog(context)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(made)
        made.show()
        return made

    return make


def test_from_the_form_to_the_figures(qtbot: Any, dialog: Any, tmp_path: Path) -> None:
    made: BenchmarkDialog = dialog()
    assert made.title.text() == "Speed of mine on cpu" and made.show_history.isHidden()
    made.form.prompt.setValue(32)
    made.form.repeats.setValue(2)
    qtbot.keyClick(made.form.repeats, Qt.Key.Key_Return)
    assert made.form.start_button.text() == "Stop" and made.form.request() == Bench(
        str(tmp_path / "mine"), ("cpu",), 32, None, 2
    )
    qtbot.waitUntil(lambda: made.model.state == "done")
    assert made.status.text() == (
        "Prompt of 32 tokens, reply of 64 tokens\n"
        "decode 200 tok/s · prefill 3,200 tok/s · TTFT 40 ms · roofline 50.00 % · peak memory "
        + format_bytes(240 << 20)
        + "\nweights 8.0 MiB, of which 6.0 MiB stay in their file · KV cache 2.0 KiB per token · 9.0 MiB free · "
        "512 tokens fit"
    )
    with qtbot.waitSignal(made.history_requested):
        qtbot.mouseClick(made.show_history, Qt.MouseButton.LeftButton)


def test_the_progress_counts_runs_and_stop_ends_it(qtbot: Any, dialog: Any) -> None:
    made: BenchmarkDialog = dialog(delay=0.2)
    made.form.start()
    qtbot.waitUntil(lambda: made.status.text() == "cpu: run 1 of 5")
    assert (made.bar.value(), made.bar.maximum()) == (167, 1000) and not made.form.prompt.isEnabled()
    qtbot.mouseClick(made.form.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: made.model.state == "cancelled")
    assert made.banner.message == "The benchmark was stopped; nothing was saved." and made.form.prompt.isEnabled()


def test_a_failure_is_reported(qtbot: Any, dialog: Any) -> None:
    made: BenchmarkDialog = dialog(errors={"bench": {"kind": "prompt", "message": "These sizes do not fit."}})
    made.form.start()
    qtbot.waitUntil(lambda: made.banner.message == "These sizes do not fit.")
    assert made.status.text() == "" and made.show_history.isHidden()


def test_a_reply_that_is_generated_is_waited_for(qtbot: Any, dialog: Any, tmp_path: Path) -> None:
    made: BenchmarkDialog = dialog(delay=0.05, tokens=40)
    session = made.context.session
    session.open(str(tmp_path / "mine"), "cpu")
    qtbot.waitUntil(lambda: session.state == "ready")
    session.generate("What is a KV cache?")
    made.form.start()
    assert "wait for its end" in made.banner.message and not made.model.running
    qtbot.waitUntil(lambda: session.state == "ready")
    made.form.start()
    assert made.banner.isHidden() and made.model.running
    made.model.cancel()
    qtbot.waitUntil(lambda: not made.model.running)


def test_a_graph_without_a_cache_and_a_provider_that_fails(qapp: Any) -> None:
    single = SingleRow("cpu", 5, {"x": [1]}, Percentiles(1.0, 2.0, 3.0), 1000.0, 1 << 20)
    assert row_text(single) == f"p50 1 ms · p95 2 ms · peak memory {format_bytes(1 << 20)}"
    assert row_text(UnusableProviderRow("qnn", "No driver.")) == "No driver."


def test_the_page_offers_it_for_the_bundle_in_front(qtbot: Any, make_context: Any, tmp_path: Path) -> None:
    context = make_context()
    page = MeasurePage(context)
    qtbot.addWidget(page)
    page.show()
    (action,) = [one for one in page.actions() if one.text() == "Run benchmark …"]
    assert not action.isEnabled() and not page.benchmark_button.isEnabled()
    assert page.benchmark_button.toolTip() == "Open a bundle to measure its speed."
    context.open_bundle(make_bundle(tmp_path / "mine"))
    assert action.isEnabled() and page.benchmark_button.isEnabled()
    opened = page.run_benchmark()
    assert opened.isVisible()
    opened.history_requested.emit()
    assert page.tabs.currentWidget() is page.history
    opened.form.start()
    assert page.run_benchmark() is opened  # two at once would disturb each other
    opened.model.cancel()
    qtbot.waitUntil(lambda: not opened.model.running)
    assert page.run_benchmark() is not opened
