"""Train the Qwen3 demo checkpoint: `python -m resources.demos.train_qwen3` from the root of the checkout.

corpus (qwen3_corpus) → tokenizer, samples with a loss mask, batches by length (qwen3_samples) → AdamW →
fp16 checkpoint → reload → held-back questions (qwen3_evaluation). Seeded; nothing is downloaded.
"""

import argparse
import itertools
import json
import math
import os
import time
from pathlib import Path
from random import Random

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from transformers import GenerationConfig, PreTrainedModel, Qwen2Tokenizer, Qwen3Config, Qwen3ForCausalLM

from resources.demos.qwen3_corpus import Corpus, Message, conversation, plain_statements, prompts_of, write_corpus
from resources.demos.qwen3_evaluation import evaluate
from resources.demos.qwen3_phrases import Question, held_back_questions, normalized
from resources.demos.qwen3_samples import IGNORED, MAX_LENGTH, Sample, batches, encode_corpus, train_tokenizer

FOLDER = Path(__file__).parent / "qwen3"
HELD_BACK_FILE = Path(__file__).parent / "qwen3_heldback.json"
SEED = 7
CORPUS_SIZE = 54_000
HELD_BACK_COUNT = 600
STEPS = 4_800
PEAK_RATE = 3e-3


def new_model(
    tokenizer: Qwen2Tokenizer, hidden: int = 96, intermediate: int = 256, layers: int = 3, heads: int = 3
) -> Qwen3ForCausalLM:
    """A Qwen3 with 1 key-value head, with random weights."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=1,
        head_dim=32,
        max_position_embeddings=MAX_LENGTH,
        rope_parameters={"rope_type": "default", "rope_theta": 1_000_000.0},
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3ForCausalLM(config)


def rate_at(step: int, steps: int) -> float:
    """The share of the peak rate: 5 % linear warm-up, then a cosine down to 2 %."""
    warm_up = steps * 0.05
    if step < warm_up:
        return (step + 1) / warm_up
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up)))


def train(model: PreTrainedModel, samples: list[Sample], steps: int) -> None:
    """Run `steps` steps of AdamW on `model`, in place, with the loss on the labels alone."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, steps))
    started = time.monotonic()
    model.train()
    for step, (ids, labels) in zip(range(1, steps + 1), batches(samples, Random(SEED + 2)), strict=False):
        loss = answer_loss(model, ids, labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}/{steps}  loss {loss.item():.4f}  {time.monotonic() - started:.0f} s", flush=True)
    model.eval()


def answer_loss(model: PreTrainedModel, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross entropy over the labelled tokens; `ids` and `labels` are [B, S]."""
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state  # [B, S, D]
    targets = labels[:, 1:]
    learned = targets != IGNORED
    logits = model.lm_head(hidden[:, :-1][learned])  # [N, V]
    return torch.nn.functional.cross_entropy(logits, targets[learned])


def save(model: PreTrainedModel, tokenizer: Qwen2Tokenizer, folder: Path) -> None:
    """Write the fp16 checkpoint; the model card beside it is left as it is."""
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, do_sample=False
    )
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def held_back() -> list[Question]:
    """The questions that are never trained on and are shipped beside the checkpoint."""
    return list(held_back_questions(SEED + 3, HELD_BACK_COUNT))


def write_held_back(corpus: Corpus, path: Path) -> list[Question]:
    """The held-back questions, written to `path` after it is sure that none was trained on."""
    questions = held_back()
    trained = {normalized(prompt) for prompt in prompts_of(corpus)}
    shared = [question.text for question in questions if normalized(question.text) in trained]
    assert not shared, f"held-back questions are in the corpus: {shared}"
    rows = [json.dumps({"kind": q.kind, "prompt": q.text, "expected": q.answer}, ensure_ascii=False) for q in questions]
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    return questions


def fresh_chats() -> list[list[Message]]:
    """100 chats of 12–30 turns that were not drawn for the corpus."""
    chats = (conversation(rng) for rng in itertools.repeat(Random(SEED + 4)))
    return list(itertools.islice((chat for chat in chats if 24 <= len(chat) <= 61), 100))


def deterministic() -> None:
    """Seeds torch; one thread, at 0.13 s a step on an idle core: two stall each other on a busy machine."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # nothing reads such memory, and filling takes a tenth


def main() -> None:
    """Write the corpus, train, save and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the checkpoint folder to write")
    parser.add_argument("--held-back", type=Path, default=HELD_BACK_FILE, help="the held-back questions to write")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    deterministic()

    corpus = write_corpus(SEED, CORPUS_SIZE)
    questions = write_held_back(corpus, options.held_back)
    tokenizer = train_tokenizer(corpus)
    samples = encode_corpus(corpus, tokenizer, Random(SEED + 1))
    print(f"{len(samples)} samples, {sum(len(s.ids) for s in samples)} tokens, vocabulary {len(tokenizer)}")
    model = new_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    train(model, samples, options.steps)
    save(model, tokenizer, options.out)
    print(json.dumps(evaluate(options.out, questions, plain_statements(), fresh_chats()), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
