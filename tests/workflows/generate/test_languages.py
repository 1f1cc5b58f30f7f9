"""Translators of several languages: the tokens are those of transformers' generate for the language that was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors
from typer.testing import CliRunner

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY
from workflows.cli import app
from workflows.common.errors import PromptError
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

_SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY, "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 64,
    "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "forced_eos_token_id": None, "scale_embedding": False,
}  # fmt: skip
_LANGUAGES = {
    "mbart": ["en_XX", "de_DE", "fr_XX"],
    "m2m_100": ["__en__", "__de__", "__fr__"],
    "nllb": ["eng_Latn", "deu_Latn", "zho_Hans"],
    "marian": [">>eng<<", ">>deu<<", ">>fra<<"],
}
_FIRST = 200  # the id of the first language


def tokenizer_of(kind: str) -> Tokenizer:
    """Words w0 … w196 as ids 3 … 199, then the languages, put around a text as transformers' tokenizers do."""
    words = {"<s>": 0, "<pad>": 1, "</s>": 2} | {f"w{i}": i + 3 for i in range(_FIRST - 3)}
    codes = _LANGUAGES[kind]
    words |= {code: _FIRST + i for i, code in enumerate(codes)} if kind == "marian" else {}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    specials = ["<s>", "<pad>", "</s>", *(codes if kind != "marian" else ())]
    tokenizer.add_special_tokens([AddedToken(one, special=True) for one in specials])
    around = {"mbart": f"$A </s> {codes[0]}", "marian": "$A </s>"}.get(kind, f"{codes[0]} $A </s>")
    marks = [("</s>", 2), (codes[0], _FIRST)] if kind != "marian" else [("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(single=around, special_tokens=marks)
    return tokenizer


def save_translator(kind: str, folder: Path, start: int = 2) -> Path:
    """A random checkpoint of the kind, with its tokenizer; its embeddings are small, for it not to echo one token."""
    import torch
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    torch.manual_seed(0)
    model_type = "m2m_100" if kind == "nllb" else kind
    config = AutoConfig.for_model(model_type, **_SIZES, decoder_start_token_id=start)
    model = AutoModelForSeq2SeqLM.from_config(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and "embed_positions" not in name:
                parameter.normal_(0, 1.5 / parameter.shape[1] ** 0.5)
    model.save_pretrained(folder)
    tokenizer_of(kind).save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory, built: Built) -> Callable[..., tuple[Path, Path]]:
    """(checkpoint, bundle) of a kind, built once."""
    made: dict[tuple[str, int], tuple[Path, Path]] = {}

    def of(kind: str, start: int = 2) -> tuple[Path, Path]:
        if (kind, start) not in made:
            checkpoint = save_translator(kind, tmp_path_factory.mktemp(kind) / "checkpoint", start)
            made[kind, start] = checkpoint, built(checkpoint, capacity=32, passes={})
        return made[kind, start]

    return of


def translation(bundle: Path, text: str, **languages: str) -> GenerationDone:
    engine = open_engine(bundle)
    *_, done = engine.generate(engine.encode(text), GenerateOptions(max_new_tokens=12, **languages))
    assert isinstance(done, GenerationDone)
    return done


def translated(bundle: Path, text: str, **languages: str) -> list[int]:
    return translation(bundle, text, **languages).token_ids


def expected(checkpoint: Path, source: list[int], **asked: int) -> list[int]:
    """What eager transformers generates, without the token that the decoder begins with."""
    import torch
    from transformers import AutoModelForSeq2SeqLM

    model = AutoModelForSeq2SeqLM.from_pretrained(checkpoint, attn_implementation="eager").eval()
    wanted = model.generate(torch.tensor([source]), max_new_tokens=12, num_beams=1, do_sample=False, **asked)
    return [int(token) for token in wanted[0, 1:]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mbart", "m2m_100", "nllb"])
def test_the_target_is_forced_and_the_source_is_marked(kind: str, translator: Callable[..., Any]) -> None:
    """As generate(forced_bos_token_id=…) over a source that begins or ends with its own language."""
    checkpoint, bundle = translator(kind)
    codes, text = _LANGUAGES[kind], "w5 w9 w30 w7"
    ids = list(tokenizer_of(kind).encode(text).ids)
    for place, code in enumerate(codes):
        found = translated(bundle, text, target_language=code)
        assert found == expected(checkpoint, ids, forced_bos_token_id=_FIRST + place)
        assert found[0] == _FIRST + place
    assert translated(bundle, text) == expected(checkpoint, ids)
    french = [_FIRST + 2 if token == _FIRST else token for token in ids]
    bare = codes[1].strip("_")
    done = translation(bundle, text, source_language=codes[2], target_language=bare)
    assert done.prompt_ids == french != ids
    assert done.token_ids == expected(checkpoint, french, forced_bos_token_id=_FIRST + 1)


@pytest.mark.slow
def test_a_decoder_that_begins_with_a_language_begins_with_the_target(translator: Callable[..., Any]) -> None:
    """As generate(decoder_start_token_id=…): the first mBART was trained so."""
    checkpoint, bundle = translator("mbart", start=_FIRST + 2)
    ids = list(tokenizer_of("mbart").encode("w5 w9").ids)
    found = translated(bundle, "w5 w9", target_language="de_DE")
    assert found == expected(checkpoint, ids, decoder_start_token_id=_FIRST + 1)
    assert found != translated(bundle, "w5 w9") == expected(checkpoint, ids)


@pytest.mark.slow
def test_marian_takes_the_target_in_the_source(translator: Callable[..., Any]) -> None:
    """The same tokens as with the mark written before the text, which is not written twice."""
    checkpoint, bundle = translator("marian")
    marked = translated(bundle, ">>fra<< w5 w9")
    assert marked == expected(checkpoint, [_FIRST + 2, 8, 12, 2])
    for text in ("w5 w9", ">>deu<< w5 w9"):
        assert translated(bundle, text, target_language="fra") == marked
    with pytest.raises(PromptError, match="does not mark the language of a source"):
        translated(bundle, "w5", source_language="eng")


def test_an_unknown_language_lists_the_known(translator: Callable[..., Any], demo_bundle: Path) -> None:
    """One sentence, from the engine and from the command line; a model without languages says that."""
    _, bundle = translator("mbart")
    engine = open_engine(bundle)
    assert engine.ready().languages == ["de_DE", "en_XX", "fr_XX"]
    with pytest.raises(PromptError, match="does not know the language 'xx_XX': choose one of de_DE, en_XX, fr_XX"):
        next(engine.generate([5], GenerateOptions(target_language="xx_XX")))
    with pytest.raises(PromptError, match="it knows none, so leave it out"):
        next(open_engine(demo_bundle).generate([5], GenerateOptions(source_language="en_XX")))
    assert open_engine(demo_bundle).ready().languages == []


def test_the_command_line_takes_languages(translator: Callable[..., Any]) -> None:
    """--target-language and --source-language reach the generation."""
    checkpoint, bundle = translator("mbart")
    given = ["generate", str(bundle), "--prompt", "w5 w9 w30 w7", "--max-new-tokens", "12", "--json"]
    done = CliRunner().invoke(app, [*given, "--target-language", "de_DE", "--source-language", "fr_XX"])
    assert done.exit_code == 0, done.output
    ids = [_FIRST + 2 if token == _FIRST else token for token in tokenizer_of("mbart").encode("w5 w9 w30 w7").ids]
    found = json.loads(done.output.splitlines()[-1])
    assert found["prompt_ids"] == ids
    assert found["token_ids"] == expected(checkpoint, ids, forced_bos_token_id=_FIRST + 1)
