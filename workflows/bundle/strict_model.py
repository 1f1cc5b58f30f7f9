"""The base class of all schema classes of the bundle's files."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NAME_IN_BUNDLE = r"^[A-Za-z0-9_][A-Za-z0-9_.\-]*(/[A-Za-z0-9_][A-Za-z0-9_.\-]*)*$"
NameInBundle = Annotated[str, Field(pattern=NAME_IN_BUNDLE)]


class StrictModel(BaseModel):
    """Refuses unknown keys; instances are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)
