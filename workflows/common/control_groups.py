"""The Linux control groups of this process, whose limits on memory and processor time apply beside the machine's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


def control_groups(controller: str) -> list[Path]:
    """The control groups that limit this process, of a controller (`memory`, `cpu`); none except on Linux."""
    if sys.platform != "linux":
        return []
    named = Path("/proc/self/cgroup")
    if not named.is_file():
        return []
    return list(control_group_folders(controller, named.read_text("utf-8"), Path("/sys/fs/cgroup")))


def control_group_folders(controller: str, named: str, mounted: Path) -> Iterator[Path]:
    """The folders of this process's control groups and of their parents, which limit it too.

    named: the content of /proc/self/cgroup. Version 2 has one group (`0::/a/b`), version 1 one per controller
    (`7:memory:/a/b`). In a container that sees its own group as the root, the outer group is absent and the root's own
    files apply.
    """
    for line in named.splitlines():
        number, controllers, name = line.split(":", 2)
        if number == "0" or controller in controllers.split(","):
            root = mounted if number == "0" else mounted / controller
            for inner in (PurePosixPath(name.lstrip("/")), *PurePosixPath(name.lstrip("/")).parents):
                yield root / inner
