"""What `generate` and `chat` share: the files and options that a prompt is made of."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.output import pairs
from workflows.errors import PromptError

ToolsOption = typer.Option(None, "--tools", metavar="FILE", help="A JSON list of the tools that the model is told of.")
PrefillOption = typer.Option("", "--prefill", metavar="TEXT", help="What the reply begins with.")

CapacityOption = typer.Option(None, "--capacity", min=1, help="Cache slots, other than the bundle's own.")
SessionOption = typer.Option(
    [], "--session-option", metavar="K=V", help="An option of onnxruntime's sessions: intra_op_num_threads=2 …"
)
DraftOption = typer.Option(None, "--draft", metavar="BUNDLE", help="A smaller bundle of the same tokens that drafts.")
NGramOption = typer.Option(False, "--ngram", help="Draft what followed the last tokens when they came before.")
DraftTokensOption = typer.Option(None, "--draft-tokens", help="Tokens that a draft has at most.")
DraftTreeOption = typer.Option(
    None, "--draft-tree", metavar="N", help="Let drafts branch, with N tokens at most; one run looks at all paths."
)
AcceptanceOption = typer.Option(
    None, "--acceptance", help="Drafted tokens taken: greedy, rejection_sampling or typical; the default is exact."
)
BeamsOption = typer.Option(None, "--beams", metavar="N", help="Search N texts at once for the most probable one.")
LengthPenaltyOption = typer.Option(None, "--length-penalty", help="Of beams: above 0 favours long texts.")
EarlyStoppingOption = typer.Option(None, "--early-stopping", help="Of beams: true, false or never, as transformers'.")
SchemaOption = typer.Option(None, "--json-schema", metavar="FILE", help="A JSON schema that the reply must fit.")
RegexOption = typer.Option(None, "--regex", help="A regular expression that the whole reply must match.")
GrammarOption = typer.Option(None, "--grammar", metavar="FILE", help="A Lark grammar that the reply must follow.")
PlaceOption = typer.Option(
    [], "--place", metavar="COMPONENT=PROVIDER,…", help="Components that run on another provider than the others."
)


def read_places(texts: list[str]) -> dict[str, str]:
    """Component → provider. Raises RequestError for a text of another form."""
    return pairs("--place", [one for text in texts for one in text.split(",")])


def read_text(path: Path, what: str) -> str:
    """A UTF-8 file. what: what it is called in the sentence. Raises PromptError where it cannot be read."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise PromptError(f"The {what} file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise PromptError(f"The {what} file {path} is not UTF-8 text.") from None
