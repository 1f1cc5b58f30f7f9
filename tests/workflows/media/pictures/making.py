"""Pictures for tests: noise of some pixels' width, so that every filter has something to do."""

from __future__ import annotations

import numpy as np
from PIL import Image

from workflows.media import Picture


def picture(height: int, width: int, seed: int = 0) -> Picture:
    random = np.random.default_rng(seed)
    small = random.integers(0, 256, (-(-height // 5), -(-width // 5), 3), np.uint8)
    return Picture(np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)))
