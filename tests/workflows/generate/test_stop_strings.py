"""Stop strings never get out, and the pieces of a generation joined are its text, however it ends."""

from __future__ import annotations

import random

import pytest

from tests.workflows.generate.scripted import generated
from tests.workflows.generate.tokenizers import byte_fallback, byte_level
from workflows.generate.stop_strings import StopFilter
from workflows.generate.tokenizer import BundleTokenizer

BYTES, FALLBACK = byte_level(), byte_fallback()
TEXTS = {
    "bytes": BundleTokenizer(BYTES, 310, frozenset({300})),
    "fallback": BundleTokenizer(FALLBACK, FALLBACK.get_vocab_size(), frozenset({0, 1, 2})),
}


def test_any_cut_of_any_text_ends_before_the_first_stop_string() -> None:
    """20,000 texts of two letters in random pieces, up to four stop strings that overlap: what plain find says."""
    chances = random.Random(1)
    for _ in range(20_000):
        stops = ["".join(chances.choices("ab", k=chances.randrange(1, 5))) for _ in range(chances.randrange(5))]
        pieces = ["".join(chances.choices("ab", k=chances.randrange(4))) for _ in range(8)]
        passing, passed, said = StopFilter(stops), "", ""
        for piece in pieces:
            passed += passing.push(piece)
            said += piece
            places = [place for stop in stops if (place := said.find(stop)) >= 0]
            assert passing.stopped == bool(places), (stops, pieces)
            if places:
                break
        passed += passing.flush()
        assert passed == said[: min(places, default=len(said))], (stops, pieces)


def test_what_cannot_begin_a_stop_string_is_not_held() -> None:
    """Only the end that does."""
    passing = StopFilter(["</s>", "User:"])
    assert [passing.push(piece) for piece in ("a <", "b</", "s", "> c")] == ["a ", "<b", "", ""]
    assert (passing.stopped, passing.flush(), passing.push("more")) == (True, "", "")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("end", ["length", "eos", "capacity", "cancelled"])
def test_pieces_joined_are_the_text_however_it_ends(name: str, end: str) -> None:
    """300 generations of random tokens, half of them with stop strings out of their own text."""
    text, chances = TEXTS[name], random.Random(end)
    for _ in range(300):
        tokens = chances.choices(range(1, text.vocabulary), k=12)
        whole, at = text.decode(tokens), chances.randrange(12)
        stops = [whole[at : at + chances.randrange(1, 4)], "no such text"] if chances.random() < 0.5 else []
        stops = [stop for stop in stops if stop]
        given: dict[str, int | list[int]] = {
            "length": {},
            "eos": {"eos": [tokens[at]]},
            "capacity": {"capacity": at + 1},
            "cancelled": {"cancel_after": at + 1},
        }[end]  # type: ignore[assignment]
        events, done = generated(text, tokens, stop=stops, **given)  # type: ignore[arg-type]
        assert "".join(event.text for event in events) == done.text
        assert done.finish_reason in (end, "stop", "length")
        assert [event.id for event in events] == done.token_ids
        assert not any(stop in done.text for stop in stops)
        ended = [token for token in done.token_ids if end != "eos" or token != tokens[at]]
        said = text.decode(ended)
        if done.finish_reason == "stop":
            assert done.text == said[: min(place for stop in stops if (place := said.find(stop)) >= 0)]
        elif done.finish_reason == "cancelled":  # what was shown
            assert said.startswith(done.text.rstrip("�"))
        else:
            assert done.text == said


def test_a_stop_string_over_three_tokens_is_never_shown() -> None:
    """Held while it may come, told where it does not."""
    ids = BYTES.encode("ab<|x|>cd", add_special_tokens=False).ids
    events, done = generated(TEXTS["bytes"], ids, stop=["<|x|>"])
    assert (done.finish_reason, done.text, "".join(event.text for event in events)) == ("stop", "ab", "ab")
    ids = BYTES.encode("ab<|x", add_special_tokens=False).ids
    events, done = generated(TEXTS["bytes"], ids, stop=["<|x|>"])
    assert (done.finish_reason, events[-1].text, done.text) == ("length", "<|x", "ab<|x")
