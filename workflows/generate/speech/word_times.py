"""The times of a transcript's words, from what the decoder gives of each token's attention to the sound.

step ──on_hidden_states──▶ AlignmentRows ──token_times──▶ a time per token ──group_by_word──▶ WordTime
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workflows.common.errors import RequestError
from workflows.common.tensor_names import ALIGNMENT
from workflows.generate.options import GenerateOptions
from workflows.generate.speech.alignment import AlignmentRows, token_times
from workflows.generate.speech.segments import TimeScale, TokenSegment
from workflows.generate.speech.settings import SpeechSettings
from workflows.generate.speech.word_grouping import group_by_word
from workflows.generate.tokenizer import BundleTokenizer
from workflows.runtime import Machine
from workflows.wire.events import WordTime


def check_word_times(machine: Machine, options: GenerateOptions) -> None:
    """Raises RequestError where the times of words cannot be computed."""
    exposed = machine.program.decode.hidden
    if exposed is None or exposed[0][1] != ALIGNMENT:
        raise RequestError(
            "The times of words follow from the decoder's attention, which this bundle does not give: build it with "
            "--set expose=alignment."
        )
    if options.num_beams > 1:
        raise RequestError("The times of words are of one transcript: ask for them without beams.")


@dataclass(frozen=True)
class SegmentTimes:
    """The times of a segment's words, and the second at which each of its tokens ends."""

    words: list[WordTime]
    tokens: list[float]


class WordTimes(AlignmentRows):
    """Listens to one recording's windows, and times their words."""

    def __init__(self, text: BundleTokenizer, settings: SpeechSettings, scale: TimeScale) -> None:
        super().__init__()
        self._text, self._scale = text, scale
        self._languages = {token: name.strip("<|>") for name, token in settings.lang_to_id.items()}

    def of_window(
        self, segments: Sequence[TokenSegment], prefix: Sequence[int], count: int, seek: int, frames: int
    ) -> list[SegmentTimes]:
        """The times of each segment of a window. count: its tokens. frames: of the recording, from `seek` on."""
        language = next((self._languages[token] for token in prefix if token in self._languages), "")
        times, begin, found = self._times(len(prefix), count, seek, frames), 0, []
        for one in segments:
            words, end = self._of_segment(one.tokens, times[begin:], language), begin + len(one.tokens)
            found.append(SegmentTimes(words, times[begin + 1 : end + 1]))
            begin = end
        return found

    def _times(self, first: int, count: int, seek: int, frames: int) -> list[float]:
        """[1 + count] the seconds at which the last token of the prefix and each token of a window end.

        The last token was not read, so that it has the time of the one before it.
        """
        scale, times = self._scale, [0.0]
        rows = scale.frames // scale.stride
        columns = min(frames // scale.stride, rows)
        if count > 1 and columns > 0:
            times += token_times(self.weights(first, count - 1, rows)[..., :columns], scale.precision)
        times += [times[-1]] * (1 + count - len(times))
        return [scale.seconds(seek) + one for one in times]

    def _of_segment(self, tokens: Sequence[int], times: Sequence[float], language: str) -> list[WordTime]:
        """times: of the token before these, and of each of them."""
        spoken = [number for number, token in enumerate(tokens) if not self._scale.is_time(token)]
        words = group_by_word([tokens[one] for one in spoken], self._text.decode, language)
        return [
            WordTime(
                text=word.text,
                start_s=round(times[spoken[word.tokens[0]]], 2),
                end_s=round(times[spoken[word.tokens[-1]] + 1], 2),
            )
            for word in words
        ]
