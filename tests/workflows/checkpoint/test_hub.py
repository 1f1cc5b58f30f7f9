"""The hub, proved against a loopback server: progress, cancel, resume, hashes, and the three refusals told apart."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fakes.hub import COMMIT, FakeHub, etag_of
from tests.workflows.checkpoint.making import CONFIG, files, tensors, write
from workflows.checkpoint import Checkpoint, download, open_checkpoint
from workflows.checkpoint.sentence_transformers import read_embedding
from workflows.common.errors import Cancelled, CheckpointError, HubError
from workflows.wire.events import Event, LogEvent, ProgressEvent

NAME = "org/model"
WEIGHTS = tensors("embed", floats=300_000)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No login, no proxy, no pause; no connection left open."""
    from huggingface_hub import close_session, constants

    for name in ("HF_TOKEN", "HF_ENDPOINT", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_IMPLICIT_TOKEN", True)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # which a demo's training script says for its process
    monkeypatch.setattr(download, "PAUSE", 0.01)
    close_session()
    yield
    close_session()


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub({NAME: files(model__safetensors=WEIGHTS) | {"README.md": b"card", "onnx/model.bin": b"x"}}) as server:
        yield server


def fetch(hub: FakeHub, cache: Path, told: list[Event] | None = None) -> Checkpoint:
    report = told.append if told is not None else lambda event: None
    return open_checkpoint(NAME, endpoint=hub.endpoint, cache=cache, report=report)


def refusal(hub: FakeHub | str, cache: Path, name: str = NAME, revision: str | None = None) -> HubError:
    endpoint = hub if isinstance(hub, str) else hub.endpoint
    with pytest.raises(HubError) as caught:
        open_checkpoint(name, endpoint=endpoint, cache=cache, revision=revision)
    assert str(caught.value).isprintable() and str(caught.value).endswith(".")
    return caught.value


def test_download(hub: FakeHub, tmp_path: Path) -> None:
    told: list[Event] = []
    found = fetch(hub, tmp_path, told)
    assert (found.kind, found.revision, found.folder.name, found.parameters) == ("hub", COMMIT, COMMIT, 300_000)
    assert not any(path.endswith(("README.md", "onnx/model.bin")) for path in hub.paths())
    assert all(COMMIT in path for path in hub.paths() if "/resolve/" in path)
    progress = [event for event in told if isinstance(event, ProgressEvent)]
    last = progress[-1]
    assert {event.stage for event in progress} == {"checkpoint"} and last.unit == "bytes"
    assert last.done == last.total > len(WEIGHTS) and last.message == "model.safetensors"
    assert [event.done for event in progress] == sorted(event.done for event in progress)


def test_the_hub_s_own_client_finds_it(hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import hf_hub_download

    found = fetch(hub, tmp_path)
    path = hf_hub_download(NAME, "model.safetensors", cache_dir=tmp_path, local_files_only=True)
    assert Path(path) == found.folder / "model.safetensors"


def test_it_finds_what_the_hub_s_own_client_left(hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import hf_hub_download

    hf_hub_download(NAME, "model.safetensors", cache_dir=tmp_path, endpoint=hub.endpoint)
    hub.requests.clear()
    fetch(hub, tmp_path)
    assert not any(path.endswith("model.safetensors") for path in hub.paths())


def test_a_second_time_requests_the_list_alone(hub: FakeHub, tmp_path: Path) -> None:
    fetch(hub, tmp_path)
    hub.requests.clear()
    fetch(hub, tmp_path)
    assert len(hub.requests) == 1


def test_shards_and_code(hub: FakeHub, tmp_path: Path) -> None:
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    config = CONFIG | {"auto_map": {"AutoModel": "modeling_x.X"}}
    extra = {
        "model.safetensors.index.json": json.dumps(index).encode(),
        "model-00001-of-00002.safetensors": tensors("a"),
        "model-00002-of-00002.safetensors": tensors("b"),
        "other.safetensors": tensors("c"),
        "modeling_x.py": b"raise SystemExit('it ran')\n",
    }
    hub.repositories[NAME] = files(model__safetensors=None, config__json=json.dumps(config).encode()) | extra
    found = fetch(hub, tmp_path)
    assert set(found.tensors) == {"a", "b"} and list(found.remote_code) == ["modeling_x.py"]
    assert not any(path.endswith("other.safetensors") for path in hub.paths())


def test_weights_of_pytorch_where_there_are_no_others(hub: FakeHub, tmp_path: Path) -> None:
    import torch

    index = {"weight_map": {"a": "pytorch_model-00001-of-00002.bin", "b": "pytorch_model-00002-of-00002.bin"}}
    shards = {}
    for name, shard in index["weight_map"].items():
        torch.save({name: torch.zeros(2)}, tmp_path / shard)
        shards[shard] = (tmp_path / shard).read_bytes()
    extra = {"pytorch_model.bin.index.json": json.dumps(index).encode(), **shards, "training_args.bin": b"x"}
    hub.repositories[NAME] = files(model__safetensors=None) | extra
    found = fetch(hub, tmp_path)
    assert set(found.tensors) == {"a", "b"} and set(found.weight_files) == {*shards}
    assert not any("training_args" in path for path in hub.paths())
    hub.repositories[NAME] = files() | extra
    assert fetch(hub, tmp_path / "again").weight_files == ("model.safetensors",)


def test_the_modules_of_sentence_transformers(hub: FakeHub, tmp_path: Path) -> None:
    """The files that modules.json names, which a build needs to make its vectors; nothing else of their folders."""
    kinds = ("Transformer", "Pooling", "Dense", "Normalize")
    modules = [
        {"type": f"sentence_transformers.models.{kind}", "path": f"{number}_{kind}" if number else ""}
        for number, kind in enumerate(kinds)
    ]
    hub.repositories[NAME] = files() | {
        "modules.json": json.dumps(modules).encode(),
        "1_Pooling/config.json": b"{}",
        "2_Dense/config.json": b"{}",
        "2_Dense/model.safetensors": tensors("linear.weight"),
        "2_Dense/pytorch_model.bin": b"pickle",
        "sentence_bert_config.json": b"{}",
    }
    found = fetch(hub, tmp_path)
    named = {"modules.json", "sentence_bert_config.json", "1_Pooling/config.json", "2_Dense/config.json"}
    assert named | {"2_Dense/model.safetensors"} <= set(found.files) and found.embeds
    assert not any("pytorch_model" in path for path in hub.paths())


def test_a_model_of_sentence_transformers_in_a_folder_of_its_own(hub: FakeHub, tmp_path: Path) -> None:
    modules = [
        {"type": "sentence_transformers.models.Transformer", "path": "0_Transformer"},
        {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
    ]
    own = {f"0_Transformer/{name}": content for name, content in files(model__safetensors=tensors("embed")).items()}
    hub.repositories[NAME] = own | {
        "modules.json": json.dumps(modules).encode(),
        "1_Pooling/config.json": b"{}",
        "0_Transformer/sentence_bert_config.json": b'{"max_seq_length": 9}',
    }
    found = fetch(hub, tmp_path)
    assert (
        found.folder == found.root / "0_Transformer" and found.root.name == COMMIT and set(found.tensors) == {"embed"}
    )
    assert {"0_Transformer/config.json", "0_Transformer/model.safetensors", "modules.json"} <= set(found.files)
    assert read_embedding(found.root).max_tokens == 9
    offline = open_checkpoint(NAME, endpoint=closed_port(), cache=tmp_path)
    assert (offline.digest, offline.folder) == (found.digest, found.folder)


def test_cancel_in_the_middle_of_a_file_and_go_on(hub: FakeHub, tmp_path: Path) -> None:
    hub.stall_after = 500_000
    stop = threading.Event()

    def report(event: Event) -> None:
        if isinstance(event, ProgressEvent) and event.message == "model.safetensors" and event.done > 400_000:
            stop.set()

    with pytest.raises(Cancelled, match="the received part is kept"):
        open_checkpoint(NAME, endpoint=hub.endpoint, cache=tmp_path, report=report, cancelled=stop.is_set)
    assert not [thread for thread in threading.enumerate() if thread.name == "joinery-hub"]
    (partial,) = tmp_path.glob("models--org--model/blobs/*.incomplete")
    kept = partial.stat().st_size
    assert 0 < kept <= 500_000 and not list(tmp_path.glob("*/snapshots/*/model.safetensors"))
    assert not list(tmp_path.glob("*/refs/*"))

    hub.stall_after = 0
    hub.requests.clear()
    assert fetch(hub, tmp_path).parameters == 300_000
    ranges = [request.headers.get("range") for request in hub.requests if "/cdn/" in request.path]
    assert ranges == [f"bytes={kept}-"] and not partial.exists()


def test_cancel_does_not_wait_for_the_server(hub: FakeHub, tmp_path: Path) -> None:
    hub.stall_after = 1000
    pressed: list[float] = []

    def cancelled() -> bool:
        if any("/cdn/" in path for path in hub.paths()):
            pressed.append(time.monotonic())
        return bool(pressed)

    with pytest.raises(Cancelled):
        open_checkpoint(NAME, endpoint=hub.endpoint, cache=tmp_path, cancelled=cancelled)
    assert time.monotonic() - pressed[0] < 30


def test_a_dropped_connection_is_resumed(hub: FakeHub, tmp_path: Path) -> None:
    hub.drop_after = 400_000
    assert fetch(hub, tmp_path).parameters == 300_000
    ranges = [request.headers.get("range") for request in hub.requests if "/cdn/" in request.path]
    assert len(ranges) == 2 and ranges[1] is not None


def test_a_server_without_ranges_begins_anew(hub: FakeHub, tmp_path: Path) -> None:
    hub.drop_after, hub.no_range = 400_000, True
    assert fetch(hub, tmp_path).parameters == 300_000


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_wrong_body_of_the_right_size(hub: FakeHub, tmp_path: Path, name: str) -> None:
    right = hub.repositories[NAME][name]
    hub.wrong[name] = right[:-1] + bytes([right[-1] ^ 1])
    with pytest.raises(CheckpointError) as caught:
        fetch(hub, tmp_path)
    assert f"The hub's '{name}' does not match its stated hash" in str(caught.value)
    assert not list(tmp_path.glob(f"*/snapshots/*/{name}")) and not list(tmp_path.glob("*/blobs/*.incomplete"))
    assert not list(tmp_path.glob(f"*/blobs/{etag_of(name, right)}"))
    del hub.wrong[name]
    assert fetch(hub, tmp_path).parameters == 300_000


def test_a_body_without_an_end(hub: FakeHub, tmp_path: Path) -> None:
    hub.wrong["model.safetensors"] = WEIGHTS + bytes(3_000_000)
    with pytest.raises(CheckpointError, match="does not match its stated hash"):
        fetch(hub, tmp_path)


def test_a_damaged_cache_is_fetched_again(hub: FakeHub, tmp_path: Path) -> None:
    found = fetch(hub, tmp_path)
    blob = (found.folder / "model.safetensors").resolve()
    blob.write_bytes(bytes(len(WEIGHTS)))
    told: list[Event] = []
    again = fetch(hub, tmp_path, told)
    assert (
        hashlib.sha256((again.folder / "model.safetensors").read_bytes()).digest() == hashlib.sha256(WEIGHTS).digest()
    )
    logs = [event.message for event in told if isinstance(event, LogEvent)]
    assert logs == ["The cached 'model.safetensors' is damaged and is downloaded again."]


def test_a_listing_without_hashes(hub: FakeHub, tmp_path: Path) -> None:
    hub.no_blobs = True
    assert fetch(hub, tmp_path).parameters == 300_000
    assert any(path.endswith("model.safetensors") for path in hub.paths("HEAD"))


def test_gated(hub: FakeHub, tmp_path: Path) -> None:
    hub.gated.add(NAME)
    error = refusal(hub, tmp_path)
    assert error.reason == "gated"
    assert str(error) == (
        "org/model is gated: accept its terms on its page at 127.0.0.1, log in with `hf auth login`, and try again."
    )


def test_missing(hub: FakeHub, tmp_path: Path) -> None:
    error = refusal(hub, tmp_path, "org/nothing")
    assert error.reason == "missing"
    assert str(error) == (
        "The hub has no model org/nothing (or it is private), and no folder here has that name; check the name, or "
        "log in with `hf auth login` if it is private."
    )
    error = refusal(hub, tmp_path, revision="v9")
    assert (error.reason, str(error)[:38]) == ("missing", "org/model has no revision 'v9' on the ")
    with pytest.raises(CheckpointError, match=r"is not a revision"):
        open_checkpoint(NAME, endpoint=hub.endpoint, cache=tmp_path, revision="../../x")


def closed_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def test_offline(tmp_path: Path) -> None:
    error = refusal(closed_port(), tmp_path)
    assert error.reason == "offline"
    assert str(error) == (
        "The hub at 127.0.0.1 cannot be reached, and no complete copy of org/model is on this machine; check the "
        "connection, or give a checkpoint's folder."
    )


def test_offline_with_a_copy(hub: FakeHub, tmp_path: Path) -> None:
    online = fetch(hub, tmp_path)
    told: list[Event] = []
    for revision in (None, "main", COMMIT):
        found = open_checkpoint(NAME, endpoint=closed_port(), cache=tmp_path, report=told.append, revision=revision)
        assert (found.folder, found.revision, found.digest) == (online.folder, COMMIT, online.digest)
    assert told[0] == LogEvent(
        level="warning",
        message=f"The hub is out of reach; the copy of org/model on this machine is used (commit {COMMIT[:12]}).",
    )


def test_offline_with_half_a_copy(hub: FakeHub, tmp_path: Path) -> None:
    found = fetch(hub, tmp_path)
    (found.folder / "model.safetensors").unlink()
    assert refusal(closed_port(), tmp_path).reason == "offline"


def test_offline_by_the_environment(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert refusal(hub, tmp_path).reason == "offline"
    assert hub.requests == []


def test_the_environment_s_address(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint + "/")
    assert open_checkpoint(NAME, cache=tmp_path).revision == COMMIT
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    with pytest.raises(HubError, match="is not a web address"):
        open_checkpoint(NAME, cache=tmp_path)


def test_the_token_stays_with_the_hub(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_IMPLICIT_TOKEN", False)
    monkeypatch.setenv("HF_TOKEN", "hf_not_a_token")
    with FakeHub(hub.repositories) as cdn:
        hub.cdn = cdn.endpoint
        fetch(hub, tmp_path)
        assert [request.headers.get("authorization") for request in cdn.requests] == [None]
    assert {request.headers.get("authorization") for request in hub.requests} == {"Bearer hf_not_a_token"}
    assert {request.headers["user-agent"].split("/")[0] for request in hub.requests} == {"joinery"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"config__json": None}, "has no config.json on the hub"),
        ({"model__safetensors": None, "tf_model__h5": b"x" * 999}, "can run code when it is opened"),
        ({"model__safetensors": None}, "has no weights"),
        ({"config__json": b'{"model_type": "x", "auto_map": {"AutoModel": "a/b--m.X"}}'}, "another repository"),
    ],
)
def test_refused_before_any_weights_are_fetched(
    hub: FakeHub, tmp_path: Path, changes: dict[str, bytes | None], expected: str
) -> None:
    hub.repositories[NAME] = files(**changes)
    with pytest.raises(CheckpointError, match=expected):
        fetch(hub, tmp_path)
    assert not any("/cdn/" in path for path in hub.paths())


def test_names_that_leave_the_folder_are_never_written(hub: FakeHub, tmp_path: Path) -> None:
    hub.repositories[NAME] = files() | {"../../../tokenizer.model": b"x", "/tmp/merges.txt": b"x"}
    fetch(hub, tmp_path / "cache")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache"]


def test_all_files_of_a_tokenizer_are_fetched(hub: FakeHub, tmp_path: Path) -> None:
    """Marian's has four, without each of which it says nothing."""
    names = {"source.spm", "target.spm", "vocab.json", "tokenizer_config.json"}
    hub.repositories[NAME] = files() | dict.fromkeys(names, b"{}")
    assert names <= {path.name for path in fetch(hub, tmp_path).folder.iterdir()}


def test_a_folder_wins_over_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "org" / "model", files())
    monkeypatch.chdir(tmp_path)
    assert open_checkpoint(NAME, endpoint=closed_port()).kind == "folder"


def test_a_full_disk_is_seen_before_the_weights(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=100_000))
    with pytest.raises(CheckpointError, match=r"^org/model needs 0\.0 GB, more than is free on the disk; free some"):
        fetch(hub, tmp_path)
    assert not any("/resolve/" in path for path in hub.paths())


def test_waiting_for_another_download_can_be_cancelled(hub: FakeHub, tmp_path: Path) -> None:
    import filelock

    etag = etag_of("model.safetensors", WEIGHTS)
    folder = tmp_path / ".locks" / "models--org--model"
    folder.mkdir(parents=True)
    pressed: list[float] = []

    def report(event: Event) -> None:
        if isinstance(event, ProgressEvent) and event.message == "model.safetensors":
            pressed.append(time.monotonic())

    with filelock.FileLock(folder / f"{etag}.lock"), pytest.raises(Cancelled):
        open_checkpoint(NAME, endpoint=hub.endpoint, cache=tmp_path, report=report, cancelled=lambda: bool(pressed))
    assert time.monotonic() - pressed[0] < 30
