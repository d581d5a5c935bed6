"""The worker of `pb`; see `own_process`. The solver looks at no clock for seconds, and lets no other thread of Python
run meanwhile."""

from __future__ import annotations

import signal
from multiprocessing.connection import Connection
from typing import Any

import exact

from cpsat_tour.core.processes import connect_to_parent

OPTIONS = [("verbosity", "0"), ("var-weight", "0")]
OPTIONS += [("inp-atmostone", "0"), ("inp-probing", "0"), ("inp-dombreaklim", "0"), ("inp-basetime", "0")]
"""Variables in a fixed order: so the sums of rows that refute an odd board come soonest.

Off is what takes seconds on boards. With ``bits-learned`` at 1, when all that
is learned has coefficients of 1, the solver may learn the same constraint for ever.
"""


def main() -> None:
    """Serve until the parent has ended."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the parent has ended, as the next pause of the solver shows
    parent = connect_to_parent()
    solver, names = exact.Exact(OPTIONS), list[str]()
    while (asked := _next(parent)) is not None:
        if "columns" in asked:
            solver = exact.Exact([*OPTIONS, ("seed", str(asked["seed"] % (2**31 - 1) + 1))])
            names = [f"x{column}" for column in range(asked["columns"])]
            for name in names:
                solver.addVariable(name)
            for column in asked["required"]:
                solver.addConstraint([(1, names[column])], True, 1)
        for columns, least, most in asked.get("rows", ()):
            terms = [(1, names[column]) if column >= 0 else (-1, names[-1 - column]) for column in columns]
            solver.addConstraint(terms, least is not None, least or 0, most is not None, most or 0)
        if "solve" in asked:
            parent.send(_solve(solver, names, asked["solve"], parent))


def _next(parent: Connection) -> dict[str, Any] | None:
    """The next message; None where the parent has ended."""
    try:
        message: dict[str, Any] = parent.recv()
    except (EOFError, ConnectionError):
        return None
    return message


def _solve(solver: exact.Exact, names: list[str], work: int | None, parent: Connection) -> dict[str, object]:
    """The answer, after one for each of the solver's pauses, the first of which may come within a second, the later
    ones after two."""
    before = _conflicts(solver)
    while (state := solver.runOnce()) not in ("SAT", "UNSAT") and (work is None or _conflicts(solver) - before < work):
        parent.send({"work": {"conflicts": _conflicts(solver)}})
    told: dict[str, object] = {
        "work": {"conflicts": _conflicts(solver)},
        "end": {"SAT": "found", "UNSAT": "none"}.get(state, "work"),
    }
    if state == "SAT":
        told["chosen"] = [column for column, value in enumerate(solver.getLastSolutionFor(names)) if value]
    return told


def _conflicts(solver: exact.Exact) -> int:
    return int(dict(solver.getStats())["conflicts"])


if __name__ == "__main__":
    main()
