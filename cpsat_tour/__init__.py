"""cpsat-tour: the knight's tour as a suite of formulations, solvers, proofs and comparisons.

>>> from cpsat_tour import Board, count, prove, solve, tours
>>> len(solve(Board(8, 8), closed=True, backend="sat").tour)
64
>>> count("6x6", closed=True)
9862
>>> print(next(tours("3x4")))
d2 b3 a1 c2 a3 b1 c3 a2 c1 d3 b2 d1
>>> prove("4x6", closed=True)
<Certificate: no closed tour of the 4x6 board, lp, 1 step>

`solve` finds one tour, `tours` lists them, `count` counts them and `estimate` estimates their number; `best` finds the
best, `puzzle` makes a puzzle, `decompose` makes all moves in disjoint tours. `prove` proves that there is none, `check`
checks such a proof, and `compare_backends` times backends side by side. `export` and `decode` go to another solver and
back; `draw` draws. They take a `Board`, a `Box`, a `Wrapped` board, a `Graph`, a graph of networkx, or text.
`hamiltonian_cycle` and `hamiltonian_path` give the nodes of a graph in order, `longest_path` and `longest_cycle` the
longest there are, and `fewest_paths` says how many paths it takes; `filter_graphs` answers a stream of graphs. Each has
its ``help()``.
"""

from __future__ import annotations

import itertools
import os.path

TYPE_CHECKING = False
if TYPE_CHECKING:  # a Ctrl-C is not handled yet when the command imports this: as little as possible is loaded here
    from typing import Any

# In a checkout, models/ and compare/ lie beside this folder; installed, they lie inside it.
_checkout = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
if all(os.path.isfile(os.path.join(_checkout, *file)) for file in (("models", "__init__.py"), ("pyproject.toml",))):
    __path__.append(_checkout)

# The public names stand once, in the stub that type checkers read: "from MODULE import NAME as NAME, ...".
_HOMES: dict[str, str] = {}
with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _stub:
    _words = _stub.read().replace(",", " ").split()
_home = ""
for _word, _next in itertools.pairwise(_words):
    if _word == "from":
        _home = _next
    elif _word == "as":
        _HOMES[_next] = _home
__all__ = [name for name in _HOMES if name != "__version__"]


def __getattr__(name: str) -> Any:
    """Import the public names when they are used, so that ``cpsat-tour --help`` does not wait for NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cpsat_tour' has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return [*_HOMES]
