"""Compiled contexts: opened where they fit exactly what is there, said where they do not, and whole or not there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from workflows.bundle import read_bundle
from workflows.bundle.contexts import CONTEXTS, RECORD, ContextFolder, publish_contexts, read_contexts
from workflows.bundle.verify import verify_bundle
from workflows.common.errors import BundleError, DeviceError, GraphError, JoineryError
from workflows.generate import GenerateOptions, open_engine
from workflows.runtime import device_named, open_machine
from workflows.runtime.loading.sessions import SessionPlan, open_session
from workflows.runtime.providers import PROVIDERS
from workflows.runtime.providers.context_compiler import compile_bundle, make_contexts
from workflows.runtime.providers.provider import Provider
from workflows.wire.events import GenerationDone, NoticeEvent


class Twin(Provider):
    """A provider whose contexts are the graphs themselves with their weights inside; the processor computes them."""

    def compile(self, graph: Path, told: ort.SessionOptions, options: Mapping[str, str], target: Path) -> None:
        onnx.save(onnx.load(graph), target)


TWIN = Twin("qnn", "Twin", "CPUExecutionProvider", "NPU", options={"soc_model": "60"}, compiles=True)


@pytest.fixture
def bundle(demo_split_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle of our own, and the twin in the place of QNN."""
    monkeypatch.setitem(PROVIDERS, "qnn", TWIN)
    return Path(shutil.copytree(demo_split_bundle, tmp_path / "bundle"))


def compiled(bundle: Path, options: Mapping[str, str] | None = None) -> ContextFolder:
    draft = bundle / CONTEXTS / ".00000000.draft"
    make_contexts(bundle, "qnn", options or {}, False, draft)
    return publish_contexts(bundle, draft)


def opened(bundle: Path, provider: str = "qnn", options: Mapping[str, str] | None = None) -> tuple[set[str], str]:
    """The files that a machine's sessions are of, and what it says."""
    found: set[str] = set()
    real = Provider.open

    def watch(self: Provider, graph: Path, told: ort.SessionOptions, given: Mapping[str, str]) -> ort.InferenceSession:
        found.add(str(graph.relative_to(bundle)).replace("\\", "/"))
        return real(self, graph, told, {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Provider, "open", watch)
        with open_machine(read_bundle(bundle), device_named(provider), device_options=options) as machine:
            return found, machine.placement


def answer(bundle: Path, provider: str) -> list[int]:
    with open_engine(bundle, provider=provider) as engine:
        *_, done = engine.generate(list(range(5, 90)), GenerateOptions(max_new_tokens=6))
        assert isinstance(done, GenerationDone)
        return done.token_ids


def test_contexts_are_opened_and_give_the_same_tokens(bundle: Path) -> None:
    """On their own provider alone."""
    made = compiled(bundle)
    inside = f"{CONTEXTS}/{made.record.key}"
    assert opened(bundle) == ({f"{inside}/prefill.onnx", f"{inside}/decode.onnx"}, "")
    assert opened(bundle, "cpu") == ({"prefill.onnx", "decode.onnx"}, "")
    assert answer(bundle, "qnn") == answer(bundle, "cpu")
    assert verify_bundle(bundle).ok


def other_version(bundle: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Twin, "version", lambda self: "9.9")


def other_onnxruntime(bundle: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ort, "__version__", "9.9")


def other_graph(bundle: Path, patch: pytest.MonkeyPatch) -> None:
    """The same bytes long, and another producer."""
    model = onnx.load(bundle / "decode.onnx", load_external_data=False)
    model.producer_name = model.producer_name[:-1] + "?" if model.producer_name else "?"
    data = model.SerializeToString()
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    manifest["files"]["decode.onnx"]["bytes"] = len(data)
    (bundle / "decode.onnx").write_bytes(data)
    (bundle / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def other_weights(bundle: Path, patch: pytest.MonkeyPatch) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    manifest["files"]["weights.data"]["sha256"] = "0" * 64
    (bundle / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def other_own_options(bundle: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setitem(PROVIDERS, "qnn", replace(TWIN, options={"soc_model": "87"}))


@pytest.mark.parametrize("change", [other_version, other_onnxruntime, other_graph, other_weights, other_own_options])
def test_what_was_made_of_something_else_is_not_opened(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, pytest.MonkeyPatch], None]
) -> None:
    """One change of each kind, and the plain graph is opened, which is said."""
    compiled(bundle)
    change(bundle, monkeypatch)
    files, said = opened(bundle)
    assert "decode.onnx" in files
    assert "decode were made of other graphs, versions or options" in said and "`joinery compile`" in said


def test_options_choose_among_contexts(bundle: Path) -> None:
    """Two chips have a context each; a third has none."""
    one, other = compiled(bundle), compiled(bundle, {"soc_model": "87"})
    assert len(read_contexts(bundle)) == 2
    for made, options in ((one, {}), (other, {"soc_model": "87"})):
        files, said = opened(bundle, options=options)
        assert files == {f"{CONTEXTS}/{made.record.key}/{name}.onnx" for name in ("prefill", "decode")} and not said
    files, said = opened(bundle, options={"soc_model": "43"})
    assert files == {"prefill.onnx", "decode.onnx"} and "compile them again" in said


def test_new_contexts_take_the_place_of_old_ones(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those for another chip stay."""
    old, kept = compiled(bundle), compiled(bundle, {"soc_model": "87"})
    monkeypatch.setattr(Twin, "version", lambda self: "9.9")
    new = compiled(bundle)
    assert {one.folder.name for one in read_contexts(bundle)} == {new.record.key, kept.record.key}
    assert old.record.key != new.record.key and compiled(bundle).record.key == new.record.key


def test_it_is_reported_in_the_reply(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(bundle)
    monkeypatch.setattr(Twin, "version", lambda self: "9.9")
    with open_engine(bundle, provider="qnn") as engine:
        events = list(engine.generate([5, 6], GenerateOptions(max_new_tokens=1)))
    notices = [one.message for one in events if isinstance(one, NoticeEvent) and one.code == "placement"]
    assert len(notices) == 1 and notices[0].startswith("The compiled contexts of prefill, decode were made of other")


# -- what is not whole -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: (folder / RECORD).write_text("{"), "is not a valid record of compiled contexts"),
        (
            lambda folder: (folder / RECORD).write_text('{"shared": false, "sessions": {}, "files": {}}'),
            "not a valid record of compiled contexts",
        ),
        (lambda folder: (folder / RECORD).unlink(), "is not a valid record of compiled contexts"),
        (lambda folder: (folder / RECORD).write_text((folder / RECORD).read_text().replace("decode.onnx", "../x")),
         "is not a valid record of compiled contexts"),
        (lambda folder: (folder / "decode.onnx").unlink(), "lacks decode.onnx"),
        (lambda folder: (folder / "decode.onnx").write_bytes(b"short"), "decode.onnx in .* is not .* bytes long"),
    ],
)  # fmt: skip
def test_what_is_not_whole_is_refused(bundle: Path, damage: Callable[[Path], object], told: str) -> None:
    """With what to do; compiling anew mends it."""
    damage(compiled(bundle).folder)
    with pytest.raises(BundleError, match=told):
        opened(bundle)
    assert not verify_bundle(bundle).ok or told.startswith("is not a valid record")
    compiled(bundle)
    opened(bundle)
    assert verify_bundle(bundle).ok


def test_an_altered_context_is_found_by_verify(bundle: Path) -> None:
    path = compiled(bundle).folder / "decode.onnx"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    report = verify_bundle(bundle)
    assert [(one.file, one.problem) for one in report.problems] == [(path.relative_to(bundle).as_posix(), "altered")]


def test_a_context_that_the_provider_does_not_take_is_refused_by_name(bundle: Path) -> None:
    """It is not opened from the plain graph without a word."""
    made = compiled(bundle)
    path = made.folder / "decode.onnx"
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(DeviceError, match=r"Twin does not take the compiled context .*decode\.onnx: compile anew"):
        opened(bundle)


def test_a_draft_that_was_killed_is_nobody_s(bundle: Path) -> None:
    """It is not opened, is no stranger in the bundle, and the next compilation takes it away."""
    draft = bundle / CONTEXTS / ".12345678.draft"
    draft.mkdir(parents=True)
    (draft / "half.bin").write_bytes(b"half")
    assert opened(bundle)[0] == {"prefill.onnx", "decode.onnx"} and verify_bundle(bundle).ok
    with pytest.raises(JoineryError):
        compile_bundle(bundle, "qnn", seconds=0.0)
    assert not draft.exists() and verify_bundle(bundle).ok


def test_a_provider_that_cannot_compile_is_reported(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="CPU makes no compiled contexts"):
        compile_bundle(bundle, "cpu")
    with pytest.raises(BundleError, match="There is no bundle folder"):
        compile_bundle(tmp_path / "none", "qnn")


def test_a_context_s_graph_elsewhere_is_refused_by_what_it_is(tmp_path: Path) -> None:
    """Somebody opens the small graph around a context as if it were a plain one."""
    value = onnx.helper.make_tensor_value_info
    node = onnx.helper.make_node(
        "EPContext", ["x"], ["y"], domain="com.microsoft", embed_mode=0, ep_cache_context="a.bin", main_context=1
    )
    graph = onnx.helper.make_graph(
        [node], "g", [value("x", onnx.TensorProto.FLOAT, [1])], [value("y", onnx.TensorProto.FLOAT, [1])]
    )
    opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid("com.microsoft", 1)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10), tmp_path / "g.onnx")
    with pytest.raises(GraphError, match=r"g\.onnx is compiled for one provider, and CPU is another"):
        open_session(SessionPlan("g", tmp_path / "g.onnx", device_named("cpu")))


def test_weights_of_the_bundle_are_not_asked_of_contexts(bundle: Path) -> None:
    """The logits are the plain graphs' bit for bit: the twin computes the same."""
    compiled(bundle)
    found = []
    for provider in ("qnn", "cpu"):
        with open_machine(read_bundle(bundle), device_named(provider)) as machine:
            for chunk, phase in machine.chunks(list(range(9, 80))):
                logits = machine.step(chunk, phase, 1)
            found.append(logits)
    assert np.array_equal(found[0], found[1])
