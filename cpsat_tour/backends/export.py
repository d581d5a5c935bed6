"""Writes the formula of a problem to a file, in the form that its suffix names: that of a formulation, perhaps with a
goal, or the problem itself in TSPLIB."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Unpack

from cpsat_tour.backends.best_search import goal_of
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import formula, undecided
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.limits import Limits
from cpsat_tour.formats.circuit_files import TsplibFormula
from cpsat_tour.formats.files import check_place, writing
from cpsat_tour.formats.formula import Cnf, Formula, Sizes
from cpsat_tour.interface.keywords import ProblemParts, Where, problem_of, with_keywords


@with_keywords
def export(
    where: Where,
    path: str | os.PathLike[str],
    *,
    form: str | None = None,
    minimize: str | None = None,
    maximize: str | None = None,
    backend: str = "sat:adder",
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    force: bool = False,
    **parts: Unpack[ProblemParts],
) -> Sizes:
    """Write the formula of a problem for another solver, and return its size: ``export("8x8", "formula.cnf",
    closed=True).clauses``. `decode` reads the solver's answer.

    Raises `BadInput` if the backend has no formula, none in this form, the problem is decided without one, or the file
    can't be written.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``path`` (a path, needed): the file; ``"-"`` prints the formula.
    - ``form`` (str, default None): ``cnf``, ``wcnf``, ``opb``, ``lp``, ``mps``, ``mzn``, ``xml``, ``asp``, ``pb``,
      ``pbtxt``, ``hcp`` or ``tsp``; None for the file's suffix.
    - ``minimize`` (str, default None): the objective of which the formula asks for the least, ``"turns"`` or
      ``"crossings"``; in ``wcnf`` and ``opb``.
    - ``maximize`` (str, default None): the objective of which it asks for the most.
    - ``backend`` (str, default 'sat:adder'): the backend that states the formula.
    - ``options`` (a dict, default None): the backend's own options; ``cpsat-tour backends NAME`` lists them.
    - ``seed`` (int, default 0): the seed of all random choices, from 0 to 2**31 - 1.
    - ``force`` (bool, default False): whether an existing file is replaced.
    """
    path, printed = os.fspath(path), os.fspath(path) == "-"
    if not printed:
        check_place(path, force=force)
    problem, suffix = problem_of(where, **parts), form or Path(path).suffix.lstrip(".").lower()
    made: Formula
    if suffix in TsplibFormula.forms:
        made = TsplibFormula(undecided(problem))
    else:
        made = formula(problem, load(backend, options, solving=False), backend, Limits(seed=seed).seed)
    if minimize is not None or maximize is not None:
        if not isinstance(made, Cnf):
            raise BadInput("this file can't have a goal: write a .wcnf or .opb file from sat:adder")
        made = goal_of(problem, minimize, maximize).stated_in(made)
    suffix = suffix or (next(iter(made.forms)) if printed else "")
    if suffix not in made.forms:
        known = ", ".join(f"{known} ({meaning})" for known, meaning in made.forms.items())
        raise BadInput(f"backend {backend} can't be written as {suffix or path!r}: choose {known}")
    with nullcontext(sys.stdout.buffer) if printed else writing(path) as file:
        sizes = made.write(suffix, file)
        file.flush()
    return sizes
