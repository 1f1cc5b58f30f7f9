"""Configurations of version 1 in every shape that it has; no graph of theirs is there, and none is asked for."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from workflows.bundle.genai.folder import parse_genai
from workflows.bundle.schema import Pipeline

Data = dict[str, Any]
SIZES: Data = {
    "head_size": 4,
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
}
SELF: Data = {"past_key_names": "past_key_values.%d.key", "past_value_names": "past_key_values.%d.value"}
NEXT: Data = {"present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}
SEARCH: Data = {
    "do_sample": True, "min_length": 0, "max_length": 64, "num_beams": 1, "num_return_sequences": 1, "top_k": 5,
    "top_p": 0.9, "temperature": 0.7, "repetition_penalty": 1.5, "early_stopping": True, "no_repeat_ngram_size": 0,
    "length_penalty": 1.0, "diversity_penalty": 0.0, "past_present_share_buffer": False, "random_seed": -1,
    "batch_size": 1, "chunk_size": 16,
}  # fmt: skip


def config(kind: str, decoder: Data, search: Data | None = None, **more: Any) -> Data:
    """A file around a decoder; more: other keys of `model`."""
    ids = {"bos_token_id": 1, "eos_token_id": [2, 3], "pad_token_id": 0, "vocab_size": 40, "context_length": 128}
    model = {"type": kind, **ids, "decoder": decoder, **more}
    return deepcopy({"model": model, "search": SEARCH if search is None else search})


def decoder(**changes: Any) -> Data:
    """`model.decoder` of one graph."""
    plain = {
        "filename": "model.onnx",
        **SIZES,
        "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask", "position_ids": "position_ids"} | SELF,
        "outputs": {"logits": "logits"} | NEXT,
        "session_options": {"log_id": "x", "provider_options": []},
    }
    return {key: value for key, value in (plain | changes).items() if value is not None}


def single() -> Data:
    """One decoder, with everything that `search`, `speculative` and `engine` say."""
    batching = {
        "dynamic_batching": {"block_size": 64, "num_blocks": 9, "gpu_utilization_factor": 0.5, "max_batch_size": 4,
                             "max_scheduled_tokens": 99},
        "static_batching": {"max_batch_size": 2},
    }  # fmt: skip
    drafts = {"max_draft_tokens": 3, "ngram_size": 2, "ngram_chained_lookup": True, "min_adaptive_k": 1,
              "cooldown": False}  # fmt: skip
    return config("llama", decoder()) | {"speculative": drafts, "engine": batching}


def renamed() -> Data:
    """A graph whose tensors have other names than Joinery's."""
    inputs = {"input_ids": "tokens", "attention_mask": "mask", "position_ids": "places",
              "past_sequence_length": "lengths", "total_sequence_length": "total",
              "past_key_names": "k_%d", "past_value_names": "v_%d"}  # fmt: skip
    outputs = {"logits": "scores", "present_key_names": "k_%d_next", "present_value_names": "v_%d_next"}
    return config("phi3", decoder(inputs=inputs, outputs=outputs))


def combined() -> Data:
    """Keys and values in one tensor."""
    inputs = {"past_names": "past_%d"}
    return config("gpt2", decoder(inputs=inputs, outputs={"present_names": "present_%d"}, hidden_size=None), {})


def optioned() -> Data:
    """Options of onnxruntime and of providers."""
    options = {
        "log_id": "x", "enable_profiling": "run", "intra_op_num_threads": 2, "inter_op_num_threads": 1,
        "log_severity_level": 3, "log_verbosity_level": 0, "enable_cpu_mem_arena": True, "enable_mem_pattern": False,
        "graph_optimization_level": "ORT_ENABLE_BASIC", "session.use_env_allocators": "1",
        "provider_options": [{"cuda": {"enable_cuda_graph": "0",
                                       "device_filtering_options": {"hardware_device_type": "gpu"}}}, {"cpu": {}}],
    }  # fmt: skip
    run = {"memory.enable_memory_arena_shrinkage": "cpu:0"}
    return config("qwen2", decoder(session_options=options, run_options=run))


def windowed() -> Data:
    """A prompt that goes through in windows."""
    slide = {"window_size": 16, "pad_value": 0, "alignment": "left", "slide_key_value_cache": False,
             "slide_inputs": True}  # fmt: skip
    return config("phi3", decoder(sliding_window=slide))


def recurrent() -> Data:
    """Layers that keep a convolution's or a recurrence's state."""
    kinds = ["conv", "full_attention", "linear_attention"]
    inputs = {"input_ids": "input_ids", "attention_mask": "attention_mask", "past_conv_names": "past_conv.%d",
              "past_recurrent_names": "past_rec.%d"} | SELF  # fmt: skip
    outputs = {"logits": "logits", "present_conv_names": "next_conv.%d", "present_recurrent_names": "next_rec.%d"}
    return config("lfm2", decoder(inputs=inputs, outputs=outputs | NEXT, layer_types=kinds, conv_cache_size=3))


def stage(name: str, inputs: list[str], outputs: list[str], **more: Any) -> Data:
    """One of `decoder.pipeline`."""
    return {"filename": f"{name}.onnx", "inputs": inputs, "outputs": outputs, **more}


PAST = ["past_key_values.0.key", "past_key_values.0.value"]
PRESENT = ["present.0.key", "present.0.value"]


def staged() -> Data:
    """Embeddings, transformer and head; the options of the decoder hold for two of them."""
    stages = {
        "embeddings": stage("embeddings", ["input_ids"], ["embedded"]),
        "transformer": stage("transformer", ["embedded", "attention_mask", *PAST], ["hidden", *PRESENT],
                             session_options={"intra_op_num_threads": 1}),
        "head": stage("head", ["hidden"], ["logits"], is_lm_head=True, inherit_session_options=True,
                      reset_session_idx=-1, run_options={"x": "1"}),
    }  # fmt: skip
    options = {"log_id": "all", "intra_op_num_threads": 2}
    inner = decoder(filename=None, pipeline=[stages], session_options=options, num_hidden_layers=1)
    return config("decoder-pipeline", inner)


def split() -> Data:
    """Graphs for prompts and graphs for single tokens; one forwards its output under another name."""
    wide, narrow = {"run_on_token_gen": False}, {"run_on_prompt": False}
    stages = [
        {"embeddings": stage("embeddings", ["input_ids"], ["embedded"])},
        {"prompt": stage("prompt", ["embedded", "attention_mask", *PAST], ["raw", *PRESENT],
                         output_names_forwarder={"raw": "hidden"}, **wide)},
        {"token": stage("token", ["embedded", "attention_mask", *PAST], ["hidden", *PRESENT], **narrow)},
        {"head": stage("head", ["hidden"], ["logits"])},
    ]  # fmt: skip
    return config("decoder-pipeline", decoder(filename=None, pipeline=stages, num_hidden_layers=1))


def hidden() -> Data:
    """An encoder whose hidden states the decoder attends to."""
    encoder = {"filename": "encoder.onnx", **SIZES, "inputs": {"input_ids": "input_ids"},
               "outputs": {"encoder_hidden_states": "last_hidden_state"}}  # fmt: skip
    inputs = {"input_ids": "input_ids", "encoder_hidden_states": "memory", "encoder_attention_mask": "memory_mask"}
    return config("marian-ssru", decoder(inputs=inputs | SELF), encoder=encoder, decoder_start_token_id=5)


def crossed() -> Data:
    """An encoder of sound that hands over keys and values."""
    names = {"cross_present_key_names": "cross_k_%d", "cross_present_value_names": "cross_v_%d"}
    encoder = {"filename": "encoder.onnx", **SIZES, "inputs": {"audio_features": "audio_features"}, "outputs": names}
    inputs = {"input_ids": "input_ids", "cross_past_key_names": "seen_k_%d", "cross_past_value_names": "seen_v_%d"}
    outputs = {"logits": "logits", "output_cross_qk_names": "qk_%d"} | NEXT
    return config("whisper", decoder(inputs=inputs | SELF, outputs=outputs), encoder=encoder, decoder_start_token_id=5)


def _reader(kind: str, features: str, **more: Any) -> Data:
    return {"filename": f"{kind}.onnx", "outputs": {features: f"{kind}_rows"}, **more}


def _embedding(**inputs: str) -> Data:
    names = {"input_ids": "input_ids"} | inputs
    return {"filename": "embedding.onnx", "inputs": names, "outputs": {"inputs_embeds": "embedded"}}


_EMBEDDED: Data = {"inputs_embeds": "inputs_embeds", "attention_mask": "attention_mask"}


def seeing() -> Data:
    """Pictures."""
    vision = _reader("vision", "image_features", config_filename="processor.json", spatial_merge_size=2,
                     tokens_per_second=2.0, patch_size=14, num_visual_tokens=256, window_size=112,
                     inputs={"pixel_values": "pixel_values", "image_sizes": "image_sizes"})  # fmt: skip
    parts = {"vision": vision, "embedding": _embedding(image_features="image_in")}
    return config("phi3v", decoder(inputs=_EMBEDDED | SELF), image_token_id=38, **parts)


def gridded() -> Data:
    """Pictures one by one, with positions of three numbers, for a decoder of several graphs."""
    vision = _reader("vision", "image_features", inputs={"pixel_values": "pixels", "image_grid_thw": "grids"})
    stages = {
        "body": stage("body", ["inputs_embeds", "attention_mask", "position_ids", *PAST], ["hidden", *PRESENT]),
        "head": stage("head", ["hidden"], ["logits"]),
    }
    inner = decoder(filename=None, pipeline=[stages], inputs=_EMBEDDED | {"position_ids": "position_ids"} | SELF)
    parts = {"vision": vision, "embedding": _embedding(image_features="image_features")}
    return config("qwen2_5_vl", inner, image_token_id=38, video_token_id=37, vision_start_token_id=36, **parts)


def hearing() -> Data:
    """Sound."""
    names = {"audio_embeds": "audio_embeds", "attention_mask": "heard", "audio_sizes": "sizes",
             "audio_projection_mode": "mode"}  # fmt: skip
    parts = {
        "speech": _reader("speech", "audio_features", inputs=names, config_filename="audio.json"),
        "embedding": _embedding(audio_features="audio_features"),
    }
    return config("phi4mm", decoder(inputs=_EMBEDDED | SELF), audio_token_id=39, **parts)


def sensing() -> Data:
    """Pictures and sound."""
    parts = {
        "vision": _reader("vision", "image_features", inputs={"pixel_values": "pixel_values"}),
        "speech": _reader("speech", "audio_features", inputs={"audio_embeds": "audio_embeds"}),
        "embedding": _embedding(image_features="image_features", audio_features="audio_features"),
    }
    return config("phi4mm", decoder(inputs=_EMBEDDED | SELF), image_token_id=38, audio_token_id=39, **parts)


def drafting() -> Data:
    """A draft in a folder beside the model's, and heads that draft."""
    draft = {"filename": "draft/model.onnx", "num_hidden_layers": 1, "inputs": SELF, "outputs": NEXT}
    heads = {"filename": "mtp.onnx", "num_hidden_layers": 1, "main_hidden_states": "hidden_states", "inputs": {}}
    return config("llama", decoder(), draft=draft, mtp=heads) | {"speculative": {"max_draft_tokens": 4}}


def transcribing() -> Data:
    """The scalars of a model of sound, which are kept."""
    scalars = {"num_mels": 80, "fft_size": 512, "hop_length": 160, "win_length": 400, "preemph": 0.97,
               "log_eps": 1e-5, "norm_eps": 1e-5, "sample_rate": 16000, "chunk_samples": 8000, "blank_id": 1024,
               "tdt_durations": [0, 1, 2], "boa_token_id": 7, "bot_token_id": 8, "eot_token_id": 9, "bor_token_id": 10,
               "eor_token_id": 11, "sep_token_id": 12}  # fmt: skip
    return crossed() | {"model": crossed()["model"] | scalars}


SHAPES: dict[str, Callable[[], Data]] = {
    make.__name__: make
    for make in (single, renamed, combined, optioned, windowed, recurrent, staged, split, hidden, crossed, seeing,
                 gridded, hearing, sensing, drafting, transcribing)
}  # fmt: skip


def translated(data: Data, importing: bool = False) -> Pipeline:
    """The program of a decoded file."""
    return parse_genai(data, "the file", "toy", importing=importing)
