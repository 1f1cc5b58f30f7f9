"""Which adapter runs: the state that a machine and those that share its sessions have in common.

adapters/0.safetensors ──use(name), read once──▶ lora_A.<module> [K, r], lora_B.<module> [r, N] ──▶ Binding
                         use("")               ▶ [K, 0], [0, N]: the base alone

onnxruntime's own adapters are ignored with I/O binding, so the factors are ordinary inputs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from workflows.bundle import Bundle
from workflows.bundle.outline import Port
from workflows.bundle.schema import BundledAdapter
from workflows.common.errors import BundleError, RequestError, printable
from workflows.common.tensors import Array, TensorSpec
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.adapter_factors import partner_of, rank_axis
from workflows.runtime.program.program import Program, ProgramPhase

BASE = ""  # the name of no adapter


class ActiveAdapter:
    """The factors that the graphs take now. name: of the adapter, empty for the base. generation: of the factors.

    adapters: those of the bundle, None where its graphs take none. files: of the bundle, by name; empty for graphs
    without one. An adapter that was used once stays in memory.
    """

    def __init__(
        self,
        program: Program,
        sessions: Mapping[str, OpenSession],
        adapters: list[BundledAdapter] | None,
    ) -> None:
        self.name, self.generation = BASE, 0
        self._adapters = None if adapters is None else {one.name: one for one in adapters}
        self.files: Mapping[str, Path] = {}
        specs = {(name, spec.name): spec for name, opened in sessions.items() for spec in opened.inputs}
        ports = [port for run in program.runs.values() for port in run.fed_by("adapter")]
        self._specs = {port[1]: specs[port] for port in ports}
        base = {name: np.zeros(_shape(spec, 0), spec.numpy_dtype) for name, spec in self._specs.items()}
        self._factors: dict[str, Mapping[str, Array]] = {BASE: base}

    @property
    def names(self) -> tuple[str, ...]:
        """The adapters that can be used."""
        return tuple(self._adapters or ())

    @property
    def active(self) -> str | None:
        """The name of the active adapter, empty for the base; None where the graphs take none."""
        return None if self._adapters is None else self.name

    @property
    def identity(self) -> str:
        """What a cache depends on besides the model: the adapter and its scale; empty for the base."""
        if self.name == BASE or self._adapters is None:
            return ""
        own = self._adapters[self.name]
        return f"{own.sha256}·{own.scale}"

    def use(self, name: str) -> bool:
        """Makes the adapter the active one, the base for an empty name; returns whether it was another one.

        The caller then resets the caches: keys and values are of the weights that read their tokens. Raises
        RequestError for an unknown one, and BundleError for one whose file does not fit the graphs.
        """
        if name == self.name:
            return False
        if name not in self._factors:
            self._factors[name] = self._read(self._known(name))
        self.name = name
        self.generation += 1
        return True

    def arrays(self, run: ProgramPhase) -> dict[Port, Array]:
        """The factors that the sessions of a run take."""
        factors = self._factors[self.name]
        return {port: factors[port[1]] for port in run.fed_by("adapter")}

    def _known(self, name: str) -> BundledAdapter:
        if self._adapters is None:
            raise RequestError(
                f"The bundle takes no adapter, so {printable(name, 60)!r} cannot be used: build it with --set "
                "adapters=runtime."
            )
        check_adapter(name, self._adapters)
        return self._adapters[name]

    def _read(self, adapter: BundledAdapter) -> Mapping[str, Array]:
        """The factors of an adapter; those of rank 0 where its file has none."""
        from safetensors import SafetensorError  # which most bundles do without
        from safetensors.numpy import load_file

        path = self.files.get(adapter.file)
        try:
            if path is None:
                raise FileNotFoundError
            stored = load_file(path)
        except (OSError, SafetensorError) as error:
            why = printable(error, 100) or "it is not in the manifest"
            raise BundleError(
                f"The adapter {printable(adapter.name, 60)} cannot be read from {adapter.file} ({why}): restore the "
                "file or build the bundle anew."
            ) from None
        for name, array in stored.items():
            self._check(adapter, name, array, stored.get(partner_of(name)))
        return {**self._factors[BASE], **stored}

    def _check(self, adapter: BundledAdapter, name: str, array: Array, partner: Array | None) -> None:
        """Raises BundleError for a factor that the graphs do not have, or that has another shape or type."""
        spec, fits = self._specs.get(name), False
        axis = None if spec is None else rank_axis(spec)
        if spec is not None and axis is not None and array.ndim == 2:
            rank = array.shape[axis]
            fits = array.dtype == spec.numpy_dtype and array.shape == _shape(spec, rank)
            fits = fits and partner is not None and partner.ndim == 2 and partner.shape[1 - axis] == rank
        if not fits:
            raise BundleError(
                f"The adapter {printable(adapter.name, 60)} holds {printable(name, 120)} {list(array.shape)} in "
                f"{array.dtype}, which does not fit the graphs' inputs: build the bundle anew."
            )


def inactive_note(bundle: Bundle) -> list[str]:
    """A sentence for a report over a bundle whose adapters were all inactive; nothing for one without any."""
    named = ", ".join(printable(one.name, 60) for one in bundle.pipeline.metadata.adapters or ())
    return [f"No adapter was active: the bundle's own weights alone were read, without {named}."] if named else []


def check_adapter(name: str, adapters: Collection[str]) -> None:
    """Raises RequestError for a name that is neither one of the adapters nor empty."""
    if name and name not in adapters:
        known = ", ".join(printable(one, 60) for one in adapters) or "none"
        raise RequestError(f"The bundle has no adapter {printable(name, 60)!r}: it has {known}.")


def _shape(spec: TensorSpec, rank: int) -> tuple[int, ...]:
    """The shape of a factor of that rank."""
    return tuple(axis if isinstance(axis, int) else rank for axis in spec.shape)
