"""The shipped Whisper demo: it writes digits of voices that it never heard, as transformers' generate reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from transformers import AutoProcessor, WhisperFeatureExtractor

from resources.demos.train_whisper import CLIPS, FOLDER
from resources.demos.whisper_evaluation import SHIPPED, Listener
from resources.demos.whisper_samples import IGNORED, Vocabulary, draw_batch, log_mel, make_tokenizer, spoken_classes
from resources.demos.whisper_speech import (
    DIGITS,
    HELD_BACK_VARIANTS,
    LENGTH,
    RATE,
    VARIANTS,
    Bank,
    Clip,
    Spoken,
    draw_clip,
)
from tests.workflows.conftest import Built
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.speech.settings import SpeechOptions
from workflows.generate.speech.transcriber import Transcriber
from workflows.media.sound.log_mel import LogMel
from workflows.media.sound.sound_file import read_sound
from workflows.wire.events import GenerationDone, SegmentEvent

ROWS = json.loads((CLIPS / "clips.json").read_text("utf-8"))
SHORT = [row for row in ROWS if len(row["times"]) <= 3]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Two stall each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def listener() -> Listener:
    return Listener(FOLDER)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(make_tokenizer())


def recorded(row: dict[str, Any]) -> Clip:
    return Clip(read_sound(CLIPS / row["file"], RATE).samples, [])


def test_it_is_a_small_fp16_whisper() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3_000_000
    assert sum(path.stat().st_size for path in CLIPS.iterdir()) < 400_000
    with safe_open(FOLDER / "model.safetensors", "pt") as tensors:
        assert {tensors.get_slice(name).get_dtype() for name in tensors.keys()} == {"F16"}  # noqa: SIM118
    config = json.loads((FOLDER / "config.json").read_text())
    assert config["architectures"] == ["WhisperForConditionalGeneration"]
    assert (config["max_source_positions"], config["num_mel_bins"], config["vocab_size"]) == (100, 80, 432)


def test_its_tokens_are_in_the_order_of_whisper() -> None:
    processor = AutoProcessor.from_pretrained(FOLDER)
    tokenizer = processor.tokenizer
    generation = json.loads((FOLDER / "generation_config.json").read_text())
    end, start = generation["eos_token_id"], generation["decoder_start_token_id"]
    none = generation["no_timestamps_token_id"]
    names = tokenizer.convert_ids_to_tokens(range(end, none + 2))
    assert names[:6] == [
        "<|endoftext|>",
        "<|startoftranscript|>",
        "<|en|>",
        "<|de|>",
        "<|translate|>",
        "<|transcribe|>",
    ]
    assert names[-2:] == ["<|notimestamps|>", "<|0.00|>"] and len(tokenizer) == none + 102
    assert tokenizer.convert_ids_to_tokens(none + 101) == "<|2.00|>"
    assert generation["lang_to_id"] == {"<|en|>": start + 1, "<|de|>": start + 2}
    assert generation["task_to_id"] == {"translate": start + 3, "transcribe": start + 4}
    assert tokenizer(" one two").input_ids == [start, none, *tokenizer.convert_tokens_to_ids(["Ġone", "Ġtwo"]), end]
    assert processor.feature_extractor.nb_max_frames == 200


@pytest.mark.parametrize("options", [{"language": True}, {}, {"language": True, "task": "translate"}], ids=str)
def test_it_writes_what_the_held_back_voices_say(listener: Listener, options: dict[str, Any]) -> None:
    for row in SHORT:
        chosen = options | ({"language": row["language"]} if "language" in options else {})
        wanted = row["english" if "task" in options else "text"]
        assert listener.texts([recorded(row)], **chosen) == [wanted], row["file"]


def test_it_knows_when_each_digit_is_spoken(listener: Listener) -> None:
    for row in SHORT:
        segments = listener.segments(recorded(row), language=row["language"])
        assert " ".join(text for text, _, _ in segments) == row["text"]
        for (_, start, end), times in zip(segments, row["times"], strict=True):
            assert end == pytest.approx(times[1], abs=0.15) and start <= times[0] + 0.15, row["file"]


@pytest.mark.slow
def test_its_bundle_writes_and_times_what_pytorch_does(listener: Listener, built: Built) -> None:
    with open_engine(built("demo:whisper")) as engine:
        transcriber = Transcriber(engine)
        for row in SHORT:
            sound = transcriber.listen(CLIPS / row["file"])
            events = list(transcriber.transcribe(sound, GenerateOptions(), SpeechOptions(timestamps=True)))
            segments = [one for one in events if isinstance(one, SegmentEvent)]
            assert " ".join(one.text.strip() for one in segments) == row["text"]
            wanted = [(pytest.approx(start), pytest.approx(end)) for _, start, end in listener.segments(recorded(row))]
            assert [(one.start_s, one.end_s) for one in segments] == wanted, row["file"]
            translated = list(
                transcriber.transcribe(sound, GenerateOptions(), SpeechOptions(row["language"], "translate"))
            )
            done = translated[-1]
            assert isinstance(done, GenerationDone) and done.text.split() == row["english"].split()


def test_silence_is_nothing(listener: Listener) -> None:
    noise = np.random.default_rng(0).standard_normal(LENGTH).astype(np.float32) * np.float32(0.002)
    assert listener.texts([Clip(noise, [])], language="en") == [""]


def test_the_clips_are_of_held_back_voices() -> None:
    assert {*HELD_BACK_VARIANTS}.isdisjoint(VARIANTS)
    assert [(row["language"], len(row["times"])) for row in ROWS] == SHIPPED
    assert {path.name for path in CLIPS.iterdir()} == {"clips.json", *(row["file"] for row in ROWS)}


def test_its_features_are_those_of_whispers_extractor() -> None:
    sound = recorded(ROWS[0]).samples
    padded = np.pad(sound, (0, LENGTH - len(sound)))
    extractor = WhisperFeatureExtractor.from_pretrained(FOLDER)
    wanted = extractor._np_extract_fbank_features(padded[None], "cpu")[0]
    assert np.abs(log_mel(torch.from_numpy(padded)[None])[0].numpy() - wanted).max() < 1e-3
    assert np.abs(LogMel(80, RATE, 400, 160, 2).features(sound) - wanted).max() < 1e-5


def test_a_digit_that_the_window_cuts_is_the_time_of_its_start(vocabulary: Vocabulary) -> None:
    clip = Clip(np.zeros(LENGTH, np.float32), [Spoken(3, 0.5, 1.0, True), Spoken(7, 1.8, 2.0, False)])
    zero, three, end = (vocabulary.id[name] for name in ("<|0.00|>", "Ġthree", "<|endoftext|>"))
    assert vocabulary.transcript(clip, "en", True) == [zero + 25, three, zero + 50, zero + 90, end]
    assert vocabulary.transcript(clip, "en", False) == [three, end]
    assert vocabulary.transcript(Clip(clip.samples, []), "en", True) == [zero, end]
    classes = spoken_classes(clip, "de")
    assert (classes[24], classes[25], classes[49], classes[50], classes[99]) == (0, 14, 14, 0, 18)


def test_a_batch_learns_the_language_and_the_transcript(vocabulary: Vocabulary) -> None:
    tone = np.sin(np.arange(RATE // 4) / 5).astype(np.float32)
    banks: dict[str, Bank] = {code: [[tone] for _ in digits] for code, digits in DIGITS.items()}
    batch = draw_batch(np.random.default_rng(1), banks, vocabulary, 16)
    assert batch.features.shape == (16, 80, 200) and batch.spoken.shape == (16, 100)
    for ids, labels, spoken in zip(batch.ids, batch.labels, batch.spoken, strict=True):
        assert ids[0] == vocabulary.id["<|startoftranscript|>"]
        assert labels[0] in (ids[1], IGNORED) and (labels[0] == IGNORED) == (spoken == 0).all()
        taught = labels[:-1] != IGNORED
        assert torch.equal(ids[1:][taught], labels[:-1][taught])


def test_a_clip_holds_its_digits_and_may_cut_the_last() -> None:
    tones: Bank = [[np.full(RATE // 2, 0.5, np.float32)] for _ in range(10)]
    rng = np.random.default_rng(2)
    clips = [draw_clip(rng, tones, 4, cut=True) for _ in range(50)]
    assert any(not clip.words[-1].whole for clip in clips) and any(clip.words[-1].whole for clip in clips)
    for clip in clips:
        assert len(clip.samples) <= LENGTH and all(word.whole for word in clip.words[:-1])
        for word in clip.words:
            inside = clip.samples[int(word.start * RATE) + 1 : int(word.end * RATE)]
            assert abs(inside.mean()) > 0.03  # the gain is at most 20 dB
