"""Sound at run time, without torch and transformers: from a file to the features of a model's encoder.

file ──sound_file──▶ blocks ──resampling──▶ mono float32 at the model's rate ──log_mel──▶ float32 [mels, frames]
"""

from workflows.media.sound.envelope import sound_envelope
from workflows.media.sound.log_mel import LogMel
from workflows.media.sound.resampling import Resampler
from workflows.media.sound.sound_file import MOST_HOURS, Sound, read_sound

__all__ = ["MOST_HOURS", "LogMel", "Resampler", "Sound", "read_sound", "sound_envelope"]
