"""The tokens that stand for a recording: their number is that of transformers' own processors."""

from __future__ import annotations

import pytest

from workflows.common.errors import MediaError
from workflows.media.sound import expand_sounds, sound_tokens


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 6, 7, 99, 100, 101, 2999, 3000, 3001, 6000, 6002, 6003])
def test_rows_are_those_of_the_processors(frames: int) -> None:
    """Whole windows have 750 or 375 rows, so that the rows of several windows are those of their frames' sum."""
    import torch
    import transformers

    for kind, whole in (("AudioFlamingo3Processor", 750), ("GlmAsrProcessor", 375)):
        tokens = sound_tokens({"processor_class": kind})
        counted = getattr(transformers, kind)._get_audio_token_length(None, torch.tensor(frames))
        assert tokens.rows(frames) == int(counted)
        assert tokens.rows(6000 + frames) == 2 * whole + tokens.rows(frames)


def test_settings_come_back_and_unknown_ones_are_refused() -> None:
    tokens = sound_tokens({"processor_class": "AudioFlamingo3Processor", "audio_token": "<x>", "max_audio_len": 60})
    assert (tokens.token, tokens.seconds) == ("<x>", 60) and sound_tokens(tokens.settings) == tokens
    one = sound_tokens({"processor_class": "Qwen2AudioProcessor", "audio_bos_token": "<|audio_bos|>"})
    assert (one.token, one.seconds) == ("<|AUDIO|>", None) and sound_tokens(one.settings) == one
    whole = sound_tokens({"processor_class": "VoxtralProcessor"})
    assert (whole.placeholder, whole.rows(6000), sound_tokens(whole.settings)) == ("[BEGIN_AUDIO][AUDIO]", 750, whole)
    with pytest.raises(MediaError, match="GraniteSpeechProcessor are not known: there are AudioFlamingo3Processor"):
        sound_tokens({"processor_class": "GraniteSpeechProcessor"})
    with pytest.raises(MediaError, match="has the setting max_audio_len = 60, which is not known"):
        sound_tokens({"processor_class": "Qwen2AudioProcessor", "max_audio_len": 60})
    with pytest.raises(MediaError, match="audio_token = 7 and needs a text"):
        sound_tokens({"processor_class": "Qwen2AudioProcessor", "audio_token": 7})


def test_each_recording_takes_the_place_of_a_placeholder() -> None:
    assert expand_sounds("a<x>b<x>", "<x>", (2, 1)) == "a<x><x>b<x>"
    with pytest.raises(MediaError, match="The prompt has 1 placeholders <x> for 2 recordings"):
        expand_sounds("a<x>b", "<x>", (2, 1))
