"""An encoder-decoder that was cut gives its own logits, past a chunk and in two steps, or it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.workflows.families.models import save_encoder_decoder, save_whisper
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.export.attention import patch_position_bias
from workflows.export.encoder_decoder import CrossCheck, EncoderModule, SoundEncoderModule, decoder_layers
from workflows.export.load import load_model


@pytest.fixture(params=["t5", "bart", "marian", "m2m_100", "whisper"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A loaded model of each kind of position: a learned bias, a table, sines, sines that count no padding (of so few
    tokens that a text of 70 would hold one); and one that reads a sound.
    """
    if request.param == "whisper":
        return load_model(open_checkpoint(str(save_whisper(tmp_path))), "automatic-speech-recognition")
    return load_model(open_checkpoint(str(save_encoder_decoder(request.param, tmp_path))), "translation")


def check_of(model: Any) -> CrossCheck:
    return CrossCheck.of_sound(model) if model.config.model_type == "whisper" else CrossCheck.of_text(model)


def checked(model: Any, check: CrossCheck, expected: torch.Tensor) -> None:
    encoder = (EncoderModule if check.mask is not None else SoundEncoderModule)(model)
    with torch.no_grad():
        rows = encoder(*check.encoder_inputs)
    cross = list(zip(rows[0::2], rows[1::2], strict=True))
    check.compare(model, encoder, decoder_layers(model, cross), expected)


def test_what_is_cut_whole_passes_and_what_is_not_is_refused(model: Any) -> None:
    """As it is; then with the encoder's last layer left out, which no shape tells."""
    check = check_of(model)
    expected = check.eager_logits(model)
    patch_position_bias(model)
    checked(model, check, expected)
    encoder = model.get_encoder()
    layers = encoder.block if hasattr(encoder, "block") else encoder.layers
    del layers[-1]
    with pytest.raises(RecipeError, match=r"logits differ from its own by .* connects the two"):
        checked(model, check, expected)


def test_a_decoder_without_its_bias_is_refused(tmp_path: Path) -> None:
    """T5's bias counts from the first slot in transformers: unless it asks for positions, a second step is wrong."""
    model = load_model(open_checkpoint(str(save_encoder_decoder("t5", tmp_path))), "translation")
    check = check_of(model)
    expected = check.eager_logits(model)
    patch_position_bias(model)
    bias = model.get_decoder().block[0].layer[0].SelfAttention.relative_attention_bias
    bias.weight.zero_()
    with pytest.raises(RecipeError, match="logits differ from its own"):
        checked(model, check, expected)
