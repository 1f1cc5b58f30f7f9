"""Prompts with recordings: files to the tensors of the sound encoder, placeholders to a token for each of its rows.

files ──read──▶ samples ──prepare──▶ windows, masks; text with a placeholder each ──▶ text with a token per row
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, MediaError, PromptError, printable
from workflows.common.tensor_names import SOUND, SOUND_MASK
from workflows.media import (
    LogMel,
    Sound,
    SoundTokens,
    expand_sounds,
    read_sound,
    sound_features,
    sound_tokens,
    sound_windows,
    whole_windows,
)
from workflows.runtime.execution.prompt_inputs import InputValue, NamedInputs

_FILES = ("tokenizer/preprocessor_config.json", "tokenizer/processor_config.json")


class SoundPrompts:
    """How one bundle hears: its features of a sound, and the text that stands for a recording."""

    def __init__(self, mel: LogMel, tokens: SoundTokens) -> None:
        self._mel, self._tokens = mel, tokens
        seconds = mel.samples // mel.rate
        self._windows = 1 if tokens.seconds is None else max(1, tokens.seconds // seconds)
        self._longest = self._windows * seconds

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> SoundPrompts:
        """Raises PromptError for a bundle that does not hear, BundleError or MediaError where it does not say how."""
        if "audio" not in bundle.pipeline.feature_tokens:
            raise PromptError("The bundle reads no sound beside a prompt: leave the recordings out.")
        settings, processor = (bundle.json_object(name) or {} for name in _FILES)
        if not settings and not processor:
            raise BundleError(
                f"The bundle has no {_FILES[0]}, which says how a sound is prepared: add the file to the checkpoint "
                "and build the bundle again."
            )
        kind = processor.get("processor_class") or settings.get("processor_class")
        own = processor if "feature_extractor" in processor else settings or processor
        return cls(sound_features(own), sound_tokens({**processor, "processor_class": kind}))

    def read(self, files: Sequence[Path]) -> list[Sound]:
        """The recordings of files. Raises MediaError for one that cannot be read, or too short for a row."""
        sounds = [read_sound(file, self._mel.rate) for file in files]
        for file, sound in zip(files, sounds, strict=True):
            if not self._tokens.whole and not self._tokens.rows(self._mel.frames_of(sound.samples)):
                raise MediaError(
                    f"The sound file {printable(file.name)} lasts {sound.duration * 1000:.0f} ms, of which the encoder "
                    "makes nothing: give a longer recording."
                )
        return sounds

    def notes(self, files: Sequence[Path], sounds: Sequence[Sound]) -> list[str]:
        """What of the recordings is not read, for the person."""
        return [
            f"Of {printable(file.name)}, the model reads the first {self._longest:,} of {sound.duration:,.0f} seconds."
            for file, sound in zip(files, sounds, strict=True)
            if len(sound.samples) > self._windows * self._mel.samples
        ]

    def with_placeholders(self, text: str, count: int) -> str:
        """A plain text with `count` recordings: before it, unless it has their placeholders."""
        return text if self._tokens.token in text else self._tokens.placeholder * count + text

    def prepare(self, text: str, sounds: Sequence[Sound]) -> tuple[str, NamedInputs, list[int]]:
        """The text with a token for each row of features, the encoder's inputs, and the rows of each recording.

        Raises MediaError where the text has not one placeholder for each recording.
        """
        if not sounds:
            return expand_sounds(text, self._tokens.token, ()), {}, []
        cut = whole_windows if self._tokens.whole else sound_windows
        windows = cut([one.samples for one in sounds], self._mel, self._windows)
        rows = [self._tokens.rows(frames) for frames in windows.frames]
        # the encoder runs for one window at a time, since the scores of many take gigabytes
        inputs: dict[str, InputValue] = {SOUND: windows.features}
        if not self._tokens.whole:
            inputs[SOUND_MASK] = windows.mask
        return expand_sounds(text, self._tokens.token, rows), inputs, rows
