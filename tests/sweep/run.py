"""Many cases, one after another: a shard of them, within a time, none twice."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from tests.sweep.adjust import VARIANTS, changes_for
from tests.sweep.case import Verdict, decoder_case
from tests.sweep.seam import seam_case
from tests.sweep.tiny import EVERY_HEAD, HEAD, LAYERS, WINDOW, tiny_config
from workflows.recipe.schema import Cache

Case = Callable[[], Verdict]
DEFAULT = "default"  # the cache that nobody chose


def decoders(graphs: bool = True, layers: int = LAYERS, head: int = HEAD) -> dict[str, Case]:
    """Every model type that transformers has a causal LM for → its case; graphs: with a real build.

    head: the size of its heads, where nothing that the class needs says otherwise.
    """
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING

    classes = {config.model_type: config for config in MODEL_FOR_CAUSAL_LM_MAPPING}
    own = {name: (config, changes_for(name, head)) for name, config in sorted(classes.items())}
    own |= {name: (classes[of], changes) for name, (of, changes) in VARIANTS.items()}
    return {name: _case(name, config, changes, graphs, layers, head) for name, (config, changes) in own.items()}


def _case(name: str, config_class: Any, changes: dict[str, Any], graphs: bool, layers: int, head: int) -> Case:
    def run() -> Verdict:
        try:
            config = tiny_config(config_class, changes, layers, head)
        except Exception as error:  # noqa: BLE001 - transformers' own checks, of every kind
            return Verdict(name, "no config", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
        return decoder_case(name, config) if graphs else seam_case(name, config)

    return run


def heads() -> dict[str, Case]:
    """`80 gqa` → its case, for every head size and cache: Qwen 3 with a window, its hidden size no multiple of 8."""
    from transformers import Qwen3Config

    def case(size: int, cache: str) -> Case:
        layers = {"layer_types": ["full_attention", "sliding_attention"], "sliding_window": WINDOW}

        def run() -> Verdict:
            config = tiny_config(
                Qwen3Config, {"hidden_size": 4 * size + 6, "use_sliding_window": True} | layers, head=size
            )
            return decoder_case(f"{size} {cache}", config, {} if cache == DEFAULT else {"cache": cache})

        return run

    return {f"{size} {cache}": case(size, cache) for size in EVERY_HEAD for cache in (DEFAULT, *get_args(Cache))}


def shard_of(cases: Mapping[str, Case], shard: str) -> dict[str, Case]:
    """`2/4`: every fourth case from the second on."""
    number, count = (int(part) for part in shard.split("/"))
    return dict(list(cases.items())[number - 1 :: count])


def run(cases: Mapping[str, Case], minutes: float, file: Path | None = None) -> list[Verdict]:
    """The verdicts; no case is begun after `minutes`. file: holds those of earlier runs, which are not run again."""
    found, until = read(file), time.monotonic() + 60 * minutes
    for name in [name for name in cases if name not in found]:
        if time.monotonic() > until:
            break
        began = time.monotonic()
        found[name] = cases[name]()
        print(f"{name}: {found[name].kind} ({time.monotonic() - began:.0f} s) {found[name].note}", flush=True)
        _write(file, found.values())
    return [found[name] for name in cases if name in found]


def command(
    name: str, description: str | None, cases: Mapping[str, Case], table: Callable[[list[Verdict]], str]
) -> None:
    """Runs a sweep with a document of its own as the command's arguments say."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.sweep.{name}", description=description)
    parser.add_argument("--shard", default="1/1", help="K/N: every N-th case from the K-th on")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no case after so long")
    parser.add_argument("--json", type=Path, help="verdicts go here; what stands there is not run again")
    parser.add_argument("--table", type=Path, help="a document of the verdicts goes here")
    parser.add_argument("--only", nargs="+", help="model types")
    given = parser.parse_args()
    chosen = shard_of(cases, given.shard)
    if given.only:
        chosen = {one: case for one, case in chosen.items() if one.split()[0] in given.only}
    verdicts = run(chosen, given.minutes, given.json)
    if given.table:
        given.table.write_text(table(verdicts), "utf-8")


def read(file: Path | None) -> dict[str, Verdict]:
    """The verdicts that `file` holds, by name."""
    if file is None or not file.is_file():
        return {}
    return {one["name"]: Verdict(**one) for one in json.loads(file.read_text("utf-8"))}


def _write(file: Path | None, verdicts: Iterable[Verdict]) -> None:
    if file is not None:
        file.write_text(json.dumps([asdict(one) for one in verdicts], indent=1), "utf-8")
