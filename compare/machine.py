"""The machine and the versions that a run was made with, as they stand in its record."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from pathlib import Path
from typing import Any

from cpsat_tour.core.libraries import versions_of

SOLVER_DISTRIBUTIONS = ("ortools", "python-sat", "numba", "clingo")
"""The distributions that timings depend on."""


@lru_cache(maxsize=1)
def machine() -> dict[str, Any]:
    """The name of the host, its processor, how many logical processors we may use, its memory in bytes, and its system."""
    return {
        "host": platform.node(),
        "processor": _processor(),
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "system": f"{platform.system()} {platform.release()}",
    }


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The versions of Python, of this program and of the solvers that are installed."""
    return {"python": platform.python_version()} | versions_of(*SOLVER_DISTRIBUTIONS)


def _processor() -> str:
    """The processor's model as the system names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
