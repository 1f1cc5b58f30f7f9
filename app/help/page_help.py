"""The F1 texts: the purpose of each page, its first step, and its keys that are no actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication


@dataclass(frozen=True, slots=True)
class PageHelp:
    """Purpose, first step, and pairs of keys and their effect."""

    what: str
    first: str
    keys: Sequence[tuple[str, str]] = ()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Help", text)


def page_help(page: str) -> PageHelp:
    """The help of the page called `page`. Raises KeyError for an unknown page."""
    return {
        "home": _home,
        "build": _build,
        "inspect": _inspect,
        "chat": _chat,
        "measure": _measure,
        "devices": _devices,
        "settings": _settings,
    }[page]()


def _home() -> PageHelp:
    return PageHelp(
        _tr("The bundles you used last, and the ways in: convert a checkpoint, try the demo, open a file."),
        _tr("Try the demo: it is built here in about a minute, without a network. Or drop a folder or an .onnx file "
            "anywhere on the window."),
    )  # fmt: skip


def _build() -> PageHelp:
    return PageHelp(
        _tr("A checkpoint becomes a bundle: graphs with an explicit KV cache, weights, tokenizer and the evidence of "
            "every stage."),
        _tr("Give a source: a checkpoint's folder, a model of the hub or a demo. Every later step has a default that "
            "works; Next leads to the review and the build. A build that was stopped goes on where it was."),
    )  # fmt: skip


def _inspect() -> PageHelp:
    return PageHelp(
        _tr("What was built: how its parts run together, each graph from the export through every pass, what two "
            "stages differ in, and the KV cache slot by slot."),
        _tr("Open a bundle, or .onnx files with Ctrl+O (two are compared). Double-click a box to open it, click a "
            "node for its attributes and values."),
        (
            (_tr("Arrows"), _tr("go to a neighbour in the graph; with Shift move it")),
            ("+  −  0  1", _tr("zoom the graph in and out, fit it, show it in full size")),
            (_tr("Enter"), _tr("open or close the chosen box")),
        ),
    )  # fmt: skip


def _chat() -> PageHelp:
    return PageHelp(
        _tr("A conversation with the bundle that is open, token by token; side by side with another one, too."),
        _tr("Open a bundle and ask something. Sampling, decoding, cache layout and provider are in the panel on the "
            "right; over a word of a reply its token and the alternatives are shown."),
        (
            (_tr("Enter"), _tr("send")),
            (_tr("Shift+Enter"), _tr("a new line")),
            (_tr("Up, in an empty field"), _tr("edit the last question")),
            (_tr("Alt+Up  Alt+Down"), _tr("move an op of the chain up or down")),
        ),
    )  # fmt: skip


def _measure() -> PageHelp:
    return PageHelp(
        _tr("How fast the open bundle runs and how right it is: latency of every step, cache and memory while it "
            "generates, and its distance from another bundle or its checkpoint."),
        _tr("Ask something in Chat, or run a comparison under Accuracy. Drag over the chart to look closer, and export "
            "what is shown as CSV, PNG or SVG."),
    )  # fmt: skip


def _devices() -> PageHelp:
    return PageHelp(
        _tr("What this machine can run a bundle on, and what a provider lacks where it is not usable."),
        _tr("Check a bundle: it is run on the device and on the CPU, and the answers are compared. Compile keeps what "
            "a provider makes of the graphs, so that it opens at once."),
    )  # fmt: skip


def _settings() -> PageHelp:
    return PageHelp(
        _tr("What is chosen once: appearance, where bundles go, how much history is kept."),
        _tr("A choice is kept at once. What needs a new start says so; Reset to defaults can be undone."),
    )
