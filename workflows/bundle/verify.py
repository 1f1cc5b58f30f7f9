"""Verifies the files of a bundle against its manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from workflows.bundle.contexts import CONTEXTS, context_drafts, context_files, read_contexts
from workflows.bundle.genai.metadata import is_genai
from workflows.bundle.manifest import MANIFEST, FileEntry, Manifest, is_linked, read_manifest, sha256_of
from workflows.bundle.read import read_bundle
from workflows.common.errors import BundleError, Cancelled
from workflows.wire.reports.inspection import FileProblem, VerifyReport


def verify_bundle(folder: str | Path, cancelled: Callable[[], bool] = lambda: False) -> VerifyReport:
    """Reads every file. Raises BundleError where the bundle has no manifest, Cancelled on request."""
    root = Path(folder)
    if not root.is_dir():
        raise BundleError(f"There is no bundle folder {root}: check the path, or build one with `joinery build`.")
    if is_genai(root) and not (root / MANIFEST).is_file():
        raise BundleError(
            f"{root} is a folder of onnxruntime-genai's without a manifest, so its files cannot be verified: import "
            "it with `joinery import` first."
        )
    manifest = read_manifest(root)
    problems = list(find_problems(root, manifest, cancelled))
    if not problems:
        read_bundle(root)  # the files are unchanged; checks their contents
        read_contexts(root)
    return VerifyReport(not problems, len(manifest.files), manifest.bytes, problems)


def find_problems(
    root: Path, manifest: Manifest, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[FileProblem]:
    """Yields every file that differs from its manifest entry, byte for byte. Raises Cancelled on request."""
    compiled = {name: entry for name, entry in context_files(root).items() if entry is not None}
    for name, entry in (manifest.files | compiled).items():
        if cancelled():
            raise Cancelled("The check was cancelled.")
        wrong = _file_problem(root, name, entry)
        if wrong:
            yield FileProblem(name, wrong)
    yield from (FileProblem(name, "unknown") for name in find_unlisted_files(root, manifest))


def find_unlisted_files(root: Path, manifest: Manifest) -> Iterator[str]:
    """Yields the paths in the folder that its manifest does not list: files, links, and folders without a listed file.

    Compiled contexts are skipped: they have their own records.
    """
    ours = {MANIFEST, *manifest.files, *context_files(root)}
    folders = {CONTEXTS} | {parent.as_posix() for name in ours for parent in PurePosixPath(name).parents}
    unfinished = context_drafts(root)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if any(path.is_relative_to(draft) for draft in unfinished):
            continue
        known = folders if path.is_dir() and not path.is_symlink() else ours
        if name not in known:
            yield name


def _file_problem(root: Path, name: str, entry: FileEntry) -> str:
    path = root / name
    if is_linked(root, name):
        return "link"
    if not path.is_file():
        return "missing"
    if path.stat().st_size < entry.bytes:
        return "truncated"
    return "" if sha256_of(path) == entry.sha256 else "altered"
