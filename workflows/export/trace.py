"""Traces a module with its signature to a graph, by torch's exporter."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from typing import NoReturn

import onnx_ir as ir
import torch

from workflows.common.errors import JoineryError, RecipeError, printable
from workflows.export.attention_translation import attention_translations
from workflows.export.constant_folding import TraceConstantFolding
from workflows.export.decoder import DecoderModule
from workflows.export.signature import ExportSignature
from workflows.export.single_graph import SingleGraphModule
from workflows.export.transformer_only import TransformerModule
from workflows.kvcache.geometry import FACTS_KEY


def trace(module: torch.nn.Module, signature: ExportSignature, opset: int) -> ir.Model:
    """The graph of `module`, with the names of `signature`, simplified by onnxscript's optimizer.

    Raises RecipeError for what a cache adapter cannot do, and JoineryError for what torch cannot export.
    """
    return export_program(module, signature, opset).model


def export_program(
    module: torch.nn.Module, signature: ExportSignature, opset: int, simplified: bool = True
) -> torch.onnx.ONNXProgram:
    """Like `trace`, as an ONNXProgram; without `simplified`, as torch translated it.

    Where ONNX lacks an operator, the module is traced again with values computed from its configuration folded to
    constants.
    """
    try:
        return _exported(module, signature, opset, simplified, contextlib.nullcontext())
    except torch.onnx.OnnxExporterError as error:
        if not _is_missing_operator(error):
            _refuse(error)
    try:
        return _exported(module, signature, opset, simplified, TraceConstantFolding())
    except torch.onnx.OnnxExporterError as error:
        _refuse(error)


def _exported(
    module: torch.nn.Module,
    signature: ExportSignature,
    opset: int,
    simplified: bool,
    mode: contextlib.AbstractContextManager[object],
) -> torch.onnx.ONNXProgram:
    """Runs torch's exporter within `mode`."""
    axes, starred = (
        tuple(signature.axes.values()),
        isinstance(module, DecoderModule | SingleGraphModule | TransformerModule),
    )
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
            optimize=simplified,
        )
    assert program is not None  # not None with dynamo=True and no file
    if signature.facts is not None:
        program.model.metadata_props[FACTS_KEY] = signature.facts.to_json()
    return program


def _is_missing_operator(error: BaseException) -> bool:
    """Whether torch traced the module and has no ONNX translation for one of its operators."""
    return "No ONNX function found" in str(_root_cause(error))


def _refuse(error: torch.onnx.OnnxExporterError) -> NoReturn:
    """Raises the error as a sentence; a RecipeError of a cache adapter is raised unchanged."""
    cause = _root_cause(error)
    if isinstance(cause, RecipeError):
        raise cause from None
    first = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
    raise JoineryError(
        f"torch cannot export this model to ONNX: {printable(first, 200)}; it may use an operator that ONNX lacks."
    ) from error


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
