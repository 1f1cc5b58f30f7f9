"""How loud a sound is over its time: what a waveform shows.

samples [n] ──columns of equal length──▶ the largest absolute sample of each
"""

from __future__ import annotations

import numpy as np

from workflows.media.sound.resampling import Samples


def sound_envelope(samples: Samples, columns: int) -> list[float]:
    """The largest absolute sample of each of `columns` parts of equal length, from 0 to 1; a value per sample of fewer.

    Samples beyond 1, which files of floats may have, count as 1.
    """
    if not len(samples):
        return []
    count = min(columns, len(samples))
    starts = np.arange(count) * len(samples) // count
    loudest = np.maximum.reduceat(np.abs(samples), starts)
    return [round(float(one), 3) for one in np.minimum(loudest, 1.0)]
