"""The subcommands by name: each is imported when it is called, so that `--help` and a wrong word take no time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "build": ("build:build", "Build a bundle from a checkpoint."),
    "generate": ("generate:generate", "Generate from one prompt."),
    "chat": ("chat:chat", "Talk with a bundle; a line is a turn."),
    "inspect": ("inspect:inspect", "Show what a bundle or a graph holds."),
    "bench": ("bench:bench", "Measure latencies, speeds and memory."),
    "devices": ("devices:devices", "List the execution providers."),
    "verify": ("verify:verify", "Check a bundle's files and its pipeline."),
    "assemble": ("assemble:assemble", "Put .onnx files together into a bundle."),
    "eval": ("eval:evaluate", "Compare a bundle with another or with a checkpoint."),
    "diverge": ("diverge:diverge", "Find the first node whose values differ."),
    "preflight": ("preflight:preflight", "Try a bundle on a provider, node by node."),
    "profile": ("profile:profile", "Time every node of a bundle."),
    "compile": ("compile:compile_contexts", "Compile a bundle's graphs for a provider."),
    "report": ("report:report", "Write a report on a bundle."),
    "import": ("import_genai:import_folder", "Make a bundle of onnxruntime-genai's folder."),
    "export-genai": ("export_genai:export_folder", "Write a bundle as onnxruntime-genai's folder."),
    "plugins": ("plugins:plugins", "Other people's code that bundles may ask for."),
    "cache": ("cache:cache", "Stages of builds that later builds reuse."),
    "runs": ("runs:runs", "What was built, generated, measured and evaluated."),
}
"""Name → module and function in this package, and what the list of commands says of it."""
BUNDLE_COMMANDS = {
    "generate", "chat", "inspect", "bench", "verify", "assemble", "diverge", "preflight", "profile", "compile",
    "report", "import", "export-genai",
}  # fmt: skip
"""Those that open what comes from elsewhere, and need no network for it. `build` and `eval` may ask the hub first."""


class CommandGroup(TyperGroup):
    """The group of all of them."""

    def __init__(self, **options: Any) -> None:
        own = {name: LazyCommand(name, place, says) for name, (place, says) in COMMANDS.items()}
        super().__init__(**(options | {"commands": own}))


class LazyCommand(TyperCommand):
    """A command that is imported when a line calls it. attach: is told of it then."""

    attach: Callable[[Any], None] | None = None

    def __init__(self, name: str, place: str, says: str) -> None:
        super().__init__(name, help=says, rich_markup_mode=None)
        self._place = place

    @cached_property
    def loaded(self) -> Any:
        """The command itself, a group where it has commands of its own."""
        module, function = self._place.split(":")
        found = getattr(import_module(f"workflows.cli.{module}"), function)
        parent = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        if isinstance(found, typer.Typer):
            parent.add_typer(found, name=self.name)
        else:
            parent.command(self.name)(found)
        command = typer.main.get_group(parent).commands[self.name or ""]
        if self.attach is not None:
            self.attach(command)
        return command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """A context whose command is the one that was loaded."""
        return self.loaded.make_context(info_name, args, parent, **extra)
