"""Writing a bundle: whole or absent."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.bundle.read import read_bundle
from workflows.errors import RequestError
from workflows.paths import home


def check_target(out: Path, force: bool) -> None:
    """Refuses a target that must not be written: RequestError says why and what to do."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise RequestError(f"{out} exists and is no folder: choose another --out.")
    if not out.exists() or not any(out.iterdir()):
        return
    if not (out / MANIFEST).is_file():
        raise RequestError(f"{out} holds files that are no bundle: choose another --out, or empty it yourself.")
    if not force:
        raise RequestError(f"{out} already holds a bundle: choose another --out, or replace it with --force.")


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Holds the target for one build. Raises RequestError, naming the process that has it, for a second one."""
    locks = home() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    key = hashlib.sha256(str(out.resolve()).encode()).hexdigest()[:16]
    lock, holder = FileLock(locks / f"{key}.lock", timeout=0), locks / f"{key}.pid"
    try:
        lock.acquire()
    except Timeout:
        raise RequestError(f"{out} is being built by {_name(holder)}: wait for it or choose another --out.") from None
    try:
        holder.write_text(str(os.getpid()), "ascii")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def publish(draft: Path, out: Path) -> None:
    """Gives `draft`, a folder beside `out`, its manifest and puts it in the place of `out` by renaming."""
    manifest = make_manifest(draft)
    (draft / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", "utf-8")
    read_bundle(draft)  # a bundle that cannot be read is not published
    for path in draft.rglob("*"):
        _sync(path)
    _sync(draft)
    old = out.with_name(f".{out.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    try:
        draft.rename(out)
    except OSError:
        if old.exists():
            old.rename(out)
        raise
    _sync(out.parent)
    shutil.rmtree(old, ignore_errors=True)


def _name(holder: Path) -> str:
    try:
        return f"process {int(holder.read_text('ascii'))}"
    except (OSError, ValueError):
        return "another process"


def _sync(path: Path) -> None:
    """Asks the system to put the file's bytes, or the folder's entries, on the disk; Windows has no folder sync."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
