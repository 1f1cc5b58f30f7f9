"""The reference pages of the documentation, made from the code they describe.

    python installer/references.py          parser, schemas, names, raised errors ──▶ resources/docs/reference-*.md
    python installer/references.py --check  names the pages that are not what the code says; exit code 1

commands ◀── typer's parser · recipe, pipeline ◀── pydantic's models · api ◀── __all__ of each package
errors ◀── each `raise` of an error class, with {0}, {1} … in place of its values
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pydantic import BaseModel  # noqa: E402
from pydantic.fields import FieldInfo  # noqa: E402
from pydantic_core import PydanticUndefined  # noqa: E402

FOLDER = ROOT / "resources" / "docs"
NOTE = "Made from the code by `installer/references.py`: change the code, not this page."


def cell(text: object) -> str:
    """A cell of a table: one line, without what would end the cell."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(heads: list[str], rows: list[list[object]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(cell(one) for one in line)} |" for line in lines]


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


def page(title: str, lead: str, body: list[str]) -> str:
    return "\n".join([f"# {title}", "", lead, "", NOTE, "", *body]).rstrip() + "\n"


# ---- commands --------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Every command, argument and option, and which commands need the build part."""
    import typer

    from tests.workflows.run_part import USES
    from workflows.cli import app
    from workflows.cli.commands import COMMANDS

    group = typer.main.get_group(app)
    needs = {use.line.split()[0] for use in USES.values() if use.build}
    also = {use.line.split()[0] for use in USES.values() if not use.build}
    body = ["## Options of the program", "", *_parameters(group), "", "## Parts", ""]
    body += table(
        ["command", "does", "without the build part"],
        [[code(name), does, _without(name, needs, also)] for name, (_, does) in COMMANDS.items()],
    )
    for name, command in group.commands.items():
        body += ["", f"## joinery {name}", "", *_command(command.loaded, f"joinery {name}")]  # type: ignore[attr-defined]
    lead = "Every command of `joinery` with its arguments and options. [Command line](command-line.md) has examples."
    return page("Reference: commands", lead, body)


def _without(name: str, needs: set[str], also: set[str]) -> str:
    if name not in needs:
        return "works"
    return "works, but not against a checkpoint" if name in also else "names what installs it"


def _command(command: Any, path: str) -> Iterator[str]:
    yield from filter(None, [_plain(command.help or "")])
    words = " ".join(_argument(one) for one in command.params if not _is_option(one))
    inner = getattr(command, "commands", {})
    yield from ["", f"    {path}{f' {words}' if words else ''}{' COMMAND' if inner else ''} [OPTIONS]", ""]
    yield from _parameters(command)
    for name, sub in inner.items():
        yield from ["", f"### {path} {name}", "", *_command(sub, f"{path} {name}")]


def _plain(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def _parameters(command: Any) -> list[str]:
    rows: list[list[object]] = []
    for one in command.params:
        if getattr(one, "hidden", False):
            continue
        names = [*one.opts, *one.secondary_opts] if _is_option(one) else [_argument(one)]
        kind = "" if getattr(one, "is_flag", False) or not _is_option(one) else _kind(one)
        rows.append([f"{', '.join(map(code, names))} {kind}".strip(), _default(one), one.help or ""])
    return table(["name", "default", "meaning"], rows) if rows else []


def _is_option(parameter: Any) -> bool:
    return bool(parameter.opts[0].startswith("-"))


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    return name if parameter.required else f"[{name}]"


def _kind(option: Any) -> str:
    """What an option takes: its own word, the values of a choice, or the kind of value."""
    if option.metavar:
        return code(option.metavar)
    annotation = option.type_descriptor.annotation
    [annotation] = get_args(annotation) if get_origin(annotation) is list else [annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " · ".join(code(one.value) for one in annotation)
    words = {str: "TEXT", int: "N", float: "X", Path: "PATH"}
    return _type(annotation) if get_origin(annotation) is Literal else code(words.get(annotation, annotation.__name__))


def _default(option: Any) -> str:
    if option.required:
        return "required"
    value = option.default() if callable(option.default) else option.default
    return "" if value in (None, False, (), [], "") or "UNSET" in repr(value) else code(getattr(value, "value", value))


# ---- schemas ---------------------------------------------------------------------------------------------------------


def recipe() -> str:
    """Every field of a recipe, with those of its objects."""
    from workflows.recipe.schema import Recipe

    lead = (
        "Every field of a recipe: the file of `joinery build --recipe FILE`, and the keys of `--set KEY=VALUE`. A "
        "field that is not in this list is refused by its name."
    )
    return page("Reference: recipe", lead, list(_model(Recipe, "", set())))


def pipeline() -> str:
    """Every key of pipeline.json."""
    from workflows.bundle.schema import Pipeline

    lead = (
        "Every key of `pipeline.json`, version 2. All of them are honoured but for those whose meaning says that they "
        "are ignored; a key that is not in this list is refused with its path, and so are values of another kind. "
        "Under `metadata` other keys are kept and mean nothing. `paging.enabled: true` is refused, for there is no "
        "paged cache."
    )
    body = [*_model(Pipeline, "", set()), "## What is refused", "", "Beyond the kinds of values above:", ""]
    return page("Reference: pipeline.json", lead, [*body, *table(["what the error says", "of"], _faults())])


def _faults() -> list[list[object]]:
    """The sentences of the faults that the bundle's reader finds in a pipeline, each once."""
    from app.text.engine_sources import pattern_of

    found: dict[str, str] = {}
    for file in sorted((ROOT / "workflows" / "bundle").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Fault":
                text = pattern_of(node.args[1]) if len(node.args) > 1 else None
                found |= {_shown(text): code(file.stem)} if text else {}
    return [[text, place] for text, place in sorted(found.items())]


def _shown(pattern: str) -> str:
    """A sentence as a page shows it: `…` for a value, and nothing that Markdown would read."""
    return re.sub(r"\{\d+\}", "…", pattern).replace("<", "&lt;").replace("*", "\\*")


def _model(model: type[BaseModel], prefix: str, seen: set[type]) -> Iterator[str]:
    seen.add(model)
    text = inspect.cleandoc(model.__doc__ or "")
    names = {field.alias or name for name, field in model.model_fields.items()}
    summary, meanings = _meanings(text, names)
    yield from [f"## {prefix or 'The file'}", "", *([summary, ""] if summary else [])]
    rows, inner = [], []
    for name, field in model.model_fields.items():
        key = field.alias or name
        below = list(_models(field.annotation))
        meaning = meanings.get(key, "") or " ".join(_first_sentence(found) for _, found in below[:1])
        rows.append([code(key), _type(field.annotation, field), _field_default(field), meaning])
        inner += [(_path(prefix, key, place), found) for place, found in below]
    yield from [*table(["key", "value", "default", "meaning"], rows), ""]
    for path, found in inner:
        if found not in seen:
            yield from _model(found, path, seen)


def _first_sentence(model: type[BaseModel]) -> str:
    summary, _ = _meanings(inspect.cleandoc(model.__doc__ or ""), set(model.model_fields))
    return summary.partition(". ")[0].partition("; ")[0].rstrip(".") + "."


def _path(prefix: str, key: str, place: str) -> str:
    return f"{prefix}.{key}{place}".lstrip(".")


def _meanings(docstring: str, names: set[str]) -> tuple[str, dict[str, str]]:
    """The text before the first field, and what it says of each: `name: text.` or `one, two: text.`"""
    text = " ".join(docstring.split())
    heads = [
        found for found in re.finditer(r"(?:^|(?<=[.;] ))((?:\w+, )*\w+): ", text) if set(found[1].split(", ")) & names
    ]
    out = {}
    for head, following in zip_longest(heads, heads[1:]):
        meaning = text[head.end() : following.start() if following else None].strip().rstrip(";")
        out |= dict.fromkeys(head[1].split(", "), meaning)
    return (text[: heads[0].start()] if heads else text).strip(), out


def _models(annotation: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """The objects below a field: ("", Model), or (".NAME", Model) for a mapping, ("[]", Model) for a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield "", annotation
        return
    origin, inner = get_origin(annotation), get_args(annotation)
    place = {dict: ".NAME", list: "[]", tuple: "[]"}.get(origin, "")
    for one in inner:
        yield from ((f"{place}{more}", found) for more, found in _models(one))


def _type(annotation: Any, field: FieldInfo | None = None) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0]) + _limits(inner[1:])
    if origin is Literal:
        text = " · ".join(f"`{one}`" for one in inner)
    elif origin in (Union, UnionType):
        text = " or ".join(dict.fromkeys(_type(one) for one in inner if one is not NoneType))
    elif origin in (list, tuple):
        text = f"list of {_type(inner[0])}"
    elif origin is dict:
        text = f"object: name → {_type(inner[1])}"
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        text = "object"
    else:
        text = {str: "text", int: "integer", float: "number", bool: "`true` · `false`"}.get(annotation, "any value")
    return text + (_limits(field.metadata) if field else "")


def _limits(metadata: Iterable[Any]) -> str:
    signs = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    stated = [one for found in metadata for one in getattr(found, "metadata", [found])]  # Field() within Annotated
    limits = [f"{sign} {getattr(one, name):,}" for one in stated for name, sign in signs.items() if hasattr(one, name)]
    return f", {', '.join(limits)}" if limits else ""


def _field_default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined or value is None or isinstance(value, BaseModel) or value in ({}, [], (), ""):
        return ""
    return code(str(value).lower() if isinstance(value, bool) else value)


# ---- the Python interface --------------------------------------------------------------------------------------------

PACKAGES = (
    *("builder", "recipe", "checkpoint", "bundle", "runtime", "kvcache", "generate", "predict", "media"),
    *("optimize", "quantize", "evaluation.accuracy", "evaluation.divergence", "inspection.probe", "service"),
)


def api() -> str:
    """The public names of each package: its `__all__`."""
    body = []
    for name in PACKAGES:
        module = import_module(f"workflows.{name}")
        body += [f"## workflows.{name}", "", _first(module), ""]
        for public in sorted(module.__all__, key=str.lower):
            body += list(_public(public, getattr(module, public)))
    lead = (
        "The public names of each package (`__all__`), with the first paragraph of what their docstrings say.\n"
        "In an installed wheel `import joinery` comes first: it makes the package `workflows` importable."
    )
    return page("Reference: Python", lead, body)


def _first(thing: object) -> str:
    text = inspect.getdoc(thing) or ""
    return " ".join(text.split("\n\n")[0].split())


def _public(name: str, value: object) -> Iterator[str]:
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        yield from [f"- `{name}`: a value of type `{type(value).__name__}`.", ""]
        return
    yield from [f"### {name}", "", f"    {name}{_signature(value)}", "", _first(value), ""]
    if inspect.isclass(value):
        for own, member in vars(value).items():
            function = member.fget if isinstance(member, property) else member
            if own.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
                continue
            call = "" if isinstance(member, property) else _signature(function)
            yield f"- `{own}{call}`: {_first(function)}"
        yield ""


def _signature(value: Callable[..., object]) -> str:
    """As written: no quotes around types, `…` for a default that is a function; of a schema its keys alone."""
    if inspect.isclass(value) and issubclass(value, BaseModel):
        return f"({', '.join(value.model_fields)})"
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = []
    for one in found.parameters.values():
        if isinstance(one.annotation, str):
            one = one.replace(annotation=_Written(one.annotation))
        if callable(one.default) and one.default is not one.empty:
            one = one.replace(default=_Written("…"))
        parameters += [one] if one.name != "self" else []
    returns = found.return_annotation
    text = found.replace(
        parameters=parameters, return_annotation=_Written(returns) if isinstance(returns, str) else returns
    )
    return str(text).replace("workflows.recipe.family.", "")


class _Written(str):
    """A type or a default as it stands in the code."""

    def __repr__(self) -> str:
        return str(self)


# ---- errors ----------------------------------------------------------------------------------------------------------


def errors() -> str:
    """Every sentence with which an error class is raised, by class."""
    from workflows.common import errors as module

    classes = {
        name: one for name, one in vars(module).items() if inspect.isclass(one) and issubclass(one, module.JoineryError)
    }
    found: dict[str, dict[str, str]] = {name: {} for name in classes}
    for file in sorted((ROOT / "workflows").rglob("*.py")):
        place = file.relative_to(ROOT / "workflows").parent.as_posix()
        for name, sentence in _raised(ast.parse(file.read_text("utf-8")), found.keys()):
            found[name].setdefault(sentence, place if place != "." else "workflows")
    body = [f"{sum(map(len, found.values())):,} sentences in {sum(map(bool, found.values()))} classes.", ""]
    for name, sentences in found.items():
        if sentences:
            body += [f"## {name}", "", f"{_first(classes[name])} Exit code {classes[name].exit_code}.", ""]
            body += [*table(["sentence", "of"], [[text, place] for text, place in sorted(sentences.items())]), ""]
    lead = (
        "Every sentence with which Joinery refuses or fails on purpose, by the class of its error and with the package "
        "that it is of. `…` stands for a value. What to do stands in the sentence itself. A sentence that a refusal "
        "carries as its reason, and those of other libraries, are not in the list."
    )
    return page("Reference: errors", lead, body)


def _raised(tree: ast.AST, classes: Any) -> Iterator[tuple[str, str]]:
    from app.text.engine_sources import is_sentence, pattern_of

    for node in ast.walk(tree):
        call = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Return) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in classes and call.args:
            text = pattern_of(call.args[0])
            if text and is_sentence(text):
                yield call.func.id, _shown(text)


PAGES: dict[str, Callable[[], str]] = {
    "reference-commands.md": commands,
    "reference-recipe.md": recipe,
    "reference-pipeline.md": pipeline,
    "reference-python.md": api,
    "reference-errors.md": errors,
}


def stale() -> list[str]:
    """The pages that are not what the code says."""
    return [
        name
        for name, make in PAGES.items()
        if not (FOLDER / name).is_file() or make() != (FOLDER / name).read_text("utf-8")
    ]


def main(arguments: list[str]) -> int:
    os.environ.setdefault("JOINERY_HOME", str(ROOT / ".venv"))  # a default that names a folder names nobody's
    if arguments == ["--check"]:
        for name in (names := stale()):
            print(f"resources/docs/{name} is not what the code says: run python installer/references.py.")
        return int(bool(names))
    if arguments:
        print(__doc__)
        return 2
    for name, make in PAGES.items():
        (FOLDER / name).write_text(make(), "utf-8")
        print(FOLDER / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
