"""The Python interface to proofs: `prove` makes certificates, `check` checks those in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, Unpack, get_args

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.limits import Limits
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.interface.answer import Answer
from cpsat_tour.interface.keywords import Asked, ProblemParts, Where, problem_and_limits, problem_of, with_keywords
from cpsat_tour.interface.notebook import progress_in_notebook
from cpsat_tour.proofs.check.claim import Kind
from cpsat_tour.proofs.check.folder import KINDS, Verdict, check as check_folder
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.prove import Method, prove_and_check


class NotProved(Answer):
    """The `Answer` of `prove` where there is no certificate, for there is a tour or a limit came first; it is false.

    - ``answer`` (`Answer`, needed): says so.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(**vars(answer))

    def __bool__(self) -> Literal[False]:
        return False


@with_keywords
def prove(
    where: Where, *, counted: bool = False, method: Method = "auto", **asked: Unpack[Asked]
) -> Certificate | NotProved:
    """Return a certificate that there is no tour, which the independent checker has accepted: ``prove("4x6",
    closed=True).write("folder")``.

    The result is true if the claim is proved. If there is a tour, or a limit comes first, it is a `NotProved`, an
    `Answer` that says so and is false. Raises `BadInput` for a wrong argument.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``counted`` (bool, default False): whether the certificate is of the number of tours, its ``tours``.
    - ``method`` (str, default 'auto'): ``lp`` for the linear program alone, ``sat`` for the clausal search.
    """
    if method not in get_args(Method):
        raise BadInput(f"the method can't be {method!r:.40}: choose one of {', '.join(get_args(Method))}")
    problem, limits = problem_and_limits(where, asked)
    claim = "the count of each" if counted else "that there is no"
    with progress_in_notebook(f"proving {claim} {tour_sought(problem)}") as listen:
        found = prove_and_check(problem, method, limits, listen, counted=counted)
    return NotProved(found) if isinstance(found, Answer) else found


@with_keywords
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

    ``check("folder").valid`` is True or False; ``fault`` names the first wrong line. Raises `BadInput` if a file is
    missing, and `StoppedEarly` when the time is over.

    - ``folder`` (a path, needed): the certificate's folder.
    - ``where`` (a board, a graph, text, or a `Problem`; default None): what the certificate has to be about, as in
      `solve`; None for anything.
    - ``claim`` (str, default None): what must be proved: ``none``, that there is no tour; ``count``, how many there
      are; ``best``, that none is better.
    - ``seconds`` (float, default None): the limit on wall time in seconds; None for no limit.
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
