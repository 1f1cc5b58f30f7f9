"""What the scripts share that train a model of another form on the corpus of the Qwen3 demo, with its tokenizer.

tokenizer of qwen3/ → corpus and samples → AdamW → fp16 checkpoint → reload → held-back questions
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from transformers import AutoTokenizer, PreTrainedModel, Qwen2Tokenizer

from resources.demos.qwen3_corpus import plain_statements, write_corpus
from resources.demos.qwen3_evaluation import evaluate
from resources.demos.qwen3_samples import encode_corpus
from resources.demos.train_qwen3 import (
    CORPUS_SIZE,
    FOLDER,
    SEED,
    STEPS,
    deterministic,
    fresh_chats,
    held_back,
    save,
    train,
)


def train_sibling(new_model: Callable[[Qwen2Tokenizer], PreTrainedModel], folder: Path, steps: int = STEPS) -> None:
    """Reads the command line, trains what `new_model` returns, saves and evaluates it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=folder, help="the checkpoint folder to write")
    parser.add_argument("--steps", type=int, default=steps)
    options = parser.parse_args()
    deterministic()

    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    samples = encode_corpus(write_corpus(SEED, CORPUS_SIZE), tokenizer, Random(SEED + 1))
    model = new_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    train(model, samples, options.steps)
    save(model, tokenizer, options.out)
    figures = evaluate(options.out, held_back(), plain_statements(), fresh_chats())
    print(json.dumps(figures, indent=1, ensure_ascii=False))
