"""The job that decodes a sound for its waveform."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workflows.common.errors import MediaError, RequestError
from workflows.service import JobContext
from workflows.service.jobs import run_job
from workflows.wire.events import ResultEvent
from workflows.wire.reports.sound import SoundReport
from workflows.wire.requests import DescribeSound

QUIET = JobContext(lambda event: None, lambda: False)


def test_a_waveform_has_the_files_length_and_where_it_is_loud(tmp_path: Path) -> None:
    import soundfile

    samples = np.zeros((16000, 2), np.float32)
    samples[8000:12000] = 0.5
    soundfile.write(tmp_path / "a.wav", samples, 16000)
    (event,) = run_job(DescribeSound(str(tmp_path / "a.wav"), columns=4), QUIET)
    assert isinstance(event, ResultEvent) and isinstance(event.value, SoundReport)
    report = event.value
    assert (report.seconds, report.rate, report.channels) == (1.0, 16000, 2)
    assert report.peaks[0] == 0 and report.peaks[2] == pytest.approx(0.5, abs=0.08)  # the filter rings at an edge


def test_no_sound_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"gone\.wav cannot be read"):
        list(run_job(DescribeSound(str(tmp_path / "gone.wav")), QUIET))
    with pytest.raises(RequestError, match="cannot have 0 columns"):
        DescribeSound("a.wav", columns=0)
