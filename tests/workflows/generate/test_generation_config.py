"""What a checkpoint's generation_config.json asks for: token for token what transformers' `generate` gives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, save_decoder, save_encoder_decoder
from workflows.builder import BuildRequest, build
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.checkpoint import find_checkpoint
from workflows.common.errors import BundleError
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.generation_config import _validated
from workflows.generate.options import check_options
from workflows.wire.events import GenerationDone, NoticeEvent

COUNT = 24
PROMPTS = [[int(i) for i in np.random.default_rng(n).integers(3, VOCABULARY, n)] for n in (1, 9, 40)]
_WORDS = [[token] for token in range(20, 90)] + [[100, 101], [7]]
SETTINGS: dict[str, dict[str, Any]] = {
    "bart": {"forced_bos_token_id": 5, "forced_eos_token_id": 2, "no_repeat_ngram_size": 2, "min_length": 12},
    "marian": {"bad_words_ids": [[0], *_WORDS], "forced_eos_token_id": 2, "encoder_no_repeat_ngram_size": 1},
    "t5": {"suppress_tokens": list(range(30, 120)), "begin_suppress_tokens": list(range(120, 211)),
           "min_new_tokens": 6, "encoder_repetition_penalty": 1.4, "forced_bos_token_id": 9},
    "llama": {"repetition_penalty": 1.6, "no_repeat_ngram_size": 1, "begin_suppress_tokens": list(range(60)),
              "encoder_repetition_penalty": 0.7, "bad_words_ids": _WORDS, "min_length": 20},
}  # fmt: skip


def configure(folder: Path, **settings: Any) -> None:
    path = folder / "generation_config.json"
    found = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    path.write_text(json.dumps(found | settings), "utf-8")


def by_transformers(folder: Path, auto: str, prompt: list[int]) -> list[int]:
    import torch
    import transformers

    model = getattr(transformers, auto).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    ids = torch.tensor([prompt])
    with torch.no_grad():
        found = model.eval().generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=COUNT, do_sample=False, num_beams=1
        )
    return [int(i) for i in found[0][1 if auto.endswith("Seq2SeqLM") else len(prompt) :]]


def ours(bundle: Path, prompt: list[int], **options: Any) -> list[int]:
    *_, done = open_engine(bundle).generate(prompt, GenerateOptions(max_new_tokens=COUNT, **options))
    assert isinstance(done, GenerationDone)
    return done.token_ids


def rewrite(bundle: Path, copy: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """The bundle as it is built of a checkpoint whose generation_config.json says something else."""
    shutil.copytree(bundle, copy)
    file = copy / "tokenizer" / "generation_config.json"
    file.write_text(json.dumps(change(json.loads(file.read_text("utf-8")))), "utf-8")
    (copy / MANIFEST).write_text(make_manifest(copy).model_dump_json(), "utf-8")


def without(bundle: Path, copy: Path, *settings: str) -> None:
    """The bundle as it is built of a checkpoint whose generation_config.json lacks these settings."""
    rewrite(bundle, copy, lambda said: {key: value for key, value in said.items() if key not in settings})


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "llama" else pytest.mark.slow) for name in SETTINGS]
)
def test_tokens_are_those_of_generate(name: str, tmp_path: Path) -> None:
    auto = "AutoModelForCausalLM" if name == "llama" else "AutoModelForSeq2SeqLM"
    save = save_decoder if name == "llama" else save_encoder_decoder
    checkpoint = save(name, tmp_path / "checkpoint")
    configure(checkpoint, eos_token_id=2, pad_token_id=0)
    options = {"capacity": 128} | ({} if name == "llama" else {"task": "translation"})
    configure(checkpoint, **SETTINGS[name])
    build(BuildRequest(str(checkpoint), tmp_path / "out", options))
    without(tmp_path / "out", tmp_path / "plain", *SETTINGS[name])
    changed = False
    for prompt in PROMPTS:
        found = ours(tmp_path / "out", prompt)
        assert found == by_transformers(checkpoint, auto, prompt), prompt
        changed |= found != ours(tmp_path / "plain", prompt)
    assert changed  # or the settings would prove nothing
    if name == "llama":
        without(tmp_path / "out", tmp_path / "no penalty", "repetition_penalty")
        assert ours(tmp_path / "out", PROMPTS[1], repetition_penalty=1.0) == ours(tmp_path / "no penalty", PROMPTS[1])


def test_what_is_not_applied_is_reported_once(built: Built, tmp_path: Path) -> None:
    bundle = built(save_decoder("llama", tmp_path / "checkpoint"), cache="static", capacity=256)
    settings = {"num_beams": 4, "diversity_penalty": 0.0, "guidance_scale": 1.5, "do_sample": True, "top_k": 50}
    rewrite(bundle, tmp_path / "out", lambda said: said | settings)
    engine = open_engine(tmp_path / "out")
    notices = [e for e in engine.generate([5], GenerateOptions(max_new_tokens=2)) if isinstance(e, NoticeEvent)]
    assert [notice.message for notice in notices] == [
        "The checkpoint asks for num_beams=4, guidance_scale=1.5, which Joinery does not apply: it decodes greedily."
    ]
    again = engine.generate([5], GenerateOptions(max_new_tokens=2))
    assert not [event for event in again if isinstance(event, NoticeEvent)]
    rewrite(bundle, tmp_path / "neutral", lambda said: said | {"guidance_scale": 1.0, "num_beams": 1})
    plain = open_engine(tmp_path / "neutral").generate([5], GenerateOptions(max_new_tokens=2))
    assert not [event for event in plain if isinstance(event, NoticeEvent)]


def test_stop_strings_end_a_reply_where_those_of_transformers_do(default_bundle: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = find_checkpoint("demo:qwen3").folder
    tokenizer = AutoTokenizer.from_pretrained(source)
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32, attn_implementation="eager").eval()
    prompt = [{"role": "user", "content": "What is 8 times 7?"}]
    ids = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_tensors="pt", return_dict=False)
    stops = ["* 7", "never said"]
    with torch.no_grad():
        found = model.generate(
            ids, max_new_tokens=COUNT, do_sample=False, num_beams=1, stop_strings=stops, tokenizer=tokenizer
        )
    expected = found[0][ids.shape[1] :].tolist()
    rewrite(default_bundle, tmp_path / "out", lambda said: said | {"stop_strings": stops})
    *_, done = open_engine(tmp_path / "out").generate(ids[0].tolist(), GenerateOptions(max_new_tokens=COUNT))
    assert isinstance(done, GenerationDone)
    assert done.token_ids == expected and done.finish_reason == "stop"
    assert tokenizer.decode(expected).endswith("* 7") and done.text == tokenizer.decode(expected).removesuffix("* 7")
    assert len(ours(tmp_path / "out", ids[0].tolist(), stop=["not there"])) > len(expected)  # the request's own
    rewrite(default_bundle, tmp_path / "one", lambda said: said | {"stop_strings": "* 7"})
    assert ours(tmp_path / "one", ids[0].tolist()) == expected


def test_beams_have_the_length_penalty_and_the_end_of_the_file(built: Built, tmp_path: Path) -> None:
    bundle = built(save_decoder("llama", tmp_path / "checkpoint"), cache="static", capacity=256)
    settings = {"length_penalty": -3.0, "early_stopping": True}
    rewrite(bundle, tmp_path / "out", lambda said: said | settings)

    def beams(folder: Path, prompt: list[int], **options: Any) -> list[int]:
        wanted = check_options({"num_beams": 3, "max_new_tokens": 9} | options)
        *_, done = open_engine(folder).generate(prompt, wanted, eos=tuple(range(100)))
        assert isinstance(done, GenerationDone)
        return done.token_ids

    differ = False
    for prompt in PROMPTS:
        plain, changed = beams(bundle, prompt), beams(bundle, prompt, **settings)
        assert beams(tmp_path / "out", prompt) == changed
        assert beams(tmp_path / "out", prompt, length_penalty=1.0, early_stopping=False) == plain
        differ |= plain != changed
    assert differ  # or the settings would prove nothing


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"forced_bos_token_id": "<s>"}, "sets forced_bos_token_id to <s>, which cannot be"),
        ({"suppress_tokens": [-1]}, "sets suppress_tokens to -1"),
        ({"bad_words_ids": [[]]}, "sets bad_words_ids"),
        ({"repetition_penalty": 0}, "sets repetition_penalty to 0"),
        ({"repetition_penalty": "x\x1b[2J"}, "sets repetition_penalty to x�"),
        ({"min_length": True}, "sets min_length to True"),
        ({"stop_strings": ["a", ""]}, "sets stop_strings to"),
        ({"stop_strings": [5]}, "sets stop_strings to 5"),
        ({"length_penalty": "long"}, "sets length_penalty to long"),
    ],
)
def test_a_file_with_wrong_values(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(BundleError, match=why):
        _validated(settings, "generation_config.json")


def test_a_token_beyond_the_vocabulary(built: Built, tmp_path: Path) -> None:
    bundle = built(save_decoder("llama", tmp_path / "checkpoint"), cache="static", capacity=256)
    rewrite(bundle, tmp_path / "out", lambda said: said | {"suppress_tokens": [VOCABULARY]})
    with pytest.raises(BundleError, match="names the token 211, and the model's ids go from 0 to 210"):
        open_engine(tmp_path / "out")
