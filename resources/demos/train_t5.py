"""Train the T5 demo checkpoint: `python -m resources.demos.train_t5` from the root of the checkout.

corpus (t5_corpus) → tokenizer → batches by length → AdamW → fp16 checkpoint → reload → held-back pairs (training).
Seeded; nothing is downloaded.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, GenerationConfig, PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

from resources.demos.pairs import Pair
from resources.demos.t5_corpus import SUMMARIZE, TRANSLATE, held_back, write_corpus
from resources.demos.training import deterministic, encode, evaluate, report, train, write_held_back

FOLDER = Path(__file__).parent / "t5"
HELD_BACK_FILE = Path(__file__).parent / "t5_heldback.json"
SEED = 7
SENTENCES, STORIES = 28_000, 9_000
HELD_BACK_SENTENCES, HELD_BACK_STORIES = 300, 150
STEPS = 4_000
VOCAB_SIZE = 900
MAX_LENGTH = 512
PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"


def train_tokenizer(pairs: Sequence[Pair]) -> PreTrainedTokenizerFast:
    """A BPE on words that start with `▁`; special ids, and the end token after each text, as T5 has them."""
    backend = Tokenizer(models.BPE(unk_token=UNKNOWN))
    backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits(individual_digits=True)]
    )
    backend.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=VOCAB_SIZE, special_tokens=[PAD, END, UNKNOWN], show_progress=False)
    backend.train_from_iterator((text for pair in pairs for text in (pair.source, pair.target)), trainer)
    backend.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", pair=f"$A {END} $B {END}", special_tokens=[(END, backend.token_to_id(END))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token=END,
        pad_token=PAD,
        unk_token=UNKNOWN,
        model_max_length=MAX_LENGTH,
        clean_up_tokenization_spaces=False,
    )


def new_model(tokenizer: PreTrainedTokenizerFast) -> T5ForConditionalGeneration:
    """A T5 (1.1 in its gated feed-forward, tied as the first T5) with 2 + 2 layers and random weights."""
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=96,
        d_kv=32,
        d_ff=192,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=3,
        feed_forward_proj="gated-gelu",
        dropout_rate=0.0,
        tie_word_embeddings=True,
        n_positions=MAX_LENGTH,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
        task_specific_params={
            "translation_en_to_fr": {"prefix": TRANSLATE, "max_length": 64},
            "summarization": {"prefix": SUMMARIZE, "max_length": 64},
        },
    )
    return T5ForConditionalGeneration(config)


def save(model: T5ForConditionalGeneration, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the fp16 checkpoint; the model card beside it is left as it is."""
    model.generation_config = GenerationConfig(
        decoder_start_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        max_new_tokens=64,
        do_sample=False,
    )
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def main() -> None:
    """Write the corpus, train, save and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the checkpoint folder to write")
    parser.add_argument("--held-back", type=Path, default=HELD_BACK_FILE, help="the held-back pairs to write")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    deterministic(SEED)

    pairs = corpus()
    questions = write_held_back(pairs, held_back(SEED + 3, HELD_BACK_SENTENCES, HELD_BACK_STORIES), options.held_back)
    tokenizer = train_tokenizer(pairs)
    samples = encode(pairs, tokenizer)
    tokens = sum(len(sample.source) + len(sample.target) for sample in samples)
    print(f"{len(samples)} samples, {tokens} tokens, vocabulary {len(tokenizer)}")
    model = new_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    train(model, samples, options.steps, SEED + 2)
    save(model, tokenizer, options.out)
    reloaded = T5ForConditionalGeneration.from_pretrained(options.out, dtype=torch.float32).eval()
    report(evaluate(reloaded, AutoTokenizer.from_pretrained(options.out), questions))


def corpus() -> list[Pair]:
    """All that the shipped checkpoint was trained on."""
    pairs = write_corpus(SEED, SENTENCES, STORIES)
    Random(SEED + 1).shuffle(pairs)
    return pairs


if __name__ == "__main__":
    main()
