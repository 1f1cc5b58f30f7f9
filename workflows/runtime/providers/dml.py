"""DirectML: GPUs of Windows. Never run by the project; the rules are those of its documentation.

Memory patterns off, one node after the other, one run at a time in a session; what is bound is copied to the GPU.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnxruntime as ort

from workflows.runtime.providers.base import Graph, Provider


class DirectML(Provider):
    """A GPU through Direct3D 12."""

    def open(self, graph: Graph, told: ort.SessionOptions, options: Mapping[str, str]) -> ort.InferenceSession:
        """See Provider.open; with the settings without which DirectML refuses or is wrong."""
        told.enable_mem_pattern = False
        told.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        return super().open(graph, told, options)


DML = DirectML(
    "dml",
    "DirectML",
    "DmlExecutionProvider",
    "GPU",
    brought_by="a Windows machine with onnxruntime-windowsml",
    copies_inputs=True,
)
