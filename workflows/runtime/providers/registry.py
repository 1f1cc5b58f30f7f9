"""All providers, and their devices on this machine.

Providers with rules of their own have a file. A plugin is a library of a driver: each is probed in a subprocess, so
that one that crashes or hangs is merely a device that cannot be used.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

from workflows.common.errors import DeviceError
from workflows.common.memory import total_bytes
from workflows.process.subprocesses import run_isolated
from workflows.processor.cores import model_name
from workflows.runtime.providers.dml import DML
from workflows.runtime.providers.provider import Provider
from workflows.runtime.providers.qnn import QNN
from workflows.runtime.providers.webgpu import WEBGPU
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.reports.devices import Device


class CpuProvider(Provider):
    """The processor: part of every build, the reference for all others."""

    def facts(self) -> tuple[str, int | None]:
        """The processor's name, and the memory that there is for a process."""
        return model_name(), total_bytes()


CPU = CpuProvider("cpu", "CPU", "CPUExecutionProvider", "CPU")
OPENVINO = Provider(  # a build of onnxruntime that breaks the plain one beside it: an environment of its own
    "openvino",
    "Intel OpenVINO",
    "OpenVINOExecutionProvider",
    "NPU",
    brought_by="onnxruntime-openvino in its own environment",
    in_catalog=True,
)
CUDA = Provider(  # another build; what is bound is copied to the GPU; never run by the project
    "cuda",
    "NVIDIA CUDA",
    "CUDAExecutionProvider",
    "GPU",
    brought_by="an NVIDIA GPU and onnxruntime-gpu",
    copies_inputs=True,
)
PROVIDERS: dict[str, Provider] = {one.name: one for one in (CPU, DML, QNN, WEBGPU, OPENVINO, CUDA)}
FIND_SECONDS = 20.0


def provider_of(device: Device) -> Provider:
    """The provider of a device."""
    return PROVIDERS[device.name]


def devices(seconds: float = FIND_SECONDS) -> list[Device]:
    """The device of every provider, the CPU first, usable or with the reason why not."""
    with ThreadPoolExecutor() as several:
        return list(several.map(lambda provider: _find(provider, seconds), PROVIDERS.values()))


def device_named(name: str) -> Device:
    """The usable device called `name`. Raises DeviceError that lists the names, or gives the reason why not."""
    provider = next((one for one in PROVIDERS.values() if name in (one.name, one.provider)), None)
    if provider is None:
        known = ", ".join(PROVIDERS)
        raise DeviceError(f"No provider is called {name!r}: choose one of {known}; `joinery devices` tells more.")
    device = _find(provider, FIND_SECONDS)
    if not device.usable:
        raise DeviceError(f"{device.title} cannot be used: {device.reason} {device.remedy}".strip())
    return device


def _find(provider: Provider, seconds: float) -> Device:
    """The device of a provider: a plugin's from a process of its own, others directly."""
    if not provider.installed:
        return provider.find()
    ended = run_isolated("workflows.runtime.providers.find_device", [provider.name], seconds)
    try:
        return read(Device, json.loads(ended.last_line))
    except (ValueError, PayloadMismatch):
        why = ended.failure or "printed nothing that could be read"
        return provider.unusable(f"The process that loaded its library {why}.", provider.reinstallation_hint())
