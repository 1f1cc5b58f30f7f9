"""The measured runs, each with its configuration: columns of numbers, read as a sequence of `MeasuredRun`.

One object per run would take far more memory than its values, as each would keep others alive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, overload

from workflows.wire.events import ReadyEvent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.state.column_store import Numbers

    Which = NDArray[np.intp] | NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RunConfiguration:
    """How a run's bundle was opened. path: its folder. built_at, precision: empty where the folder states none."""

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


RUN_KINDS = "iid"
"""Its number, the index of its configuration, when it began (s since the epoch): see ColumnStore."""


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One prompt and its reply. began_s: seconds since the epoch."""

    number: int
    owner: RunConfiguration
    began_s: float

    @property
    def began(self) -> str:
        """Local time, ISO, whole seconds."""
        return datetime.fromtimestamp(self.began_s).astimezone().isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class MeasuredRuns(Sequence[MeasuredRun]):
    """Oldest first. columns: as RUN_KINDS says, each [r]. owners: all configurations."""

    columns: Sequence[Numbers]
    owners: Sequence[RunConfiguration]

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, index: int) -> MeasuredRun: ...

    @overload
    def __getitem__(self, index: slice) -> MeasuredRuns: ...

    def __getitem__(self, index: int | slice) -> MeasuredRun | MeasuredRuns:
        if isinstance(index, slice):
            return MeasuredRuns([column[index] for column in self.columns], self.owners)
        number, owner, began_s = (column[index] for column in self.columns)
        return MeasuredRun(int(number), self.owners[int(owner)], float(began_s))

    @property
    def numbers(self) -> Numbers:
        """The numbers of the runs [r]."""
        return self.columns[0]

    @property
    def common_owner(self) -> RunConfiguration | None:
        """The configuration of all of them; None if there are several, or none."""
        owners = {self.owners[place] for place in set(self.columns[1].tolist())}
        return owners.pop() if len(owners) == 1 else None

    def some(self, which: Which) -> MeasuredRuns:
        """A copy of the runs at `which`, indices or a mask [r]."""
        return MeasuredRuns([column[which] for column in self.columns], self.owners)

    def of_bundle(self, bundle: tuple[str, str] | None) -> MeasuredRuns:
        """The runs of one bundle; see `RunConfiguration.bundle`."""
        import numpy as np

        owners = [place for place, owner in enumerate(self.owners) if owner.bundle == bundle]
        return self.some(np.isin(self.columns[1], owners))
