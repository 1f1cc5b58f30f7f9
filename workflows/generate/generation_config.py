"""A checkpoint's generation settings: its generation_config.json, or config.json of older checkpoints.

Names and meanings are those of transformers. Sampling settings do not apply: the person chooses to sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, ValidationError

from workflows.bundle import Bundle, Pipeline
from workflows.bundle.genai.metadata import search_settings
from workflows.bundle.strategy import LogitsOp
from workflows.common.errors import BundleError, printable
from workflows.generate.generation_keys import is_announced
from workflows.generate.speech.fallback import TokenLogprobs
from workflows.generate.speech.timestamps import TimestampRule

_CONFIG_FILES = ("tokenizer/generation_config.json", "tokenizer/config.json")
_NOT_OF_FILES = ("chain", "timestamps", "logprobs", "not_applied")  # fields that are no settings of transformers

_NGRAM = "no_repeat_ngram_size"
_DO_SAMPLE = "sampling.do_sample"  # the pipeline file's own; a checkpoint's does not apply

Id = Annotated[int, Field(ge=0, strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
Penalty = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _as_list(value: Any) -> Any:
    return [] if value is None else value if isinstance(value, list) else [value]


Ids = Annotated[tuple[Id, ...], BeforeValidator(_as_list)]
Texts = Annotated[tuple[Annotated[str, Field(min_length=1, strict=True)], ...], BeforeValidator(_as_list)]
Sequences = Annotated[tuple[Annotated[tuple[Id, ...], Field(min_length=1)], ...], BeforeValidator(_as_list)]


class GenerationConfig(BaseModel):
    """Settings of every generation of a bundle; all defaults are neutral.

    chain: the ops of the pipeline file, in their order, in place of all settings of the checkpoint. timestamps: the
    rule of a transcript with times. logprobs: notes those of the chosen tokens. not_applied: `name=value` of settings
    that Joinery does not apply.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    forced_bos_token_id: Ids = ()
    forced_eos_token_id: Ids = ()
    bad_words_ids: Sequences = ()
    suppress_tokens: Ids = ()
    begin_suppress_tokens: Ids = ()
    no_repeat_ngram_size: Count = 0
    encoder_no_repeat_ngram_size: Count = 0
    min_length: Count = 0
    min_new_tokens: Count = 0
    repetition_penalty: Penalty = 1.0
    encoder_repetition_penalty: Penalty = 1.0
    stop_strings: Texts = ()
    length_penalty: Annotated[float, Field(allow_inf_nan=False)] = 1.0
    early_stopping: Literal["never"] | bool = False
    chain: tuple[LogitsOp, ...] | None = None
    timestamps: TimestampRule | None = None
    logprobs: InstanceOf[TokenLogprobs] | None = None
    not_applied: tuple[str, ...] = ()

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> GenerationConfig:
        """The settings of a bundle. Raises BundleError for a malformed file or an invalid value."""
        name, values = config_of_bundle(bundle)
        own = {key: value for key, value in values.items() if key not in _NOT_OF_FILES}
        defaults = _validated(own | _from_pipeline(bundle.pipeline), name)
        vocabulary = bundle.pipeline.metadata.vocabulary or 0
        token = max(defaults.tokens, default=0)
        if token >= vocabulary:
            raise BundleError(f"{name} names the token {token}, and the model's ids go from 0 to {vocabulary - 1:,}.")
        return defaults

    def suppressing(self, tokens: Iterable[int]) -> GenerationConfig:
        """The same settings, with further tokens that are never drawn."""
        more = tuple(tokens)
        return self.model_copy(update={"suppress_tokens": (*self.suppress_tokens, *more)}) if more else self

    @property
    def tokens(self) -> set[int]:
        """All token ids in the settings."""
        words = [self.forced_bos_token_id, self.forced_eos_token_id, self.suppress_tokens, self.begin_suppress_tokens]
        return {token for word in (*words, *self.bad_words_ids) for token in word}


def config_of_bundle(bundle: Bundle) -> tuple[str, dict[str, Any]]:
    """The file of a checkpoint's generation settings, and its values. Raises BundleError for a malformed file."""
    for name in _CONFIG_FILES:
        if (values := bundle.json_object(name)) is not None:
            return name, values
    return "generation", {}


def invalid_setting(name: str, error: ValidationError) -> BundleError:
    """The first invalid value of the settings file `name`, as a sentence."""
    first = error.errors()[0]
    return BundleError(
        f"{name} sets {printable(first['loc'][0])} to {printable(first['input'], 40)}, which cannot be: "
        f"{printable(first['msg'])}; correct the file and build the bundle again."
    )


def _from_pipeline(pipeline: Pipeline) -> dict[str, Any]:
    """The settings of the pipeline file, by the names of generation_config.json."""
    own = pipeline.generation
    sampling = own.sampling if own else None
    values = {
        "min_length": own and own.min_length,
        "num_beams": own and own.num_beams,
        "repetition_penalty": sampling and sampling.repetition_penalty,
        _DO_SAMPLE: sampling and sampling.do_sample,
        "chain": (own and own.logits) or None,
        _NGRAM: search_settings(pipeline).get(_NGRAM),
    }
    return {key: value for key, value in values.items() if value is not None}


def _validated(values: dict[str, Any], name: str) -> GenerationConfig:
    known = {key: value for key, value in values.items() if key in GenerationConfig.model_fields and value is not None}
    missed = [f"{key}={printable(value, 40)}" for key, value in values.items() if is_announced(key, value)]
    if values.get(_DO_SAMPLE):
        missed.append(f"{_DO_SAMPLE}=True")
    try:
        return GenerationConfig.model_validate(known | {"not_applied": tuple(missed)})
    except ValidationError as error:
        raise invalid_setting(name, error) from None
