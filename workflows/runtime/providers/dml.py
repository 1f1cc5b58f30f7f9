"""DirectML: GPUs of Windows. Never run by the project; the rules are those of its documentation.

Memory patterns off, one node after the other, one run at a time in a session; what is bound is copied to the GPU. One
GPU a session: `device_id` says which. Kernels are made for known sizes: `dimension.NAME` gives a graph's symbolic axis
its size before the session is made, where one bundle is run with one size alone.
https://onnxruntime.ai/docs/execution-providers/DirectMLProvider-ExecutionProvider.html
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import onnxruntime as ort

from workflows.common.errors import DeviceError, printable
from workflows.runtime.providers.provider import GraphSource, Provider

_DIMENSION, _DEVICE = "dimension.", "device_id"


class SerialSession(ort.InferenceSession):  # type: ignore[misc,unused-ignore]
    """A session in which a second run waits for the first."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._turn = threading.Lock()
        super().__init__(*arguments, **options)

    def run(self, *arguments: Any, **options: Any) -> Sequence[Any]:
        """See InferenceSession.run."""
        with self._turn:
            return list(super().run(*arguments, **options))

    def run_with_iobinding(self, *arguments: Any, **options: Any) -> None:
        """See InferenceSession.run_with_iobinding."""
        with self._turn:
            super().run_with_iobinding(*arguments, **options)


class DirectMLProvider(Provider):
    """A GPU through Direct3D 12."""

    def open(
        self, graph: GraphSource, session_options: ort.SessionOptions, options: Mapping[str, str]
    ) -> ort.InferenceSession:
        """See Provider.open; with the settings without which DirectMLProvider refuses or is wrong.

        Raises DeviceError for a dimension that is no number, and a device_id that there is not.
        """
        session_options.enable_mem_pattern = False
        session_options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        for name, size in options.items():
            if name.startswith(_DIMENSION):
                session_options.add_free_dimension_override_by_name(name.removeprefix(_DIMENSION), _size(name, size))
        own = {name: value for name, value in options.items() if not name.startswith(_DIMENSION)}
        devices = self._devices()
        if not devices:  # a build that lists no devices takes the number itself
            return SerialSession(graph, session_options, providers=[(self.provider, own)], enable_fallback=False)
        number = own.pop(_DEVICE, None)
        session_options.add_provider_for_devices([_select_device(devices, number)], own)
        return SerialSession(graph, session_options, enable_fallback=False)


def _select_device(devices: Sequence[ort.OrtEpDevice], number: str | None) -> ort.OrtEpDevice:
    """The GPU called `number`; the first one where it is None."""
    if number is None:
        return devices[0]
    known = {str(device.ep_options.get(_DEVICE, place)): device for place, device in enumerate(devices)}
    if number not in known:
        listed = ", ".join(f"{name} ({printable(device.device.vendor)})" for name, device in known.items())
        raise DeviceError(f"DirectML has no GPU with the device_id {printable(number)}: there are {listed}.")
    return known[number]


def _size(name: str, text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise DeviceError(f"{printable(name)} takes a whole number from 1 on, and {printable(text)} was given.")
    return int(text)


DML = DirectMLProvider(
    "dml",
    "DirectML",
    "DmlExecutionProvider",
    "GPU",
    brought_by="a Windows machine with onnxruntime-windowsml",
    copies_inputs=True,
)
