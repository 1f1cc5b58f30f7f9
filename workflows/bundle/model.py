"""What every part of the file has in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NameInBundle = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.\-]*(/[A-Za-z0-9_][A-Za-z0-9_.\-]*)*$")]


class Model(BaseModel):
    """Unknown keys are refused, values are not changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)
