"""A worker that follows a script: it speaks the engine's protocol and loads nothing.

    python tests/fakes/worker.py '{"fail_stage": "export", "delay": 0.01}'

What it says is made of the wire's own classes, and so may be what a scenario holds. Its fields, all optional:
    delay            seconds between two events (0)
    rate             tokens a second of generate, kept on the average (as fast as they go)
    garbage          true: lines that are no events, and one line in two halves, come before each answer
    crash_on         job that ends the process with SIGKILL (a list of jobs works as well)
    crash_after      events that job sends first (0)
    hang_on          job that never ends and ignores cancel (terminate ends it; with "stubborn" only kill does)
    fail_stage       build stage that fails, with `fail_times` (1) counted over processes in `state`
    endless_stage    build stage that ends by a cancel alone the first time, counted in `state`
    state            a file where counts are kept between processes
    errors           {job: fields of an ErrorEvent}: the job fails so
    probe            fields that replace those of the ProbeReport
    remote_code      {file: sha256}: the probe asks for consent
    reply            the text that generate streams, word by word ("56")
    drafts           {name of a bundle's folder: why it cannot draft}
    wrong_form       what makes a reply's form wrong where it stands in its text
    replies          {name of a bundle's folder: text}: other replies of these, with an id a word
    base             true: the bundle has no chat template, and completes text
    sees, listens    true: the bundle takes pictures; it transcribes sounds, in one segment
    seeing, listening  the names of the bundles that do, where not all do
    takes_sound      true: the bundle takes recordings beside a prompt
    bases            [names of bundles' folders]: these alone do so
    capacities       {name of a bundle's folder: slots} (4096)
    opening          seconds that a bundle takes to open (delay)
    asked            a file to which generate writes each of its requests, a JSON object a line
    tokens           how many tokens generate streams, repeating the reply (its words)
    drafts           [[drafted, kept], …]: what each run of generate after the first token drafts and keeps, in turns
    finish_reason    of generate ("eos")
    chunks           prefill chunks of generate (1)
    notice           {"code", "message"}: a notice amid the tokens
    inspection       an InspectReport, without its path
    graph            a file with a GraphReport (a decoder of two layers in three stages)
    layers           how many layers that decoder has (2)
    graphs           {stage or path: file}: graphs of stages or paths of their own
    diff             a file with a DiffReport
    tensor           fields that replace those of a TensorReport
    netron           the file of an ExcerptReport
    eval             fields that replace those of an EvalReport
    lowest           the shortest length above 0 that a rewind can go back to (1)
    layouts          the offers of cache layouts (all but gqa can be had)
    cacheless        true: the model keeps no cache
    encoder          the longest source of a recipe's encoder (it has none)
    assembly         fields that replace those of an AssemblyReport
    devices          the fields of each device (a CPU, a QNN that can be used, a WebGPU whose plugin lacks, a DirectML)
    providers        {name: what is wrong with it}: "lies" takes no node, "crash" and "hang" in load, "hang-step" and
                     "nan" when it computes
    preflight        fields that replace those of a PreflightReport
    hostile          a text that stands before each free text of what it says
    cross            tokens of a source that an encoder has read: the cache gets a group of these
    fixed            "beside": the cache gets a group of state of fixed size; "alone": it has no other
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import signal
import sys
import threading
import time
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.fakes import accuracy, divergence, goals, graphs, preflights, profiles
from tests.fakes.hostile import poisoned
from tests.fakes.inspections import state_group
from tests.fakes.plans import plan_of, probe_of
from workflows.wire import request_lines
from workflows.wire import requests as ask
from workflows.wire.codec import dumps, read
from workflows.wire.events import (
    BuildDone,
    CacheEvent,
    CacheUse,
    ChunkEvent,
    ErrorEvent,
    Event,
    FinishReason,
    GenerationDone,
    GroupView,
    LogEvent,
    NoticeEvent,
    PicturesEvent,
    PictureSpan,
    ProgressEvent,
    ReadyEvent,
    ResultEvent,
    SegmentEvent,
    SpeculationEvent,
    SpeculationUse,
    SpeechChoices,
    Stage,
    StageEvent,
    TokenEvent,
)
from workflows.wire.reports.accuracy import PairedFigure
from workflows.wire.reports.base import Done, Report
from workflows.wire.reports.bench import BenchCache, BenchReport, CompositeRow, Percentiles, Roofline
from workflows.wire.reports.capabilities import CapabilitiesReport, ModelFit, PresetFit
from workflows.wire.reports.compiled import CompiledComponent, CompileReport
from workflows.wire.reports.composite import AssemblyReport
from workflows.wire.reports.cost import QuantizationCost
from workflows.wire.reports.devices import Device, DevicesReport, PluginReport
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.reports.goal import GOAL_FILE
from workflows.wire.reports.graphs import (
    DiffReport,
    ExcerptReport,
    GraphReport,
    TensorReport,
    TrialReport,
    ValueHistogram,
)
from workflows.wire.reports.harness import HarnessReport, TaskScore
from workflows.wire.reports.inspection import InspectReport, VerifyReport
from workflows.wire.reports.labels import LabelsReport, ScoredLabel, ScoredSpan
from workflows.wire.reports.machines import MachineReport
from workflows.wire.reports.memory import MemoryFit
from workflows.wire.reports.parts import PartReport
from workflows.wire.reports.pictures import DepthReport, PictureLabelsReport
from workflows.wire.reports.rounding import NodeRounding, RoundingReport
from workflows.wire.reports.runs import WrittenReport
from workflows.wire.reports.sound import SoundReport
from workflows.wire.reports.sweep import SweepCounts, SweepReport
from workflows.wire.reports.tuning import TuneReport

T = TypeVar("T")
STAGES: tuple[Stage, ...] = ("checkpoint", "export", "optimize", "quantize", "bundle")
SPEECH = SpeechChoices(languages=["de", "en", "xx"], tasks=["transcribe", "translate"], times=True)
CPU = Device("cpu", "CPU", "CPUExecutionProvider", "CPU", "GenuineIntel", 16 << 30, usable=True)
QNN = Device("qnn", "Qualcomm QNN", "QNNExecutionProvider", "NPU", "Qualcomm", None, usable=True, compiles=True)
WEBGPU = Device(
    "webgpu",
    "WebGPU",
    "WebGpuExecutionProvider",
    "GPU",
    reason="The plugin onnxruntime-ep-webgpu is not installed.",
    remedy="Install it: pip install onnxruntime-ep-webgpu.",
    install="onnxruntime-ep-webgpu",
)
DML = Device(
    "dml",
    "DirectML GPU",
    "DmlExecutionProvider",
    "GPU",
    reason="DirectML needs Windows 10 or later.",
    remedy="Update the driver of the device.",
)


def start_command(scenario: str) -> list[str]:
    """The command line for a scenario as JSON; the tests of the window replace it by one that forks a server."""
    return [sys.executable, str(Path(__file__).resolve()), scenario]


def program(**scenario: Any) -> list[str]:
    """The command line of a fake worker that follows `scenario`."""
    return start_command(dumps(scenario))


def known_models() -> list[ModelFit]:
    """The context of each model in int4 and int8: with the memory that is free, and with all of it."""
    contexts = {
        ("Qwen/Qwen3-0.6B", 596_049_920): ((40_960, 40_960), (40_960, 40_960)),
        ("Qwen/Qwen3-8B", 8_190_735_360): ((9_216, 24_064), (0, 6_144)),
        ("meta-llama/Llama-3.3-70B-Instruct", 70_553_706_496): ((0, 0), (0, 0)),
    }
    return [
        ModelFit(name, size, 40_960, 2 * size, 1 << 31, [
            PresetFit("compact", "int4", size * 9 // 16, 114_688, *contexts[name, size][0]),
            PresetFit("balanced", "int4", size * 11 // 16, 114_688, *contexts[name, size][0]),
            PresetFit("accurate", "int8", size * 17 // 16, 114_688, *contexts[name, size][1]),
        ])
        for name, size in contexts
    ]  # fmt: skip


def bench_row(provider: str, request: ask.Bench) -> CompositeRow:
    """The figures of a provider."""
    return CompositeRow(
        provider, request.repeats, request.prompt_tokens or 128, request.new_tokens or 64, 40.0,
        Percentiles(5.0, 5.5, 6.0), 3200.0, 200.0, Roofline(1 << 20, 1 << 30, 0.5), BenchCache("static", 4096),
        240 << 20, memory=MemoryFit(2 << 20, 6 << 20, 2 << 10, 9 << 20, 512, 4096),
    )  # fmt: skip


def changed(report: T, fields: dict[str, Any]) -> T:
    """The report with some of its fields replaced by what JSON says of them."""
    return read(type(report), {**json.loads(dumps(report)), **fields})


def drafted_runs(total: int, runs: list[list[int]]) -> list[SpeculationEvent]:
    """The runs of a generation of `total` tokens, by [drafted, kept] in turns; none without any."""
    found, step = list[SpeculationEvent](), 1
    for drafted, wanted in cycle(runs):
        if step >= total:
            break
        kept = min(wanted, total - step)
        took = 4.0 + drafted / 4
        accepted = kept - (kept == wanted)  # the last one is the model's own, but for an end within the draft
        found.append(
            SpeculationEvent(step=step, by="ngram", drafted=drafted, accepted=accepted, kept=kept, latency_ms=took)
        )
        step += kept
    return found


class CancelledError(Exception):
    """The window said stop."""


class Fake:
    """Answers jobs one after another; a cancel is taken at once by the reading thread."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.scenario = scenario
        self.requests: queue.Queue[tuple[int, ask.Request[object]]] = queue.Queue()
        self.cancelled: set[int] = set()
        self.id = 0
        self.job = ""
        self.sent = 0
        self.used = 0
        self.capacity = 4096
        self.layout = "static"
        self.bundle = ""
        self.provider = "cpu"
        self.installed: set[str] = set()

    def read(self) -> None:
        """The reading thread: requests to the queue, cancels to the set, the end of stdin ends everything."""
        for line in sys.stdin:
            envelope = request_lines.parse_line(line)
            request = request_lines.read_request(envelope)
            if isinstance(request, ask.Cancel):
                self.cancelled.add(request.target)
            elif isinstance(request, ask.Ping):
                sys.stdout.write(ResultEvent(value=Done()).to_line(envelope.id) + "\n")
                sys.stdout.flush()
            else:
                self.requests.put((envelope.id, request))
        os._exit(0)

    def serve(self) -> None:
        """The main thread: one job after another."""
        threading.Thread(target=self.read, daemon=True).start()
        while True:
            self.id, request = self.requests.get()
            self.job, self.sent = request.job, 0
            self.answer(request)

    def answer(self, request: ask.Request[object]) -> None:
        """One job, by its name."""
        if self.scenario.get("garbage"):
            self.garble()
        if self.job == self.scenario.get("hang_on"):
            self.hang()
        self.maybe_crash()
        failure = self.scenario.get("errors", {}).get(self.job)
        if failure:
            self.send(read(ErrorEvent, failure))
            return
        try:
            getattr(self, f"do_{self.job}")(request)
        except CancelledError:
            self.send(ErrorEvent(kind="cancelled", message="Stopped."))

    def garble(self) -> None:
        """What native libraries write to stdout, and a line that arrives in two halves."""
        sys.stdout.write('not json\n[1, 2]\n{"event": "nonsense", "job": 1}\n')
        half = LogEvent(message="in two halves").to_line(self.id)
        sys.stdout.write(half[:20])
        sys.stdout.flush()
        time.sleep(0.05)
        sys.stdout.write(half[20:] + "\n")
        sys.stdout.flush()
        print("a line for the log", file=sys.stderr, flush=True)

    def hang(self) -> None:
        """Never answers."""
        if self.scenario.get("stubborn"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("hanging", file=sys.stderr, flush=True)
        while True:
            time.sleep(60)

    def maybe_crash(self) -> None:
        """Dies where the scenario wants it."""
        crash = self.scenario.get("crash_on", [])
        names = [crash] if isinstance(crash, str) else crash
        if self.job in names and self.sent >= self.scenario.get("crash_after", 0) and self.count("crash") <= 1:
            print("fatal: the scenario says so", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

    def count(self, name: str) -> int:
        """How often `name` was counted, this time included; kept in the `state` file."""
        if "state" not in self.scenario:
            return 1
        path = Path(self.scenario["state"])
        counts = json.loads(path.read_text()) if path.exists() else {}
        counts[name] = counts.get(name, 0) + 1
        path.write_text(json.dumps(counts))
        return int(counts[name])

    def send(self, event: Event) -> None:
        """One line out."""
        if "hostile" in self.scenario:
            event = poisoned(event, self.scenario["hostile"])
        sys.stdout.write(event.to_line(self.id) + "\n")
        sys.stdout.flush()
        self.sent += 1
        if self.scenario.get("crash_after"):
            self.maybe_crash()

    def give(self, report: Report) -> None:
        """The answer of a job."""
        self.send(ResultEvent(value=report))

    def pause(self, seconds: float | None = None) -> None:
        """The delay between events; raises CancelledError once the job was cancelled."""
        end = time.monotonic() + (self.scenario.get("delay", 0) if seconds is None else seconds)
        while True:
            if self.id in self.cancelled:
                raise CancelledError
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(0.01, left))

    # -- jobs -------------------------------------------------------------------------------------------

    def do_probe(self, request: ask.ProbeSource) -> None:
        """Progress for a hub id, then what was found."""
        found = probe_of(request.source, self.scenario.get("remote_code", {}), self.scenario.get("cacheless", False))
        if found.kind == "hub":
            for i in range(4):
                said = {"stage": "checkpoint", "message": "model.safetensors", "unit": "B"}
                self.send(ProgressEvent(done=i * 3e6, total=9e6, **said))
                self.pause()
        self.give(changed(found, self.scenario.get("probe", {})))

    def do_recipe(self, request: ask.PlanRecipe) -> None:
        """The recipe for the options, with what it costs."""
        most = self.scenario.get("encoder", 0)
        length = read(int, request.options.get("source_length", 0))
        if length > most:
            message = f"A source_length of {length:,} is beyond the {most:,} positions of the encoder."
            self.send(ErrorEvent(kind="recipe", message=message))
            return
        plan = plan_of(request.source, request.options, encoder=bool(most))
        if plan.chosen.chunk > plan.chosen.capacity:
            words = f"a chunk of {plan.chosen.chunk} does not fit a capacity of {plan.chosen.capacity}."
            self.send(ErrorEvent(kind="recipe", message=f"The recipe's settings do not go together: {words}"))
            return
        if plan.chosen.batch > 1 and plan.chosen.cache != "gqa":
            words = f"A batch needs --cache gqa, whose rows know nothing of each other, and not {plan.chosen.cache}."
            self.send(ErrorEvent(kind="recipe", message=words))
            return
        offers = {"layouts": self.scenario["layouts"]} if "layouts" in self.scenario else {}
        self.give(changed(plan, offers))

    def do_eval(self, request: ask.Eval) -> None:
        """A comparison of twelve prompts."""
        self.send(LogEvent(message="demo:qwen3 is no bundle: an fp32 one is built of it."))
        for done in range(13):
            said = f"prompt {done + 1} of 12"
            self.send(ProgressEvent(stage="eval", message=said, done=done, total=12, unit="prompts"))
            self.pause()
        suggested = accuracy.suggestions() if request.suggest else None
        self.give(changed(replace(accuracy.report(), suggestions=suggested), self.scenario.get("eval", {})))

    def do_eval_tasks(self, request: ask.EvalTasks) -> None:
        """Two scores of each task."""
        for done in range(9):
            self.send(
                ProgressEvent(stage="eval", message=", ".join(request.tasks), done=done, total=8, unit="requests")
            )
            self.pause()
        scores = [
            TaskScore(task, metric, value, 0.0125, True)
            for task in request.tasks
            for metric, value in (("acc", 0.3125), ("acc_norm", 0.375))
        ]
        self.give(HarnessReport(scores, len(request.tasks) * (request.limit or 1319), request.limit, "0.4.13"))

    def do_bench(self, request: ask.Bench) -> None:
        """A row for each provider: 200 tokens a second, at half of the memory's bandwidth."""
        for done in range(request.repeats + 1):
            said = f"cpu: run {done} of {request.repeats}" if done else "cpu: warming up"
            self.send(ProgressEvent(stage="bench", message=said, done=done, total=request.repeats + 1, unit="runs"))
            self.pause()
        self.give(BenchReport([bench_row(name, request) for name in request.providers]))

    def do_sweep(self, request: ask.RunSweep) -> None:
        """Three steps, whose files a test writes."""
        for done in range(4):
            self.send(ProgressEvent(stage="sweep", message=f"{done} done", done=done, total=3, unit="steps"))
            self.pause()
        counts = SweepCounts(3, 0, 0, 0, 0)
        self.give(SweepReport(counts, {}, str(Path(request.out) / "report.html")))

    def do_diverge(self, request: ask.Diverge) -> None:
        """A product in the tenth layer."""
        if wrong := self.scenario.get("diverge_fails"):
            self.send(ErrorEvent(kind="request", message=wrong))
            return
        for done in range(5):
            self.send(ProgressEvent(stage="diverge", message="running both", done=done, total=4, unit="values"))
            self.pause()
        report = divergence.report()
        if request.recorded:
            report.notes = [f"A is {Path(request.recorded).read_text()}."]
        self.give(report)

    def do_record_values(self, request: ask.RecordValues) -> None:
        """A file with what this worker is."""
        self.pause()
        Path(request.path).write_text(self.scenario.get("reply", "here"))
        self.give(Done())

    def do_warm(self, request: ask.PreloadModules) -> None:
        """Nothing is imported here."""
        self.give(Done())

    def do_build(self, request: ask.Build) -> None:
        """Every stage, one of which may fail; a stage that was done before is reused."""
        out = Path(request.out)
        for stage in STAGES:
            named = stage == self.scenario.get("fail_stage")
            if not self.run_stage(stage, named and self.count("fail") <= self.scenario.get("fail_times", 1)):
                message = f"Stage {stage} failed: an operator is missing."
                self.send(ErrorEvent(kind="graph", message=message, details="Traceback …"))
                return
        out.mkdir(parents=True, exist_ok=True)
        (out / "pipeline.json").write_text("{}")
        if request.goal is not None:
            (out / GOAL_FILE).write_text(dumps(goals.searched(request.goal)))
        cost = None
        if request.options.get("precision", "fp32") != "fp32":
            cost = QuantizationCost(
                1024,
                0.612,
                0.531,
                PairedFigure(54.9, 84.2),
                "Joinery's text to measure with",
                "",
                "preset=accurate",
                159 << 20,
            )
        parts = ["prefill", "decode"]
        self.send(BuildDone(bundle=str(out), seconds=3.2, bytes=9_000_000, components=parts, cost=cost))

    def do_import(self, request: ask.ImportGenai) -> None:
        """A bundle."""
        self.made("import", request.out)

    def do_export_gguf(self, request: ask.ExportGguf) -> None:
        """Writes a file."""
        self.made("export-gguf", request.out)

    def do_export_genai(self, request: ask.ExportGenai) -> None:
        """A peer's folder."""
        self.made("export-genai", request.out)

    def do_assemble(self, request: ask.Assemble) -> None:
        """A bundle."""
        self.made("assemble", request.out)

    def made(self, stage: Stage, out: str) -> None:
        """One stage, and a folder."""
        if self.run_stage(stage, False):
            Path(out).mkdir(parents=True, exist_ok=True)
            (Path(out) / "pipeline.json").write_text("{}")
            self.send(BuildDone(bundle=out, seconds=0.2, bytes=9_000_000, components=["decoder"]))

    def do_plan_assembly(self, request: ask.PlanAssembly) -> None:
        """What the scenario says of the files."""
        self.pause()
        report = AssemblyReport("decoder", None, [], [f"{name} takes what its graph says." for name in request.files])
        self.give(changed(report, self.scenario.get("assembly", {})))

    def run_stage(self, stage: Stage, failed: bool) -> bool:
        """The events of one stage."""
        if stage == "quantize":
            self.send(StageEvent(stage=stage, state="skipped", note="Full precision was asked for."))
            return True
        self.send(StageEvent(stage=stage, state="started"))
        if stage == "export" and self.count("import") == 1:
            self.run_stage("import", False)
        for i in range(4):
            self.pause()
            graph = ("prefill", "decode")[i // 2] if stage in ("export", "optimize") else None
            event = ProgressEvent(
                stage=stage, message=f"step {i + 1}", done=i + 1, total=4, unit="steps", component=graph
            )
            self.send(event)
            self.send(LogEvent(message=f"{stage} step {i + 1}"))
        if stage == self.scenario.get("endless_stage") and self.count("endless") == 1:
            self.pause(float("inf"))
        if failed:
            self.send(StageEvent(stage=stage, state="failed", note="An operator is missing."))
            return False
        again = stage != "import" and "state" in self.scenario and self.count(stage) > 1
        self.send(StageEvent(stage=stage, state="reused" if again else "done", seconds=0.4, peak_mib=512.0))
        return True

    def do_inspect(self, request: ask.InspectPath) -> None:
        """Whatever the scenario holds."""
        self.give(read(InspectReport, {**self.scenario["inspection"], "path": request.path}))

    def do_graph(self, request: ask.ShowGraph) -> None:
        """A decoder, or what the scenario holds."""
        self.pause()
        own, where = self.scenario.get("graphs", {}), request.where
        file = own.get(where.stage) or own.get(where.path) or self.scenario.get("graph")
        shown = read(GraphReport, json.loads(Path(file).read_text())) if file else self.decoder()
        self.give(replace(shown, path=where.path, component=where.component, stage=where.stage or shown.stage))

    def decoder(self) -> GraphReport:
        """One of a few layers."""
        return graphs.small(self.scenario.get("layers", 2))

    def do_diff(self, request: ask.DiffGraphs) -> None:
        """What a fusion of the norms would change."""
        self.pause()
        file, where = self.scenario.get("diff"), request.after
        found = read(DiffReport, json.loads(Path(file).read_text())) if file else graphs.diff_of(self.decoder())
        graph = replace(found.graph, path=where.path, component=where.component, stage=where.stage)
        self.give(replace(found, graph=graph))

    def do_tensor(self, request: ask.DescribeTensor) -> None:
        """A bell of values."""
        found = TensorReport(
            name=request.name,
            dtype="float32",
            shape=[128, 128],
            bytes=65536,
            count=16384,
            zeros=3,
            nan=0,
            inf=0,
            min=-0.0812,
            max=0.0793,
            mean=0.00012,
            std=0.0201,
            histogram=ValueHistogram(-0.0812, 0.0793, [round(400 * 2.7 ** -(((i - 32) / 11) ** 2)) for i in range(64)]),
            head=[0.0123, -0.0045, 0.0311, 0.0007],
        )
        self.give(changed(found, self.scenario.get("tensor", {})))

    def do_rounding(self, request: ask.MeasureRounding) -> None:
        """Its products, each coarser than the one before."""
        self.pause()
        products = [node for node in self.decoder().nodes if node.op == "MatMul"]
        found = [NodeRounding(one.name, one.op, 4, 0.01 * (n + 1)) for n, one in enumerate(products)]
        self.give(RoundingReport(found[::-1]))

    def do_netron(self, request: ask.ExportExcerpt) -> None:
        """The file that the scenario names, or the refusal of a graph that is too large."""
        file = self.scenario.get("netron")
        if file:
            self.give(ExcerptReport(file, 3))
            return
        what = request.where.component or "The graph"
        message = f"{what} has 1,234 nodes; Netron draws up to 500: choose a scope."
        self.send(ErrorEvent(kind="request", message=message))

    def do_verify(self, request: ask.VerifyBundle) -> None:
        """All is well."""
        self.give(VerifyReport(True, 4, 9_000_000, []))

    def do_form(self, request: ask.CheckConstraint) -> None:
        """Fine, unless the text has what the scenario takes for wrong."""
        wrong = self.scenario.get("wrong_form")
        if wrong and wrong in request.text:
            message = f"The {request.form} cannot be used: there is {wrong!r} in it."
            self.send(ErrorEvent(kind="request", message=message))
        else:
            self.give(Done())

    def do_prune(self, request: ask.PruneRuns) -> None:
        """Nothing is kept here."""
        self.give(Done())

    def machine(self, name: str, address: str, path: str = "", checked: bool = False) -> MachineReport:
        report = MachineReport(name, address, path)
        if checked and "wrong" in address:
            report.problem = f"{name} has a host key that is not known here: run `ssh {address}` once."
        elif checked:
            report.usable, report.joinery, report.python, report.system = True, "0.1.0", "3.11.2", "Linux x86_64"
            report.free_bytes, report.copied_bytes, report.devices = 40 << 30, 3 << 30, [CPU, QNN]
        return report

    def do_add_machine(self, request: ask.AddMachine) -> None:
        self.give(self.machine(request.name, request.address, request.path, checked=True))

    def do_check_machine(self, request: ask.CheckMachine) -> None:
        address = "ssh://wrong.lan" if request.name == "odd" else f"ssh://{request.name}"
        self.give(self.machine(request.name, address, checked=True))

    def do_devices(self, request: ask.ListDevices) -> None:
        """What the scenario has, or the usual four."""
        self.pause()
        memory = MemoryFit(440 << 20, 0, 224 << 10, 20 << 30, 91_000, 4096) if request.bundle else None
        self.give(replace(self.devices(), memory=memory))

    def do_capabilities(self, request: ask.DescribeCapabilities) -> None:
        """A machine of 16 GiB, and three models: one fits, one fits in 4 bits alone, one does not."""
        machine = CapabilitiesReport("AMD EPYC 9654", ["avx2"], 2, 16 << 30, 9 << 30, 38 << 30, [], known_models())
        self.give(replace(machine, devices=self.devices().devices))

    def devices(self) -> DevicesReport:
        """With what was installed meanwhile."""
        if "devices" in self.scenario:
            return read(DevicesReport, {"devices": self.scenario["devices"]})
        webgpu = replace(WEBGPU, usable=True, reason="", remedy="", install="", uninstall=WEBGPU.install)
        return DevicesReport([CPU, QNN, webgpu if "webgpu" in self.installed else WEBGPU, DML])

    def do_install(self, request: ask.InstallPlugin) -> None:
        """What pip says, and the devices."""
        for line in ("Collecting onnxruntime-ep-webgpu==0.4.0", "Downloading …", "Installing collected packages …"):
            self.send(ProgressEvent(stage="install", message=line))
            self.pause()
        self.installed.add(request.provider)
        self.give(self.devices())

    def do_plugin(self, request: ask.DescribePlugin) -> None:
        """What pip would do."""
        package = next(one.install or one.uninstall for one in self.devices().devices if one.name == request.provider)
        hashes = ["sha256:" + "0" * 64, "sha256:" + "f" * 64]
        self.give(PluginReport(request.provider, package, "0.4.0", hashes, ["https://pypi.org/simple"], "/opt/joinery"))

    def do_part(self, request: ask.DescribePart) -> None:
        """The build part, which the scenario `part` lacks."""
        self.give(self.part())

    def part(self) -> PartReport:
        packages, folder = {"torch": "2.13.0", "transformers": "5.23.0"}, "/home/anna/joinery/parts/build-0287"
        lacks = "part" in self.scenario and "part" not in self.installed
        return PartReport(
            "build", not lacks, packages, folder, 2 * 10**9, 50 * 10**9, ["https://pypi.org/simple"], False
        )

    def do_install_part(self, request: ask.InstallPart) -> None:
        """What pip says, and the part."""
        for line in ("Collecting torch==2.13.0", "Installing collected packages: torch"):
            self.send(ProgressEvent(stage="install", message=line))
            self.pause()
        self.installed.add("part")
        self.give(self.part())

    def do_uninstall(self, request: ask.RemovePlugin) -> None:
        """What pip says, and the devices."""
        self.send(ProgressEvent(stage="uninstall", message="Found existing installation"))
        self.pause()
        self.installed.discard(request.provider)
        self.give(self.devices())

    def do_embed(self, request: ask.Embed) -> None:
        """The closer two lines are in the list, the more alike; the search is like its last one."""
        if "asked" in self.scenario:
            with Path(self.scenario["asked"]).open("a", encoding="utf-8") as file:
                file.write(dumps(request) + "\n")
        self.pause()
        why = self.scenario.get("no_pooling")
        if why and request.pooling is None:
            self.send(ErrorEvent(kind="request", message=why))
            return
        count = len(request.texts)
        rows = [[1 - abs(row - column) / count for column in range(count)] for row in range(count)]
        self.give(
            EmbedReport(
                similarity="cosine",
                summary="mean pooling",
                dimensions=384,
                tokens=[4] * count,
                scores=rows if request.table else [],
                ranking=rows[-1] if request.query else [],
                notes=[],
            )
        )

    def do_label(self, request: ask.LabelTexts) -> None:
        """Longer texts are better ones; with a query, later ones are. Parts: the first word of each text."""
        if "asked" in self.scenario:
            with Path(self.scenario["asked"]).open("a", encoding="utf-8") as file:
                file.write(dumps(request) + "\n")
        self.pause()
        if why := self.scenario.get("no_labels"):
            self.send(ErrorEvent(kind="prompt", message=why))
            return
        places = range(len(request.texts))
        sure = [min(0.99, 0.5 + len(text) / 100) for text in request.texts]
        labels = [[ScoredLabel("good", one), ScoredLabel("bad", round(1 - one, 4))] for one in sure]
        words = [text.split()[0] for text in request.texts]
        spans = [[ScoredSpan("PER", 0.9, 0, len(word), word)] for word in words]
        by_token = bool(self.scenario.get("by_token"))
        self.give(
            LabelsReport(
                labels=[] if by_token or request.query else labels,
                spans=spans if by_token else [],
                ranking=[place / len(places) for place in places] if request.query else [],
                tokens=[4] * len(places),
                notes=[],
            )
        )

    def do_label_pictures(self, request: ask.LabelPictures) -> None:
        """Pictures with longer names are more surely cats; there are seven labels."""
        self.pause()
        if why := self.scenario.get("no_labels"):
            self.send(ErrorEvent(kind="media", message=why))
            return
        labels = []
        for path in request.pictures:
            sure = min(0.9, 0.4 + len(Path(path).stem) / 100)
            rest = [ScoredLabel(name, round((1 - sure) / 6, 4)) for name in ("dog", "owl", "fern", "tin", "oak", "sea")]
            labels.append([ScoredLabel("cat", round(sure, 4)), *rest])
        self.give(PictureLabelsReport(labels, []))

    def do_depth(self, request: ask.EstimateDepth) -> None:
        """The picture itself in place of its depths; a scenario says what they mean."""
        self.pause()
        if why := self.scenario.get("no_depth"):
            self.send(ErrorEvent(kind="media", message=why))
            return
        folder, unit = Path(request.folder), self.scenario.get("unit", "metres")
        grey, colors, numbers = (str(folder / name) for name in ("depth.png", "depth-colors.png", "depth.npy"))
        for file in (grey, colors, numbers):
            shutil.copyfile(request.picture, file)
        self.give(DepthReport(640, 480, unit, 0.5, 12.25, grey, colors, numbers, self.scenario.get("depth_notes", [])))

    def do_try_graph(self, request: ask.TryGraph) -> None:
        """Two inputs, of which one is random, and an output that is not finite."""
        self.pause()
        if why := self.scenario.get("no_run"):
            self.send(ErrorEvent(kind="graph", message=why))
            return

        def array(name: str, nan: int = 0) -> TensorReport:
            return TensorReport(name, "float32", [1, 2], 8, 2, 0, nan, 0, -1.0, 1.0, 0.5, 1.0, None, [-1.0, 1.0])

        self.give(TrialReport([array("a"), array("b")], [array("y", nan=1)], ["b"], 1.5))

    def do_sound(self, request: ask.DescribeSound) -> None:
        """Ten seconds that get louder, or a file that is no sound."""
        self.pause()
        if why := self.scenario.get("no_sound"):
            self.send(ErrorEvent(kind="media", message=why))
            return
        self.give(SoundReport(10.0, 16000, 1, [place / request.columns for place in range(request.columns)]))

    def do_preflight(self, request: ask.Preflight) -> None:
        """Two components, a few nodes of which stay on the CPU."""
        self.pause()
        self.give(changed(preflights.report(request.provider), self.scenario.get("preflight", {})))

    def do_tune(self, request: ask.Tune) -> None:
        """Symmetric blocks of 32 save a tenth."""
        self.send(ProgressEvent(stage="tune", message="products of 64 × 96", done=1, total=2, unit="sizes"))
        self.pause()
        others: float = self.scenario.get("others", 0.01)
        threads, width = self.scenario.get("threads"), self.scenario.get("width")
        self.give(TuneReport("Made Up 3000, 2 cores, avx2", 32, True, 0.9, others, threads, width))

    def do_profile(self, request: ask.Profile) -> None:
        """The decoder's nodes."""
        self.pause()
        self.send(ProgressEvent(stage="profile", message="step 1 of 8", done=5, total=13, unit="runs"))
        self.pause()
        names = [request.component] if request.component else ["prefill", "decode"]
        self.give(profiles.report(self.decoder(), names))

    def do_compile(self, request: ask.Compile) -> None:
        """Two graphs, a copy of the weights each."""
        for line in ("compiling prefill", "compiling decode", "trying a chunk and a step"):
            self.send(ProgressEvent(stage="compile", message=line))
            self.pause()
        made = [CompiledComponent(name, f"contexts/0/{name}.onnx", 2_000, 1.5) for name in ("prefill", "decode")]
        note = "Components have a copy of the weights each, for shared ones cannot be used."
        self.give(CompileReport(request.provider, "contexts/0", False, 3 << 20, made, note))

    def do_report(self, request: ask.WriteReport) -> None:
        """Nothing is written."""
        self.pause()
        self.give(WrittenReport([request.out]))

    def do_open(self, request: ask.Open) -> None:
        """Ready, unless a provider is one of those that fail."""
        self.pause(self.scenario.get("opening"))
        self.bundle, self.used = request.bundle, 0
        name = Path(self.bundle).name
        base = bool(self.scenario.get("base")) or name in self.scenario.get("bases", ())
        self.provider = ", ".join([request.provider, *(f"{name}={one}" for name, one in request.place.items())])
        wrong = self.wrong()
        if wrong == "lies":
            message = "Qualcomm QNN takes no node of prefill, decode, so that all would run on the CPU."
            self.send(ErrorEvent(kind="device", message=message))
            return
        if wrong == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if wrong == "hang":
            self.hang()
        self.layout = "state" if self.scenario.get("fixed") == "alone" else request.cache or "static"
        self.capacity = request.capacity or self.scenario.get("capacities", {}).get(name, 4096)
        self.send(
            ReadyEvent(
                bundle=self.bundle,
                model_type="qwen3",
                route="prefill-decode",
                provider=self.provider,
                layout=self.layout,
                capacity=self.capacity,
                chunk=64,
                vocabulary=512,
                chat_template=not base,
                load_seconds=0.1,
                completes=base,
                languages=self.scenario.get("languages", {}).get(name, []),
                sees=self.has_sense("sees", "seeing"),
                takes_sound=self.scenario.get("takes_sound", False),
                speech=SPEECH if self.has_sense("listens", "listening") else None,
            )
        )

    def has_sense(self, every: str, named: str) -> bool:
        """Whether each bundle has a sense, or the open one is among those that are named."""
        return bool(self.scenario.get(every)) or Path(self.bundle).name in self.scenario.get(named, ())

    def wrong(self) -> str:
        """What is wrong with the providers that the bundle was opened on."""
        known = self.scenario.get("providers", {})
        return next((str(known[name]) for name in self.provider.replace("=", " ").split() if name in known), "")

    def do_close(self, request: ask.Close) -> None:
        """Closed."""
        self.bundle = ""
        self.give(Done())

    def do_generate(self, request: ask.Generate) -> None:
        """Chunks, tokens, the cache, done."""
        if "asked" in self.scenario:
            with Path(self.scenario["asked"]).open("a", encoding="utf-8") as file:
                file.write(dumps(request) + "\n")
        if self.wrong() == "hang-step":
            self.hang()
        if self.wrong() == "nan":
            message = "Step 0 (prefill) gave logits that are NaN: the graph or its weights are damaged."
            self.send(ErrorEvent(kind="logits", message=message))
            return
        reply = self.scenario.get("replies", {}).get(Path(self.bundle).name, self.scenario.get("reply", "56"))
        words = re.findall(r"\S+\s+", reply + " ")  # line ends stay
        total = self.scenario.get("tokens", len(words))
        text: list[str] = []
        reason: FinishReason = self.scenario.get("finish_reason", "eos")
        chunks = self.scenario.get("chunks", 1)
        runs = drafted_runs(total, self.scenario.get("drafts", []))
        use = SpeculationUse() if runs else None
        try:
            if self.has_sense("sees", "seeing"):
                self.send(PicturesEvent(pictures=self.pictures(request)))
            for i in range(chunks):
                self.chunk(i, chunks * 64)
            began = time.monotonic()
            for step in range(total):
                self.pause(self.until_due(began, step))
                run = next((one for one in runs if one.step <= step < one.step + one.kept), None)
                own = run is None or step - run.step >= run.accepted
                text.append(self.token(step, words[step % len(words)], drafted=not own))
                if run is not None and use is not None and step == run.step + run.kept - 1:
                    self.send(run)
                    use += run
        except CancelledError:
            reason = "cancelled"
        if request.sound is not None:
            self.send(SegmentEvent(start_s=0.0, end_s=1.5, text="".join(text).rstrip(), token_ids=[1]))
        self.send(CacheEvent(groups=self.cache()))
        self.send(
            GenerationDone(
                prompt_ids=list(range(12)),
                token_ids=list(range(len(text))),
                text="".join(text).rstrip(),
                finish_reason=reason,
                ttft_ms=21.5,
                decode_tokens_per_s=212.4,
                prefill_tokens_per_s=2980.0,
                provider=self.provider,
                cache=CacheUse(
                    layout=self.layout, capacity=self.capacity, used=self.used, bytes=self.capacity * 4096, evicted=0
                ),
                speculation=use,
            )
        )

    def pictures(self, request: ask.Generate) -> list[PictureSpan]:
        """Eight tokens for each picture, from the fourth on, with one between two."""
        files = [path for turn in request.messages or () for path in turn.pictures]
        return [PictureSpan(path=path, runs=[(4 + 9 * place, 8)]) for place, path in enumerate(files)]

    def do_draft(self, request: ask.UseDraft) -> None:
        """Drafts, unless the scenario refuses that bundle."""
        self.pause()
        name = Path(request.folder or "").name
        if reason := self.scenario.get("drafts", {}).get(name):
            self.send(ErrorEvent(kind="request", message=reason))
            return
        self.give(Done())

    def do_rewind(self, request: ask.Rewind) -> None:
        """Back to a legal length, or the error that names those."""
        length, lowest = request.length, self.scenario.get("lowest", 1)
        self.pause()
        if length != 0 and not lowest <= length <= self.used:
            message = f"The cache cannot go back to {length} tokens: it can go to 0 and {lowest} to {self.used}."
            self.send(ErrorEvent(kind="rewind", message=message))
            return
        self.used = length
        self.send(CacheEvent(groups=self.cache()))
        self.give(Done())

    def do_save_cache(self, request: ask.SaveCache) -> None:
        """A file that says how long the cache was."""
        self.pause()
        Path(request.path).write_text(str(self.used))
        self.give(Done())

    def do_load_cache(self, request: ask.LoadCache) -> None:
        """As long as the file says."""
        self.pause()
        self.used = int(Path(request.path).read_text())
        self.send(CacheEvent(groups=self.cache()))
        self.give(Done())

    def until_due(self, began: float, step: int) -> float | None:
        """Seconds until a token is due under `rate`; None where there is none."""
        rate = self.scenario.get("rate")
        return began + step / rate - time.monotonic() if rate else None

    def chunk(self, index: int, total: int) -> None:
        """One prefill chunk of 64."""
        self.pause()
        self.used = min(self.capacity, self.used + 64)
        self.send(
            ChunkEvent(
                start=index * 64,
                tokens=64,
                total=total,
                latency_ms=18.0 + index,
                cache_used=self.used,
                cache_capacity=self.capacity,
            )
        )

    def token(self, step: int, text: str, drafted: bool = False) -> str:
        """One token; now and then a look at the cache."""
        self.used = min(self.capacity, self.used + 1)
        if step == 2 and "notice" in self.scenario:
            self.send(read(NoticeEvent, self.scenario["notice"]))
        self.send(
            TokenEvent(
                id=sum(map(ord, text)) if "replies" in self.scenario else 100 + step % 400,
                text=text,
                step=step,
                phase="decode" if step else "prefill",
                latency_ms=21.5 if step == 0 else 4.0 + (step * 7 % 11) / 4,
                cache_used=self.used,
                cache_capacity=self.capacity,
                probability=0.91,
                alternatives=[(100 + step, text, 0.91), (7, "no", 0.05)],
                drafted=drafted,
            )
        )
        if step % 32 == 0:
            self.send(CacheEvent(groups=self.cache()))
        return text

    def cache(self) -> list[GroupView]:
        """The groups of the cache."""
        lowest = self.scenario.get("lowest", 1)
        own = GroupView(
            name="self",
            layout=self.layout,
            layers=[0, 1, 2, 3],
            capacity=self.capacity,
            allocated=self.capacity,
            window=None,
            shape=[1, 2, self.capacity, 64],
            dtype="float32",
            bytes=self.capacity * 4096,
            writer="host",
            length=self.used,
            evicted=0,
            runs=[(0, 0, self.used)] if self.used else [],
            rewindable=[(0, self.used)] if lowest <= 1 else [(0, 0), (min(lowest, self.used), self.used)],
        )
        if self.scenario.get("fixed"):
            fixed = state_group(length=self.used, rewindable=own.rewindable)
            return [fixed] if self.scenario["fixed"] == "alone" else [own, fixed]
        count = self.scenario.get("cross", 0)
        if not count:
            return [own]
        frozen = replace(own, name="cross", layout="cross", writer="encoder", capacity=count, allocated=count)
        return [own, replace(frozen, length=count, bytes=count * 4096, runs=[(0, 0, count)], rewindable=[])]


def main() -> None:
    """A worker by the scenario of the command line."""
    Fake(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}).serve()


if __name__ == "__main__":
    main()
