"""The door to the process that renders, which all templates of this process share."""

from __future__ import annotations

from workflows.door import Door
from workflows.rendering.limits import BYTES, SECONDS

RENDERING = Door("workflows.rendering.sandbox", SECONDS, BYTES, package="jinja2")
