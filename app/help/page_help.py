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
    what, first = (_model_pages() | _other_pages())[page]
    return PageHelp(what, first, _page_keys().get(page, ()))


def _model_pages() -> dict[str, tuple[str, str]]:
    """Page → purpose and first step: of those that build, show and run a model."""
    return {
        "home": (
            tr("Lists recent bundles. From here you can convert a checkpoint, try the demo or open a file."),
            tr(
                "Try the demo: its build takes about a minute and needs no network. Or drop a folder or an .onnx "
                "file anywhere on the window."
            ),
        ),
        "build": (
            tr(
                "Builds a bundle from a checkpoint: graphs with an explicit KV cache, weights, tokenizer and the "
                "results of every stage."
            ),
            tr(
                "Choose a source: the folder of a checkpoint, a model of the hub or a demo. Every later step has "
                "a default; Next leads to the review and the build. A stopped build can be resumed."
            ),
        ),
        "inspect": (
            tr(
                "Shows what was built: how the components run together, each graph from the export through every "
                "pass, the differences of two stages, and the KV cache slot by slot."
            ),
            tr(
                "Open a bundle, or .onnx files with Ctrl+O (two are compared). Double-click a box to open it, click a "
                "node for its attributes and values."
            ),
        ),
        "chat": (
            tr("Holds a conversation with the open bundle, token by token, and compares it with another bundle."),
            tr(
                "Open a bundle and ask a question. The chips above the prompt say what the next reply is made with; "
                "a click on one opens its setting. Point at a word of a reply to see its token and the alternatives."
            ),
        ),
    }


def _other_pages() -> dict[str, tuple[str, str]]:
    """The same of those that measure and serve it, and of the machine."""
    return {
        "measure": (
            tr(
                "Measures the speed and accuracy of the open bundle: latency of every step, cache and memory "
                "during generation, and differences to another bundle or its checkpoint."
            ),
            tr(
                "Ask a question in Chat, run a benchmark, or compare two bundles under Accuracy. Drag over the chart "
                "to zoom in, and export it as CSV, PNG or SVG."
            ),
        ),
        "devices": (
            tr("Lists the devices of this machine that can run bundles, and what is missing for the others."),
            tr(
                "Check a bundle: Joinery runs it on the device and on the CPU and compares the results. Compile "
                "saves the compiled graphs of a provider, so that the bundle opens faster."
            ),
        ),
        "server": (
            tr(
                "Lets bundles answer other programs with OpenAI's interface, and shows the requests as they run, the "
                "queue and the cache."
            ),
            tr(
                "Press Start: the open bundle is served on this machine. Copy a sample and run it; its request appears "
                "under Requests. Stop lets the requests that run finish; the server ends with the window."
            ),
        ),
        "settings": (
            tr("Sets appearance, folders of bundles and the size of the history."),
            tr("Changes are saved at once. Settings that need a restart say so; Reset and Import can be undone."),
        ),
    }


def _page_keys() -> dict[str, Sequence[tuple[str, str]]]:
    tabs = (tr("Ctrl+Tab  Ctrl+Shift+Tab"), tr("go to the next or the previous tab"))
    return {
        "inspect": (
            tabs,
            (tr("Arrows"), tr("go to a neighbour in the graph; with Shift move it")),
            ("+  −  0  1", tr("zoom the graph in and out, fit it, show it in full size")),
            (tr("Enter"), tr("open or close the chosen box")),
            ("N  Shift+N", tr("go to the next or the previous match of the search")),
            ("]  [", tr("go to the next or the previous change")),
        ),
        "chat": (
            (tr("Enter"), tr("send")),
            (tr("Shift+Enter"), tr("a new line")),
            (tr("Up, in an empty field"), tr("edit the last question")),
            (tr("Alt+Up  Alt+Down"), tr("move an op of the chain up or down")),
        ),
        "measure": (tabs,),
        "server": (tabs,),
    }
