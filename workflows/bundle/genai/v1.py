"""`genai_config.json`, version 1: the configuration that released versions of onnxruntime-genai read.

    model    sub-models (decoder, encoder, vision …), each with its file, options, and the names of its tensors; ids
    search   how tokens are chosen         speculative, engine   drafts and batches, which Joinery does not run

Unknown keys are refused as there, but with their JSON path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from workflows.bundle.flow import Fault
from workflows.bundle.model import Model
from workflows.bundle.options import Count, Positive, SessionOptions, Switch

File = Annotated[str, Field(max_length=400)]  # "": there is none
Names = dict[Annotated[str, Field(pattern=r"^[a-z_0-9]+$")], Annotated[str, Field(max_length=200)]]
Number = Annotated[float, Field(allow_inf_nan=False)]
Id = Annotated[int, Field(strict=True)]
Ids = Annotated[list[Id], BeforeValidator(lambda value: [value] if isinstance(value, int) else value)]
Layers = Annotated[int, Field(ge=0, le=1000, strict=True)]
Options = dict[str, str]
Cell = str | bool | int | float | list[int]
Rows = Annotated[
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


class SubModel(Model):
    """What every sub-model has. inputs, outputs: what it calls the tensors, by genai's names for them."""

    filename: File = ""
    session_options: SessionOptions | None = None
    run_options: Options | None = None
    inputs: Names = Field(default_factory=dict)
    outputs: Names = Field(default_factory=dict)


class Sized(SubModel):
    """A sub-model whose attention has a size."""

    hidden_size: Count | None = None
    num_attention_heads: Count | None = None
    num_key_value_heads: Count | None = None
    num_hidden_layers: Layers | None = None
    head_size: Count | None = None


class Slide(Model):
    """Prompts go through in windows of that many tokens; slide_key_value_cache: and the cache moves along with them."""

    window_size: Positive
    pad_value: Id | None = None
    alignment: Literal["left", "right"] | None = None
    slide_key_value_cache: Switch = True
    slide_inputs: Switch = True
    layers: list[Count] | None = None
    cache_slack: Count | None = None


class PipelineStage(Model):
    """A graph of a decoder that is several; run_on_prompt, run_on_token_gen: when it runs."""

    filename: Annotated[File, Field(min_length=1)]
    inputs: list[str] = Field(default_factory=list)
    outputs: list[str] = Field(default_factory=list)
    output_names_forwarder: dict[str, str] = Field(default_factory=dict)
    run_on_prompt: Switch = True
    run_on_token_gen: Switch = True
    is_lm_head: Switch = False
    inherit_session_options: Switch | None = None
    reset_session_idx: Annotated[int, Field(ge=-1, strict=True)] | None = None
    session_options: SessionOptions | None = None
    run_options: Options | None = None


Stages = Annotated[
    list[dict[Annotated[str, Field(min_length=1, pattern=r"^[^.]+$")], PipelineStage]],
    BeforeValidator(lambda value: [value] if isinstance(value, dict) else value),
]


class Decoder(Sized):
    """The sub-model that gives logits."""

    layer_types: list[Annotated[str, Field(max_length=60)]] | None = None
    conv_cache_size: Count | None = None
    shared_initializers: Rows | None = None
    sliding_window: Slide | None = None
    pipeline: Stages = Field(default_factory=list)

    def stages(self) -> dict[str, PipelineStage]:
        """By name, in their order."""
        return {name: stage for row in self.pipeline for name, stage in row.items()}


class Encoder(Sized):
    """The sub-model that reads a source once."""


class Vision(SubModel):
    """Reads pictures. pipeline: graphs that only the peer's own code joins."""

    config_filename: File | None = None
    adapter_filename: File | None = None
    spatial_merge_size: Count | None = None
    tokens_per_second: Number | None = None
    patch_size: Count | None = None
    num_visual_tokens: Count | None = None
    window_size: Count | None = None
    pipeline: Rows | None = None


class Speech(SubModel):
    """Reads sound."""

    config_filename: File | None = None
    adapter_filename: File | None = None


class Detector(SubModel):
    """Finds speech in sound."""

    threshold: Number | None = None
    silence_duration_ms: Count | None = None
    prefix_padding_ms: Count | None = None


class Heads(Sized):
    """Heads that draft tokens."""

    main_hidden_states: str | None = None
    shared_initializers: Rows | None = None


class ModelConfig(Model):
    """`model`: the sub-models, and the ids that mean something. type: what the peer chooses its code by."""

    type: Annotated[str, Field(min_length=1, max_length=100)]
    tokenizer_dir: File = ""
    vocab_size: Positive | None = None
    context_length: Count | None = None
    pad_token_id: Id | None = None
    eos_token_id: Ids = Field(default_factory=list)
    bos_token_id: Id | None = None
    sep_token_id: Id | None = None
    decoder_start_token_id: Id | None = None
    image_token_id: Id | None = None
    audio_token_id: Id | None = None
    video_token_id: Id | None = None
    boa_token_id: Id | None = None
    vision_start_token_id: Id | None = None
    bot_token_id: Id | None = None
    eot_token_id: Id | None = None
    bor_token_id: Id | None = None
    eor_token_id: Id | None = None
    num_mels: Count | None = None
    fft_size: Count | None = None
    hop_length: Count | None = None
    win_length: Count | None = None
    preemph: Number | None = None
    log_eps: Number | None = None
    norm_eps: Number | None = None
    subsampling_factor: Count | None = None
    left_context: Count | None = None
    conv_context: Count | None = None
    pre_encode_cache_size: Count | None = None
    sample_rate: Count | None = None
    chunk_samples: Count | None = None
    blank_id: Id | None = None
    max_symbols_per_step: Count | None = None
    left_context_samples: Count | None = None
    right_context_samples: Count | None = None
    tdt_durations: list[Count] | None = None
    encoder: Encoder | None = None
    decoder: Decoder = Decoder()
    draft: Decoder | None = None
    vision: Vision | None = None
    embedding: SubModel | None = None
    speech: Speech | None = None
    joiner: SubModel | None = None
    vad: Detector | None = None
    mtp: Heads | None = None


class Search(Model):
    """`search`: how tokens are chosen; max_length 0 for all that the context takes."""

    do_sample: Switch | None = None
    min_length: Count | None = None
    max_length: Count | None = None
    batch_size: Positive | None = None
    num_beams: Positive | None = None
    num_return_sequences: Positive | None = None
    repetition_penalty: Annotated[Number, Field(gt=0)] | None = None
    top_k: Count | None = None
    top_p: Annotated[Number, Field(ge=0, le=1)] | None = None
    temperature: Annotated[Number, Field(ge=0)] | None = None
    early_stopping: Switch | None = None
    no_repeat_ngram_size: Count | None = None
    diversity_penalty: Number | None = None
    length_penalty: Number | None = None
    past_present_share_buffer: Switch | None = None
    random_seed: Id | None = None
    chunk_size: Count | None = None
    blank_penalty: Number | None = None


class Speculative(Model):
    """`speculative`: how many tokens are drafted, by a draft model or from what was said before."""

    max_draft_tokens: Annotated[int, Field(ge=1, le=16, strict=True)] | None = None
    ngram_size: Annotated[int, Field(ge=0, le=16, strict=True)] | None = None
    ngram_chained_lookup: Switch | None = None
    min_adaptive_k: Annotated[int, Field(ge=0, le=16, strict=True)] | None = None
    cooldown: Switch | None = None


class DynamicBatching(Model):
    """`engine.dynamic_batching`."""

    block_size: Positive | None = None
    num_blocks: Positive | None = None
    gpu_utilization_factor: Number | None = None
    max_batch_size: Positive | None = None
    max_scheduled_tokens: Positive | None = None


class StaticBatching(Model):
    """`engine.static_batching`."""

    max_batch_size: Positive | None = None


class EngineConfig(Model):
    """`engine`: how several conversations share a model."""

    dynamic_batching: DynamicBatching | None = None
    static_batching: StaticBatching | None = None


class Version1(Model):
    """The whole file."""

    model: ModelConfig
    search: Search = Search()
    speculative: Speculative | None = None
    engine: EngineConfig | None = None

    def odd_names(self) -> Iterator[Fault]:
        """Names that genai does not give to any tensor of the sub-model, and tensors that have two."""
        for part in _INPUTS:
            sub = getattr(self.model, part)
            for side, known in (("inputs", _INPUTS[part]), ("outputs", _OUTPUTS[part])):
                names: Names = getattr(sub, side, {})
                for i, (name, tensor) in enumerate(names.items()):
                    path = f"model.{part}.{side}.{name}"
                    if name not in known:
                        yield Fault(path, f"there is no such name: there are {', '.join(known)}")
                    if tensor in [*names.values()][:i]:
                        yield Fault(path, f"another of the {side} is called {tensor} already")
