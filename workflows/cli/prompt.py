"""What `generate` and `chat` share: the files and options that a prompt is made of."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.output import parse_pairs
from workflows.common.errors import PromptError, RequestError
from workflows.common.files import special_file_kind
from workflows.common.strict_json import InvalidJsonError, read_json

_LONGEST = 64 << 20  # bytes

ToolsOption = typer.Option(None, "--tools", metavar="FILE", help="A JSON list of the tools that the model is told of.")
ToolCallsOption = typer.Option(
    None, "--tool-calls", metavar="auto|required", help="Hold replies to calls of --tools, or to such or free text."
)
PrefillOption = typer.Option("", "--prefill", metavar="TEXT", help="What the reply begins with.")

CapacityOption = typer.Option(None, "--capacity", min=1, help="Cache slots, other than the bundle's own.")
SessionOption = typer.Option(
    [], "--session-option", metavar="K=V", help="An option of onnxruntime's sessions: intra_op_num_threads=2 …"
)
DraftOption = typer.Option(None, "--draft", metavar="BUNDLE", help="A smaller bundle of the same tokens that drafts.")
NGramOption = typer.Option(False, "--ngram", help="Draft what followed the last tokens when they came before.")
NoDraftsOption = typer.Option(False, "--no-drafts", help="No drafts, where the bundle's own file asks for some too.")
DraftTokensOption = typer.Option(None, "--draft-tokens", help="Tokens that a draft has at most.")
DraftTreeOption = typer.Option(
    None, "--draft-tree", metavar="N", help="Let drafts branch, with N tokens at most; one run looks at all paths."
)
AcceptanceOption = typer.Option(
    None, "--acceptance", help="Drafted tokens taken: greedy, rejection_sampling or typical; the default is exact."
)
GuidanceOption = typer.Option(None, "--guidance", metavar="G", help="Follow the prompt G times as far; above 1.")
NegativeOption = typer.Option(None, "--negative-prompt", metavar="TEXT", help="What guidance leads away from.")
AmateurOption = typer.Option(None, "--amateur", metavar="BUNDLE", help="A smaller bundle whose logits are taken off.")
AlphaOption = typer.Option(None, "--alpha", metavar="A", help="How much of the amateur's logits is taken off.")
BeamsOption = typer.Option(None, "--beams", metavar="N", help="Search N texts at once for the most probable one.")
LengthPenaltyOption = typer.Option(None, "--length-penalty", help="Of beams: above 0 favours long texts.")
EarlyStoppingOption = typer.Option(None, "--early-stopping", help="Of beams: true, false or never, as transformers'.")
SchemaOption = typer.Option(None, "--json-schema", metavar="FILE", help="A JSON schema that the reply must fit.")
RegexOption = typer.Option(None, "--regex", help="A regular expression that the whole reply must match.")
GrammarOption = typer.Option(None, "--grammar", metavar="FILE", help="A Lark grammar that the reply must follow.")
LogitsOption = typer.Option(
    None, "--logits", metavar="FILE", help="A JSON list of the ops that logits go through, in place of the bundle's."
)
PlaceOption = typer.Option(
    [], "--place", metavar="COMPONENT=PROVIDER,…", help="Components that run on another provider than the others."
)


def check_drafts(draft: Path | None, ngram: bool, no_drafts: bool) -> None:
    """Raises RequestError where drafts are to come from two places, or from one and none."""
    if [draft is not None, ngram, no_drafts].count(True) > 1:
        raise RequestError("Drafts come from one place: give --draft, --ngram or --no-drafts.")


def read_places(texts: list[str]) -> dict[str, str]:
    """Component → provider. Raises RequestError for a text of another form."""
    return parse_pairs("--place", [one for text in texts for one in text.split(",")])


def read_chain(path: Path | None) -> object:
    """The ops of a file, as GenerateOptions.chain takes them; None without one. Raises RequestError, PromptError."""
    if path is None:
        return None
    found = read_value(path, "logits")
    if not isinstance(found, list):
        raise RequestError(f'The logits file {path} must be a JSON list of ops: [{{"op": "top_k", "value": 40}}, …].')
    return found


def check_guidance(amateur: Path | None, alpha: float | None, guidance: float | None, negative: str | None) -> None:
    """Raises RequestError for half of what contrastive decoding or guidance takes."""
    if (amateur is None) != (alpha is None):
        raise RequestError("Contrastive decoding takes a model and a share: give --amateur and --alpha together.")
    if negative is not None and guidance is None:
        raise RequestError("--negative-prompt is what guidance leads away from: give --guidance with it.")


def read_value(path: Path, what: str) -> object:
    """The value of a JSON file. Raises PromptError where it cannot be read, RequestError where it is no JSON."""
    try:
        value: object = read_json(read_text(path, what))
    except InvalidJsonError as error:
        raise RequestError(f"The {what} file {path} {error}: mend it, or give another.") from None
    return value


def read_text(path: Path, what: str) -> str:
    """A UTF-8 file. what: what it is called in the sentence. Raises PromptError where it cannot be read."""
    if kind := special_file_kind(path):
        raise PromptError(f"The {what} file {path} is {kind}, which may have no end: give a file.")
    if path.is_file() and path.stat().st_size > _LONGEST:
        raise PromptError(f"The {what} file {path} is larger than {_LONGEST >> 20} MiB: no model reads so much.")
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise PromptError(f"The {what} file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise PromptError(f"The {what} file {path} is not UTF-8 text.") from None
