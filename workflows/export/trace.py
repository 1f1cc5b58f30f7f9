"""Traces a module with its signature to a graph, by torch's exporter.

Below the opset with an attention operator, attention is translated to MatMul and Softmax:

    q · scale ── [B,Hk,G·S,D] ── · kᵀ ── [B,Hq,S,T] + mask ── softmax ── [B,Hk,G·S,T] ── · v ── [B,Hq,S,D]

Queries that share a key's head are stacked as rows, so no key is repeated; torch's own translation copies the keys for
each of them, and again to transpose them.

ONNX lacks operators for many computations from a model's configuration alone, such as erfinv of a constant. They are
folded while the model is traced; values that depend on an input or a weight are not.
"""

from __future__ import annotations

import contextlib
import io
import logging
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence

import onnx_ir as ir
import torch
from onnxscript import opset18 as op
from onnxscript.onnx_types import TensorType
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map

from workflows.common.errors import JoineryError, RecipeError, printable
from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.export.decoder import DecoderModule
from workflows.export.experts import arrange_experts
from workflows.export.signature import ExportSignature
from workflows.export.single_graph import SingleGraphModule
from workflows.export.stand_ins import turn_weights, weights_as_inputs
from workflows.export.transformer_only import TransformerModule
from workflows.kvcache.geometry import FACTS_KEY
from workflows.recipe.schema import DEFAULT_OPSET


def trace(module: torch.nn.Module, signature: ExportSignature, opset: int) -> ir.Model:
    """The graph of `module`, with the names of `signature`, simplified by onnxscript's optimizer.

    Raises RecipeError for what a cache adapter cannot do, and JoineryError for what torch cannot export.
    """
    program = export_program(module, signature, opset)
    with quiet_exporter(), weights_as_inputs(program.model):
        program.optimize()
    arrange_experts(program.model.graph)
    turn_weights(program.model.graph)
    return program.model


def export_program(module: torch.nn.Module, signature: ExportSignature, opset: int) -> torch.onnx.ONNXProgram:
    """Like `trace`, as torch translated it.

    Where ONNX lacks an operator, the module is traced again with values computed from its configuration folded to
    constants.
    """
    try:
        return _exported(module, signature, opset, contextlib.nullcontext())
    except torch.onnx.OnnxExporterError as error:
        failed = error
    if "No ONNX function found" in str(_root_cause(failed)):  # what torch says of a missing operator
        try:
            return _exported(module, signature, opset, TraceConstantFolding())
        except torch.onnx.OnnxExporterError as error:
            failed = error
    raise _refusal(failed)  # not in a handler: the cause of `failed` would have it as its context, which is a circle


def _exported(
    module: torch.nn.Module,
    signature: ExportSignature,
    opset: int,
    mode: contextlib.AbstractContextManager[object],
) -> torch.onnx.ONNXProgram:
    """Runs torch's exporter within `mode`."""
    axes = tuple(signature.axes.values())
    starred = isinstance(module, DecoderModule | SingleGraphModule | TransformerModule)  # forward takes *inputs
    with quiet_exporter(), mode:
        program = torch.onnx.export(
            module.eval(),
            tuple(signature.inputs.values()),
            dynamo=True,
            opset_version=opset,
            input_names=list(signature.inputs),
            output_names=signature.outputs,
            dynamic_shapes=(axes,) if starred else axes,
            custom_translation_table=attention_translations(opset),
            verbose=False,
            optimize=False,
        )
    assert program is not None  # not None with dynamo=True and no file
    if signature.facts is not None:
        program.model.metadata_props[FACTS_KEY] = signature.facts.to_json()
    return program


def _refusal(error: torch.onnx.OnnxExporterError) -> JoineryError:
    """The error as a sentence; that of a cache adapter unchanged."""
    cause = _root_cause(error)
    if isinstance(cause, RecipeError):
        return cause
    first = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
    refusal = JoineryError(
        f"torch cannot export this model to ONNX: {printable(first, 200)}; it may use an operator that ONNX lacks."
    )
    refusal.__cause__ = error
    return refusal


def _root_cause(error: BaseException) -> BaseException:
    """The last error of the chain: the exporter wraps it in long advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


@contextlib.contextmanager
def quiet_exporter() -> Iterator[None]:
    """Hides the exporter's messages about its internals; errors still raise."""
    log = logging.getLogger("torch.onnx")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)


FUSED_FROM = KERNEL_CONSTRAINTS["Attention"].since  # the first opset with the operator


def attention_translations(opset: int) -> dict[object, object] | None:
    """Custom translations for torch's exporter at `opset`; None where its own are suitable."""
    return {torch.ops.aten.scaled_dot_product_attention.default: _attention} if opset < FUSED_FROM else None


def _attention(
    query: TensorType,
    key: TensorType,
    value: TensorType,
    attn_mask: TensorType | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> TensorType:
    """[B,Hq,S,D] over [B,Hk,T,D]; Hk divides Hq. Dropout is ignored: an exported model is not trained."""
    heads, shared, size = query.shape[1], key.shape[1], query.shape[3]
    by_head, by_shared = ([0, heads, -1, 0], [0, shared, -1, 0]) if heads != shared else (None, None)
    scaled = op.Mul(query, op.CastLike(op.Constant(value_float=scale or size**-0.5), query))
    scores = op.MatMul(_shaped(scaled, by_shared), op.Transpose(key, perm=[0, 1, 3, 2]))
    masked = _masked(_shaped(scores, by_head), _causal(query, key) if is_causal else attn_mask)
    weights = _shaped(op.Softmax(masked, axis=-1), by_shared)
    return _shaped(op.MatMul(weights, value), by_head)


def _shaped(value: TensorType, target: list[int] | None) -> TensorType:
    """Reshapes to another division into heads; 0 keeps an axis."""
    return value if target is None else op.Reshape(value, op.Constant(value_ints=target))


def _masked(scores: TensorType, mask: TensorType | None) -> TensorType:
    """A boolean mask selects visible keys, a float mask is added."""
    if mask is None:
        return scores
    if mask.dtype == ir.DataType.BOOL:
        return op.Where(mask, scores, op.CastLike(op.Constant(value_float=-math.inf), scores))
    return op.Add(scores, mask)


def _causal(query: TensorType, key: TensorType) -> TensorType:
    """[S,T] of booleans: each row sees the columns up to its own."""
    size = op.Concat(op.Shape(query, start=2, end=3), op.Shape(key, start=2, end=3), axis=0)
    seen = op.Cast(op.Trilu(op.Expand(op.Constant(value_int=1), size), upper=0), to=ir.DataType.BOOL)
    seen.dtype = ir.DataType.BOOL  # not inferred by the trace
    return seen


_FROM_NUMBERS = (torch.tensor, torch.full, torch.zeros, torch.ones, torch.arange, torch.linspace, torch.eye)
_MAX_ELEMENTS = 1 << 12  # elements of a constant: larger masks and position tables stay computed


class TraceConstantFolding(TorchFunctionMode):  # type: ignore[misc]  # torch is not type-checked here
    """Within it, torch functions return constants where all their arguments are known."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # id → a traced tensor and its value

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: Sequence[object] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Calls `func`, or returns the constants that it would compute."""
        kwargs = kwargs or {}
        named = tree_leaves((args, kwargs))
        tensors = [leaf for leaf in named if isinstance(leaf, torch.Tensor)]
        if any(id(tensor) not in self._known for tensor in tensors):
            return self._unknown(func, args, kwargs)
        if not tensors:
            made = func(*args, **kwargs)
            if func in _FROM_NUMBERS and not any(isinstance(leaf, torch.SymInt | torch.SymFloat) for leaf in named):
                self._learn(made, _computed(func, args, kwargs))
            return made
        if _in_place(func):
            return self._unknown(func, args, kwargs)
        return tree_map(self._constant, _computed(func, *tree_map(self._value, (args, kwargs))))

    def _unknown(self, func: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        if _in_place(func):  # its target is no longer constant
            self._known.pop(id(args[0]), None)
        return func(*args, **kwargs)

    def _value(self, leaf: object) -> object:
        return self._known[id(leaf)][1] if isinstance(leaf, torch.Tensor) else leaf

    def _constant(self, leaf: object) -> object:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        with torch._C.DisableTorchFunction():
            made = torch.tensor(leaf.tolist(), dtype=leaf.dtype)
        self._learn(made, leaf)
        return made

    def _learn(self, made: object, value: object) -> None:
        if isinstance(value, torch.Tensor) and value.numel() <= _MAX_ELEMENTS:
            self._known[id(made)] = made, value


def _in_place(func: Callable[..., object]) -> bool:
    name = getattr(func, "__name__", "")
    return name in ("__setitem__", "__set__") or (name.endswith("_") and not name.endswith("__"))


def _computed(func: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    """The result of `func` outside the trace."""
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        return func(*args, **kwargs)


def export_minimal_graph() -> None:
    """Traces a product with one dynamic axis, as in the graphs of a decoder, and discards the result."""
    with quiet_exporter():
        torch.onnx.export(
            torch.nn.Linear(2, 2).eval().requires_grad_(False),
            (torch.zeros(2, 2),),
            dynamo=True,
            opset_version=DEFAULT_OPSET,
            dynamic_shapes=({0: torch.export.Dim.DYNAMIC},),
            verbose=False,
        )
