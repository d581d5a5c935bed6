"""What a solver says is passed on: an error or a status that is not expected is a fault that names the solver; ``work``
and ``time`` are said of limits that were met."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from products import all_tours

from cpsat_tour import Answer, BackendFault, Limits, Problem, graph_of, run
from cpsat_tour.engines.registry import load, missing_modules
from cpsat_tour.models.eager import Eager, EagerFormula
from cpsat_tour.models.eager_cpsat import EagerCpSat, EagerModel
from cpsat_tour.models.eager_milp import ArcProgram, EagerMilp

SNARK = Problem(graph_of("GP(17,2)"), closed=True)
SOLVERS = {"cpsat": "CP-SAT", "cpsat:lazy": "CP-SAT", "asp": "clingo", "smt": "Z3"}
SOLVERS |= {"sat": "cadical195", "sat:lazy": "cadical195"}
HARD = {"cpsat": {"linearization": 0}, "cpsat:lazy": {"linearization": 0}, "asp": {}, "smt": {}}


def broken(name: str, monkeypatch: pytest.MonkeyPatch, spoil: Callable[..., object]) -> None:
    """Replace the call that solves, in the library that the backend uses."""
    if absent := missing_modules(name):
        pytest.skip(f"backend {name} needs {', '.join(absent)}")
    where = {
        "asp": "clingo.Control.solve",
        "smt": "z3.Solver.check",
        "sat": "pysat.solvers.Cadical195.solve_limited",
        "sat:lazy": "pysat.solvers.Cadical195.solve_limited",
    }
    monkeypatch.setattr(where.get(name, "ortools.sat.python.cp_model.CpSolver.solve"), spoil)


def set_parameter(name: str, monkeypatch: pytest.MonkeyPatch, parameter: str, value: float) -> None:
    """Set a parameter of CP-SAT in all solvers that the backend makes."""
    make = type(load(name)).solver  # type: ignore[union-attr]

    def solver(backend: Any, run: Any) -> Any:
        made = make(backend, run)
        setattr(made.parameters, parameter, value)
        return made

    monkeypatch.setattr(type(load(name)), "solver", solver)


def raises(*_: object, **__: object) -> None:
    """Fail as a library does that runs out of something."""
    raise RuntimeError("no more\nhandles")


@pytest.mark.parametrize("name", SOLVERS)
def test_an_exception_of_a_solver_is_a_fault_that_names_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(name, monkeypatch, raises)
    backend, told = load(name), f"{SOLVERS[name]} failed: RuntimeError: no more handles"
    with pytest.raises(BackendFault, match=told):
        run(SNARK, backend)
    if "every" in backend.takes:
        with pytest.raises(BackendFault, match=told):
            list(all_tours(SNARK, backend))


@pytest.mark.parametrize("name", ["cpsat", "cpsat:lazy"])
def test_a_model_that_cp_sat_refuses_is_a_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_parameter(name, monkeypatch, "num_workers", 20_000)
    with pytest.raises(BackendFault, match="CP-SAT ended with the status MODEL_INVALID: parameter 'num_workers'"):
        run(SNARK, load(name))


def answer(name: str, limits: Limits) -> Answer:
    if absent := missing_modules(name):
        pytest.skip(f"backend {name} needs {', '.join(absent)}")
    return run(SNARK, load(name, HARD[name]), limits)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", HARD)
def test_a_limit_on_work_is_told_when_it_is_met(name: str, threads: int) -> None:
    met = answer(name, Limits(work=20, threads=threads))
    assert met.stopped_by == "work"
    assert met.work["conflicts"] >= 20
    assert answer(name, Limits(work=20, seconds=1000, threads=threads)).stopped_by == "work"


def test_an_early_end_without_a_limit_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT has limits of its own, such as one on memory."""
    set_parameter("cpsat", monkeypatch, "max_deterministic_time", 1e-9)
    for limits in (Limits(), Limits(seconds=1000), Limits(work=10**6)):
        with pytest.raises(BackendFault, match="CP-SAT ended with the status UNKNOWN: it met no limit"):
            answer("cpsat", limits)


class Clauses(Eager):
    """An encoding that forgets to state that there is one cycle."""

    name = "clauses"

    def state(self, formula: EagerFormula) -> None:
        """The degrees are stated already."""


class Constraints(EagerCpSat):
    """A model that states the degrees alone."""

    name = "constraints"

    def state(self, model: EagerModel) -> None:
        for ends in (model.arcs.tails.tolist(), model.arcs.heads.tolist()):
            for vertex in range(model.arcs.order):
                model.add_exactly_one(arc for arc, end in zip(model.arc, ends, strict=True) if end == vertex)


class Rows(EagerMilp):
    """A program that states the degrees alone."""

    name = "rows"

    def state(self, program: ArcProgram) -> None:
        """The degrees are stated already."""


@pytest.mark.parametrize("kind", [Clauses, Constraints, Rows])
@pytest.mark.parametrize("closed", [True, False])
def test_a_formulation_that_forgets_the_one_cycle_is_told_a_short_one(kind: type[Any], closed: bool) -> None:
    if kind is Rows and missing_modules("milp"):
        pytest.skip("highspy is optional")
    names = kind.name if kind is Clauses else kind.__name__
    with pytest.raises(BackendFault, match=rf"^{names}: the solution has a cycle .*-.* of \d+ of the 3[67] ") as told:
        run(Problem(graph_of("6x6"), closed), kind())
    cycle, number = re.findall(r"cycle (\S+) of (\d+)", str(told.value))[0]
    squares = cycle.removesuffix("-…").split("-")
    assert len({*squares}) == min(8, int(number))
    graph = graph_of("6x6")
    steps = [pair for pair in pairwise([*squares, *squares[: "…" not in cycle]]) if "apex" not in pair]
    assert all(graph.has_arc(*map(graph.space.vertex, pair)) for pair in steps)
