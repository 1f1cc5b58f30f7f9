"""Intel's OpenVINO: a whole build of onnxruntime, which breaks the plain one beside it: an environment of its own."""

from __future__ import annotations

from workflows.runtime.providers.provider import Provider

OPENVINO = Provider(
    "openvino",
    "Intel OpenVINO",
    "OpenVINOExecutionProvider",
    "NPU",
    brought_by="onnxruntime-openvino in its own environment",
    in_catalog=True,
)
