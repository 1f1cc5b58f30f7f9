"""What a person does with a bundle, by its task: which page stands in the place of the chat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

BundleUse = Literal["chat", "vectors", "labels", "pictures", "depth", ""]
_USES: dict[str, BundleUse] = {
    "feature-extraction": "vectors",
    "text-classification": "labels",
    "token-classification": "labels",
    "image-classification": "pictures",
    "depth-estimation": "depth",
    "fill-mask": "",
}


def use_of(bundle: Mapping[str, Any] | None) -> BundleUse:
    """The use of a bundle, by its summary; empty for one without a page, and for none."""
    return "" if bundle is None else _USES.get(str(bundle.get("task", "")), "chat")
