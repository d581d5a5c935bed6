"""The SAT backends: degree constraints, cut sets, the propagator's paths, the loops over edges and over arcs, limits,
events and Ctrl-C."""

import random
import subprocess
import sys
import textwrap
import threading
from collections import deque
from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np
import pytest
from brute_force import brute_force
from products import all_tours
from pysat.solvers import Solver

from cpsat_tour import BadInput, Board, Graph, Problem, graph_of, load, run, solve, tours
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import CutSetAdded, Event, Limits, Progress, TwoFactorFound
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.degree import (
    Template,
    exactly_one,
    exactly_two,
)
from cpsat_tour.models.drivers.propagator import Propagator
from cpsat_tour.models.drivers.sat import SOLVERS
from cpsat_tour.models.lazy import Lazy
from cpsat_tour.models.lazy_arcs import one_arc_out_of_and_into_each_vertex
from cpsat_tour.models.loop.numbering import SWEEPS, Numbering
from cpsat_tour.models.loop.subtours import cut_set
from cpsat_tour.models.propagated import Propagated

Backend = Lazy | Propagated
BACKENDS: list[Backend] = [Propagated(), Lazy()]

both = pytest.mark.parametrize("backend", BACKENDS, ids=["while solving", "lazy"])


# --- the degree constraints ---


@pytest.mark.parametrize("degree", range(16))
@pytest.mark.parametrize(("template_of", "wanted"), [(exactly_one, 1), (exactly_two, 2)])
def test_a_template_chooses_one_or_two_edges_by_unit_propagation(
    template_of: Callable[[int], Template], wanted: int, degree: int
) -> None:
    """It has one model for each choice, and a choice implies that the rest is not chosen, and the other way round."""
    template, edges = template_of(degree), range(1, degree + 1)
    clauses = [clause for block in template.blocks for clause in block.tolist()]
    choices = list(combinations(edges, wanted))
    assert ([] in clauses) == (not choices)
    with Solver("minisat22", [[x, -x] for x in range(1, degree + template.auxiliary + 1)]) as solver:
        solver.append_formula(clauses if choices else [])
        models = [tuple(literal for literal in model[:degree] if literal > 0) for model in solver.enum_models()]
    assert not choices or sorted(models) == choices
    with Solver("minisat22", clauses if choices else []) as solver:
        for choice in choices if degree > wanted else ():
            others = [-edge for edge in edges if edge not in choice]
            for assumed, implied in ((list(choice), others), (others, list(choice))):
                consistent, literals = solver.propagate(assumptions=assumed)
                assert consistent
                assert set(implied) <= set(literals) | set(assumed)


def test_a_cut_set_is_the_edges_with_one_end_inside() -> None:
    problem = to_cycle(Problem(Board(6, 6).graph, True))
    for size in range(1, 36):
        inside = random.Random(size).sample(range(36), size)
        ends = zip(problem.tails.tolist(), problem.heads.tolist(), strict=True)
        crossing = [edge for edge, pair in enumerate(ends) if len({*pair} & {*inside}) == 1]
        assert cut_set(problem, inside).tolist() == crossing


# --- the paths ---


@pytest.mark.parametrize("seed", range(30))
def test_the_path_structure_survives_any_sequence_of_callbacks(seed: int) -> None:
    """A random solver: decisions that keep degrees at two, backtracks to any level, permanent assignments at the
    root."""
    draw = random.Random(seed)
    problem = to_cycle(Problem(Board(4, 5).graph, True))
    numbering = Numbering(problem, seed)
    paths = Propagator(numbering)
    tails, heads = problem.tails[numbering.edges], problem.heads[numbering.edges]
    levels: list[list[int]] = [[]]
    for _ in range(120):
        taken = [variable for level in levels for variable in level]
        degree = np.bincount(
            [*tails[np.array(taken, dtype=int) - 1], *heads[np.array(taken, dtype=int) - 1]], minlength=problem.order
        )
        free = [
            v
            for v in range(1, problem.size + 1)
            if v not in taken and degree[tails[v - 1]] < 2 and degree[heads[v - 1]] < 2
        ]
        action = draw.random()
        if action < 0.25 and len(levels) > 1:
            level = draw.randrange(len(levels) - 1)
            del levels[level + 1 :]
            paths.on_backtrack(level)
        elif free:
            variable = draw.choice(free)
            if len(levels) == 1 and action < 0.4:
                paths.on_assignment(variable, 1)
            else:
                levels.append([])
                paths.on_new_level()
                paths.on_assignment(variable, 0)
                paths.on_assignment(-draw.choice(free), 0)
            levels[-1].append(variable)
        literals = paths.propagate()
        assert len(levels) > 1 or not literals
        for literal in literals:
            clause = paths.provide_reason(literal)
            closing = {-joined for joined in clause}
            assert literal in clause
            assert closing - {-literal} <= {variable for level in levels for variable in level}
            # The path and the edge between its ends are a cycle that is no tour.
            assert len(clause) < problem.order
            ends = np.concatenate([tails[np.array(list(closing)) - 1], heads[np.array(list(closing)) - 1]])
            assert set(np.bincount(ends).tolist()) <= {0, 2}
        while paths.add_clause():
            pass
        assert paths.fault() is None
        assert {variable for variable in range(1, problem.size + 1) if paths.joined[variable]} == {
            v for level in levels for v in level
        }


def test_a_permanent_assignment_outlives_its_level() -> None:
    problem = to_cycle(Problem(Board(4, 5).graph, True))
    paths = Propagator(Numbering(problem))
    paths.on_new_level()
    paths.on_assignment(1, 0)
    paths.propagate()
    paths.on_assignment(1, 1)
    paths.on_new_level()
    paths.on_backtrack(0)
    paths.propagate()
    assert paths.joined[1]
    assert paths.fault() is None


def test_at_the_root_an_edge_is_kept_out_by_a_clause() -> None:
    """CaDiCaL 1.9.5 never marks as fixed what is propagated at decision level 0, and crashes later or decides without
    end."""
    problem = to_cycle(Problem(Graph.from_edges(5, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 0)]), True))
    numbering = Numbering(problem, 0)
    paths = Propagator(numbering)
    ends = list(zip(problem.tails[numbering.edges].tolist(), problem.heads[numbering.edges].tolist(), strict=True))
    first, second, closing = (1 + ends.index(edge) for edge in [(0, 1), (1, 2), (0, 2)])
    paths.on_assignment(first, 1)
    paths.on_assignment(second, 1)
    assert paths.propagate() == []
    assert set(paths.add_clause()) == {-first, -second, -closing}
    assert not paths.add_clause()
    paths.on_new_level()
    paths.on_backtrack(0)
    assert paths.propagate() == []
    assert not paths.add_clause()


def ended(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


CHAINS = """
import random
from cpsat_tour import Graph, Limits, Problem, load, run
from cpsat_tour.models.drivers import propagator

def ring_with_chains(n, chains, links, draw):
    edges = [(i, (i + 1) % n) for i in range(n)]
    edges += [(i, n + i) for i in range(n)] + [(n + i, n + (i + 2) % n) for i in range(n)]
    order = 2 * n
    for first, last in random.Random(draw).sample(edges, chains):
        edges.remove((first, last))
        for _ in range(links):
            edges += [(first, order), (order, order + 1), (order + 1, order + 2), (order, order + 2)]
            first, order = order + 2, order + 3
        edges.append((first, last))
    return Graph.from_edges(order, edges)

often = dict(rephaseint=1, stabilizeinit=1, compactint=1, compactmin=1, compactlim=0)
often |= dict(reduceint=10, probeint=1, restartint=1)
propagator.OPTIONS = propagator.OPTIONS | often
answer = run(Problem(ring_with_chains({graph}), True), load("sat"), Limits(work=3000, seed=8))
assert answer.status == "tour", answer
"""


@pytest.mark.parametrize("graph", ["100, 2, 10, 2", "306, 3, 10, 1"])
def test_edges_kept_out_at_the_root_make_the_solver_neither_crash_nor_hang(graph: str) -> None:
    """GP(n,2) with chains of triangles in some edges, each with a vertex of degree 2; the solver simplifies as often as
    it can.

    Solved in a process of its own: where such edges are propagated at the root, CaDiCaL 1.9.5 ends in SIGSEGV or never.
    """
    done = ended(CHAINS.replace("{graph}", graph))
    assert done.returncode == 0, done.stderr


def test_the_invariant_checker_sees_a_fault() -> None:
    problem = to_cycle(Problem(Board(4, 5).graph, True))
    paths = Propagator(Numbering(problem))
    paths.on_assignment(1, 0)
    paths.propagate()
    paths.mate[int(problem.tails[0])] = 19
    assert paths.fault() is not None


# --- boards ---


@pytest.mark.parametrize("seed", [*range(SWEEPS), 11])
def test_a_closed_board_in_every_numbering(seed: int) -> None:
    answer = run(Problem(Board(30, 30).graph, True), Propagated(), Limits(seed=seed))
    assert answer.status == "tour"
    assert seed >= SWEEPS or answer.work["conflicts"] < 100


def test_an_open_board_needs_next_to_no_conflicts() -> None:
    answer = run(Problem(Board(51).graph, False), Propagated())
    assert answer.status == "tour"
    assert answer.work["conflicts"] < 100


# --- solvers, limits, events, interruption ---


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_solver_serves_the_lazy_loop(solver: str) -> None:
    backend = Lazy(solver)
    try:
        assert run(Problem(Board(6, 6).graph, True), backend).status == "tour"
    except BadInput as fault:
        pytest.skip(f"this PySAT has no {solver}: {fault}")
    assert run(Problem(Board(3, 6).graph, True), backend).status == "none"
    two_triangles = Graph.from_edges(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    assert run(Problem(two_triangles, True), backend).status == "none"
    assert len(list(all_tours(Problem(Board(3, 4).graph, False), backend))) == 8
    assert run(Problem(Board(9, 9).graph, True), backend, Limits(work=500)).stopped_by == "work"


@pytest.mark.parametrize("solver", Propagated.solvers)
def test_each_solver_serves_the_propagator(solver: str) -> None:
    try:
        assert len(list(all_tours(Problem(Board(3, 10).graph, True), Propagated(solver)))) == 16
    except BadInput as fault:
        pytest.skip(f"this PySAT has no {solver}: {fault}")
    assert run(Problem(Board(40, 40).graph, False), Propagated(solver)).status == "tour"


@both
def test_the_listener_hears_of_cut_sets_2_factors_and_progress(backend: Backend) -> None:
    heard: list[Event] = []
    answer = run(Problem(Board(12, 12).graph, True), backend, Limits(), heard.append)
    assert answer.status == "tour"
    assert sum(isinstance(event, CutSetAdded) for event in heard) == answer.work["cut_sets"]
    assert any(isinstance(event, Progress) for event in heard)
    if isinstance(backend, Lazy):
        found = [event.cycles for event in heard if isinstance(event, TwoFactorFound)]
        assert found[-1] == 1
        # What merging makes of a 2-factor is told as well.
        assert answer.work["rounds"] <= len(found) <= 2 * answer.work["rounds"]


def test_a_limit_on_work_counts_cut_sets_as_conflicts() -> None:
    answer = run(Problem(graph_of("J(25)"), closed=True), Propagated(), Limits(work=150))
    assert (answer.status, answer.stopped_by, answer.work["cut_sets"]) == ("unknown", "work", 150)
    assert answer.work["conflicts"] < 150


INTERRUPTED = """
    import signal, sys, threading, os
    from cpsat_tour.core.runs import UNLIMITED, Limits
    from cpsat_tour.spaces.board import Board
    from cpsat_tour.core.runs import Progress
    from cpsat_tour.core.problem import Problem
    from cpsat_tour.engines.registry import load
    from cpsat_tour.tour import Interrupted
    from cpsat_tour.engines.runner import run

    timers = []

    def interrupt(event):
        # Ctrl-C comes a moment after an event of the phase, while the backend is at work.
        if isinstance(event, Progress) and not timers and ({side} > 15 or "cut_sets" in event.work):
            timers.append(threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    try:
        run(Problem(Board({side}).graph, True), load({backend!r}), Limits(), interrupt)
    except Interrupted as stop:
        print(sorted(stop.known.work))
        answer = run(Problem(Board(8, 8).graph, True), load({backend!r}))
        print(answer.status, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        sys.exit(130)
"""


@pytest.mark.parametrize("backend", ["sat", "sat:lazy", "sat:lazy@glucose4"])
@pytest.mark.parametrize("side", [15, 150], ids=["solving", "building"])
def test_ctrl_c_ends_a_run_and_leaves_a_process_that_can_solve(backend: str, side: int) -> None:
    """A run that would take hours ends, and its counters are those at that moment."""
    done = ended(INTERRUPTED.format(backend=backend, side=side))
    assert done.returncode == 130, done.stderr
    known, again = done.stdout.splitlines()
    assert "cut_sets" in known or side == 150
    assert again == "tour True"


def test_ctrl_c_while_a_solver_takes_back_what_it_assigned_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clause that is added makes CaDiCaL tell the propagator so, on the main thread, from C."""

    def interrupted(self: Propagator, level: int) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        taken_back(self, level)

    taken_back = Propagator.on_backtrack
    monkeypatch.setattr(Propagator, "on_backtrack", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(tours("8x8", most=9, backend="sat", closed=True))


FREED = """
    import gc, signal, pysolvers
    from cpsat_tour import solve

    free = pysolvers.cadical195_del

    def freed(*arguments):
        free(*arguments)
        signal.raise_signal(signal.SIGINT)

    pysolvers.cadical195_del = freed
    try:
        solve("8x8", backend="{backend}", closed=True)
    except KeyboardInterrupt:
        gc.collect()
        print("interrupted")
"""


@pytest.mark.parametrize("backend", ["sat", "sat:lazy"])
def test_ctrl_c_while_a_solver_is_freed_frees_it_once(backend: str) -> None:
    done = ended(FREED.format(backend=backend))
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


# --- what the propagator looks at ---


@pytest.mark.parametrize("level", ["cuts", "paths"])
def test_every_level_of_looking_finds_the_tours(level: str) -> None:
    draw = random.Random(1)
    for order in (4, 5, 6, 7, 8, 8, 8):
        edges = [pair for pair in combinations(range(order), 2) if draw.random() < 0.6]
        graph = Graph.from_edges(order, edges)
        found = tours(graph, closed=True, backend="sat", options={"propagation": level})
        assert {tuple(tour.vertices.tolist()) for tour in found} == brute_force(Problem(graph, True))
    snark = solve(graph_of("J(5)"), closed=True, backend="sat", options={"propagation": level})
    assert snark.status == "none"


def test_cut_sets_alone_keep_no_edge_out() -> None:
    """Of a prism's triangle two edges are chosen: the third closes a cycle."""
    problem = to_cycle(Problem(graph_of("GP(3,1)"), True))
    numbering = Numbering(problem, 0)
    triangle = numbering.variables[problem.heads < 3].tolist()
    for prevents, kept_out in ((False, []), (True, [-triangle[2]])):
        watching = Propagator(numbering, prevents=prevents)
        watching.on_new_level()
        for edge in triangle[:2]:
            watching.on_assignment(edge, 0)
        assert watching.propagate() == kept_out


# --- the loop over arcs ---


def test_the_clauses_at_a_hub_are_linear_in_its_degree() -> None:
    assert sum(map(len, exactly_one(1000).blocks)) < 4 * 1000


def test_templates_are_made_for_degrees_that_occur_alone() -> None:
    """The apex of an open tour is beside every vertex: templates of all degrees up to its own took minutes."""
    cycle = to_cycle(Problem(Board(12).graph, False))
    exactly_one.cache_clear()
    deque(one_arc_out_of_and_into_each_vertex(Arcs(cycle)), maxlen=0)
    assert exactly_one.cache_info().currsize == len(np.unique(np.diff(cycle.incidence[0])))


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose4"])
def test_the_solver_and_the_seed_do_not_change_the_tours(solver: str) -> None:
    backend = load(f"sat:arcs@{solver}")
    assert len(list(all_tours(Problem(graph_of("GP(10,2)"), True), backend, Limits(seed=9)))) == 30
    tournament = Graph.from_edges(5, [(u, (u + step) % 5) for u, step in product(range(5), (1, 2))], directed=True)
    assert len(list(all_tours(Problem(tournament, True), backend))) == 2
    # The same arcs and their reverses: K5 as a directed graph, 4! cycles, none of which may use a move and its reverse.
    complete = Graph.from_edges(5, permutations(range(5), 2), directed=True)
    assert len(list(all_tours(Problem(complete, True), backend))) == 24


def test_all_cycles_of_a_wheel_are_listed() -> None:
    """A wheel has as many Hamiltonian cycles as spokes, each through two neighbouring ones."""
    rim = 60
    wheel = Graph.from_edges(rim + 1, [*((v, (v + 1) % rim) for v in range(rim)), *((v, rim) for v in range(rim))])
    assert len(list(all_tours(Problem(wheel, True), load("sat:arcs")))) == rim
