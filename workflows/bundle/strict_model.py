"""What every part of the file has in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NAME_IN_BUNDLE = r"^[A-Za-z0-9_][A-Za-z0-9_.\-]*(/[A-Za-z0-9_][A-Za-z0-9_.\-]*)*$"
NameInBundle = Annotated[str, Field(pattern=NAME_IN_BUNDLE)]


class StrictModel(BaseModel):
    """Unknown keys are refused, values are not changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)
