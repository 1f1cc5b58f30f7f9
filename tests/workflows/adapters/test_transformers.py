"""Bundles in transformers' pipelines: the same texts as the eager models give in the same pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from workflows.adapters.transformers import JoineryModel, SourcePipeline, pipeline
from workflows.common.errors import RequestError

DEMOS = Path(__file__).parents[3] / "resources" / "demos"
GREETING = "translate English to French: Hello, how are you?"


@pytest.fixture(scope="module")
def t5(built: Built) -> JoineryModel:
    return JoineryModel.from_bundle(built("demo:t5"))


@pytest.fixture(scope="module")
def qwen3(demo_bundle: Path) -> JoineryModel:
    return JoineryModel.from_bundle(demo_bundle)


def eager(name: str, kind: str) -> tuple[Any, Any]:
    import transformers

    folder = DEMOS / name
    return (
        getattr(transformers, kind).from_pretrained(folder).eval(),
        transformers.AutoTokenizer.from_pretrained(folder),
    )


def test_translation_and_summarization(t5: JoineryModel) -> None:
    assert pipeline("translation", t5)(GREETING) == [{"translation_text": "Bonjour, comment êtes-vous ?"}]
    model, tokenizer = eager("t5", "T5ForConditionalGeneration")
    prompts = [GREETING, "summarize: The cat slept on the mat all day. It was tired."]
    for task in ("translation", "summarization", "text2text-generation"):
        reference = SourcePipeline(model=model, tokenizer=tokenizer, task=task, device=-1)
        assert pipeline(task, t5, tokenizer)(prompts) == reference(prompts)
    assert t5.__class__.__name__ == "T5ForConditionalGeneration"


def test_text_generation(qwen3: JoineryModel) -> None:
    import transformers

    model, tokenizer = eager("qwen3", "Qwen3ForCausalLM")
    ours = transformers.pipeline("text-generation", model=qwen3, tokenizer=tokenizer)
    theirs = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer, device="cpu")
    for options in ({"max_new_tokens": 24}, {"max_length": 12}):
        for prompt in ("8*7=", "12+30=", "The"):
            assert ours(prompt, do_sample=False, **options) == theirs(prompt, do_sample=False, **options)
    chat = [{"role": "user", "content": "Hello"}]
    assert ours(chat, do_sample=False, max_new_tokens=24) == theirs(chat, do_sample=False, max_new_tokens=24)


def test_beams(qwen3: JoineryModel) -> None:
    """Three, of which the best is taken, as transformers takes it."""
    import torch

    model, _ = eager("qwen3", "Qwen3ForCausalLM")
    for ids in ([[5, 6, 7]], [[20, 9]]):
        prompt = torch.tensor(ids)
        expected = model.generate(prompt, num_beams=3, do_sample=False, max_new_tokens=8)
        assert qwen3.generate(prompt, num_beams=3, do_sample=False, max_new_tokens=8).tolist() == expected.tolist()


def test_sampling_follows_torchs_seed_and_a_batch_is_padded(qwen3: JoineryModel) -> None:
    import torch

    ids = torch.tensor([[0, 5, 6], [5, 6, 7]])
    mask = torch.tensor([[0, 1, 1], [1, 1, 1]])
    drawn = []
    for _ in range(2):
        torch.manual_seed(3)
        drawn.append(qwen3.generate(ids, mask, do_sample=True, max_new_tokens=8, num_return_sequences=2))
    assert torch.equal(*drawn)
    assert drawn[0].shape[0] == 4
    assert torch.equal(drawn[0][:, :3], ids.repeat_interleave(2, 0))
    greedy = qwen3.generate(ids[1:], do_sample=False, max_new_tokens=8)
    ended = qwen3.generate(ids[1:], do_sample=False, max_new_tokens=8, eos_token_id=int(greedy[0, 3]))
    assert ended.tolist() == [greedy[0, :4].tolist()]


def test_what_the_engine_does_not_do(qwen3: JoineryModel) -> None:
    import torch

    with pytest.raises(RequestError, match=r"generate does not take penalty_alpha=0\.6 here: it takes bos_token_id"):
        qwen3.generate(torch.tensor([[5]]), penalty_alpha=0.6)
    with pytest.raises(RequestError, match="A beam search gives its best sequence alone"):
        qwen3.generate(torch.tensor([[5]]), num_beams=4, num_return_sequences=2)
    with pytest.raises(RequestError, match="does not read pixel_values: it reads text alone"):
        qwen3.generate(torch.tensor([[5]]), pixel_values=torch.zeros(1, 3, 8, 8))
    with pytest.raises(RequestError, match="The prompt is empty"):
        qwen3.generate(None)


@pytest.mark.slow
def test_transcripts(built: Built) -> None:
    """Of one window and of several; with times, in the language that is found, translated; of five beams and of one."""
    import transformers

    from workflows.media import read_sound

    task, folder = "automatic-speech-recognition", DEMOS / "whisper"
    model, tokenizer = eager("whisper", "WhisperForConditionalGeneration")
    extractor = transformers.AutoFeatureExtractor.from_pretrained(folder)
    theirs = transformers.pipeline(task, model=model.float(), tokenizer=tokenizer, feature_extractor=extractor)
    ours = pipeline(task, JoineryModel.from_bundle(built("demo:whisper")))
    one: dict[str, Any] = {"generate_kwargs": {"num_beams": 1}}
    translated = {"generate_kwargs": {"num_beams": 1, "task": "translate", "language": "de"}}
    judged = {"temperature": (0.0, 1e-4), "logprob_threshold": -0.01, "compression_ratio_threshold": 0.9}
    fallback = {"generate_kwargs": {"num_beams": 1, "no_speech_threshold": 0.9, **judged}, "return_timestamps": True}
    for name in ("en-nine-zero-nine", "de-drei-fuenf", "en-long"):
        samples = read_sound(DEMOS / "whisper-clips" / f"{name}.wav", 16_000).samples
        cases = [{"return_timestamps": True}, one | {"return_timestamps": True}, fallback]
        cases += [{}, one, translated, one | {"return_language": True}] if len(samples) <= 32_000 else []
        for case in cases:
            assert ours(samples.copy(), **case) == theirs(samples.copy(), **case), (name, case)
    with pytest.raises(RequestError, match="which this bundle does not give: build it with --set expose=alignment"):
        ours(samples.copy(), return_timestamps="word", **one)


@pytest.mark.slow
def test_the_times_of_words(built: Built) -> None:
    """Of one window and of several, with the same heads; beams have none."""
    import transformers

    from workflows.export.encoder_decoder import alignment_heads
    from workflows.media import read_sound

    task, folder = "automatic-speech-recognition", DEMOS / "whisper"
    model, tokenizer = eager("whisper", "WhisperForConditionalGeneration")
    model.set_attn_implementation("eager")
    model.generation_config.alignment_heads = [list(pair) for pair in alignment_heads(model)]
    extractor = transformers.AutoFeatureExtractor.from_pretrained(folder)
    theirs = transformers.pipeline(task, model=model.float(), tokenizer=tokenizer, feature_extractor=extractor)
    ours = pipeline(task, JoineryModel.from_bundle(built("demo:whisper", expose="alignment")))
    case: dict[str, Any] = {"return_timestamps": "word", "generate_kwargs": {"num_beams": 1}}
    for name in ("en-nine-zero-nine", "de-drei-fuenf", "en-long"):
        samples = read_sound(DEMOS / "whisper-clips" / f"{name}.wav", 16_000).samples
        spoken = ours(samples.copy(), **case)
        assert spoken == theirs(samples.copy(), **case) and len(spoken["chunks"]) > 1, name
    with pytest.raises(RequestError, match="without beams"):
        ours(samples.copy(), return_timestamps="word", generate_kwargs={"num_beams": 2})
    with pytest.raises(RequestError, match="set return_segments=True"):
        ours.model.generate(input_features=extractor(samples, return_tensors="pt", sampling_rate=16_000)
                            .input_features, return_token_timestamps=True, num_beams=1)  # fmt: skip


@pytest.mark.slow
def test_answers_about_pictures(built: Built) -> None:
    import json

    import torch
    import transformers
    from PIL import Image

    task, folder, pictures = "image-text-to-text", DEMOS / "vision", DEMOS / "vision-pictures"
    model, _ = eager("vision", "AutoModelForImageTextToText")
    processor = transformers.AutoProcessor.from_pretrained(folder)
    theirs = transformers.pipeline(task, model=model.float(), processor=processor)
    ours = pipeline(task, JoineryModel.from_bundle(built("demo:vision")))
    for row in json.loads((pictures / "pictures.json").read_text("utf-8")):
        content = [{"type": "image", "image": Image.open(pictures / row["file"])},
                   {"type": "text", "text": row["question"]}]  # fmt: skip
        chat = [{"role": "user", "content": content}]
        given = {"max_new_tokens": 8, "return_full_text": False}
        answered = ours(text=chat, **given)
        assert answered == theirs(text=chat, **given) and answered[0]["generated_text"].strip() == row["answer"]
    pixels = torch.zeros(2, 1, 3, 64, 64)
    with pytest.raises(RequestError, match="taken with one prompt at a time"):
        ours.model.generate(torch.tensor([[5], [6]]), pixel_values=pixels)
    with pytest.raises(RequestError, match="The pictures differ in size"):
        ours.model.generate(torch.tensor([[5]]), pixel_attention_mask=torch.zeros(1, 1, 64, 64))
    with pytest.raises(RequestError, match="does not read input_features: it reads pixel_values"):
        ours.model.generate(torch.tensor([[5]]), input_features=pixels)
