"""A provider that computes GroupQueryAttention wrongly does not open a bundle whose cache it would write."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.bundle import read_bundle
from workflows.common.errors import DeviceError
from workflows.runtime import open_machine
from workflows.runtime.loading.sessions import Placement
from workflows.runtime.providers import PROVIDERS
from workflows.runtime.providers.provider import Provider
from workflows.wire.reports.devices import Device


@pytest.mark.parametrize("name", ["dml", "openvino", "webgpu"])
def test_the_default_cache_where_it_would_be_wrong(
    name: str, default_bundle: Path, demo_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROVIDERS, name, Provider(name, name.title(), "CPUExecutionProvider", "GPU"))
    device = Device(name=name, title=name.title(), provider="CPUExecutionProvider", kind="GPU", usable=True)
    open_machine(read_bundle(demo_bundle), Placement(device, {})).close()  # the host writes it
    if name == "webgpu":
        open_machine(read_bundle(default_bundle), Placement(device, {})).close()
        return
    with pytest.raises(DeviceError, match=rf"cannot run this bundle's gqa cache: .*build with the target {name}"):
        open_machine(read_bundle(default_bundle), Placement(device, {}))
