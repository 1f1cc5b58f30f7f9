"""Execution providers, a file each: whether it is here, how a session is opened on it, and where its memory is.

name ──provider_of──▶ Provider: find() → Device │ open(graph, options) → session │ copies_inputs
"""

from workflows.runtime.providers.provider import Provider
from workflows.runtime.providers.registry import PROVIDERS, device_named, devices, provider_of

__all__ = ["PROVIDERS", "Provider", "device_named", "devices", "provider_of"]
