"""The text that stands for a recording in a prompt: one placeholder becomes as many tokens as the encoder gives rows.

prompt with placeholders + rows of each recording ──expand_sounds──▶ prompt with a token per row

    Qwen2-Audio      <|AUDIO|> per row of one window; the chat template writes the tokens around them
    Audio Flamingo 3 <sound> per row of all windows, ten minutes at most
    GLM-ASR          <|pad|> per row of all windows, 655 seconds at most
    Voxtral          [AUDIO] per row of all windows, whole ones, behind [BEGIN_AUDIO]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workflows.common.errors import MediaError, printable
from workflows.media.options import Options

_KINDS: dict[str, tuple[str, int, int | None]] = {
    "Qwen2AudioProcessor": ("<|AUDIO|>", 2, None),
    "AudioFlamingo3Processor": ("<sound>", 2, 600),
    "GlmAsrProcessor": ("<|pad|>", 4, 655),
    "VoxtralProcessor": ("[AUDIO]", 4, 86_400),
}
"""Processor class → the placeholder of its chat templates, rows of the encoder per token, and the seconds that are read
where its settings do not say; None for those of one window."""
_BEFORE = {"VoxtralProcessor": "[BEGIN_AUDIO]"}  # what stands before each placeholder
_WHOLE = ("VoxtralProcessor",)  # classes whose encoder reads whole windows


@dataclass(frozen=True)
class SoundTokens:
    """token: what stands for a recording in a prompt, and what each row of features replaces.

    merged: rows of the encoder's layers that become one row of features. seconds: of a recording that are read; None
    for those of one window.
    """

    kind: str
    token: str
    merged: int
    seconds: int | None

    @property
    def placeholder(self) -> str:
        """What a text without placeholders gets for a recording."""
        return _BEFORE.get(self.kind, "") + self.token

    @property
    def whole(self) -> bool:
        """Whether all frames of a window have rows, also those behind a recording's end."""
        return self.kind in _WHOLE

    @property
    def settings(self) -> dict[str, object]:
        """By the names of processor_config.json."""
        more = {} if self.seconds is None or self.whole else {"max_audio_len": self.seconds}
        return {"processor_class": self.kind, "audio_token": self.token, **more}

    def rows(self, frames: int) -> int:
        """The rows of features of so many frames: a convolution takes two together, and `merged` of these are one."""
        return ((frames - 1) // 2 + 1) // self.merged


def sound_tokens(settings: Mapping[str, object]) -> SoundTokens:
    """The tokens that a processor_config.json describes, by its processor_class. Raises MediaError for one unknown."""
    kind = str(settings.get("processor_class"))
    if kind not in _KINDS:
        raise MediaError(
            f"The sound tokens of a processor_class {printable(kind, 60)} are not known: there are "
            f"{', '.join(sorted(_KINDS))}."
        )
    options = Options(settings, kind)
    options.ignore("feature_extractor", "tokenizer", "chat_template", "audio_bos_token", "audio_eos_token")
    options.ignore("default_transcription_prompt")
    placeholder, merged, most = _KINDS[kind]
    token = options.get("audio_token", placeholder)
    if not isinstance(token, str) or not token:
        raise options.fault("audio_token", "a text")
    fixed = most is None or kind in _WHOLE
    seconds = most if fixed else options.integer("max_audio_len", most or 0, highest=86_400)
    options.finish()
    return SoundTokens(kind, token, merged, seconds)


def expand_sounds(prompt: str, token: str, rows: Sequence[int]) -> str:
    """The prompt with its placeholders replaced, the first by the first recording's rows and so on.

    Raises MediaError where there are not as many placeholders as recordings.
    """
    first, *others = prompt.split(token)
    if len(others) != len(rows):
        raise MediaError(
            f"The prompt has {len(others)} placeholders {token} for {len(rows)} recordings: each recording needs one."
        )
    return first + "".join(token * count + rest for count, rest in zip(rows, others, strict=True))
