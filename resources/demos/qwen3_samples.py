"""Tokenizer and training samples of the Qwen3 demo.

corpus → byte-level BPE with a chat template → ids and labels → padded batches of like length
"""

import json
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import Qwen2Tokenizer

from resources.demos.qwen3_corpus import Corpus, Message

VOCAB_SIZE = 1_024
MAX_LENGTH = 4096
BATCH_TOKENS = 2_600
CROP_SHARE = 0.4
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
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
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
        model_max_length=MAX_LENGTH,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


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


def encode_corpus(corpus: Corpus, tokenizer: Qwen2Tokenizer, rng: Random) -> list[Sample]:
    """All samples; some long chats without names start in the middle, as a sliding window shows them."""
    encoder = Encoder(tokenizer)
    samples = [encoder.completion(*sample) for sample in corpus.completions]
    for messages in corpus.conversations:
        sample = encoder.conversation(messages)
        assert_template_agrees(tokenizer, messages, sample, rng)
        recalls = any("your name" in message["content"].lower() for message in messages)
        if len(messages) > 7 and not recalls and rng.random() < CROP_SHARE:
            start = rng.randrange(len(sample.ids) * 2 // 3)
            sample = Sample(sample.ids[start:], sample.labels[start:])
        samples.append(Sample(sample.ids[:MAX_LENGTH], sample.labels[:MAX_LENGTH]))
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
