"""Every key of a processor's settings is read, known to be without effect, or refused."""

from __future__ import annotations

import pytest

from workflows.common.errors import MediaError
from workflows.media.options import Options


def test_values_are_read_and_checked() -> None:
    options = Options({"a": 3, "b": None, "c": [1, 2.5], "d": True, "e": {"height": 4, "width": None}}, "Reader")
    assert (options.integer("a", 1), options.number("b", 0.5), options.flag("d", False)) == (3, 0.5, True)
    assert options.numbers("c", [0, 0], 2) == (1.0, 2.5) and options.numbers("missing", 7, 3) == (7.0, 7.0, 7.0)  # type: ignore[arg-type]
    assert options.sizes("e", {}, [("height",), ("height", "width")]) == {"height": 4}
    options.finish()


def test_unknown_keys_are_refused_but_for_those_without_effect() -> None:
    options = Options({"processor_class": "X", "do_new_thing": True}, "Reader")
    with pytest.raises(MediaError, match=r"Reader has the setting do_new_thing = True, which is not known"):
        options.finish()
    options.ignore("do_new_thing")
    options.finish()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"size": {"height": 3, "depth": 3}}, r"size = .* and needs \{height, width\} or \{longest_edge\}"),
        ({"size": {"longest_edge": 0}}, "size = .* and needs positive whole numbers"),
        ({"size": 3}, r"and needs \{height, width\}"),
    ],
)
def test_sizes_that_cannot_be(values: dict[str, object], words: str) -> None:
    with pytest.raises(MediaError, match=words):
        Options(values, "Reader").sizes("size", {"longest_edge": 1}, [("height", "width"), ("longest_edge",)])


@pytest.mark.parametrize("value", [True, 1.0, "1", 0, 11])
def test_integers_that_cannot_be(value: object) -> None:
    with pytest.raises(MediaError, match="needs a whole number from 1 to 10"):
        Options({"a": value}, "Reader").integer("a", 1, highest=10)


def test_a_setting_of_one_value() -> None:
    Options({"a": 2}, "Reader").only("a", 2, "it is so")
    with pytest.raises(MediaError, match="Reader has a = 3, and it is so: only 2 can be used"):
        Options({"a": 3}, "Reader").only("a", 2, "it is so")
