"""Train the Qwen3 demo checkpoint: `python -m resources.demos.train_qwen3` from the root of the checkout.

corpus (qwen3_corpus) → tokenizer → samples with a loss mask → batches by length → AdamW → fp16 checkpoint →
reload → held-back questions. Seeded; nothing is downloaded.
"""

import argparse
import json
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Tokenizer, models, trainers
from transformers import AutoTokenizer, GenerationConfig, Qwen2Tokenizer, Qwen3Config, Qwen3ForCausalLM

from resources.demos.qwen3_corpus import Corpus, Message, prompts_of, write_corpus
from resources.demos.qwen3_phrases import Question, held_back_questions, normalized

FOLDER = Path(__file__).parent / "qwen3"
HELD_BACK_FILE = Path(__file__).parent / "qwen3_heldback.json"
SEED = 7
CORPUS_SIZE = 20_000
HELD_BACK_COUNT = 600
VOCAB_SIZE = 640
STEPS = 1_800
BATCH_TOKENS = 2_600
PEAK_RATE = 3e-3
CROP_SHARE = 0.25
PAD, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
IGNORED = -100
CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


class Sample(NamedTuple):
    """Token ids and, of the same length, the labels: the id where it is part of an answer, else `IGNORED`."""

    ids: list[int]
    labels: list[int]


def train_tokenizer(corpus: Corpus) -> Qwen2Tokenizer:
    """A byte-level BPE that cuts text as Qwen does (digits one by one), with a chat template.

    Transformers rebuilds a Qwen tokenizer from vocabulary and merges alone, so everything else has to be Qwen's own
    or `AutoTokenizer` and plain `tokenizers` would disagree.
    """
    backend = Tokenizer(models.BPE())
    pattern = Qwen2Tokenizer().backend_tokenizer
    backend.normalizer, backend.pre_tokenizer = pattern.normalizer, pattern.pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=[PAD, START, END],
        initial_alphabet=sorted(byte_alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator(corpus_texts(corpus), trainer)
    model = json.loads(backend.to_str())["model"]
    tokenizer = Qwen2Tokenizer(
        vocab=model["vocab"],
        merges=[tuple(merge) for merge in model["merges"]],
        unk_token=None,
        eos_token=END,
        pad_token=PAD,
        extra_special_tokens=[START],
        model_max_length=4096,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def byte_alphabet() -> list[str]:
    """The 256 characters that stand for bytes."""
    from tokenizers.pre_tokenizers import ByteLevel

    return ByteLevel.alphabet()


def corpus_texts(corpus: Corpus) -> Iterator[str]:
    """Every text of the corpus, without special tokens."""
    for messages in corpus.conversations:
        for message in messages:
            yield f"{message['role']}\n"
            yield message["content"]
    for sample in corpus.completions:
        yield sample.prompt + sample.completion


class Encoder:
    """Turns samples of the corpus into ids and labels; remembers texts that it has met."""

    def __init__(self, tokenizer: Qwen2Tokenizer):
        self.tokenizer = tokenizer
        self.known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """The ids of `text`, which may hold special tokens."""
        if text not in self.known:
            self.known[text] = self.tokenizer.encode(text, add_special_tokens=False)
        return self.known[text]

    def conversation(self, messages: list[Message]) -> Sample:
        """Ids as the chat template gives them; labels on the assistant's words and their end token."""
        ids: list[int] = []
        labels: list[int] = []
        for message in messages:
            head, body = self.ids(f"{START}{message['role']}\n"), self.ids(message["content"] + END)
            tail = self.ids("\n")
            ids += head + body + tail
            learned = body if message["role"] == "assistant" else [IGNORED] * len(body)
            labels += [IGNORED] * len(head) + learned + [IGNORED] * len(tail)
        return Sample(ids, labels)

    def completion(self, prompt: str, completion: str) -> Sample:
        """A raw prompt, then the completion and the end token, which alone have labels."""
        before, after = self.ids(prompt), self.ids(completion + END)
        return Sample(before + after, [IGNORED] * len(before) + after)


def encode_corpus(corpus: Corpus, tokenizer: Qwen2Tokenizer) -> list[Sample]:
    """All samples; some long chats without names start in the middle, as a sliding window shows them."""
    encoder = Encoder(tokenizer)
    rng = Random(SEED + 1)
    samples = [encoder.completion(*sample) for sample in corpus.completions]
    for messages in corpus.conversations:
        sample = encoder.conversation(messages)
        assert_template_agrees(tokenizer, messages, sample, rng)
        if len(messages) > 7 and "name" not in str(messages) and rng.random() < CROP_SHARE:
            start = rng.randrange(len(sample.ids) * 2 // 3)
            sample = Sample(sample.ids[start:], sample.labels[start:])
        samples.append(sample)
    return samples


def assert_template_agrees(tokenizer: Qwen2Tokenizer, messages: list[Message], sample: Sample, rng: Random) -> None:
    """For one conversation in fifty: `apply_chat_template` gives the ids that are trained on."""
    if rng.random() < 0.02:
        templated = tokenizer.apply_chat_template(messages, return_dict=False)
        assert templated == sample.ids, f"the template disagrees with the training ids of {messages}"


def batches(samples: list[Sample], rng: Random) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless padded batches of about `BATCH_TOKENS`, of samples of like length: ids and labels, both [B, S]."""
    while True:
        order = sorted(range(len(samples)), key=lambda i: (len(samples[i].ids) // 8, rng.random()))
        groups: list[list[Sample]] = [[]]
        for i in order:
            longest = max([len(samples[i].ids), *(len(s.ids) for s in groups[-1])])
            if longest * (len(groups[-1]) + 1) > BATCH_TOKENS and groups[-1]:
                groups.append([])
            groups[-1].append(samples[i])
        rng.shuffle(groups)
        yield from map(padded, groups)


def padded(group: list[Sample]) -> tuple[torch.Tensor, torch.Tensor]:
    """Right-padded ids and labels; causal attention never looks at the padding, so it needs no mask."""
    length = max(len(sample.ids) for sample in group)
    ids = torch.zeros(len(group), length, dtype=torch.long)
    labels = torch.full((len(group), length), IGNORED)
    for row, sample in enumerate(group):
        ids[row, : len(sample.ids)] = torch.tensor(sample.ids)
        labels[row, : len(sample.labels)] = torch.tensor(sample.labels)
    return ids, labels


def new_model(tokenizer: Qwen2Tokenizer) -> Qwen3ForCausalLM:
    """A Qwen3 with 3 layers, 3 query heads and 1 key-value head, with random weights."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=96,
        intermediate_size=256,
        num_hidden_layers=3,
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=32,
        max_position_embeddings=4096,
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


def train(model: Qwen3ForCausalLM, samples: list[Sample], steps: int) -> None:
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


def answer_loss(model: Qwen3ForCausalLM, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross entropy over the labelled tokens; `ids` and `labels` are [B, S]."""
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state  # [B, S, D]
    targets = labels[:, 1:]
    learned = targets != IGNORED
    logits = model.lm_head(hidden[:, :-1][learned])  # [N, V]
    return torch.nn.functional.cross_entropy(logits, targets[learned])


def save(model: Qwen3ForCausalLM, tokenizer: Qwen2Tokenizer, folder: Path) -> None:
    """Write the fp16 checkpoint; the model card beside it is left as it is."""
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, do_sample=False
    )
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


class Reply(NamedTuple):
    """A greedy reply without its end token, whether it ended, and the least lead of a token over the second."""

    text: str
    ended: bool
    margin: float


@torch.inference_mode()
def reply_to(model: Qwen3ForCausalLM, tokenizer: Qwen2Tokenizer, prompts: list[str], length: int = 40) -> list[Reply]:
    """Greedy replies to templated or raw prompts, as one left-padded batch."""
    inputs = tokenizer(prompts, return_tensors="pt", padding=True, padding_side="left", add_special_tokens=False)
    output = model.generate(
        **inputs, do_sample=False, max_new_tokens=length, output_logits=True, return_dict_in_generate=True
    )
    new = output.sequences[:, inputs["input_ids"].shape[1] :]  # [B, N]
    best = torch.stack(output.logits, dim=1).topk(2, dim=-1).values  # [B, N, 2]
    leads = best[..., 0] - best[..., 1]
    return [_reply(tokenizer, row, lead) for row, lead in zip(new.tolist(), leads.tolist(), strict=True)]


def _reply(tokenizer: Qwen2Tokenizer, ids: list[int], leads: list[float]) -> Reply:
    ended = tokenizer.eos_token_id in ids
    count = ids.index(tokenizer.eos_token_id) if ended else len(ids)
    return Reply(tokenizer.decode(ids[:count]), ended, min(leads[: count + 1]))


def as_chat(tokenizer: Qwen2Tokenizer, text: str) -> str:
    """The templated prompt of a chat that begins with `text`."""
    return tokenizer.apply_chat_template([{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True)


def evaluate(folder: Path, questions: list[Question]) -> dict[str, float | list[str]]:
    """Ask the checkpoint in `folder` every question, in fp32: accuracy, margins, and what went wrong."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    replies: list[Reply] = []
    for at in range(0, len(questions), 100):
        replies += reply_to(model, tokenizer, [as_chat(tokenizer, q.text) for q in questions[at : at + 100]])
    wrong = [
        f"{question.text!r}: {reply.text!r}, not {question.answer!r}"
        for question, reply in zip(questions, replies, strict=True)
        if reply.text != question.answer or not reply.ended
    ]
    margins = [reply.margin for reply in replies]
    return {
        "accuracy": 1 - len(wrong) / len(questions),
        "margin_minimum": min(margins),
        "margin_median": median(margins),
        "wrong": wrong,
    }


def write_held_back(corpus: Corpus, path: Path) -> list[Question]:
    """The held-back questions, written to `path` after it is sure that none was trained on."""
    questions = list(held_back_questions(SEED + 3, HELD_BACK_COUNT))
    trained = {normalized(prompt) for prompt in prompts_of(corpus)}
    shared = [question.text for question in questions if normalized(question.text) in trained]
    assert not shared, f"held-back questions are in the corpus: {shared}"
    rows = [json.dumps({"kind": q.kind, "prompt": q.text, "expected": q.answer}, ensure_ascii=False) for q in questions]
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    return questions


def main() -> None:
    """Write the corpus, train, save and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the checkpoint folder to write")
    parser.add_argument("--held-back", type=Path, default=HELD_BACK_FILE, help="the held-back questions to write")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(2)
    torch.use_deterministic_algorithms(True)

    corpus = write_corpus(SEED, CORPUS_SIZE)
    questions = write_held_back(corpus, options.held_back)
    tokenizer = train_tokenizer(corpus)
    samples = encode_corpus(corpus, tokenizer)
    print(f"{len(samples)} samples, {sum(len(s.ids) for s in samples)} tokens, vocabulary {len(tokenizer)}")
    model = new_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    train(model, samples, options.steps)
    save(model, tokenizer, options.out)
    print(json.dumps(evaluate(options.out, questions), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
