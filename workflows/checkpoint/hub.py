"""Downloads a repository of the Hugging Face Hub into the Hub's cache: only the files needed, each hash verified.

    "org/name", revision ──listing──▶ commit, files ──small files, code──▶ checks ──weights──▶ snapshots/<commit>

All of it runs in a worker thread under `download.run_in_thread`; huggingface_hub is imported on first use. Its
session, addresses, token and cache layout are used, but not its download function: see download.py.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from workflows import __version__
from workflows.checkpoint import configuration, weights
from workflows.checkpoint.configuration import CODE_CONFIGS, CONFIG, GENERATION
from workflows.checkpoint.download import DownloadState, RemoteFile, download, run_in_thread
from workflows.checkpoint.files import read_bytes, safe_name, sha256
from workflows.checkpoint.hub_cache import COMMIT, HubCache
from workflows.checkpoint.quantized import SETTINGS_FILES
from workflows.checkpoint.remote_code import CODE_LIMIT, auto_map_modules, remote_code
from workflows.checkpoint.sentence_transformers import (
    MODEL,
    MODULES,
    TRANSFORMER_FILES,
    module_file_names,
    transformer_folder,
    transformer_path,
)
from workflows.checkpoint.tokenizer import TOKENIZER_FILES, TOKENIZER_LIMIT, read_tokenizer
from workflows.common.digests import remember_digest
from workflows.common.errors import CheckpointError, HubError, printable
from workflows.wire.events import Event, LogEvent

DEFAULT_ENDPOINT = "https://huggingface.co"
_SMALL = {*CODE_CONFIGS, GENERATION, *TOKENIZER_FILES, *TRANSFORMER_FILES, *SETTINGS_FILES}
_SHARDS = {
    index: re.compile(rf"(?:pytorch_)?model-\d{{5}}-of-\d{{5}}{re.escape(suffix)}")
    for index, suffix in weights.INDICES.items()
}
_ETAG = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_CLIENT_SWITCHES = ("HF_HUB_DISABLE_XET", "HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_UPDATE_CHECK")
_CODE_FILES = 500


def download_snapshot(
    repository: str,
    revision: str,
    *,
    endpoint: str | None,
    cache: Path | None,
    report: Callable[[Event], None],
    cancelled: Callable[[], bool],
) -> Path:
    """Downloads a snapshot; returns its folder, named by the commit. Raises HubError, CheckpointError and Cancelled.

    endpoint: HF_ENDPOINT by default. cache: the Hub's cache folder by default.
    """
    endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT).rstrip("/")
    if urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname:
        raise HubError("The hub's address (HF_ENDPOINT) is not a web address; correct it or unset it.", "offline")
    for name in _CLIENT_SWITCHES:
        os.environ.setdefault(name, "1")
    from huggingface_hub import constants

    hub_cache = HubCache(cache or Path(constants.HF_HUB_CACHE).expanduser(), repository)
    state = DownloadState()
    return run_in_thread(_SnapshotDownload(endpoint, hub_cache, revision, state).run, state, report, cancelled)


class _SnapshotDownload:
    """One download of a snapshot, run in the worker thread."""

    def __init__(self, endpoint: str, cache: HubCache, revision: str, state: DownloadState) -> None:
        from huggingface_hub import constants, get_token
        from huggingface_hub.utils import get_session

        self.endpoint, self.cache, self.revision, self.state = endpoint, cache, revision, state
        self.repository = cache.repository
        self.session = get_session()
        token = None if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else get_token()
        self.headers = {"user-agent": f"joinery/{__version__}"} | (
            {"authorization": f"Bearer {token}"} if token else {}
        )
        self.commit = ""

    def run(self) -> Path:
        """Returns the folder of the complete snapshot, of the local cache where the Hub is unreachable."""
        try:
            listing = self._listing()
        except HubError as error:
            if error.reason != "offline":
                raise
            return self._cached(error)
        modules, below = self._modules(listing)
        names = [name.removeprefix(below) for name in listing if name.startswith(below)]
        if CONFIG not in names:
            raise CheckpointError(
                f"{self.repository} has no {below}config.json on the hub, so it is not a checkpoint; check the name."
            )
        folder = self.cache.snapshot(self.commit) / below
        single, index = weights.weight_layout(names)
        shard = _SHARDS.get(index)
        probable = [single] if shard is None else [name for name in names if shard.fullmatch(name)]
        small = [CONFIG, *sorted(_SMALL & {*names} - {CONFIG}), *([index] if index else [])]
        small, probable = [below + name for name in small], [below + name for name in probable]
        self._get_all([*modules, *small, *probable], small, listing, TOKENIZER_LIMIT)
        code = self._code(folder, listing)
        self._get_all(code, code, listing, CODE_LIMIT)
        remote_code(folder)
        read_tokenizer(folder)
        named = {*weights.read_index(folder, index).values()} if index else set[str]()
        shards = [below + name for name in sorted(named)] if index else probable
        self._get_all([*modules, *small, *code, *shards], shards, listing, None)
        self.cache.set_revision(self.revision, self.commit)
        return self.cache.snapshot(self.commit)

    def _code(self, folder: Path, listing: dict[str, RemoteFile]) -> list[str]:
        """The Python files of the repository, where a config in `folder` names any: they are hashed, never run here."""
        configuration.read_config(folder)
        named = [auto_map_modules(configuration.read_optional(folder, name), name) for name in CODE_CONFIGS]
        return sorted(name for name in listing if name.endswith(".py"))[:_CODE_FILES] if any(named) else []

    def _modules(self, listing: dict[str, RemoteFile]) -> tuple[list[str], str]:
        """Downloads the files of sentence-transformers' modules; returns their names, and the path of the model.

        The path is before the names of the model's files: "" or "0_Transformer/".
        """
        if MODULES not in listing:
            return [], ""
        self._get_all([MODULES], [MODULES], listing, TOKENIZER_LIMIT)
        content = read_bytes(self.cache.snapshot(self.commit), MODULES, TOKENIZER_LIMIT)
        named = [*filter(listing.__contains__, [MODEL]), *module_file_names(content, listing.__contains__)]
        self._get_all([MODULES, *named], named, listing, TOKENIZER_LIMIT)
        path = transformer_path(content)
        return [MODULES, *named], f"{path}/" if path else ""

    def _listing(self) -> dict[str, RemoteFile]:
        """Lists the repository's files at the revision; sets `commit`."""
        from huggingface_hub.utils import hf_raise_for_status

        address = f"{self.endpoint}/api/models/{self.repository}/revision/{quote(self.revision, safe='')}"
        with self._hub_errors("the list of files"):
            response = self.session.get(address, params={"blobs": "true"}, headers=self.headers, timeout=10)
            hf_raise_for_status(response)
        self.state.check()
        try:
            answer = response.json()
            if not response.is_success or not COMMIT.fullmatch(answer["sha"]):
                raise ValueError("no commit")
            self.commit = answer["sha"]
            return {entry["rfilename"]: _remote(entry) for entry in answer["siblings"] if safe_name(entry["rfilename"])}
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise HubError(
                f"{self._host} does not respond like the hub; check HF_ENDPOINT and the connection.", "offline"
            ) from error

    def _get_all(self, planned: list[str], names: list[str], listing: dict[str, RemoteFile], limit: int | None) -> None:
        """Downloads `names`. planned: all files known to be needed, for the progress and the check of disk space."""
        for name in names:
            if name not in listing:
                raise CheckpointError(f"{self.repository} names '{printable(name)}', which the hub does not have.")
            if limit is not None and listing[name].size > limit:
                raise CheckpointError(f"'{printable(name)}' of {self.repository} is larger than {limit >> 20} MiB.")
        self.state.total = sum(listing[name].size for name in planned)
        self._check_space([listing[name] for name in planned])
        for name in names:
            self._get(listing[name] if listing[name].etag else self._head(name))

    def _check_space(self, files: list[RemoteFile]) -> None:
        needed = sum(file.size for file in files if not self.cache.find_file(self.commit, file.name, file.etag or "-"))
        existing = next(path for path in (self.cache.root, *self.cache.root.parents) if path.is_dir())
        if needed > shutil.disk_usage(existing).free:
            raise CheckpointError(
                f"{self.repository} needs {needed / 1e9:.1f} GB, more than is free on the disk; free some space."
            )

    def _get(self, file: RemoteFile) -> None:
        """Gets one file, from the cache where its hash matches."""
        self.state.start_file(file.name)
        cached = self.cache.find_file(self.commit, file.name, file.etag)
        with self._hub_errors(f"'{printable(file.name)}'"):
            if cached is None or not self._has_right_hash(cached, file):
                self._download(file)
            self.cache.link(self.commit, file.name, file.etag)
        self.state.finish_file(file.size)

    def _has_right_hash(self, path: Path, file: RemoteFile) -> bool:
        """Whether a cached file has the hash that the Hub states; removes the file if not."""
        if len(file.etag) == 64:
            digest = sha256(path, self.state.advance)
        else:
            hasher = file.hasher()
            hasher.update(path.read_bytes() if path.stat().st_size == file.size else b"")
            digest = hasher.hexdigest()
        if digest == file.etag:
            return True
        message = f"The cached '{printable(file.name)}' is damaged and is downloaded again."
        self.state.events.put(LogEvent(level="warning", message=message))
        self.cache.remove_file(self.commit, file.name, file.etag)
        self.state.start_file(file.name)
        return False

    def _download(self, file: RemoteFile) -> None:
        from huggingface_hub import hf_hub_url

        self.cache.make_folders(file.etag)
        url = hf_hub_url(self.repository, file.name, revision=self.commit, endpoint=self.endpoint)
        with self._lock(file.etag):
            if not self.cache.blob(file.etag).exists():
                partial = self.cache.partial(file.etag)
                if download(self.session, url, self.headers, file, partial, self.state) != file.etag:
                    self.cache.remove_file(self.commit, file.name, file.etag)
                    raise CheckpointError(
                        f"The hub's '{printable(file.name)}' does not match its stated hash, so it was removed; try "
                        "again, and if it happens again tell the owner of the model."
                    )
                blob = self.cache.publish(file.etag)
                if len(file.etag) == 64:
                    remember_digest(blob.resolve(), file.etag)

    @contextmanager
    def _lock(self, etag: str) -> Iterator[None]:
        """Holds the Hub client's lock for this blob; waiting for it can be cancelled."""
        import filelock

        lock = filelock.FileLock(self.cache.lock(etag))
        while True:
            self.state.check()
            try:
                lock.acquire(timeout=0.2)
                break
            except filelock.Timeout:
                continue
        try:
            yield
        finally:
            lock.release()

    def _head(self, name: str) -> RemoteFile:
        """Requests size and hash of a file for which the listing has none (some mirrors)."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        url = hf_hub_url(self.repository, name, revision=self.commit, endpoint=self.endpoint)
        with self._hub_errors(f"'{printable(name)}'"):
            metadata = get_hf_file_metadata(url, headers=self.headers, token=False, timeout=10)
        if metadata.size is None or not _ETAG.fullmatch(metadata.etag or ""):
            raise HubError(
                f"The hub at {self._host} gives no hash for '{printable(name)}', so it cannot be checked; "
                "use another address for the hub.",
                "missing",
            )
        return RemoteFile(name, int(metadata.size), str(metadata.etag))

    def _cached(self, error: HubError) -> Path:
        """Returns the complete local copy, else raises `error`."""
        commit = self.cache.commit_of(self.revision)
        folder = self.cache.snapshot(commit) if commit else None
        try:
            if folder is None or commit is None:
                raise CheckpointError("not cached")
            configuration.read_config(folder / transformer_folder(folder))
            weights.read_weights(folder / transformer_folder(folder))
        except CheckpointError:
            raise error from None
        message = f"The hub is out of reach; the copy of {self.repository} on this machine is used"
        self.state.events.put(LogEvent(level="warning", message=f"{message} (commit {commit[:12]})."))
        return folder

    @property
    def _host(self) -> str:
        return printable(urlsplit(self.endpoint).hostname)

    @contextmanager
    def _hub_errors(self, what: str) -> Iterator[None]:
        """Translates the Hub client's exceptions into HubError: not found, no access, unreachable."""
        import httpx2
        from huggingface_hub import errors

        name, login = self.repository, "log in with `hf auth login`"
        try:
            yield
        except errors.GatedRepoError as error:
            raise HubError(
                f"{name} is gated: accept its terms on its page at {self._host}, {login}, and try again.", "gated"
            ) from error
        except errors.RevisionNotFoundError as error:
            raise HubError(
                f"{name} has no revision '{printable(self.revision)}' on the hub; check it or leave it out.", "missing"
            ) from error
        except (errors.RepositoryNotFoundError, errors.EntryNotFoundError) as error:
            raise HubError(
                f"The hub has no model {name} (or it is private), and no folder here has that name; check the name, "
                f"or {login} if it is private.",
                "missing",
            ) from error
        except errors.HfHubHTTPError as error:
            raise self._refused(error.response.status_code) from error
        except (httpx2.HTTPError, errors.OfflineModeIsEnabled, errors.FileMetadataError) as error:
            raise self._unreachable(what) from error
        except OSError as error:
            raise _disk_error(error) from error

    def _refused(self, status: int) -> HubError:
        if status in (401, 403):
            return HubError(
                f"The hub refuses {self.repository} with the login on this machine; log in with `hf auth login` as "
                "somebody who may read it.",
                "gated",
            )
        return HubError(f"The hub at {self._host} answers with error {status}; try again later.", "offline")

    def _unreachable(self, what: str) -> HubError:
        if self.commit:
            return HubError(
                f"The connection to the hub was lost while downloading {what}; the received part is kept, so try "
                "again to continue.",
                "offline",
            )
        return HubError(
            f"The hub at {self._host} cannot be reached, and no complete copy of {self.repository} is on this "
            "machine; check the connection, or give a checkpoint's folder.",
            "offline",
        )


def _remote(entry: dict[str, Any]) -> RemoteFile:
    """Converts an entry of the listing; `etag` is "" where the listing has no usable hash."""
    lfs = entry.get("lfs") or {}
    etag, size = lfs.get("sha256") or entry.get("blobId") or "", lfs.get("size", entry.get("size"))
    if not isinstance(etag, str) or not _ETAG.fullmatch(etag) or not isinstance(size, int) or size < 0:
        return RemoteFile(entry["rfilename"], 0, "")
    return RemoteFile(entry["rfilename"], size, etag)


def _disk_error(error: OSError) -> CheckpointError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CheckpointError("The disk is full; free some space and try again to continue the download.")
    reason = printable(error.strerror or "it cannot be written")
    return CheckpointError(f"The hub's cache folder cannot be used ({reason}); check HF_HOME and its permissions.")
