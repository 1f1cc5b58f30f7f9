"""Folders of genai's with real graphs: in place, imported, exported and imported again, they give numpy's logits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.interop import peers
from tests.workflows.interop.peers import Peer
from tests.workflows.runtime.toy_bundles import AUDIO, IMAGE
from workflows.bundle import read_bundle
from workflows.common.tensors import Array
from workflows.generate.prefill import feed_tokens
from workflows.interop.genai_export import export_genai
from workflows.interop.genai_import import import_genai
from workflows.runtime import Machine, device_named, open_machine

IDS = np.random.default_rng(3).integers(0, IMAGE, 40).tolist()
LENGTHS = (1, 7, 20)


def opened(folder: Path) -> Machine:
    return open_machine(read_bundle(folder), device_named("cpu"))


def check(machine: Machine, truth: Array, ids: Sequence[int], given: Mapping[str, Any] | None = None) -> None:
    """What the machine gives after the prompt and after each of the last tokens is what numpy gives."""
    machine.cache.reset()
    machine.start(given, ids)
    alone = min(3, len(ids) - 1)
    rows = [one.logits.copy() for one in feed_tokens(machine, ids[: len(ids) - alone])][-1:]
    rows += [machine.step([token])[-1].copy() for token in ids[len(ids) - alone :]] if alone else []
    np.testing.assert_allclose(np.array(rows), truth[-len(rows) :], atol=2e-4)


def check_text(folder: Path, toy: Peer) -> None:
    machine = opened(folder)
    for length in LENGTHS:
        n = np.arange(length)
        seen = (n[:, None] >= n) & (n[:, None] - n < (toy.window or length))
        check(machine, toy.truth(IDS[:length], visible=seen), IDS[:length])
    machine.close()


def check_sound(folder: Path, toy: Peer) -> None:
    source = [3, 1, 4, 1, 5]
    given = {"audio_features": toy.weights["source"][source][None].astype(np.float32)}
    machine = opened(folder)
    for length in LENGTHS:
        check(machine, toy.truth(IDS[:length], source=source), IDS[:length], given)
    machine.close()


def check_features(folder: Path, toy: Peer) -> None:
    """Rows of pictures and of sound at their places; and a prompt without any."""
    chances = np.random.default_rng(5)
    rows = {kind: chances.normal(size=(4, toy.weights[kind].shape[0])) for kind in toy.modalities}
    inputs = {"image": "pixel_values", "audio": "audio_embeds"}
    places = [{"image": IMAGE, "audio": AUDIO}[kind] for kind in toy.modalities for _ in range(4)]
    ids = [*IDS[:3], *places, *IDS[3:9]]
    machine = opened(folder)
    given = {inputs[kind]: value.astype(np.float32) for kind, value in rows.items()}
    check(machine, toy.truth(ids, rows), ids, given)
    check(machine, toy.truth(IDS[:9]), IDS[:9])
    machine.close()


KINDS: dict[str, tuple[Callable[[Path], Peer], Callable[[Path, Peer], None]]] = {
    "single": (peers.single, check_text),
    "windowed": (lambda folder: peers.single(folder, window=4), check_text),
    "renamed": (peers.renamed, check_text),
    "grouped": (peers.grouped, check_text),
    "combined": (peers.combined, check_text),
    "staged": (peers.staged, check_text),
    "split": (peers.split, check_text),
    "hearing": (peers.hearing, check_sound),
    "seeing": (peers.seeing, check_features),
    "listening": (lambda folder: peers.seeing(folder, "audio"), check_features),
    "sensing": (lambda folder: peers.seeing(folder, "image", "audio"), check_features),
}


@pytest.mark.parametrize("kind", KINDS)
def test_in_place_imported_exported_and_again(kind: str, tmp_path: Path) -> None:
    make, verify = KINDS[kind]
    (tmp_path / "peer").mkdir()
    toy = make(tmp_path / "peer")
    verify(tmp_path / "peer", toy)
    import_genai(tmp_path / "peer", tmp_path / "bundle")
    verify(tmp_path / "bundle", toy)
    for version in (1, 2):
        export_genai(tmp_path / "bundle", tmp_path / f"v{version}", version=version)  # type: ignore[arg-type]
        verify(tmp_path / f"v{version}", toy)
        import_genai(tmp_path / f"v{version}", tmp_path / f"again{version}")
        verify(tmp_path / f"again{version}", toy)
    text_alone = verify is check_text
    assert (tmp_path / "v1" / "sample.py").exists() == text_alone  # it gives nothing else
