"""The commands of the command line as actions of the palette: each goes to where the window does the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from app.text.translatable import tr, translatable
from app.widgets.actions import add_action

Act = Callable[[], object]
SYNONYMS = "synonyms"
"""The property of an action with more words to find it by."""


_TEXTS = {
    "build": (translatable("Build a bundle from a checkpoint"), translatable("convert, export, quantize")),
    "generate": (translatable("Generate from one prompt"), translatable("complete, reply, translate, transcribe")),
    "chat": (translatable("Chat with the bundle"), translatable("talk, conversation, ask")),
    "embed": (translatable("Make vectors of texts, and compare them"), translatable("embedding, similarity, search")),
    "rank": (translatable("Rank texts by their score for a query"), translatable("reranker, order, relevance")),
    "classify": (
        translatable("Label texts, spans of texts, or pictures"),
        translatable("labels, entities, sentiment, image"),
    ),
    "depth": (translatable("Estimate the depth of a picture"), translatable("image, distance, 3D")),
    "serve": (
        translatable("Let bundles answer other programs"),
        translatable("server, API, OpenAI, HTTP, endpoint, port"),
    ),
    "inspect": (translatable("Show what a bundle or a graph holds"), translatable("graph, nodes, netron, weights")),
    "bench": (
        translatable("Measure latencies, speeds and memory"),
        translatable("benchmark, speed, tokens a second"),
    ),
    "devices": (translatable("List the execution providers"), translatable("GPU, NPU, QNN, DirectML, providers")),
    "verify": (translatable("Check a bundle's files"), translatable("manifest, digest, damaged")),
    "assemble": (translatable("Assemble ONNX graphs to a bundle"), translatable("optimum, combine, pipeline")),
    "eval": (translatable("Compare the accuracy of a bundle"), translatable("accuracy, perplexity, KL, top-1")),
    "sweep": (translatable("Build and measure many bundles by a plan"), translatable("plan, grid, many, TOML")),
    "tune": (translatable("Time int4 formats on this processor"), translatable("block size, threads, fastest")),
    "diverge": (translatable("Find the first node whose values differ"), translatable("difference, divergence, wrong")),
    "preflight": (translatable("Try a bundle on a device"), translatable("check, support, fallback")),
    "profile": (translatable("Time every node of the bundle"), translatable("node costs, slow nodes, hot, heat")),
    "compile": (translatable("Compile a bundle's graphs for a device"), translatable("context, cache, EPContext")),
    "report": (translatable("Write a report on a bundle"), translatable("HTML, Markdown, summary")),
    "import": (translatable("Import a folder of onnxruntime-genai"), translatable("genai, convert")),
    "export-genai": (translatable("Export for onnxruntime-genai"), translatable("genai, convert")),
    "export-gguf": (translatable("Write the bundle as a GGUF file"), translatable("llama.cpp, GGUF, convert")),
    "samples": (
        translatable("Read how to run a bundle without Joinery"),
        translatable("Python, C++, C#, curl, onnxruntime, code"),
    ),
    "plugins": (translatable("Plugins that bundles may name"), translatable("extensions, packages")),
    "cache": (translatable("Stages of builds that later builds reuse"), translatable("disk, clear, size")),
    "remote": (translatable("Other machines"), translatable("ssh, host, another machine")),
    "runs": (translatable("The history of builds and measurements"), translatable("history, records, compare")),
}
"""Command → what it does, and more words to find it by."""


def add_cli_actions(
    owner: QWidget, show_page: Callable[[str], object], page: Callable[[str], Any], others: Mapping[str, Act]
) -> None:
    """Adds an action for each command to `owner`. others: command → what it does."""

    def show(name: str) -> Any:
        show_page(name)
        return page(name)

    acts: dict[str, Act] = {
        "verify": lambda: show("inspect").tabs.show_tab("details"),
        "profile": lambda: _show_costs(show("inspect").tabs),
        "bench": lambda: show("measure").run_benchmark(),
        "eval": lambda: show("measure").show_accuracy(),
        "sweep": lambda: show("measure").show_sweep(),
        "remote": lambda: show("devices").show_machines(),
        **dict.fromkeys(("runs", "report"), lambda: show("measure").show_history()),
        **dict.fromkeys(("build", "tune"), partial(show, "build")),
        **dict.fromkeys(("inspect",), partial(show, "inspect")),
        "serve": partial(show, "server"),
        **dict.fromkeys(("devices", "preflight", "compile"), partial(show, "devices")),
        **dict.fromkeys(("generate", "chat", "embed", "rank", "classify", "depth"), partial(show, "chat")),
        **others,
    }
    for name, texts in _TEXTS.items():
        does, words = (tr(text) for text in texts)
        action = add_action(owner, f"joinery {name} · {does}", acts[name])
        action.setProperty(SYNONYMS, f"{texts[1]} {words}")


def _show_costs(tabs: Any) -> None:
    """Shows the graph coloured by the time or bytes of its nodes."""
    tabs.show_tab("graph")
    if not tabs.graph.tools.heat.isChecked():
        tabs.graph.tools.heat.click()
