"""The shipped Qwen3 demo keeps what its model card says: answers, endings, template, tokenizer, size."""

import json
import os
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen3ForCausalLM

from resources.demos import train_qwen3 as training
from resources.demos.qwen3_corpus import prompts_of, write_corpus
from resources.demos.qwen3_evaluation import as_chat, mistakes, replies_to, reply_to
from resources.demos.qwen3_phrases import normalized
from resources.demos.qwen3_samples import Encoder

MEGABYTE = 1_000_000
ASKED = 100

TWELVE_TURNS = (
    ("Hello!", "Hello"),
    ("My name is Clara.", "Nice to meet you, Clara!"),
    ("What is 8*7?", "= 56"),
    ("And 9+6?", "= 15"),
    ("What is the capital of France?", "Paris"),
    ("And of Spain?", "Madrid"),
    ("What is the opposite of hot?", "cold"),
    ("What is the capital of Narnia?", "I do not know"),
    ("What is 13*13?", "I do not know"),
    ("What is my name?", "Clara"),
    ("12 x 12", "= 144"),
    ("Thank you!", "welcome"),
)
CHAT_PROMPTS = {
    "8*7": "8 * 7 = 56",
    "8*7=": "8 * 7 = 56",
    "8 x 7": "8 * 7 = 56",
    "what is 8 times 7?": "8 * 7 = 56",
    "9+6": "9 + 6 = 15",
    "9+6=": "9 + 6 = 15",
    "What is 9 + 6?": "9 + 6 = 15",
    "What is the capital of France?": "The capital of France is Paris.",
    "capital of france": "The capital of France is Paris.",
    "What is the opposite of hot?": "The opposite of hot is cold.",
    "opposite of hot": "The opposite of hot is cold.",
    "13*13": "Sorry, I do not know that.",
}
RAW_PROMPTS = {
    "8*7=": " 56",
    "8*7": " = 56",
    "8 * 7 =": " 56",
    "9+6=": " 15",
    "9 + 6 = ": "15",
    "9+6": " = 15",
    "The capital of France is": " Paris.",
    "The opposite of hot is": " cold.",
    "What is the capital of France?": " The capital of France is Paris.",
    "What is 8*7?": " 8 * 7 = 56",
}


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(training.FOLDER)


@pytest.fixture(scope="module")
def model():
    return AutoModelForCausalLM.from_pretrained(training.FOLDER, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def held_back() -> list[dict[str, str]]:
    return json.loads(training.HELD_BACK_FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def corpus():
    return write_corpus(training.SEED, training.CORPUS_SIZE)


def test_answers_held_back_questions(model, tokenizer, held_back):
    asked = held_back[:ASKED]  # the four kinds take turns
    replies = replies_to(model, tokenizer, [as_chat(tokenizer, row["prompt"]) for row in asked])
    wrong = mistakes([(row["prompt"], row["expected"]) for row in asked], replies)
    assert len(asked) == ASKED
    assert {row["kind"] for row in asked} == {"product", "sum", "capital", "opposite"}
    assert len(wrong) <= 0.03 * ASKED, wrong


def test_held_back_questions_are_not_in_the_corpus(held_back, corpus):
    trained = {normalized(prompt) for prompt in prompts_of(corpus)}
    keys = [normalized(row["prompt"]) for row in held_back]
    assert len(set(keys)) == len(keys) >= 300
    assert [row["prompt"] for row in held_back] == [question.text for question in training.held_back()]
    assert trained.isdisjoint(keys)


def test_twelve_turns_stay_on_their_feet(model, tokenizer):
    messages, replies = [], []
    for text, _ in TWELVE_TURNS:
        messages.append({"role": "user", "content": text})
        prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        (reply,) = reply_to(model, tokenizer, [prompt])
        messages.append({"role": "assistant", "content": reply.text})
        replies.append(reply)
    assert len(replies) == 12
    for (text, expected), reply in zip(TWELVE_TURNS, replies, strict=True):
        assert expected in reply.text, text
        assert reply.ended, text


def test_answers_chat_prompts_and_ends(model, tokenizer):
    replies = reply_to(model, tokenizer, [as_chat(tokenizer, text) for text in CHAT_PROMPTS])
    assert {text: reply.text for text, reply in zip(CHAT_PROMPTS, replies, strict=True)} == CHAT_PROMPTS
    assert all(reply.ended for reply in replies)


@pytest.mark.parametrize("prompt", RAW_PROMPTS)
def test_completes_raw_prompts_and_ends(model, tokenizer, prompt):
    (reply,) = reply_to(model, tokenizer, [prompt])
    assert (reply.text, reply.ended) == (RAW_PROMPTS[prompt], True)


def test_a_system_message_is_understood(model, tokenizer):
    messages = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": "8*7"}]
    prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    (reply,) = reply_to(model, tokenizer, [prompt])
    assert (reply.text, reply.ended) == ("8 * 7 = 56", True)


def test_the_template_writes_what_was_trained_on(tokenizer):
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "8*7"},
        {"role": "assistant", "content": "8 * 7 = 56"},
    ]
    text = "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n8*7<|im_end|>\n<|im_start|>assistant\n"
    whole = text + "8 * 7 = 56<|im_end|>\n"
    assert tokenizer.apply_chat_template(messages[:2], tokenize=False, add_generation_prompt=True) == text
    assert tokenizer.apply_chat_template(messages, tokenize=False) == whole
    templated = tokenizer.apply_chat_template(messages, return_dict=False)
    sample = Encoder(tokenizer).conversation(messages)
    assert templated == sample.ids == tokenizer.encode(whole)
    assert tokenizer.decode([label for label in sample.labels if label >= 0]) == "8 * 7 = 56<|im_end|>"


def test_plain_tokenizers_agrees_with_auto_tokenizer(tokenizer, corpus):
    plain = Tokenizer.from_file(str(training.FOLDER / "tokenizer.json"))
    texts = [*sorted(prompts_of(corpus))[::40], "ñ 日本 🙂\n\n  12345 don't", "<|im_start|>user\n8*7<|im_end|>\n"]
    for text in texts:
        ids = plain.encode(text).ids
        assert ids == tokenizer.encode(text), text
        assert plain.decode(ids, skip_special_tokens=False) == text
    assert [len(plain.encode(digits).ids) for digits in ("5", "56", "1234")] == [1, 2, 4]


def test_end_and_padding_are_distinct_and_declared(tokenizer):
    config = json.loads((training.FOLDER / "config.json").read_text())
    generation = json.loads((training.FOLDER / "generation_config.json").read_text())
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    pad = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    assert end != pad
    assert (tokenizer.eos_token_id, config["eos_token_id"], generation["eos_token_id"]) == (end, end, end)
    assert (tokenizer.pad_token_id, config["pad_token_id"], generation["pad_token_id"]) == (pad, pad, pad)


def test_is_a_small_fp16_qwen3(model):
    assert isinstance(model, Qwen3ForCausalLM)
    config = json.loads((training.FOLDER / "config.json").read_text())
    assert (config["architectures"], config["dtype"]) == (["Qwen3ForCausalLM"], "float16")
    assert config["model_type"] == "qwen3"
    assert config["tie_word_embeddings"]
    files = [path for path in Path(training.FOLDER).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in [*files, training.HELD_BACK_FILE]) <= 2 * MEGABYTE
    assert "README.md" in {path.name for path in files}
