"""Scaled arrays are those of torch.nn.functional.interpolate, up and down, to odd sizes and to one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from workflows.media.pictures.interpolation import interpolated

SIZES = [(1, 1), (2, 3), (7, 5), (32, 48), (33, 129)]


@pytest.mark.parametrize(("how", "corners"), [*itertools.product(("bilinear", "bicubic"), (False, True))])
def test_values_are_those_of_torch(how: str, corners: bool) -> None:
    for source, target in itertools.product(SIZES, SIZES):
        values = np.random.default_rng(0).standard_normal((2, *source)).astype(np.float32)
        wanted = torch.nn.functional.interpolate(
            torch.from_numpy(values)[None], target, mode=how, align_corners=corners
        )
        ours = interpolated(values, *target, how, corners)  # type: ignore[arg-type]
        assert ours.dtype == np.float32 and ours.shape == (2, *target)
        assert np.abs(ours - wanted[0].numpy()).max() < 5e-5, (source, target)
