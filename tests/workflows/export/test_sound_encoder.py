"""A sound encoder as one graph computes the rows of the model's own, and a mistake in it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest
import torch

from tests.workflows.families.models import save_with_sound
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.export.decoder import causal_layers
from workflows.export.features import MergedEmbeddingsModule, check_features
from workflows.export.load import load_model
from workflows.export.sound_encoder import ATTENTION, Qwen2AudioModule, WholeWindowsModule, sound_module
from workflows.export.trace import trace


def test_frames_of_silence_are_masked_and_their_rows_cut(tmp_path: Path) -> None:
    """As the model's own; without the mask of the frames, or with the windows exchanged, the logits are others."""
    checkpoint = open_checkpoint(str(save_with_sound("qwen2_audio", tmp_path, audio_token_id=200)))
    model = load_model(checkpoint, "audio-text-to-text", attention=ATTENTION)
    layers, encoder, embeddings = causal_layers(model), sound_module(model), MergedEmbeddingsModule(model, 200)
    assert isinstance(encoder, Qwen2AudioModule) and encoder.example_rows() == (5, 2)
    reference = check_features(model, layers, encoder, embeddings)
    assert (reference.ids == 200).sum() == 7 and set(reference.given) == {"input_features", "input_features_mask"}

    class Exchanged(Qwen2AudioModule):
        def forward(self, input_features: torch.Tensor, input_features_mask: torch.Tensor) -> torch.Tensor:
            return super().forward(input_features, input_features_mask).flip(0)

    class Unmasked(Qwen2AudioModule):
        def forward(self, input_features: torch.Tensor, input_features_mask: torch.Tensor) -> torch.Tensor:
            whole = super().forward(input_features, torch.ones_like(input_features_mask))
            return torch.cat([whole[:5], whole[50:52]])[: int(input_features_mask.sum()) // 4]

    for wrong in (Exchanged, Unmasked):
        with pytest.raises(RecipeError, match=r"logits differ from its own by .* connects them"):
            check_features(model, layers, wrong(model), embeddings)


def test_whole_windows_have_rows_of_silence_too(tmp_path: Path) -> None:
    """As the model's own; with the windows exchanged, or one of them repeated, the logits are others."""
    checkpoint = open_checkpoint(str(save_with_sound("voxtral", tmp_path, audio_token_id=200)))
    model = load_model(checkpoint, "audio-text-to-text", attention=ATTENTION)
    layers, encoder, embeddings = causal_layers(model), sound_module(model), MergedEmbeddingsModule(model, 200)
    assert isinstance(encoder, WholeWindowsModule) and encoder.example_rows() == (25, 25)
    reference = check_features(model, layers, encoder, embeddings)
    assert (reference.ids == 200).sum() == 50 and set(reference.given) == {"input_features"}

    class Repeated(WholeWindowsModule):
        def forward(self, input_features: torch.Tensor) -> torch.Tensor:
            return super().forward(input_features[:1].repeat(len(input_features), 1, 1))

    with pytest.raises(RecipeError, match=r"logits differ from its own by .* connects them"):
        check_features(model, layers, Repeated(model), embeddings)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["qwen2_audio", "audioflamingo3"])
def test_the_graph_takes_any_number_of_windows(model_type: str, tmp_path: Path) -> None:
    """One window, three of other lengths, one of no row among them."""
    checkpoint = open_checkpoint(str(save_with_sound(model_type, tmp_path, audio_token_id=200)))
    model = load_model(checkpoint, "audio-text-to-text", attention=ATTENTION)
    encoder = sound_module(model)
    graph = ort.InferenceSession(ir.to_proto(trace(encoder, encoder.signature(), 21)).SerializeToString())
    for lengths, rows in (((200,), 50), ((3,), 1), ((77, 2, 199), 19 + 0 + 50)):
        sound = torch.randn(len(lengths), 80, 200, generator=torch.Generator().manual_seed(1))
        mask = (torch.arange(200)[None] < torch.tensor(lengths)[:, None]).long()
        with torch.no_grad():
            expected = encoder(sound, mask).numpy()
        (seen,) = graph.run(None, {"input_features": sound.numpy(), "input_features_mask": mask.numpy()})
        assert seen.shape == expected.shape == (rows, 64)
        assert np.abs(seen - expected).max() < 1e-5 * np.abs(expected).max()
