"""Says which stored weights an adapter changes: by the modules of the model, which exists without weights.

    PeftAdapter.layers ──module of the skeleton──▶ its parameter ──stored names──▶ TensorInfo.changes
    PeftAdapter.replaced ────────────────────────────────────────────────────────▶ TensorInfo in the adapter's folder

Every tensor of the adapter has a place, or the adapter is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import torch
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.peft.adapter import LowRankLayer, PeftAdapter
from workflows.checkpoint.peft.changes import WeightChange
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import printable
from workflows.export.merged_weights import Conversion, StoredNames

_CONVOLUTIONS = (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
_LAYERS = (torch.nn.Linear, Conv1D, torch.nn.Embedding, *_CONVOLUTIONS)


def merge_adapters(checkpoint: Checkpoint, skeleton: PreTrainedModel) -> Checkpoint:
    """The checkpoint with the changes of its adapters in `tensors`; nothing is computed yet.

    Raises CheckpointError where a tensor of an adapter has no place in the model, or does not fit there.
    """
    tensors = dict(checkpoint.tensors)
    for adapter in checkpoint.adapters:
        _Merge(adapter, skeleton, tensors).run()
    return replace(checkpoint, tensors=tensors) if checkpoint.adapters else checkpoint


class _Merge:
    """Puts one adapter into `tensors`, which maps stored names."""

    def __init__(self, adapter: PeftAdapter, skeleton: PreTrainedModel, tensors: dict[str, TensorInfo]) -> None:
        self._adapter, self._skeleton, self._tensors = adapter, skeleton, tensors
        self._modules = dict(skeleton.named_modules(remove_duplicate=False))
        self._state = skeleton.state_dict()
        self._names = StoredNames(skeleton, tensors)

    def run(self) -> None:
        adapter = self._adapter
        for name, info in adapter.replaced.items():
            self._replace(name, info)
        for path, layer in adapter.layers.items():
            module = self._modules.get(path)
            if isinstance(module, _LAYERS):
                self._change_layer(path, module, layer)
            elif self._parameters(path):
                self._change_parameter(path, layer)
            elif f"{path}.weight" in self._tensors:
                self._change_stored(path, layer)
            else:
                raise adapter.error(
                    f"changes {printable(path, 120)}, which {type(self._skeleton).__name__} does not have as a linear "
                    "layer, an embedding or a convolution: give the base that it was trained for."
                )
        self._check_complete()

    # -- low-rank changes ----------------------------------------------------------------------------------------

    def _change_layer(self, path: str, module: torch.nn.Module, layer: LowRankLayer) -> None:
        if getattr(module, "groups", 1) != 1:
            raise self._adapter.error(f"changes the grouped convolution {printable(path, 120)}, which is not merged.")
        turned = isinstance(module, Conv1D | torch.nn.Embedding)
        name, shape = f"{path}.weight", tuple(module.weight.shape)
        flat = (shape[0], module.weight.numel() // shape[0])
        self._adapter.check_rank(path, layer, 1)
        self._check_fit(name, layer, flat[::-1] if turned else flat)
        if layer.bias is not None and getattr(module, "bias", None) is None:
            raise self._adapter.error(f"adds a bias to {printable(path, 120)}, which has none in this base.")
        self._change(name, self._low_rank(path, layer, turned))
        if layer.bias is not None:
            scale = self._adapter.scale * self._adapter.settings.scale(path)
            self._change(f"{path}.bias", WeightChange(self._adapter.name, scale, self._adapter.factor(layer.bias)))

    def _change_stored(self, path: str, layer: LowRankLayer) -> None:
        """Changes a linear layer that is stored by itself, and a part of a larger weight in this transformers."""
        name = f"{path}.weight"
        self._adapter.check_rank(path, layer, 1)
        self._check_fit(name, layer, self._tensors[name].shape)
        if layer.bias is not None:
            raise self._adapter.error(f"adds a bias to {printable(path, 120)}, which has none in this base.")
        self._add(name, self._low_rank(path, layer, turned=False))

    def _change_parameter(self, path: str, layer: LowRankLayer) -> None:
        """Changes a parameter that is no layer's: of a router [N,K], of experts [E,N,K], or [E,K,N] where turned."""
        module, depth = path, 0
        while module.endswith(".base_layer"):
            module, depth = module.removesuffix(".base_layer"), depth + 1
        name = self._parameters(path)[depth]
        shape, adapter = tuple(self._state[name].shape), self._adapter
        if layer.magnitude is not None or layer.bias is not None or len(shape) not in (2, 3):
            raise adapter.error(f"changes {printable(name, 120)} in a way that is not merged.")
        turned = len(shape) == 3 and bool(getattr(self._modules[module], "is_transposed", False))
        experts, (rows, columns) = (1, *shape)[-3], shape[:-3:-1] if turned else shape[-2:]
        self._adapter.check_rank(name, layer, experts)
        self._check_fit(name, layer, (rows, columns))
        if experts == 1:
            self._change(name, self._low_rank(name, layer, turned))
            return
        conversion = self._names.merged.get(name)
        for expert in range(experts):
            if conversion is None:
                self._change(name, self._expert(name, layer, expert, experts, turned))
            else:
                self._change_experts(conversion, name, layer, expert, experts)

    def _change_experts(
        self, conversion: Conversion, name: str, layer: LowRankLayer, expert: int, experts: int
    ) -> None:
        """Changes the tensors that are stored of one expert, and lie under each other in the model."""
        stored = conversion.sources[expert::experts]  # those of each kind lie together
        first = 0
        for one in stored:
            count = self._tensors[one].shape[0]
            change = self._expert(name, layer, expert, experts, turned=False, rows=(first, 1, count))
            self._add(one, replace(change, index=0))
            first += count
        if first != self._state[name].shape[1]:
            raise self._adapter.error(f"changes {printable(name, 120)}, whose stored parts have other sizes.")

    def _expert(
        self, name: str, layer: LowRankLayer, expert: int, experts: int, turned: bool, rows: tuple[int, ...] = ()
    ) -> WeightChange:
        """The change of one expert: every so many columns of B, and the rows of A that follow each other."""
        adapter, rank = self._adapter, layer.right.shape[0] // experts
        left = adapter.factor(layer.left, rows, (expert, experts, rank))
        right = adapter.factor(layer.right, (expert * rank, 1, rank))
        scale = adapter.scale * adapter.settings.scale(name)
        return WeightChange(adapter.name, scale, left, right, turned, index=expert)

    def _low_rank(self, path: str, layer: LowRankLayer, turned: bool) -> WeightChange:
        adapter = self._adapter
        scale = adapter.scale * adapter.settings.scale(path)
        magnitude = None if layer.magnitude is None else adapter.factor(layer.magnitude)
        factors = adapter.factor(layer.left), adapter.factor(layer.right)
        return WeightChange(adapter.name, scale, *factors, turned, magnitude)

    def _check_fit(self, name: str, layer: LowRankLayer, shape: tuple[int, ...]) -> None:
        left, right = layer.left, layer.right
        made = left.elements // left.shape[1], right.elements // right.shape[0]
        if made != shape:
            raise self._adapter.error(
                f"changes {list(made)} numbers of {printable(name, 120)}, which has {list(shape)} in this base: give "
                "the base that it was trained for."
            )

    def _parameters(self, path: str) -> list[str]:
        """The parameters by themselves that the settings name in the module; peft nests the first one innermost."""
        while path.endswith(".base_layer"):
            path = path.removesuffix(".base_layer")
        module, targets = self._modules.get(path), self._adapter.settings.target_parameters or ()
        own = [] if module is None else [f"{path}.{name}" for name, _ in module.named_parameters(recurse=False)]
        return [name for name in reversed(own) if _ends_with(name, targets)]

    # -- places --------------------------------------------------------------------------------------------------

    def _change(self, name: str, change: WeightChange) -> None:
        """Adds the change to the parameter `name` of the model."""
        stored = self._stored(name, alone=not self._adapter.settings.ensure_weight_tying)
        if stored is None:
            raise self._adapter.error(
                f"changes {printable(name, 120)}, which is not stored as a weight of its own in this base."
            )
        self._add(stored, change)

    def _add(self, stored: str, change: WeightChange) -> None:
        info = self._tensors[stored]
        others = [one for one in info.changes if (one.adapter, one.index) != (change.adapter, change.index)]
        if any(one.magnitude is not None for one in (*others, *((change,) if others else ()))):
            raise self._adapter.error(
                f"and {printable(others[0].adapter)} both change {printable(stored, 120)}, and one is of DoRA, whose "
                "changes do not add up: build with one of them."
            )
        self._tensors[stored] = replace(info, changes=(*info.changes, change))

    def _replace(self, name: str, info: TensorInfo) -> None:
        """Puts a whole tensor of the adapter in the place of the stored one, or where the base has none."""
        if name not in self._state:
            raise self._adapter.error(
                f"holds {printable(name, 120)}, which {type(self._skeleton).__name__} does not have: give the base and "
                "the task that it was trained for."
            )
        shape = tuple(self._state[name].shape)
        if info.shape != shape:
            raise self._adapter.error(
                f"holds {printable(name, 120)} of the shape {list(info.shape)}, and this base makes it {list(shape)}: "
                "give the base that it was trained for, with its vocabulary and number of labels."
            )
        stored = self._stored(name, alone=self._adapter.settings.saves(name)) or name
        before = self._tensors.get(stored)
        if before is not None and (before.changes or before.folder):
            raise self._adapter.error(
                f"replaces {printable(name, 120)}, which another adapter changes: build with one."
            )
        self._tensors[stored] = replace(info, folder=str(self._adapter.folder))

    def _stored(self, name: str, alone: bool) -> str | None:
        """The stored name of a parameter; None where there is none.

        alone: a weight that shares its tensor with another one becomes a tensor of its own, as it is in training.
        """
        partners = [one for one in self._ties.get(name, ()) if one != name]
        own = self._names.plain.get(name)
        if not partners or not alone:
            return own or next((found for one in partners if (found := self._names.plain.get(one))), None)
        held = {one: stored for one in (name, *partners) if (stored := self._names.plain.get(one))}
        if len(partners) > 1:
            raise self._adapter.error(
                f"changes {printable(name, 120)}, a tensor that {len(partners) + 1} weights of this base share: merge "
                "it with peft (merge_and_unload, then save_pretrained), and open the result."
            )
        for one in (name, *partners):
            if one not in held and held:
                self._tensors[one] = self._tensors[next(iter(held.values()))]
                self._names.plain[one] = one
        return self._names.plain.get(name)

    @cached_property
    def _ties(self) -> Mapping[str, tuple[str, ...]]:
        """All names of a weight that has several."""
        groups: dict[str, list[str]] = {}
        for target, source in self._skeleton.all_tied_weights_keys.items():
            groups.setdefault(source, [source]).append(target)
        return {name: tuple(group) for group in groups.values() for name in group}

    # -- what is missing -----------------------------------------------------------------------------------------

    def _check_complete(self) -> None:
        """Raises CheckpointError where the settings name a module that the file has no tensors of."""
        adapter = self._adapter
        missing = next((one for one in self._targets() if one not in adapter.layers), None)
        if missing is None:
            saved = (path for path in self._modules if _ends_with(path, adapter.settings.modules_to_save or ()))
            missing = next((one for one in saved if not _has_any(adapter.replaced, one)), None)
        if missing:
            raise adapter.error(
                f"lacks the weights of {printable(missing, 120)}, which its settings name: get it again."
            )

    def _targets(self) -> Iterator[str]:
        head = self._skeleton.get_output_embeddings()
        for path, module in self._skeleton.named_modules():
            is_linear = isinstance(module, torch.nn.Linear | Conv1D) and module is not head
            if isinstance(module, _LAYERS) and self._adapter.settings.targets(path, is_linear):
                yield path


def _ends_with(path: str, names: Iterable[str]) -> bool:
    return any(path == name or path.endswith(f".{name}") for name in names)


def _has_any(weights: Iterable[str], path: str) -> bool:
    return any(name.startswith(f"{path}.") for name in weights)
