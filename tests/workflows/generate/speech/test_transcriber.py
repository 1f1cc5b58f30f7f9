"""A built Whisper transcribes as transformers' generate does: tokens, times, languages, any length."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, save_whisper
from workflows.common.errors import BundleError, PromptError, RequestError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.speech.fallback import FallbackRule, WindowQuality
from workflows.generate.speech.settings import SpeechOptions
from workflows.generate.speech.transcriber import Transcriber
from workflows.wire.events import GenerationDone, SegmentEvent, TokenEvent

pytestmark = pytest.mark.slow

NONE, TOKENS, LENGTH = 100, 24, 300
GENERATION = {
    "lang_to_id": {"<|en|>": 4, "<|de|>": 5, "<|fr|>": 6},
    "task_to_id": {"transcribe": 8, "translate": 9},
    "no_timestamps_token_id": NONE,
    "is_multilingual": True,
    "suppress_tokens": [11, 12],
    "begin_suppress_tokens": [13, 2],
    "max_initial_timestamp_index": 10,
    "decoder_start_token_id": 3,
    "eos_token_id": 2,
    "pad_token_id": 2,
    "max_length": LENGTH,
    "timestamps": {"first": 0, "end": 1},  # no setting of transformers
}


def save_listener(folder: Path) -> Path:
    """Save a Whisper of two seconds with languages, times, and a tokenizer of numbered words."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast, WhisperFeatureExtractor

    save_whisper(folder, max_target_positions=LENGTH)
    (folder / "generation_config.json").write_text(json.dumps(GENERATION), "utf-8")
    WhisperFeatureExtractor(chunk_length=2).save_pretrained(folder)
    words = {f"w{i}": i for i in range(VOCABULARY)}
    fast = Tokenizer(WordLevel(words, unk_token="w0"))
    PreTrainedTokenizerFast(tokenizer_object=fast, eos_token="w2", unk_token="w0").save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_listener(tmp_path_factory.mktemp("whisper") / "checkpoint")


@pytest.fixture(scope="module")
def bundle(checkpoint: Path, built: Built) -> Path:
    return built(checkpoint)


@pytest.fixture(scope="module")
def engine(bundle: Path) -> Iterator[Engine]:
    with open_engine(bundle) as opened:
        yield opened


@pytest.fixture(scope="module")
def eager(checkpoint: Path) -> Any:
    from transformers import WhisperForConditionalGeneration

    return WhisperForConditionalGeneration.from_pretrained(checkpoint, attn_implementation="eager").eval()


CASES = [
    (200, {}),
    (200, {"language": "de"}),
    (200, {"language": "fr", "task": "translate"}),
    (200, {"return_timestamps": True}),
    (201, {"return_timestamps": True}),
    (333, {"task": "translate", "return_timestamps": True}),
    (777, {"language": "en", "return_timestamps": True}),
]


@pytest.mark.parametrize(("frames", "asked"), CASES)
def test_segments_are_those_of_generate(engine: Engine, eager: Any, frames: int, asked: dict[str, Any]) -> None:
    import torch

    sound = torch.randn(1, 80, frames, generator=torch.Generator().manual_seed(frames)) * 0.7
    with torch.no_grad():
        wanted = eager.generate(sound, return_segments=True, max_new_tokens=TOKENS, **asked)
    speech = SpeechOptions(asked.get("language"), asked.get("task"), asked.get("return_timestamps", False))
    options = GenerateOptions(max_new_tokens=TOKENS)
    events = list(Transcriber(engine).transcribe(sound[0].numpy(), options, speech))
    found = [(one.start_s, one.end_s, one.token_ids) for one in events if isinstance(one, SegmentEvent)]
    assert found == [
        (pytest.approx(float(one["start"])), pytest.approx(float(one["end"])), one["tokens"].tolist())
        for one in wanted["segments"][0]
        if len(one["tokens"])
    ]
    done = events[-1]
    assert isinstance(done, GenerationDone)
    assert done.token_ids == [event.id for event in events if isinstance(event, TokenEvent)]


@pytest.mark.parametrize("asked", [{}, {"max_new_tokens": 256}])
def test_a_window_has_as_many_tokens_as_fit_or_as_asked(engine: Engine, eager: Any, asked: dict[str, int]) -> None:
    """256 is the default of a prompt's reply: a transcript has it only where it was asked for."""
    import torch

    sound = torch.randn(1, 80, 200, generator=torch.Generator().manual_seed(1)) * 0.7
    with torch.no_grad():
        wanted = eager.generate(sound, return_segments=True, **asked)
    events = list(Transcriber(engine).transcribe(sound[0].numpy(), GenerateOptions(**asked), SpeechOptions()))
    found = [one.token_ids for one in events if isinstance(one, SegmentEvent)]
    assert found == [one["tokens"].tolist() for one in wanted["segments"][0] if len(one["tokens"])]
    window = [event.step for event in events if isinstance(event, TokenEvent)]
    assert len(window) % asked.get("max_new_tokens", LENGTH - 3) == 0  # no end token within: 3 are the prefix


def test_a_recording_too_long_without_times(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    transcriber = Transcriber(engine)
    monkeypatch.setattr(transcriber, "_scale", replace(transcriber._scale, first=None))
    with pytest.raises(RequestError, match="longer than the 2 s that the model hears at once"):
        next(transcriber.transcribe(np.zeros((80, 201), np.float32), GenerateOptions(), SpeechOptions()))


def test_what_a_bundle_has_to_say(engine: Engine) -> None:
    """How a transcript ends, and how many rows of a sound the decoder reads."""
    pipeline, program = engine.bundle.pipeline, engine.machine.program
    endless = pipeline.model_copy(update={"tokens": pipeline.tokens.model_copy(update={"eos": ()})})
    unsized = SimpleNamespace(required_inputs=program.required_inputs, decode=SimpleNamespace(keepers=()))
    for changes, why in (
        ({"bundle": replace(engine.bundle, pipeline=endless)}, "names no end token"),
        ({"machine": SimpleNamespace(program=unsized, sessions=engine.machine.sessions)}, "how many rows of a sound"),
    ):
        other: Any = SimpleNamespace(**{"bundle": engine.bundle, "machine": engine.machine} | changes)
        with pytest.raises(BundleError, match=why):
            Transcriber(other)


def test_a_file_is_heard(engine: Engine, eager: Any, tmp_path: Path, cli: Any, bundle: Path) -> None:
    """44.1 kHz in two channels, longer than a window: the command's segments are those of the features of that file."""
    import soundfile
    import torch

    from workflows.media import read_sound

    beat = np.sin(np.arange(44100 * 5) * 0.05) * np.random.default_rng(0).normal(0, 0.3, 44100 * 5)
    soundfile.write(tmp_path / "beat.wav", np.stack([beat, beat * 0.5], axis=1), 44100)
    code, out, err = cli("generate", bundle, "--audio", tmp_path / "beat.wav", "--json", "--max-new-tokens", TOKENS)
    assert code == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    found = [(one["start_s"], one["token_ids"]) for one in lines if one["event"] == "segment"]
    from transformers import WhisperFeatureExtractor

    samples = read_sound(tmp_path / "beat.wav", 16000).samples
    extractor = WhisperFeatureExtractor(chunk_length=2)
    sound = extractor._np_extract_fbank_features(samples[None], "cpu")
    with torch.no_grad():
        wanted = eager.generate(
            torch.from_numpy(sound), return_segments=True, return_timestamps=True, max_new_tokens=TOKENS
        )
    assert found == [(pytest.approx(float(s["start"])), s["tokens"].tolist()) for s in wanted["segments"][0]]
    code, out, err = cli("generate", bundle, "--audio", tmp_path / "beat.wav", "--timestamps", "--language", "de")
    assert code == 0 and out.startswith("[0."), err


@pytest.mark.parametrize(("arguments", "wanted"), [
    (("--audio", "gone.wav"), "gone.wav"),
    (("--audio", "gone.wav", "--prompt", "x"), "transcribes recordings: give --audio with a sound file in place"),
    (("--audio", "gone.wav", "--prompt", "x", "--fallback"), "A transcript has no prompt"),
    (("--prompt-ids", "3", "--language", "de"), "belong to a recording"),
    (("--prompt-ids", "3"), "transcribes recordings: give --audio"),
])  # fmt: skip
def test_what_cannot_be_transcribed_is_one_sentence(
    bundle: Path, cli: Any, arguments: tuple[str, ...], wanted: str
) -> None:
    code, _, err = cli("generate", bundle, *arguments)
    assert code == 2 and wanted in err and err.count("\n") == 1


def test_a_bundle_of_text_does_not_listen(demo_bundle: Path, cli: Any, tmp_path: Path) -> None:
    code, _, err = cli("generate", demo_bundle, "--audio", tmp_path / "x.wav")
    assert code == 2 and "hears no sound" in err


@pytest.mark.parametrize(("text", "why"), [
    (None, "has no tokenizer/preprocessor_config.json"),
    ("[]", "preprocessor_config.json of .* is not a JSON object"),
    ("{", "preprocessor_config.json .*: build the bundle again"),
])  # fmt: skip
def test_a_bundle_that_does_not_say_how_a_sound_is_prepared(engine: Engine, text: str | None, why: str) -> None:
    with pytest.raises(BundleError, match=why), pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(engine.bundle), "text", lambda bundle, name: text if "preprocessor" in name else None)
        Transcriber(engine)


def test_a_spectrogram_of_other_mels(engine: Engine) -> None:
    with pytest.raises(PromptError, match="has 40 mels and the encoder reads 80"):
        next(Transcriber(engine).transcribe(np.zeros((40, 200), np.float32), GenerateOptions(), SpeechOptions()))


def test_measurements_hear_noise(bundle: Path, cli: Any) -> None:
    """bench and profile run a model that listens."""
    for line in (("bench", bundle, "--repeats", 1, "--new-tokens", 4), ("profile", bundle)):
        code, _, err = cli(*line)
        assert code == 0, err


@pytest.mark.parametrize(("frames", "asked"), [(200, {}), (200, {"return_timestamps": True}),
                                               (333, {"language": "de", "return_timestamps": True})])  # fmt: skip
def test_windows_are_judged_as_generate_judges_them(
    engine: Engine, eager: Any, frames: int, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ratio, mean log-probability and silence of each window, at temperature 0 and one that draws the likeliest."""
    import torch

    sound = torch.randn(1, 80, frames, generator=torch.Generator().manual_seed(frames)) * 0.7
    wanted, found = list[tuple[float, ...]](), list[tuple[float, ...]]()
    kind = type(eager)
    whole = kind._need_fallback

    def noted(model: Any, tokens: Any, outputs: Any, index: int, processors: Any, config: Any, *more: Any) -> Any:
        ratio = model._retrieve_compression_ratio(tokens, more[0])
        logprob = model._retrieve_avg_logprobs(outputs[index]["scores"], tokens, more[1])
        silence = next(one.no_speech_prob for one in processors if type(one).__name__ == "WhisperNoSpeechDetection")
        wanted.append((float(ratio), float(logprob), float(silence[index])))
        return whole(model, tokens, outputs, index, processors, config, *more)

    monkeypatch.setattr(kind, "_need_fallback", noted)
    with torch.no_grad():
        result = eager.generate(
            sound, return_segments=True, max_new_tokens=TOKENS, temperature=(0.0, 1e-4), no_speech_threshold=2.0,
            logprob_threshold=0.0, compression_ratio_threshold=9.0, **asked,
        )  # fmt: skip

    class Noted(FallbackRule):
        def rejects(self, quality: WindowQuality) -> bool:
            found.append((quality.compression_ratio, quality.logprob, quality.no_speech))
            return super().rejects(quality)

    rule = Noted((0.0, 1e-4), 9.0, 0.0, 2.0)
    speech = SpeechOptions(asked.get("language"), None, asked.get("return_timestamps", False), rule)
    events = list(Transcriber(engine).transcribe(sound[0].numpy(), GenerateOptions(max_new_tokens=TOKENS), speech))
    assert len(found) == len(wanted) >= 2
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours == pytest.approx(theirs, rel=2e-4, abs=1e-6)
    tokens = [one.token_ids for one in events if isinstance(one, SegmentEvent)]
    assert tokens == [one["tokens"].tolist() for one in result["segments"][0] if len(one["tokens"])]


def test_windows_of_silence_are_left_out(engine: Engine, eager: Any) -> None:
    """Of four windows, those whose probability of silence is above the median; and all of them."""
    import torch

    sound = torch.randn(1, 80, 800, generator=torch.Generator().manual_seed(5)) * 0.7
    transcriber = Transcriber(engine)
    silence = [transcriber._no_speech(sound[0, :, at : at + 200].numpy()) for at in range(0, 800, 200)]
    for threshold in (float(np.median(silence)), 0.0):
        rule = FallbackRule((0.0,), 9.0, 0.0, threshold)
        with torch.no_grad():
            wanted = eager.generate(
                sound, return_segments=True, max_new_tokens=TOKENS, return_timestamps=True, temperature=(0.0,),
                no_speech_threshold=threshold, logprob_threshold=0.0, compression_ratio_threshold=9.0,
            )["segments"][0]  # fmt: skip
        options = GenerateOptions(max_new_tokens=TOKENS)
        events = list(transcriber.transcribe(sound[0].numpy(), options, SpeechOptions(None, None, True, rule)))
        found = [(one.start_s, one.token_ids) for one in events if isinstance(one, SegmentEvent)]
        assert found == [(pytest.approx(float(one["start"])), one["tokens"].tolist()) for one in wanted]
        assert isinstance(events[-1], GenerationDone) and bool(found) == bool(threshold)


def test_fallback_begins_greedily(engine: Engine) -> None:
    rule = SpeechOptions(fallback=FallbackRule())
    sound = np.zeros((80, 200), np.float32)
    for options in (GenerateOptions(num_beams=2), GenerateOptions(temperature=0.5)):
        with pytest.raises(RequestError, match="begins greedily, without beams"):
            list(Transcriber(engine).transcribe(sound, options, rule))
