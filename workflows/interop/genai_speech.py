"""Whisper in onnxruntime-genai: an encoder with cross keys and values, and a decoder that takes only ids and the cache.

genai provides                            the graphs take
features [1, mels, 3000]           ──▶    the first frames, as many as the encoder reads
cross [1, heads, 1500, size]       ◀──    those of the encoder's rows, and zeros that the decoder's copy cuts off
the past's slots                   ──▶    position_ids, masks, lengths
logits                             ◀──    logits, without the tokens that the checkpoint suppresses
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper

from workflows.bundle.genai.keys import Json, put
from workflows.bundle.outline import Fault
from workflows.common import tensor_names
from workflows.common.errors import MediaError
from workflows.common.tensors import TensorSpec
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.speech.settings import SpeechOptions, SpeechSettings
from workflows.interop.genai_composites import CompositeExport, session_faults
from workflows.interop.genai_graphs import StepEnds, feed_step
from workflows.interop.graph_ends import GraphEnds
from workflows.media import LogMel, sound_features
from workflows.recipe.cut import ComponentRole

FRAMES, ROWS = 3000, 1500  # of 30 seconds, which genai takes from every recording
_RATE, _SECONDS = 16000, 30
_HIDDEN = "encoder_hidden_states"
_FILE = "audio_processor_config.json"


class WhisperExport(CompositeExport):
    """A bundle that transcribes as genai's `whisper`."""

    kind = "whisper"
    sessions: Mapping[str, str] = {
        ComponentRole.ENCODER: ComponentRole.ENCODER,
        ComponentRole.DECODER: ComponentRole.DECODER,
    }

    def faults(self) -> Iterator[Fault]:
        """Other features than those of 30 seconds at 16 kHz cannot be computed there."""
        yield from session_faults(self.program, list(self.sessions))
        where = "tokenizer/preprocessor_config.json"
        try:
            mel = self._mel()
        except MediaError as error:
            yield Fault(where, str(error).removesuffix("."))
            return
        settings = mel.settings
        if mel.rate != _RATE or mel.hop_seconds * FRAMES != _SECONDS or settings["padding_value"]:
            message = "genai computes features of 16,000 Hz, 100 frames a second and padding by zeros alone"
            yield Fault(where, message)
        elif mel.frames > FRAMES:
            yield Fault(where, f"genai gives {FRAMES:,} frames of sound, and the encoder reads {mel.frames:,}")

    @property
    def applied(self) -> frozenset[str]:
        """The tokens that are never chosen, and those that are not chosen first."""
        return frozenset(("suppress_tokens", "begin_suppress_tokens"))

    def adapt(self, session: str, model: onnx.ModelProto) -> onnx.ModelProto | None:
        """See CompositeExport."""
        if session == ComponentRole.ENCODER:
            return _encoder(model)
        ends = StepEnds(model, self.program.state[0])
        feed_step(ends, session, self.program)
        for name, spec in ends.specs.items():
            if name.startswith("cross."):
                ends.shorten(spec, 2, ROWS)
        config = GenerationConfig.of_bundle(self.bundle)
        ends.suppress(config.suppress_tokens, config.begin_suppress_tokens)
        return ends.model()

    def describe(self, config: Json) -> None:
        """See CompositeExport."""
        key = self.ports(ComponentRole.ENCODER).outputs[tensor_names.CROSS_KEY % 0]
        heads, size = int(key.shape[1]), int(key.shape[3])
        layers = len(self.ports(ComponentRole.ENCODER).outputs) // 2
        sizes = {"hidden_size": heads * size, "num_attention_heads": heads, "num_hidden_layers": layers,
                 "head_size": size}  # fmt: skip
        for name, value in sizes.items():
            put(config, f"model.encoder.{name}", value)
        names = {
            "encoder.inputs.audio_features": tensor_names.SOUND,
            "encoder.outputs.encoder_hidden_states": _HIDDEN,
            "encoder.outputs.cross_present_key_names": tensor_names.CROSS_KEY,
            "encoder.outputs.cross_present_value_names": tensor_names.CROSS_VALUE,
            "decoder.inputs.input_ids": tensor_names.IDS,
            "decoder.inputs.cross_past_key_names": tensor_names.CROSS_KEY,
            "decoder.inputs.cross_past_value_names": tensor_names.CROSS_VALUE,
            "decoder.outputs.logits": tensor_names.LOGITS,
            "decoder.num_attention_heads": heads,
            "decoder.hidden_size": heads * size,
            "speech.config_filename": _FILE,
        }
        for path, own in names.items():
            put(config, f"model.{path}", own)

    def files(self) -> dict[str, Json]:
        """A recording to log-mel features, padded to 30 seconds."""
        settings = self._mel().settings
        whole = {**settings, "chunk_length": _SECONDS}  # of the exported encoder, for other readers of the folder
        fft, hop = int(str(settings["n_fft"])), settings["hop_length"]
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(fft) / fft)
        spectrum = {"n_fft": fft, "frame_length": fft, "hop_length": hop, "hann_win": window.tolist()}
        mel = {"chunk_size": _SECONDS, "hop_length": hop, "n_fft": fft, "n_mel": settings["feature_size"]}
        steps = [("audio_decoder", "AudioDecoder", {}), ("stft", "STFTNorm", spectrum),
                 ("log_mel_spectrogram", "LogMelSpectrum", mel)]  # fmt: skip
        own: Json = {"feature_extraction": {"sequence": [operation(*step) for step in steps]}}
        return {_FILE: own, "preprocessor_config.json": whole}

    def sample(self) -> tuple[str, dict[str, str]] | None:
        """With the language and the task that the checkpoint prefers."""
        settings = SpeechSettings.of_bundle(self.bundle)
        known = settings.languages
        language = "en" if "en" in known or not known else known[0]
        options = SpeechOptions(language if known else None, "transcribe" if settings.task_to_id else None)
        ids = settings.prefix(self.bundle.pipeline.decoder_start, options, None)
        names = {one["id"]: one["content"] for one in self._special_tokens()}
        if any(token not in names for token in ids):
            return None
        mel = self._mel()
        prefix = json.dumps("".join(names[token] for token in ids), ensure_ascii=False)
        facts = {"prefix": prefix, "seconds": str(mel.samples // mel.rate)}
        return "genai_sound.py.txt", facts

    def _special_tokens(self) -> list[dict[str, Any]]:
        tokens = (self.bundle.json_object("tokenizer/tokenizer.json") or {}).get("added_tokens")
        return tokens if isinstance(tokens, list) else []

    def _mel(self) -> LogMel:
        return sound_features(self.bundle.json_object("tokenizer/preprocessor_config.json") or {})


def operation(name: str, kind: str, attributes: Mapping[str, object]) -> Json:
    """One step of a preprocessor's file."""
    return {"operation": {"name": name, "type": kind} | ({"attrs": dict(attributes)} if attributes else {})}


def _encoder(model: onnx.ModelProto) -> onnx.ModelProto:
    """The encoder, which takes the features of 30 seconds and gives as many rows as genai takes from them.

    genai has a place for the encoder's last hidden states too, which no decoder with cross keys and values reads: they
    are zeros.
    """
    ends = _EncoderEnds(model)
    sound = ends.specs[tensor_names.SOUND]
    ends.shorten(sound, 2, FRAMES)
    for name in ends.outputs:
        ends.lengthen(name)
    ends.zeros(_HIDDEN, sound)
    return ends.model()


class _EncoderEnds(GraphEnds):
    """Adds what an encoder needs."""

    def lengthen(self, name: str) -> None:
        """The output `name` [1, heads, rows, size] with zeros behind its rows, up to those of 30 seconds."""
        (value,) = (one for one in self._graph.output if one.name == name)
        axis = value.type.tensor_type.shape.dim[2]
        if (missing := ROWS - axis.dim_value) > 0:
            rows = self._renamed(name)
            self._after.append(helper.make_node("Pad", [rows, self._numbers(0, 0, 0, 0, 0, 0, missing, 0)], [name]))
            axis.dim_value = ROWS

    def zeros(self, name: str, like: TensorSpec) -> None:
        """An output `name` [1, rows, width] of zeros, of the type of an input."""
        key = self._graph.output[0].type.tensor_type.shape.dim
        shape = [1, ROWS, key[1].dim_value * key[3].dim_value]
        value = self._cast(self._constant(np.zeros((1, 1, 1), np.float32)), like)
        self._after.append(helper.make_node("Expand", [value, self._numbers(*shape)], [name]))
        (kind,) = (one.type.tensor_type.elem_type for one in self._graph.input if one.name == like.name)
        self._graph.output.append(helper.make_tensor_value_info(name, kind, shape))
