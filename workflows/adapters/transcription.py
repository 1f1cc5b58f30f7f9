"""generate() of a bundle that transcribes, as transformers' WhisperForConditionalGeneration has it.

input_features ──spectrograms──▶ Transcriber, a recording at a time ──▶ tokens without prefix and end, segments
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch

from workflows.adapters.media_inputs import spectrograms
from workflows.common.errors import RequestError
from workflows.generate import Engine
from workflows.generate.options import check_options
from workflows.generate.speech.fallback import FallbackRule
from workflows.generate.speech.settings import SpeechOptions
from workflows.generate.speech.transcriber import Transcriber
from workflows.wire.events import GenerationDone, SegmentEvent

_THRESHOLDS = {"compression_ratio_threshold": math.inf, "logprob_threshold": -math.inf, "no_speech_threshold": math.inf}
"""transformers' names → what never holds, where one is not set."""
_WORDS = "return_token_timestamps"
SPEECH_OPTIONS = frozenset({"language", "task", "return_timestamps", "return_segments", _WORDS, *_THRESHOLDS})


def transcribe(
    engine: Engine,
    features: torch.Tensor,
    mask: torch.Tensor | None,
    values: Mapping[str, object],
    speech: Mapping[str, Any],
    pad: int,
    temperatures: Sequence[float] = (0.0,),
) -> torch.Tensor | dict[str, object]:
    """Token ids [B,L]; with return_segments, a dictionary of them and of each recording's segments, whose tokens have
    times where return_token_timestamps asks for them.

    values: generation options by their names here. speech: SPEECH_OPTIONS. temperatures: tried one after another, as
    the thresholds among the latter ask for it.
    """
    transcriber = Transcriber(engine)
    options = check_options(values)
    times, rule = bool(speech.get("return_timestamps")), _fallback_rule(speech, temperatures)
    words = bool(speech.get(_WORDS))
    if words and not speech.get("return_segments"):
        raise RequestError("The times of tokens are given with their segments: set return_segments=True.")
    asked = SpeechOptions(speech.get("language"), speech.get("task"), times, rule, words)
    rows, segments = list[list[int]](), list[list[dict[str, object]]]()
    for number, sound in enumerate(spectrograms(features, mask, transcriber.frames)):
        found, prefix = list[SegmentEvent](), list[int]()
        frames = None if mask is None else int(mask[number].sum())
        for event in transcriber.transcribe(sound, options, asked, recorded_frames=frames):
            if isinstance(event, SegmentEvent):
                found.append(event)
            elif isinstance(event, GenerationDone):
                prefix = event.prompt_ids
        rows.append([token for one in found for token in one.token_ids])
        segments.append([_segment(one, prefix) for one in found])
    longest = max(map(len, rows))
    sequences = torch.tensor([row + [pad] * (longest - len(row)) for row in rows])
    if not speech.get("return_segments"):
        return cast("torch.Tensor", sequences)
    return {"sequences": sequences, "segments": segments}


def _fallback_rule(speech: Mapping[str, Any], temperatures: Sequence[float]) -> FallbackRule | None:
    """None where no threshold is set."""
    named = {name: float(speech[name]) for name in _THRESHOLDS if speech.get(name) is not None}
    if not named:
        return None
    ratio, logprob, silence = (_THRESHOLDS | named).values()
    return FallbackRule(tuple(temperatures), ratio, logprob, silence)


def _segment(one: SegmentEvent, prefix: list[int]) -> dict[str, object]:
    """A segment as transformers has it; `result` begins with the tokens of language and task."""
    tokens = torch.tensor(one.token_ids)
    times = {} if one.token_times is None else {"token_timestamps": torch.tensor(one.token_times)}
    return {
        "start": torch.tensor(one.start_s),
        "end": torch.tensor(one.end_s),
        "tokens": tokens,
        "result": torch.tensor([*prefix, *one.token_ids]),
        **times,
    }
