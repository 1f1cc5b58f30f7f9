"""What a bundle says of its transcripts, and what a person chooses: language, task, time stamps.

The names are those of Whisper's generation_config.json in transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from workflows.bundle import Bundle
from workflows.common.errors import PromptError, RequestError, printable
from workflows.generate.generation_config import Id, config_of_bundle, invalid_setting
from workflows.generate.speech.fallback import FallbackRule
from workflows.wire.events import SpeechChoices, SpeechTask


@dataclass(frozen=True)
class SpeechOptions:
    """What a person chooses. language: a code such as `de`; None lets the model find it, where it knows several.

    task: None for the checkpoint's own. timestamps: whether segments have times; recordings longer than a window do.
    fallback: when a window is transcribed again; None for once. words: whether words have times.
    """

    language: str | None = None
    task: SpeechTask | None = None
    timestamps: bool = False
    fallback: FallbackRule | None = None
    words: bool = False


def _as_dict(value: Any) -> Any:
    return {} if value is None else value


Tokens = Annotated[dict[str, Id], BeforeValidator(_as_dict)]


class SpeechSettings(BaseModel):
    """The settings of generation_config.json. Tokens above no_timestamps_token_id are times."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    lang_to_id: Tokens = {}
    task_to_id: Tokens = {}
    no_timestamps_token_id: Id | None = None
    max_initial_timestamp_index: Id | None = None
    language: str | None = None
    task: str | None = None
    forced_decoder_ids: list[tuple[int, Id | None]] | None = None

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> SpeechSettings:
        """The settings of a bundle. Raises BundleError for a malformed file or an invalid value."""
        name, values = config_of_bundle(bundle)
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise invalid_setting(name, error) from None

    def choices(self) -> SpeechChoices:
        """What is left to the person who transcribes."""
        forced = self.task is None and self.task_to_id.get("translate", -1) in self._forced()
        return SpeechChoices(
            languages=self.languages,
            tasks=[one for one in get_args(SpeechTask) if one in self.task_to_id],
            task="translate" if forced or self.task == "translate" else "transcribe",
            times=self.no_timestamps_token_id is not None,
        )

    @property
    def languages(self) -> list[str]:
        """The codes of the languages that the model knows, sorted; empty where it has no tokens for them."""
        return sorted(token.strip("<|>") for token in self.lang_to_id)

    def language_token(self, language: str) -> int:
        """The token of a language, by its code. Raises PromptError that lists the languages for an unknown one."""
        code = language.lower().strip("<|>")
        token = self.lang_to_id.get(f"<|{code}|>")
        if token is None:
            known = self.languages
            if not known:
                raise PromptError("The model transcribes one language and has no others to choose from: leave it out.")
            choice = f"choose one of {', '.join(known)}"
            raise PromptError(f"The bundle does not know the language {printable(language, 40)!r}: {choice}.")
        return token

    def task_token(self, task: str) -> int:
        """The token of a task. Raises RequestError for a model without such a token."""
        if task not in self.task_to_id:
            known = ", ".join(sorted(self.task_to_id)) or "none to choose from"
            raise RequestError(f"The model has no token for the task {printable(task, 40)}: its tasks are {known}.")
        return self.task_to_id[task]

    def prefix(self, start: int, options: SpeechOptions, detected: int | None) -> list[int]:
        """The tokens that a transcript begins with: the start, language, task, and whether it has no times.

        As transformers' generate gives them. detected: the token of the language that was found; see needs_detection.
        Raises PromptError and RequestError for a language, a task or times that the model does not know.
        """
        language, task = options.language or self.language, options.task or self.task
        given: list[int | None] = [start]
        if language is None and task is None:
            given += self._forced()
        found = self.language_token(language) if language is not None else detected
        if found is not None:
            given[1:2] = [found]
        ids = [token for token in given if token is not None]
        if task is not None:
            ids = self._with_task(ids, self.task_token(task))
        elif language is not None and "transcribe" in self.task_to_id and not set(ids) & {*self.task_to_id.values()}:
            ids.append(self.task_to_id["transcribe"])
        none = self.no_timestamps_token_id
        if options.timestamps and none is None:
            raise RequestError("The model has no tokens for times: ask for a transcript without times.")
        if options.timestamps:
            return ids[:-1] if ids[-1] == none else ids
        return ids if none is None or ids[-1] == none else [*ids, none]

    def needs_detection(self, options: SpeechOptions) -> bool:
        """Whether the model has to find the language: nobody chose one, and no prefix of the checkpoint names it."""
        if options.language or self.language or not self.lang_to_id:
            return False
        return bool(options.task or self.task) or self._forced()[:1] in ([], [None])

    def _with_task(self, ids: Sequence[int], token: int) -> list[int]:
        known = {*self.task_to_id.values()}
        return [token if one in known else one for one in ids] if known & {*ids} else [*ids, token]

    def _forced(self) -> list[int | None]:
        """The prefix of older checkpoints after the start; None in the place of a language that is to be found."""
        pairs = self.forced_decoder_ids or []
        return [token for place, (number, token) in enumerate(pairs, 1) if number == place]
