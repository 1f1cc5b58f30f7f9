"""A bundle and a device in, logits out: sessions, their bindings, and the executor that runs the flow.

    Bundle ──devices/sessions──▶ InferenceSessions ──executor──▶ run(tokens) → logits, the cache advanced
"""

from workflows.runtime.devices import DEVICES, Device, device_named, devices
from workflows.runtime.executor import Executor, open_executor

__all__ = ["DEVICES", "Device", "Executor", "device_named", "devices", "open_executor"]
