"""The build part: the packages that building needs and running does not, in this environment or in a folder beside it.

    import torch ──the environment has none──▶ build_part_finder ──▶ home/parts/build-KEY, from then on on sys.path

Installed as the extra `joinery[build]` it is in the environment. The window installs it into a folder of Joinery's own
instead, whose name holds the versions (the locks), Python and the system: another Joinery takes another folder.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflows.common.paths import home

LOCKS = Path(__file__).parents[2] / "resources" / "locks"
TORCH_LOCK, OTHERS_LOCK = LOCKS / "torch.txt", LOCKS / "build.txt"


def part_folder() -> Path:
    """Where the part for this Joinery, Python and system is; it exists where the part is whole."""
    content = b"".join(lock.read_bytes() for lock in (TORCH_LOCK, OTHERS_LOCK))
    tag = f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
    return home() / "parts" / f"build-{hashlib.sha256(content + tag.encode()).hexdigest()[:12]}"


def torch_files(report: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """The version and SHA-256 of each torch in a report of pip's, and whether it is a published file.

    A published file's hash is in the lock; a package index may have another build, such as 2.13.0+cpu.
    installer/bootstrap.py does the same by itself: it imports the standard library alone.
    """
    published = TORCH_LOCK.read_text("utf-8")
    for one in report["install"]:
        archive = one["download_info"]["archive_info"]
        digest = archive.get("hashes", {}).get("sha256") or archive["hash"].partition("=")[2]
        yield one["metadata"]["version"], digest, f"sha256:{digest}" in published
