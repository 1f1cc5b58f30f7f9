"""Writes a bundle atomically: complete or absent, replacing nothing but a bundle, one build at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workflows.bundle.manifest import MANIFEST, Manifest, read_manifest, write_manifest
from workflows.bundle.read import PIPELINE, read_bundle
from workflows.bundle.verify import find_unlisted_files
from workflows.common.errors import BundleError, RequestError, printable
from workflows.common.files import recover_folder, replace_folder, sync
from workflows.common.locks import Lock, LockHeldError, LocksUnsupportedError


def check_target(out: Path, force: bool) -> None:
    """Raises RequestError with reason and remedy for a target that must not be written.

    --force may replace a bundle only, and only the files that its manifest lists.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise RequestError(f"{out} exists and is not a folder: choose another --out.")
    if not out.exists() or not any(out.iterdir()):
        return
    stranger = next(find_unlisted_files(out, _manifest_of(out)), None)
    if stranger is not None:
        raise RequestError(
            f"{out} holds a bundle and {printable(stranger)}, which its manifest does not list: choose another "
            "--out, or move that file away."
        )
    if not force:
        raise RequestError(f"{out} already holds a bundle: choose another --out, or replace it with --force.")


def _manifest_of(out: Path) -> Manifest:
    """The manifest of a folder with files. Raises RequestError where the folder is not a bundle."""
    if not (out / MANIFEST).is_file():
        raise RequestError(f"{out} holds files and is not a bundle: choose another --out, or empty it yourself.")
    try:
        manifest = read_manifest(out)
    except BundleError:
        manifest = None
    if manifest is None or PIPELINE not in manifest.files:
        raise RequestError(
            f"{out} holds a {MANIFEST} that is not a bundle's, or is damaged: choose another --out, or empty it "
            "yourself."
        )
    return manifest


@contextmanager
def locked_target(out: Path) -> Iterator[None]:
    """Holds the target for one build by a lock file beside it; undoes a replacement that was interrupted.

    Raises RequestError, naming the holding process, for a second build, and where the disk has no locks; OSError
    where the folder is not writable.
    """
    target = out.resolve()
    lock = Lock(target.with_name(f".{target.name}.lock"))
    try:
        lock.acquire()
    except LockHeldError as error:
        raise RequestError(f"{out} is being built by {error.holder}: wait for it or choose another --out.") from None
    except LocksUnsupportedError:
        raise RequestError(
            f"{target.parent} is on a disk without file locks, which keep two builds apart: choose an --out on "
            "another disk."
        ) from None
    with lock.held():
        recover_folder(target)
        yield


def publish(draft: Path, out: Path, *, force: bool) -> None:
    """Writes the manifest of `draft`, a folder on the same disk, and renames it to `out`.

    force: replace an existing bundle. Raises RequestError as check_target does.
    """
    write_manifest(draft)
    read_bundle(draft)  # an unreadable bundle is not published
    for path in draft.rglob("*"):
        sync(path)
    sync(draft)
    check_target(out, force)  # the target may have appeared during the build
    replace_folder(draft, out)
