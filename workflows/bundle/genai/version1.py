"""The schema of `genai_config.json`, version 1, which released versions of onnxruntime-genai read, and
the faults of a file: keys that Joinery cannot run.

    model    sub-models (decoder, encoder, vision …), each with its file, options, and tensor names; token ids
    search   token selection         speculative, engine   drafts and batches, which Joinery does not run

Unknown keys are refused, as genai does, with their JSON path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from workflows.bundle.genai.keys import PARTS
from workflows.bundle.outline import Fault
from workflows.bundle.session_options import NonNegativeInt, PositiveInt, SessionOptions, StrictBool
from workflows.bundle.strict_model import NAME_IN_BUNDLE, StrictModel
from workflows.common.tensor_names import is_layered

File = Annotated[str, Field(max_length=400)]  # "": none
TensorNameMap = dict[Annotated[str, Field(pattern=r"^[a-z_0-9]+$")], Annotated[str, Field(max_length=200)]]
Number = Annotated[float, Field(allow_inf_nan=False)]
GenaiId = Annotated[int, Field(strict=True)]
GenaiIds = Annotated[list[GenaiId], BeforeValidator(lambda value: [value] if isinstance(value, int) else value)]
Layers = Annotated[int, Field(ge=0, le=1000, strict=True)]
Options = dict[str, str]
Cell = str | bool | int | float | list[int]
ObjectRows = Annotated[
    list[dict[str, Cell | dict[str, Cell | list[str]]]],
    BeforeValidator(lambda value: [value] if isinstance(value, dict) else value),
]

_STATE = ("past_key_names", "past_value_names", "past_names", "cross_past_key_names", "cross_past_value_names",
          "past_conv_names", "past_recurrent_names", "rnn_states_prev")  # fmt: skip
_LENGTHS = ("past_sequence_length", "current_sequence_length", "total_sequence_length", "past_key_values_length")
_PAGES = ("cumulative_sequence_lengths", "past_sequence_lengths", "block_table", "block_table_windowed",
          "attention_metadata", "cache_indirection")  # fmt: skip
_TRANSDUCER = ("targets", "targets_length", "lstm_hidden_state", "lstm_cell_state")
_TEXT = ("input_ids", "inputs_embeds", "attention_mask", "position_ids")
_CACHES = ("cache_last_channel", "cache_last_time", "cache_last_channel_len")
_INPUTS = {
    "decoder": (*_TEXT, *_STATE, *_LENGTHS, *_PAGES, *_TRANSDUCER, "encoder_hidden_states", "encoder_attention_mask",
                "hidden_states", "per_layer_inputs", "write_indices", "nonpad_kv_seqlen"),
    "encoder": (*_TEXT, *_CACHES, "audio_features", "input_lengths", "lang_id"),
    "vision": ("pixel_values", "pixel_position_ids", "image_sizes", "image_grid_thw", "attention_mask"),
    "speech": ("audio_embeds", "attention_mask", "audio_sizes", "audio_projection_mode"),
    "embedding": ("input_ids", "image_features", "audio_features"),
}  # fmt: skip
_OUTPUTS = {
    "decoder": ("logits", "present_key_names", "present_value_names", "present_names", "output_cross_qk_names",
                "rnn_states", "present_conv_names", "present_recurrent_names", "hidden_states", "outputs",
                "outputs_length", "lstm_hidden_state", "lstm_cell_state"),
    "encoder": ("encoder_hidden_states", "encoder_outputs", "output_lengths", "cache_last_channel_next",
                "cache_last_time_next", "cache_last_channel_len_next", "cross_present_key_names",
                "cross_present_value_names"),
    "vision": ("image_features",),
    "speech": ("audio_features",),
    "embedding": ("inputs_embeds", "per_layer_inputs"),
}  # fmt: skip
_PIPELINE = "model.decoder.pipeline"
_NO_TRANSDUCER = "Joinery does not support transducers"
_UNFED = {
    **dict.fromkeys(_PAGES, "Joinery does not support paged caches"),
    **dict.fromkeys(_TRANSDUCER, _NO_TRANSDUCER),
    "cache_indirection": "Joinery does not support this beam search input",
    "current_sequence_length": "Joinery has no input with the number of tokens of a step",
    "past_key_values_length": "Joinery has no input with the number of tokens of a step",
}  # fmt: skip


class SubModel(StrictModel):
    """Fields of every sub-model. inputs, outputs: genai's tensor name → the graph's."""

    filename: File = ""
    session_options: SessionOptions | None = None
    run_options: Options | None = None
    inputs: TensorNameMap = Field(default_factory=dict)
    outputs: TensorNameMap = Field(default_factory=dict)


class AttentionSubModel(SubModel):
    """A sub-model with an attention geometry."""

    hidden_size: NonNegativeInt | None = None
    num_attention_heads: NonNegativeInt | None = None
    num_key_value_heads: NonNegativeInt | None = None
    num_hidden_layers: Layers | None = None
    head_size: NonNegativeInt | None = None


class PromptWindow(StrictModel):
    """Prompts are processed in windows of that many tokens; slide_key_value_cache: the cache slides with them."""

    window_size: PositiveInt
    pad_value: GenaiId | None = None
    alignment: Literal["left", "right"] | None = None
    slide_key_value_cache: StrictBool = True
    slide_inputs: StrictBool = True
    layers: list[NonNegativeInt] | None = None
    cache_slack: NonNegativeInt | None = None


class PipelineStage(StrictModel):
    """One graph of a decoder with several; run_on_prompt, run_on_token_gen: when it runs."""

    filename: Annotated[File, Field(min_length=1)]
    inputs: list[str] = Field(default_factory=list)
    outputs: list[str] = Field(default_factory=list)
    output_names_forwarder: dict[str, str] = Field(default_factory=dict)
    run_on_prompt: StrictBool = True
    run_on_token_gen: StrictBool = True
    is_lm_head: StrictBool = False
    inherit_session_options: StrictBool | None = None
    reset_session_idx: Annotated[int, Field(ge=-1, strict=True)] | None = None
    session_options: SessionOptions | None = None
    run_options: Options | None = None


Stages = Annotated[
    list[dict[Annotated[str, Field(min_length=1, pattern=r"^[^.]+$")], PipelineStage]],
    BeforeValidator(lambda value: [value] if isinstance(value, dict) else value),
]


class GenaiDecoder(AttentionSubModel):
    """The sub-model that computes logits."""

    layer_types: list[Annotated[str, Field(max_length=60)]] | None = None
    conv_cache_size: NonNegativeInt | None = None
    shared_initializers: ObjectRows | None = None
    sliding_window: PromptWindow | None = None
    pipeline: Stages = Field(default_factory=list)

    def stages(self) -> dict[str, PipelineStage]:
        return {name: stage for row in self.pipeline for name, stage in row.items()}


class GenaiEncoder(AttentionSubModel):
    """The sub-model that reads a source once."""


class GenaiVision(SubModel):
    """Reads pictures. pipeline: graphs that only genai's own code connects."""

    config_filename: File | None = None
    adapter_filename: File | None = None
    spatial_merge_size: NonNegativeInt | None = None
    tokens_per_second: Number | None = None
    patch_size: NonNegativeInt | None = None
    num_visual_tokens: NonNegativeInt | None = None
    window_size: NonNegativeInt | None = None
    pipeline: ObjectRows | None = None


class GenaiSpeech(SubModel):
    """Reads sound."""

    config_filename: File | None = None
    adapter_filename: File | None = None


class VoiceDetector(SubModel):
    """Detects speech in sound."""

    threshold: Number | None = None
    silence_duration_ms: NonNegativeInt | None = None
    prefix_padding_ms: NonNegativeInt | None = None


class GenaiHeads(AttentionSubModel):
    """Extra heads that draft tokens."""

    main_hidden_states: str | None = None
    shared_initializers: ObjectRows | None = None


class ModelConfig(StrictModel):
    """`model`: the sub-models and special token ids. type: selects genai's implementation."""

    type: Annotated[str, Field(min_length=1, max_length=100)]
    tokenizer_dir: File = ""
    vocab_size: PositiveInt | None = None
    context_length: NonNegativeInt | None = None
    pad_token_id: GenaiId | None = None
    eos_token_id: GenaiIds = Field(default_factory=list)
    bos_token_id: GenaiId | None = None
    sep_token_id: GenaiId | None = None
    decoder_start_token_id: GenaiId | None = None
    image_token_id: GenaiId | None = None
    audio_token_id: GenaiId | None = None
    video_token_id: GenaiId | None = None
    boa_token_id: GenaiId | None = None
    vision_start_token_id: GenaiId | None = None
    bot_token_id: GenaiId | None = None
    eot_token_id: GenaiId | None = None
    bor_token_id: GenaiId | None = None
    eor_token_id: GenaiId | None = None
    num_mels: NonNegativeInt | None = None
    fft_size: NonNegativeInt | None = None
    hop_length: NonNegativeInt | None = None
    win_length: NonNegativeInt | None = None
    preemph: Number | None = None
    log_eps: Number | None = None
    norm_eps: Number | None = None
    subsampling_factor: NonNegativeInt | None = None
    left_context: NonNegativeInt | None = None
    conv_context: NonNegativeInt | None = None
    pre_encode_cache_size: NonNegativeInt | None = None
    sample_rate: NonNegativeInt | None = None
    chunk_samples: NonNegativeInt | None = None
    blank_id: GenaiId | None = None
    max_symbols_per_step: NonNegativeInt | None = None
    left_context_samples: NonNegativeInt | None = None
    right_context_samples: NonNegativeInt | None = None
    tdt_durations: list[NonNegativeInt] | None = None
    encoder: GenaiEncoder | None = None
    decoder: GenaiDecoder = GenaiDecoder()
    draft: GenaiDecoder | None = None
    vision: GenaiVision | None = None
    embedding: SubModel | None = None
    speech: GenaiSpeech | None = None
    joiner: SubModel | None = None
    vad: VoiceDetector | None = None
    mtp: GenaiHeads | None = None


class GenaiSearch(StrictModel):
    """`search`: token selection; max_length 0 means the whole context."""

    do_sample: StrictBool | None = None
    min_length: NonNegativeInt | None = None
    max_length: NonNegativeInt | None = None
    batch_size: PositiveInt | None = None
    num_beams: PositiveInt | None = None
    num_return_sequences: PositiveInt | None = None
    repetition_penalty: Annotated[Number, Field(gt=0)] | None = None
    top_k: NonNegativeInt | None = None
    top_p: Annotated[Number, Field(ge=0, le=1)] | None = None
    temperature: Annotated[Number, Field(ge=0)] | None = None
    early_stopping: StrictBool | None = None
    no_repeat_ngram_size: NonNegativeInt | None = None
    diversity_penalty: Number | None = None
    length_penalty: Number | None = None
    past_present_share_buffer: StrictBool | None = None
    random_seed: GenaiId | None = None
    chunk_size: NonNegativeInt | None = None
    blank_penalty: Number | None = None


class GenaiSpeculative(StrictModel):
    """`speculative`: how many tokens are drafted, by a draft model or by n-gram lookup."""

    max_draft_tokens: Annotated[int, Field(ge=1, le=16, strict=True)] | None = None
    ngram_size: Annotated[int, Field(ge=0, le=16, strict=True)] | None = None
    ngram_chained_lookup: StrictBool | None = None
    min_adaptive_k: Annotated[int, Field(ge=0, le=16, strict=True)] | None = None
    cooldown: StrictBool | None = None


class DynamicBatching(StrictModel):
    """`engine.dynamic_batching`."""

    block_size: PositiveInt | None = None
    num_blocks: PositiveInt | None = None
    gpu_utilization_factor: Number | None = None
    max_batch_size: PositiveInt | None = None
    max_scheduled_tokens: PositiveInt | None = None


class StaticBatching(StrictModel):
    """`engine.static_batching`."""

    max_batch_size: PositiveInt | None = None


class EngineConfig(StrictModel):
    """`engine`: how several conversations share a model."""

    dynamic_batching: DynamicBatching | None = None
    static_batching: StaticBatching | None = None


class GenaiConfig(StrictModel):
    """The whole file."""

    model: ModelConfig
    search: GenaiSearch = GenaiSearch()
    speculative: GenaiSpeculative | None = None
    engine: EngineConfig | None = None

    def odd_names(self) -> Iterator[Fault]:
        """Yields names that genai gives to no tensor of the sub-model, and tensors with two names."""
        for part in _INPUTS:
            sub = getattr(self.model, part)
            for side, known in (("inputs", _INPUTS[part]), ("outputs", _OUTPUTS[part])):
                names: TensorNameMap = getattr(sub, side, {})
                for i, (name, tensor) in enumerate(names.items()):
                    path = f"model.{part}.{side}.{name}"
                    if name not in known:
                        yield Fault(path, f"there is no such name: there are {', '.join(known)}")
                    if tensor in [*names.values()][:i]:
                        yield Fault(path, f"another of the {side} is already called {tensor}")


def version1_faults(config: GenaiConfig) -> Iterator[Fault]:
    """Yields all faults of the file, assuming that an import may change the graphs."""
    model = config.model
    yield from config.odd_names()
    yield from _part_faults(model)
    yield from _decoder_faults(model.decoder)
    if model.encoder is not None:
        yield from _pattern_faults(model.encoder, "encoder")
    yield from _file_faults(model)
    yield from _stage_faults(model.decoder, [part for part in PARTS if getattr(model, part) is not None])
    if not (config.search.max_length or model.context_length):
        yield Fault("model.context_length", "the file must say how many tokens the cache holds")


def ring_faults(config: GenaiConfig) -> Iterator[Fault]:
    """Yields what cannot run with the graphs unchanged."""
    window = config.model.decoder.sliding_window
    if window is not None and window.layers:
        message = "these layers write a ring buffer: `joinery import` changes the graph so that it runs"
        yield Fault("model.decoder.sliding_window.layers", message)


def _part_faults(model: ModelConfig) -> Iterator[Fault]:
    for key, why in (("joiner", _NO_TRANSDUCER), ("vad", "Joinery does not detect speech")):
        if getattr(model, key) is not None:
            yield Fault(f"model.{key}", why)
    if model.vision is not None and model.vision.pipeline:
        yield Fault("model.vision.pipeline", "only genai's own code connects these graphs: give vision one filename")
    readers = (("vision", model.vision, "image", model.image_token_id),
               ("speech", model.speech, "audio", model.audio_token_id))  # fmt: skip
    for key, part, kind, token in readers:
        if part is None:
            continue
        if part.adapter_filename:
            yield Fault(f"model.{key}.adapter_filename", "Joinery applies no adapters: merge it into the weights")
        if part.filename and model.embedding is not None and (token is None or token < 0):
            yield Fault(f"model.{kind}_token_id", f"the file must name the placeholder token of {kind} features")


def _decoder_faults(decoder: GenaiDecoder) -> Iterator[Fault]:
    if decoder.shared_initializers:
        yield Fault("model.decoder.shared_initializers", "Joinery shares weights by their file: export without it")
    for key in decoder.inputs:
        if key in _UNFED:
            yield Fault(f"model.decoder.inputs.{key}", f"{_UNFED[key]}: export the graph without it")
    yield from _pattern_faults(decoder, "decoder")
    if not decoder.filename and not decoder.pipeline:
        yield Fault("model.decoder.filename", "there is no graph that gives logits")


def _pattern_faults(part: SubModel, name: str) -> Iterator[Fault]:
    """Checks the patterns of per-layer tensor names, such as past_key_names."""
    for side, named in (("inputs", part.inputs), ("outputs", part.outputs)):
        for key, pattern in named.items():
            if key.endswith("_names") and not is_layered(pattern):
                message = f"the name must hold %d exactly once, for the layer, and no other %: {pattern}"
                yield Fault(f"model.{name}.{side}.{key}", message)


def _file_faults(model: ModelConfig) -> Iterator[Fault]:
    named = {f"model.{part}": sub.filename for part in PARTS if (sub := getattr(model, part)) is not None}
    rows = enumerate(model.decoder.pipeline)
    named |= {f"{_PIPELINE}[{i}].{name}": stage.filename for i, row in rows for name, stage in row.items()}
    for path, name in named.items():
        if name and not re.fullmatch(NAME_IN_BUNDLE, name):
            message = "a graph's file lies in the folder, and its name is made of letters, digits and . _ - / alone"
            yield Fault(f"{path}.filename", message)


def _stage_faults(decoder: GenaiDecoder, parts: Sequence[str]) -> Iterator[Fault]:
    count = sum(len(row) for row in decoder.pipeline)
    if decoder.filename and decoder.pipeline:
        yield Fault("model.decoder.filename", "the decoder has a pipeline, so it must not name a graph")
    if count > len(decoder.stages()):
        yield Fault(_PIPELINE, "two stages have one name")
    for i, row in enumerate(decoder.pipeline):
        for name, stage in row.items():
            path = f"{_PIPELINE}[{i}].{name}"
            if name in parts and name != "decoder":
                yield Fault(path, f"the model has a part called {name} already")
            if not stage.run_on_prompt and not stage.run_on_token_gen:
                yield Fault(f"{path}.run_on_token_gen", "the stage never runs")
