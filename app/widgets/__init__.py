"""Shared widgets.

Text roles are set with `label(text, role)`: title, heading, body-muted, small, muted, number, error, warning, ok.
"""

from app.widgets.basics import (
    Banner,
    CardFrame,
    ElidedLabel,
    EmptyState,
    PillLabel,
    Section,
    Stat,
    button,
    label,
    scroll_area,
    separator,
    set_role,
)

__all__ = [
    "Banner",
    "CardFrame",
    "ElidedLabel",
    "EmptyState",
    "PillLabel",
    "Section",
    "Stat",
    "button",
    "label",
    "scroll_area",
    "separator",
    "set_role",
]
