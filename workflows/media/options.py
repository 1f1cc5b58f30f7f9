"""Reads the preprocessing settings of a checkpoint or a bundle: each key is used, without effect, or refused.

mapping ──Options──▶ checked values ──finish──▶ MediaError for each key that nobody has read
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from workflows.common.errors import MediaError, printable

# Keys that transformers writes for its own use: none of them changes a value.
WITHOUT_EFFECT = {
    *("processor_class", "auto_map", "return_tensors", "device", "model_input_names", "disable_grouping"),
    *("_processor_class", "_valid_processor_keys", "_valid_kwargs_names"),
}


class Options:
    """The settings of one processor, read key by key. kind: its class, for messages."""

    def __init__(self, values: Mapping[str, object], kind: str) -> None:
        self._values, self._kind, self._used = values, kind, set[str]()

    def get(self, name: str, default: object) -> object:
        """The value as it stands; the default where the key is missing or null."""
        self._used.add(name)
        value = self._values.get(name)
        return default if value is None else value

    def integer(self, name: str, default: int, lowest: int = 1, highest: int = 1 << 20) -> int:
        """A whole number between two bounds."""
        value = self.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            raise self.fault(name, f"a whole number from {lowest:,} to {highest:,}")
        return value

    def number(self, name: str, default: float) -> float:
        """A finite number."""
        return self._finite(name, self.get(name, default))

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self.get(name, default)
        if not isinstance(value, bool):
            raise self.fault(name, "true or false")
        return value

    def numbers(self, name: str, default: Sequence[float], count: int) -> tuple[float, ...]:
        """`count` finite numbers; a single one stands for all of them."""
        value = self.get(name, default)
        row = value if isinstance(value, list | tuple) else [value] * count
        if len(row) != count:
            raise self.fault(name, f"{count} numbers")
        return tuple(self._finite(name, one) for one in row)

    def sizes(
        self, name: str, default: Mapping[str, int], keys: Sequence[Collection[str]], number: Collection[str] = ()
    ) -> dict[str, int]:
        """Positive whole numbers by key. keys: the sets of keys that are possible. number: those of a single number."""
        value = self.get(name, default)
        if number and isinstance(value, int):
            value = dict.fromkeys(number, value)
        given = {key: one for key, one in value.items() if one is not None} if isinstance(value, Mapping) else {}
        if not any(given.keys() == set(one) for one in keys):
            raise self.fault(name, " or ".join("{" + ", ".join(sorted(one)) + "}" for one in keys))
        if any(isinstance(one, bool) or not isinstance(one, int) or not 0 < one < 1 << 40 for one in given.values()):
            raise self.fault(name, "positive whole numbers")
        return given

    def only(self, name: str, value: object, because: str) -> None:
        """Accepts one value, which is the default too. because: what is not done here, the end of a sentence."""
        if self.get(name, value) != value:
            possible = "leave it out" if value is None else f"only {value} can be used"
            raise MediaError(
                f"{self._kind} has {name} = {printable(self._values[name], 60)}, and {because}: {possible}."
            )

    def ignore(self, *names: str) -> None:
        """Keys that change no value."""
        self._used.update(names)

    def finish(self) -> None:
        """Raises MediaError where a key is left that was not read and that may change values."""
        unknown = sorted(key for key in self._values.keys() - self._used if key not in WITHOUT_EFFECT)
        if unknown:
            raise MediaError(
                f"{self._kind} has the setting {printable(unknown[0], 60)} = "
                f"{printable(self._values[unknown[0]], 60)}, which is not known: what it changes would be missed."
            )

    def fault(self, name: str, wanted: str) -> MediaError:
        """The error for a value that cannot be."""
        return MediaError(f"{self._kind} has {name} = {printable(self._values.get(name), 60)} and needs {wanted}.")

    def _finite(self, name: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.fault(name, "a finite number")
        return float(value)
