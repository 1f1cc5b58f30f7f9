"""Qualcomm's QNN: NPUs of Snapdragon processors; on x86-64 Linux its simulator, for correctness and not for speed.

A chip must be named: without `soc_model` scatter, norms and RoPE fail when the graph is finalized. Inputs are read
where they lie (host memory), so that what is bound once may change.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path

from workflows.runtime.providers.provider import Provider

# GroupQueryAttention is left to the CPU unless a file says otherwise; only the provider reads it
_AFFINITY = Path(__file__).with_name("qnn_affinity.json")


class QnnProvider(Provider):
    """The NPU of a Snapdragon."""

    def own_options(self, options: Mapping[str, str]) -> dict[str, str]:
        """See Provider.own_options."""
        return {"op_affinity": str(_AFFINITY), **super().own_options(options)}


QNN = QnnProvider(
    "qnn",
    "Qualcomm QNN simulator" if platform.machine() in ("x86_64", "AMD64") else "Qualcomm QNN",
    "QNNExecutionProvider",
    "NPU",
    package="onnxruntime_qnn",
    brought_by="onnxruntime-qnn",
    # 60: Snapdragon X Elite; boundary Quantize and Dequantize would stay on the CPU otherwise
    options={"backend_type": "htp", "soc_model": "60", "offload_graph_io_quantization": "0"},
    compiles=True,
    sharing={"enable_htp_weight_sharing": "1"},
    in_catalog=True,
)
