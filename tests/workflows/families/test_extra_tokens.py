"""Checkpoints whose tokenizer has more tokens than the embedding has rows, as gemma-3-1b-it and many fine-tunes have.

transformers runs them; the tokens without a row are never read, and a text with one is refused by name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from tests.workflows.families.models import (
    VOCABULARY,
    WHISPER,
    greedy,
    greedy_from_source,
    save_decoder,
    save_encoder_decoder,
    save_whisper,
)
from tests.workflows.generate.tokenizers import word_level
from workflows.builder import BuildRequest, build
from workflows.bundle import read_bundle
from workflows.common.errors import PromptError
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.prompt_sets import encode_prompt
from workflows.generate.text_problems import find_text_problems
from workflows.predict.embedder import open_embedder
from workflows.wire.events import GenerationDone

EXTRA = "<extra>"
TEMPLATE = "{% for message in messages %}{{ message['content'] }} <extra>{% endfor %}"
PROBLEM = f"The tokenizer knows {EXTRA} (id {VOCABULARY}), and the model's ids go to {VOCABULARY - 1}"


def add_tokenizer(folder: Path, words: int = VOCABULARY) -> None:
    """A word for each of the ids from 0, and <extra> behind the last."""
    tokenizer: Tokenizer = word_level(words=" ".join(f"w{i}" for i in range(words)))
    tokenizer.model.unk_token = "w0"
    tokenizer.add_tokens([EXTRA])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "w0", "chat_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")


def ids_of(bundle: Path, prompt: list[int], **options: Any) -> list[int]:
    with open_engine(bundle) as engine:
        text = " ".join(f"w{i}" for i in prompt)
        assert engine.encode(text) == prompt
        *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=8, **options), eos=())
        for refused in (f"{text} {EXTRA}", EXTRA):
            with pytest.raises(PromptError, match=rf"The prompt id {VOCABULARY} \({EXTRA}\) is not in the vocabulary"):
                engine.encode(refused)
        with pytest.raises(PromptError, match=rf"\({EXTRA}\) is not in the vocabulary"):
            encode_prompt(engine, text)  # the template's
    assert isinstance(done, GenerationDone)
    return done.token_ids


def test_a_decoder(tmp_path: Path) -> None:
    checkpoint = save_decoder("gemma3_text", tmp_path / "checkpoint")
    add_tokenizer(checkpoint)
    reported: list[Any] = []
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {}), reported.append)
    prompt = np.random.default_rng(0).integers(1, VOCABULARY, 30).tolist()
    assert ids_of(tmp_path / "bundle", prompt) == greedy(checkpoint, prompt, 8)
    (problem,) = find_text_problems(read_bundle(tmp_path / "bundle"))
    assert problem.startswith(PROBLEM)
    assert [one.message for one in reported if one.event == "notice" and EXTRA in one.message] == [problem]


@pytest.mark.slow
def test_fewer_tokens_than_rows(tmp_path: Path) -> None:
    checkpoint = save_decoder("gemma3_text", tmp_path / "checkpoint")
    add_tokenizer(checkpoint, words=150)
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {}))
    assert not list(find_text_problems(read_bundle(tmp_path / "bundle")))
    prompt = [150, *range(1, 30)]  # the word behind the others has a row here
    with open_engine(tmp_path / "bundle") as engine:
        assert engine.encode(EXTRA) == [150]
        *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=8), eos=())
    assert done.token_ids == greedy(checkpoint, prompt, 8)


@pytest.mark.slow
def test_an_encoder_decoder(tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder("t5", tmp_path / "checkpoint")
    add_tokenizer(checkpoint)
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {"task": "translation"}))
    source = np.random.default_rng(0).integers(1, VOCABULARY, 20).tolist()
    assert ids_of(tmp_path / "bundle", source) == greedy_from_source(checkpoint, source, 8)


@pytest.mark.slow
def test_speech(tmp_path: Path) -> None:
    """No prompt is read; what the tokenizer has beyond the rows is never drawn."""
    checkpoint = save_whisper(tmp_path / "checkpoint")
    (checkpoint / "generation_config.json").write_text(json.dumps({"decoder_start_token_id": 3, "eos_token_id": 2}))
    add_tokenizer(checkpoint)
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {"task": "automatic-speech-recognition"}))
    (problem,) = find_text_problems(read_bundle(tmp_path / "bundle"))
    assert problem.startswith(PROBLEM)
    frames = np.random.default_rng(1).normal(size=(1, 80, 2 * WHISPER["max_source_positions"])).astype(np.float32)
    with open_engine(tmp_path / "bundle") as engine:
        *_, done = engine.generate([3], GenerateOptions(max_new_tokens=8), inputs={"input_features": frames}, eos=())
    assert len(done.token_ids) == 8 and done.text


def test_an_encoder(tmp_path: Path) -> None:
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 48}
    model = BertModel(BertConfig(vocab_size=VOCABULARY, **sizes)).eval()
    model.save_pretrained(tmp_path / "checkpoint")
    add_tokenizer(tmp_path / "checkpoint")
    build(BuildRequest(str(tmp_path / "checkpoint"), tmp_path / "bundle", {"task": "feature-extraction"}))
    (problem,) = find_text_problems(read_bundle(tmp_path / "bundle"))
    assert problem.startswith(PROBLEM)
    embedder = open_embedder(tmp_path / "bundle", pooling="mean")
    (found,) = embedder.embed(["w3 w210 w7"])
    with torch.no_grad():
        expected = model(torch.tensor([[3, 210, 7]])).last_hidden_state[0].mean(0).numpy()
    assert np.abs(found.vector - expected).max() < 1e-5
    with pytest.raises(PromptError, match=rf"Text 1: the id {VOCABULARY} \({EXTRA}\) is not in the vocabulary"):
        embedder.embed([f"w3 {EXTRA}"])
