"""Reads a sweep's plan, PLAN.toml: every key is known and of its type, and nothing stands twice.

PLAN.toml ──read_plan──▶ SweepPlan │ RequestError, which names the file and the key
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from workflows.common.errors import RecipeError, RequestError, printable
from workflows.common.files import special_file_kind
from workflows.recipe.schema import Cache, Precision
from workflows.recipe.settings import check_settings, parse_settings
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.reports.sweep import LOCAL_MACHINE, StepKind

KINDS: tuple[StepKind, ...] = get_args(StepKind)
Tags = dict[str, float]
_MAX_BYTES = 1 << 20
_LONGEST = 60  # of a part; four parts and an ending fit into the name of a file
_UNSAFE = re.compile(r"[^A-Za-z0-9_+-]+")


@dataclass(frozen=True)
class SourceEntry:
    """A source: a text in the plan, or a table. name: in the ids of its steps; by default its last part."""

    source: str
    name: str = ""
    task: str | None = None
    trust_remote_code: bool = False


@dataclass(frozen=True)
class RecipeEntry:
    """A `[[recipe]]`: how bundles are built. file: a recipe file to start from. settings: as by `--set KEY=VALUE`."""

    name: str
    file: str = ""
    precision: Precision | None = None
    capacity: int | None = None
    chunk: int | None = None
    settings: dict[str, object] = field(default_factory=dict, metadata={"key": "set"})


@dataclass(frozen=True)
class ProviderEntry:
    """A provider: a text in the plan, or a table. tags: what a worker must have for its benchmarks."""

    name: str
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class BuildEntry:
    """`[build]`."""

    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class EvalEntry:
    """`[eval]`. against: the name of a recipe; empty is each source itself, of which a bundle is built every time."""

    against: str = ""
    prompts: str = ""
    steps: int = 16
    questions: int | None = None
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class BenchEntry:
    """`[bench]`."""

    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 5
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class SweepPlan:
    """A plan: sources × recipes × layouts are built and evaluated, and measured on providers × machines.

    layouts: none leaves the choice to the build. machines: `local`, and names that `joinery remote` knows.
    step_minutes: after which a step is ended.
    """

    sources: list[str | SourceEntry]
    recipe: list[RecipeEntry] = field(default_factory=lambda: [RecipeEntry("default")])
    layouts: list[Cache] | None = None
    providers: list[str | ProviderEntry] = field(default_factory=lambda: ["cpu"])
    machines: list[str] = field(default_factory=lambda: [LOCAL_MACHINE])
    steps: list[StepKind] = field(default_factory=lambda: list(KINDS))
    build: BuildEntry = BuildEntry()
    eval: EvalEntry = EvalEntry()
    bench: BenchEntry = BenchEntry()
    step_minutes: float = 30 * 24 * 60.0

    @property
    def source_entries(self) -> list[SourceEntry]:
        """The sources, each with a name."""
        entries = (SourceEntry(one) if isinstance(one, str) else one for one in self.sources)
        return [SourceEntry(one.source, one.name or _name(one.source), one.task, one.trust_remote_code)
                for one in entries]  # fmt: skip

    @property
    def provider_entries(self) -> list[ProviderEntry]:
        return [ProviderEntry(one) if isinstance(one, str) else one for one in self.providers]


def read_plan(path: Path) -> SweepPlan:
    """The plan in a file. Raises RequestError, a sentence that names the file and what of it is wrong."""
    try:
        plan = read(SweepPlan, _read_toml(path))
    except PayloadMismatch as error:
        raise RequestError(
            f"The plan {path} {error}: `joinery sweep --help` and the page Sweeps list its keys."
        ) from None
    problem = next(_problems(plan), "")
    if problem:
        raise RequestError(f"The plan {path} {problem}.")
    _check_places(plan, path)
    for entry in plan.recipe:
        try:
            recipe_options(entry)
        except RecipeError as error:
            raise RequestError(f"The plan {path} has a recipe {entry.name!r} that cannot be used: {error}") from None
    return plan


def _check_places(plan: SweepPlan, path: Path) -> None:
    """Raises RequestError for a provider that does not exist, and for a machine that is not known here."""
    from workflows.process.machines import machine_named
    from workflows.runtime.providers import PROVIDERS

    known = {name for one in PROVIDERS.values() for name in (one.name, one.provider)}
    unknown = next((one.name for one in plan.provider_entries if one.name not in known), None)
    if unknown is not None:
        raise RequestError(
            f"The plan {path} lists the provider {printable(unknown)!r}, which does not exist: "
            f"choose from {', '.join(PROVIDERS)}."
        )
    for name in plan.machines:
        if name != LOCAL_MACHINE:
            try:
                machine_named(name)
            except RequestError as error:
                raise RequestError(f"The plan {path} lists a machine that cannot be used: {error}") from None


def recipe_options(entry: RecipeEntry) -> dict[str, Any]:
    """The options of a recipe without those of its file. Raises RecipeError for an unknown setting or a wrong value."""
    texts = {key: json.dumps(value, default=str) for key, value in entry.settings.items()}  # str: of a TOML date
    options = parse_settings([f"{key}={text}" for key, text in texts.items()])
    named = {"precision": entry.precision, "capacity": entry.capacity, "chunk": entry.chunk}
    options |= {key: value for key, value in named.items() if value is not None}
    check_settings(options)
    return options


def _read_toml(path: Path) -> dict[str, Any]:
    if kind := special_file_kind(path):
        raise RequestError(f"The plan {path} is {kind}: give a TOML file.")
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise RequestError(f"The plan {path} is larger than {_MAX_BYTES >> 20} MiB.")
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise RequestError(f"The plan {path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, RecursionError):
        raise RequestError(f"The plan {path} is not a TOML text.") from None
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"The plan {path} is not TOML: {printable(error)}.") from None


def _problems(plan: SweepPlan) -> Iterator[str]:
    """What is wrong with a plan whose types are right, as the predicate of a sentence."""
    axes: dict[str, list[Any] | None] = {
        "sources": plan.sources, "recipe": plan.recipe, "layouts": plan.layouts, "providers": plan.providers,
        "machines": plan.machines, "steps": plan.steps,
    }  # fmt: skip
    for key, values in axes.items():
        if values is not None and not values:
            yield f"has nothing to do: its {key!r} is empty"
    names: dict[str, Sequence[str]] = {
        "sources": [one.name for one in plan.source_entries],
        "recipe": [one.name for one in plan.recipe],
        "layouts": plan.layouts or [],
        "providers": [one.name for one in plan.provider_entries],
        "machines": plan.machines,
        "steps": plan.steps,
    }
    for key, texts in names.items():
        slugs = [slug(text).casefold() for text in texts]
        for at, text in enumerate(texts):
            if not slugs[at]:
                yield f"has an entry without a name in {key!r}"
            if slugs[at] in slugs[:at]:
                advice = ": give one of them another name" if key in ("sources", "recipe") else ""
                yield f"has {printable(text)!r} twice in {key!r}{advice}"
    yield from _limit_problems(plan)


def _limit_problems(plan: SweepPlan) -> Iterator[str]:
    if "build" not in plan.steps:
        yield "leaves 'build' out of its 'steps', and the others need the bundles"
    if plan.eval.against and plan.eval.against not in (one.name for one in plan.recipe):
        yield f"compares against {printable(plan.eval.against)!r} ('eval.against'), which is none of its recipes"
    least = {
        "eval.steps": (plan.eval.steps, 1), "eval.questions": (plan.eval.questions, 0),
        "bench.prompt_tokens": (plan.bench.prompt_tokens, 1), "bench.new_tokens": (plan.bench.new_tokens, 1),
        "bench.repeats": (plan.bench.repeats, 1), "step_minutes": (plan.step_minutes, 0.01),
    }  # fmt: skip
    for key, (value, lowest) in least.items():
        if value is not None and not lowest <= value < 1 << 31:
            yield f"has {value} as its {key!r}: give {lowest} or more"
    for key, tags in (("build", plan.build.tags), ("eval", plan.eval.tags), ("bench", plan.bench.tags),
                      *(("providers", one.tags) for one in plan.provider_entries)):  # fmt: skip
        for tag, amount in tags.items():
            if not tag or not 0 < amount < 1 << 31:
                yield f"wants {amount:g} of the tag {printable(tag)!r} in {key!r}: give a number above 0"


def slug(text: str) -> str:
    """A text as a part of a file's name; a dot separates the parts of a name, and so is replaced."""
    return _UNSAFE.sub("-", text).strip("-")[:_LONGEST]


def _name(source: str) -> str:
    """The last part of a source: qwen3 of demo:qwen3, Qwen3-0.6B of Qwen/Qwen3-0.6B."""
    return re.split(r"[/\\:]", source.rstrip("/\\"))[-1]
