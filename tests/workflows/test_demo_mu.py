"""The shipped Mu demo: six kinds of query in five languages, from code that arrives with the checkpoint."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, Cache, DynamicCache
from transformers.cache_utils import StaticLayer

from resources.demos.mu_corpus import CALLS, call, fixed_queries
from resources.demos.mu_phrases import LANGUAGES, QUERIES
from resources.demos.pairs import is_held_back, read_pairs, sources_in_common
from resources.demos.train_mu import CODE, FOLDER, HELD_BACK_FILE, corpus
from resources.demos.training import answers, evaluate


class RightAligned:
    """The last `capacity` keys and values; the slots of all of them move at each token."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.rows: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def update(
        self, key: torch.Tensor, value: torch.Tensor, layer: int, _: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        empty = key.new_zeros(*key.shape[:2], self.capacity, key.shape[3])
        old = self.rows.get(layer, (empty, empty))
        new = tuple(torch.cat(both, dim=2)[:, :, -self.capacity :] for both in zip(old, (key, value), strict=True))
        self.rows[layer] = new
        return new


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """By remote code, which transformers copies into a folder of modules: here a temporary one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path_factory.mktemp("modules")))
        patch.setattr("sys.path", list(sys.path))
        yield AutoModelForSeq2SeqLM.from_pretrained(FOLDER, trust_remote_code=True, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(FOLDER, trust_remote_code=False)


@torch.inference_mode()
def greedy(model: Any, tokenizer: Any, source: str, step: Any) -> tuple[list[int], torch.Tensor]:
    """Ids up to the end token, and the logits of each [N,V]; `step(hidden, ids so far)` → logits [V] of the next."""
    ids = tokenizer(source, return_tensors="pt")
    hidden = model.get_encoder()(ids["input_ids"], ids["attention_mask"].bool()).last_hidden_state
    given, logits = [model.config.decoder_start_token_id], []
    while given[-1] != model.config.eos_token_id and len(given) < 40:
        logits.append(step(hidden, given))
        given.append(int(logits[-1].argmax()))
    return given[1:], torch.stack(logits)


def without_cache(model: Any) -> Any:
    def step(hidden: torch.Tensor, given: list[int]) -> torch.Tensor:
        decoded = model.get_decoder()(torch.tensor([given]), hidden)
        return model.lm_head(decoded.last_hidden_state)[0, -1]

    return step


def with_cache(model: Any, cache: Any) -> Any:
    def step(hidden: torch.Tensor, given: list[int]) -> torch.Tensor:
        at = torch.tensor([len(given) - 1])
        output = model(
            encoder_outputs=(hidden,),
            decoder_input_ids=torch.tensor([given[-1:]]),
            past_key_values=cache,
            cache_position=at,
        )
        assert output.past_key_values is cache
        return output.logits[0, -1]

    return step


def with_moving_slots(model: Any, cache: RightAligned) -> Any:
    def step(hidden: torch.Tensor, given: list[int]) -> torch.Tensor:
        slots = torch.arange(cache.capacity)
        output = model(
            encoder_outputs=(hidden,),
            decoder_input_ids=torch.tensor([given[-1:]]),
            decoder_attention_mask=(slots >= cache.capacity - len(given))[None, None, None],
            position_id=torch.tensor([[len(given) - 1]]),
            cache_position=torch.tensor([cache.capacity - 1]),
            past_key_values=cache,
        )
        return output.logits[0, -1]

    return step


def test_it_is_a_small_fp16_checkpoint_with_its_own_code(model: Any) -> None:
    assert (
        sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) + HELD_BACK_FILE.stat().st_size
        < 2_000_000
    )
    with safe_open(FOLDER / "model.safetensors", "pt") as tensors:
        assert {tensors.get_slice(name).get_dtype() for name in tensors.keys()} == {"F16"}  # noqa: SIM118
        assert "lm_head.weight" not in tensors.keys()  # noqa: SIM118
    config = model.config
    assert (config.model_type, type(config).__name__) == ("mu2", "MuConfig")
    assert (config.n_encoder_layer, config.n_decoder_layer, config.n_head, config.n_kv_head) == (3, 1, 3, 1)
    assert (config.pad_token_id, config.eos_token_id, config.decoder_start_token_id) == (0, 1, 0)
    assert not hasattr(config, "num_hidden_layers")
    assert model.lm_head.weight is model.shared.weight is model.decoder.embed_tokens.weight
    assert {path.name for path in FOLDER.glob("*.py")} == set(CODE)


def test_transformers_refuses_its_code_unless_it_is_trusted() -> None:
    with pytest.raises(ValueError, match="trust_remote_code"):
        AutoModelForSeq2SeqLM.from_pretrained(FOLDER, trust_remote_code=False)


def test_the_tokenizer_ends_a_text_with_its_end_token(tokenizer: Any) -> None:
    plain = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    for pair in read_pairs(HELD_BACK_FILE)[::10]:
        ids = plain.encode(pair.source).ids
        assert ids == tokenizer(pair.source)["input_ids"]
        assert ids.index(tokenizer.eos_token_id) == len(ids) - 1
        assert plain.decode(ids) == pair.source
        assert plain.decode(plain.encode(pair.target).ids) == pair.target


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_answers_six_queries(model: Any, tokenizer: Any, language: str) -> None:
    queries = QUERIES[language]
    assert sorted(setting for setting, _ in queries.values()) == sorted(CALLS)
    given = answers(model, tokenizer, list(queries))
    assert [answer.text for answer in given] == [call(*action) for action in queries.values()]
    assert min(answer.margin for answer in given) > 2


def test_held_back_queries_are_right(model: Any, tokenizer: Any) -> None:
    pairs = read_pairs(HELD_BACK_FILE)
    assert {pair.kind for pair in pairs} >= set(CALLS) and len(pairs) >= 500
    figures = evaluate(model, tokenizer, pairs[::2])  # the model card is about all of them
    assert figures["accuracy"] >= 0.97, figures["wrong"]


def test_held_back_queries_were_never_trained_on() -> None:
    pairs = read_pairs(HELD_BACK_FILE)
    assert all(is_held_back(pair.source) for pair in pairs)
    assert sources_in_common(corpus(), pairs) == []


@pytest.mark.parametrize("at", [0, 7, 13, 20, 29])
def test_every_cache_gives_what_no_cache_gives(model: Any, tokenizer: Any, at: int) -> None:
    query = fixed_queries()[at]
    ids, logits = greedy(model, tokenizer, query.source, without_cache(model))
    assert tokenizer.decode(ids, skip_special_tokens=True) == query.target
    steps = {
        "dynamic": with_cache(model, DynamicCache()),
        "static": with_cache(model, Cache(layers=[StaticLayer(max_cache_len=48)])),
        "right-aligned": with_moving_slots(model, RightAligned(48)),
    }
    for name, step in steps.items():
        cached_ids, cached_logits = greedy(model, tokenizer, query.source, step)
        assert cached_ids == ids, name
        torch.testing.assert_close(cached_logits, logits, rtol=1e-4, atol=1e-4)


def test_positions_move_the_angles_and_not_the_slots(model: Any) -> None:
    hidden, ids = torch.randn(1, 5, model.config.d_model), torch.tensor([[0, 9, 12, 40]])
    decode = model.get_decoder()
    with torch.inference_mode():
        here = decode(ids, hidden).last_hidden_state
        further = decode(ids, hidden, position_id=torch.arange(4)[None] + 100).last_hidden_state
        spread = decode(ids, hidden, position_id=torch.arange(4)[None] * 3).last_hidden_state
    torch.testing.assert_close(here, further, rtol=1e-3, atol=1e-3)  # rotary positions are relative
    assert (here - spread).abs().max() > 0.05


def test_the_source_is_projected_where_an_exporter_can_take_it(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden, ids = torch.randn(1, 5, model.config.d_model), torch.tensor([[0, 9, 12]])
    decode = model.get_decoder()
    with torch.inference_mode():
        expected = decode(ids, hidden).last_hidden_state
        for layer in decode.layers:
            attention = layer.cross_attention.block
            rows = attention.project_source(hidden)
            assert rows[0].shape == rows[1].shape == (1, model.config.n_kv_head, 5, model.config.head_dim)
            monkeypatch.setattr(attention, "project_source", lambda _, rows=rows: rows)
        assert torch.equal(decode(ids, torch.zeros_like(hidden)).last_hidden_state, expected)


def test_padding_of_the_source_changes_nothing(model: Any, tokenizer: Any) -> None:
    sources = [query.source for query in fixed_queries()[:6]]
    alone = [answers(model, tokenizer, [source])[0] for source in sources]
    together = answers(model, tokenizer, sources)
    assert [answer.text for answer in together] == [answer.text for answer in alone]
    assert [answer.margin for answer in together] == pytest.approx([answer.margin for answer in alone], abs=1e-3)


def test_the_model_card_says_whose_it_is() -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "apache-2.0" in card and "python -m resources.demos.train_mu" in card
