"""Qualcomm's QNN: NPUs of Snapdragon processors; on x86-64 Linux its simulator, for correctness and not for speed.

A chip must be named: without `soc_model` scatter, norms and RoPE fail when the graph is finalized. Inputs are read
where they lie (host memory), so that what is bound once may change.
"""

from __future__ import annotations

from workflows.runtime.providers.base import Provider


class Qnn(Provider):
    """The NPU of a Snapdragon."""


QNN = Qnn(
    "qnn",
    "Qualcomm QNN",
    "QNNExecutionProvider",
    "NPU",
    package="onnxruntime_qnn",
    brought_by="onnxruntime-qnn",
    # 60: Snapdragon X Elite; boundary Quantize and Dequantize would stay on the CPU otherwise
    options={"backend_type": "htp", "soc_model": "60", "offload_graph_io_quantization": "0"},
    in_catalog=True,
)
