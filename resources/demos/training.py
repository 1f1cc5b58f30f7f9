"""What the encoder-decoder demos share: batches by length, the training loop, greedy answers and their figures."""

import itertools
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import torch

from resources.demos.pairs import Pair, read_pairs, sources_in_common, write_pairs
from resources.demos.train_qwen3 import rate_at

IGNORED = -100
BATCH_TOKENS = 2_600


class Sample(NamedTuple):
    """Ids of a source and of its target, each with the end token."""

    source: list[int]
    target: list[int]


class Batch(NamedTuple):
    """Right-padded: source and mask [B,T], decoder_input and labels [B,S]."""

    source: torch.Tensor
    mask: torch.Tensor
    decoder_input: torch.Tensor
    labels: torch.Tensor


class Answer(NamedTuple):
    """A greedy answer without its end token, whether it ended, and the least lead of a token over the second."""

    text: str
    ended: bool
    margin: float


def deterministic(seed: int) -> None:
    """Seeds torch; one thread, because two stall each other on a busy machine."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def encode(pairs: Sequence[Pair], tokenizer: Any) -> list[Sample]:
    """The ids of every pair; the tokenizer itself adds the end token."""
    sources = tokenizer([pair.source for pair in pairs])["input_ids"]
    targets = tokenizer([pair.target for pair in pairs])["input_ids"]
    assert all(ids[-1] == tokenizer.eos_token_id for ids in itertools.chain(sources, targets))
    return [Sample(*ids) for ids in zip(sources, targets, strict=True)]


def batches(samples: Sequence[Sample], rng: Random, pad: int, start: int) -> Iterator[Batch]:
    """Endless batches of about `BATCH_TOKENS` source and target tokens, of samples of like length."""
    while True:
        order = sorted(samples, key=lambda s: (len(s.source) // 4, len(s.target) // 4, rng.random()))
        groups: list[list[Sample]] = [[]]
        longest = 0
        for sample in order:
            longest = max(longest, len(sample.source) + len(sample.target))
            if longest * (len(groups[-1]) + 1) > BATCH_TOKENS and groups[-1]:
                groups.append([])
                longest = len(sample.source) + len(sample.target)
            groups[-1].append(sample)
        rng.shuffle(groups)
        for group in groups:
            yield batch_of(group, pad, start)


def batch_of(group: Sequence[Sample], pad: int, start: int) -> Batch:
    """The decoder's input is the target, one to the right."""
    source = padded([s.source for s in group], pad)
    decoder_input = padded([[start, *s.target[:-1]] for s in group], pad)
    return Batch(source, source != pad, decoder_input, padded([s.target for s in group], IGNORED))


def padded(rows: Sequence[list[int]], filler: int) -> torch.Tensor:
    """[B, longest]."""
    length = max(map(len, rows))
    return torch.tensor([row + [filler] * (length - len(row)) for row in rows])


def train(model: Any, samples: Sequence[Sample], steps: int, seed: int, peak_rate: float = 3e-3) -> None:
    """Runs `steps` steps of AdamW on an encoder-decoder, in place."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak_rate, betas=(0.9, 0.98), weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, steps))
    endless = batches(samples, Random(seed), model.config.pad_token_id, model.config.decoder_start_token_id)
    started = time.monotonic()
    model.train()
    for step, batch in zip(range(1, steps + 1), endless, strict=False):
        logits = model(
            input_ids=batch.source, attention_mask=batch.mask, decoder_input_ids=batch.decoder_input, use_cache=False
        ).logits  # [B, S, V]
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}/{steps}  loss {loss.item():.4f}  {time.monotonic() - started:.0f} s", flush=True)
    model.eval()


@torch.inference_mode()
def answers(model: Any, tokenizer: Any, sources: Sequence[str], length: int = 48) -> list[Answer]:
    """Greedy answers, as one right-padded batch, without a cache."""
    config = model.config
    inputs = tokenizer(list(sources), return_tensors="pt", padding=True, padding_side="right")
    mask = inputs["attention_mask"].bool()
    encoded = model.get_encoder()(input_ids=inputs["input_ids"], attention_mask=mask)
    ids = torch.full((len(sources), 1), config.decoder_start_token_id)
    leads = torch.full((len(sources),), torch.inf)
    ended = torch.zeros(len(sources), dtype=torch.bool)
    for _ in range(length):
        logits = model(encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=ids, use_cache=False).logits[
            :, -1
        ]  # [B, V]
        best = logits.topk(2, dim=-1)
        lead = best.values[:, 0] - best.values[:, 1]
        leads = torch.where(ended, leads, torch.minimum(leads, lead))
        following = torch.where(ended, config.pad_token_id, best.indices[:, 0])
        ids = torch.cat([ids, following[:, None]], dim=1)
        ended |= following == config.eos_token_id
        if ended.all():
            break
    texts = tokenizer.batch_decode(ids[:, 1:], skip_special_tokens=True)
    return [Answer(*row) for row in zip(texts, ended.tolist(), leads.tolist(), strict=True)]


def evaluate(model: Any, tokenizer: Any, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Accuracy and margins by kind, and what went wrong."""
    order = sorted(pairs, key=lambda pair: len(pair.source))
    given: list[Answer] = []
    for at in range(0, len(order), 50):
        given += answers(model, tokenizer, [pair.source for pair in order[at : at + 50]])
    wrong, by_kind = [], {}
    for pair, answer in zip(order, given, strict=True):
        right = answer.ended and answer.text == pair.target
        by_kind.setdefault(pair.kind, []).append((right, answer.margin))
        if not right:
            wrong.append(f"{pair.source!r}: {answer.text!r}, not {pair.target!r}")
    figures = {
        kind: {
            "right": sum(right for right, _ in rows),
            "of": len(rows),
            "margin_minimum": round(min(margin for _, margin in rows), 2),
            "margin_median": round(median(margin for _, margin in rows), 2),
        }
        for kind, rows in sorted(by_kind.items())
    }
    return {"accuracy": 1 - len(wrong) / len(pairs), "kinds": figures, "wrong": wrong}


def write_held_back(trained: Sequence[Pair], held_back: Sequence[Pair], path: Path) -> list[Pair]:
    """`held_back`, written to `path` after it is sure that none was trained on."""
    shared = sources_in_common(trained, held_back)
    assert not shared, f"held-back sources are in the corpus: {shared}"
    write_pairs(held_back, path)
    return read_pairs(path)


def report(figures: dict[str, Any]) -> None:
    """Prints what the model card needs."""
    print(json.dumps(figures, indent=1, ensure_ascii=False))
