"""Ranges for the methods that need them: the optimized composite itself is opened, observed, and answers prompts.

    stage "optimize" ──its graphs with observers──▶ Engine ──trajectories──▶ Ranger ──▶ component → Ranges
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.builder.tokenizer import write_tokenizer
from workflows.builder.work import Report
from workflows.bundle import Bundle
from workflows.bundle.read import draft_of
from workflows.bundle.schema import Pipeline
from workflows.errors import RecipeError
from workflows.generate import Engine
from workflows.quantize import METHODS, Ranges
from workflows.quantize.calibration import (
    Ranger,
    add_observers,
    calibration_prompts,
    follow_trajectories,
    make_ranger,
)
from workflows.quantize.qdq import StaticQdq
from workflows.recipe import Recipe
from workflows.recipe.cut import Cut
from workflows.runtime import device_named, open_machine
from workflows.weights import WEIGHTS, link_or_copy
from workflows.wire.events import LogEvent, ProgressEvent

STAGE = "quantize"
_CAPACITY = 1024  # slots that calibration runs with where the graphs leave it open


def find_ranges(
    optimized: Path,
    models: Mapping[str, ir.Model],
    recipe: Recipe,
    cut: Cut,
    pipeline: Pipeline,
    words: Path,
    report: Report,
) -> tuple[dict[str, Ranges], str]:
    """Component → its ranges, empty where the recipe needs none; and in words what they were found with.

    models: component → its optimized graph. words: the checkpoint's folder, with its tokenizer. Raises RecipeError for
    a model without a cache, PromptError as calibration_prompts does.
    """
    chosen_of = {name: METHODS.get(recipe.precision_of(name)) for name in models}
    methods = {name: method for name, method in chosen_of.items() if isinstance(method, StaticQdq)}
    if not methods:
        return {}, ""
    _refuse_single(cut, next(iter(methods.values())).name)
    names = {name: method.observed(models[name], recipe.quantize) for name, method in methods.items()}
    calibration = recipe.quantize.calibration
    bits = min(method.bits for method in methods.values())
    ranger = make_ranger(calibration, names, bits)
    with _opened(optimized, recipe, cut, pipeline, words, names, ranger) as engine:
        chosen = calibration_prompts(engine, calibration.prompts)

        def tell(samples: int) -> None:
            report(ProgressEvent(stage=STAGE, message="calibrating", done=samples, total=calibration.samples))

        done = follow_trajectories(engine, chosen.prompts, calibration, tell)
    reached = f"{done.prompts:,} of the {len(chosen.prompts):,} prompts"
    said = f"{calibration.method} over {done.samples:,} runs on {reached}: {chosen.origin}"
    report(LogEvent(message=f"Calibrated by {said}."))
    return ranger.ranges(), said


def _refuse_single(cut: Cut, name: str) -> None:
    if cut.cache is None:
        raise RecipeError(
            f"{name} is calibrated on what a model generates, and one without a KV cache generates nothing: choose "
            "int8 or int8-dynamic."
        )


@contextmanager
def _opened(
    optimized: Path,
    recipe: Recipe,
    cut: Cut,
    pipeline: Pipeline,
    words: Path,
    names: Mapping[str, list[str]],
    ranger: Ranger,
) -> Iterator[Engine]:
    """The optimized composite as an open bundle, whose observed sessions tell `ranger`."""
    files = {name: optimized / pipeline.pipeline.sessions[name].file for name in names}
    graphs = {name: _observed(files[name], values, ranger) for name, values in names.items()}

    def observe(component: str, outputs: Mapping[str, NDArray[Any]]) -> None:
        if names.get(component):
            ranger.take(component, outputs)

    # beside the stage, so that weights are linked; an open file is not removed everywhere, and goes with the stages
    with tempfile.TemporaryDirectory(prefix="calibrate-", dir=optimized.parent, ignore_cleanup_errors=True) as folder:
        bundle = draft_bundle(Path(folder), optimized, recipe, pipeline, words)
        slots = _slots(cut, recipe)
        machine = open_machine(bundle, device_named("cpu"), capacity=slots, graphs=graphs, observer=observe)
        yield Engine(bundle, machine, 0.0)


def _slots(cut: Cut, recipe: Recipe) -> int | None:
    """Few where the graphs leave it open: what a long context would take is not needed."""
    if recipe.cache == "window" or any(part.slots for part in cut.keepers):
        return None
    return min(recipe.capacity, _CAPACITY + max(part.columns or 0 for part in cut.keepers))


def _observed(file: Path, values: list[str], ranger: Ranger) -> bytes:
    model = onnx.load(file, load_external_data=False)
    add_observers(model, values, whole=ranger.whole)
    return bytes(model.SerializeToString())


def draft_bundle(folder: Path, optimized: Path, recipe: Recipe, pipeline: Pipeline, words: Path) -> Bundle:
    """The stage's graphs with the checkpoint's words about itself, as a bundle that nobody verifies."""
    write_tokenizer(words, folder / "tokenizer")
    (folder / "recipe.json").write_text(recipe.model_dump_json(), "utf-8")
    for name in {session.file for session in pipeline.pipeline.sessions.values()} | {WEIGHTS}:
        link_or_copy(optimized / name, folder / name)
    return draft_of(folder, pipeline, str(folder))
