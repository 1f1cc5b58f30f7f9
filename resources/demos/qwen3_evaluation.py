"""Greedy replies of the Qwen3 demo, and how many of them are right, by how much."""

from pathlib import Path
from statistics import median
from typing import NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, Qwen2Tokenizer

from resources.demos.qwen3_corpus import Message, RawCompletion
from resources.demos.qwen3_phrases import Question
from resources.demos.qwen3_samples import IGNORED, Encoder


class Reply(NamedTuple):
    """A greedy reply without its end token, whether it ended, and the least lead of a token over the second."""

    text: str
    ended: bool
    margin: float


@torch.inference_mode()
def reply_to(model: PreTrainedModel, tokenizer: Qwen2Tokenizer, prompts: list[str], length: int = 40) -> list[Reply]:
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
    return tokenizer.apply_chat_template(
        [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True
    )


def evaluate(
    folder: Path, questions: list[Question], completions: list[RawCompletion], chats: list[list[Message]]
) -> dict[str, float | list[str]]:
    """Ask the checkpoint in `folder`, in fp32 and greedily, everything: shares that are right, margins, mistakes.

    Questions go through the chat template and completions do not. `chat_accuracy` is the share of right answers in
    `chats`, each after the chat's own earlier answers. Margins are those of the questions.
    """
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    asked = replies_to(model, tokenizer, [as_chat(tokenizer, question.text) for question in questions])
    continued = replies_to(model, tokenizer, [completion.prompt for completion in completions])
    wrong = mistakes([(q.text, q.answer) for q in questions], asked)
    wrong_raw = mistakes([tuple(completion) for completion in completions], continued)
    answers = [right for messages in chats for right in right_answers(model, tokenizer, messages)]
    margins = [reply.margin for reply in asked]
    return {
        "accuracy": 1 - len(wrong) / len(questions),
        "margin_minimum": min(margins),
        "margin_median": median(margins),
        "raw_accuracy": 1 - len(wrong_raw) / len(completions),
        "chat_accuracy": sum(answers) / len(answers),
        "wrong": wrong + wrong_raw,
    }


def replies_to(model: PreTrainedModel, tokenizer: Qwen2Tokenizer, prompts: list[str]) -> list[Reply]:
    """`reply_to`, a hundred prompts at a time."""
    groups = (prompts[at : at + 100] for at in range(0, len(prompts), 100))
    return [reply for group in groups for reply in reply_to(model, tokenizer, group)]


def mistakes(expected: list[tuple[str, str]], replies: list[Reply]) -> list[str]:
    """Replies that differ from the expected (prompt, answer) or do not end, in words."""
    return [
        f"{prompt!r}: {reply.text!r}, not {answer!r}"
        for (prompt, answer), reply in zip(expected, replies, strict=True)
        if reply.text != answer or not reply.ended
    ]


@torch.inference_mode()
def right_answers(model: PreTrainedModel, tokenizer: Qwen2Tokenizer, messages: list[Message]) -> list[bool]:
    """For each answer in a chat, whether each of its tokens is the most likely one after all that precedes it."""
    ids, labels = Encoder(tokenizer).conversation(messages)
    best = model(torch.tensor([ids])).logits[0].argmax(-1).tolist()  # [S]
    right: list[bool] = []
    for at in range(1, len(ids)):
        if labels[at] == IGNORED:
            continue
        hit = best[at - 1] == labels[at]
        if labels[at - 1] == IGNORED:
            right.append(hit)
        else:
            right[-1] = right[-1] and hit
    return right
