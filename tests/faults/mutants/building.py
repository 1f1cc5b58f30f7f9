"""A tiny checkpoint, its bundle, and a build of it whose two long stages are those of the first build.

checkpoint ──opened, checked──▶ weights loaded, the model run as it is cut ──▶ graphs of the first build ──▶ bundle
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.faults.mutants.lines import line
from tests.workflows.checkpoint.gguf.converting import write_model
from tests.workflows.checkpoint.gguf.making import changed_header
from tests.workflows.conftest import make_qwen3
from workflows.builder import run
from workflows.bundle.evidence import Evidence
from workflows.checkpoint import Checkpoint
from workflows.export.components import _attention_of, _tracer_for
from workflows.export.load import load_model
from workflows.recipe import Recipe, family_for

_SIZES = {"vocab_size": 1024, "hidden_size": 32, "intermediate_size": 32, "head_dim": 16, "num_attention_heads": 2,
          "num_key_value_heads": 1, "num_hidden_layers": 2, "max_position_embeddings": 256}  # fmt: skip
_WORDS = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json")
_DEMO = Path(__file__).parents[3] / "resources" / "demos" / "qwen3"
WHOLE = 50
"""One mutant in so many is traced and optimized for real."""


def lay(root: Path) -> None:
    """checkpoint/ and b/, the bundle of it; its stages in export/ and optimize/."""
    make_qwen3(root / "checkpoint", **_SIZES)
    for name in _WORDS:
        shutil.copyfile(_DEMO / name, root / "checkpoint" / name)
    _build_first(root)


def lay_gguf(root: Path) -> None:
    """The same of a checkpoint in GGUF."""
    write_model(root / "checkpoint", "qwen3")
    _build_first(root)


def change_gguf(root: Path, chances: random.Random) -> str:
    """Its header, or its length."""
    file = root / "checkpoint" / "qwen3.gguf"
    file.write_bytes(changed_header(file.read_bytes(), chances))
    return "header"


def _build_first(root: Path) -> None:

    def kept(name: str, make: Any) -> Any:
        def made(*arguments: Any) -> Evidence:
            evidence = make(*arguments)
            shutil.copytree(arguments[-1], root / name)
            (root / f"{name}.json").write_text(json.dumps(evidence), "utf-8")
            return evidence

        return made

    export, optimize = kept("export", run._export), kept("optimize", run._optimize)
    with patch.object(run, "_export", export), patch.object(run, "_optimize", optimize):
        line("build", root / "checkpoint", "--out", root / "b")


def build(root: Path) -> list[str]:
    """`joinery build` with the stages of the first build; what it said besides."""

    def exported(work: Any, checkpoint: Checkpoint, recipe: Recipe, folder: Path) -> Evidence:
        family = family_for(recipe.model_type, recipe.task)
        model = load_model(checkpoint, recipe.task, family.remote_code, _attention_of(family))
        _tracer_for(family, recipe, None, checkpoint)(model, recipe)
        return _taken(root, "export", folder)

    def optimized(work: Any, stage: Path, recipe: Recipe, pipeline: Any, folder: Path) -> Evidence:
        return _taken(root, "optimize", folder)

    with patch.object(run, "_export", exported), patch.object(run, "_optimize", optimized):
        return line("build", root / "checkpoint", "--out", root / "out")


def _taken(root: Path, name: str, folder: Path) -> Evidence:
    shutil.copytree(root / name, folder, dirs_exist_ok=True)
    return json.loads((root / f"{name}.json").read_text("utf-8"))


def build_and_run(root: Path) -> list[str]:
    """Built, one in WHOLE for real, verified, and asked for a few tokens."""
    drawn = random.Random((root / "checkpoint" / "config.json").read_bytes())
    if drawn.randrange(WHOLE):
        said = build(root)
    else:
        said = line("build", root / "checkpoint", "--out", root / "out")
    said += line("verify", root / "out")
    return said + line("generate", root / "out", "--prompt", "The forest", "--max-new-tokens", "3")
