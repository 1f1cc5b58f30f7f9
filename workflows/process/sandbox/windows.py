"""Limits of a process on Windows by a job object that it joins itself. Written from the documentation; not run yet.

Windows 8 and later nest jobs: a process that is in a job already can join another.
"""

from __future__ import annotations

import ctypes
import sys

_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_PROCESS_TIME, _PROCESS_MEMORY = 0x2, 0x100  # JOB_OBJECT_LIMIT_…
_TICKS = 10_000_000  # ticks of 100 ns per second


class _Basic(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _Extended(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("Basic", _Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


_REFUSED = " Its memory has no limit either: {0}."
_limits = _Extended()
_job: list[int] = []  # the handle, after it was made


def limit_job(most: int = 0, seconds: float = 0.0) -> str:
    """Limits memory in bytes and total processor time; 0 leaves a limit as it is. Returns the failure, a sentence."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p)
        kernel.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        kernel.SetInformationJobObject.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
        if most:
            _limits.ProcessMemoryLimit = most
            _limits.Basic.LimitFlags |= _PROCESS_MEMORY
        if seconds:
            _limits.Basic.PerProcessUserTimeLimit = int(seconds * _TICKS)
            _limits.Basic.LimitFlags |= _PROCESS_TIME
        if not _job:
            made = kernel.CreateJobObjectW(None, None)
            if not made or not kernel.AssignProcessToJobObject(made, kernel.GetCurrentProcess()):
                return _REFUSED.format(ctypes.FormatError(ctypes.get_last_error()).strip())
            _job.append(made)
        size = ctypes.sizeof(_limits)
        if not kernel.SetInformationJobObject(_job[0], _EXTENDED_LIMITS, ctypes.byref(_limits), size):
            return _REFUSED.format(ctypes.FormatError(ctypes.get_last_error()).strip())
        return ""
    raise NotImplementedError("job objects are Windows' own")
