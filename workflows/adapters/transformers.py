"""A bundle as a generative model of transformers.

    text, pictures ──processor──▶ input_ids, pixel_values ──────┬─JoineryModel.generate──▶ Engine ──▶ token ids ──▶ text
    sound ──────────feature extractor──▶ input_features ────────┘

transformers 5 has no pipelines for translation and summarization and refuses their names for every model; `pipeline`
below has pipelines for these tasks and passes every other task to transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import torch
import transformers

from workflows.adapters.media_inputs import encoder_inputs
from workflows.adapters.transcription import SPEECH_OPTIONS, transcribe
from workflows.bundle import read_bundle
from workflows.common.errors import RequestError, printable
from workflows.common.tensor_names import IDS, SOUND
from workflows.generate import Engine, open_engine
from workflows.generate.options import check_options
from workflows.generate.speech.sound_input import sound_shape
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.wire.events import GenerationDone

DEFAULT_NEW_TOKENS = 20  # transformers' default
PIPELINE_TASKS = {  # task → the key of its answer in transformers 4
    "translation": "translation_text",
    "summarization": "summary_text",
    "text2text-generation": "generated_text",
}
# Options of generate() that are supported, and those that are accepted at the value that has no effect.
SAMPLING = ("temperature", "top_k", "top_p", "min_p")
SUPPORTED_OPTIONS = {
    *SAMPLING, "max_new_tokens", "max_length", "do_sample", "repetition_penalty", "eos_token_id", "pad_token_id",
    "num_return_sequences", "bos_token_id", "decoder_start_token_id", "transformers_version", "num_beams",
}  # fmt: skip
IGNORED_OPTIONS = {"use_cache": True, "early_stopping": False, "return_dict_in_generate": False}
TransformersOptions = dict[str, Any]
"""Options of a generation by their names in transformers."""


class JoineryModel:
    """The interface of a model that transformers' pipelines use; batches run row by row."""

    output_modalities = ("text",)
    dtype = torch.float32
    hf_device_map = None

    def __init__(self, engine: Engine) -> None:
        self.engine, self.device = engine, torch.device("cpu")
        folder = engine.bundle.folder / "tokenizer"
        settings = json.loads((folder / "config.json").read_text("utf-8"))
        settings.pop("auto_map", None)  # the checkpoint's code is not needed
        self.config = transformers.PretrainedConfig.from_dict(settings)
        self.name_or_path = self.config.name_or_path = str(folder)
        own = (folder / "generation_config.json").is_file()
        self.generation_config = (
            transformers.GenerationConfig.from_pretrained(folder) if own else transformers.GenerationConfig()
        )

    @classmethod
    def from_bundle(cls, folder: str | Path, **options: Any) -> JoineryModel:
        """Opens a bundle; `options` are open_engine's. Raises what open_engine raises.

        The class has the name of the built architecture, by which pipelines look up a model's tasks.
        """
        name = read_bundle(folder).pipeline.metadata.architecture or cls.__name__
        model: JoineryModel = type(name, (cls,), {})(open_engine(folder, **options))
        return model

    @property
    def input_modalities(self) -> tuple[str, ...]:
        """Those of the bundle."""
        if self._transcribes:
            return ("audio",)
        return ("text", *(["image"] if self.engine.sees else []), *(["audio"] if self.engine.takes_sound else []))

    @property
    def main_input_name(self) -> str:
        """The argument of `generate` that pipelines fill."""
        return SOUND if self._transcribes else IDS

    @property
    def _transcribes(self) -> bool:
        return sound_shape(self.engine.machine) is not None

    def can_generate(self) -> bool:
        """True."""
        return True

    def to(self, *_: object, **__: object) -> JoineryModel:
        """Does nothing: the device was chosen when the bundle was opened."""
        return self

    def eval(self) -> JoineryModel:
        """Does nothing: the model never trains."""
        return self

    def generate(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        generation_config: transformers.GenerationConfig | None = None,
        **options: object,
    ) -> torch.Tensor | dict[str, object]:
        """Token ids, [B·R, L] int64, as in transformers: prompt and new tokens, or the decoder's tokens from its start.

        input_ids, attention_mask: [B, T]; R is num_return_sequences. options: also what a processor makes of pictures
        and sound, for one prompt; for a bundle that transcribes SPEECH_OPTIONS and the input_features of recordings,
        whose transcripts have neither prefix nor end. Raises RequestError for an unsupported option.
        """
        media = {name: options.pop(name) for name, value in [*options.items()] if isinstance(value, torch.Tensor)}
        if self._transcribes and SOUND in media:
            speech = {name: options.pop(name) for name in SPEECH_OPTIONS if name in options}
            listed = isinstance(options.get("temperature"), list | tuple)
            temperatures = cast("Sequence[float]", options.pop("temperature") if listed else (0.0,))
            merged = self._merged_options(generation_config, options)
            values = self._generation_values(merged, 0)
            pad = self._pad(merged)
            return transcribe(self.engine, media[SOUND], attention_mask, values, speech, pad, temperatures)
        if input_ids is None:
            raise RequestError("The prompt is empty: give at least one token.")
        merged = self._merged_options(generation_config, options)
        if media and len(input_ids) > 1:
            raise RequestError("Pictures and sound are taken with one prompt at a time: set batch_size to 1.")
        inputs = encoder_inputs(self.engine, media)
        masks = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        rows = []
        for ids, mask in zip(input_ids, masks, strict=True):
            head = [self._start] if self.engine.machine.has_source else ids.tolist()
            for _ in range(merged.get("num_return_sequences") or 1):
                rows.append(head + self._tokens(ids[mask.bool()].tolist(), len(head), merged, inputs))
        pad = self._pad(merged)
        longest = max(map(len, rows))
        return torch.tensor([row + [pad] * (longest - len(row)) for row in rows])

    @property
    def _start(self) -> int:
        start = self.engine.bundle.pipeline.tokens.decoder_start
        assert start is not None  # a bundle with an encoder has one
        return start

    def _merged_options(
        self, config: transformers.GenerationConfig | None, options: Mapping[str, object]
    ) -> TransformersOptions:
        """The options of a call over those of its config over the bundle's. Raises RequestError."""
        base: TransformersOptions = (config or self.generation_config).to_diff_dict()
        given = {key: value for key, value in options.items() if value is not None}
        for name, value in {**base, **given}.items():
            known = name in SUPPORTED_OPTIONS or (name in IGNORED_OPTIONS and value == IGNORED_OPTIONS[name])
            if not known and name in given:
                raise RequestError(
                    f"generate does not take {printable(name)}={printable(value, 40)} here: it takes "
                    f"{', '.join(sorted(SUPPORTED_OPTIONS))}."
                )
        if "max_length" in given and "max_new_tokens" not in given:
            base.pop("max_new_tokens", None)
        merged = base | given
        if (merged.get("num_beams") or 1) > 1 and (merged.get("num_return_sequences") or 1) > 1:
            raise RequestError("A beam search gives its best sequence alone: leave num_return_sequences out.")
        return merged

    def _tokens(self, prompt: Sequence[int], head: int, options: TransformersOptions, inputs: NamedInputs) -> list[int]:
        """The new tokens after one prompt."""
        eos = options.get("eos_token_id")
        ends = None if eos is None else eos if isinstance(eos, list) else [eos]
        values = check_options(self._generation_values(options, head))
        *_, done = self.engine.generate(prompt, values, eos=ends, inputs=inputs or None)
        assert isinstance(done, GenerationDone)
        return done.token_ids

    def _generation_values(self, options: TransformersOptions, head: int) -> dict[str, object]:
        """The options by their names here. head: tokens that count for max_length."""
        count = options.get("max_new_tokens")
        if count is None:
            limit = options.get("max_length")
            count = DEFAULT_NEW_TOKENS if limit is None else max(limit - head, 1)
        values: dict[str, object] = {"max_new_tokens": count, "repetition_penalty": options.get("repetition_penalty")}
        if options.get("do_sample"):
            values |= {"temperature": 1.0, "top_k": 50} | {key: options[key] for key in SAMPLING if key in options}
            values["seed"] = int(torch.randint(1 << 31, (1,)))  # reproducible with torch.manual_seed
        elif (beams := options.get("num_beams") or 1) > 1:
            values["num_beams"] = beams
        return values

    def _pad(self, options: TransformersOptions) -> int:
        tokens = self.engine.bundle.pipeline.tokens
        choices = (options.get("pad_token_id"), tokens.pad, *tokens.eos)
        return next((token for token in choices if token is not None), 0)


class SourcePipeline(transformers.Pipeline):  # type: ignore[misc]  # transformers is not type-checked here
    """Text in, another text out: what transformers 4 had for translation and summarization."""

    _pipeline_calls_generate = True
    _load_tokenizer = True
    _load_processor = _load_image_processor = _load_feature_extractor = False
    _default_generation_config = transformers.GenerationConfig(max_new_tokens=256)

    def _sanitize_parameters(self, **options: object) -> tuple[dict[str, object], ...]:
        return {}, options, {}

    def preprocess(self, inputs: str, **_: object) -> transformers.BatchEncoding:
        """Ids [1, T]."""
        return self.tokenizer(inputs, return_tensors="pt")

    def _forward(self, model_inputs: transformers.BatchEncoding, **options: object) -> dict[str, torch.Tensor]:
        taken = {name: model_inputs[name] for name in ("input_ids", "attention_mask")}
        return {"ids": self.model.generate(**taken, **self._prepare_generate_kwargs(options))}

    def postprocess(self, model_outputs: Mapping[str, torch.Tensor], **_: object) -> list[dict[str, str]]:
        """One entry a sequence."""
        name = PIPELINE_TASKS[self.task]
        return [{name: self.tokenizer.decode(ids, skip_special_tokens=True)} for ids in model_outputs["ids"]]


def pipeline(
    task: str, model: JoineryModel, tokenizer: transformers.PreTrainedTokenizerBase | None = None, **options: object
) -> transformers.Pipeline:
    """transformers.pipeline, and what it no longer has: `translation`, `summarization`, `text2text-generation`.

    tokenizer: the bundle's own unless another is given; so are the feature extractor of a bundle that transcribes, and
    the processor of one that reads pictures.
    """
    if task == "automatic-speech-recognition" and "feature_extractor" not in options:
        options["feature_extractor"] = transformers.AutoFeatureExtractor.from_pretrained(
            model.name_or_path, local_files_only=True
        )
    if task == "image-text-to-text" and "processor" not in options:
        options["processor"] = transformers.AutoProcessor.from_pretrained(model.name_or_path, local_files_only=True)
    if tokenizer is None:
        tokenizer = transformers.AutoTokenizer.from_pretrained(model.name_or_path, local_files_only=True)
    if task in PIPELINE_TASKS:
        return SourcePipeline(model=model, tokenizer=tokenizer, task=task, device=-1, **options)
    return transformers.pipeline(task, model=model, tokenizer=tokenizer, **options)
