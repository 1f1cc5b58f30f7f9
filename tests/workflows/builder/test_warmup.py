"""What the import of the exporter sets for the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = """
from workflows.builder import warmup
warmup.usable_cores = lambda: {cores}
warmup.import_exporter()
import torch
print(torch.get_num_threads())
"""


@pytest.mark.slow
@pytest.mark.parametrize(("torchs", "cores", "threads"), [(3, 2, 2), (1, 2, 1)])
def test_torch_has_a_thread_for_each_core_that_may_be_used(torchs: int, cores: int, threads: int) -> None:
    """A person's own choice of fewer stays."""
    environment = os.environ | {"OMP_NUM_THREADS": str(torchs)}
    command = [sys.executable, "-c", CODE.format(cores=cores)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == str(threads)
