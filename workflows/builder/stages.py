"""The stages that make graphs, and the evidence of each.

checkpoint ──make_export──▶ graphs over weights.data ──make_optimize──▶ graphs, stages/<component>.tar.xz, parity
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import onnx_ir as ir

from workflows.builder.warmup import import_exporter
from workflows.builder.workspace import Report, timed_stage
from workflows.bundle.evidence import Evidence, load_evidence
from workflows.bundle.schema import Pipeline
from workflows.checkpoint import Checkpoint
from workflows.common.errors import Cancelled, JoineryError, LayoutError, RecipeError, is_out_of_memory
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.evaluation.layerwise_parity import LayerwiseParityRunner
from workflows.evaluation.parity import EACH_PASS_MAX_BYTES, TOLERANCE, Outputs, Parity, ParityRunner, is_usable
from workflows.export.reference import SEEING_FILE, ReferenceLogits
from workflows.graph.described_weights import is_described
from workflows.graph.weights import WEIGHTS, load_saved_graph, save_graphs
from workflows.inspection.build_stages import EXPORT, archive_name
from workflows.inspection.snapshots import ComponentSnapshots, GraphSnapshot
from workflows.optimize import PASSES, Pass, PassReport, run_passes
from workflows.optimize.queries import required_inputs
from workflows.recipe import Recipe
from workflows.recipe.schema import cache_writer
from workflows.wire.events import ProgressEvent, Stage

EXPERT_OPERATORS = ("MoE", "QMoE")
# Rounding relative to the float32 model, by the dtype of the cache: half precision has 11 bits.
_TOLERANCES = {"float32": 2 * TOLERANCE, "float16": 3e-2, "int8": 2 * TOLERANCE}  # int8 comes later, in quantize


def make_export(checkpoint: Checkpoint, recipe: Recipe, folder: Path, report: Report) -> Evidence:
    """Exports the recipe's graphs and their weight file into `folder`."""
    with timed_stage(report, "import"):  # part of the export, and the longest of a small model's
        import_exporter()
        from workflows.export.components import export_components

    cut = export_components(checkpoint, recipe, folder, report)
    return [
        {
            "name": EXPORT,
            "component": part.name,
            "role": part.role,
            "file": part.file,
            "layers": part.state and [asdict(layer) for layer in part.state.layers],
            "passes": [],
            "snapshot": f"{EXPORT}.onnx",
        }
        | graph_facts(ir.load(folder / part.file))
        for part in cut.components
    ]


def make_optimize(exported: Path, recipe: Recipe, pipeline: Pipeline, folder: Path, report: Report) -> Evidence:
    """Runs the recipe's passes on the graphs of the stage `exported` and writes them into `folder`.

    Raises JoineryError, naming the pass, where one violates its contract or changes the output, and LayoutError where
    graphs that write their cache cannot run: a kernel may have an unknown precondition.
    """
    passes = [PASSES[name] for name, on in recipe.passes.items() if on]
    reference, described = ReferenceLogits.read(exported), is_described(exported)
    runner = ParityRunner(pipeline)
    if described and reference is not None:
        runner = LayerwiseParityRunner(pipeline, reference, segment_report("optimize", report))
    watch = _PassObserver(exported, pipeline, folder, recipe.cache, runner)
    models: dict[str, ir.Model] = {}
    evidence: Evidence = []
    for component in load_evidence(exported):
        model = models[component["file"]] = load_saved_graph(exported / component["file"])
        steps = watch.run_passes(component["component"], model, passes, report)
        evidence.append({**component, "name": "optimize", "passes": steps} | graph_facts(model))
    regions = save_graphs(models, folder, described)
    for name, snapshots in watch.snapshots.items():
        snapshots.write(folder / archive_name(name), regions)
    report(ProgressEvent(stage="optimize", message="comparing the graphs with the exported ones"))
    parity = watch.compare_all()
    if isinstance(watch.runner, LayerwiseParityRunner):  # for the quantized graphs: a run costs a minute
        watch.runner.reference_of(watch.finished).write(folder)
    truth = _reference_parity(reference, recipe, watch)
    _reference_parity(ReferenceLogits.read(exported, SEEING_FILE), recipe, watch)
    rows = _row_parity(recipe, watch)
    return [entry | {"parity": parity, "against_model": truth, **rows} for entry in evidence]


def segment_report(stage: Stage, report: Report) -> Callable[[int, int], None]:
    """Reports the segments of a graph that a comparison has run."""

    def on_segment(done: int, total: int) -> None:
        message = "running the graph, layer by layer"
        report(ProgressEvent(stage=stage, message=message, done=done, total=total, unit="layers"))

    return on_segment


def _reference_parity(reference: ReferenceLogits | None, recipe: Recipe, watch: _PassObserver) -> Any:
    """Compares the final graphs with the reference logits, if there are any. Raises RecipeError if they differ."""
    if reference is None:
        return None
    truth = watch.runner.compare_with_reference(reference, watch.finished)
    if not truth.holds(_TOLERANCES[recipe.kv_dtype]):
        seen = " with pictures or sound" if reference.given else ""
        raise RecipeError(
            f"The graphs' logits are off by {truth.difference:.3g} from the model's own (of values up to "
            f"{truth.largest:.3g}, within {truth.tokens:,} tokens{seen}), more than rounding explains, so this model "
            "cannot be built."
        )
    return truth.to_dict()


def _row_parity(recipe: Recipe, watch: _PassObserver) -> dict[str, Any]:
    """Compares texts that steps continue together with each alone, of a batch. Raises RecipeError if they differ.

    Graphs of weights that the memory does not hold are not run whole.
    """
    if recipe.batch == 1 or isinstance(watch.runner, LayerwiseParityRunner):
        return {}
    parity = watch.runner.compare_rows(watch.finished)
    if not parity.holds():
        raise RecipeError(
            f"Texts that a step continues together have other logits than alone, by {parity.max_abs_diff:.3g} (of "
            f"values up to {parity.largest:.3g}): this model mixes them, so leave batch out."
        )
    return {"rows": parity.to_dict()}


class _PassObserver:
    """Takes a snapshot after each pass and, where the weights are small, compares it with the one before."""

    def __init__(self, exported: Path, pipeline: Pipeline, folder: Path, cache: str, runner: ParityRunner) -> None:
        self.snapshots: dict[str, ComponentSnapshots] = {}
        self.runner, self._folder = runner, folder
        own = {*pipeline.pipeline.sessions} - {*pipeline.pipeline.outline().sessions}
        draft = pipeline.draft_pipeline(pipeline.capacity or DEFAULT_CAPACITY)
        # components that no run of the target uses
        self._drafts = dict.fromkeys(own, ParityRunner(draft)) if draft else {}
        self._files = {name: exported / session.file for name, session in pipeline.pipeline.sessions.items()}
        self._each = not is_described(exported) and (exported / WEIGHTS).stat().st_size <= EACH_PASS_MAX_BYTES
        self._cache = cache
        # a large graph is compared with the model's own logits, and with the exported one where it differs from these
        self._exported = None if isinstance(runner, LayerwiseParityRunner) else self._run_exported()

    def _run_exported(self) -> Outputs:
        """The outputs of the exported graphs. Raises LayoutError where those that write their cache do not run."""
        try:
            outputs = self.runner.run(self._files)
        except Cancelled:
            raise
        except JoineryError as error:
            problem = "The exported graphs do not run, so passes cannot be compared with them"
            if cache_writer(self._cache) == "host" or is_out_of_memory(error):
                raise JoineryError(f"{problem}: {error}") from error
            reason = f"The graphs of the {self._cache} cache do not run ({str(error).rstrip('.')})"
            raise LayoutError(f"{reason}: build with --cache static.") from error
        if not all(map(is_usable, outputs)):
            raise JoineryError(
                "The exported graphs give NaN or infinity for ordinary tokens, so passes cannot be compared with "
                "them: this model cannot be built."
            )
        return outputs

    def run_passes(self, component: str, model: ir.Model, passes: list[Pass], report: Report) -> Evidence:
        """Runs `passes` on the model of one component; returns the evidence of each."""
        history = self.snapshots[component] = ComponentSnapshots()
        history.take(EXPORT, model)
        probe, last, steps = self._drafts.get(component, self.runner), f"{EXPORT}.onnx", list[dict[str, Any]]()
        before = self._exported if probe is self.runner or not self._each else probe.run(self._files)
        titles = {one.name: one.title for one in passes}

        def after(done: PassReport, changed: ir.Model) -> None:
            nonlocal before, last
            report(ProgressEvent(stage="optimize", message=f"{component}: {done.name}", component=component))
            parity = None
            if done.modified:
                snapshot, last = history.take(done.name, changed), f"{done.name}.onnx"
                if self._each:
                    outputs = self._run(probe, component, snapshot, done.name)
                    assert before is not None  # as for all models of whose passes each is compared
                    parity = probe.compare(before, outputs)
                    self._judge(parity, done.name, component)
                    before = outputs
            more = {"title": titles[done.name], "bytes": _weight_bytes(changed), "snapshot": last}
            steps.append(done.to_dict() | more | {"parity": parity and parity.to_dict()})

        run_passes(model, passes, after)
        return steps

    def compare_all(self) -> dict[str, Any]:
        """Compares all final graphs together with the model's own logits, or with the exported ones."""
        try:
            finished = self.runner.run(self.finished)
        except Cancelled:
            raise
        except JoineryError:
            self._run_exported()  # raises where these do not run either
            raise
        if isinstance(self.runner, LayerwiseParityRunner):
            parity = self.runner.compare_with_model(self.finished)
            if parity.greedy_tokens and parity.holds():
                return replace(parity, note="all passes together, with the model's own logits").to_dict()
        limit = f"above {EACH_PASS_MAX_BYTES >> 20} MB of weights passes are not compared one by one"
        note = "" if self._each else f"all passes together: {limit}"
        parity = self.runner.compare(self._exported or self._run_exported(), finished)
        self._judge(parity, "the passes together", f"the model{'' if parity.holds() else self._first_layer()}")
        return replace(parity, note=parity.note or note).to_dict()

    def _first_layer(self) -> str:
        """Where the passes changed what the model computes, if a comparison layer by layer shows it."""
        if not isinstance(self.runner, LayerwiseParityRunner):
            return ""
        layer = self.runner.first_difference(self._files, self.finished)
        return " after the last layer" if layer is None else f" from layer {layer} on"

    @property
    def finished(self) -> dict[str, Path]:
        """Component → its graph after all passes."""
        return {name: self._folder / file.name for name, file in self._files.items()}

    def _run(self, probe: ParityRunner, component: str, snapshot: GraphSnapshot, name: str) -> Any:
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            graph = Path(folder) / "graph.onnx"
            graph.write_bytes(snapshot.whole())
            try:
                return probe.run(self._files | {component: graph})
            except JoineryError as error:
                raise JoineryError(
                    f"The pass {name} left a {component} that does not run: {error} {_switch_off(name)}"
                ) from error

    def _judge(self, parity: Parity, name: str, component: str) -> None:
        if parity.holds():
            return
        raise JoineryError(
            f"The pass {name} changed what {component} computes by {parity.max_abs_diff:.3g} (of values up to "
            f"{parity.largest:.3g}, {parity.greedy_equal} of {parity.greedy_tokens} tokens alike), more than rounding "
            f"explains. {_switch_off(name)}"
        )


def _switch_off(name: str) -> str:
    return f"Switch it off with --set passes.{name}=false." if name in PASSES else "Switch passes off one by one."


def graph_facts(model: ir.Model) -> dict[str, Any]:
    """Inputs, outputs, operator counts and weight bytes of one graph; step_bytes: of these, what one token reads."""
    return {
        "inputs": [str(value.name) for value in required_inputs(model.graph)],
        "outputs": [str(value.name) for value in model.graph.outputs],
        "nodes": model.graph.num_nodes(),
        "op_counts": dict(Counter(f"{node.domain}.{node.op_type}".lstrip(".") for node in model.graph).most_common()),
        "opset": {domain or "ai.onnx": version for domain, version in model.opset_imports.items()},
        "bytes": _weight_bytes(model),
        "step_bytes": _weight_bytes(model) - _idle_bytes(model),
    }


def _weight_bytes(model: ir.Model) -> int:
    return sum(value.const_value.nbytes for value in model.graph.initializers.values() if value.const_value)


def _idle_bytes(model: ir.Model) -> int:
    """The bytes of experts that one token does not select."""
    idle = 0
    for node in model.graph:
        if node.op_type in EXPERT_OPERATORS:
            held = [value.const_value for value in node.inputs if value is not None and value.const_value is not None]
            count = max((int(tensor.shape[0]) for tensor in held), default=0)
            experts = sum(tensor.nbytes for tensor in held if int(tensor.shape[0]) == count)
            idle += experts * max(0, count - node.attributes.get_int("k", 1)) // max(count, 1)
    return idle
