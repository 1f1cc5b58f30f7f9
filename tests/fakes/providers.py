"""Execution providers that go wrong, each in its own way; the CPU computes for them.

Faulty: a Provider whose sessions do what `fault` says    write_plugin: a package whose library cannot be loaded
in_children: the same in processes that a test starts, by way of sitecustomize on PYTHONPATH
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import onnxruntime as ort
from onnxruntime.capi.onnxruntime_pybind11_state import EPFail

from workflows.runtime.providers.provider import GraphSource, Provider
from workflows.wire.reports.devices import Device

Fault = Literal["none", "lies", "hangs", "hangs in load", "nan", "fails", "refuses"]
NAME, PROVIDER, TITLE = "faulty", "FaultyExecutionProvider", "Faulty"
AGES_S = 3600.0
PLUGINS = {
    "crashes": "import os\nos.abort()\n",
    "hangs": "import time\ntime.sleep(3600)\n",
    "no library": "def get_library_path():\n    return __file__\n\n\ndef get_ep_name():\n    return 'x'\n",
    "no plugin": "",
}


@dataclass(frozen=True)
class Faulty(Provider):
    """lies: takes no node. hangs: in a step, or in load. nan: all outputs. fails: in a step. refuses: the graph."""

    fault: Fault = "none"

    def find(self) -> Device:
        """Usable, as far as one can tell."""
        return Device(self.name, self.title, self.provider, self.kind, "Nobody", None, usable=True)

    def open(self, graph: GraphSource, told: ort.SessionOptions, options: Mapping[str, str]) -> ort.InferenceSession:
        """See Provider.open."""
        if self.fault == "hangs in load":
            hang()
        if self.fault == "refuses":
            raise EPFail("[ONNXRuntimeError] : 11 : EP_FAIL : the graph has 3 inputs too many")
        session = ort.InferenceSession(graph, told, providers=["CPUExecutionProvider"])
        return Session(session, self)


class Session:
    """An onnxruntime session that claims its nodes for a provider, and does in a run what that one's fault is."""

    def __init__(self, session: ort.InferenceSession, provider: Faulty) -> None:
        self._session, self._provider = session, provider

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def get_provider_graph_assignment_info(self) -> list[Any]:
        """All nodes, or none."""
        parts = self._session.get_provider_graph_assignment_info()
        if self._provider.fault == "lies":
            return list(parts)
        return [SimpleNamespace(ep_name=self._provider.provider, get_nodes=part.get_nodes) for part in parts]

    def run_with_iobinding(self, binding: ort.IOBinding, options: ort.RunOptions | None = None) -> None:
        """One run."""
        fault = self._provider.fault
        if fault == "hangs":
            hang()
        if fault == "fails":
            raise EPFail("[ONNXRuntimeError] : 11 : EP_FAIL : the device was removed")
        self._session.run_with_iobinding(binding, options)
        for output in binding.get_outputs() if fault == "nan" else ():
            output.update_inplace(np.full(output.shape(), np.nan, np.float32))


def hang() -> None:
    """For ages; the file that FAULTY_MARK names says that it began."""
    mark = os.environ.get("FAULTY_MARK")
    if mark:
        Path(mark).touch()
    time.sleep(AGES_S)


def faulty(fault: Fault) -> Faulty:
    """A provider with that fault."""
    return Faulty(NAME, TITLE, PROVIDER, "NPU", fault=fault)


def install(fault: Fault) -> None:
    """Makes this process know the provider."""
    from workflows.runtime.providers import PROVIDERS

    PROVIDERS[NAME] = faulty(fault)


def in_children(folder: Path, fault: Fault) -> str:
    """What PYTHONPATH is to be, so that every Python that is started knows the provider. folder: for a file."""
    folder.mkdir(exist_ok=True)
    text = f"from tests.fakes.providers import install\n\ninstall({fault!r})\n"
    (folder / "sitecustomize.py").write_text(text, "utf-8")
    return str(folder)


def write_plugin(folder: Path, package: str, kind: str) -> str:
    """A package that stands before one that may be installed; gives what PYTHONPATH is to be. kind: of PLUGINS."""
    (folder / package).mkdir(parents=True)
    (folder / package / "__init__.py").write_text(PLUGINS[kind], "utf-8")
    return str(folder)
