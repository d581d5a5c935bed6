"""What the child processes of this program need: the modules of their parent, and an end when the parent is gone."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def environment() -> dict[str, str]:
    """The child finds the modules that this process finds."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        "PYTHONUNBUFFERED": "1",
    }


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the one that started it is gone, however that happens (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
