"""Commands as the tests call them, in this process; and a SAT solver that reads a file and writes another."""

from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from pysat.formula import CNF
from pysat.solvers import Solver

Value = TypeVar("Value")


class Printed(NamedTuple):
    """What a command has written to stdout and to stderr."""

    out: str
    err: str


class Command(Protocol):
    """Runs a command line, such as ``solve 5x5``, asserts its exit status, and gives what it printed."""

    def __call__(self, line: str, status: int = 0) -> Printed: ...


def solved_inside(formula: Path, answer: Path) -> bool:
    """True if the DIMACS file is satisfiable by PySAT, which reads it by itself and writes its answer to a file."""
    with Solver("glucose4", bootstrap_with=CNF(from_file=str(formula))) as solver:
        satisfiable = bool(solver.solve())
        values = " ".join(map(str, solver.get_model() or []))
    answer.write_text(
        f"c by glucose\ns {'SATISFIABLE' if satisfiable else 'UNSATISFIABLE'}\n"
        + (f"v {values} 0\n" if satisfiable else "")
    )
    return satisfiable


def needed(value: Value | None) -> Value:
    """Return a value that the rest of a test needs, and fail if there is none."""
    assert value is not None
    return value
