"""Small shared widgets: everything a page is put together from.

Text roles are set with `label(text, role)`: title, heading, body-muted, small, muted, number, error, warning, ok.
"""

from app.widgets.basics import (
    Banner,
    Card,
    Elided,
    EmptyState,
    Pill,
    Section,
    Stat,
    button,
    label,
    line,
    scrolled,
    set_role,
)

__all__ = [
    "Banner",
    "Card",
    "Elided",
    "EmptyState",
    "Pill",
    "Section",
    "Stat",
    "button",
    "label",
    "line",
    "scrolled",
    "set_role",
]
