"""The requests of the window to a worker: one frozen class per job, which names the class of its answer.

The types of fields are checked on arrival, their combinations when a request is made, on both sides: RequestError.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Generic, Literal, TypeVar, get_args

from workflows.common.errors import RequestError
from workflows.wire.codec import ABSENT
from workflows.wire.events import BuildDone, GenerationDone, ReadyEvent, SpeechTask
from workflows.wire.goals import Goal, TaskFile
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.reports.base import Done
from workflows.wire.reports.bench import BenchReport
from workflows.wire.reports.capabilities import CapabilitiesReport
from workflows.wire.reports.compiled import CompileReport
from workflows.wire.reports.composite import AssemblyReport
from workflows.wire.reports.devices import DevicesReport, PluginReport
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.reports.graphs import DiffReport, ExcerptReport, GraphReport, TensorReport, TrialReport
from workflows.wire.reports.harness import HarnessReport
from workflows.wire.reports.inspection import InspectReport, VerifyReport
from workflows.wire.reports.labels import LabelsReport
from workflows.wire.reports.machines import MachineReport
from workflows.wire.reports.parts import PartReport
from workflows.wire.reports.pictures import DepthReport, PictureLabelsReport
from workflows.wire.reports.plan import PlanReport, ProbeReport
from workflows.wire.reports.preflight import PreflightReport
from workflows.wire.reports.profile import ProfileReport
from workflows.wire.reports.rounding import RoundingReport
from workflows.wire.reports.runs import WrittenReport
from workflows.wire.reports.sound import SoundReport
from workflows.wire.reports.sweep import SweepReport
from workflows.wire.reports.tuning import TuneReport

Answer = TypeVar("Answer", covariant=True)
Options = dict[str, object]
"""The set fields of a recipe or of GenerationOptions, by name; the engine checks their values."""


@dataclass(frozen=True)
class Request(Generic[Answer]):
    """A job with its arguments. `answer` is the class of its last event or of that event's report."""

    job: ClassVar[str]
    answer: ClassVar[type]

    def __init_subclass__(cls, job: str, **others: object) -> None:
        super().__init_subclass__(**others)
        cls.job = job
        cls.answer = get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]  # the type parameter
        REQUESTS[job] = cls


REQUESTS: dict[str, type[Request[object]]] = {}
"""Job name → request class."""


@dataclass(frozen=True)
class GraphReference:
    """A graph: an .onnx file, or a bundle's component after a build stage; by default the first one, as it runs."""

    path: str
    component: str = ""
    stage: str = ""


# -- the open bundle ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """One message of a chat; role is system, user or assistant. pictures, sounds: files that come before its text.

    tool_calls: a JSON list of the calls that an assistant's message made. name, tool_call_id: of the tool
    and the call whose answer a message is.
    """

    role: str
    content: str
    pictures: tuple[str, ...] = ()
    sounds: tuple[str, ...] = ()
    tool_calls: str | None = field(default=None, metadata=ABSENT)
    name: str | None = field(default=None, metadata=ABSENT)
    tool_call_id: str | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class SoundPrompt:
    """A sound file to transcribe. language: its code; None has the model find it. task: None for the bundle's own."""

    path: str
    language: str | None = None
    task: SpeechTask | None = None
    timestamps: bool = False


@dataclass(frozen=True)
class Open(Request[ReadyEvent], job="open"):
    """Opens a bundle after closing the open one. capacity: cache slots; None is the bundle's own.

    place: component → its provider, where it differs. draft: the folder of the draft bundle. rows: of a server:
    the texts that a step may continue; its generations are not recorded.
    """

    bundle: str
    provider: str = "cpu"
    cache: str | None = None
    capacity: int | None = None
    session_options: dict[str, str] = field(default_factory=dict)
    place: dict[str, str] = field(default_factory=dict)
    draft: str | None = None
    rows: int | None = field(default=None, metadata=ABSENT)

    def __post_init__(self) -> None:
        if self.capacity is not None and self.capacity < 1:
            raise RequestError(f"The capacity cannot be {self.capacity}: give a whole number above 0.")


@dataclass(frozen=True)
class Generate(Request[GenerationDone], job="generate"):
    """Generates after chat messages, a text or token ids, or transcribes a sound.

    options: the set fields of GenerationOptions, by name; the engine checks them. tools: a JSON list for the chat
    template. tool_choice: constrains the reply to calls of them, or to calls and free text; None does not. prefill: the
    beginning of the reply to messages.
    """

    messages: tuple[Turn, ...] | None = None
    prompt: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    options: Options = field(default_factory=dict)
    tools: str = ""
    prefill: str = ""
    sound: SoundPrompt | None = None
    tool_choice: Literal["auto", "required"] | None = None

    def __post_init__(self) -> None:
        prompts = (self.messages, self.prompt, self.prompt_ids)
        if self.sound is None and all(one is None for one in prompts):
            raise RequestError("The job generate lacks its 'messages', 'prompt', 'prompt_ids' or 'sound'.")
        if self.sound is not None and (self.tools or self.prefill or any(one is not None for one in prompts)):
            raise RequestError("A transcript has no prompt: send the 'sound' alone.")


@dataclass(frozen=True)
class Rewind(Request[Done], job="rewind"):
    """Rewinds the cache to the first `length` tokens."""

    length: int


@dataclass(frozen=True)
class SaveCache(Request[Done], job="save_cache"):
    """Saves the cache's content to a file."""

    path: str


@dataclass(frozen=True)
class LoadCache(Request[Done], job="load_cache"):
    """Loads the cache's content from a file."""

    path: str


@dataclass(frozen=True)
class UseDraft(Request[Done], job="draft"):
    """Sets the draft bundle; None removes it. After an error the old one stays."""

    folder: str | None = None


@dataclass(frozen=True)
class Close(Request[Done], job="close"):
    """Closes the open bundle."""


@dataclass(frozen=True)
class Embed(Request[EmbedReport], job="embed"):
    """Compares texts by the vectors that a bundle makes of them.

    query: ranks the texts; "" for none. table: compares each two texts. vectors: reports the vectors themselves.
    pooling: of a bundle that states none itself.
    """

    bundle: str
    texts: tuple[str, ...]
    query: str = ""
    table: bool = True
    vectors: bool = False
    pooling: Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"] | None = None
    provider: str = "cpu"

    def __post_init__(self) -> None:
        if not self.texts:
            raise RequestError("There is no text to compare: give one or more.")


@dataclass(frozen=True)
class LabelTexts(Request[LabelsReport], job="label"):
    """Classifies texts by a bundle that gives labels. query: scores the texts for it instead; "" for none."""

    bundle: str
    texts: tuple[str, ...]
    query: str = ""
    provider: str = "cpu"

    def __post_init__(self) -> None:
        if not self.texts:
            raise RequestError("There is no text to classify: give one or more.")


@dataclass(frozen=True)
class LabelPictures(Request[PictureLabelsReport], job="label_pictures"):
    """Classifies picture files by a bundle that gives labels to pictures."""

    bundle: str
    pictures: tuple[str, ...]
    provider: str = "cpu"

    def __post_init__(self) -> None:
        if not self.pictures:
            raise RequestError("There is no picture to classify: give one or more.")


@dataclass(frozen=True)
class EstimateDepth(Request[DepthReport], job="depth"):
    """Estimates the depths of a picture file. folder: where the files of the report are written; it exists."""

    bundle: str
    picture: str
    folder: str
    provider: str = "cpu"


@dataclass(frozen=True)
class TryGraph(Request[TrialReport], job="try_graph"):
    """Runs an .onnx file once on random inputs. inputs: an .npz with some or all of them; outputs: one to write.

    sizes: of symbolic axes by name; tokens: of those that are a text's length.
    """

    path: str
    inputs: str = ""
    outputs: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    tokens: int = 16
    provider: str = "cpu"

    def __post_init__(self) -> None:
        for axis, size in {**self.sizes, "tokens": self.tokens}.items():
            if size < 1:
                raise RequestError(f"The size of {axis} cannot be {size}: give a whole number above 0.")


# -- builds -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ProbeSource(Request[ProbeReport], job="probe"):
    """Describes a source: a folder, a hub id or a demo."""

    source: str


@dataclass(frozen=True)
class PlanRecipe(Request[PlanReport], job="recipe"):
    """Plans a build of `source` with these options."""

    source: str
    options: Options = field(default_factory=dict)


@dataclass(frozen=True)
class PreloadModules(Request[Done], job="warm"):
    """Imports the modules of a build, so that the next build starts at once."""


@dataclass(frozen=True)
class Build(Request[BuildDone], job="build"):
    """Builds a bundle at `out`.

    consented: SHA-256 digests of the code files that may run; trust_remote_code: all may run. goal: the search chooses
    the precision of every node, which the options must not set then.
    """

    source: str
    out: str
    options: Options = field(default_factory=dict)
    consented: tuple[str, ...] = ()
    trust_remote_code: bool = False
    force: bool = False
    goal: Goal | None = None


# -- graphs of other tools -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImportGenai(Request[BuildDone], job="import"):
    """Imports a folder of onnxruntime-genai as a bundle at `out`."""

    folder: str
    out: str
    force: bool = False


@dataclass(frozen=True)
class ExportGenai(Request[BuildDone], job="export_genai"):
    """Exports a bundle as a folder of onnxruntime-genai. version: of its configuration. link: hard-link the weights."""

    bundle: str
    out: str
    version: Literal[1, 2] = 1
    link: bool = False


@dataclass(frozen=True)
class ExportGguf(Request[BuildDone], job="export_gguf"):
    """Writes a bundle as a GGUF file for llama.cpp. round_scales: scales of integers to the 16 bits that GGUF has."""

    bundle: str
    out: str
    round_scales: bool = False


@dataclass(frozen=True)
class PlanAssembly(Request[AssemblyReport], job="plan_assembly"):
    """Infers the pipeline of graphs. files: component → .onnx file. pipeline: a pipeline file; "" infers all of it."""

    files: dict[str, str]
    pipeline: str = ""
    tokenizer: str = ""


@dataclass(frozen=True)
class Assemble(Request[BuildDone], job="assemble"):
    """Assembles graphs to the bundle `out`. tokenizer: its folder; "" makes a bundle for token ids only."""

    files: dict[str, str]
    out: str
    pipeline: str = ""
    tokenizer: str = ""
    force: bool = False


# -- inspection and checks ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InspectPath(Request[InspectReport], job="inspect"):
    """Inspects a bundle or an .onnx file."""

    path: str


@dataclass(frozen=True)
class ShowGraph(Request[GraphReport], job="graph"):
    """Reports every node and value of a graph."""

    where: GraphReference


@dataclass(frozen=True)
class DiffGraphs(Request[DiffReport], job="diff"):
    """Compares two graphs."""

    before: GraphReference
    after: GraphReference


@dataclass(frozen=True)
class DescribeTensor(Request[TensorReport], job="tensor"):
    """Reports statistics of the initializer `name`."""

    where: GraphReference
    name: str


@dataclass(frozen=True)
class MeasureRounding(Request[RoundingReport], job="rounding"):
    """Measures the rounding errors of a graph's quantized weights by node."""

    where: GraphReference


@dataclass(frozen=True)
class ExportExcerpt(Request[ExcerptReport], job="netron"):
    """Writes a small file of the graph or of one scope, for Netron."""

    where: GraphReference
    scope: str = ""


@dataclass(frozen=True)
class VerifyBundle(Request[VerifyReport], job="verify"):
    """Checks every file of a bundle against its manifest."""

    bundle: str


@dataclass(frozen=True)
class DescribeSound(Request[SoundReport], job="sound"):
    """Reports length and waveform of a sound file. columns: the parts of the waveform."""

    path: str
    columns: int = 1000

    def __post_init__(self) -> None:
        if not 1 <= self.columns <= 100_000:
            raise RequestError(f"A waveform cannot have {self.columns} columns: give 1 to 100,000.")


@dataclass(frozen=True)
class CheckConstraint(Request[Done], job="form"):
    """Checks a constraint on replies: `text` is a JSON schema, a regular expression or a Lark grammar."""

    form: Literal["json_schema", "regex", "grammar"]
    text: str


@dataclass(frozen=True)
class PruneRuns(Request[Done], job="prune"):
    """Removes all runs of the history except the newest `keep`."""

    keep: int

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise RequestError(f"{self.keep} runs cannot be kept: give a whole number above 0.")


@dataclass(frozen=True)
class ListDevices(Request[DevicesReport], job="devices"):
    """Lists the execution providers of this machine, and what `bundle`, a folder, takes of its memory; "" for none."""

    bundle: str = ""


@dataclass(frozen=True)
class DescribeCapabilities(Request[CapabilitiesReport], job="capabilities"):
    """Describes what this machine can do, and which well-known models fit it. folder: of new bundles."""

    folder: str


@dataclass(frozen=True)
class InstallPlugin(Request[DevicesReport], job="install"):
    """Installs a provider's missing plugin by pip; the answer lists the providers afterwards."""

    provider: str


@dataclass(frozen=True)
class RemovePlugin(Request[DevicesReport], job="uninstall"):
    """Removes a provider's plugin by pip; the answer lists the providers afterwards."""

    provider: str


@dataclass(frozen=True)
class DescribePlugin(Request[PluginReport], job="plugin"):
    """Describes what installing or removing a provider's plugin would do."""

    provider: str


@dataclass(frozen=True)
class DescribePart(Request[PartReport], job="part"):
    """Describes what installing the build part would do."""


@dataclass(frozen=True)
class InstallPart(Request[PartReport], job="install_part"):
    """Installs the build part by pip into a folder of Joinery's own."""


# -- other machines --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AddMachine(Request[MachineReport], job="add_machine"):
    """Adds a machine and checks it. address: ssh://user@host:port. path: of Joinery there; "" searches for it."""

    name: str
    address: str
    path: str = ""


@dataclass(frozen=True)
class CheckMachine(Request[MachineReport], job="check_machine"):
    """Connects to a machine: its versions and providers."""

    name: str


@dataclass(frozen=True)
class Preflight(Request[PreflightReport], job="preflight"):
    """Tries a bundle on a provider: coverage and accuracy."""

    bundle: str
    provider: str


@dataclass(frozen=True)
class Compile(Request[CompileReport], job="compile"):
    """Compiles a bundle's graphs for a provider and stores the result beside them."""

    bundle: str
    provider: str


# -- measuring -------------------------------------------------------------------------------------------------


USUAL_PROMPT, USUAL_REPLY = 128, 64
"""The tokens of a benchmark's prompt and of its reply."""


@dataclass(frozen=True)
class Bench(Request[BenchReport], job="bench"):
    """Measures a bundle's speed on each provider. None: USUAL_PROMPT and USUAL_REPLY, or what fits its cache."""

    bundle: str
    providers: tuple[str, ...] = ("cpu",)
    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 5


@dataclass(frozen=True)
class Tune(Request[TuneReport], job="tune"):
    """Times int4 formats at the sizes of `source`, a checkpoint or a bundle's folder, for later builds."""

    source: str


@dataclass(frozen=True)
class Profile(Request[ProfileReport], job="profile"):
    """Measures the time of each node. component: of a bundle; "" is all. steps: the counted ones."""

    path: str
    component: str = ""
    provider: str = "cpu"
    steps: int = 8


@dataclass(frozen=True)
class Eval(Request[EvalReport], job="eval"):
    """Compares `bundle` with `against`, a bundle's folder or a source as a build takes it.

    prompts: a text file with a prompt per line; "" is the default set. steps: maximum of new tokens per prompt.
    questions: maximum of the demo's held-out questions; None is the default. task: the user's own task instead.
    suggest: maximum of nodes to suggest for exclusion.
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
class EvalTasks(Request[HarnessReport], job="eval_tasks"):
    """Scores a bundle in tasks of lm-eval: their names, or YAML files. limit: samples of each; None for all."""

    bundle: str
    tasks: tuple[str, ...]
    limit: int | None = None


@dataclass(frozen=True)
class WriteReport(Request[WrittenReport], job="report"):
    """Writes a report at `out`, in the format of its suffix: on `runs`, by their ids, or on the bundle in a folder."""

    out: str
    runs: tuple[str, ...] = ()
    bundle: str = ""

    def __post_init__(self) -> None:
        if bool(self.runs) == bool(self.bundle):
            raise RequestError("A report is on runs or on a bundle: name one of the two.")


@dataclass(frozen=True)
class DivergenceSide:
    """One of two compared bundles: after a build stage ("" is as it runs), on a provider."""

    bundle: str
    stage: str = ""
    provider: str = "cpu"


@dataclass(frozen=True)
class Diverge(Request[DivergenceReport], job="diverge"):
    """Finds the first node at which `b` differs from `a` for a prompt. steps: tokens that `a` generates after it.

    recorded: a file of RecordValues, which stands for the run of `a`; "" runs `a` here.
    """

    a: DivergenceSide
    b: DivergenceSide
    prompt: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    steps: int = 2
    recorded: str = ""

    def __post_init__(self) -> None:
        if (self.prompt is None) == (self.prompt_ids is None):
            raise RequestError("The job diverge needs either a 'prompt' or 'prompt_ids'.")


@dataclass(frozen=True)
class RecordValues(Request[Done], job="record_values"):
    """Runs the first side of a comparison and writes its values to the file `path`, for `Diverge.recorded`."""

    comparison: Diverge
    path: str


@dataclass(frozen=True)
class RunSweep(Request[SweepReport], job="sweep"):
    """Runs the steps of a plan file that have no result in the folder `out` yet.

    workers: steps at once on this machine; None suits it. scheduler: the address of a Dask scheduler, whose workers run
    the steps. retry_failed: runs failed steps again.
    """

    plan: str
    out: str
    workers: int | None = None
    scheduler: str = ""
    retry_failed: bool = False

    def __post_init__(self) -> None:
        if self.workers is not None and not 1 <= self.workers <= 256:
            raise RequestError(f"A sweep cannot have {self.workers} workers: give 1 to 256.")
        if self.workers is not None and self.scheduler:
            raise RequestError("The workers of a cluster are the scheduler's: leave --workers out.")


# -- the worker itself -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ping(Request[Done], job="ping"):
    """Answered at once, whatever job runs."""


@dataclass(frozen=True)
class Cancel(Request[None], job="cancel"):
    """Cancels the job with the id `target`; has no answer."""

    target: int


NETWORK_REQUESTS = (
    *(ProbeSource, PlanRecipe, PreloadModules, Build, InstallPlugin, Eval, EvalTasks, RunSweep),
    *(AddMachine, CheckMachine, InstallPart),
)
"""The requests that may use the hub, a package index or ssh, and their preparation; all others need no network.

A build and a comparison finish with the network before they open anything, a probe opens its source in another process,
and the others open no untrusted input.
"""
