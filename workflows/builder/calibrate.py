"""Calibrates quantization methods: the optimized composite runs prompts while observers record its activations.

stage "optimize" ──its graphs with observers──▶ Engine ──trajectories──▶ Ranger  ──▶ component → Ranges
                                                                    └──▶ Moments ──▶ weight → second moments
quantized graphs ─────────────────────────────▶ Engine ──trajectories──▶ its cache ──▶ past input → scales
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.builder.layerwise_rounding import LayerwiseRounding, round_single_graph
from workflows.builder.pipeline import OptimizedComposite
from workflows.builder.stages import segment_report
from workflows.builder.tokenizer import write_tokenizer
from workflows.builder.workspace import Report
from workflows.bundle import Bundle
from workflows.bundle.read import unverified_bundle
from workflows.common.errors import RecipeError
from workflows.common.files import link_or_copy
from workflows.common.tensors import Array
from workflows.generate import Engine
from workflows.graph.described_weights import is_described
from workflows.graph.weights import WEIGHTS, write_described
from workflows.quantize import METHODS, Ranges
from workflows.quantize.calibration.moments import Products, SecondMoments
from workflows.quantize.calibration.prompts import calibration_prompts, calibration_texts
from workflows.quantize.calibration.ranges import RunObserver, add_observers, make_range_finder
from workflows.quantize.calibration.trajectories import run_trajectories
from workflows.quantize.compensated_rounding import CompensatedRounding
from workflows.quantize.integer_cache import Scales, key_rotations, scale_of
from workflows.quantize.linear_layers import find_linears
from workflows.quantize.qdq import StaticQdq
from workflows.quantize.tensor_cache import TensorCache
from workflows.recipe import QuantizeSettings, Recipe
from workflows.recipe.cut import ComponentRole, Cut
from workflows.runtime import device_named, open_machine
from workflows.runtime.execution.binding import Observer
from workflows.wire.events import LogEvent, NoticeEvent, ProgressEvent, Stage

STAGE: Stage = "quantize"
_NO_SOUND = (
    "The prompts that activations are calibrated with have no sound, so the ranges of the encoder and of what reads it "
    "are not those of speech, and replies may be far off: measure the bundle with recordings, or build it in int8."
)
_CAPACITY = 1024  # the cache's slots during calibration where the graphs leave the number open


def find_ranges(
    composite: OptimizedComposite,
    models: Mapping[str, ir.Model],
    settings: Mapping[str, QuantizeSettings],
    report: Report,
) -> tuple[dict[str, Ranges], str]:
    """Returns component → its activation ranges, empty where the recipe needs none, and a description of their source.

    models, settings: component → its optimized graph, and how it is quantized. Raises RecipeError for a model without a
    cache, PromptError as calibration_prompts does.
    """
    recipe = composite.recipe
    by_component = {name: METHODS.get(recipe.precision_of(name)) for name in models}
    methods = {name: method for name, method in by_component.items() if isinstance(method, StaticQdq)}
    if not methods:
        return {}, ""
    _refuse_single(composite.cut, next(iter(methods.values())).name, "int8 or int8-dynamic")
    names = {name: method.observed(models[name], settings[name]) for name, method in methods.items()}
    bits = min(method.bits for method in methods.values())
    ranger = make_range_finder(recipe.quantize.calibration, names, bits)
    source = _run(composite, names, ranger, report)
    description = f"{recipe.quantize.calibration.method} over {source}"
    report(LogEvent(message=f"Calibrated by {description}."))
    return ranger.ranges(), description


def find_rounding(
    composite: OptimizedComposite,
    models: Mapping[str, ir.Model],
    products: Mapping[str, Products],
    cache: TensorCache,
    report: Report,
) -> tuple[CompensatedRounding | None, str]:
    """Returns the weights in int4 as they are rounded with their inputs, None where the recipe's rounding needs none,
    and a description of their source.

    products: component → what is rounded, of its graph in `models`. cache: receives the rounded weights. Raises
    PromptError as calibration_prompts does.
    """
    recipe = composite.recipe
    if recipe.quantize.rounding != "compensated" or not any(products.values()):
        return None, ""
    rounding = CompensatedRounding(cache)
    if any(part.role == ComponentRole.ENCODER for part in composite.cut.components):
        moments = SecondMoments(products)
        source = _run(composite, moments.names, moments, report)
        moments.round(rounding)
    else:
        source = _round_with_texts(composite, models, products, rounding, report)
    description = f"rounded with {source}" if source else ""
    report(LogEvent(message=f"Calibrated: {description or 'no text is for this tokenizer, so rounded by search'}."))
    return rounding, description


def _round_with_texts(
    composite: OptimizedComposite,
    models: Mapping[str, ir.Model],
    products: Mapping[str, Products],
    rounding: CompensatedRounding,
    report: Report,
) -> str:
    """Rounds with the texts that the whole graphs, or their segments, read; returns a description of them."""
    with tempfile.TemporaryDirectory(prefix="texts-", dir=composite.optimized.parent) as folder:
        write_tokenizer(composite.tokenizer_folder, Path(folder) / "tokenizer", wanted=composite.recipe.tokenizer)
        (Path(folder) / "recipe.json").write_text(composite.recipe.model_dump_json(), "utf-8")
        bundle = unverified_bundle(Path(folder), composite.pipeline, folder)
        texts = calibration_texts(bundle, composite.recipe.quantize.calibration.prompts)
    if texts is None:
        return ""
    sessions = composite.pipeline.pipeline.sessions
    files = {name: composite.optimized / session.file for name, session in sessions.items()}
    if composite.cut.cache is None:
        round_single_graph(files, products, texts.prompts, rounding, segment_report(STAGE, report))
        return texts.origin
    names = {name: {str(one.node.name): how for one, how in products[name]} for name in models}

    def find(component: str, model: ir.Model) -> Products:
        formats = names.get(component, {})
        linears = find_linears(model, QuantizeSettings())[0]
        return [(one, formats[str(one.node.name)]) for one in linears if one.node.name in formats]

    LayerwiseRounding(composite.pipeline, rounding, segment_report(STAGE, report)).round(files, texts.prompts, find)
    return texts.origin


def find_cache_scales(composite: OptimizedComposite, models: Iterable[ir.Model], report: Report) -> tuple[Scales, str]:
    """The scales of the cache in integers, and a description of their source.

    composite: with the folder of the quantized graphs, `models`, which are small enough to run. The rows that prompts
    leave in the cache tell how large keys and values are. Raises PromptError as calibration_prompts does.
    """
    rotations = {name: one for model in models for name, one in key_rotations(model).items()}
    reaches: dict[str, NDArray[np.float32]] = {}

    def observe(engine: Engine) -> None:
        for name, rows in engine.machine.cache.rows()[1].items():
            reach = rotations[name].reach(rows) if name in rotations else np.abs(rows).max(2, keepdims=True)
            reaches[name] = np.maximum(reaches.get(name, np.float32(0)), reach)

    with _open_engine(composite) as engine:
        source = _follow_prompts(engine, composite.recipe, report, observe)
    description = f"scales of the cache over {source}"
    report(LogEvent(message=f"Calibrated: {description}."))
    return {name: scale_of(reach) for name, reach in reaches.items()}, description


def _run(composite: OptimizedComposite, names: Mapping[str, list[str]], watcher: RunObserver, report: Report) -> str:
    """Runs the recipe's prompts through the composite while `watcher` observes; returns a description of the runs."""
    optimized, sessions = composite.optimized, composite.pipeline.pipeline.sessions
    graphs = {name: _observed_graph(optimized / sessions[name].file, values, watcher) for name, values in names.items()}

    def observe(component: str, outputs: Mapping[str, Array]) -> None:
        if names.get(component):
            watcher.observe(component, outputs)

    with _open_engine(composite, graphs, observe) as engine:
        return _follow_prompts(engine, composite.recipe, report)


def _follow_prompts(
    engine: Engine, recipe: Recipe, report: Report, after: Callable[[Engine], None] = lambda engine: None
) -> str:
    """Runs the recipe's prompts and calls `after` at the end of each; returns a description of the runs."""
    calibration = recipe.quantize.calibration
    chosen = calibration_prompts(engine, calibration.prompts)

    def on_prompt(samples: int) -> None:
        after(engine)
        report(ProgressEvent(stage=STAGE, message="calibrating", done=samples, total=calibration.samples))

    if engine.machine.program.required_inputs:
        report(NoticeEvent(code="calibration", message=_NO_SOUND))
    done = run_trajectories(engine, chosen.prompts, calibration, on_prompt)
    return f"{done.samples:,} runs on {done.prompts:,} of the {len(chosen.prompts):,} prompts: {chosen.origin}"


def _refuse_single(cut: Cut, name: str, instead: str) -> None:
    if cut.cache is None:
        raise RecipeError(
            f"{name} is calibrated with generated text, and a model without a KV cache generates none: choose "
            f"{instead}."
        )


@contextmanager
def _open_engine(
    composite: OptimizedComposite, graphs: Mapping[str, bytes] | None = None, observe: Observer | None = None
) -> Iterator[Engine]:
    """Opens the composite as a bundle. graphs: component → a graph in place of its file. observe: receives outputs."""
    # beside the stage, so that weights are hard links; files that are still open are removed later, with the stages
    with tempfile.TemporaryDirectory(
        prefix="calibrate-", dir=composite.optimized.parent, ignore_cleanup_errors=True
    ) as folder:
        bundle = stage_bundle(Path(folder), composite)
        slots = _slots(composite.cut, composite.recipe)
        machine = open_machine(bundle, device_named("cpu"), capacity=slots, graphs=graphs or {}, observer=observe)
        yield Engine(bundle, machine, 0.0)


def _slots(cut: Cut, recipe: Recipe) -> int | None:
    """The number of cache slots: small where the graphs leave it open, since calibration needs no long context."""
    if recipe.cache == "window" or any(part.slots for part in cut.cached_components):
        return None
    return min(recipe.capacity, _CAPACITY + max(part.columns or 0 for part in cut.cached_components))


def _observed_graph(file: Path, values: list[str], watcher: RunObserver) -> bytes:
    model = onnx.load(file, load_external_data=False)
    add_observers(model, values, whole=watcher.whole)
    return bytes(model.SerializeToString())


def stage_bundle(folder: Path, composite: OptimizedComposite) -> Bundle:
    """The stage's graphs with the checkpoint's tokenizer files, as an unverified bundle in `folder`.

    Its sessions need a weight file, so one that is described is written: 4 bytes a weight.
    """
    write_tokenizer(composite.tokenizer_folder, folder / "tokenizer", wanted=composite.recipe.tokenizer)
    (folder / "recipe.json").write_text(composite.recipe.model_dump_json(), "utf-8")
    for name in composite.files:
        link_or_copy(composite.optimized / name, folder / name)
    if is_described(composite.optimized):
        write_described(composite.optimized, folder / WEIGHTS)
    else:
        link_or_copy(composite.optimized / WEIGHTS, folder / WEIGHTS)
    return unverified_bundle(folder, composite.pipeline, str(folder))
