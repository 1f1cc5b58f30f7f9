"""The F1 texts: the purpose of each page, its first step, and its keys that are no actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.text.translatable import tr


@dataclass(frozen=True, slots=True)
class PageHelp:
    """Purpose, first step, and pairs of keys and their effect."""

    what: str
    first: str
    keys: Sequence[tuple[str, str]] = ()


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
        tr("The bundles you used last, and the ways in: convert a checkpoint, try the demo, open a file."),
        tr("Try the demo: it is built here in about a minute, without a network. Or drop a folder or an .onnx file "
            "anywhere on the window."),
    )  # fmt: skip


def _build() -> PageHelp:
    return PageHelp(
        tr("A checkpoint becomes a bundle: graphs with an explicit KV cache, weights, tokenizer and the evidence of "
            "every stage."),
        tr("Give a source: a checkpoint's folder, a model of the hub or a demo. Every later step has a default that "
            "works; Next leads to the review and the build. A build that was stopped goes on where it was."),
    )  # fmt: skip


def _inspect() -> PageHelp:
    return PageHelp(
        tr("What was built: how its parts run together, each graph from the export through every pass, what two "
            "stages differ in, and the KV cache slot by slot."),
        tr("Open a bundle, or .onnx files with Ctrl+O (two are compared). Double-click a box to open it, click a "
            "node for its attributes and values."),
        (
            (tr("Arrows"), tr("go to a neighbour in the graph; with Shift move it")),
            ("+  −  0  1", tr("zoom the graph in and out, fit it, show it in full size")),
            (tr("Enter"), tr("open or close the chosen box")),
        ),
    )  # fmt: skip


def _chat() -> PageHelp:
    return PageHelp(
        tr("A conversation with the bundle that is open, token by token; side by side with another one, too."),
        tr("Open a bundle and ask something. Sampling, decoding, cache layout and provider are in the panel on the "
            "right; over a word of a reply its token and the alternatives are shown."),
        (
            (tr("Enter"), tr("send")),
            (tr("Shift+Enter"), tr("a new line")),
            (tr("Up, in an empty field"), tr("edit the last question")),
            (tr("Alt+Up  Alt+Down"), tr("move an op of the chain up or down")),
        ),
    )  # fmt: skip


def _measure() -> PageHelp:
    return PageHelp(
        tr("How fast the open bundle runs and how right it is: latency of every step, cache and memory while it "
            "generates, and its distance from another bundle or its checkpoint."),
        tr("Ask something in Chat, or run a comparison under Accuracy. Drag over the chart to look closer, and export "
            "what is shown as CSV, PNG or SVG."),
    )  # fmt: skip


def _devices() -> PageHelp:
    return PageHelp(
        tr("What this machine can run a bundle on, and what a provider lacks where it is not usable."),
        tr("Check a bundle: it is run on the device and on the CPU, and the answers are compared. Compile keeps what "
            "a provider makes of the graphs, so that it opens at once."),
    )  # fmt: skip


def _settings() -> PageHelp:
    return PageHelp(
        tr("What is chosen once: appearance, where bundles go, how much history is kept."),
        tr("A choice is kept at once. What needs a new start says so; Reset to defaults can be undone."),
    )
