"""A prompt in, tokens and text out.

text or messages ──text/template──▶ ids ──loop──▶ Machine.step ──▶ logits ──processors──▶ token ──▶ events
"""

from workflows.generate.engine import Engine
from workflows.generate.opening import open_engine, open_talk
from workflows.generate.options import GenerateOptions
from workflows.generate.template import Message
from workflows.generate.tools import Tool, parse_tools

__all__ = ["Engine", "GenerateOptions", "Message", "Tool", "open_engine", "open_talk", "parse_tools"]
