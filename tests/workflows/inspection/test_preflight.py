"""A bundle is judged beforehand: by its provider where that is here, by a table of kernels where there is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workflows.cli import app
from workflows.common.errors import BundleError, DeviceError
from workflows.inspection import preflight as module
from workflows.inspection.preflight import preflight
from workflows.runtime.providers import PROVIDERS
from workflows.wire.reports.preflight import PreflightReport


@pytest.mark.parametrize("name", ["dml", "DmlExecutionProvider"])
def test_directml_s_nodes_are_reported_without_it(demo_split_bundle: Path, name: str) -> None:
    report = preflight(demo_split_bundle, name)
    assert (report.provider, report.usable) == ("dml", False)
    assert report.reason.startswith("DirectML cannot be used: DmlExecutionProvider is not part of")
    assert report.reason.endswith("Nothing was run; the nodes are those of DirectML's kernel table.")
    assert [one.name for one in report.components] == ["prefill", "decode"]
    for one in report.components:
        assert one.nodes == one.on_provider + len(one.elsewhere) and one.prefill is one.step is None
        reasons = {left.op: left.reason for left in one.elsewhere}
        assert reasons["Attention"] == "DirectML has no kernel for Attention."
        assert reasons["Cos"] == "DirectML has kernels for Cos of version 7, and the graph's is of 22."
        assert "MatMul" not in reasons and "com.microsoft.SkipSimplifiedLayerNormalization" not in reasons


def test_on_the_command_line(demo_split_bundle: Path) -> None:
    done = CliRunner().invoke(app, ["preflight", str(demo_split_bundle), "--provider", "dml", "--json"])
    told = json.loads(done.stdout.splitlines()[0])
    assert told["usable"] is False and told["components"][0]["elsewhere"][0]["reason"].startswith("DirectML has")
    assert done.exit_code != 0


def test_without_a_table_the_device_s_reason_stays(demo_split_bundle: Path) -> None:
    with pytest.raises(DeviceError, match="CUDA cannot be used"):
        preflight(demo_split_bundle, "cuda")
    with pytest.raises(DeviceError, match="No provider is called 'dm'"):
        preflight(demo_split_bundle, "dm")
    with pytest.raises(BundleError):
        preflight(demo_split_bundle / "nowhere", "dml")


def test_where_the_provider_is_here_it_decides_itself(demo_split_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = PreflightReport(PROVIDERS["dml"].name, [], True, "")
    monkeypatch.setattr(module, "try_out", lambda folder, provider, options, cancelled: own)
    assert preflight(demo_split_bundle, "dml") is own
