"""What is for Windows alone, as far as another system can tell: the calls, against fakes of what Windows has."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from tests.workflows.runtime.toy_bundles import FLOAT, Net
from workflows.common.errors import DeviceError
from workflows.runtime.providers import PROVIDERS, dml, provider, windows_catalog
from workflows.runtime.providers.fetch import main as fetch

QNN = "QNNExecutionProvider"


class Catalog:
    """Windows ML's package: `calls` is what was asked of it."""

    def __init__(self, folder: Path, states: dict[str, str], fails: str = "") -> None:
        self.calls: list[str] = []
        self.offered = [self._one(folder, name, state, fails) for name, state in states.items()]

    def _one(self, folder: Path, name: str, state: str, fails: str) -> Any:
        one = SimpleNamespace(name=name, ready_state=SimpleNamespace(name=state), library_path="")

        def ensure_ready() -> None:
            self.calls.append(f"ensure_ready {name}")
            if fails:
                raise OSError(fails)
            one.library_path, one.ready_state = str(folder / f"{name}.dll"), SimpleNamespace(name="Ready")

        one.ensure_ready = ensure_ready
        return one

    def module(self) -> ModuleType:
        module: Any = ModuleType(windows_catalog.PACKAGE)
        calls, offered = self.calls, self.offered

        class EpCatalog:
            def find_all_providers(self) -> list[Any]:
                calls.append("find_all_providers")
                return offered

            def close(self) -> None:
                raise AssertionError("it ends the process with some drivers")

        module.EpCatalog = EpCatalog
        return module  # type: ignore[no-any-return]


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`windows(catalog)`: a machine with that catalog and without a package of a plugin."""

    def make(fake: Catalog) -> None:
        windows_catalog._catalog_plugins.cache_clear()
        monkeypatch.setitem(sys.modules, windows_catalog.PACKAGE, fake.module())
        monkeypatch.setattr(windows_catalog, "has_catalog", lambda: True)
        monkeypatch.setattr(provider.Provider, "_has_package", property(lambda self: False))
        npu = SimpleNamespace(ep_vendor="a vendor")
        is_registered = lambda: any(call.startswith("register ") for call in fake.calls)  # noqa: E731
        monkeypatch.setattr(provider.Provider, "_devices", lambda self: [npu] if is_registered() else [])
        registered = lambda name, path: fake.calls.append(f"register {name} {Path(path).name}")  # noqa: E731
        monkeypatch.setattr(ort, "register_execution_provider_library", registered)

    yield make
    windows_catalog._catalog_plugins.cache_clear()


@pytest.mark.parametrize("state", ["Ready", "NotReady"])
def test_a_plugin_of_the_catalog_is_made_ready_and_registered(state: str, windows: Any, tmp_path: Path) -> None:
    fake = Catalog(tmp_path, {"VitisAIExecutionProvider": "NotPresent", QNN: state})
    windows(fake)
    assert PROVIDERS["qnn"].find().usable
    assert fake.calls == ["find_all_providers", f"ensure_ready {QNN}", f"register {QNN} {QNN}.dll"]


def test_what_would_be_downloaded_is_requested_by_name(
    windows: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing connects unasked: looking what there is makes nothing ready."""
    fake = Catalog(tmp_path, {QNN: "NotPresent"})
    windows(fake)
    device = PROVIDERS["qnn"].find()
    assert device.reason == f"Windows ML has the plugin of {QNN}, and it is not on this machine yet."
    assert device.remedy == f"Have Windows download it: python -m workflows.runtime.providers.fetch {QNN}."
    assert fake.calls == ["find_all_providers"]
    fetch(QNN)
    assert capsys.readouterr().out == f"{tmp_path / QNN}.dll\n"
    assert PROVIDERS["qnn"].find().usable


def test_what_the_catalog_lacks_is_reported(windows: Any, tmp_path: Path) -> None:
    windows(Catalog(tmp_path, {"VitisAIExecutionProvider": "Ready"}))
    device = PROVIDERS["openvino"].find()
    assert device.reason == (
        "Windows ML has no plugin of OpenVINOExecutionProvider for this machine; it has VitisAIExecutionProvider."
    )
    windows(Catalog(tmp_path, {QNN: "NotReady"}, fails="0x80073cf3"))
    device = PROVIDERS["qnn"].find()
    assert device.reason == f"Windows cannot make {QNN} ready: 0x80073cf3"
    assert device.remedy == "Update Windows and its drivers."
    with pytest.raises(SystemExit, match="cannot make"):
        fetch(QNN)


def test_a_plugin_finds_what_lies_beside_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its folder is on Windows' way before it is loaded."""
    added: list[str] = []
    monkeypatch.setattr(os, "add_dll_directory", added.append, raising=False)
    monkeypatch.setattr(provider.sys, "platform", "win32")
    provider._search_library_folder(tmp_path / "Größe 模型 x" / "plugin.dll")
    assert added == [str(tmp_path / "Größe 模型 x")]


# -- DirectML --------------------------------------------------------------------------------------------------


@pytest.fixture
def doubling(tmp_path: Path) -> Path:
    """y = 2x for any number of columns."""
    net = Net()
    net("Mul", "x", net.const([2.0]), out="y")
    net.save(tmp_path / "g.onnx", {"x": (FLOAT, [1, "n"])}, {"y": (FLOAT, [1, "n"])})
    return tmp_path / "g.onnx"


@pytest.fixture
def cpu_stands_for_dml(monkeypatch: pytest.MonkeyPatch) -> dml.DirectMLProvider:
    """Its sessions are the CPU's; options of DirectML are taken away where onnxruntime would ask for them."""
    real = ort.InferenceSession.__init__

    def init(self: Any, graph: Any, told: Any, providers: Any = None, enable_fallback: bool = True) -> None:
        self.asked = providers
        real(self, graph, told, providers=["CPUExecutionProvider"])

    monkeypatch.setattr(ort.InferenceSession, "__init__", init)
    return dml.DML  # type: ignore[return-value]


def test_directml_has_its_settings(doubling: Path, cpu_stands_for_dml: dml.DirectMLProvider) -> None:
    told = ort.SessionOptions()
    session: Any = cpu_stands_for_dml.open(doubling, told, {"device_id": "1", "dimension.n": "3"})
    assert not told.enable_mem_pattern and told.execution_mode == ort.ExecutionMode.ORT_SEQUENTIAL
    assert session.asked == [("DmlExecutionProvider", {"device_id": "1"})]
    assert session.get_inputs()[0].shape == [1, 3]
    with pytest.raises(DeviceError, match=r"dimension\.n takes a whole number from 1 on, and x was given"):
        cpu_stands_for_dml.open(doubling, ort.SessionOptions(), {"dimension.n": "x"})


def test_directml_runs_one_after_the_other(doubling: Path, cpu_stands_for_dml: dml.DirectMLProvider) -> None:
    """A second thread waits for its turn."""
    session: Any = cpu_stands_for_dml.open(doubling, ort.SessionOptions(), {})
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(session.run(None, {"x": np.ones((1, 2), np.float32)})))
    with session._turn:
        thread.start()
        thread.join(0.2)
        assert not found
    thread.join()
    assert found[0][0].tolist() == [[2.0, 2.0]]


def test_a_gpu_is_chosen_by_its_number() -> None:
    gpus: Any = [
        SimpleNamespace(ep_options={"device_id": str(i)}, device=SimpleNamespace(vendor=vendor))
        for i, vendor in enumerate(("Intel", "NVIDIA"))
    ]
    assert dml._select_device(gpus, None) is gpus[0] and dml._select_device(gpus, "1") is gpus[1]
    with pytest.raises(DeviceError, match=r"no GPU with the device_id 2: there are 0 \(Intel\), 1 \(NVIDIA\)\."):
        dml._select_device(gpus, "2")
