"""A prompt in, tokens and text out.

text or messages ──prompt_encoder──▶ ids ──generation──▶ Machine.step ──▶ logits ──processors──▶ token ──▶ events
"""

from workflows.generate.chat_template import TemplateMessage
from workflows.generate.engine import Engine
from workflows.generate.loading import open_chat_engine, open_engine
from workflows.generate.options import GenerateOptions
from workflows.generate.tools import Tool, parse_tools

__all__ = ["Engine", "GenerateOptions", "TemplateMessage", "Tool", "open_chat_engine", "open_engine", "parse_tools"]
