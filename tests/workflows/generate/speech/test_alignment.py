"""The times of words are those of transformers' own pipeline, and so are the steps towards them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from workflows.common.errors import RecipeError, RequestError
from workflows.export.encoder_decoder import alignment_heads
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.speech.alignment import AlignmentRows, token_times, warped_path
from workflows.generate.speech.settings import SpeechOptions
from workflows.generate.speech.transcriber import Transcriber
from workflows.wire.events import SegmentEvent

CLIPS = Path("resources/demos/whisper-clips")


def attention(heads: int, tokens: int, columns: int) -> Any:
    """Random weights [heads,tokens,columns] whose rows have the sum 1."""
    weights = np.random.default_rng(columns).random((heads, tokens, columns)).astype(np.float32)
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(("tokens", "columns"), [(1, 1), (1, 9), (7, 3), (20, 90), (9, 200)])
def test_the_path_is_that_of_transformers(tokens: int, columns: int) -> None:
    from transformers.models.whisper.generation_whisper import _dynamic_time_warping

    costs = np.random.default_rng(0).normal(size=(tokens, columns)).round(1)  # with ties
    expected, ours = _dynamic_time_warping(costs), warped_path(costs)
    assert [row.tolist() for row in ours] == [row.tolist() for row in expected]


@pytest.mark.parametrize(("tokens", "columns"), [(1, 30), (2, 2), (5, 3), (12, 100), (30, 700)])
def test_times_are_those_of_transformers(tokens: int, columns: int) -> None:
    """Of one token, of fewer columns than a median needs, and of many."""
    from types import SimpleNamespace

    import torch
    from transformers.models.whisper.generation_whisper import WhisperGenerationMixin

    weights = attention(3, tokens, columns)
    outputs = SimpleNamespace(
        cross_attentions=[[torch.from_numpy(weights[None])]], sequences=torch.zeros(1, tokens + 1), beams=None
    )
    model: Any = SimpleNamespace(config=SimpleNamespace(decoder_layers=1, median_filter_width=7))
    heads = [(0, head) for head in range(3)]
    named: Any = type("Outputs", (SimpleNamespace,), {"__contains__": lambda *_: False})(**vars(outputs))
    expected = WhisperGenerationMixin._extract_token_timestamps(model, named, heads, 0.02, num_input_ids=0)
    assert np.allclose(token_times(weights, 0.02), expected[0, :-1].numpy(), atol=1e-6)


def test_rows_are_kept_by_position() -> None:
    """A position that is read again has the newer row."""
    rows, weights = AlignmentRows(), attention(2, 5, 4)
    flat = weights.transpose(1, 0, 2).reshape(5, 8)
    rows.on_hidden_states(2, flat[:1] * 9)
    rows.on_hidden_states(0, flat[:3])
    rows.on_hidden_states(3, flat[3:])
    assert (rows.weights(1, 4, 4) == weights[:, 1:]).all()


def test_heads_are_the_checkpoints_or_those_of_the_later_layers() -> None:
    from types import SimpleNamespace

    def heads(**settings: Any) -> Any:
        config = SimpleNamespace(decoder_layers=3, decoder_attention_heads=2, median_filter_width=7)
        model: Any = SimpleNamespace(config=config, generation_config=SimpleNamespace(**settings))
        return alignment_heads(model)

    assert heads() == ((1, 0), (1, 1), (2, 0), (2, 1)) and heads(alignment_heads=[[2, 1], [0, 0]]) == ((2, 1), (0, 0))
    with pytest.raises(RecipeError, match="names alignment_heads that a model of 3 layers with 2 heads does not have"):
        heads(alignment_heads=[[3, 0]])


@pytest.mark.slow
def test_words_have_the_times_of_transformers_pipeline(built: Built) -> None:
    """Of clips shorter and longer than a window."""
    import soundfile
    from transformers import AutoTokenizer, WhisperFeatureExtractor, WhisperForConditionalGeneration, pipeline

    bundle, folder = built("demo:whisper", expose="alignment"), Path("resources/demos/whisper")
    model = WhisperForConditionalGeneration.from_pretrained(folder, attn_implementation="eager").eval()
    model.generation_config.alignment_heads = [list(pair) for pair in alignment_heads(model)]
    theirs = pipeline(
        "automatic-speech-recognition", model=model, tokenizer=AutoTokenizer.from_pretrained(folder),
        feature_extractor=WhisperFeatureExtractor.from_pretrained(folder),
    )  # fmt: skip
    with open_engine(bundle) as engine:
        transcriber = Transcriber(engine)
        for clip in sorted(CLIPS.glob("*.wav")):
            sound, frames = transcriber.listen_measured(clip)
            events = transcriber.transcribe(sound, GenerateOptions(), SpeechOptions(words=True), recorded_frames=frames)
            words = [word for event in events if isinstance(event, SegmentEvent) for word in event.words or ()]
            samples, rate = soundfile.read(clip, dtype="float32")
            given = {"raw": samples, "sampling_rate": rate}
            chunks = theirs(given, return_timestamps="word", generate_kwargs={"num_beams": 1})["chunks"]
            assert [(one.text, one.start_s, one.end_s) for one in words] == [
                (one["text"], *one["timestamp"]) for one in chunks
            ]
        with pytest.raises(RequestError, match="without beams"):
            list(transcriber.transcribe(sound, GenerateOptions(num_beams=2), SpeechOptions(words=True)))
