"""The shape of the code: names of the field, one class per name, whole classes, no circles, few loose files.

syntax trees of workflows/ and app/ ──▶ names, sizes, imports ──held against──▶ the limits here
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = ("workflows", "app")
FORBIDDEN = {
    *("told", "tell", "tells", "hear", "heard", "hears", "say", "says", "said", "ask", "asks", "asked"),
    *("apart", "aside", "errand", "door", "doors", "found", "where", "left", "kept", "taken", "given"),
    *("dressing", "looks", "lights", "words", "slab", "doubts", "suits", "leftover", "alike", "placing", "lacking"),
}
"""Words that describe a thing's place in a sentence instead of the thing: see "Words" in CONTRIBUTING.md."""
ALLOWED = {
    "left": "a direction: left-aligned, the left edge; the left operand of Jinja's call_binop; in `next`, see below",
    "tell": "the method of Python's file protocol",
    "words": "bad words of generation_config.json, and words of a vocabulary",
    "apart": "means_apart is the key of a pass in recipes, which must not change",
    "given": "the inputs of one prompt, in `Machine.start` and its binding",
    "taken": "with `given`: the inputs that a graph consumed",
    "ask": "a person asks in a conversation: `Conversation.ask`",
    "where": "`Controller.load` of plug-ins, whose signature is public",
}
DUPLICATES: dict[str, str] = {}
"""Public class names that stand twice, with the reason."""
MOST_LINES, MOST_METHODS, MOST_LARGE_CLASSES, MOST_LOOSE = 60, 20, 8, 5


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """Every module of the product, relative to the root."""
    for package in PRODUCT:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


MODULES = dict(modules())


def parts(name: str) -> set[str]:
    """The words of a name: "StageCache" and "stage_cache" are both stage, cache."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def public_names() -> Iterator[tuple[str, str]]:
    """(place, name) of files, public classes, public functions and their arguments."""
    for path, tree in MODULES.items():
        yield str(path), path.stem
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield f"{path}:{node.lineno}", node.name
            if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
                yield f"{path}:{node.lineno}", node.name
                arguments = node.args
                for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                    yield f"{path}:{node.lineno}", one.arg


def test_names_are_words_of_the_field() -> None:
    """A word that is allowed for a reason may not spread: each has its number, which may only fall."""
    found = defaultdict(list)
    for place, name in public_names():
        for word in parts(name) & FORBIDDEN:
            found[word].append(f"{place} {name}")
    assert {word: places for word, places in found.items() if word not in ALLOWED} == {}
    assert ALLOWED.keys() <= found.keys()
    assert sum(map(len, found.values())) <= 30, found


def test_the_control_sees_a_forbidden_word() -> None:
    assert parts("KeptChoices") & FORBIDDEN == {"kept"} and parts("told_apart") & FORBIDDEN == {"told", "apart"}
    assert parts("StageCache") == {"stage", "cache"}


def test_a_public_class_name_stands_once() -> None:
    places = defaultdict(list)
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path))
    assert {name: where for name, where in places.items() if len(where) > 1 and name not in DUPLICATES} == {}


def test_functions_and_classes_are_of_a_readable_size() -> None:
    large = []
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert (node.end_lineno or 0) - node.lineno < MOST_LINES, f"{path}:{node.lineno} {node.name}"
            if isinstance(node, ast.ClassDef):
                methods = sum(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) for one in node.body)
                large += [f"{path} {node.name}: {methods}"] * (methods > MOST_METHODS)
    assert len(large) <= MOST_LARGE_CLASSES, large


@pytest.mark.parametrize("package", PRODUCT)
def test_few_files_are_loose(package: str) -> None:
    assert len(list((ROOT / package).glob("*.py"))) <= MOST_LOOSE


def imported(tree: ast.Module, names: set[str]) -> set[str]:
    """The modules of the product that a module imports, anywhere in it."""
    result = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            result |= {one.name for one in node.names} & names
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = {f"{node.module}.{one.name}" for one in node.names} & names
            result |= full or {node.module} & names
    return result


def test_no_module_imports_itself_through_others() -> None:
    """Imports in functions and under TYPE_CHECKING count: no class is cut into pieces that need each other."""
    named = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): tree for path, tree in MODULES.items()}
    graph = {name: imported(tree, set(named)) - {name} for name, tree in named.items()}
    while free := [name for name, needs in graph.items() if not needs & graph.keys()]:
        for name in free:
            del graph[name]
    used = set().union(*graph.values()) if graph else set()
    assert sorted(graph.keys() & used) == []
