"""Writing a bundle: whole or absent, over nothing but a bundle, never two at once."""

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
    """Refuses a target that must not be written: RequestError says why and what to do.

    What --force may replace is a bundle, and with it no file but those that its manifest lists.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise RequestError(f"{out} exists and is no folder: choose another --out.")
    if not out.exists() or not any(out.iterdir()):
        return
    stranger = next(find_unlisted_files(out, _manifest_of(out)), None)
    if stranger is not None:
        raise RequestError(
            f"{out} holds a bundle and {printable(stranger)}, which is none of its files: choose another --out, or "
            "move what is yours away."
        )
    if not force:
        raise RequestError(f"{out} already holds a bundle: choose another --out, or replace it with --force.")


def _manifest_of(out: Path) -> Manifest:
    """The manifest of a folder that holds files. Raises RequestError where they are no bundle."""
    if not (out / MANIFEST).is_file():
        raise RequestError(f"{out} holds files that are no bundle: choose another --out, or empty it yourself.")
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
    """Holds the target for one build, by a file beside it. A replacement that was killed half-way is undone.

    Raises RequestError, naming the process that has it, for a second build, and where the disk has no locks; OSError
    where the folder cannot be written to.
    """
    target = out.resolve()
    lock = Lock(target.with_name(f".{target.name}.lock"))
    try:
        lock.take()
    except LockHeldError as error:
        raise RequestError(f"{out} is being built by {error.holder}: wait for it or choose another --out.") from None
    except LocksUnsupportedError:
        raise RequestError(
            f"{target.parent} is on a disk without file locks, so that nothing keeps two builds apart: choose an --out "
            "on another."
        ) from None
    with lock.held():
        recover_folder(target)
        yield


def publish(draft: Path, out: Path, *, force: bool) -> None:
    """Gives `draft`, a folder on the disk of `out`, its manifest and makes it `out`.

    force: whether a bundle that is there is replaced. Raises RequestError as check_target does.
    """
    write_manifest(draft)
    read_bundle(draft)  # a bundle that cannot be read is not published
    for path in draft.rglob("*"):
        sync(path)
    sync(draft)
    check_target(out, force)  # the build took its time, and somebody may have put something there
    replace_folder(draft, out)
