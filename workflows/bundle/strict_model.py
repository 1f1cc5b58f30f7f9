"""The base class of all schema classes of the bundle's files."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from workflows.common.errors import BundleError

NAME_IN_BUNDLE = r"^[A-Za-z0-9_][A-Za-z0-9_.\-]*(/[A-Za-z0-9_][A-Za-z0-9_.\-]*)*$"
NameInBundle = Annotated[str, Field(pattern=NAME_IN_BUNDLE)]


class StrictModel(BaseModel):
    """Refuses unknown keys; instances are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def refuse_newer(data: object, version: int, location: str) -> None:
    """Raises BundleError for a file of a later version than this Joinery writes; it may be whole."""
    found = data.get("version") if isinstance(data, dict) else None
    if isinstance(found, int) and found > version:
        raise BundleError(
            f"{location} is of version {found}, and this Joinery reads up to {version}: update Joinery, or build the "
            "bundle with this one."
        )
