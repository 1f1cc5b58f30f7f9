"""A reply in pieces: prose, code, thinking; also while it is still coming."""

from __future__ import annotations

import pytest

from app.chat.segments import extend, split


def pieces(reply: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text.strip()) for one in split(reply)]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("just prose", [("prose", "just prose")]),
        ("a\n```python\nx = 1\n\n```\nb", [("prose", "a"), ("code", "x = 1"), ("prose", "b")]),
        ("~~~~\n```\nno end\n```\n~~~~", [("code", "```\nno end\n```")]),
        ("`` `a` `` and ```b``` inline", [("prose", "`` `a` `` and ```b``` inline")]),
        ("<think>hm\n\nwell</think>\n\nYes.", [("thought", "hm\n\nwell"), ("prose", "Yes.")]),
        ("<thinking>```\nx\n```</thinking>ok", [("thought", "```\nx\n```"), ("prose", "ok")]),
        ("opened in the prompt</think>Yes.", [("thought", "opened in the prompt"), ("prose", "Yes.")]),
        ("[THINK]hm[/THINK]Yes.", [("thought", "hm"), ("prose", "Yes.")]),
        (
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
            [("thought", "hm"), ("prose", "Yes.")],
        ),
        ("```html\n<think>\n</think>\n```", [("code", "<think>\n</think>")]),
        ("<think>", [("thought", "")]),
        ("", []),
    ],
)
def test_pieces(reply: str, expected: list[tuple[str, str]]) -> None:
    assert pieces(reply) == expected


def test_the_language_and_what_is_still_open() -> None:
    """Only the last piece can be open; a fence is closed by as many marks as opened it."""
    prose, code = split("Like so:\n````py title=a\nx\n```\ny")
    assert (code.language, code.text, code.closed, prose.closed) == ("py", "x\n```\ny", False, True)
    assert split("<think>so far")[0].closed is False


def test_splitting_goes_on_where_the_open_piece_begins() -> None:
    """However a reply is cut, going on from the last piece gives what the whole gives."""
    reply = "<think>hm</think>One\n```c\nint a;\n```\nTwo\n\n~~~\nb\n~~~\nThree"
    whole = split(reply)
    for cut in range(1, len(reply)):
        begun = split(reply[:cut])
        start = begun[-1].start if begun else 0
        assert [*begun[:-1], *split(reply, start)] == whole, cut


def test_extending_gives_what_splitting_gives() -> None:
    """Letter by letter, wherever it does not ask for more to be looked at; in plain prose it never does."""
    reply = "<think>hm</think>One, two\nand three\n```c\nint a;\n```\nTwo <b>\n\nThree"
    extended = 0
    for end in range(1, len(reply)):
        before = split(reply[:end])
        longer = extend(before[-1], reply[: end + 1], reply[end]) if before else None
        if longer is not None:
            extended += 1
            assert [*before[:-1], longer] == split(reply[: end + 1]), reply[: end + 1]
    assert extended == 19
