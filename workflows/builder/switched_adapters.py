"""Puts adapters beside the weights: inputs of the graphs for their factors, and a file of each adapter's factors.

exported, optimized graphs ──find_products──▶ AdaptedProduct ──check──▶ every tensor of an adapter has a place
final graphs ──add_adapter_inputs──▶ graphs with lora_A.<module> [K, r], lora_B.<module> [r, N]
PeftAdapter ──▶ adapters/<number>.safetensors: A = right.T, B = scale · left.T, by the inputs' names
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx_ir as ir
from safetensors.numpy import save_file

from workflows.bundle.evidence import load_evidence
from workflows.bundle.schema import BundledAdapter
from workflows.checkpoint.peft.adapter import PeftAdapter
from workflows.checkpoint.peft.merging import read_factor
from workflows.common.errors import RecipeError, printable
from workflows.common.tensor_names import LOGITS
from workflows.common.tensors import Array
from workflows.graph.weights import load_saved_graph
from workflows.optimize.adapter_inputs import AdaptedModule, AdaptedProduct, add_adapter_inputs, find_products

FOLDER = "adapters"
_ROOT = "model"  # of the checkpoint's model in the exported module


@dataclass(frozen=True)
class SwitchedGraphs:
    """What becomes an input. products: by component. modules: by path, of all of them."""

    products: Mapping[str, Sequence[AdaptedProduct]]
    modules: Mapping[str, AdaptedModule]


def find_switched(exported: Path, optimized: Path, adapters: Sequence[PeftAdapter]) -> SwitchedGraphs:
    """The products of the graphs in `optimized` that the adapters change; of all linear layers but the head for none.

    Raises CheckpointError where a tensor of an adapter has no place or does not fit there.
    """
    found: dict[str, list[AdaptedProduct]] = {}
    for entry in load_evidence(optimized):
        if entry["layers"]:  # a graph that keeps the cache: the others have no layers
            before, after = (load_saved_graph(folder / entry["file"]) for folder in (exported, optimized))
            found[entry["component"]] = find_products(before, after, _ROOT)
    modules = {one.path: one for products in found.values() for product in products for one in product.modules}
    heads = {one.path for products in found.values() for product in products if product.output == LOGITS
             for one in product.modules}  # fmt: skip
    for adapter in adapters:
        _check(adapter, modules, heads)
    wanted = {path for one in adapters for path in one.layers} if adapters else modules.keys() - heads
    chosen = {name: [one for one in products if not wanted.isdisjoint(module.path for module in one.modules)]
              for name, products in found.items()}  # fmt: skip
    used = {one.path for products in chosen.values() for product in products for one in product.modules}
    return SwitchedGraphs(chosen, {path: modules[path] for path in sorted(used)})


def _check(adapter: PeftAdapter, modules: Mapping[str, AdaptedModule], heads: Collection[str]) -> None:
    """Raises CheckpointError where a layer of the adapter is none of the modules, or has other sizes, or is missing."""
    for path, layer in adapter.layers.items():
        if path not in modules:
            raise adapter.error(
                f"changes {printable(path, 120)}, which is no linear layer of this base that its graph has as a "
                "product of its own: merge it, without adapters=runtime, or give the base that it was trained for."
            )
        adapter.check_rank(path, layer)
        made, module = (layer.left.shape[0], layer.right.shape[1]), modules[path]
        if made != (module.outputs, module.inputs):
            raise adapter.error(
                f"changes {list(made)} numbers of {printable(path, 120)}, which has "
                f"{[module.outputs, module.inputs]} in this base: give the base that it was trained for."
            )
    wanted = (path for path in modules if adapter.settings.targets(path, path not in heads))
    if missing := next((path for path in wanted if path not in adapter.layers), None):
        raise adapter.error(f"lacks the weights of {printable(missing, 120)}, which its settings name: get it again.")


def write_switched(
    last: Path, draft: Path, switched: SwitchedGraphs, adapters: Sequence[PeftAdapter]
) -> list[BundledAdapter]:
    """Writes the graphs of the stage `last` with their new inputs into `draft`, and the adapters' files.

    Raises RecipeError where the last graphs do not have the products any more.
    """
    types: dict[str, ir.DataType] = {}
    for entry in load_evidence(last):
        products = switched.products.get(entry["component"])
        if products is None:
            continue
        model = ir.load(last / entry["file"])
        try:
            types |= add_adapter_inputs(model, products)
        except KeyError as error:
            raise RecipeError(
                f"The graph {entry['file']} computes {printable(str(error))} in a form that takes no adapter: build "
                "with another precision, or merge the adapters, without adapters=runtime."
            ) from None
        (draft / entry["file"]).unlink(missing_ok=True)  # it may be a link to the stage's
        ir.save(model, draft / entry["file"])
    if adapters:
        (draft / FOLDER).mkdir()
    return [_write(adapter, draft, number, switched.modules, types) for number, adapter in enumerate(adapters)]


def _write(
    adapter: PeftAdapter,
    draft: Path,
    number: int,
    modules: Mapping[str, AdaptedModule],
    types: Mapping[str, ir.DataType],
) -> BundledAdapter:
    """Writes the factors of one adapter: A [K,r] and B [r,N] of each of its modules, in the graph's dtype."""
    file, factors = f"{FOLDER}/{number}.safetensors", dict[str, Array]()
    for path, layer in adapter.layers.items():
        scale = np.float32(adapter.scale * adapter.settings.scale(path))
        dtype = types[path].numpy()
        right, left = (read_factor(adapter.factor(one)).T for one in (layer.right, layer.left))
        for name, factor in zip(modules[path].names, (right, scale * left), strict=True):
            factors[name] = np.ascontiguousarray(factor, dtype)
    save_file(factors, draft / file)
    rank = max((layer.right.shape[0] for layer in adapter.layers.values()), default=0)
    return BundledAdapter(name=adapter.name, file=file, rank=rank, scale=adapter.scale, sha256=adapter.sha256)
