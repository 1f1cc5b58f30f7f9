"""Sound encoders of models that read text and sound: the rows that take the places of a prompt's recordings.

input_features [windows,mels,frames] · input_features_mask [windows,frames] ──▶ audio_features [rows,E]

A window has a fixed length, and as many rows as frames of sound: those of the silence behind a recording's end are cut.
Without a mask, they are not.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from transformers import PreTrainedModel

from workflows.common.tensor_names import SOUND, SOUND_FEATURES, SOUND_MASK
from workflows.export.attention import ATTENTION_NAME
from workflows.export.feature_encoder import FeatureEncoderModule
from workflows.export.signature import ExportSignature

ATTENTION = {"text_config": ATTENTION_NAME, "audio_config": "eager"}
"""transformers' attention by part: ours holds the decoder's cache, and the sound encoder has none."""
_PARTS = (10, 25)  # of a window that the two example recordings take: a part in 10, a part in 25


class SoundWindowsModule(FeatureEncoderModule):
    """A sound encoder that is called with the mask of its frames, and cuts its rows by it."""

    features = SOUND_FEATURES
    own_mask = SOUND_MASK  # the mask's name in the model's own forward

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        self.inner = model.model
        self.attend()

    @property
    def placeholder(self) -> int:
        return int(self._config.audio_token_id)

    @property
    def frames(self) -> int:
        """Of a window."""
        audio = self._config.audio_config
        return 2 * int(getattr(audio, "max_source_positions", None) or audio.max_position_embeddings)

    def attend(self) -> None:
        self.inner.audio_tower.set_attn_implementation("eager")

    def forward(self, input_features: torch.Tensor, input_features_mask: torch.Tensor) -> torch.Tensor:
        """[windows,mels,frames], [windows,frames] → [rows of all windows,E]"""
        rows: torch.Tensor = self.inner.get_audio_features(input_features, input_features_mask).pooler_output
        return rows

    def example(self) -> dict[str, torch.Tensor]:
        lengths = torch.tensor([[self.frames // part] for part in _PARTS])
        mask = (torch.arange(self.frames)[None] < lengths).long()
        mels = self._config.audio_config.num_mel_bins
        sound = torch.randn(2, mels, self.frames, generator=torch.Generator().manual_seed(0))
        return {SOUND: sound, SOUND_MASK: mask}

    def example_rows(self) -> tuple[int, int]:
        sound, mask = self.example().values()
        with torch.no_grad():
            first, both = len(self(sound[:1], mask[:1])), len(self(sound, mask))
        return first, both - first

    def signature(self) -> ExportSignature:
        signature = ExportSignature(outputs=[SOUND_FEATURES])
        for name, tensor in self.example().items():
            signature.add(name, tensor, {0: "windows"})
        return signature

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        example = self.example()
        return {SOUND: example[SOUND], self.own_mask: example[SOUND_MASK]}


class Qwen2AudioModule(SoundWindowsModule):
    """That of Qwen2-Audio, whose own functions make the mask and the cut within the whole model's forward."""

    own_mask = "feature_attention_mask"

    def forward(self, input_features: torch.Tensor, input_features_mask: torch.Tensor) -> torch.Tensor:
        """[windows,mels,frames], [windows,frames] → [rows of all windows,E]"""
        tower = self.inner.audio_tower
        heard, rows = tower._get_feat_extract_output_lengths(input_features_mask.sum(-1))
        silent = torch.arange(self.frames // 2)[None] >= heard[:, None]  # behind the second convolution
        mask = torch.where(silent, torch.finfo(torch.float32).min, 0.0)[:, None, None]
        hidden = self.inner.multi_modal_projector(tower(input_features, attention_mask=mask).last_hidden_state)
        kept: torch.Tensor = hidden[torch.arange(hidden.shape[1])[None] < rows[:, None]]
        return kept


class WholeWindowsModule(SoundWindowsModule):
    """That of Voxtral, which reads the silence behind a recording's end too: each window has as many rows."""

    def forward(self, input_features: torch.Tensor) -> torch.Tensor:  # type: ignore[override]  # no mask
        """[windows,mels,frames] → [rows of all windows,E]"""
        rows: torch.Tensor = self.inner.get_audio_features(input_features).pooler_output
        return rows

    def example(self) -> dict[str, torch.Tensor]:
        return {SOUND: super().example()[SOUND]}

    def example_rows(self) -> tuple[int, int]:
        with torch.no_grad():
            rows = len(self(self.example()[SOUND][:1]))
        return rows, rows

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        return self.example()


def sound_module(model: PreTrainedModel) -> SoundWindowsModule:
    """The sound encoder of a loaded model."""
    own = {"qwen2_audio": Qwen2AudioModule, "voxtral": WholeWindowsModule}
    return own.get(model.config.model_type, SoundWindowsModule)(model)
