"""A window's tokens are divided as transformers divides them."""

from __future__ import annotations

from typing import Any

import pytest

from workflows.generate.speech.segments import TimeScale, find_segments

FIRST, FRAMES = 50, 200
SCALE = TimeScale(FRAMES, 0.02, 2, FIRST)
T = FIRST
WINDOWS = {
    "text alone": [7, 8],
    "one pair": [T, 7, T + 30],
    "two pairs": [T, 7, T + 30, T + 30, 8, T + 60],
    "a pair and text": [T, 7, T + 30, T + 30, 8],
    "an end that follows an end": [T, 7, T + 30, T + 30],
    "a pair of nothing": [T, T, 7],
    "time 0 alone": [T, 7],
    "nothing": [],
}


def reference(tokens: list[int], seek: int, frames: int) -> tuple[list[Any], int]:
    import torch
    from transformers.models.whisper.generation_whisper import WhisperGenerationMixin

    segments, moved = WhisperGenerationMixin._retrieve_segment(
        seek_sequence=torch.tensor(tokens, dtype=torch.long), seek_outputs=[None],
        time_offset=torch.tensor([seek], dtype=torch.float64) * 0.02 / 2, timestamp_begin=FIRST,
        seek_num_frames=torch.tensor([frames]), time_precision=0.02, time_precision_features=0.01, input_stride=2,
        prev_idx=0, idx=0, return_token_timestamps=False, decoder_input_ids=torch.zeros(1, 3),
    )  # fmt: skip
    return [(float(s["start"]), float(s["end"]), s["tokens"].tolist()) for s in segments], int(moved)


@pytest.mark.parametrize("frames", [FRAMES, 133])
@pytest.mark.parametrize("seek", [0, 460])
@pytest.mark.parametrize("tokens", WINDOWS.values(), ids=WINDOWS)
def test_segments_and_the_next_window(tokens: list[int], seek: int, frames: int) -> None:
    segments, moved = find_segments(tokens, SCALE, seek, frames)
    wanted, next_window = reference(tokens, seek, frames)
    assert moved == next_window
    for one, (start, end, ids) in zip(segments, wanted, strict=True):
        assert (one.start, one.end) == (pytest.approx(start), pytest.approx(end)) and [*one.tokens] == ids
