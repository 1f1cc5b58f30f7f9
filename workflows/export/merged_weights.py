"""Says which stored tensors transformers merges into one weight while it loads a model, such as a layer's experts.

    experts.0.gate_proj, experts.0.up_proj, experts.1.gate_proj … [F,H] ──▶ recipe of experts.gate_up_proj [E,2·F,H]

transformers would read, stack and join them in memory; a recipe says the same without reading one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from transformers import PreTrainedModel
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.core_model_loading import (
    Concatenate,
    ConversionOps,
    MergeModulelist,
    WeightConverter,
    WeightRenaming,
    dot_natural_key,
    rename_source_key,
)

from workflows.checkpoint.weights import TensorInfo
from workflows.graph.described_weights import StoredWeight, WeightRecipe


@dataclass(frozen=True)
class Conversion:
    """The weight `target`, by the model's name, which transformers computes of the stored tensors `sources`.

    recipe: None where it is not known how.
    """

    target: str
    sources: tuple[str, ...]
    recipe: WeightRecipe | None


class StoredNames:
    """Where the parameters of `skeleton` are stored: plain, parameter → tensor; merged, parameter → several tensors."""

    def __init__(self, skeleton: PreTrainedModel, tensors: Mapping[str, TensorInfo]) -> None:
        def stored(name: str) -> StoredWeight:
            return StoredWeight("", 0, tensors[name].dtype, tensors[name].shape, name)

        self.merged = {one.target: one for one in find_conversions(skeleton, tensors, stored)}
        sources = {name for one in self.merged.values() for name in one.sources}
        renamings = [one for one in get_model_conversion_mapping(skeleton) or [] if isinstance(one, WeightRenaming)]
        prefix, state = skeleton.base_model_prefix, skeleton.state_dict()
        self.plain = {
            rename_source_key(name, renamings, [], prefix, state)[0]: name for name in tensors if name not in sources
        }


def find_conversions(
    skeleton: PreTrainedModel, names: Iterable[str], stored: Callable[[str], StoredWeight]
) -> list[Conversion]:
    """The weights of `skeleton` that transformers computes of the stored tensors `names`."""
    mapping = get_model_conversion_mapping(skeleton) or []
    renamings = [one for one in mapping if isinstance(one, WeightRenaming)]
    converters = [one for one in mapping if isinstance(one, WeightConverter)]
    by_pattern = {pattern: one for one in converters for pattern in one.source_patterns}
    groups: dict[str, dict[str, list[str]]] = {}  # target → pattern → the tensors that match it
    for name in sorted(names, key=dot_natural_key):
        target, pattern = rename_source_key(name, renamings, converters)
        if pattern is not None:
            groups.setdefault(target, {}).setdefault(pattern, []).append(name)
    found = []
    for target, by in groups.items():
        converter = by_pattern[next(iter(by))]
        matched = [by[pattern] for pattern in converter.source_patterns if pattern in by]
        sources = tuple(name for names in matched for name in names)
        is_final = rename_source_key(target, renamings, converters) == (target, None)
        recipe = _merge(converter.operations, matched, stored) if is_final else None
        found.append(Conversion(target, sources, recipe))
    return found


def _merge(
    operations: Sequence[ConversionOps], matched: Sequence[Sequence[str]], stored: Callable[[str], StoredWeight]
) -> WeightRecipe | None:
    """The tensors of each pattern stacked, and the stacks joined along each expert's rows."""
    kinds = [type(operation) for operation in operations]
    joined = kinds == [MergeModulelist, Concatenate]
    if kinds != [MergeModulelist] and not (joined and operations[1].dim == 1):
        return None
    if operations[0].dim or (len(matched) > 1 and not joined) or len({len(names) for names in matched}) > 1:
        return None
    parts = [stored(name) for names in zip(*matched, strict=True) for name in names]  # expert by expert
    first = parts[0]
    if len(first.shape) != 2 or any((part.shape, part.dtype) != (first.shape, first.dtype) for part in parts):
        return None
    experts, many = len(matched[0]), len(matched)
    return WeightRecipe.of_grid(parts, (experts, many), (experts, many * first.shape[0], first.shape[1]))
