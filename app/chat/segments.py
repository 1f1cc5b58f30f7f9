"""A reply's text in pieces: prose, code between fences, and the model's thinking before the answer.

"<think>hm</think>Use:\\n```python\\nx = 1\\n```" ──split──▶ thought "hm" · prose "Use:" · code "x = 1" (python)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from workflows.wire.events import TokenEvent

Kind = Literal["prose", "code", "thought"]

_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\n`]*)$", re.MULTILINE)
_THOUGHT_BEGINS = re.compile(
    r"^[ \t]*(?:<(?P<tag>think|thinking|thought|reasoning)>|(?P<channel><\|channel\|>(?:analysis|thought)<\|message\|>)"
    r"|(?P<bracket>\[THINK\]))",
    re.MULTILINE,
)
_THOUGHT_ENDS = {"channel": r"<\|end\|>|<\|channel\|>final<\|message\|>", "bracket": r"\[/THINK\]"}
_LONE_END = re.compile(r"</(?:think|thinking|thought|reasoning)>|\[/THINK\]")
_MAY_BEGIN = re.compile(r"[`~<\[]")
_SPECIAL_TOKENS = re.compile(r"<\|(?:start|end|message|channel|return)\|>(?:assistant|final)?")


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a reply: [start, end) with its marks; `text` is shown. closed: more text does not change it."""

    kind: Kind
    text: str
    start: int
    end: int
    language: str = ""
    closed: bool = True


def split(reply: str, start: int = 0) -> list[Segment]:
    """The pieces of `reply` from `start` on, where one begins, without blank prose.

    Text before a lone end of thinking, whose beginning was in the prompt, is thinking as well.
    """
    segments = list(_pieces(reply, start))
    if start == 0 and (lone_end := _lone_end(reply, segments)):
        thought = Segment("thought", reply[: lone_end.start()].strip("\n"), 0, lone_end.end())
        segments = [thought, *_pieces(reply, lone_end.end())]
    return [one for one in segments if one.kind != "prose" or one.text.strip()]


def extend(last: Segment, reply: str, added: str) -> Segment | None:
    """The last piece of `reply` with `added` at its end; None unless it is open prose in which no mark may begin."""
    line = reply.rfind("\n", 0, len(reply) - len(added)) + 1
    if last.kind != "prose" or last.closed or _MAY_BEGIN.search(reply, line):
        return None
    return Segment("prose", last.text + added, last.start, len(reply), closed=False)


def measure_thinking(reply: str, prefill: int, tokens: Sequence[TokenEvent]) -> tuple[int, float]:
    """The number of thinking tokens in a reply, and their seconds. prefill: the characters that it begins with."""
    end = max((one.end for one in split(reply) if one.kind == "thought"), default=0)
    count, milliseconds, at = 0, 0.0, prefill
    for token in tokens:
        if at >= end:
            break
        count, milliseconds, at = count + 1, milliseconds + token.latency_ms, at + len(token.text)
    return count, milliseconds / 1000


def _lone_end(reply: str, segments: list[Segment]) -> re.Match[str] | None:
    lone_end = _LONE_END.search(reply)
    inside = lone_end and any(one.kind != "prose" and one.start <= lone_end.start() < one.end for one in segments)
    return None if inside else lone_end


def _pieces(reply: str, at: int) -> Iterator[Segment]:
    while at < len(reply):
        fence = _FENCE.search(reply, at)
        mark = _THOUGHT_BEGINS.search(reply, at, fence.start() if fence else len(reply)) or fence
        before = mark.start() if mark else len(reply)
        if before > at:
            text = _SPECIAL_TOKENS.sub("", reply[at:before])
            yield Segment("prose", text, at, before, closed=mark is not None)
        if mark is None:
            return
        piece = _code(reply, mark) if mark.re is _FENCE else _thought(reply, mark)
        yield piece
        at = piece.end


def _code(reply: str, fence: re.Match[str]) -> Segment:
    """Up to a line of at least as many of the same marks."""
    mark = fence["fence"]
    end = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE).search(reply, fence.end())
    last = end.start() if end else len(reply)
    text = reply[fence.end() + 1 : last].removesuffix("\n")
    words = fence["language"].split()
    language = words[0] if words else ""
    return Segment("code", text, fence.start(), end.end() if end else len(reply), language, closed=end is not None)


def _thought(reply: str, begin: re.Match[str]) -> Segment:
    ends = _THOUGHT_ENDS.get(begin.lastgroup or "", f"</{begin['tag']}>")
    end = re.compile(ends).search(reply, begin.end())
    text = reply[begin.end() : end.start() if end else len(reply)].strip("\n")
    return Segment("thought", text, begin.start(), end.end() if end else len(reply), closed=end is not None)
