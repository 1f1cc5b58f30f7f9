"""Sound at run time, without torch and transformers: from a file to the features of a model's encoder.

file ──sound_file──▶ blocks ──resampling──▶ mono float32 at the model's rate ──log_mel──▶ float32 [mels, frames]
recordings of a prompt ──windows──▶ [windows, mels, frames] and a mask; ──tokens──▶ prompt with a token per row
"""

from workflows.media.sound.envelope import sound_envelope
from workflows.media.sound.log_mel import LogMel
from workflows.media.sound.resampling import Resampler
from workflows.media.sound.sound_file import MOST_HOURS, Sound, read_sound
from workflows.media.sound.tokens import SoundTokens, expand_sounds, sound_tokens
from workflows.media.sound.windows import SoundWindows, sound_windows, whole_windows

__all__ = [
    "MOST_HOURS",
    "LogMel",
    "Resampler",
    "Sound",
    "SoundTokens",
    "SoundWindows",
    "expand_sounds",
    "read_sound",
    "sound_envelope",
    "sound_tokens",
    "sound_windows",
    "whole_windows",
]
