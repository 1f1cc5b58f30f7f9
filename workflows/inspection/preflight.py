"""Predicts how much of a bundle a provider would run, and how accurately.

provider installed      ──runtime.preflight──▶ a session in an isolated process, compared with the CPU provider
provider not installed  ──kernel table───────▶ the nodes without a kernel; nothing runs
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from workflows.bundle import read_bundle
from workflows.common.errors import DeviceError
from workflows.graph.kernel_tables import KernelTable, kernel_table, nodes_without_kernel
from workflows.graph.load import load_graph
from workflows.runtime.providers import PROVIDERS
from workflows.runtime.providers.preflight import try_out
from workflows.wire.reports.preflight import ComponentPreflight, PreflightReport


def preflight(
    folder: Path,
    provider: str,
    options: Mapping[str, str] | None = None,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> PreflightReport:
    """Returns the report on the bundle in `folder`. options: the provider's.

    Raises BundleError for a bundle that cannot be read, DeviceError for a provider that is neither usable here nor has
    a kernel table, and Cancelled on request.
    """
    try:
        return try_out(folder, provider, options, cancelled=cancelled)
    except DeviceError as error:
        name = next((one.name for one in PROVIDERS.values() if provider in (one.name, one.provider)), None)
        table = kernel_table(name) if name else None
        if name is None or table is None:
            raise
        return preflight_by_table(folder, name, table, str(error))


def preflight_by_table(folder: Path, provider: str, table: KernelTable, absent: str) -> PreflightReport:
    """Returns the report from a kernel table only. absent: why the provider cannot be used. Raises as preflight."""
    bundle = read_bundle(folder)
    graphs = {name: bundle.file(one.file) for name, one in bundle.pipeline.pipeline.sessions.items()}
    components = [_component_preflight(name, path, table) for name, path in graphs.items()]
    basis = f"Nothing was run; the nodes are those of {table.title}'s kernel table."
    return PreflightReport(provider, components, False, f"{absent} {basis}")


def _component_preflight(name: str, path: Path, table: KernelTable) -> ComponentPreflight:
    model = load_graph(path).proto
    left, count = nodes_without_kernel(model, table), len(model.graph.node)
    return ComponentPreflight(name, count, count - len(left), left, None, None)
