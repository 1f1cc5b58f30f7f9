"""Pictures and sound at run time, without torch and transformers: from files to the tensors of a model's encoders.

sound file   ──read_sound──▶ Sound ──sound_features(settings)──▶ LogMel.features ──▶ [mels, frames]
picture file ──read_picture──▶ Picture ──picture_processor(settings)──▶ PictureInputs: tensors, layouts
prompt       ──picture_tokens(settings)──▶ expand_pictures(prompt, tokens, layouts) ──▶ a token per feature row
recordings   ──sound_windows──▶ SoundWindows: features, mask; sound_tokens(settings), expand_sounds likewise

Settings are the keys of a checkpoint's preprocessor_config.json or processor_config.json. An object made of them has
`settings`: the keys that change values, as a JSON object for a bundle, of which an equal object is made. What cannot be
read or is not known raises MediaError; nothing that changes a value is ignored.

    read_sound(path, rate)          a wav, flac, ogg, mp3 or aiff file as float32 mono samples at `rate` Hz
    sound_features(settings)        LogMel: rate, samples of a chunk, frames; features(samples)
    read_picture(path)              a png, jpeg, webp, gif, bmp or tiff file as uint8 [height, width, 3], with notes
    picture_processor(settings)     of Qwen-VL, Idefics3, LLaVA, SigLIP, Gemma …; called with pictures
    sized_processor, depth_processor   of models that read a picture alone
    picture_tokens(settings)        the text of a picture in the prompt: placeholder, token, text(layout)
"""

from __future__ import annotations

from collections.abc import Mapping

from workflows.media.pictures import (
    DepthProcessor,
    Picture,
    PictureInputs,
    PictureLayout,
    PictureProcessor,
    PictureTokens,
    PrefixTokens,
    SizedProcessor,
    depth_processor,
    expand_pictures,
    feature_places,
    picture_processor,
    picture_tokens,
    read_picture,
    sized_processor,
)
from workflows.media.sound import (
    LogMel,
    Sound,
    SoundTokens,
    SoundWindows,
    expand_sounds,
    read_sound,
    sound_tokens,
    sound_windows,
    whole_windows,
)

__all__ = [
    "DepthProcessor",
    "LogMel",
    "Picture",
    "PictureInputs",
    "PictureLayout",
    "PictureProcessor",
    "PictureTokens",
    "PrefixTokens",
    "SizedProcessor",
    "Sound",
    "SoundTokens",
    "SoundWindows",
    "depth_processor",
    "expand_pictures",
    "expand_sounds",
    "feature_places",
    "picture_processor",
    "picture_tokens",
    "read_picture",
    "read_sound",
    "sized_processor",
    "sound_features",
    "sound_tokens",
    "sound_windows",
    "whole_windows",
]


def sound_features(settings: Mapping[str, object]) -> LogMel:
    """The features that the settings describe: a preprocessor_config.json, or a processor_config.json that has one.

    Raises MediaError for features of another kind and for settings that are not known.
    """
    part = settings.get("feature_extractor")
    return LogMel.from_settings(part if isinstance(part, Mapping) else settings)
