"""NVIDIA's CUDA: a build of its own; what is bound is copied to the GPU. Never run by the project."""

from __future__ import annotations

from workflows.runtime.providers.provider import Provider

CUDA = Provider(
    "cuda",
    "NVIDIA CUDA",
    "CUDAExecutionProvider",
    "GPU",
    brought_by="an NVIDIA GPU and onnxruntime-gpu",
    copies_inputs=True,
)
