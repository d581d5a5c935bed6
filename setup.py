"""Builds the package with setuptools, and its kernels in C as one shared library beside their sources.

This file is the build backend that `pyproject.toml` names, setuptools' own but for two things: where the machine has no
compiler, building asks for the one in the package ``ziglang``; and a wheel serves every Python 3 of its platform, since
the library is loaded by `ctypes`.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from setuptools import Extension, build_meta, setup
from setuptools.build_meta import *  # noqa: F403  the hooks of a build backend
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SOURCES = sorted(map(str, Path("cpsat_tour/native").glob("*.c")))
# x86-64 has counted bits in one instruction since 2008; no other processor needs to be told.
FLAGS = ["-std=c99", "-O2", "-shared", "-fPIC", *["-mpopcnt"] * (platform.machine() in ("x86_64", "AMD64"))]


def compiler() -> list[str]:
    """Return the command of the C compiler: ``$CC``, one on the path, or the one of ``ziglang``."""
    found = os.environ.get("CC", "").split() or [name for name in ("cc", "gcc", "clang") if shutil.which(name)][:1]
    return found or [sys.executable, "-m", "ziglang", "cc"]


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what building needs besides setuptools."""
    return build_meta.get_requires_for_build_wheel(config_settings) + ["ziglang"] * ("ziglang" in compiler())


get_requires_for_build_editable = get_requires_for_build_wheel


class BuildKernels(build_ext):
    """Compiles all kernels at once."""

    def get_ext_filename(self, fullname: str) -> str:
        """Return the path of the library, the same for every Python."""
        return str(Path(*fullname.split(".")).with_suffix(".so"))

    def build_extension(self, ext: Extension) -> None:
        """Write the library."""
        library = Path(self.get_ext_fullpath(ext.name))
        library.parent.mkdir(parents=True, exist_ok=True)
        options = [*FLAGS, *os.environ.get("CFLAGS", "").split()]
        subprocess.run([*compiler(), *options, *SOURCES, "-o", library, "-lm"], check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for one platform and every Python 3."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tag of the wheel."""
        return "py3", "none", super().get_tag()[2]


if __name__ == "__main__":
    setup(
        ext_modules=[Extension("cpsat_tour.native.kernels", SOURCES, depends=["cpsat_tour/native/kernels.h"])],
        cmdclass={"build_ext": BuildKernels, "bdist_wheel": PlatformWheel},
    )
