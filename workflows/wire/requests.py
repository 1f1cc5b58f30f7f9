"""What the window asks of a worker: a frozen class a job, which names the class of its answer.

What a field holds is checked on arrival, and what fields mean together when a request is made, on either side: a
RequestError of one sentence. Those about the bundle that is open are in a module of their own, and named here too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workflows.common.errors import RequestError
from workflows.wire.engine_requests import Close as Close
from workflows.wire.engine_requests import Generate as Generate
from workflows.wire.engine_requests import LoadCache as LoadCache
from workflows.wire.engine_requests import Open as Open
from workflows.wire.engine_requests import Rewind as Rewind
from workflows.wire.engine_requests import SaveCache as SaveCache
from workflows.wire.engine_requests import Turn as Turn
from workflows.wire.engine_requests import UseDraft as UseDraft
from workflows.wire.events import BuildDone
from workflows.wire.goals import Goal, TaskFile
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.reports.assembly import AssemblyReport
from workflows.wire.reports.base import Done
from workflows.wire.reports.bench import BenchReport
from workflows.wire.reports.compiled import CompileReport
from workflows.wire.reports.devices import DevicesReport, PluginReport
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.reports.graphs import DiffReport, ExcerptReport, GraphReport, TensorReport
from workflows.wire.reports.inspection import InspectReport, VerifyReport
from workflows.wire.reports.plan import PlanReport, ProbeReport
from workflows.wire.reports.preflight import PreflightReport
from workflows.wire.reports.profile import ProfileReport
from workflows.wire.reports.rounding import RoundingReport
from workflows.wire.reports.runs import WrittenReport
from workflows.wire.request import REQUESTS as REQUESTS
from workflows.wire.request import Options as Options
from workflows.wire.request import Request as Request


@dataclass(frozen=True)
class GraphReference:
    """A graph: an .onnx file, or a component of a bundle after a stage of its build; "": the first, and as it runs."""

    path: str
    component: str = ""
    stage: str = ""


# -- before a build, and the build -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ProbeSource(Request[ProbeReport], job="probe"):
    """What a source is: a folder, a hub id or a demo."""

    source: str


@dataclass(frozen=True)
class PlanRecipe(Request[PlanReport], job="recipe"):
    """What a build of `source` with these options would do."""

    source: str
    options: Options = field(default_factory=dict)


@dataclass(frozen=True)
class PreloadModules(Request[Done], job="warm"):
    """The worker imports what a build needs, so that the next one begins at once."""


@dataclass(frozen=True)
class Build(Request[BuildDone], job="build"):
    """A bundle at `out`. consented: SHA-256 of the code files that may run; trust_remote_code: all of them may.

    goal: finds the precision of every node, which the options then leave open.
    """

    source: str
    out: str
    options: Options = field(default_factory=dict)
    consented: tuple[str, ...] = ()
    trust_remote_code: bool = False
    force: bool = False
    goal: Goal | None = None


# -- other people's graphs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImportGenai(Request[BuildDone], job="import"):
    """A bundle at `out` of a folder of onnxruntime-genai's."""

    folder: str
    out: str
    force: bool = False


@dataclass(frozen=True)
class ExportGenai(Request[BuildDone], job="export_genai"):
    """A bundle as a folder `out` of onnxruntime-genai's. version: of its configuration. link: weights by hard links."""

    bundle: str
    out: str
    version: Literal[1, 2] = 1
    link: bool = False


@dataclass(frozen=True)
class PlanAssembly(Request[AssemblyReport], job="plan_assembly"):
    """What graphs make together. files: component → .onnx file. pipeline: a file that says how; "": they tell."""

    files: dict[str, str]
    pipeline: str = ""
    tokenizer: str = ""


@dataclass(frozen=True)
class Assemble(Request[BuildDone], job="assemble"):
    """The bundle `out` of such graphs. tokenizer: a folder with one; "": the bundle speaks ids alone."""

    files: dict[str, str]
    out: str
    pipeline: str = ""
    tokenizer: str = ""
    force: bool = False


# -- what is there ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InspectPath(Request[InspectReport], job="inspect"):
    """What a bundle or an .onnx file holds."""

    path: str


@dataclass(frozen=True)
class ShowGraph(Request[GraphReport], job="graph"):
    """Every node and value of a graph."""

    where: GraphReference


@dataclass(frozen=True)
class DiffGraphs(Request[DiffReport], job="diff"):
    """What makes `after` of `before`."""

    before: GraphReference
    after: GraphReference


@dataclass(frozen=True)
class DescribeTensor(Request[TensorReport], job="tensor"):
    """Statistics of the initializer `name`."""

    where: GraphReference
    name: str


@dataclass(frozen=True)
class MeasureRounding(Request[RoundingReport], job="rounding"):
    """How coarse the quantized weights of a graph are, node by node."""

    where: GraphReference


@dataclass(frozen=True)
class ExportExcerpt(Request[ExcerptReport], job="netron"):
    """A small file of the graph, or of one scope of it, for Netron."""

    where: GraphReference
    scope: str = ""


@dataclass(frozen=True)
class VerifyBundle(Request[VerifyReport], job="verify"):
    """Every file of a bundle against its manifest."""

    bundle: str


@dataclass(frozen=True)
class CheckConstraint(Request[Done], job="form"):
    """Whether a reply can be held to a form: `text` is a JSON schema, a regular expression or a Lark grammar."""

    form: Literal["json_schema", "regex", "grammar"]
    text: str


@dataclass(frozen=True)
class PruneRuns(Request[Done], job="prune"):
    """Removes all runs of the history but the newest `keep`."""

    keep: int

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise RequestError(f"{self.keep} runs cannot be kept: give a whole number above 0.")


@dataclass(frozen=True)
class ListDevices(Request[DevicesReport], job="devices"):
    """The execution providers of this machine."""


@dataclass(frozen=True)
class InstallPlugin(Request[DevicesReport], job="install"):
    """The plugin that a provider lacks, by pip; the answer is what there is afterwards."""

    provider: str


@dataclass(frozen=True)
class RemovePlugin(Request[DevicesReport], job="uninstall"):
    """The plugin of a provider, by pip; the answer is what there is afterwards."""

    provider: str


@dataclass(frozen=True)
class DescribePlugin(Request[PluginReport], job="plugin"):
    """What installing or removing a provider's plugin would do."""

    provider: str


@dataclass(frozen=True)
class Preflight(Request[PreflightReport], job="preflight"):
    """How fully and how rightly a bundle would run on a provider."""

    bundle: str
    provider: str


@dataclass(frozen=True)
class Compile(Request[CompileReport], job="compile"):
    """A bundle's graphs for a provider, made beforehand and kept beside them."""

    bundle: str
    provider: str


# -- measuring -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bench(Request[BenchReport], job="bench"):
    """How fast a bundle runs on each provider. None: what fits the bundle."""

    bundle: str
    providers: tuple[str, ...] = ("cpu",)
    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 5


@dataclass(frozen=True)
class Profile(Request[ProfileReport], job="profile"):
    """How long each node of a graph takes. component: of a bundle; "": all of them. steps: that are counted."""

    path: str
    component: str = ""
    provider: str = "cpu"
    steps: int = 8


@dataclass(frozen=True)
class Eval(Request[EvalReport], job="eval"):
    """How far `bundle` is from `against`, which is a bundle's folder or a source as a build takes it.

    prompts: a text file, a prompt a line; "": the usual ones. steps: new tokens a prompt at most. questions: of the
    demo's held-back ones at most; None: as many as usual. task: a person's own, in their place.
    suggest: nodes to suggest for exclusion at most.
    """

    bundle: str
    against: str
    prompts: str = ""
    steps: int = 16
    suggest: int = 0
    consented: tuple[str, ...] = ()
    trust_remote_code: bool = False
    questions: int | None = None
    task: TaskFile | None = None


@dataclass(frozen=True)
class WriteReport(Request[WrittenReport], job="report"):
    """A report at `out`, whose ending says as what: on `runs`, by their ids, or on the bundle in a folder."""

    out: str
    runs: tuple[str, ...] = ()
    bundle: str = ""

    def __post_init__(self) -> None:
        if bool(self.runs) == bool(self.bundle):
            raise RequestError("A report is on runs or on a bundle: name one of the two.")


@dataclass(frozen=True)
class DivergenceSide:
    """One of two that run beside each other: a bundle after a stage of its build (""; as it runs), on a provider."""

    bundle: str
    stage: str = ""
    provider: str = "cpu"


@dataclass(frozen=True)
class Diverge(Request[DivergenceReport], job="diverge"):
    """The first node at which `b` parts from `a`, after a text or ids. steps: tokens that `a` goes on with."""

    a: DivergenceSide
    b: DivergenceSide
    prompt: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    steps: int = 2

    def __post_init__(self) -> None:
        if (self.prompt is None) == (self.prompt_ids is None):
            raise RequestError("The job diverge needs either a 'prompt' or 'prompt_ids'.")


@dataclass(frozen=True)
class Ping(Request[Done], job="ping"):
    """A word from the worker, at once, whatever it is doing."""


@dataclass(frozen=True)
class Cancel(Request[None], job="cancel"):
    """Stops the job whose id is `target`; this one has no answer."""

    target: int


NETWORK_REQUESTS = (ProbeSource, PlanRecipe, PreloadModules, Build, InstallPlugin, Eval)
"""Those that may ask the hub or an index of packages, and what is done ahead of them; every other needs no network.

A build and a comparison have done so before they open anything, a probe opens nothing by itself, and the other two open
nothing that comes from elsewhere.
"""
