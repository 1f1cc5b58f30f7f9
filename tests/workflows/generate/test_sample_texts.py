"""The texts to calibrate and to measure with: apart, large enough, and balanced wherever they are cut."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources

import pytest

from workflows.generate.sample_texts import KINDS, LANGUAGES, Half, paragraphs

HALVES: tuple[Half, Half] = ("calibrate", "measure")
SCRIPTS = {"han": "[一-鿿]", "ja": "[ぁ-ヺ]", "ar": "[؀-ۿ]", "hi": "[ऀ-ॿ]"}


def _runs(text: str) -> set[str]:
    """Runs of 40 characters, without regard to spaces."""
    plain = re.sub(r"\s+", " ", text)
    return {plain[start : start + 40] for start in range(len(plain) - 39)}


def test_no_paragraph_repeats_a_part_of_another() -> None:
    seen: dict[str, str] = {}
    for paragraph in (one for half in HALVES for one in paragraphs(half)):
        for run in _runs(paragraph.text):
            assert seen.setdefault(run, paragraph.text) == paragraph.text, run


@pytest.mark.parametrize("half", HALVES)
def test_each_half_is_long_enough_to_measure_with(half: Half) -> None:
    """About 22,000 tokens of Qwen3's tokenizer, which no test has: 3.2 bytes a token."""
    assert sum(len(one.text.encode()) for one in paragraphs(half)) > 20_000 * 3.2


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_every_kind_in_every_language(half: Half) -> None:
    counts = Counter((one.language, one.kind) for one in paragraphs(half))
    assert set(counts) == {(language, kind) for language in LANGUAGES for kind in KINDS}
    assert all(one.half == half and len(one.text) > 60 for one in paragraphs(half))


@pytest.mark.parametrize("half", HALVES)
def test_every_paragraph_of_the_files_is_read(half: Half) -> None:
    files = resources.files("resources") / "texts" / half
    text = "".join((files / f"{language}.txt").read_text("utf-8") for language in LANGUAGES)
    assert sum(line.startswith("===") for line in text.splitlines()) == len(paragraphs(half))
    letters = sum(map(len, (one.text for one in paragraphs(half))))
    headings = re.findall("(?m)^=== [a-z]+\n", text)
    assert letters == len(text) - sum(map(len, headings)) - 2 * len(headings) + len(LANGUAGES)


@pytest.mark.parametrize("half", HALVES)
def test_the_texts_are_in_the_scripts_of_their_languages(half: Half) -> None:
    for one in paragraphs(half):
        scripts = {name for name, letters in SCRIPTS.items() if re.search(letters, one.text)}
        expected = {"zh": {"han"}, "ja": {"han", "ja"}, "ar": {"ar"}, "hi": {"hi"}}.get(one.language, set())
        assert scripts == expected, one.text


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("count", [8, 24, 40, 64])
def test_the_first_paragraphs_are_balanced(half: Half, count: int) -> None:
    first = paragraphs(half)[:count]
    assert set(Counter(one.language for one in first).values()) == {count // 8}
    kinds = Counter(one.kind for one in first)
    assert len(kinds) == len(KINDS) and max(kinds.values()) <= min(kinds.values()) + 1 + count // 20
