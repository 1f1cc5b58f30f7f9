"""How a person last talked with each bundle, and the presets that were saved: one file for all windows.

chat-choices.json: {"bundles": {folder: Kept}, "presets": {name: sampling}}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from app.state.json_file import JsonFile

FILE = "chat-choices.json"
MOST_BUNDLES = 100
"""Bundles that are remembered, those that were talked with last."""
Values = dict[str, Any]
"""A sampling as JSON holds it; what reads it checks it."""


@dataclass(frozen=True, slots=True)
class BundleChoices:
    """Of one bundle: how it is sampled from, its cache layout, None for its own, and how its replies are decoded."""

    sampling: Values
    layout: str | None = None
    decoding: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _All:
    bundles: dict[str, BundleChoices] = field(default_factory=dict)
    presets: dict[str, Values] = field(default_factory=dict)


class SavedChoices:
    """The file in `folder`. tell: hears of what could not be read or written."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._file = JsonFile(folder / FILE, _decode, _encode, _All, tell)
        self._tell = tell

    def of(self, bundle: str) -> BundleChoices | None:
        """What was chosen for a bundle last."""
        return self._read().bundles.get(bundle)

    def keep(self, bundle: str, kept: BundleChoices) -> None:
        """Remembers it."""

        def change(was: _All) -> _All:
            others = [(name, one) for name, one in was.bundles.items() if name != bundle]
            return replace(was, bundles=dict([*others, (bundle, kept)][-MOST_BUNDLES:]))

        self._update(change)

    def presets(self) -> dict[str, Values]:
        """The presets that were saved, by name."""
        return dict(sorted(self._read().presets.items()))

    def save_preset(self, name: str, values: Values) -> None:
        """Keeps a preset, in place of one of the same name."""
        self._update(lambda was: replace(was, presets=was.presets | {name: values}))

    def remove_preset(self, name: str) -> None:
        """Takes a saved preset away."""
        self._update(lambda was: replace(was, presets={n: one for n, one in was.presets.items() if n != name}))

    def _read(self) -> _All:
        try:
            return self._file.read()
        except OSError as error:
            self._tell(f"{self._file.path} cannot be read: {error.strerror}.")
            return _All()

    def _update(self, change: Callable[[_All], _All]) -> None:
        try:
            self._file.update(change)
        except OSError as error:
            self._tell(f"{self._file.path} cannot be written: {error.strerror}.")


def _decode(value: Any) -> _All:
    bundles = {
        str(name): BundleChoices(
            dict(one["sampling"]),
            None if one["layout"] is None else str(one["layout"]),
            dict(one.get("decoding", {})),  # of files from before it was kept
        )
        for name, one in value["bundles"].items()
    }
    return _All(bundles, {str(name): dict(one) for name, one in value["presets"].items()})


def _encode(value: _All) -> dict[str, Any]:
    bundles = {name: asdict(one) for name, one in value.bundles.items()}
    return {"bundles": bundles, "presets": value.presets}
