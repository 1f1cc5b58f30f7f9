"""Train the vision demo checkpoint: `python -m resources.demos.train_vision` from the root of the checkout.

drawn pictures and questions (vision_pictures) → processor, token ids → AdamW → fp16 checkpoint → reload → fresh
pictures. Seeded; nothing is downloaded.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from PIL import Image
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    GenerationConfig,
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Idefics3ImageProcessorPil,
    Idefics3Processor,
    PreTrainedTokenizerFast,
)

from resources.demos.train_qwen3 import rate_at
from resources.demos.training import IGNORED, deterministic, report
from resources.demos.vision_pictures import CELLS, COLOURS, NUMBERS, QUESTIONS, SHAPES, SIZE, Drawing, answer, draw

FOLDER = Path(__file__).parent / "vision"
PICTURES = Path(__file__).parent / "vision-pictures"
SEED = 7
STEPS = 2_000
BATCH = 32
PEAK_RATE = 2e-3
PATCH, SCALE = 8, 2
IMAGE_TOKENS = (SIZE // PATCH // SCALE) ** 2
LONGEST = 256
PAD, IMAGE, FAKE, GLOBAL, END = (
    "<|endoftext|>", "<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>"
)  # fmt: skip
ASSISTANT = "Assistant:"
CHAT_TEMPLATE = """\
{%- for message in messages -%}
{{ message['role'] | capitalize }}:
{%- if message['content'] is string %} {{ message['content'] }}
{%- else -%}
{%- for part in message['content'] -%}
{%- if part['type'] == 'image' -%}<image>{%- else %} {{ part['text'] }}{%- endif -%}
{%- endfor -%}
{%- endif -%}
<end_of_utterance>{{ '\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}Assistant:{%- endif -%}
"""
EVALUATED = 400
SHIPPED = ["colour", "shape", "count", "all", "count", "all"]


class Sample(NamedTuple):
    """A picture, a question about it and the right answer."""

    drawing: Drawing
    question: str
    answer: str


class Batch(NamedTuple):
    """pixels [B, 1, 3, SIZE, SIZE], ids and labels [B, S], the labels those of the next token; cells [B, CELLS²]."""

    pixels: torch.Tensor
    ids: torch.Tensor
    labels: torch.Tensor
    cells: torch.Tensor


def make_processor() -> Idefics3Processor:
    """A byte-level BPE in which each word of questions and answers is one token, and pictures of 64 × 64."""
    texts = [text for questions in QUESTIONS.values() for text in questions]
    texts += [*COLOURS, *NUMBERS, *SHAPES, *(f"{shape}s" for shape in SHAPES)]
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        special_tokens=[PAD, IMAGE, FAKE, GLOBAL, END],
        show_progress=False,
    )
    backend.train_from_iterator([f" {text}" for text in texts] + ["User:", ASSISTANT], trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token=END,
        pad_token=PAD,
        extra_special_tokens=[IMAGE, FAKE, GLOBAL],
        model_max_length=LONGEST,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
    edge = {"longest_edge": SIZE}
    pictures = Idefics3ImageProcessorPil(size=edge, max_image_size=edge, do_image_splitting=False)
    return Idefics3Processor(pictures, tokenizer, image_seq_len=IMAGE_TOKENS, chat_template=CHAT_TEMPLATE)


def new_model(tokenizer: Any) -> Idefics3ForConditionalGeneration:
    """An Idefics3 with 3 + 3 layers, with random weights."""
    image, pad, end = tokenizer.convert_tokens_to_ids([IMAGE, PAD, END])
    text = {
        "model_type": "llama",
        "vocab_size": len(tokenizer),
        "hidden_size": 128,
        "intermediate_size": 256,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": LONGEST,
        "bos_token_id": None,
        "eos_token_id": end,
        "pad_token_id": pad,
        "tie_word_embeddings": True,
    }
    vision = {
        "hidden_size": 128,
        "intermediate_size": 256,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "image_size": SIZE,
        "patch_size": PATCH,
    }
    config = Idefics3Config(
        image_token_id=image,
        pad_token_id=pad,
        scale_factor=SCALE,
        text_config=text,
        vision_config=vision,
        tie_word_embeddings=True,
    )
    return Idefics3ForConditionalGeneration(config)


def draw_sample(rng: np.random.Generator, kind: str | None = None) -> Sample:
    """A picture and a question; counting is asked most, because it is learned last."""
    drawing = draw(rng)
    kind = kind or str(rng.choice(list(QUESTIONS), p=[0.15, 0.2, 0.35, 0.3]))
    return Sample(drawing, str(rng.choice(QUESTIONS[kind])), answer(drawing, kind))


def prompt(processor: Idefics3Processor, question: str) -> str:
    """The templated prompt of a picture and a question, with a token per picture feature."""
    content = [{"type": "image"}, {"type": "text", "text": question}]
    text = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
    return str(text).replace(IMAGE, FAKE + GLOBAL + IMAGE * IMAGE_TOKENS + FAKE)


def make_batch(processor: Idefics3Processor, samples: Sequence[Sample]) -> Batch:
    """Padded at the right; pixels as Idefics3's processor scales them to −1…1."""
    tokenizer = processor.tokenizer
    asked = tokenizer([prompt(processor, one.question) for one in samples])["input_ids"]
    replies = tokenizer([f" {one.answer}{END}" for one in samples])["input_ids"]
    longest = max(len(q) + len(a) for q, a in zip(asked, replies, strict=True)) - 1
    ids, labels = [], []
    for question, reply in zip(asked, replies, strict=True):
        fill = longest + 1 - len(question) - len(reply)
        ids.append(question + reply[:-1] + [tokenizer.pad_token_id] * fill)
        labels.append([IGNORED] * (len(question) - 1) + reply + [IGNORED] * fill)
    pixels = np.stack([one.drawing.pixels for one in samples]).transpose(0, 3, 1, 2)[:, None]
    scaled = torch.from_numpy(pixels.astype(np.float32) / 127.5 - 1)
    cells = torch.from_numpy(np.stack([one.drawing.cells for one in samples])).float()
    return Batch(scaled, torch.tensor(ids), torch.tensor(labels), cells)


def train(model: Idefics3ForConditionalGeneration, processor: Idefics3Processor, steps: int) -> None:
    """Runs `steps` steps of AdamW on `model`, in place."""
    rng = np.random.default_rng(SEED)
    finder = torch.nn.Linear(IMAGE_TOKENS * model.config.text_config.hidden_size, CELLS**2)
    parameters = [*model.parameters(), *finder.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, steps))
    started = time.monotonic()
    model.train()
    for step in range(1, steps + 1):
        batch = make_batch(processor, [draw_sample(rng) for _ in range(BATCH)])
        loss = batch_loss(model, finder, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0:
            print(f"step {step}/{steps}  loss {loss.item():.4f}  {time.monotonic() - started:.0f} s", flush=True)
    model.eval()


def batch_loss(model: Idefics3ForConditionalGeneration, finder: torch.nn.Linear, batch: Batch) -> torch.Tensor:
    """Cross entropy of the answers, and of the places that hold a shape, which speeds counting up."""
    output = model(input_ids=batch.ids, pixel_values=batch.pixels, use_cache=False)
    answers = torch.nn.functional.cross_entropy(
        output.logits.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED
    )
    features = output.image_hidden_states.reshape(len(batch.ids), -1)  # [B, IMAGE_TOKENS · D]
    places = torch.nn.functional.binary_cross_entropy_with_logits(finder(features), batch.cells)
    return answers + places


def save(model: Idefics3ForConditionalGeneration, processor: Idefics3Processor, folder: Path) -> None:
    """Write the fp16 checkpoint; the model card beside it is left as it is."""
    tokenizer = processor.tokenizer
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, do_sample=False
    )
    model.half().save_pretrained(folder)
    processor.save_pretrained(folder)


@torch.inference_mode()
def answers(folder: Path, samples: Sequence[Sample]) -> list[str]:
    """Greedy answers in fp32, with the processor of the checkpoint."""
    processor = Idefics3Processor.from_pretrained(folder)
    model = Idefics3ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    texts: list[str] = []
    for at in range(0, len(samples), 50):
        part = samples[at : at + 50]
        contents = [[{"type": "image"}, {"type": "text", "text": one.question}] for one in part]
        prompts = [
            processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
            for content in contents
        ]
        images = [[Image.fromarray(one.drawing.pixels)] for one in part]
        inputs = processor(images=images, text=prompts, padding=True, return_tensors="pt")
        ids = model.generate(**inputs, max_new_tokens=8, do_sample=False)
        texts += processor.batch_decode(ids[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    return [text.strip() for text in texts]


def evaluate(folder: Path, rng: np.random.Generator) -> dict[str, Any]:
    """How many answers about fresh pictures are right, by the kind of question, and the mistakes."""
    figures: dict[str, Any] = {"wrong": []}
    for kind in QUESTIONS:
        samples = [draw_sample(rng, kind) for _ in range(EVALUATED)]
        given = list(zip(answers(folder, samples), samples, strict=True))
        figures[kind] = f"{sum(text == one.answer for text, one in given)} of {EVALUATED}"
        figures["wrong"] += [f"{kind}: {text!r}, not {one.answer!r}" for text, one in given if text != one.answer]
    return figures


def write_pictures(folder: Path, rng: np.random.Generator) -> None:
    """Writes fresh pictures as PNG files, and pictures.json with a question and the right answer for each."""
    folder.mkdir(exist_ok=True)
    rows = []
    for index, kind in enumerate(SHIPPED):
        one = draw_sample(rng, kind)
        name = f"{index + 1}-{answer(one.drawing, 'all').replace(' ', '-')}.png"
        Image.fromarray(one.drawing.pixels).save(folder / name)
        rows.append(json.dumps({"file": name, "question": one.question, "answer": one.answer}))
    (folder / "pictures.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def main() -> None:
    """Train, save, evaluate and write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the checkpoint folder to write")
    parser.add_argument("--pictures", type=Path, default=PICTURES, help="the folder of held-back pictures to write")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    deterministic(SEED)

    processor = make_processor()
    model = new_model(processor.tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, vocabulary {len(processor.tokenizer)}")
    train(model, processor, options.steps)
    save(model, processor, options.out)
    write_pictures(options.pictures, np.random.default_rng(SEED + 1))
    report(evaluate(options.out, np.random.default_rng(SEED + 2)))


if __name__ == "__main__":
    main()
