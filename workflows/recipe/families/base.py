"""What a family says, and the registry (model_type, task) → family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.errors import CheckpointError, RecipeError, printable


@dataclass(frozen=True)
class Geometry:
    """What a family reads from a config before anything is exported; the cache itself asks the graphs."""

    layers: int
    hidden_size: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    max_positions: int

    def kv_bytes_per_token(self, item: int = 4) -> int:
        """Bytes that one token takes in the cache: keys and values of every layer."""
        return 2 * self.layers * self.kv_heads * self.head_dim * item


@dataclass(frozen=True)
class Family:
    """One architecture family.

    tasks: the first is the default. layouts: legal cache layouts; `refused`: every other → why not.
    passes: optimizer passes that run by default. config_names: our words → the config's attribute names.
    """

    name: str
    model_types: tuple[str, ...]
    tasks: tuple[str, ...]
    layouts: tuple[str, ...]
    refused: Mapping[str, str]
    passes: tuple[str, ...]
    config_names: Mapping[str, str]

    def geometry(self, config: Mapping[str, Any]) -> Geometry:
        """The sizes in `config`. Raises CheckpointError for one that is missing or no positive whole number."""
        heads = _whole(config, self.config_names["heads"])
        hidden = _whole(config, self.config_names["hidden_size"])
        return Geometry(
            layers=_whole(config, self.config_names["layers"]),
            hidden_size=hidden,
            kv_heads=_whole(config, self.config_names["kv_heads"], heads),
            head_dim=_whole(config, self.config_names["head_dim"], hidden // heads),
            vocabulary=_whole(config, self.config_names["vocabulary"]),
            max_positions=_whole(config, self.config_names["max_positions"]),
        )


class Registry:
    """(model_type, task) → family. Raises RecipeError when two families claim the same pair."""

    def __init__(self, families: Iterable[Family]) -> None:
        self.families = tuple(families)
        self._by_pair: dict[tuple[str, str], Family] = {}
        for family in self.families:
            for model_type in family.model_types:
                for task in family.tasks:
                    other = self._by_pair.setdefault((model_type, task), family)
                    if other is not family:
                        raise RecipeError(f"{family.name} and {other.name} both claim {model_type} for {task}.")

    @property
    def model_types(self) -> tuple[str, ...]:
        """Every model type that some family builds, sorted."""
        return tuple(sorted({model_type for model_type, _ in self._by_pair}))

    def find(self, model_type: str, task: str | None = None) -> Family:
        """See family_for."""
        tasks = sorted(t for m, t in self._by_pair if m == model_type)
        if not tasks:
            raise RecipeError(
                f"The architecture {printable(model_type)!r} is not one that Joinery can build: "
                f"it builds {', '.join(self.model_types)}."
            )
        if task is None:
            task = next(f for f in self.families if model_type in f.model_types).tasks[0]
        if (model_type, task) not in self._by_pair:
            raise RecipeError(f"{model_type} cannot be built for the task {task!r}: choose {', '.join(tasks)}.")
        return self._by_pair[model_type, task]


def _whole(config: Mapping[str, Any], name: str, default: int | None = None) -> int:
    value = config.get(name)
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise CheckpointError(
            f"config.json says {name} = {printable(value)}, where a positive whole number must stand: mend the file."
        )
    return value
