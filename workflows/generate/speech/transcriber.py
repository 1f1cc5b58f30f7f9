"""Transcribes a recording of any length, window by window, as transformers' generate does it.

spectrogram [mels, frames] ──window──▶ encoder ──language, prefix──▶ tokens ──find_segments──▶ seek, segments
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, PromptError, RequestError
from workflows.common.tensor_names import SOUND
from workflows.generate.engine import Engine
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.options import GenerateOptions
from workflows.generate.processors import Logits, softmax
from workflows.generate.speech.fallback import (
    SAMPLED_FROM,
    FallbackRule,
    TokenLogprobs,
    WindowQuality,
    compression_ratio,
)
from workflows.generate.speech.segments import TimeScale, TokenSegment, find_segments
from workflows.generate.speech.settings import SpeechOptions, SpeechSettings
from workflows.generate.speech.sound_input import sound_shape
from workflows.generate.speech.timestamps import TimestampRule
from workflows.generate.speech.word_times import SegmentTimes, WordTimes, check_word_times
from workflows.media import LogMel, read_sound, sound_features
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.wire.events import Event, GenerationDone, SegmentEvent, TokenEvent

Spectrogram = NDArray[np.float32]
_SETTINGS = "tokenizer/preprocessor_config.json"


def _features(bundle: Bundle) -> LogMel:
    """How the bundle prepares a sound. Raises BundleError and MediaError where it does not say."""
    settings = bundle.json_object(_SETTINGS)
    if settings is None:
        raise BundleError(
            f"The bundle has no {_SETTINGS}, which says how a sound is prepared: add the file to the checkpoint and "
            "build the bundle again."
        )
    return sound_features(settings)


class Transcriber:
    """Transcribes by one engine.

    Raises PromptError for a bundle that does not read a sound of fixed length, BundleError and MediaError for one that
    does not say how a sound is prepared, how many rows its encoder makes of one, or how a transcript ends.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine, self.settings = engine, SpeechSettings.of_bundle(engine.bundle)
        shape = sound_shape(engine.machine)
        if shape is None:
            raise PromptError("The bundle hears no sound: give it a prompt instead of a recording.")
        self.mels, self.frames = shape
        none = self.settings.no_timestamps_token_id
        if not self._ends:
            raise BundleError("pipeline.json names no end token, so a transcript cannot end: add tokens.eos to it.")
        stride = self.frames // self._rows()
        self._mel = _features(engine.bundle)
        if (self._mel.mels, self._mel.frames) != (self.mels, self.frames):
            raise BundleError(
                f"{_SETTINGS} makes spectrograms of {self._mel.mels} x {self._mel.frames} and the encoder reads "
                f"{self.mels} x {self.frames}: build the bundle again."
            )
        precision = stride * self._mel.hop_seconds
        self._scale = TimeScale(self.frames, precision, stride, None if none is None else none + 1)

    def listen(self, recording: Path) -> Spectrogram:
        """[mels, frames] of a sound file of any length. Raises MediaError for one that cannot be read."""
        return self.listen_measured(recording)[0]

    def listen_measured(self, recording: Path) -> tuple[Spectrogram, int]:
        """The same, and how many of its frames are of the recording. Raises as listen."""
        samples = read_sound(recording, self._mel.rate).samples
        spectrogram = self._mel.whole_features(samples)
        hop = round(self._mel.hop_seconds * self._mel.rate)
        return spectrogram, min(-(-len(samples) // hop), spectrogram.shape[1])

    def transcribe(
        self,
        sound: Spectrogram,
        options: GenerateOptions,
        speech: SpeechOptions,
        cancelled: Callable[[], bool] = lambda: False,
        recorded_frames: int | None = None,
    ) -> Iterator[Event]:
        """The events of each window's generation, a SegmentEvent for each segment, and one GenerationDone.

        sound: [mels, frames] of the whole recording; longer than a window only with time stamps. recorded_frames:
        those of the recording, where `sound` has others behind them. options: where max_new_tokens is not set, a window
        has as many tokens as the cache has room for. The texts of the tokens joined are the transcript; time stamps
        have none. Raises PromptError and RequestError for a spectrogram of other mels or too long, and for what
        `speech` asks for and the model does not know.
        """
        speech = self._checked(sound, options, speech)
        aligned = WordTimes(self._engine.text, self.settings, self._scale) if speech.words else None
        before = self._engine.machine.listen(aligned)
        try:
            yield from self._windows(sound, options, speech, cancelled, aligned, recorded_frames or sound.shape[1])
        finally:
            self._engine.machine.listen(before)

    def _windows(
        self, sound: Spectrogram, options: GenerateOptions, speech: SpeechOptions, cancelled: Callable[[], bool],
        aligned: WordTimes | None, recorded_frames: int,
    ) -> Iterator[Event]:  # fmt: skip
        """The events of `transcribe`, window by window."""
        prefix = self._prefix(sound, speech)
        room = max(1, self._engine.machine.cache.capacity - len(prefix))
        chosen = options.max_new_tokens if "max_new_tokens" in options.set_fields else room
        options = options.replaced(max_new_tokens=min(chosen, room))
        defaults = self._defaults(speech)
        total, seek = max(sound.shape[1], self.frames), 0
        tokens, pieces, done = list[int](), list[str](), None
        while seek < total:
            frames = min(total - seek, self.frames)
            window = list[int]()
            part = sound[:, seek : seek + frames]
            events, skipped = self._hear(part, prefix, options, defaults, cancelled, speech.fallback)
            for event in events:
                if isinstance(event, GenerationDone):
                    done = event
                    continue
                if isinstance(event, TokenEvent):
                    window.append(event.id)
                    event = replace(event, text=self._text(event), step=len(tokens) + len(window) - 1)
                    pieces.append(event.text)
                yield event
            if skipped:
                seek += frames
                continue
            tokens += window
            segments, moved = find_segments(self._heard(window), self._scale, seek, frames)
            times = aligned.of_window(segments, prefix, len(window), seek, recorded_frames - seek) if aligned else None
            yield from (self._segment(one, times[i] if times else None) for i, one in enumerate(segments) if one.tokens)
            assert done is not None  # every generation ends with one
            if done.finish_reason == "cancelled":
                break
            seek += max(moved, self._scale.stride)  # a window that went nowhere would be heard for ever
        assert done is not None
        yield replace(done, prompt_ids=prefix, token_ids=tokens, text="".join(pieces))

    def _checked(self, sound: Spectrogram, options: GenerateOptions, speech: SpeechOptions) -> SpeechOptions:
        """`speech`, with times for what is longer than a window. Raises as transcribe."""
        if sound.shape[0] != self.mels:
            raise PromptError(f"The spectrogram has {sound.shape[0]} mels and the encoder reads {self.mels}.")
        if sound.shape[1] > self.frames:
            if self._scale.first is None:
                raise RequestError(
                    f"The recording is longer than the {self._scale.seconds(self.frames):g} s that the model hears at "
                    "once, and the model has no tokens for times, by which it would go on: give a shorter one."
                )
            speech = replace(speech, timestamps=True)
        if speech.words:
            speech = replace(speech, timestamps=True)
            check_word_times(self._engine.machine, options)
        if speech.fallback is not None and (options.temperature or options.num_beams > 1 or options.chain):
            raise RequestError(
                "Transcribing again at other temperatures begins greedily, without beams and a chain: leave these "
                "options out."
            )
        return speech

    def first_window(self, sound: Spectrogram, speech: SpeechOptions) -> tuple[list[int], NamedInputs]:
        """The tokens that a transcript of `sound` begins with, and the encoder's inputs for its first window."""
        return self._prefix(sound, speech), {SOUND: self._padded(sound)}

    # -- one window ----------------------------------------------------------------------------------------------

    def _window(
        self, sound: Spectrogram, prefix: Sequence[int], options: GenerateOptions, defaults: GenerationConfig,
        cancelled: Callable[[], bool],
    ) -> Iterator[Event]:  # fmt: skip
        self._stream = self._engine.text.stream()
        return self._engine.generate(prefix, options, cancelled, inputs={SOUND: self._padded(sound)}, defaults=defaults)

    def _hear(
        self, sound: Spectrogram, prefix: Sequence[int], options: GenerateOptions, defaults: GenerationConfig,
        cancelled: Callable[[], bool], rule: FallbackRule | None,
    ) -> tuple[Iterator[Event], bool]:  # fmt: skip
        """The events of the first attempt that `rule` accepts, or of the last; and whether nobody speaks, in which case
        there is the end of the generation alone.
        """
        if rule is None:
            return self._window(sound, prefix, options, defaults, cancelled), False
        silence = self._no_speech(sound)
        events = list[Event]()
        for temperature in rule.temperatures:
            logprobs = TokenLogprobs(SAMPLED_FROM if temperature else None)
            sampled = {"temperature": temperature, "top_k": SAMPLED_FROM} if temperature else {}
            chosen = defaults.model_copy(update={"logprobs": logprobs})
            events = [*self._window(sound, prefix, options.replaced(**sampled), chosen, cancelled)]
            done = events[-1]
            assert isinstance(done, GenerationDone)  # every generation ends with one
            if done.finish_reason == "cancelled" or not done.token_ids:
                break
            ratio = compression_ratio(done.token_ids, self._engine.machine.vocabulary)
            quality = WindowQuality(ratio, logprobs.mean(done.token_ids), silence)
            if rule.skips(quality):
                return iter([done]), True
            if not rule.rejects(quality):
                break
        return iter(events), False

    def _no_speech(self, sound: Spectrogram) -> float:
        """The probability of the token for silence after the start token; 0 for a model without times."""
        if self.settings.no_timestamps_token_id is None:
            return 0.0
        return float(softmax(self._first_logits(sound))[self.settings.no_timestamps_token_id - 1])

    def _first_logits(self, sound: Spectrogram) -> Logits:
        """[V] after the start token alone, for a window."""
        machine = self._engine.machine
        machine.resume()
        machine.start({SOUND: self._padded(sound)})
        logits: Logits = machine.step([self._engine.bundle.pipeline.decoder_start], "decode")[-1]
        return logits

    def _padded(self, sound: Spectrogram) -> Spectrogram:
        """[1, mels, frames] of one window; zeros behind the end of the recording."""
        row = np.zeros((1, self.mels, self.frames), np.float32)
        row[0, :, : sound.shape[1]] = sound[:, : self.frames]
        return row

    def _text(self, event: TokenEvent) -> str:
        """The text that a token completes; none for time stamps, and what is left with the end token."""
        if event.id in self._ends:
            return self._stream.flush()
        return "" if self._scale.is_time(event.id) else self._stream.push(event.id)

    def _segment(self, one: TokenSegment, times: SegmentTimes | None) -> SegmentEvent:
        text = self._engine.text.decode([token for token in one.tokens if not self._scale.is_time(token)])
        bounds = {"start_s": round(one.start, 6), "end_s": round(one.end, 6)}
        words, tokens = (times.words, times.tokens) if times else (None, None)
        return SegmentEvent(**bounds, text=text, token_ids=[*one.tokens], words=words, token_times=tokens)

    def _heard(self, tokens: Sequence[int]) -> Sequence[int]:
        """A window's tokens without the end token."""
        return tokens[:-1] if tokens and tokens[-1] in self._ends else tokens

    @property
    def _ends(self) -> Sequence[int]:
        return self._engine.bundle.pipeline.tokens.eos

    # -- what a transcript begins with ---------------------------------------------------------------------------

    def _prefix(self, sound: Spectrogram, speech: SpeechOptions) -> list[int]:
        start = self._engine.bundle.pipeline.decoder_start
        detected = self.detect_language(sound) if self.settings.needs_detection(speech) else None
        return self.settings.prefix(start, speech, detected)

    def detect_language(self, sound: Spectrogram) -> int:
        """The token of the language that the model hears in the first window: the likeliest after the start token."""
        logits = self._first_logits(sound)
        known = sorted(self.settings.lang_to_id.values())
        return known[int(np.argmax(logits[known]))]

    def _defaults(self, speech: SpeechOptions) -> GenerationConfig:
        """The checkpoint's settings, with the rule of time stamps where there are times."""
        if not speech.timestamps or self._scale.first is None:
            return self._engine.defaults
        rule = TimestampRule(self._scale.first, min(self._ends), self.settings.max_initial_timestamp_index)
        return self._engine.defaults.model_copy(update={"timestamps": rule})

    def _rows(self) -> int:
        """The rows that the decoder reads of one window: as many as there are time stamps in it."""
        machine = self._engine.machine
        rows = {
            int(spec.shape[-2])
            for session in machine.program.decode.keepers
            for spec in machine.sessions[session].inputs
            if spec.name.startswith("cross.") and isinstance(spec.shape[-2], int)
        }
        if len(rows) != 1:
            raise BundleError("The decoder's graphs do not say how many rows of a sound they read: build them again.")
        return rows.pop()
