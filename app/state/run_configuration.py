"""The configuration of a measured run: the bundle as it was opened, the provider, and the cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.wire.events import ReadyEvent


@dataclass(frozen=True, slots=True)
class RunConfiguration:
    """path: the bundle's folder.

    built_at: its build time; empty, as is precision, for a folder that does not state it.
    """

    path: str
    name: str
    precision: str
    provider: str
    layout: str
    capacity: int
    built_at: str = ""

    def is_of(self, summary: Mapping[str, object] | None) -> bool:
        """Whether this is the bundle with that summary, and not another build in its folder."""
        return summary is not None and self.bundle == bundle_key(summary)

    @property
    def bundle(self) -> tuple[str, str]:
        """The identity of the bundle: folder and build time."""
        return self.path, self.built_at


def bundle_key(summary: Mapping[str, object]) -> tuple[str, str]:
    """The identity of the bundle with this summary: its folder and build time."""
    return str(summary["path"]), str(summary.get("built_at", ""))


def run_configuration(path: str, ready: ReadyEvent, summary: Mapping[str, object]) -> RunConfiguration:
    """The configuration of a session with the bundle at `path` open. summary: of the bundle; empty if it has none."""
    folder, built_at = bundle_key({"path": path, **summary})
    return RunConfiguration(
        path=folder,
        name=str(summary.get("name") or path.rstrip("/\\").replace("\\", "/").rpartition("/")[2]),
        precision=str(summary.get("precision", "")),
        provider=ready.provider,
        layout=ready.layout,
        capacity=ready.capacity,
        built_at=built_at,
    )
