"""Suggests products to exclude from quantization: restores each to full precision and measures the divergence again.

    reference: tokens, logits ─┐
    candidate, one product restored ──fed the same tokens──▶ KL ──▶ the gain of restoring it, ranked

A restored product is the reference's node with its weight in the candidate's graph, as `quantize.exclude` would leave
it, without a build. Quantized activations stay quantized, so a build that excludes the node gains more than reported
here. Each product needs a session and its runs, so few prompts are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import accumulate, chain

import onnx
from onnx.external_data_helper import load_external_data_for_tensor

from workflows.bundle import Bundle
from workflows.common.errors import Cancelled, RequestError
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle, layer_stack
from workflows.evaluation.accuracy.compared_side import Logits
from workflows.evaluation.accuracy.statistics import Agreement, NextToken
from workflows.generate import Engine
from workflows.generate.prompt_sets import PromptSet, evenly_spaced
from workflows.graph.load import load_graph
from workflows.runtime import device_named, open_machine
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.runtime.loading.memory_plan import mapped_options
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.accuracy import SuggestedExclusion, Suggestions, TokenDivergence

PROMPTS, STEPS = 8, 8
TOKENS = 256  # of the prompts: no other one is begun beyond them
PRODUCTS = ("MatMul", "Gemm", "Gather")
RESULTS = ("Mul", "Cast", "DequantizeLinear", "QuantizeLinear")  # what stands between an integer product and its result
QUANTIZERS = ("DynamicQuantizeLinear", "QuantizeLinear")
MOST_BYTES = 1 << 28  # of the reference's logits, which are held in memory
Models = dict[str, onnx.ModelProto]  # by session


@dataclass(frozen=True)
class ReferenceStep:
    """A prompt, the inputs of its encoders, the reference's tokens after it, and its logits at the positions of both.

    whole: whether the prompt's positions are among them; logits: blocks [n, V].
    """

    ids: tuple[int, ...]
    inputs: NamedInputs
    tokens: list[int]
    whole: bool
    logits: list[Logits]

    def rows_of(self, side: ComparedBundle) -> Iterator[Logits]:
        """The logits [V] of another bundle at the same positions."""
        reading = side.read(self.ids, self.inputs) if self.whole else ()
        for block in chain(reading, side.follow(self.ids, self.tokens, self.inputs)):
            yield from block.logits


@dataclass(frozen=True)
class RestorableProduct:
    """A node of the reference that is quantized in the candidate. at: the part (encoder, decoder) and the output."""

    node: onnx.NodeProto
    weights: tuple[onnx.TensorProto, ...]
    folder: str
    at: tuple[str, str]


def suggest(
    reference: Bundle,
    candidate: Bundle,
    prompts: Callable[[Engine], PromptSet],
    count: int,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Suggestions:
    """Returns at most `count` nodes to exclude, the most effective first, and the effect of excluding all of them.

    Raises RequestError if no quantized node of the candidate is in the reference, and Cancelled.
    """
    models = _models(candidate)
    products = find_products(reference, candidate, models)
    steps = _reference_steps(ComparedBundle.open(reference), prompts, cancelled)
    before = _agreement(candidate, models, (), steps)
    divergences: list[tuple[float, RestorableProduct]] = []
    for index, product in enumerate(products):
        message = f"restoring product {index + 1:,} of {len(products):,}"
        report(ProgressEvent(stage="eval", message=message, done=index, total=len(products), unit="products"))
        if cancelled():
            raise Cancelled("The comparison was cancelled.")
        divergences.append((_kl(_agreement(candidate, models, (product,), steps)), product))
    helpful = sorted((row for row in divergences if row[0] < _kl(before)), key=lambda row: row[0])[:count]
    after = _agreement(candidate, models, [product for _, product in helpful], steps)
    return Suggestions(
        positions=before.positions,
        products=len(products),
        before=_figures(before),
        exclude=[SuggestedExclusion(product.node.name, product.at[0], round(kl, 9)) for kl, product in helpful],
        after=_figures(after),
    )


def find_products(reference: Bundle, candidate: Bundle, models: Models | None = None) -> list[RestorableProduct]:
    """Returns the quantized products that can be restored. Raises RequestError if there are none."""
    products = list(_quantized(reference, candidate, models or _models(candidate)))
    if not products:
        raise RequestError(
            "No quantized node of the candidate is found in the reference in full precision, so none can be suggested: "
            "give the fp32 bundle that was built with the same passes."
        )
    return products


def _reference_steps(
    side: ComparedBundle, prompts: Callable[[Engine], PromptSet], cancelled: Callable[[], bool]
) -> list[ReferenceStep]:
    """Runs the reference over few prompts and few tokens."""
    steps: list[ReferenceStep] = []
    spread = evenly_spaced(prompts(side.engine).prompts, PROMPTS)
    before = accumulate((len(prompt.ids) for prompt in spread), initial=0)
    chosen = [prompt for prompt, tokens in zip(spread, before, strict=False) if tokens < TOKENS]
    positions = sum(len(prompt.ids) + STEPS for prompt in chosen)
    whole = 4 * positions * side.engine.machine.vocabulary <= MOST_BYTES
    for prompt in chosen:
        inputs = prompt.read_inputs()
        read = [block.logits.copy() for block in side.read(prompt.ids, inputs)] if whole else []
        tokens = side.greedy(prompt.ids, STEPS, cancelled, inputs)
        answered = [block.logits.copy() for block in side.follow(prompt.ids, tokens, inputs)]
        steps.append(ReferenceStep(prompt.ids, inputs, tokens, whole, read + answered))
    return steps


def _agreement(
    candidate: Bundle, models: Models, restored: Iterable[RestorableProduct], steps: Sequence[ReferenceStep]
) -> Agreement:
    """Compares the candidate, with some of its products restored, with the reference's steps."""
    graphs = {name: _restored(model, candidate, name, tuple(restored)) for name, model in models.items()}
    machine = open_machine(
        candidate, device_named("cpu"), session_options=mapped_options(candidate, graphs), graphs=graphs
    )
    side = ComparedBundle(Engine(candidate, machine, 0.0))
    agreement = Agreement(overlaps=False)
    for step in steps:
        for logits, other in zip((row for block in step.logits for row in block), step.rows_of(side), strict=True):
            agreement.add(NextToken(logits), NextToken(other))
    return agreement


def _models(bundle: Bundle) -> Models:
    sessions = bundle.pipeline.pipeline.sessions
    return {name: load_graph(bundle.file(session.file)).proto for name, session in sessions.items()}


def _quantized(reference: Bundle, candidate: Bundle, models: Models) -> Iterable[RestorableProduct]:
    """Returns the reference's products with constant weights that the candidate computes from integers, each once."""
    made = {
        (layer_stack(candidate, name), output): (_product(node, makers), model)
        for name, model in models.items()
        for makers in (_makers(model),)
        for output, node in makers.items()
    }
    seen: set[tuple[str, str]] = set()
    for name, session in reference.pipeline.pipeline.sessions.items():
        file = reference.file(session.file)
        graph = load_graph(file).proto.graph
        weights = {tensor.name: tensor for tensor in graph.initializer}
        for node in graph.node:
            own = tuple(weights[one] for one in node.input if one in weights)
            at = (layer_stack(reference, name), node.output[0] if node.output else "")
            if node.op_type in PRODUCTS and own and at in made and at not in seen and _is_quantized(node, *made[at]):
                seen.add(at)
                yield RestorableProduct(node, own, str(file.parent), at)


def _makers(model: onnx.ModelProto) -> dict[str, onnx.NodeProto]:
    """Returns the node that makes each value."""
    return {output: node for node in model.graph.node for output in node.output}


def _product(node: onnx.NodeProto, makers: Mapping[str, onnx.NodeProto]) -> onnx.NodeProto:
    """Returns the product whose result this node scales or casts; the node itself where it does neither."""
    while node.op_type in RESULTS and node.input[0] in makers:
        node = makers[node.input[0]]
    return node


def _is_quantized(reference: onnx.NodeProto, node: onnx.NodeProto, model: onnx.ModelProto) -> bool:
    if node.op_type != reference.op_type:
        return True
    integers = {one.output[0] for one in model.graph.node if one.op_type == "DequantizeLinear"}
    constant = {tensor.name for tensor in model.graph.initializer}
    weights = [one for one in model.graph.node if one.op_type == "DequantizeLinear" and one.input[0] in constant]
    return bool(integers & set(node.input) & {one.output[0] for one in weights})


def _restored(
    model: onnx.ModelProto, candidate: Bundle, session: str, products: tuple[RestorableProduct, ...]
) -> bytes:
    """Returns the candidate's graph with the reference's products in place of its own."""
    changed = deepcopy(model)
    makers = _makers(model)
    by_output = {product.at: product for product in products}
    for index, node in enumerate(changed.graph.node):
        product = by_output.get((layer_stack(candidate, session), node.output[0] if node.output else ""))
        if product is not None:
            names = {tensor.name: _add_weight(changed, tensor, product.folder) for tensor in product.weights}
            changed.graph.node[index].CopyFrom(_restored_node(product.node, node, names, makers))
    return bytes(changed.SerializeToString())


def _restored_node(
    reference: onnx.NodeProto, node: onnx.NodeProto, names: dict[str, str], makers: Mapping[str, onnx.NodeProto]
) -> onnx.NodeProto:
    """Returns the reference's node on the activations of the candidate's product.

    Never on those of the reference's name: exported apart, the same name may be another value in each graph.
    """
    made, product = deepcopy(reference), _product(node, makers)
    made.output[:] = node.output
    for place, name in enumerate(reference.input):
        made.input[place] = names[name] if name in names else _float_value(product.input[place], makers)
    return made


def _float_value(name: str, makers: Mapping[str, onnx.NodeProto]) -> str:
    """Returns what an integer product's quantized input was before it was quantized for that product."""
    maker = makers.get(name)
    return str(maker.input[0]) if maker is not None and maker.op_type in QUANTIZERS else name


def _add_weight(model: onnx.ModelProto, tensor: onnx.TensorProto, folder: str) -> str:
    """Adds the weight to the graph under a name that the candidate does not have."""
    copy = model.graph.initializer.add()
    copy.CopyFrom(tensor)
    if copy.data_location == onnx.TensorProto.EXTERNAL:
        load_external_data_for_tensor(copy, folder)
        copy.data_location = onnx.TensorProto.DEFAULT
        del copy.external_data[:]
    copy.name = f"restored.{tensor.name}"
    return str(copy.name)


def _kl(agreement: Agreement) -> float:
    return float("inf") if agreement.kl.mean is None else agreement.kl.mean


def _figures(agreement: Agreement) -> TokenDivergence:
    mean, top = agreement.kl.mean, agreement.top1.mean
    return TokenDivergence(None if mean is None else round(mean, 9), None if top is None else round(top, 8))
