"""Every test of this folder is marked `real`; what cannot be fetched skips those that need it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.real.packages import UnavailableError
from workflows.builder import BuildRequest, build

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.real)


@pytest.fixture(scope="session")
def fetched() -> Callable[[Callable[..., Path]], Path]:
    """`fetched(make, …)`: the place of a checkpoint; skips the test where its packages cannot be had."""

    def get(make: Callable[..., Path], *arguments: Any) -> Path:
        try:
            return make(*arguments)
        except UnavailableError as reason:
            pytest.skip(str(reason))

    return get


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`built(source, **options)`: a bundle, made once a process: CI has each file in one."""
    made: dict[str, Path] = {}

    def get(source: Path, **options: Any) -> Path:
        key = repr((source, sorted(options.items())))
        if key not in made:
            out = tmp_path_factory.mktemp("built") / "bundle"
            home = tmp_path_factory.getbasetemp() / "home"
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("JOINERY_HOME", str(home))
                build(BuildRequest(str(source), out, options))
            made[key] = out
        return made[key]

    return get
