"""Tracing: one module and its signature as a graph, by torch's exporter."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator

import onnx_ir as ir
import torch

from workflows.errors import JoineryError, RecipeError, printable
from workflows.export.decoder import Decoder
from workflows.export.products import translations
from workflows.export.signature import Signature
from workflows.export.single import SingleGraph
from workflows.export.transformer_only import Transformer
from workflows.kvcache.geometry import FACTS_KEY


def trace(module: torch.nn.Module, signature: Signature, opset: int) -> ir.Model:
    """The graph of `module`, its inputs and outputs named by `signature`, simplified by onnxscript's optimizer.

    Raises RecipeError for what a seam cannot do, and JoineryError for what torch cannot export.
    """
    return program_of(module, signature, opset).model


def program_of(
    module: torch.nn.Module, signature: Signature, opset: int, simplified: bool = True
) -> torch.onnx.ONNXProgram:
    """As `trace`; where it is not to be `simplified`, as torch's translation left it."""
    axes, starred = tuple(signature.axes.values()), isinstance(module, Decoder | SingleGraph | Transformer)
    try:
        with quiet():
            program = torch.onnx.export(
                module.eval(),
                tuple(signature.inputs.values()),
                dynamo=True,
                opset_version=opset,
                input_names=list(signature.inputs),
                output_names=signature.outputs,
                dynamic_shapes=(axes,) if starred else axes,
                custom_translation_table=translations(opset),
                verbose=False,
                optimize=simplified,
            )
    except torch.onnx.OnnxExporterError as error:
        cause = _root_cause(error)
        if isinstance(cause, RecipeError):  # what a seam cannot do
            raise cause from None
        first = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
        raise JoineryError(
            f"torch cannot export this model to ONNX: {printable(first, 200)}; it may use an operator that ONNX lacks."
        ) from error
    assert program is not None  # dynamo=True without a file always gives one
    if signature.facts is not None:
        program.model.metadata_props[FACTS_KEY] = signature.facts.to_json()
    return program


def _root_cause(error: BaseException) -> BaseException:
    """The error at the end of the chain: the exporter wraps it in pages of advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps the exporter's remarks on its own internals from a person's terminal; errors still raise."""
    log = logging.getLogger("torch.onnx")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)
