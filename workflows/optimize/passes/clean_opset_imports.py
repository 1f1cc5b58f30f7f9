"""Removes imports of operator sets without nodes."""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, PassResult
from workflows.optimize.graph_checks import unused_domains


class CleanOpsetImports(Pass):
    """Removes them from the model and its functions; the default domain stays, because onnx requires it."""

    name = "clean_opset_imports"
    title = "Remove unused operator-set imports"

    def call(self, model: ir.Model) -> PassResult:
        unused = unused_domains(model)
        for domain in unused:
            del model.opset_imports[domain]
        return PassResult(bool(unused))

    def ensures(self, model: ir.Model) -> str:
        """Every import is used."""
        left = unused_domains(model)
        return f"the import of {left[0]} is unused" if left else ""
