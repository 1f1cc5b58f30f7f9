"""The faults of a version 1 file: keys that Joinery cannot run, each a Fault with its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workflows.bundle.genai.keys import PARTS
from workflows.bundle.genai.version1 import GenaiConfig, GenaiDecoder, ModelConfig, SubModel
from workflows.bundle.outline import Fault
from workflows.bundle.strict_model import NAME_IN_BUNDLE
from workflows.common.tensor_names import is_layered

_STAGES = "model.decoder.pipeline"
_TRANSDUCER = "Joinery does not support transducers"
_UNFED = {
    **dict.fromkeys(("cumulative_sequence_lengths", "past_sequence_lengths", "block_table", "block_table_windowed",
                     "attention_metadata"), "Joinery does not support paged caches"),
    **dict.fromkeys(("targets", "targets_length", "lstm_hidden_state", "lstm_cell_state"), _TRANSDUCER),
    "cache_indirection": "Joinery does not support this beam search input",
    "current_sequence_length": "Joinery has no input with the number of tokens of a step",
    "past_key_values_length": "Joinery has no input with the number of tokens of a step",
}  # fmt: skip


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
    for key, why in (("joiner", _TRANSDUCER), ("vad", "Joinery does not detect speech")):
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
    named |= {f"{_STAGES}[{i}].{name}": stage.filename for i, row in rows for name, stage in row.items()}
    for path, name in named.items():
        if name and not re.fullmatch(NAME_IN_BUNDLE, name):
            message = "a graph's file lies in the folder, and its name is made of letters, digits and . _ - / alone"
            yield Fault(f"{path}.filename", message)


def _stage_faults(decoder: GenaiDecoder, parts: Sequence[str]) -> Iterator[Fault]:
    count = sum(len(row) for row in decoder.pipeline)
    if decoder.filename and decoder.pipeline:
        yield Fault("model.decoder.filename", "the decoder has a pipeline, so it must not name a graph")
    if count > len(decoder.stages()):
        yield Fault(_STAGES, "two stages have one name")
    for i, row in enumerate(decoder.pipeline):
        for name, stage in row.items():
            path = f"{_STAGES}[{i}].{name}"
            if name in parts and name != "decoder":
                yield Fault(path, f"the model has a part called {name} already")
            if not stage.run_on_prompt and not stage.run_on_token_gen:
                yield Fault(f"{path}.run_on_token_gen", "the stage never runs")
