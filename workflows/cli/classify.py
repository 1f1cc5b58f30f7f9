"""`joinery classify` and `joinery rank`: labels of texts and pictures, and texts by their score for a query."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from workflows.cli.embed import check_one_prompt, short
from workflows.cli.flags import with_flags
from workflows.cli.interrupts import exit_on_interrupt
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.streams import print_line
from workflows.cli.text_flags import TextFlags, warn
from workflows.common.errors import RequestError, printable
from workflows.wire.codec import to_fields

_ProviderFlag = typer.Option("cpu", "--provider", help="A name that `joinery devices` prints.")
_SHOWN = 5  # labels of a text or a picture in text mode; --json has all


@with_flags
def classify(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    texts: TextFlags = TextFlags(),
    pictures: list[Path] = typer.Option([], "--picture", metavar="FILE", help="A picture file; repeat it for more."),
    top: int | None = typer.Option(None, "--top", min=1, metavar="N", help="The N most probable labels of a picture."),
    provider: str = _ProviderFlag,
    as_json: bool = JsonFlag,
) -> None:
    """Print the labels of each text or picture with their probabilities, or the spans of a text that have a label."""
    if pictures:
        if texts.text or texts.text_file:
            raise RequestError("A bundle classifies texts or pictures: give --text or --picture and not both.")
        _classify_pictures(bundle, pictures, top, provider, as_json)
        return
    if top is not None:
        raise RequestError("--top is the number of labels of a picture: give --picture with it.")
    given = texts.read()
    from workflows.predict import open_classifier

    with exit_on_interrupt():
        classifier = open_classifier(bundle, provider)
        classified = classifier.classify(given)
    warn(one.note for one in classified)
    unused = {"note", "labels" if classifier.by_token else "spans"}
    for one in classified:
        if as_json:
            write_json({name: value for name, value in to_fields(one).items() if name not in unused})
            continue
        print_line(short(one.text))
        for label in one.labels[:_SHOWN]:
            print_line(f"  {label.score:8.4f}  {label.label}")
        for span in one.spans:
            print_line(f"  {span.score:8.4f}  {span.label}  {span.start}-{span.end}  {short(span.text)}")


def _classify_pictures(bundle: Path, pictures: list[Path], top: int | None, provider: str, as_json: bool) -> None:
    from workflows.predict import open_picture_classifier

    with exit_on_interrupt():
        classified = open_picture_classifier(bundle, provider).classify(pictures)
    warn(note for one in classified for note in one.notes)
    for one in classified:
        if as_json:
            shown = replace(one, labels=one.labels[:top])
            write_json({name: value for name, value in to_fields(shown).items() if name != "notes"})
            continue
        print_line(printable(one.picture))
        for label in one.labels[: top or _SHOWN]:
            print_line(f"  {label.score:8.4f}  {label.label}")


@with_flags
def rank(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    query: str = typer.Option(..., "--query", metavar="TEXT", help="What the texts are compared with."),
    texts: TextFlags = TextFlags(),
    prompt: str | None = typer.Option(None, "--prompt", metavar="NAME", help="One of the bundle's prompts."),
    prompt_text: str | None = typer.Option(
        None, "--prompt-text", metavar="TEXT", help="A text put before the query, such as an instruction."
    ),
    provider: str = _ProviderFlag,
    as_json: bool = JsonFlag,
) -> None:
    """Score each text for the query with a reranker, and print the texts by their scores."""
    check_one_prompt(prompt, prompt_text)
    given = texts.read()
    from workflows.predict import open_classifier

    with exit_on_interrupt():
        classifier = open_classifier(bundle, provider)
        ranked = classifier.rank(query, given, classifier.prompt(prompt) if prompt_text is None else prompt_text)
    warn(one.note for one in sorted(ranked, key=lambda one: one.index))
    for one in ranked:
        if as_json:
            write_json({name: value for name, value in to_fields(one).items() if name != "note"})
        else:
            print_line(f"{one.score:8.4f}  {one.index + 1:4}  {short(one.text)}")
