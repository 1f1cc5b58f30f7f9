"""Numbers, bytes, durations and dates as text, in the system's locale."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QDateTime, QLocale

from workflows.wire.events import STATE


def format_number(value: float, digits: int = 0) -> str:
    """`value`, rounded, with separators: 4,096 or 4.096 or 4 096."""
    return QLocale().toString(round(float(value))) if digits == 0 else QLocale().toString(float(value), "f", digits)


def format_figures(value: float, figures: int = 4) -> str:
    """A number with so many significant figures: 0.02332, 1e-05."""
    return QLocale().toString(float(value), "g", figures)


def format_percent(share: float, digits: int = 0) -> str:
    """A share of 1: 37 %."""
    return f"{format_number(100 * share, digits)} %"


def pluralize(count: int, one: str, many: str, *values: object) -> str:
    """`one` for a single thing, else `many`, with the number in place of {0} and `values` in place of {1} …"""
    if count == 1 and not values:
        return one
    return (one if count == 1 else many).format(format_number(count), *values)


def cache_label(layout: str, capacity: int | None) -> str:
    """A cache layout with its capacity, "static 4,096"; "state" has none. Empty for a model without a cache."""
    return f"{layout} {format_number(capacity)}" if layout and capacity and layout != STATE else layout


def format_bytes(value: float) -> str:
    """Bytes in the unit that fits: 512 B, 1.2 GiB."""
    amount = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(amount) < 1000:
            return f"{format_number(amount, 0 if unit == 'B' or amount >= 100 else 1)} {unit}"
        amount /= 1024
    return f"{format_number(amount, 1)} TiB"


def compact_number(value: float) -> str:
    """A big number in a few figures: 950, 1.2 M, 7.6 B."""
    amount = float(value)
    for unit in ("", "K", "M"):
        if abs(amount) < 1000:
            return f"{format_number(amount, 0 if not unit or amount >= 100 else 1)} {unit}".strip()
        amount /= 1000
    return f"{format_number(amount, 1)} B"


def format_duration(value: float) -> str:
    """A duration: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if value < 10:
        return f"{format_number(value, 1)} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def format_position(value: float) -> str:
    """A place in a recording, to a tenth of a second: 0:03.2, 1:02:03.4."""
    tenths = round(max(value, 0.0) * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest // 10:02}{QLocale().decimalPoint()}{rest % 10}"
    return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"


def approximate_duration(value: float) -> str:
    """An estimated duration, in steps of five seconds or of a minute: 5 s, 45 s, 3 min."""
    whole = max(5, 5 * round(value / 5))
    return f"{whole} s" if whole < 60 else f"{format_number(round(value / 60))} min"


def format_milliseconds(value: float) -> str:
    """A latency: 3.1 ms, 240 ms."""
    return f"{format_number(value, 1 if value < 100 else 0)} ms"


def format_latency(value: float) -> str:
    """A latency in milliseconds, with three figures where it is small: 0.17 ms, 5.25 ms, 21.5 ms, 240 ms."""
    return f"{format_number(value, 2 if value < 10 else 1 if value < 100 else 0)} ms"


def format_microseconds(value: float) -> str:
    """A short duration given in microseconds: 3.2 µs, 240 µs, 1.6 ms."""
    if value < 1000:
        return f"{format_number(value, 1 if value < 100 else 0)} µs"
    return f"{format_number(value / 1000, 1 if value < 100_000 else 0)} ms"


def format_token_rate(value: float) -> str:
    """Tokens a second: 48.2 tok/s."""
    return f"{format_number(value, 1 if value < 100 else 0)} tok/s"


def format_local_time(iso: str) -> str:
    """An ISO time in the system's locale; the text itself if it is no ISO time."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    stamp = QDateTime.fromSecsSinceEpoch(int(moment.timestamp()))
    return QLocale().toString(stamp, QLocale.FormatType.ShortFormat)
