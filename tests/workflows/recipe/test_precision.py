"""No module of the engine tells a part by comparing words: what a part is stands in recipe/cut.py."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from workflows.recipe.cut import ComponentRole

ENGINE = Path(__file__).parents[3] / "workflows"
ROLES = {role.value for role in ComponentRole}
OWNERS = ("recipe/cut.py", "recipe/families.py", "recipe/family.py")  # where the words are made
RUN = "a run of the program, whatever the sessions in it are called"
# where a word means something else
OTHERWISE = {
    "runtime/": {"prefill": RUN, "decode": RUN},
    "bundle/": {
        "decode": RUN,
        "draft": "a key of the strategy and of the roles",
        **dict.fromkeys(("vision", "speech"), "a word in the names of tensors, and a part of genai's folders"),
    },
    "measure/": dict.fromkeys(("prefill", "decode"), "the phase of a step that was kept"),
    "interop/gguf_export/": {"model": "a key of tokenizer.json"},
    "bundle/genai/": dict.fromkeys(("model", "encoder", "decoder"), "a key of genai_config.json"),
    "evaluation/divergence/recorded_values": {"prefill": "the phase of a recorded run"},
    "inspection/report/sweep_report": dict.fromkeys(("prefill", "decode"), "a measured phase"),
    "service/remote/path_fields": {"draft": "a field of a request"},
    "service/http/metrics": {"prefill": RUN},
    "service/http/": {"model": "a field of OpenAI's requests"},
    "common/stage_cache": {"draft": "a folder that is not whole yet"},
    **{place: {"head": "the role of a weight"} for place in ("quantize/roles", "recipe/precision")},
    "checkpoint/": {"model": "a key of tokenizer.json"},
}


def compared(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, word) of every role that is compared with as a literal, matched, looked up by, or listed with others."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if not (isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal"):  # a type compares nothing
            yield from ((p.lineno, p.value) for p in _told(node) if isinstance(p, ast.Constant) and p.value in ROLES)
            pending += ast.iter_child_nodes(node)


def _told(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.MatchValue):
        return [node.value]
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "index"):
        return node.args[:1]
    listed = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else []
    return listed if all(isinstance(one, ast.Constant) for one in listed) else []


def in_engine() -> Iterator[tuple[str, int, str]]:
    """(file, line, word) in every module but those that own the words."""
    for path in ENGINE.rglob("*.py"):
        name = path.relative_to(ENGINE).as_posix()
        if not name.startswith(OWNERS):
            yield from ((name, line, word) for line, word in compared(ast.parse(path.read_text("utf-8"))))


def test_parts_are_distinguished_by_their_role() -> None:
    """Not by the literal word; where one means something else stands above."""
    excused = {(folder, word) for folder, words in OTHERWISE.items() for word in words}
    found = list(in_engine())
    assert [one for one in found if not any(one[0].startswith(f) and one[2] == w for f, w in excused)] == []
    for folder, word in excused:  # and no longer than it does
        assert any(name.startswith(folder) and word == other for name, _, other in found), (folder, word)


@pytest.mark.parametrize(
    "code",
    [
        "role == 'encoder'",
        "'encoder' != role",
        "name in ('prefill', 'x')",
        "name not in ['head']",
        "sessions['decode']",
        "sessions.get('decoder')",
        "match role:\n case 'transformer':\n  pass",
        "WITHOUT_CACHE = ('head', 'x')",
    ],
)
def test_the_scan_sees_a_comparison(code: str) -> None:
    """Of every form."""
    assert [word in ROLES for _, word in compared(ast.parse(code))] == [True]


def test_the_scan_passes_over_what_compares_nothing() -> None:
    """The phase of a run is another matter, and so is a word that is handed on."""
    for code in ("run([token], 'decode')", "{'model': 1}", "role == Role.HEAD", "Literal['decode', 'prefill']"):
        assert not list(compared(ast.parse(code)))
