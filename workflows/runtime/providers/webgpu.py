"""WebGPU: any GPU with Vulkan, Metal or Direct3D 12; a software adapter only where a person allows it.

It copies an input when it is bound: inputs that change between runs must be bound again.
"""

from __future__ import annotations

import onnxruntime as ort

from workflows.runtime.providers.provider import Provider

SOFTWARE = "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER"


class WebGpuProvider(Provider):
    """A GPU through WebGPU."""

    def widest(self) -> int | None:
        """See Provider.widest. On the software adapter GroupQueryAttention is wrong from 32 columns on, by 4 % of the
        logits (0.4.0 on Mesa's lavapipe, whose subgroups have 8 lanes); what a GPU does a preflight tells.
        """
        software = self._devices()[0].device.type == ort.OrtHardwareDeviceType.CPU
        return 31 if software else None

    def missing_device(self) -> str:
        """See Provider.missing_device: a driver, or the software adapter."""
        return f"Install the GPU's Vulkan driver, or set {SOFTWARE}=1 to let the processor stand for one."


WEBGPU = WebGpuProvider(
    "webgpu",
    "WebGPU",
    "WebGpuExecutionProvider",
    "GPU",
    package="onnxruntime_ep_webgpu",
    brought_by="onnxruntime-ep-webgpu",
    copies_inputs=True,
)
