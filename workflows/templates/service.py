"""The client of the renderer, shared by all templates of this process."""

from __future__ import annotations

from workflows.process.subprocesses import ConfinedService
from workflows.templates.limits import BYTES, SECONDS

TEMPLATE_SERVICE = ConfinedService("workflows.templates.renderer", SECONDS, BYTES, package="jinja2")
