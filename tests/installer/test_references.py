"""The reference pages are what the code says, lack nothing, and every link of the documentation leads somewhere."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from app.help.documentation import heading_anchor
from workflows.bundle.schema import Pipeline
from workflows.cli import app
from workflows.common import errors
from workflows.recipe.schema import Recipe

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "resources" / "docs"
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def load() -> Any:
    spec = importlib.util.spec_from_file_location("references", ROOT / "installer" / "references.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REFERENCES = load()


@pytest.mark.parametrize("name", REFERENCES.PAGES)
def test_a_page_is_what_the_code_says(name: str) -> None:
    """After a change of the code: .venv/bin/python installer/references.py."""
    assert (DOCS / name).read_text("utf-8") == REFERENCES.PAGES[name](), "run .venv/bin/python installer/references.py"


def test_every_option_of_every_command_is_listed() -> None:
    sections = re.split(r"^## joinery ", (DOCS / "reference-commands.md").read_text("utf-8"), flags=re.MULTILINE)
    texts = {section.split()[0]: section for section in sections[1:]}
    commands = typer.main.get_group(app).commands
    assert texts.keys() == commands.keys()
    for name, command in commands.items():
        loaded: Any = command.loaded  # type: ignore[attr-defined]
        for one in (loaded, *getattr(loaded, "commands", {}).values()):
            for option in (found for param in one.params if not param.hidden for found in param.opts):
                assert not option.startswith("-") or f"`{option}`" in texts[name], (name, option)


@pytest.mark.parametrize(("model", "name"), [(Recipe, "reference-recipe.md"), (Pipeline, "reference-pipeline.md")])
def test_every_key_is_listed_with_its_default(model: Any, name: str) -> None:
    """Of the whole tree of objects, as pydantic's own JSON schema has it."""
    text = (DOCS / name).read_text("utf-8")
    schema = model.model_json_schema()
    for owner in (schema, *schema.get("$defs", {}).values()):
        for key in owner.get("properties", {}):
            assert f"| `{key}` |" in text, key
    assert name != "reference-recipe.md" or "| `chunk` | integer, > 0, ≤ 65,536 | `64` |" in text


def test_the_catalogue_has_the_sentences_of_every_class() -> None:
    """A sample that is raised elsewhere in these tests, and an exit code for each class."""
    text = (DOCS / "reference-errors.md").read_text("utf-8")
    assert "… is neither a bundle folder nor an .onnx file: check the path." in text
    for name, one in vars(errors).items():
        if f"\n## {name}\n" in text:
            assert f"Exit code {one.exit_code}." in text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\| .*: .* \|", text, re.MULTILINE)) > 300


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda path: path.stem)
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file of the repository, and to a heading of it where the link names one."""
    for link in _LINK.findall(re.sub(r"`[^`]*`", "", page.read_text("utf-8"))):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor:
            heads = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(heading_anchor, heads), link


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 150
    for link in _LINK.findall(text):
        assert link.startswith("https://") or (ROOT / link.partition("#")[0]).exists(), link
