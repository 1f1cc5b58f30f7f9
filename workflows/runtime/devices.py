"""Execution providers: which there are, which can be used here, and why not."""

from __future__ import annotations

import platform

import onnxruntime as ort
import psutil

from workflows.errors import DeviceError
from workflows.wire.reports.devices import Device, Kind

# name, title, provider, kind, what brings it
DEVICES: tuple[tuple[str, str, str, Kind, str], ...] = (
    ("cpu", "CPU", "CPUExecutionProvider", "CPU", ""),
    ("dml", "DirectML", "DmlExecutionProvider", "GPU", "a Windows machine with onnxruntime-windowsml"),
    ("qnn", "Qualcomm QNN", "QNNExecutionProvider", "NPU", "the plugin package onnxruntime-qnn"),
    ("webgpu", "WebGPU", "WebGpuExecutionProvider", "GPU", "the plugin package onnxruntime-ep-webgpu"),
    ("openvino", "Intel OpenVINO", "OpenVINOExecutionProvider", "NPU", "onnxruntime-openvino in its own environment"),
    ("cuda", "NVIDIA CUDA", "CUDAExecutionProvider", "GPU", "an NVIDIA GPU and onnxruntime-gpu"),
)


def devices() -> list[Device]:
    """Every provider that Joinery knows, the CPU first, with whether it can be used here and why not."""
    return [_device(*row) for row in DEVICES]


def device_named(name: str) -> Device:
    """The usable device called `name`. Raises DeviceError that lists the names, or says why it cannot be used."""
    found = next((device for device in devices() if name in (device.name, device.provider)), None)
    if found is None:
        known = ", ".join(row[0] for row in DEVICES)
        raise DeviceError(f"No provider is called {name!r}: choose one of {known}; `joinery devices` tells more.")
    if not found.usable:
        raise DeviceError(f"{found.title} cannot be used: {found.reason} {found.remedy}".strip())
    return found


def _device(name: str, title: str, provider: str, kind: Kind, brought_by: str) -> Device:
    if name == "cpu":
        memory = psutil.virtual_memory().total
        return Device(name, title, provider, kind, platform.processor() or platform.machine(), memory, usable=True)
    if provider not in ort.get_available_providers():
        reason = f"{provider} is not part of the installed onnxruntime {ort.__version__}."
        return Device(name, title, provider, kind, reason=reason, remedy=f"It comes with {brought_by}.")
    reason = "This version of Joinery runs bundles on the CPU provider alone."
    return Device(name, title, provider, kind, reason=reason, remedy="Use the cpu provider.")
