"""The devices page: plugins are installed and stopped, bundles tried and the findings kept with whose they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.devices.device_card import DeviceCard
from app.devices.plugin_installer import QUIET_MS, PluginWatcher
from app.state.preflights import Preflights
from app.widgets.expiring_question import ExpiringQuestion
from app.widgets.preflight_view import difference_text, largest_difference, node_share
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.fakes.preflights import report
from workflows.wire.reports.preflight import ComponentPreflight, OutputDifference, PreflightReport

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
Make = Callable[..., MainWindow]


@pytest.fixture
def shown(qtbot: Any, make_window: Make, home: Path) -> Callable[..., tuple[MainWindow, Any]]:
    """The page with a bundle open, when the devices are there."""

    def make(bundle: str = "demo", **scenario: Any) -> tuple[MainWindow, Any]:
        window = make_window(**scenario)
        if bundle:
            window.context.open_bundle(make_bundle(home / "bundles" / bundle))
        window.show_page("devices")
        page: Any = window.stack.page("devices")
        qtbot.waitUntil(lambda: bool(page.cards) and page.cards[-1].isVisible())
        return window, page

    return make


def test_the_memory_that_the_bundle_takes(shown: Callable[..., tuple[MainWindow, Any]], qtbot: Any) -> None:
    window, page = shown()
    assert page.memory.isVisible() and page.memory.text() == (
        f"{window.context.bundle['name']} on the CPU: weights 440 MiB · KV cache 224 KiB per token · 20.0 GiB free · "
        "91,000 tokens fit"
    )


def test_no_memory_without_a_bundle(shown: Callable[..., tuple[MainWindow, Any]]) -> None:
    _, page = shown(bundle="")
    assert not page.memory.isVisible()


def card(page: Any, name: str) -> DeviceCard:
    return next(one for one in page.cards if one.device.name == name)


def question(qtbot: Any, page: Any, name: str, part: str = "act") -> ExpiringQuestion:
    """What is asked when the card's button is pressed."""
    getattr(card(page, name), part).click()
    qtbot.waitUntil(lambda: page.plugins.question is not None)
    asked: ExpiringQuestion = page.plugins.question
    return asked


def agree(qtbot: Any, page: Any, name: str, part: str = "act") -> None:
    asked = question(qtbot, page, name, part)
    words = ("Install", "Remove")
    qtbot.mouseClick(next(one for one in asked.buttons() if one.text() in words), Qt.MouseButton.LeftButton)


def test_nothing_is_installed_before_a_person_agreed(qtbot: Any, shown: Any) -> None:
    """The question names package, version, hashes, index and environment; Enter and Escape are no."""
    window, page = shown()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        asked = question(qtbot, page, "webgpu")
        said = f"{asked.windowTitle()} {asked.text()} {asked.informativeText()} {asked.detailedText()}"
        for fact in ("onnxruntime-ep-webgpu", "0.4.0", "/opt/joinery", "https://pypi.org/simple", "sha256:000"):
            assert fact in said
        assert asked.defaultButton().text() == "Cancel"
        qtbot.keyClick(asked.defaultButton(), key)
        qtbot.waitUntil(lambda: page.plugins.question is None)
        assert window.context.plugins.device == "" and not card(page, "webgpu").device.usable


def test_a_plugin_is_removed_when_a_person_agreed(qtbot: Any, shown: Any) -> None:
    _window, page = shown()
    assert not card(page, "webgpu").remove.isVisible() and not card(page, "cpu").remove.isVisible()
    agree(qtbot, page, "webgpu")
    qtbot.waitUntil(lambda: card(page, "webgpu").remove.isVisible())
    asked = question(qtbot, page, "webgpu", "remove")
    assert "onnxruntime-ep-webgpu" in asked.text() and asked.defaultButton().text() == "Cancel"
    asked.reject()
    qtbot.waitUntil(lambda: page.plugins.question is None)
    assert card(page, "webgpu").device.usable
    agree(qtbot, page, "webgpu", "remove")
    qtbot.waitUntil(lambda: card(page, "webgpu").act.isVisible())
    assert not card(page, "webgpu").device.usable and not card(page, "webgpu").remove.isVisible()


def test_the_question_goes_when_another_window_installed_it(qtbot: Any, shown: Any) -> None:
    window, page = shown()
    asked = question(qtbot, page, "webgpu")
    install = next(one for one in asked.buttons() if one.text() == "Install")
    devices = [replace(one.device, install="", usable=True) for one in page.cards]
    page._show_devices(devices)
    install.click()  # on its way already
    qtbot.waitUntil(lambda: page.plugins.question is None)
    assert window.context.plugins.device == ""


def test_what_another_program_installs_is_noticed(qtbot: Any, tmp_path: Path) -> None:
    """A folder that changes without another plugin in it says nothing."""
    plugins = dict[str, str]()
    watch = PluginWatcher(folder=tmp_path, list_plugins=lambda: dict(plugins))
    heard: list[bool] = []
    watch.changed.connect(lambda: heard.append(True))
    (tmp_path / "other").mkdir()
    qtbot.wait(2 * QUIET_MS)
    assert heard == []
    plugins["onnxruntime-qnn"] = "2.7.0"
    (tmp_path / "onnxruntime_qnn").mkdir()
    qtbot.waitUntil(lambda: heard == [True])


def test_the_page_lists_the_devices_anew_then(qtbot: Any, shown: Any) -> None:
    _window, page = shown()
    cards = page.cards
    page.watch.changed.emit()
    qtbot.waitUntil(lambda: page.cards is not cards)


def test_a_plugin_that_lacks_is_installed_with_what_pip_says(qtbot: Any, shown: Any) -> None:
    window, page = shown(delay=0.2)
    assert not card(page, "qnn").act.isVisible() and not card(page, "dml").act.isVisible()
    assert card(page, "webgpu").act.text() == "Install onnxruntime-ep-webgpu"
    agree(qtbot, page, "webgpu")
    assert not card(page, "webgpu").act.isVisible() and card(page, "webgpu").cancel.isVisible()
    qtbot.waitUntil(lambda: "Collecting onnxruntime-ep-webgpu" in card(page, "webgpu").status.toolTip())
    qtbot.waitUntil(lambda: card(page, "webgpu").device.usable)
    qtbot.waitUntil(lambda: card(page, "webgpu").check.isVisible())
    assert not card(page, "webgpu").act.isVisible()
    assert window.context.plugins.device == ""


def test_an_installation_is_cancelled_also_where_it_hangs(qtbot: Any, shown: Any) -> None:
    window, page = shown(hang_on="install", stubborn=True)
    agree(qtbot, page, "webgpu")
    qtbot.wait(600)  # the worker is up
    card(page, "webgpu").cancel.click()
    qtbot.waitUntil(lambda: window.context.plugins.device == "")
    assert card(page, "webgpu").act.isVisible() and not page.banner.isVisible()


def test_what_pip_refuses_is_reported(qtbot: Any, shown: Any) -> None:
    _window, page = shown(errors={"install": {"kind": "device", "message": "pip could not install it: no space."}})
    agree(qtbot, page, "webgpu")
    qtbot.waitUntil(lambda: page.banner.message == "pip could not install it: no space.")
    assert card(page, "webgpu").act.isEnabled()


def test_a_bundle_is_tried_and_shown_by_component(qtbot: Any, shown: Any) -> None:
    _window, page = shown()
    card(page, "qnn").check.setFocus()
    qtbot.keyClick(card(page, "qnn").check, Qt.Key.Key_Space)
    assert card(page, "qnn").cancel.hasFocus()
    qtbot.waitUntil(lambda: card(page, "qnn").preflight_view is not None)
    found = card(page, "qnn").preflight_view
    assert card(page, "qnn").check.hasFocus()  # and not the next card's button, which would install
    assert found is not None
    texts = [one.text() for one in found.findChildren(type(found.verdict))]
    assert found.verdict.text() == "6 nodes run on the CPU provider."
    assert texts.count("104 of 107") == 2 and "logits 0.0084, KV 0.0021" in texts and "logits 0.0042, KV 0.001" in texts
    assert found.more.text() == "6 nodes run on the CPU"
    assert "prefill: model.rotary_emb.Cos_2 (Cos): Cos of two axes has no kernel." in found.cpu_nodes.toPlainText()
    rows = page.table.table.rows
    cells = [rows.index(0, column).data() for column in range(rows.columnCount())]
    assert cells[:3] == ["demo", "fp32", "not checked"] and cells[3].startswith(
        "97.2 % of nodes · difference 0.0084 · "
    )
    assert rows.headings == ["Bundle", "Precision", "CPU", "Qualcomm QNN"]  # the others cannot be used


def test_what_is_wrong_says_why_and_not_how_well(qtbot: Any, shown: Any) -> None:
    reason = "The process that tried Qualcomm QNN ended (signal SIGSEGV)."
    _window, page = shown(preflight={"components": [], "usable": False, "reason": reason})
    card(page, "qnn").check.click()
    qtbot.waitUntil(lambda: card(page, "qnn").preflight_view is not None)
    assert card(page, "qnn").preflight_view.verdict.text() == reason  # type: ignore[union-attr]
    assert page.table.table.rows.index(0, 3).data() == f"no: {reason}"


def test_a_preflight_that_hangs_is_cancelled(qtbot: Any, shown: Any) -> None:
    window, page = shown(hang_on="preflight", stubborn=True)
    card(page, "qnn").check.click()
    assert card(page, "qnn").progress.isVisible() and not card(page, "cpu").check.isEnabled()
    qtbot.wait(600)
    card(page, "qnn").cancel.click()
    qtbot.waitUntil(lambda: window.context.preflights.running is None)
    assert card(page, "qnn").check.isEnabled() and not card(page, "qnn").problem.isVisible()


def test_a_refusal_and_a_crash_stand_on_the_card(qtbot: Any, shown: Any) -> None:
    _window, page = shown(crash_on="preflight")
    card(page, "qnn").check.click()
    qtbot.waitUntil(lambda: "SIGKILL" in card(page, "qnn").problem.text())
    assert not card(page, "cpu").problem.isVisible()


def test_graphs_are_compiled_with_what_is_done_and_what_came_of_it(qtbot: Any, shown: Any) -> None:
    """Where the provider does so; the others have no such button."""
    _window, page = shown(delay=0.2)
    assert not card(page, "cpu").compile.isVisible() and card(page, "qnn").compile.isEnabled()
    card(page, "qnn").compile.click()
    assert not card(page, "qnn").check.isVisible() and card(page, "qnn").cancel.isVisible()
    qtbot.waitUntil(lambda: card(page, "qnn").status.toolTip() == "compiling decode")
    qtbot.waitUntil(lambda: page.banner.message.startswith("The graphs are compiled: contexts/0"))
    assert page.banner.message.endswith("for shared ones cannot be used.")
    assert card(page, "qnn").compile.isVisible() and not card(page, "qnn").progress.isVisible()


def test_a_compilation_that_hangs_is_cancelled(qtbot: Any, shown: Any) -> None:
    window, page = shown(hang_on="compile", stubborn=True)
    card(page, "qnn").compile.click()
    qtbot.wait(600)
    card(page, "qnn").cancel.click()
    qtbot.waitUntil(lambda: window.context.compiler.device == "")
    assert card(page, "qnn").compile.isEnabled() and not page.banner.isVisible()


def test_a_refusal_to_compile_is_reported(qtbot: Any, shown: Any) -> None:
    _window, page = shown(errors={"compile": {"kind": "device", "message": "/b cannot be compiled: it crashed."}})
    card(page, "qnn").compile.click()
    qtbot.waitUntil(lambda: page.banner.message == "/b cannot be compiled: it crashed.")


def test_without_a_bundle_the_first_step_is_named(shown: Any) -> None:
    _window, page = shown(bundle="")
    assert not card(page, "cpu").check.isEnabled() and "Open a bundle first" in card(page, "cpu").check.toolTip()
    assert not page.table.isVisible()


# -- the findings ----------------------------------------------------------------------------------------------

DEMO = {"path": "/b/demo", "built_at": "2026-01-02"}


def tried(qtbot: Any, context: Any, bundle: dict[str, str], provider: str) -> None:
    assert context.preflights.check(bundle, provider)
    qtbot.waitUntil(lambda: context.preflights.running is None)


def test_a_failure_is_of_the_bundle_and_the_provider_that_were_tried(qtbot: Any, make_context: Any) -> None:
    preflights = (context := make_context(errors={"preflight": {"kind": "device", "message": "No driver."}})).preflights
    assert preflights.check(DEMO, "qnn") and preflights.is_checking(DEMO, "qnn")
    other = {**DEMO, "path": "/b/other"}
    assert not preflights.is_checking(other, "qnn") and not preflights.is_checking(None, "qnn")
    qtbot.waitUntil(lambda: context.preflights.running is None)
    told = {(which and which["path"], name): preflights.failure_of(which, name)
            for which in (DEMO, other, None) for name in ("qnn", "cpu")}  # fmt: skip
    assert {of: why for of, why in told.items() if why} == {("/b/demo", "qnn"): "No driver."}


def test_findings_outlive_the_window_and_belong_to_one_build(qtbot: Any, make_context: Any, home: Path) -> None:
    context = make_context()
    tried(qtbot, context, DEMO, "qnn")
    tried(qtbot, context, DEMO, "qnn")
    again = Preflights(home, context.new_worker)
    found = again.find(DEMO, "qnn")
    assert found is not None and found.report == report("qnn") and found.component("decode") is not None
    assert again.find({**DEMO, "built_at": "2026-02-03"}, "qnn") is None
    assert again.find(DEMO, "cpu") is None and again.find({**DEMO, "path": "/b/other"}, "qnn") is None
    assert len(json.loads((home / "preflights.json").read_text())) == 1  # the newer in place of the older


def test_a_difference_that_is_no_number_is_kept(qtbot: Any, make_context: Any, home: Path) -> None:
    part = {"name": "decode", "nodes": 3, "on_provider": 3, "elsewhere": [], "prefill": None}
    far = {**part, "step": {"logits_max_abs_diff": float("inf"), "kv_max_abs_diff": None}}
    context = make_context(preflight={"components": [far]})
    tried(qtbot, context, DEMO, "qnn")
    found = Preflights(home, context.new_worker).find(DEMO, "qnn")
    assert found is not None and largest_difference(found.report) == float("inf")


def test_shares_never_round_up_to_all() -> None:
    def of(nodes: int, taken: int) -> PreflightReport:
        part = ComponentPreflight("d", nodes, taken, [], OutputDifference(None, 0.5), OutputDifference(0.25, None))
        return PreflightReport("qnn", [part], True, "")

    assert [node_share(of(*pair)) for pair in ((231, 231), (20_000, 19_999), (243, 239), (7, 0), (0, 0))] == [
        "100 %", "99.9 %", "98.4 %", "0 %", ""
    ]  # fmt: skip
    assert (
        largest_difference(of(1, 1)) == 0.25 and difference_text(None) == "–" and difference_text(0.00843) == "0.0084"
    )
