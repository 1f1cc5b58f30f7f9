"""Pictures and sound at run time, without torch and transformers: from files to the tensors of a model's encoders.

sound file ──read_sound──▶ Sound ──sound_features(settings)──▶ LogMel.features ──▶ [mels, frames]

Settings are the keys of a checkpoint's preprocessor_config.json. An object made of them has `settings`: the keys that
change values, as a JSON object for a bundle, of which the same object can be made again. What cannot be read or is not
known raises MediaError; nothing is ignored that changes a value.

    read_sound(path, rate)          a wav, flac, ogg, mp3 or aiff file as float32 mono samples at `rate` Hz
    sound_features(settings)        LogMel: rate, samples of a chunk, frames; features(samples)
"""

from __future__ import annotations

from collections.abc import Mapping

from workflows.media.sound import LogMel, Sound, read_sound

__all__ = ["LogMel", "Sound", "read_sound", "sound_features"]


def sound_features(settings: Mapping[str, object]) -> LogMel:
    """The features that the settings describe: a preprocessor_config.json, or a processor_config.json that has one.

    Raises MediaError for features of another kind and for settings that are not known.
    """
    part = settings.get("feature_extractor")
    return LogMel.from_settings(part if isinstance(part, Mapping) else settings)
