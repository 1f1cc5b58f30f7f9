"""Whisper tiny.en: what transformers writes of the same sounds, token for token."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.real import checkpoints
from workflows.adapters.transformers import JoineryModel, pipeline
from workflows.media import read_sound

CLIPS = Path(__file__).parents[2] / "resources" / "demos" / "whisper-clips"


def test_a_transcript(fetched: Callable[..., Path], built: Callable[..., Path]) -> None:
    import transformers

    folder = fetched(checkpoints.whisper)
    model = transformers.WhisperForConditionalGeneration.from_pretrained(folder).float().eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    extractor = transformers.AutoFeatureExtractor.from_pretrained(folder)
    task = "automatic-speech-recognition"
    theirs = transformers.pipeline(task, model=model, tokenizer=tokenizer, feature_extractor=extractor, device="cpu")
    ours = pipeline(task, JoineryModel.from_bundle(built(folder, precision="fp32")))
    samples = read_sound(CLIPS / "en-long.wav", 16_000).samples
    for options in ({}, {"return_timestamps": True}):
        given = {"generate_kwargs": {"num_beams": 1}, **options}
        said = theirs(samples.copy(), **given)
        assert ours(samples.copy(), **given) == said and len(said["text"].split()) > 3
