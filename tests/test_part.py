"""Shares: together they are all tests, and each test of the files that every share has is in all of them."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from tests.part import Part, Share

FILES = [f"tests/test_{name}.py" for name in "aaabbbbcdddddd"]


@pytest.mark.parametrize("count", [1, 3, 4, 20])
def test_shares_are_all_tests_once(count: int) -> None:
    each = [Share(first, count).split(FILES, ()) for first in range(count)]
    assert [sum(column) for column in zip(*each, strict=True)] == [1] * len(FILES)


def test_some_files_are_in_every_share() -> None:
    always = {"tests/test_b.py", "tests/test_gone.py"}
    each = [Share(first, 3).split(FILES, always) for first in range(3)]
    assert [sum(column) for column in zip(*each, strict=True)] == [3 if file in always else 1 for file in FILES]
    assert max(map(sum, each)) - min(map(sum, each)) <= 1


@pytest.mark.parametrize(("text", "share"), [("1/4", Share(1, 4)), ("14/4", Share(2, 4)), ("0/1", Share(0, 1))])
def test_any_number_is_a_share(text: str, share: Share) -> None:
    assert Share.parse(text) == share


@pytest.mark.parametrize("text", ["", "1", "1/0", "-1/4", "1/4/2", "one/4"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write a number"):
        Share.parse(text)


def test_no_test_begins_after_the_end() -> None:
    Part(None, frozenset(), None).pytest_runtest_setup()
    Part(None, frozenset(), time.time() + 1000).pytest_runtest_setup()
    with pytest.raises(pytest.skip.Exception, match="time of this run was over"):
        Part(None, frozenset(), time.time() - 1).pytest_runtest_setup()


def test_a_run_has_the_tests_of_its_share() -> None:
    said = list[str]()
    hook = SimpleNamespace(pytest_deselected=lambda items: said.extend(item.name for item in items))
    root = SimpleNamespace(rootpath=SimpleNamespace(), hook=hook)
    path = SimpleNamespace(relative_to=lambda _: SimpleNamespace(as_posix=lambda: "tests/test_a.py"))
    items = [SimpleNamespace(name=str(number), path=path) for number in range(5)]
    Part(Share(1, 2), frozenset(), None).pytest_collection_modifyitems(root, items)  # type: ignore[arg-type]
    assert [item.name for item in items] == ["1", "3"] and said == ["0", "2", "4"]
