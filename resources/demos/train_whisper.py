"""Train the Whisper demo checkpoint: `python -m resources.demos.train_whisper` from the root of the checkout.

spoken digits (whisper_speech) → log-mel features and tokens (whisper_samples) → AdamW → fp16 checkpoint → reload →
clips of held-back voices (whisper_evaluation). Seeded; nothing is downloaded. The voices are those of the program
espeak-ng, which has to be installed.
"""

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from transformers import (
    GenerationConfig,
    WhisperConfig,
    WhisperFeatureExtractor,
    WhisperForConditionalGeneration,
    WhisperTokenizer,
)

from resources.demos.train_qwen3 import rate_at
from resources.demos.training import IGNORED, deterministic, report
from resources.demos.whisper_evaluation import evaluate, held_back_banks, write_clips
from resources.demos.whisper_samples import (
    CLASSES,
    END,
    FRAMES,
    LONGEST,
    MELS,
    START,
    TASKS,
    Batch,
    Vocabulary,
    draw_batch,
    make_tokenizer,
)
from resources.demos.whisper_speech import DIGITS, SECONDS, VARIANTS, Bank, record_bank

FOLDER = Path(__file__).parent / "whisper"
CLIPS = Path(__file__).parent / "whisper-clips"
SEED = 7
TAKES = 4
STEPS = 1_800
BATCH = 32
PEAK_RATE = 2e-3


def new_model(tokenizer: WhisperTokenizer) -> WhisperForConditionalGeneration:
    """A Whisper with 3 + 2 layers and a window of two seconds, with random weights."""
    ids = tokenizer.get_vocab()
    config = WhisperConfig(
        vocab_size=len(tokenizer),
        num_mel_bins=MELS,
        d_model=128,
        encoder_layers=3,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=384,
        decoder_ffn_dim=384,
        max_source_positions=FRAMES,
        max_target_positions=LONGEST,
        bos_token_id=ids[END],
        eos_token_id=ids[END],
        pad_token_id=ids[END],
        decoder_start_token_id=ids[START],
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    return WhisperForConditionalGeneration(config)


def train(model: WhisperForConditionalGeneration, vocabulary: Vocabulary, banks: dict[str, Bank], steps: int) -> None:
    """Runs `steps` steps of AdamW on `model`, in place."""
    rng = np.random.default_rng(SEED + 1)
    listener = torch.nn.Linear(model.config.d_model, CLASSES)
    parameters = [*model.parameters(), *listener.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, steps))
    started = time.monotonic()
    model.train()
    for step in range(1, steps + 1):
        loss = batch_loss(model, listener, draw_batch(rng, banks, vocabulary, BATCH))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0:
            print(f"step {step}/{steps}  loss {loss.item():.4f}  {time.monotonic() - started:.0f} s", flush=True)
    model.eval()


def batch_loss(model: WhisperForConditionalGeneration, listener: torch.nn.Linear, batch: Batch) -> torch.Tensor:
    """Cross entropy of the tokens, and of what is spoken at each position of the encoder, which speeds learning up."""
    encoded = model.model.encoder(batch.features).last_hidden_state  # [B, FRAMES, D]
    logits = model(encoder_outputs=(encoded,), decoder_input_ids=batch.ids, use_cache=False).logits  # [B, S, V]
    tokens = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED)
    spoken = torch.nn.functional.cross_entropy(listener(encoded).flatten(0, 1), batch.spoken.flatten())
    return tokens + spoken


def save(model: WhisperForConditionalGeneration, tokenizer: WhisperTokenizer, folder: Path) -> None:
    """Write the fp16 checkpoint; the model card beside it is left as it is."""
    ids = tokenizer.get_vocab()
    model.generation_config = GenerationConfig(
        decoder_start_token_id=ids[START],
        bos_token_id=ids[END],
        eos_token_id=ids[END],
        pad_token_id=ids[END],
        is_multilingual=True,
        task="transcribe",  # also where the language is detected
        lang_to_id={f"<|{code}|>": ids[f"<|{code}|>"] for code in DIGITS},
        task_to_id={name.strip("<|>"): ids[name] for name in TASKS},
        no_timestamps_token_id=ids["<|notimestamps|>"],
        max_initial_timestamp_index=FRAMES,
        suppress_tokens=sorted(
            ids[name] for name in (START, *TASKS, "<|startoflm|>", "<|startofprev|>", "<|nospeech|>")
        ),
        begin_suppress_tokens=tokenizer.convert_tokens_to_ids(["Ġ"]),  # silence may end at once
        max_length=LONGEST,
        return_timestamps=False,
    )
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=MELS, chunk_length=SECONDS).save_pretrained(folder)


def main() -> None:
    """Let the voices speak, train, save, evaluate and write the clips."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the checkpoint folder to write")
    parser.add_argument("--clips", type=Path, default=CLIPS, help="the folder of held-back clips to write")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    deterministic(SEED)

    rng = np.random.default_rng(SEED)
    banks = {code: record_bank(rng, code, VARIANTS, TAKES) for code in DIGITS}
    print(f"{sum(len(takes) for bank in banks.values() for takes in bank)} utterances")
    tokenizer = make_tokenizer()
    model = new_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, vocabulary {len(tokenizer)}")
    train(model, Vocabulary(tokenizer), banks, options.steps)
    save(model, tokenizer, options.out)
    held_back = held_back_banks(SEED + 2)
    write_clips(options.clips, held_back, SEED + 3)
    report(evaluate(options.out, held_back, SEED + 4))


if __name__ == "__main__":
    main()
