"""A part of a run, for a machine that has no time for all of it: see the options in `add_options`."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import pytest

_SHARE = re.compile(r"([0-9]+)/([1-9][0-9]*)")


@dataclass(frozen=True)
class Share:
    """Each `count`-th test from the one at `first` on; the shares 0 to count - 1 together are all tests."""

    first: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """`5/4` is `1/4`, so that any number may choose. Raises ValueError."""
        if not (found := _SHARE.fullmatch(text)):
            raise ValueError(f"{text!r} is no share such as 1/4: write a number, a slash and how many shares there are")
        first, count = map(int, found.groups())
        return cls(first % count, count)

    def split(self, files: Sequence[str], always: Collection[str]) -> list[bool]:
        """Which of the tests in `files` belong to it; those in the files of `always` do, and are not counted."""
        place, chosen = 0, list[bool]()
        for file in files:
            chosen.append(file in always or place % self.count == self.first)
            place += file not in always
        return chosen


@dataclass(frozen=True)
class Part:
    """The plugin of a run of some tests. share: None for all; end: seconds since 1970, when no more tests begin."""

    share: Share | None
    always: frozenset[str]
    end: float | None

    @pytest.hookimpl(trylast=True)  # after -m
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self.share is None:
            return
        files = [item.path.relative_to(config.rootpath).as_posix() for item in items]
        chosen = self.share.split(files, self.always)
        left_out = [item for item, is_chosen in zip(items, chosen, strict=True) if not is_chosen]
        items[:] = [item for item, is_chosen in zip(items, chosen, strict=True) if is_chosen]
        config.hook.pytest_deselected(items=left_out)

    @pytest.hookimpl(tryfirst=True)  # before its fixtures
    def pytest_runtest_setup(self) -> None:
        if self.end is not None and time.time() > self.end:
            pytest.skip("the time of this run was over before the test began")


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("part of a run")
    group.addoption("--share", metavar="N/COUNT", help="each COUNT-th test alone, from the N-th on")
    group.addoption("--always", default="", metavar="FILES", help="files whose tests belong to every share: a.py,b.py")
    group.addoption("--end", type=float, metavar="SECONDS", help="skip tests that would begin later; since 1970")


def part_of(config: pytest.Config) -> Part:
    """What the command line asks for. Raises pytest.UsageError for a share or a name of a file that is none."""
    always = frozenset(filter(None, config.getoption("--always").split(",")))
    if strange := sorted(file for file in always if PurePath(file).suffix != ".py"):
        raise pytest.UsageError(f"--always takes names of Python files, separated by commas, and {strange[0]} is none")
    try:
        share = Share.parse(text) if (text := config.getoption("--share")) else None
    except ValueError as error:
        raise pytest.UsageError(f"--share: {error}") from None
    return Part(share, always, config.getoption("--end"))
