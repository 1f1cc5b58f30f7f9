"""A built audio language model hears what eager Hugging Face hears: features, tokens, logits, in every case."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, save_with_sound
from workflows.bundle import Bundle
from workflows.common.errors import BundleError, MediaError, PromptError
from workflows.common.tensor_names import SOUND, SOUND_MASK
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.sound_prompts import SoundPrompts
from workflows.media import Sound
from workflows.service.generation import generate
from workflows.wire.events import GenerationDone, NoticeEvent, TokenEvent
from workflows.wire.requests import Generate, Turn

AUDIO, BEGIN, CLOSE, COUNT, RATE = 200, 201, 202, 6, 16000
WINDOW = 2 * RATE
KINDS = {
    "qwen2_audio": ("Qwen2AudioProcessor", "<|AUDIO|>"),
    "audioflamingo3": ("AudioFlamingo3Processor", "<sound>"),
    "glmasr": ("GlmAsrProcessor", "<|pad|>"),
    "voxtral": ("VoxtralProcessor", "[AUDIO]"),
}
FEATURES = {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 80, "chunk_length": 2,
            "return_attention_mask": True}  # fmt: skip
TEMPLATE = (
    "{% for m in messages %}w1 {% if m.content is string %}{{ m.content }}{% else %}{% for c in m.content %}"
    "{% if c.type == 'text' %}{{ c.text }}{% else %}<|audio_bos|>PLACE<|audio_eos|>{% endif %}{% endfor %}{% endif %} "
    "w4 {% endfor %}{% if add_generation_prompt %}w5 w6{% endif %}"
)
CASES: list[tuple[tuple[float, ...], int]] = [
    *(((), words) for words in (5, 64, 70)),
    ((0.5,), 3), ((0.071,), 1), ((2.0,), 9), ((3.3,), 64), ((1.0, 2.0), 4), ((0.7, 4.1), 100), ((2.0, 2.0), 11),
]  # fmt: skip
"""Seconds of recordings, of which a window has two, and the words behind them; a chunk has 64 tokens."""


def save_hearing(model_type: str, folder: Path) -> Path:
    """An audio language model with a tokenizer of numbered words, its processor's settings and a chat template."""
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast

    kind, token = KINDS[model_type]
    save_with_sound(model_type, folder, AUDIO)
    special = {token: AUDIO, "<|audio_bos|>": BEGIN, "<|audio_eos|>": CLOSE}
    words = {f"w{i}": i for i in range(VOCABULARY) if i not in special.values()} | special
    tokenizer = Tokenizer(WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens([AddedToken(word, special=True, normalized=False) for word in special])
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="w0", pad_token="w0").save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps({**FEATURES, "processor_class": kind}), "utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATE.replace("PLACE", token), "utf-8")
    return folder


@pytest.fixture(scope="module", params=["qwen2_audio", "glmasr", "voxtral"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_hearing(request.param, tmp_path_factory.mktemp("hearing") / request.param)


@pytest.fixture(scope="module")
def bundle(checkpoint: Path, built: Built) -> Path:
    fixed = {"graphs": "prefill-decode", "chunk": 64} if checkpoint.name != "qwen2_audio" else {"cache": "gqa"}
    return built(checkpoint, **{"chunk": 64, **fixed})


@pytest.fixture(scope="module")
def engine(bundle: Path) -> Iterator[Engine]:
    with open_engine(bundle) as opened:
        yield opened


@pytest.fixture(scope="module")
def eager(checkpoint: Path) -> Any:
    from transformers import AutoModelForSeq2SeqLM

    return AutoModelForSeq2SeqLM.from_pretrained(checkpoint, attn_implementation="eager").eval()


@pytest.fixture(scope="module")
def processor(checkpoint: Path) -> Any:
    """transformers' own, with the tokenizer and the feature extractor of the checkpoint."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    extractor = transformers.WhisperFeatureExtractor.from_pretrained(checkpoint)
    if checkpoint.name == "voxtral":  # its own wants the tokenizer of mistral-common
        return Voxtral(extractor, tokenizer)
    return getattr(transformers, KINDS[checkpoint.name][0])(feature_extractor=extractor, tokenizer=tokenizer)


class Voxtral:
    """transformers' features of Voxtral's recordings, with another tokenizer than mistral-common's."""

    def __init__(self, extractor: Any, tokenizer: Any) -> None:
        self.feature_extractor, self.tokenizer = extractor, tokenizer

    def __call__(self, text: list[str], audio: list[np.ndarray], sampling_rate: int, return_tensors: str) -> Any:
        from transformers import VoxtralProcessor

        kwargs = {**VoxtralProcessor.audio_kwargs, "pad_to_multiple_of": WINDOW, "max_source_positions": 200}
        made = VoxtralProcessor._retrieve_input_features(self, audio, **kwargs)
        first, *others = text[0].split("[AUDIO]")
        rows = ["[AUDIO]" * (25 * -(-len(one) // WINDOW)) for one in audio]
        whole = first + "".join(row + rest for row, rest in zip(rows, others, strict=True))
        ids = self.tokenizer([whole], return_tensors="pt")
        return {"input_ids": ids["input_ids"], "attention_mask": ids["attention_mask"], "input_features": made}

    def validate_inputs(self) -> None:
        """As transformers' processors have."""


def recording(seconds: float, seed: int) -> np.ndarray:
    """A chirp in noise."""
    time = np.arange(round(seconds * RATE)) / RATE
    noise = np.random.default_rng(seed).normal(size=len(time))
    return (0.3 * np.sin(2 * np.pi * (200 + 900 * time * (seed + 1)) * time) + 0.05 * noise).astype(np.float32)


def write(path: Path, samples: np.ndarray) -> Path:
    import soundfile

    soundfile.write(path, samples, RATE, subtype="FLOAT")
    return path


def heard(processor: Any, text: str, sounds: list[np.ndarray]) -> tuple[list[int], dict[str, np.ndarray]]:
    """The ids and the model's inputs by transformers' own processor, its features by numpy as everywhere."""
    if not sounds:
        return list(processor.tokenizer(text)["input_ids"]), {}
    kind, extractor = type(processor), type(processor.feature_extractor)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "validate_inputs", lambda *_, **__: None)  # one text may have two recordings
        patch.setattr(extractor, "_torch_extract_fbank_features", extractor._np_extract_fbank_features)
        made = processor(text=[text], audio=sounds, sampling_rate=RATE, return_tensors="pt")
    ids = made.pop("input_ids")[0].tolist()
    made.pop("attention_mask")
    return ids, {name: np.asarray(value) for name, value in made.items() if name.startswith(("input_f", "feature_"))}


def greedy(eager: Any, ids: list[int], inputs: dict[str, np.ndarray], count: int = COUNT) -> tuple[list[int], Any]:
    """The model's own tokens and their logits [count,V], the whole computed anew at each step."""
    import torch

    ids, before, rows = list(ids), len(ids), []
    tensors = {name: torch.from_numpy(value) for name, value in inputs.items()}
    for _ in range(count):
        row = torch.tensor([ids])
        with torch.no_grad():
            logits = eager(input_ids=row, attention_mask=torch.ones_like(row), use_cache=False, **tensors).logits[0, -1]
        logits[AUDIO] = -torch.inf
        rows.append(logits.numpy())
        ids.append(int(logits.argmax()))
    return ids[before:], np.stack(rows)


def logits_of(engine: Engine, ids: list[int], inputs: Any, tokens: list[int]) -> np.ndarray:
    """[tokens,V] of the bundle, fed a prompt and tokens."""
    machine = engine.machine
    machine.cache.reset()
    machine.start(inputs, ids)
    rows = [np.array(machine.step(fed, phase)[-1]) for fed, phase in list(machine.chunks(ids))][-1:]
    rows += [np.array(machine.step([token], "decode")[-1]) for token in tokens[:-1]]
    return np.stack(rows)


@pytest.mark.slow
def test_features_tokens_and_logits_are_those_of_the_model(
    engine: Engine, eager: Any, processor: Any, checkpoint: Path, tmp_path: Path
) -> None:
    prompts, token = SoundPrompts.of_bundle(engine.bundle), KINDS[checkpoint.name][1]
    assert engine.machine.program.loops == {"speech"}  # the scores of many windows at once would take gigabytes
    chances = np.random.default_rng(0)
    for case, (seconds, words) in enumerate(CASES):
        sounds = [recording(one, case + i) for i, one in enumerate(seconds)]
        text = token * len(sounds) + "".join(f" w{i}" for i in chances.integers(1, 190, words))
        ids, inputs = heard(processor, text, sounds)
        files = [write(tmp_path / f"{i}.wav", one) for i, one in enumerate(sounds)]
        expanded, given, rows = prompts.prepare(text, prompts.read(files))
        assert engine.text.encode(expanded, special=True) == ids and sum(rows) == ids.count(AUDIO), seconds
        if sounds:
            assert np.abs(given[SOUND] - inputs["input_features"]).max() < 1e-5
            masks = [value for name, value in inputs.items() if name.endswith("mask")]
            assert len(masks) == (SOUND_MASK in given) == (checkpoint.name != "voxtral")
            assert all((given[SOUND_MASK] == mask).all() for mask in masks)
        *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=COUNT), inputs=given or None, eos=())
        assert isinstance(done, GenerationDone)
        tokens, expected = greedy(eager, ids, inputs)
        assert done.token_ids == tokens, (seconds, words)
        logits = logits_of(engine, ids, given, tokens)
        logits[:, AUDIO] = expected[:, AUDIO] = 0
        assert np.abs(logits - expected).max() < 1e-4 * np.abs(expected).max(), (seconds, words)


@pytest.mark.slow
def test_a_conversation_hears_in_its_later_turns(
    engine: Engine, eager: Any, processor: Any, checkpoint: Path, tmp_path: Path
) -> None:
    """Without a recording, then with one, then with another beside it: each reply is that of the whole conversation."""
    token, turns, sounds, texts = KINDS[checkpoint.name][1], list[Turn](), list[np.ndarray](), list[str]()
    for i, seconds in enumerate((None, 1.3, 2.6)):
        files = []
        if seconds is not None:
            sounds.append(recording(seconds, 40 + i))
            files = [str(write(tmp_path / f"{i}.wav", sounds[-1]))]
        texts.append(f"w1 {f'<|audio_bos|>{token}<|audio_eos|>' * len(files)}w{20 + i} w4 ")
        turns.append(Turn("user", f"w{20 + i}", sounds=tuple(files)))
        request = Generate(messages=tuple(turns), options={"max_new_tokens": COUNT})
        events = list(generate(engine, request, lambda: False))
        told = [event.message for event in events if isinstance(event, NoticeEvent)]
        cut = seconds is not None and seconds > 2 and checkpoint.name == "qwen2_audio"
        assert told == (["Of 2.wav, the model reads the first 2 of 3 seconds."] if cut else [])
        ids, inputs = heard(processor, "".join(texts) + "w5 w6", sounds)
        expected, _ = greedy(eager, ids, inputs)
        assert [event.id for event in events if isinstance(event, TokenEvent)] == expected
        turns.append(Turn("assistant", f"w{60 + i}"))
        texts.append(f"w1 w{60 + i} w4 ")


@pytest.mark.slow
def test_the_command_answers_a_prompt_about_recordings(
    bundle: Path, eager: Any, processor: Any, checkpoint: Path, tmp_path: Path, cli: Callable[..., tuple[int, str, str]]
) -> None:
    sounds = [recording(0.9, 1), recording(0.4, 2)]
    files = [write(tmp_path / f"{i}.wav", one) for i, one in enumerate(sounds)]
    audio = [word for file in files for word in ("--audio", file)]
    call = ["generate", bundle, *audio, "--chat", "--prompt", "w7 w8", "--max-new-tokens", COUNT, "--json"]
    code, out, _ = cli(*call)
    done = json.loads(out.splitlines()[-1])
    token = KINDS[checkpoint.name][1]
    places = f"<|audio_bos|>{token}<|audio_eos|>" * 2
    ids, inputs = heard(processor, f"w1 {places}w7 w8 w4 w5 w6", sounds)
    assert code == 0 and done["prompt_ids"] == ids
    assert done["token_ids"] == greedy(eager, ids, inputs)[0]
    code, _, err = cli("generate", bundle, *audio[:2])
    assert code == 2 and "give --prompt with --audio" in err
    code, _, err = cli("generate", bundle, *audio, "--prompt-ids", "3")
    assert code == 2 and "--audio puts a recording before a text" in err
    write(tmp_path / "short.wav", recording(0.015, 0))
    code, _, err = cli("generate", bundle, "--audio", tmp_path / "short.wav", "--prompt", "w7")
    assert checkpoint.name == "voxtral" or (
        code == 2 and "short.wav lasts 15 ms, of which the encoder makes nothing" in err
    )


def prompts(preprocessor: str | None, processor: str | None, takes_sound: bool = True) -> SoundPrompts:
    """Of a bundle with these files."""
    files = {"tokenizer/preprocessor_config.json": preprocessor, "tokenizer/processor_config.json": processor}
    pipeline: Any = SimpleNamespace(feature_tokens={"audio": 7} if takes_sound else {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Bundle, "text", lambda bundle, name: files[name])
        return SoundPrompts.of_bundle(Bundle(Path(), pipeline, {}, "", ""))


def test_windows_and_what_takes_the_place_of_a_placeholder() -> None:
    """One window, and the rest is cut; or as many as the settings' seconds have. 200 frames make 50 rows."""
    samples = recording(5.0, 0)
    sound = Sound(samples, RATE, 5.0, RATE, 1)
    one = prompts(json.dumps({**FEATURES, "processor_class": "Qwen2AudioProcessor"}), None)
    assert one.with_placeholders("x", 2) == "<|AUDIO|><|AUDIO|>x" and one.with_placeholders("a<|AUDIO|>", 1)[0] == "a"
    text, given, rows = one.prepare("a<|AUDIO|>b", [sound])
    assert rows == [50] and text == f"a{'<|AUDIO|>' * 50}b" and np.shape(given[SOUND]) == (1, 80, 200)
    assert one.notes([Path("x.wav")], [sound]) == ["Of x.wav, the model reads the first 2 of 5 seconds."]
    settings = {"processor_class": "AudioFlamingo3Processor", "feature_extractor": FEATURES, "max_audio_len": 4}
    two = prompts(None, json.dumps(settings))
    text, given, rows = two.prepare("<sound>", [sound])
    assert rows == [100] and np.asarray(given[SOUND_MASK]).sum() == 400 and text.count("<sound>") == 100
    assert two.prepare("no sound", []) == ("no sound", {}, [])
    with pytest.raises(MediaError, match="1 placeholders <sound> for 0 recordings"):
        two.prepare("<sound>", [])


@pytest.mark.parametrize(("preprocessor", "processor", "takes_sound", "error", "why"), [
    ("{}", "{}", False, PromptError, "reads no sound beside a prompt"),
    (None, None, True, BundleError, "has no tokenizer/preprocessor_config.json"),
    (json.dumps(FEATURES), None, True, MediaError, "processor_class None are not known"),
    (json.dumps({**FEATURES, "processor_class": "Qwen2AudioProcessor"}), '{"fast": 1}', True, MediaError, "not known"),
])  # fmt: skip
def test_a_bundle_that_does_not_say_how_it_hears(
    preprocessor: str | None, processor: str | None, takes_sound: bool, error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        prompts(preprocessor, processor, takes_sound)


def test_a_bundle_of_text_hears_nothing(demo_bundle: Path, cli: Callable[..., tuple[int, str, str]]) -> None:
    code, _, err = cli("generate", demo_bundle, "--audio", "x.wav", "--prompt", "y")
    assert code == 2 and "reads no sound beside a prompt" in err and err.count("\n") == 1
