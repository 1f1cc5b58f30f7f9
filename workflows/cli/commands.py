"""The subcommands by name; each is imported when it is called, which keeps `--help` and wrong commands fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import typer
from typer._click.core import Command, Context
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "build": ("build:build", "Build a bundle from a checkpoint."),
    "generate": ("generate:generate", "Generate from one prompt."),
    "chat": ("chat:chat", "Chat with a bundle; each line is a turn."),
    "embed": ("embed:embed", "Make vectors of texts, and compare them."),
    "rank": ("classify:rank", "Rank texts by their score for a query."),
    "classify": ("classify:classify", "Label texts, spans of texts, or pictures."),
    "depth": ("depth:depth", "Estimate the depth of each pixel of a picture."),
    "serve": ("serve:serve", "Serve bundles with OpenAI's interface over HTTP."),
    "inspect": ("inspect:inspect", "Show what a bundle or a graph holds."),
    "bench": ("bench:bench", "Measure latencies, speeds and memory."),
    "devices": ("devices:devices", "List the execution providers."),
    "verify": ("verify:verify", "Check a bundle's files and its pipeline."),
    "assemble": ("assemble:assemble", "Assemble .onnx files to a bundle."),
    "eval": ("eval:evaluate", "Compare a bundle with another or with a checkpoint."),
    "sweep": ("sweep:sweep", "Build, evaluate and measure many bundles by a plan."),
    "tune": ("tune:tune", "Time int4 formats on this processor, for builds."),
    "diverge": ("diverge:diverge", "Find the first node whose values differ."),
    "preflight": ("preflight:preflight", "Try a bundle on a provider, node by node."),
    "profile": ("profile:profile", "Time every node of a bundle."),
    "compile": ("compile:compile_contexts", "Compile a bundle's graphs for a provider."),
    "report": ("runs:report", "Write a report on a bundle."),
    "import": ("genai:import_folder", "Make a bundle of onnxruntime-genai's folder."),
    "export-genai": ("genai:export_folder", "Write a bundle as onnxruntime-genai's folder."),
    "export-gguf": ("genai:export_file", "Write a bundle as a GGUF file for llama.cpp."),
    "samples": ("samples:samples", "Write programs that run a bundle without Joinery."),
    "plugins": ("plugins:plugins", "Third-party plugins that bundles may name."),
    "cache": ("cache:cache", "Stages of builds that later builds reuse."),
    "remote": ("remote:remote", "Other machines, on which --on NAME runs a command."),
    "runs": ("runs:runs", "The history: builds, generations, measurements."),
}
"""Name → module and function in this package, and its line in the list of commands."""
BUNDLE_COMMANDS = {
    "generate", "chat", "embed", "rank", "classify", "depth", "inspect", "bench", "verify", "assemble", "diverge",
    "preflight", "profile", "compile", "report", "import", "export-genai", "export-gguf", "samples",
}  # fmt: skip
"""Commands that open untrusted input and need no network. `build` and `eval` may use the hub before."""
MACHINE_FLAG = "--on"


def names_machine(arguments: Sequence[str]) -> bool:
    """Whether a command line may have --on. Its process keeps the network then, and opens no bundle."""
    return any(one == MACHINE_FLAG or one.startswith(f"{MACHINE_FLAG}=") for one in arguments)


class CommandGroup(TyperGroup):
    """The group of all subcommands."""

    def __init__(self, **options: Any) -> None:
        own = {name: LazyCommand(name, target, summary) for name, (target, summary) in COMMANDS.items()}
        super().__init__(**(options | {"commands": own}))


class LazyCommand(TyperCommand):
    """A command that is imported when it is called."""

    def __init__(self, name: str, target: str, summary: str) -> None:
        super().__init__(name, help=summary, rich_markup_mode=None)
        self._target, self._on_load = target, list[Callable[[Command], None]]()

    def on_load(self, callback: Callable[[Command], None]) -> None:
        """Calls `callback` with the command once it is imported."""
        self._on_load.append(callback)

    @cached_property
    def loaded(self) -> Command:
        """The imported command; a group if it has subcommands."""
        module, function = self._target.split(":")
        target = getattr(import_module(f"workflows.cli.{module}"), function)
        parent = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        if isinstance(target, typer.Typer):
            parent.add_typer(target, name=self.name)
        else:
            parent.command(self.name)(target)
        command = typer.main.get_group(parent).commands[self.name or ""]
        for callback in self._on_load:
            callback(command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: Context | None = None, **extra: Any
    ) -> Context:
        return self.loaded.make_context(info_name, args, parent, **extra)
