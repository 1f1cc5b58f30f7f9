"""The steps of a plan, in the order in which they run one at a time: each bundle is finished before the next begins.

SweepPlan ──plan_steps──▶ [build a, eval a, bench a cpu, build b …], each with the digest of all its inputs
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from workflows import __version__
from workflows.common.errors import RequestError
from workflows.common.files import special_file_kind
from workflows.recipe.settings import read_recipe_file
from workflows.service.sweep.plan import ProviderEntry, RecipeEntry, SourceEntry, SweepPlan, recipe_options, slug
from workflows.wire.reports.sweep import StepKind, SweepStep

AUTOMATIC = "auto"
"""A layout in names of bundles: the build chooses it."""


@dataclass(frozen=True)
class _Point:
    """One bundle of the product."""

    source: SourceEntry
    recipe: RecipeEntry
    layout: str

    @property
    def name(self) -> str:
        return ".".join((slug(self.source.name), slug(self.recipe.name), self.layout or AUTOMATIC))


def plan_steps(plan: SweepPlan, plan_folder: Path) -> list[SweepStep]:
    """The steps, each after those that it needs. plan_folder: its relative paths begin there.

    Raises RequestError for a file of the plan that cannot be read.
    """
    planner = _StepPlanner(plan, plan_folder)
    layouts = list(plan.layouts) if plan.layouts is not None else [""]
    points = [_Point(*one) for one in product(plan.source_entries, plan.recipe, layouts)]
    points.sort(key=lambda one: one.recipe.name != plan.eval.against)  # stable: others are compared with these
    return [step for point in points for step in planner.steps_of(point)]


class _StepPlanner:
    """Makes the steps of one plan."""

    def __init__(self, plan: SweepPlan, folder: Path) -> None:
        self._plan, self._folder = plan, folder
        self._builds: dict[str, SweepStep] = {}
        self._options = {one.name: self._read_options(one) for one in plan.recipe}
        self._sources = {one.name: self._resolve_source(one.source) for one in plan.source_entries}
        self._prints = {name: source_fingerprint(source) for name, source in self._sources.items()}
        self._prompts = self._path(plan.eval.prompts) if plan.eval.prompts else None
        self._prompts_digest = hashlib.sha256(_read_file(self._prompts, "prompts")).hexdigest() if self._prompts else ""

    def steps_of(self, point: _Point) -> Iterator[SweepStep]:
        """The build of a point, then what needs its bundle."""
        build = self._builds[point.name] = self._build(point)
        yield build
        if "eval" in self._plan.steps:
            yield self._eval(point, build)
        if "bench" in self._plan.steps:
            for provider, machine in product(self._plan.provider_entries, self._plan.machines):
                yield self._bench(point, build, provider, machine)

    def _build(self, point: _Point) -> SweepStep:
        options = dict(self._options[point.recipe.name])
        options |= {"cache": point.layout} if point.layout else {}
        options |= {"task": point.source.task} if point.source.task else {}
        trust = point.source.trust_remote_code
        arguments = {
            "source": self._sources[point.source.name],
            "options": options,
            "trust_remote_code": trust,
        }
        files = self._prints[point.source.name]
        inputs = {"options": options, "files": files, "trust_remote_code": trust, "version": __version__}
        return self._step("build", point, arguments, inputs, tags=self._plan.build.tags)

    def _eval(self, point: _Point, build: SweepStep) -> SweepStep:
        wanted, needs, against = self._plan.eval, [build], ""
        if wanted.against:
            reference = self._builds[replace(point, recipe=self._recipe(wanted.against)).name]
            against, needs = reference.bundle, [*needs, reference] if reference is not build else needs
        arguments = {
            "against": against,
            "source": self._sources[point.source.name],
            "prompts": str(self._prompts or ""),
            "steps": wanted.steps,
            "questions": wanted.questions,
            "trust_remote_code": point.source.trust_remote_code,
        }
        inputs = {
            "steps": wanted.steps, "questions": wanted.questions, "prompts": self._prompts_digest,
            "against": bool(against),
        }  # fmt: skip
        return self._step("eval", point, arguments, inputs, needs, wanted.tags)

    def _bench(self, point: _Point, build: SweepStep, provider: ProviderEntry, machine: str) -> SweepStep:
        wanted = self._plan.bench
        load = {"prompt_tokens": wanted.prompt_tokens, "new_tokens": wanted.new_tokens, "repeats": wanted.repeats}
        inputs = load | {"provider": provider.name, "machine": machine}
        step = self._step("bench", point, dict(load), inputs, [build], wanted.tags | provider.tags)
        parts = [step.id, slug(provider.name), *([] if machine == "local" else [slug(machine)])]
        return replace(step, id="-".join(parts), provider=provider.name, machine=machine)

    def _step(
        self,
        kind: StepKind,
        point: _Point,
        arguments: dict[str, object],
        inputs: Mapping[str, object],
        needs: list[SweepStep] | None = None,
        tags: dict[str, float] | None = None,
    ) -> SweepStep:
        before = needs or []
        return SweepStep(
            id=f"{point.name}.{kind}",
            kind=kind,
            bundle=point.name,
            digest=_digest({"kind": kind, **inputs, "needs": [one.digest for one in before]}),
            source=point.source.name,
            recipe=point.recipe.name,
            layout=point.layout,
            provider="cpu",
            machine="local",
            arguments=arguments,
            needs=[one.id for one in before],
            tags=tags or {},
            seconds=self._plan.step_minutes * 60,
        )

    def _recipe(self, name: str) -> RecipeEntry:
        return next(one for one in self._plan.recipe if one.name == name)

    def _read_options(self, entry: RecipeEntry) -> dict[str, Any]:
        """The options of a recipe's file and of its entry. Raises RecipeError for a file that is no recipe."""
        options = read_recipe_file(self._path(entry.file)) if entry.file else {}
        return options | recipe_options(entry)

    def _path(self, text: str) -> Path:
        return (self._folder / text).resolve()

    def _resolve_source(self, source: str) -> str:
        """A folder below the plan's as an absolute path; a demo or a hub id as it is."""
        local = self._folder / source
        return str(local.resolve()) if not source.startswith("demo:") and local.is_dir() else source


def source_fingerprint(source: str) -> str:
    """What changes when a source's files do: names, sizes and times of a folder's files; a demo or hub id itself.

    The commit of a hub id is not among them: it is known only after the download.
    """
    folder = Path(source)
    if source.startswith("demo:") or not folder.is_dir():
        return source
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    entries = [(path.relative_to(folder).as_posix(), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return _digest({"files": entries})


def _read_file(path: Path, what: str) -> bytes:
    """The content of a file of the plan. Raises RequestError."""
    if kind := special_file_kind(path):
        raise RequestError(f"The {what} file {path} is {kind}: give a file.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise RequestError(f"The {what} file {path} cannot be read: {error.strerror}.") from None


def _digest(inputs: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()
