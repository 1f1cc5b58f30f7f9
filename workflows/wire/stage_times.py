"""The times of a build's stages, so that they add up to the whole.

seconds of each stage, of the build ──stage_times──▶ stages, those within another beneath it, and the rest
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.wire.events import STAGES, Stage

OUTER_STAGES: Mapping[Stage, Stage] = {"import": "export"}
"""Inner stage → the stage that it is a part of."""
LOADING = "loading PyTorch"
"""What the stage `import` of a build does."""
OTHER = "other work"
"""What is in no stage: verifying earlier stages, waiting for locks."""


@dataclass(frozen=True)
class StageTime:
    """The seconds of a stage. inner: they are a part of those of the stage before."""

    stage: str
    seconds: float
    inner: bool = False

    @property
    def title(self) -> str:
        """What the stage does."""
        return LOADING if self.inner else self.stage


def stage_times(seconds: Mapping[str, float], whole: float) -> list[StageTime]:
    """Returns the stages in order. Those that are not inner add up to `whole`, the seconds of the build.

    The last one is OTHER, if a tenth of a second or more is in no stage.
    """
    times = [
        StageTime(stage, seconds[stage], OUTER_STAGES.get(stage) in seconds) for stage in STAGES if stage in seconds
    ]
    rest = whole - sum(time.seconds for time in times if not time.inner)
    return [*times, StageTime(OTHER, rest)] if rest >= 0.1 else times
