"""Run by a Python that has optimum-onnx: tiny random models, their exports, and what eager Hugging Face makes of them.

python optimum_export.py FOLDER ──▶ FOLDER/<name>/: checkpoint/, onnx/, truth.npz (prompts, tokens, logits)
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from optimum.exporters.onnx import export, main_export
from optimum.exporters.onnx.model_configs import LlamaOnnxConfig
from optimum.onnx import merge_decoders
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    CLIPVisionConfig,
    DynamicCache,
    LlamaConfig,
    LlamaForCausalLM,
    LlavaConfig,
    LlavaForConditionalGeneration,
    T5Config,
    T5ForConditionalGeneration,
    WhisperConfig,
    WhisperForConditionalGeneration,
)

VOCABULARY, NEW = 256, 24
IMAGE, PIXELS, PLACES = 250, 4, 4  # a picture's token, its width, the rows of features that it makes
LENGTHS = (1, 7, 63, 64, 65, 100)
MELS, FRAMES = 8, 3000  # of half a minute of sound
Axes = dict[str, dict[int, str]]
IDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2, "decoder_start_token_id": 0}


def llama() -> LlamaForCausalLM:
    config = LlamaConfig(vocab_size=VOCABULARY, hidden_size=64, intermediate_size=96, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256,
                         pad_token_id=0, bos_token_id=2, eos_token_id=1)  # fmt: skip
    return LlamaForCausalLM(config)


def t5() -> T5ForConditionalGeneration:
    config = T5Config(vocab_size=VOCABULARY, d_model=64, d_kv=16, d_ff=96, num_layers=2, num_heads=4, **IDS)
    return T5ForConditionalGeneration(config)


def bart() -> BartForConditionalGeneration:
    config = BartConfig(vocab_size=VOCABULARY, d_model=64, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=96,
                        decoder_ffn_dim=96, encoder_attention_heads=4, decoder_attention_heads=4,
                        max_position_embeddings=256, forced_eos_token_id=None, **IDS)  # fmt: skip
    return BartForConditionalGeneration(config)


def llava() -> LlavaForConditionalGeneration:
    text = llama().config
    seen = CLIPVisionConfig(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2,
                            image_size=PIXELS, patch_size=2)  # fmt: skip
    config = LlavaConfig(text_config=text, vision_config=seen, image_token_index=IMAGE, image_seq_length=PLACES,
                         vision_feature_layer=-2)  # fmt: skip
    return LlavaForConditionalGeneration(config)


def whisper() -> WhisperForConditionalGeneration:
    config = WhisperConfig(vocab_size=VOCABULARY, d_model=64, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=96,
                           decoder_ffn_dim=96, encoder_attention_heads=4, decoder_attention_heads=4,
                           num_mel_bins=MELS, max_target_positions=256, suppress_tokens=[],
                           begin_suppress_tokens=[], **IDS)  # fmt: skip
    return WhisperForConditionalGeneration(config)


def randomize(model: torch.nn.Module) -> None:
    """Weights under which tokens depend on all that came before; the usual start gives nearly one token throughout."""
    torch.manual_seed(1)
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=1.8 * weight[0].numel() ** -0.5 if "embed" not in name else 1.0)
        else:
            torch.nn.init.normal_(weight, mean=1.0 if "norm" in name and "bias" not in name else 0.0, std=0.2)


def prompt_of(length: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(length).integers(3, IMAGE, length)]


@torch.no_grad()
def truth_of(model: torch.nn.Module, prompt: list[int], **more: torch.Tensor) -> tuple[list[int], np.ndarray]:
    """Greedy tokens and the logits of each [NEW, V], over the whole sequence anew each time, without any cache."""
    behind = model.config.is_encoder_decoder and "input_features" not in more
    source, ids, rows = torch.tensor([prompt]), [IDS["decoder_start_token_id"]] if behind else list(prompt), []
    for _ in range(NEW):
        given = torch.tensor([ids])
        if "input_features" in more:
            out = model(decoder_input_ids=given, **more)
        else:
            out = model(input_ids=source, decoder_input_ids=given) if behind else model(input_ids=given, **more)
        row = out.logits[0, -1].numpy().astype(np.float32)
        if "pixel_values" in more:
            row[IMAGE] = -1e9  # a reply shows no pictures
        rows.append(row)
        ids.append(int(row.argmax()))
    return ids[-NEW:], np.stack(rows)


def noise(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def write_truth(model: torch.nn.Module, path: Path) -> None:
    """For every length the prompt, what follows, and the logits; for a model that sees or hears, what is given."""
    found = {}
    for length in LENGTHS:
        prompt, more = prompt_of(length), {}
        if isinstance(model, LlavaForConditionalGeneration):
            prompt[length // 2 : length // 2] = [IMAGE] * PLACES
            more["pixel_values"] = noise(length, 1, 3, PIXELS, PIXELS)
        elif isinstance(model, WhisperForConditionalGeneration):
            prompt[0] = IDS["decoder_start_token_id"]
            more["input_features"] = noise(length, 1, MELS, FRAMES)
        found |= {f"{length}.{name}": tensor.numpy() for name, tensor in more.items()}
        tokens, logits = truth_of(model, prompt, **more)
        found |= {f"{length}.prompt": prompt, f"{length}.tokens": tokens, f"{length}.logits": logits}
    np.savez(path, **found)


# -- exports that the command line of this optimum no longer makes ----------------------------------------------------


def export_two(model: LlamaForCausalLM, folder: Path) -> None:
    """A decoder without past, one with past, and both merged, by optimum's own parts."""
    model.config.save_pretrained(folder)
    for name, past in (("decoder_model", False), ("decoder_with_past_model", True)):
        form = LlamaOnnxConfig(model.config, task="text-generation", use_past=True, use_past_in_inputs=past)
        export(model, form, folder / f"{name}.onnx")
    merge(folder, "model_merged.onnx")


def merge(folder: Path, name: str) -> None:
    halves = (folder / "decoder_model.onnx", folder / "decoder_with_past_model.onnx")
    merge_decoders(*halves, save_path=folder / name, strict=False)


class Vision(torch.nn.Module):
    def __init__(self, model: LlavaForConditionalGeneration) -> None:
        super().__init__()
        self.model = model

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        return torch.stack(tuple(self.model.get_image_features(pixel_values)))  # [pictures, places, D]


class Decoder(torch.nn.Module):
    def __init__(self, model: LlavaForConditionalGeneration) -> None:
        super().__init__()
        self.model, self.layers = model, model.config.text_config.num_hidden_layers

    def forward(self, embeds: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor, *past: torch.Tensor) -> object:
        pairs = tuple((past[2 * i], past[2 * i + 1]) for i in range(self.layers)) if past else ()
        cache = DynamicCache.from_legacy_cache(pairs)
        keys = torch.arange(mask.shape[1])
        seen = (keys[None] <= keys[-embeds.shape[1] :, None]) & (mask[0] > 0)  # made here: theirs cannot be traced
        mask = torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]
        out = self.model.language_model(
            inputs_embeds=embeds, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True
        )
        flat = [tensor for pair in cache.to_legacy_cache() for tensor in pair]
        return self.model.lm_head(out.last_hidden_state), *flat


def export_seeing(model: LlavaForConditionalGeneration, folder: Path) -> None:
    """vision_encoder, embed_tokens and decoder_model_merged, as models that see are put on the hub for the browser."""
    folder.mkdir()
    model.config.save_pretrained(folder)
    pixels, ids = torch.zeros((1, 3, PIXELS, PIXELS)), torch.zeros((1, 5), dtype=torch.int64)
    trace(Vision(model), (pixels,), folder / "vision_encoder.onnx", {"pixel_values": {0: "pictures"}},
          {"image_features": {0: "pictures"}})  # fmt: skip
    trace(model.get_input_embeddings(), (ids,), folder / "embed_tokens.onnx", {"input_ids": {0: "batch", 1: "length"}},
          {"inputs_embeds": {0: "batch", 1: "length"}})  # fmt: skip
    size = {0: "batch", 1: "length"}
    pasts = [f"{i}.{role}" for i in range(2) for role in ("key", "value")]
    for name, columns, before in (("decoder_model", 5, 0), ("decoder_with_past_model", 1, 4)):
        past = [torch.randn((1, 2, before, 16)) for _ in pasts] if before else []
        given = (torch.randn((1, columns, 64)), torch.ones((1, before + columns), dtype=torch.int64),
                 torch.arange(before, before + columns)[None], *past)  # fmt: skip
        takes = {"inputs_embeds": size, "attention_mask": {0: "batch", 1: "all"}, "position_ids": size}
        takes |= {f"past_key_values.{one}": {0: "batch", 2: "past"} for one in pasts} if before else {}
        gives = {"logits": size} | {f"present.{one}": {0: "batch", 2: "all"} for one in pasts}
        trace(Decoder(model), given, folder / f"{name}.onnx", takes, gives)
    merge(folder, "decoder_model_merged.onnx")


def trace(model: torch.nn.Module, given: tuple[torch.Tensor, ...], path: Path, takes: Axes, gives: Axes) -> None:
    torch.onnx.export(model.eval(), given, path, input_names=[*takes], output_names=[*gives],
                      dynamic_axes=takes | gives, dynamo=False, opset_version=18)  # fmt: skip


# name → the model, and what exports it: optimum's task, or what stands above
MODELS = {
    "llama": (llama, "text-generation-with-past"),
    "llama-merged": (llama, export_two),
    "t5": (t5, "text2text-generation-with-past"),
    "bart": (bart, "text2text-generation-with-past"),
    "llava": (llava, export_seeing),
    "whisper": (whisper, "automatic-speech-recognition-with-past"),
}


def main(folder: Path) -> None:
    for name, (make, how) in MODELS.items():
        model, own = make().eval(), folder / name
        randomize(model)
        model.save_pretrained(own / "checkpoint")
        write_truth(model, own / "truth.npz")
        if callable(how):
            how(model, own / "onnx")
        else:
            main_export(str(own / "checkpoint"), own / "onnx", task=how, do_validation=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
