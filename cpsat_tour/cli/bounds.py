"""``cpsat-tour compare bounds``: how strong are the linear programs?"""

from __future__ import annotations

from click import Argument, IntRange

from cpsat_tour.cli.display import ProgressLine
from cpsat_tour.cli.messages import Exit
from cpsat_tour.cli.options import Namespace, backend_option, command, option
from cpsat_tour.compare.bounds import strengths, table
from cpsat_tour.compare.study import read_study
from cpsat_tour.core.events import PartAtWork


@command(
    groups={
        "Questions": [
            Argument(["boards"], nargs=-1),
            option("--seeds N", "Draw costs N times, with the seeds 0 to N - 1.", type=IntRange(1, 1000), default=5),
        ],
        "Backends": [
            backend_option(
                "Take this linear program, with options if need be: 'milp:mtz lifted=true'.  [default: all]",
                to="backends",
                multiple=True,
            )
        ],
    },
    exits={Exit.ANSWER: "The table is printed."},
)
def bounds(args: Namespace) -> Exit:
    """Compare the linear relaxations of mixed-integer programs: closed tours of BOARDS, such as 6x6 or 'GP(5,2)'.

    The table has the mean ratio of the relaxation's bound to the cost of the best tour, under random costs of the
    moves; of a board without a tour, whether the relaxation is feasible.
    """
    given = {"boards": args.boards, "backends": args.backends}
    (group,) = read_study("bounds", {key: list(value) for key, value in given.items() if value}).groups
    with ProgressLine("comparing bounds") as progress:
        found = []
        for strength in strengths(group.boards, group.backends, range(args.seeds)):
            found.append(strength)
            progress(PartAtWork(f"{strength.backend} {strength.board}: {strength.words}"))
    print(table(found), end="")
    return Exit.ANSWER
