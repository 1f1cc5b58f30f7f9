"""Flags of a command from the fields of dataclasses.

@with_flags
def command(…, task: TaskFlags = TaskFlags(), …)   ──▶   command … --question-column … --raw …
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin


class Only:
    """Annotates a parameter of flags with the names of those that the command has, in the order of its help."""

    def __init__(self, *names: str) -> None:
        self.names = names


@dataclass(frozen=True)
class _Group:
    """A parameter that is a dataclass of flags. unset: the values of its fields that are no flag of the command."""

    kind: Callable[..., object]
    flags: Sequence[Parameter]
    unset: Mapping[str, object]

    def take(self, values: dict[str, object]) -> object:
        """Removes the values of the group's flags from `values` and returns the dataclass of them."""
        return self.kind(**self.unset, **{flag.name: values.pop(flag.name) for flag in self.flags})


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the flags of a dataclass in place of each parameter that is annotated with one.

    The default of each of the dataclass's fields is a typer option.
    """
    own = signature(command, eval_str=True)
    groups = {name: group for name, one in own.parameters.items() if (group := _group(one.annotation)) is not None}

    @wraps(command)
    def run(**values: object) -> None:
        flags = {name: group.take(values) for name, group in groups.items()}
        command(**values, **flags)

    flat = list[Parameter]()
    for name, parameter in own.parameters.items():
        flat += groups[name].flags if name in groups else [parameter]
    run.__signature__ = own.replace(parameters=flat)  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return run


def _group(annotation: object) -> _Group | None:
    """The flags of an annotation: a dataclass, or one annotated with Only; None of any other."""
    kind, *only = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    if not is_dataclass(kind) or not isinstance(kind, type):
        return None
    options: dict[str, Any] = {field.name: field.default for field in fields(kind)}
    names = only[0].names if only else tuple(options)
    types = signature(kind, eval_str=True).parameters
    flags = [types[name].replace(default=options[name]) for name in names]
    return _Group(kind, flags, {name: option.default for name, option in options.items() if name not in names})
