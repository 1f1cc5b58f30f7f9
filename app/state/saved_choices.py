"""The last choices for each bundle and the user's presets, in one file for all windows.

chat-choices.json: {"bundles": {folder: BundleChoices}, "presets": {name: sampling}}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from app.state.json_file import JsonFile

FILE = "chat-choices.json"
MOST_BUNDLES = 100
"""Bundles whose choices are kept: the last used ones."""
Values = dict[str, Any]
"""Sampling settings as JSON; the reader validates them."""


@dataclass(frozen=True, slots=True)
class BundleChoices:
    """Choices for one bundle: sampling, cache layout (None for the bundle's own), decoding options."""

    sampling: Values
    layout: str | None = None
    decoding: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _All:
    bundles: dict[str, BundleChoices] = field(default_factory=dict)
    presets: dict[str, Values] = field(default_factory=dict)


class SavedChoices:
    """The file in `folder`. notify: called with a message when the file cannot be read or written."""

    def __init__(self, folder: Path, notify: Callable[[str], None]) -> None:
        self._file = JsonFile(folder / FILE, _decode, _encode, _All, notify, "The list of chosen chat settings")

    def of(self, bundle: str) -> BundleChoices | None:
        """The last choices for a bundle."""
        return self._file.load().bundles.get(bundle)

    def keep(self, bundle: str, choices: BundleChoices) -> None:
        """Saves the choices for a bundle."""

        def change(saved: _All) -> _All:
            others = [(name, one) for name, one in saved.bundles.items() if name != bundle]
            return replace(saved, bundles=dict([*others, (bundle, choices)][-MOST_BUNDLES:]))

        self._update(change)

    def presets(self) -> dict[str, Values]:
        """The saved presets by name."""
        return dict(sorted(self._file.load().presets.items()))

    def save_preset(self, name: str, values: Values) -> None:
        """Saves a preset; replaces one of the same name."""
        self._update(lambda saved: replace(saved, presets=saved.presets | {name: values}))

    def remove_preset(self, name: str) -> None:
        """Removes a preset."""
        self._update(lambda saved: replace(saved, presets={n: one for n, one in saved.presets.items() if n != name}))

    def _update(self, change: Callable[[_All], _All]) -> None:
        self._file.change(change, _All())


def _decode(value: Any) -> _All:
    bundles = {
        str(name): BundleChoices(
            dict(one["sampling"]),
            None if one["layout"] is None else str(one["layout"]),
            dict(one.get("decoding", {})),  # missing in older files
        )
        for name, one in value["bundles"].items()
    }
    return _All(bundles, {str(name): dict(one) for name, one in value["presets"].items()})


def _encode(value: _All) -> dict[str, Any]:
    bundles = {name: asdict(one) for name, one in value.bundles.items()}
    return {"bundles": bundles, "presets": value.presets}
