"""A prompt cache saved and loaded is the same cache; a foreign or damaged one is refused and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from safetensors.numpy import save_file

from tests.workflows.kvcache.fake import feed, make, table
from workflows.common.errors import PromptCacheError
from workflows.kvcache.cache_file import load_cache, save_cache


@pytest.mark.parametrize("layout", ["static", "window"])
def test_the_loaded_cache_is_the_saved_one(layout: str, tmp_path: Path) -> None:
    cache, tokens = make(layout, 6), [1, 2, 3, 4, 5] if layout == "static" else [1, 2, 3, 4, 5, 6, 7, 8, 9]
    for token in tokens:
        feed(cache, [token])
    save_cache(cache, tokens, "model", tmp_path / "cache.safetensors")
    other = make(layout, 6)
    feed(other, [7, 7, 7])
    assert load_cache(other, "model", tmp_path / "cache.safetensors") == tokens
    assert (table(other), other.length, other.evicted) == (table(cache), cache.length, cache.evicted)
    for name in cache.names:
        filled = [slot for slot, position in enumerate(table(cache)) if position >= 0]
        assert (other.past(name)[0, 0, filled] == cache.past(name)[0, 0, filled]).all()
    assert [file.name for file in tmp_path.iterdir()] == ["cache.safetensors"]


def test_an_empty_cache_is_saved_too(tmp_path: Path) -> None:
    save_cache(make("static", 6), [], "model", tmp_path / "cache")
    other = make("static", 6)
    feed(other, [3])
    assert load_cache(other, "model", tmp_path / "cache") == []
    assert other.length == 0


def test_foreign_and_damaged_files_are_refused(tmp_path: Path) -> None:
    cache = make("static", 6)
    feed(cache, [1, 2, 3])
    path = tmp_path / "cache"
    save_cache(cache, [1, 2, 3], "model", path)
    before = (table(cache), cache.past("past.0.key").copy())
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-5])
    save_file({"tokens": cache.past("past.0.key")}, tmp_path / "other")
    for target, model, file, sentence in (
        (cache, "another", path, "another model or cache layout"),
        (make("window", 6), "model", path, "another model or cache layout"),
        (make("static", 6, layers=3), "model", path, "another model or cache layout"),
        (cache, "model", tmp_path / "cut", "cannot be read"),
        (cache, "model", tmp_path / "other", "is not a prompt cache"),
        (cache, "model", tmp_path / "absent", "There is no prompt cache"),
        (make("static", 2), "model", path, "holds 3 tokens and this cache 2"),
    ):
        with pytest.raises(PromptCacheError, match=sentence):
            load_cache(target, model, file)
    assert table(cache) == before[0]
    assert (cache.past("past.0.key") == before[1]).all()
