"""Whose a figure is: a bundle as it was when it was opened, the provider, and the cache that it ran with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.wire.events import ReadyEvent


@dataclass(frozen=True, slots=True)
class RunConfiguration:
    """path: the bundle's folder. built_at: which build of it; empty for a folder that does not say, as is precision."""

    path: str
    name: str
    precision: str
    provider: str
    layout: str
    capacity: int
    built_at: str = ""

    def is_of(self, summary: Mapping[str, object] | None) -> bool:
        """Whether the bundle that a summary describes is this one, and not another build in its folder."""
        return summary is not None and self.bundle == bundle_key(summary)

    @property
    def bundle(self) -> tuple[str, str]:
        """What tells its bundle from others."""
        return self.path, self.built_at


def bundle_key(summary: Mapping[str, object]) -> tuple[str, str]:
    """What tells the bundle of a summary from others: its folder, and when it was built."""
    return str(summary["path"]), str(summary.get("built_at", ""))


def run_configuration(path: str, ready: ReadyEvent, summary: Mapping[str, object]) -> RunConfiguration:
    """Of a session that has the bundle at `path` open. summary: what its files say; empty where they say nothing."""
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
