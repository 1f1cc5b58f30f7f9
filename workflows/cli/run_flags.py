"""Flags of several commands: to open a bundle, give it a prompt, set generation options, and judge a task's replies.

A flag of a generation option has the name, the type and the help text of the field of GenerationOptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from workflows.cli.input_files import read_text, read_value
from workflows.cli.output import parse_pairs
from workflows.common.errors import PromptError, RequestError
from workflows.wire.generation_options import GenerationOptions, description
from workflows.wire.goals import TaskFile

if TYPE_CHECKING:
    from workflows.generate import Engine, Tool


@dataclass(frozen=True)
class PromptFlags:
    """The prompt of `joinery generate`, and what a chat template makes of it."""

    prompt: str | None = typer.Option(None, "--prompt", help="The prompt as text.")
    prompt_ids: str | None = typer.Option(None, "--prompt-ids", help="The prompt as token ids: 1,2,3.")
    prompt_file: Path | None = typer.Option(None, "--prompt-file", help="A UTF-8 file that holds the prompt.")
    chat: bool = typer.Option(False, "--chat", help="Put the prompt through the chat template.")
    tools: Path | None = typer.Option(
        None, "--tools", metavar="FILE", help="A JSON list of tools for the chat template."
    )
    tool_calls: Literal["auto", "required"] | None = typer.Option(
        None,
        "--tool-calls",
        metavar="auto|required",
        help="Constrain replies to calls of --tools; auto also allows free text.",
    )
    prefill: str = typer.Option("", "--prefill", metavar="TEXT", help="The beginning of the reply.")
    image: list[Path] = typer.Option(
        [], "--image", metavar="FILE", help="A picture before the prompt's text; may be repeated."
    )

    def read(self) -> str | list[int]:
        """The prompt as text or as token ids. Raises RequestError and PromptError."""
        if sum(value is not None for value in (self.prompt, self.prompt_ids, self.prompt_file)) != 1:
            raise RequestError("Give one of --prompt, --prompt-ids and --prompt-file.")
        if self.prompt_file is not None:
            return read_text(self.prompt_file, "prompt")
        if self.prompt_ids is not None:
            if not re.fullmatch(r"\s*-?[0-9]+\s*(,\s*-?[0-9]+\s*)*", self.prompt_ids):
                raise PromptError(f"--prompt-ids takes whole numbers with commas, not {self.prompt_ids[:60]!r}.")
            return [int(part) for part in self.prompt_ids.split(",")]
        assert self.prompt is not None
        return self.prompt

    def read_tools(self) -> list[Tool] | None:
        """The tools of --tools; None without the flag. Raises PromptError and RequestError."""
        from workflows.generate import parse_tools

        return (
            None if self.tools is None else parse_tools(read_text(self.tools, "tools"), f"The tools file {self.tools}")
        )


@dataclass(frozen=True)
class SoundFlags:
    """Recordings, and what a transcript is to be."""

    audio: list[Path] = typer.Option(
        [],
        "--audio",
        metavar="FILE",
        help="A sound file to transcribe, in place of a prompt; or one before the prompt's text; may be repeated.",
    )
    language: str | None = typer.Option(None, "--language", help="The language spoken: en, de …; found without it.")
    translate: bool = typer.Option(False, "--translate", help="Translate the recording into English.")
    timestamps: bool = typer.Option(False, "--timestamps", help="Give the times of the transcript's segments.")
    word_timestamps: bool = typer.Option(
        False, "--word-timestamps", help="Give the times of words, too; for a bundle built with expose=alignment."
    )
    fallback: bool = typer.Option(
        False, "--fallback", help="Skip silence, and sample again what repeats itself or is improbable."
    )

    def transcribes(self, prompt: PromptFlags) -> bool:
        """Whether a recording is to be transcribed. Raises RequestError for flags that do not go together."""
        if not self.audio and self._asks:
            raise RequestError(
                "--language, --translate, --timestamps, --word-timestamps and --fallback belong to a recording: give "
                "--audio."
            )
        given = any(one is not None for one in (prompt.prompt, prompt.prompt_ids, prompt.prompt_file))
        if given and self.audio and self._asks:
            raise RequestError("A transcript has no prompt: give --audio alone.")
        if given or not self.audio:
            return False
        more = prompt.chat or prompt.prefill or prompt.image or prompt.tools or prompt.tool_calls
        if more or len(self.audio) > 1:
            raise RequestError(
                "A transcript is of one recording and has no prompt: give one --audio alone, or --prompt."
            )
        return True

    @property
    def _asks(self) -> bool:
        """Whether something is said of the transcript."""
        times = self.timestamps or self.word_timestamps
        return self.language is not None or self.translate or times or self.fallback


def _flag(
    name: str, default: object = None, spelling: str = "", metavar: str | None = None, show_default: bool | str = True
) -> Any:
    """The flag of a generation option. show_default: what `--help` says of one that is not given."""
    return typer.Option(
        default, spelling or f"--{name.replace('_', '-')}", metavar=metavar, help=description(name),
        show_default=show_default,
    )  # fmt: skip


@dataclass(frozen=True)
class RunFlags:
    """How `joinery generate` opens a bundle, and the options of its generation, in the order of `--help`."""

    max_new_tokens: int | None = _flag(
        "max_new_tokens", show_default=f"{GenerationOptions.max_new_tokens}; with --audio what fits"
    )
    cache: str | None = typer.Option(None, "--cache", help="static or window, instead of the bundle's own.")
    provider: str = typer.Option("cpu", "--provider", help="An execution provider; see `joinery devices`.")
    device_option: list[str] = typer.Option([], "--device-option", metavar="K=V", help="An option of the provider.")
    capacity: int | None = typer.Option(
        None, "--capacity", min=1, help="Cache slots, instead of the bundle's own number."
    )
    session_option: list[str] = typer.Option(
        [], "--session-option", metavar="K=V", help="An option of onnxruntime's sessions: intra_op_num_threads=2 …"
    )
    place: list[str] = typer.Option(
        [], "--place", metavar="COMPONENT=PROVIDER,…", help="Components that run on another provider."
    )
    draft: Path | None = typer.Option(
        None, "--draft", metavar="BUNDLE", help="A smaller bundle with the same tokens that drafts."
    )
    ngram: bool = _flag("ngram", False)
    no_drafts: bool = _flag("drafts", False, "--no-drafts")
    draft_tokens: int | None = _flag("draft_tokens")
    draft_tree: int | None = _flag("draft_tree", metavar="N")
    acceptance: str | None = _flag("acceptance")
    guidance: float | None = _flag("guidance", metavar="G")
    negative_prompt: str | None = _flag("negative_prompt", metavar="TEXT")
    amateur: Path | None = typer.Option(
        None, "--amateur", metavar="BUNDLE", help="A smaller bundle whose logits are subtracted."
    )
    alpha: float | None = _flag("alpha", metavar="A")
    beams: int | None = _flag("num_beams", None, "--beams", metavar="N")
    length_penalty: float | None = _flag("length_penalty")
    early_stopping: str | None = _flag("early_stopping")
    json_schema: Path | None = _flag("json_schema", metavar="FILE")
    regex: str | None = _flag("regex")
    grammar: Path | None = _flag("grammar", metavar="FILE")
    logits: Path | None = _flag("chain", None, "--logits", metavar="FILE")
    temperature: float | None = _flag("temperature")
    top_k: int | None = _flag("top_k")
    top_p: float | None = _flag("top_p")
    min_p: float | None = _flag("min_p")
    repetition_penalty: float | None = _flag("repetition_penalty")
    seed: int | None = _flag("seed")
    stop: list[str] = _flag("stop", [])
    target_language: str | None = _flag("target_language")
    source_language: str | None = _flag("source_language")
    adapter: str | None = _flag("adapter", metavar="NAME")

    def check_drafts(self) -> None:
        """Raises RequestError where more than one of the flags says where drafts come from."""
        if [self.draft is not None, self.ngram, self.no_drafts].count(True) > 1:
            raise RequestError("Drafts come from one place: give --draft, --ngram or --no-drafts.")

    def check_combination(self) -> None:
        """Raises RequestError for one of two flags that contrastive decoding or guidance needs together."""
        if (self.amateur is None) != (self.alpha is None):
            raise RequestError("Contrastive decoding takes a model and a share: give --amateur and --alpha together.")
        if self.negative_prompt is not None and self.guidance is None:
            raise RequestError("--negative-prompt is what guidance leads away from: give --guidance with it.")

    def generation_options(self) -> dict[str, object]:
        """The generation options by name, None where a flag is unset; without --negative-prompt, which is text.

        Reads the files of --json-schema, --grammar and --logits. Raises PromptError and RequestError.
        """
        options = {one.name: getattr(self, one.name) for one in fields(GenerationOptions) if hasattr(self, one.name)}
        return options | {
            "chain": self._read_chain(),
            "drafts": not self.no_drafts,
            "num_beams": self.beams,
            "negative_prompt": None,
            "json_schema": None if self.json_schema is None else read_text(self.json_schema, "JSON schema"),
            "grammar": None if self.grammar is None else read_text(self.grammar, "grammar"),
        }

    def _read_chain(self) -> object:
        if self.logits is None:
            return None
        ops = read_value(self.logits, "logits")
        if not isinstance(ops, list):
            raise RequestError(
                f'The logits file {self.logits} must be a JSON list of ops: [{{"op": "top_k", "value": 40}}, …].'
            )
        return ops

    def open(self, open_bundle: Callable[..., Engine], bundle: Path) -> Engine:
        """The engine that `open_bundle` makes of the bundle's folder with these flags."""
        return open_bundle(
            bundle,
            provider=self.provider,
            cache=self.cache,
            capacity=self.capacity,
            device_options=parse_pairs("--device-option", self.device_option),
            session_options=parse_pairs("--session-option", self.session_option),
            place=read_places(self.place),
            draft=self.draft or (False if self.ngram or self.no_drafts else None),
        )


def read_places(texts: list[str]) -> dict[str, str]:
    """Component → provider, of `--place`. Raises RequestError for a text of another form."""
    return parse_pairs("--place", [one for text in texts for one in text.split(",")])


@dataclass(frozen=True)
class TaskFlags:
    """The columns, the pattern and the comparison of a task file."""

    question_column: str = typer.Option(
        "", "--question-column", help="Its column (default: question, prompt or input)."
    )
    answer_column: str = typer.Option("", "--answer-column", help="Its column (default: answer, completion or output).")
    pattern: str = typer.Option(
        "", "--pattern", metavar="REGEX", help="What of a reply is the answer: the first group, or all that is found."
    )
    pattern_column: str = typer.Option("", "--pattern-column", help="A column with a pattern of each row's own.")
    ignore_case: bool = typer.Option(False, "--ignore-case", help="Upper and lower case are the same.")
    keep_spaces: bool = typer.Option(
        False, "--keep-spaces", help="White space counts; without it a run of it is one blank."
    )
    raw: bool = typer.Option(False, "--raw", help="Questions are fed as they are, without the chat template.")

    def task(self, file: Path | None) -> TaskFile | None:
        """The task that `file` holds; None without one."""
        if file is None:
            return None
        columns = (self.question_column, self.answer_column, self.pattern, self.pattern_column)
        return TaskFile(str(file), *columns, self.ignore_case, self.keep_spaces, not self.raw)
