"""Providers: who is here, who is not and why; drivers that lie, crash and hang are told apart and survived."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from tests.workflows.conftest import Built
from tests.workflows.runtime.toy_bundles import FLOAT, Net
from workflows.bundle import read_bundle
from workflows.cli.run_flags import read_places
from workflows.common.errors import DeviceError, RequestError
from workflows.generate import GenerateOptions, open_engine
from workflows.runtime import device_named, devices, open_machine
from workflows.runtime.loading.sessions import SessionPlan, open_session
from workflows.runtime.providers import PROVIDERS
from workflows.runtime.providers.assignment import Assignment, placement_note
from workflows.runtime.providers.preflight import try_out
from workflows.runtime.providers.provider import Provider
from workflows.wire.events import GenerationDone
from workflows.wire.reports.preflight import FallbackNode

QNN = importlib.util.find_spec("onnxruntime_qnn") is not None
OLDER = """
import onnxruntime.capi.onnxruntime_pybind11_state as state
del state.DeviceReset, state.ModelRequiresCompilation
from workflows.runtime.loading.sessions import ORT_ERRORS
assert state.Fail in ORT_ERRORS and RuntimeError in ORT_ERRORS
"""


def test_the_cpu_is_first_and_usable() -> None:
    found = devices()
    assert [one.name for one in found] == list(PROVIDERS) and found[0].name == "cpu"
    assert found[0].usable and found[0].memory_bytes and found[0].memory_bytes > 1 << 28
    for one in found:
        assert one.usable or (one.reason.endswith(".") and one.remedy.endswith("."))


def test_a_plugin_that_is_not_installed_says_how_it_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Provider, "installed", property(lambda self: False))
    monkeypatch.setattr(ort, "get_available_providers", lambda: ["CPUExecutionProvider"])  # one may be registered here
    found = next(one for one in devices() if one.name == "webgpu")
    assert "is not installed" in found.reason and found.remedy == "Install it: pip install onnxruntime-ep-webgpu."


# -- opening ---------------------------------------------------------------------------------------------------


class Copies(Provider):
    """A provider that has memory of its own: it computes with what was there when it was bound."""


def test_what_is_copied_when_it_is_bound_is_bound_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU stands for a GPU: what matters is that the second run sees the second input."""
    from workflows.runtime.execution.binding import Binding
    from workflows.runtime.program.program import InputSource, ProgramPhase

    net = Net()
    net("Add", "input_ids_", net.const([1.0]), out="y")
    net.save(tmp_path / "g.onnx", {"input_ids_": (FLOAT, [1, 3])}, {"y": (FLOAT, [1, 3])})
    opened = open_session(SessionPlan("g", tmp_path / "g.onnx", device_named("cpu")))
    bound: list[str] = []
    real = ort.IOBinding.bind_input
    monkeypatch.setattr(
        ort.IOBinding, "bind_input", lambda self, name, *rest: (bound.append(name), real(self, name, *rest))[1]
    )
    for copies, times in ((False, 1), (True, 3)):
        bound.clear()
        one = Copies("x", "X", "CPUExecutionProvider", "GPU", copies_inputs=copies)
        session = type(opened)(**{**vars(opened), "provider": one})
        port = ("g", "input_ids_")
        run = ProgramPhase(("g",), {port: InputSource("driver", name="x")}, logits=(("g", "y"), session.outputs[0]))
        binding = Binding(run, {"g": session}, {"x": (1, 3)}, {}, frozenset({("g", "y")}))
        for value in (1, 2):
            binding.run({"x": np.full((1, 3), value, np.float32)}, None)
            assert binding.outputs["g", "y"].tolist() == [[value + 1.0] * 3]
        assert len(bound) == times


def placed(bundle: Path, tmp_path: Path, **place: str) -> Path:
    """The bundle, whose file says where components run."""
    copy = Path(shutil.copytree(bundle, tmp_path / "-".join((*place, *place.values())), dirs_exist_ok=True))
    data = json.loads((copy / "pipeline.json").read_text("utf-8"))
    data["metadata"]["place"] = place
    (copy / "pipeline.json").write_text(json.dumps(data), "utf-8")
    return copy


def test_components_are_placed_by_name(demo_split_bundle: Path, tmp_path: Path) -> None:
    """Each opens on its own device; the figures say where."""
    with open_engine(demo_split_bundle, place={"decode": "cpu"}) as engine:
        assert engine.machine.provider == "cpu, decode=cpu"
        *_, done = engine.generate([5, 6, 7], GenerateOptions(max_new_tokens=4))
        assert isinstance(done, GenerationDone) and done.provider == "cpu, decode=cpu"
    with pytest.raises(RequestError, match="no component 'head' to place: the components are prefill, decode"):
        open_engine(demo_split_bundle, place={"head": "cpu"})
    assert open_engine(placed(demo_split_bundle, tmp_path, prefill="cpu")).machine.provider == "cpu"
    with pytest.raises(DeviceError, match="No provider is called 'abacus'"):
        open_engine(placed(demo_split_bundle, tmp_path, prefill="abacus"))
    bundle = read_bundle(placed(demo_split_bundle, tmp_path, prefill="abacus"))
    with open_machine(bundle, device_named("cpu")) as machine:
        assert machine.provider == "cpu"  # a device alone is for all, as calibration and references need it
    with open_engine(placed(demo_split_bundle, tmp_path, prefill="abacus"), place={"prefill": "cpu"}) as engine:
        assert engine.machine.provider == "cpu, prefill=cpu"  # what a person says is over what the bundle says
    with pytest.raises(DeviceError, match="No provider is called 'gpu'"):
        open_engine(demo_split_bundle, place={"decode": "gpu"})
    assert read_places(["a=cpu,b=qnn", "c=dml"]) == {"a": "cpu", "b": "qnn", "c": "dml"}
    with pytest.raises(RequestError, match="--place takes K=V"):
        read_places(["a"])


def test_nodes_that_are_left_to_the_cpu_are_reported() -> None:
    nodes = tuple(FallbackNode(str(i), "Neg", "") for i in range(2))
    found = {"encoder": Assignment(9, ()), "decode": Assignment(20, nodes)}
    said = "X leaves 2 of 20 nodes of decode to the CPU provider; `joinery preflight` lists them with reasons."
    assert placement_note(found, "X") == said
    assert placement_note({"encoder": Assignment(9, ())}, "X") == ""


# -- preflight -------------------------------------------------------------------------------------------------


def test_the_cpu_is_as_the_cpu(demo_split_bundle: Path) -> None:
    report = try_out(demo_split_bundle, "cpu")
    assert (report.usable, report.reason) == (True, "")
    assert [one.name for one in report.components] == ["prefill", "decode"]
    for one in report.components:
        assert one.nodes == one.on_provider > 30 and one.elsewhere == []
    prefill, step = report.components[0].prefill, report.components[1].step
    assert prefill is not None and step is not None
    assert prefill.logits_max_abs_diff == step.kv_max_abs_diff == 0.0


@pytest.mark.slow
@pytest.mark.skipif(not QNN, reason="onnxruntime-qnn, whose simulator this runs on, is not installed")
def test_qnn_takes_its_target_whole_and_wrong_values_are_refused(built: Built, demo_split_bundle: Path) -> None:
    bundle = built("demo:qwen3", target="qnn", precision="w8a16", capacity=128, chunk=32)
    report = try_out(bundle, "qnn")
    assert report.usable, report.reason
    assert all(one.on_provider >= 0.98 * one.nodes for one in report.components)
    wrong = try_out(demo_split_bundle, "qnn")
    assert not wrong.usable and "off by" in wrong.reason
    assert {left.op for one in wrong.components for left in one.elsewhere} == {
        "com.microsoft.SkipSimplifiedLayerNormalization"
    }
    assert all("not supported by QNN" in left.reason for one in wrong.components for left in one.elsewhere)


def test_an_older_onnxruntime_has_fewer_errors_and_still_runs() -> None:
    """OpenVINO's build is of 1.24, DirectML's last one too: they lack errors that 1.31 has."""
    subprocess.run([sys.executable, "-c", OLDER], check=True, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"cache": "static"}, {"cache": "gqa"}, {"precision": "int4"}])
def test_webgpu_gives_the_tokens_of_the_cpu(built: Built, options: dict[str, str]) -> None:
    """With memory of its own it copies what is bound; bound once, it said one token for ever."""
    device = next(one for one in devices() if one.name == "webgpu")
    if not device.usable:
        pytest.skip(f"{device.reason} {device.remedy}")
    bundle, told = built("demo:qwen3", capacity=128, **options), []
    for provider in ("cpu", "webgpu"):
        with open_engine(bundle, provider=provider) as engine:
            ids = engine.encode_chat([{"role": "user", "content": "8 * 7 ="}])
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=8))
            assert isinstance(done, GenerationDone)
            told.append(done.token_ids)
    assert told[0] == told[1] and len(set(told[0])) > 3
