"""Train the Mu demo checkpoint: `python -m resources.demos.train_mu` from the root of the checkout.

corpus (mu_corpus) → tokenizer → batches by length → AdamW → fp16 checkpoint with its own code → reload → held-back
queries (training). Seeded; nothing is downloaded.
"""

import argparse
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForSeq2SeqLM, GenerationConfig, PreTrainedTokenizerFast

from resources.demos.mu.configuration_mu import MuConfig
from resources.demos.mu.modeling_mu import MuForConditionalGeneration
from resources.demos.mu_corpus import held_back, write_corpus
from resources.demos.pairs import Pair
from resources.demos.training import deterministic, encode, evaluate, report, train, write_held_back

FOLDER = Path(__file__).parent / "mu"
HELD_BACK_FILE = Path(__file__).parent / "mu_heldback.json"
CODE = ("configuration_mu.py", "modeling_mu.py")
SEED = 7
CORPUS_SIZE = 36_000
HELD_BACK_COUNT = 500
STEPS = 3_600
VOCAB_SIZE = 1_400
MAX_LENGTH = 512
PAD, END = "<pad>", "</s>"


def train_tokenizer(pairs: Sequence[Pair]) -> PreTrainedTokenizerFast:
    """A byte-level BPE that cuts digits and Chinese one by one and adds the end token after each text."""
    backend = Tokenizer(models.BPE())
    backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\d|\p{Han}| ?[\p{L}\p{M}]+| ?[^\s\p{L}\p{M}\d]"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=[PAD, END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator((text for pair in pairs for text in (pair.source, pair.target)), trainer)
    backend.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", pair=f"$A {END} $B {END}", special_tokens=[(END, backend.token_to_id(END))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token=END,
        pad_token=PAD,
        model_max_length=MAX_LENGTH,
        clean_up_tokenization_spaces=False,
    )


def new_model(tokenizer: PreTrainedTokenizerFast) -> MuForConditionalGeneration:
    """A Mu with 3 encoder layers, 1 decoder layer and random weights."""
    config = MuConfig(
        vocab_size=len(tokenizer),
        d_model=96,
        d_ff=256,
        n_encoder_layer=3,
        n_decoder_layer=1,
        n_head=3,
        n_kv_head=1,
        head_dim=32,
        n_positions=MAX_LENGTH,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    config.auto_map = {
        "AutoConfig": "configuration_mu.MuConfig",
        "AutoModelForSeq2SeqLM": "modeling_mu.MuForConditionalGeneration",
    }
    return MuForConditionalGeneration(config)


def save(model: MuForConditionalGeneration, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the fp16 checkpoint and its code; the model card beside it is left as it is."""
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    GenerationConfig(
        decoder_start_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        max_new_tokens=32,
        do_sample=False,
    ).save_pretrained(folder)
    if folder.resolve() != FOLDER.resolve():
        for name in CODE:
            shutil.copyfile(FOLDER / name, folder / name)


def corpus() -> list[Pair]:
    """All that the shipped checkpoint was trained on."""
    pairs = write_corpus(SEED, CORPUS_SIZE)
    Random(SEED + 1).shuffle(pairs)
    return pairs


def main() -> None:
    """Write the corpus, train, save and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the checkpoint folder to write")
    parser.add_argument("--held-back", type=Path, default=HELD_BACK_FILE, help="the held-back queries to write")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    deterministic(SEED)

    pairs = corpus()
    questions = write_held_back(pairs, held_back(SEED + 3, HELD_BACK_COUNT), options.held_back)
    tokenizer = train_tokenizer(pairs)
    samples = encode(pairs, tokenizer)
    tokens = sum(len(sample.source) + len(sample.target) for sample in samples)
    print(f"{len(samples)} samples, {tokens} tokens, vocabulary {len(tokenizer)}")
    model = new_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    train(model, samples, options.steps, SEED + 2)
    save(model, tokenizer, options.out)
    reloaded = AutoModelForSeq2SeqLM.from_pretrained(options.out, trust_remote_code=True, dtype=torch.float32).eval()
    report(evaluate(reloaded, PreTrainedTokenizerFast.from_pretrained(options.out), questions))


if __name__ == "__main__":
    main()
