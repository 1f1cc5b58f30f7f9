"""The end of a build: figures as expected and as they are, and the same source built otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.builder.step_page import DONE, REVIEW
from app.state.unsaved_recipe import changed_options
from app.text.formatting import format_duration
from app.window import MainWindow
from tests.app.test_build_wizard import start_build, wizard_of

Make = Callable[..., MainWindow]


def test_figures_and_another_precision(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    start_build(qtbot, wizard)
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    done: Any = wizard.steps[DONE]
    rows = [[done.figures.rows.index(row, column).data() for column in range(3)] for row in range(3)]
    assert rows == [
        ["Time", "25 s", format_duration(window.context.build.elapsed)],
        ["Peak memory", "1.3 GiB", "512 MiB"],
        ["Size", "8.6 MiB", "8.6 MiB"],
    ]
    assert done.path.text().endswith("qwen3-demo-fp32-static4096\nComponents: prefill, decode")
    actions = {action.text(): action for action in done.again.menu().actions()}
    assert list(actions) == ["int4", "w8a16", "for Qualcomm QNN", "for WebGPU"]
    actions["int4"].trigger()
    qtbot.waitUntil(lambda: wizard.currentId() == REVIEW)
    assert draft.source == "demo:qwen3" and draft.options == {"precision": "int4"}
    review: Any = wizard.steps[REVIEW]
    qtbot.waitUntil(review.isComplete)
    assert review.out.text().endswith("qwen3-demo-int4-static4096")


def test_what_quantizing_cost_and_what_keeps_more(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    start_build(qtbot, wizard)
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    done: Any = wizard.steps[DONE]
    assert not done.cost.isVisibleTo(done) and not done.better.isVisibleTo(done)  # of fp32
    done.again.menu().actions()[0].trigger()
    review: Any = wizard.steps[REVIEW]
    qtbot.waitUntil(lambda: wizard.currentId() == REVIEW and review.isComplete())
    wizard.next()
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    assert done.cost.text() == (
        "Against the graphs before quantizing, over 1,024 positions of Joinery's text to measure with: the most "
        "probable token is the same at 61.2 %, the divergence (KL) is 0.5310 nats, the perplexity goes from 54.9 to "
        "84.2."
    )
    assert done.advice.text() == (
        "The most probable token changed at 39 % of the positions. accurate keeps more, in 159 MiB of weights."
    )
    assert done.better.isVisibleTo(done) and done.better.text() == "Build again as accurate"
    done.better.click()
    qtbot.waitUntil(lambda: wizard.currentId() == REVIEW)
    assert draft.options == {"preset": "accurate", "precision": None}


def test_another_precision_ends_the_preset_of_the_build() -> None:
    """The recipe was refused: a preset is in one precision."""
    chosen = {"preset": "compact", "precision": None, "capacity": 64}
    assert changed_options(chosen, {"precision": "int8"}) == {"capacity": 64, "precision": "int8"}
    assert changed_options(chosen, {"target": "qnn"}) == {**chosen, "target": "qnn"} and chosen["preset"] == "compact"
