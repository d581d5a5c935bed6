"""Libraries that may not be installed, with the one sentence that says which is lacking, and versions."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec

from cpsat_tour.core.errors import BadInput

__version__ = "0.1.0"
"""The version of the package, in this one place."""

DISTRIBUTIONS = {
    "PIL": "Pillow",
    "fpdf": "fpdf2",
    "pysat": "python-sat",
    "pysolvers": "python-sat",
    "resvg_py": "resvg-py",
}
"""The names to install modules by, where they differ from the modules' own."""


def not_installed(feature: str, *modules: str) -> BadInput:
    """Return the error that a ``feature`` needs modules which are not installed, with the command that installs all."""
    names = [module.partition(".")[0] for module in modules]
    install = " ".join(["pip install", *(DISTRIBUTIONS.get(name, name) for name in names)])
    missing = f"module{'s' * (len(names) > 1)} {', '.join(names)}, which {'are' if len(names) > 1 else 'is'}"
    return BadInput(f"{feature} needs the Python {missing} not installed: {install}")


def require(feature: str, *modules: str) -> None:
    """Raise `BadInput` if one of the modules that the ``feature`` needs is not installed."""
    if absent := [module for module in modules if find_spec(module) is None]:
        raise not_installed(feature, *absent)


def versions_of(*distributions: str) -> dict[str, str]:
    """Return the versions of this program and of those distributions that are installed, by name."""
    # only for records, and it takes longer to load than this room
    from importlib.metadata import PackageNotFoundError, version

    found = {"cpsat-tour": __version__}
    for distribution in distributions:
        with suppress(PackageNotFoundError):
            found[distribution] = version(distribution)
    return found
