"""Keys and values in a provider's own memory: the same values after whatever is done to the cache, and no copy a step.

The processor stands for a GPU: what is bound is copied, and its memory is another than the cache's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from numpy.typing import NDArray

from tests.workflows.conftest import Built
from workflows.bundle import read_bundle
from workflows.kvcache.cache_file import load_cache, save_cache
from workflows.runtime import Machine, device_named, devices, open_machine
from workflows.runtime.loading.sessions import Placement
from workflows.runtime.providers import PROVIDERS
from workflows.runtime.providers.provider import Provider

pytestmark = pytest.mark.slow


class Apart(Provider):
    """The processor with memory of its own."""

    def allocate(self, like: NDArray[Any], element: np.dtype | int) -> ort.OrtValue:
        return ort.OrtValue.ortvalue_from_shape_and_type(like.shape, element)


def _copy(sources: Sequence[ort.OrtValue], targets: Sequence[ort.OrtValue]) -> None:
    for source, target in zip(sources, targets, strict=True):
        target.numpy()[...] = source.numpy()


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of them, for one may hand over to another."""
    for name in ("webgpu", "cuda"):
        monkeypatch.setitem(PROVIDERS, name, Apart(name, name, "CPUExecutionProvider", "GPU", copies_inputs=True))
    monkeypatch.setattr(ort, "copy_tensors", _copy)  # onnxruntime has none within the processor's memory


@pytest.fixture(scope="module")
def demo(built: Built) -> Path:
    return built("demo:qwen3", cache="gqa", graphs="prefill-decode", chunk=32, capacity=256)


def feed(machine: Machine, ids: list[int]) -> NDArray[np.float32]:
    """The logits after the last of them."""
    for tokens, phase in machine.chunks(ids):
        logits = machine.step(tokens, phase)
    return logits[-1].copy()


def test_nothing_is_copied_between_steps(demo: Path) -> None:
    """Rows are moved once there, and once back when somebody reads them."""
    with open_machine(read_bundle(demo), device_named("webgpu")) as machine:
        memory = machine.memory
        assert memory is not None
        feed(machine, list(range(9, 109)))
        for token in range(50):
            machine.step([token])
        assert memory.copies == 1
        machine.cache.rewind(40)
        machine.step([7])
        assert memory.copies == 1
        machine.cache.rows()
        assert memory.copies == 2


def test_what_is_wiped_is_wiped_there_too(demo: Path) -> None:
    """NaN that a run left in the provider's memory would show in every reply after it."""
    with (
        open_machine(read_bundle(demo), device_named("webgpu")) as machine,
        open_machine(read_bundle(demo), device_named("cpu")) as reference,
    ):
        assert machine.memory is not None
        feed(machine, list(range(9, 60)))
        for value in machine.memory.values(PROVIDERS["webgpu"]).values():
            value.numpy()[...] = np.nan
        machine.cache.reset(wiped=True)
        found = [feed(one, list(range(30, 41))) for one in (machine, reference)]
        assert np.array_equal(*found)
        assert all(np.isfinite(rows).all() for rows in machine.cache.rows()[1].values())
        assert all(np.isfinite(value.numpy()).all() for value in machine.memory.values(PROVIDERS["webgpu"]).values())


@pytest.mark.parametrize("layout", ["gqa", "static"])
@pytest.mark.parametrize(
    "place", [{}, {"prefill": "cpu"}, {"decode": "cpu"}, {"prefill": "cuda"}, {"decode": "cuda"}], ids=str
)
def test_whatever_is_done_to_the_cache(
    built: Built, demo: Path, tmp_path: Path, layout: str, place: dict[str, str]
) -> None:
    """Chunks, tokens, going back, saving, loading and starting anew, on one provider or two, as on the CPU."""
    options = {"graphs": "prefill-decode", "chunk": 32, "capacity": 256}
    bundle = read_bundle(demo if layout == "gqa" else built("demo:qwen3", **options))
    others = {name: device_named(one) for name, one in place.items()}
    drawn = random.Random(f"{layout}{place}")
    with (
        open_machine(bundle, Placement(device_named("webgpu"), others)) as machine,
        open_machine(bundle, device_named("cpu")) as reference,
    ):
        saved: list[int] = []
        for number in range(40):
            what = drawn.choice(["chunk", "token", "token", "rewind", "save", "load", "reset"])
            ids = [drawn.randrange(5, 1000) for _ in range(1 if what == "token" else drawn.randrange(2, 60))]
            if what == "rewind":
                length = drawn.randrange(machine.cache.length + 1)
                for one in (machine, reference):
                    one.cache.rewind(length)
            elif what == "reset":
                for one in (machine, reference):
                    one.cache.reset()
            elif what == "save":
                saved = list(range(machine.cache.length))
                for one, name in ((machine, "a"), (reference, "b")):
                    save_cache(one.cache, saved, bundle.digest, tmp_path / name)
            elif what == "load" and saved:
                for one, name in ((machine, "a"), (reference, "b")):
                    load_cache(one.cache, bundle.digest, tmp_path / name)
            elif what in ("chunk", "token") and machine.cache.length + len(ids) <= 256:
                found = [feed(one, ids) for one in (machine, reference)]
                assert np.array_equal(*found), (number, what)
            assert machine.cache.length == reference.cache.length
        for mine, own in zip(machine.cache.rows()[1].values(), reference.cache.rows()[1].values(), strict=True):
            assert np.array_equal(mine, own)


def test_webgpu_keeps_its_rows(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real one, where there is an adapter."""
    monkeypatch.undo()
    device = next(one for one in devices() if one.name == "webgpu")
    if not device.usable:
        pytest.skip(f"{device.reason} {device.remedy}")
    found = []
    for one in (device, device_named("cpu")):
        with open_machine(read_bundle(demo), one) as machine:
            rows = [feed(machine, list(range(9, 109)))]
            rows += [machine.step([token])[-1].copy() for token in range(5, 15)]
            machine.cache.rewind(60)
            rows.append(feed(machine, list(range(30, 80))))
            found.append(np.array(rows))
            assert machine.memory is None or machine.memory.copies == 1
    assert np.abs(found[0] - found[1]).max() < 1e-3 * np.abs(found[1]).max()
