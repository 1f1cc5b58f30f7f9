"""The module path of a node, from the exporter's metadata or from the node's name."""

from __future__ import annotations

import re

import onnx

SCOPES_KEY = "pkg.torch.onnx.name_scopes"
_NO_VALUE = "_empty_nn_module_stack_from_metadata_hook"  # torch's word for a node of its own making
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def scope_of_name(name: str) -> str:
    """Returns the module path in a node's name: `/model/layers.0/attn/MatMul` is in model/layers/0/attn."""
    parts = name.replace(".", "/").strip("/").split("/") if "/" in name or "." in name else []
    return "/".join(part for part in parts[:-1] if part)


def scope_of(node: onnx.NodeProto) -> str:
    """Returns the module path that the exporter noted, else that of the node's name: model/layers/0/attn, or empty."""
    for entry in node.metadata_props:
        if entry.key == SCOPES_KEY and isinstance(entry.value, str):
            return scope_of_names(entry.value)
    return scope_of_name(node.name)


def scope_of_names(text: str) -> str:
    """Returns the module path in torch's list of names: ['', 'model', 'model.layers.0', 'node']."""
    names = [single or double for single, double in _QUOTED.findall(text)]
    path = names[-2] if len(names) > 1 else ""
    return "" if path == _NO_VALUE else path.replace(".", "/")
