"""The Python interface to proofs: `prove` makes certificates, `check` checks those in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Unpack, get_args

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.describe import progress_in_notebook, tour_sought
from cpsat_tour.formats.spaces import ProblemParts, Where, problem_of
from cpsat_tour.proofs.check.claim import Kind
from cpsat_tour.proofs.check.folder import KINDS, Verdict
from cpsat_tour.proofs.check.folder import check as check_folder
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.prove import Method, prove_and_check


def prove(
    where: Where,
    *,
    counted: bool = False,
    method: Method = "auto",
    seconds: float | None = None,
    seed: int = 0,
    **parts: Unpack[ProblemParts],
) -> Certificate | Answer:
    """Return a certificate that there is no tour, which the independent checker has accepted: ``prove("4x6",
    closed=True).write("folder")``.

    The arguments are those of `solve`. If there is a tour, or a limit comes first, an `Answer` says so. With
    ``counted`` the certificate is of the number of tours, ``.tours``. ``method`` forces the linear program, ``lp``, or
    the clausal search, ``sat``. `BadInput` for a wrong argument.
    """
    if method not in get_args(Method):
        raise BadInput(f"the method can't be {method!r:.40}: choose one of {', '.join(get_args(Method))}")
    problem = problem_of(where, **parts)
    limits = Limits(seconds=seconds, seed=seed)
    with progress_in_notebook(
        f"proving {'the count of each' if counted else 'that there is no'} {tour_sought(problem)}"
    ) as listen:
        return prove_and_check(problem, method, limits, listen, counted=counted)


def check(
    folder: str | os.PathLike[str],
    where: Where | None = None,
    *,
    claim: Kind | None = None,
    seconds: float | None = None,
    **parts: Unpack[ProblemParts],
) -> Verdict:
    """Return the verdict on the certificate in a folder, checked from the board up; given a board, also whether it is
    about that problem.

    ``check("folder").valid`` is True or False; ``fault`` names the first wrong line. The arguments are those of
    `solve`. ``claim`` is what must be proved: ``none``, that there is no tour; ``count``, how many there are; ``best``,
    that none is better. `BadInput` if a file is missing, `StoppedEarly` after so many seconds.
    """
    if not isinstance(folder, str | os.PathLike):
        raise BadInput(f"a folder can't be {folder!r:.80}: give the path of a certificate's folder")
    if where is None and parts:
        raise BadInput(
            f'{", ".join(parts)} can\'t go without a space: say which, such as check(folder, "4x6", closed=True)'
        )
    if claim is not None and claim not in KINDS:
        raise BadInput(f"the claim can't be {claim!r:.40}: choose one of {', '.join(KINDS)}")
    clock = Limits(seconds=seconds).clock()
    expected = None if where is None else problem_of(where, **parts)
    with progress_in_notebook(f"checking {os.fspath(folder)}") as listen:
        return check_folder(Path(folder), listen, expected, kind=claim, clock=clock)
