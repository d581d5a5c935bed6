"""A limit is kept, and Ctrl-C answered, while a problem is read or a formulation built. Clocks are the test's own."""

import threading
from collections.abc import Callable, Mapping
from types import SimpleNamespace

import pytest
from click import Context

from cpsat_tour import Answer, Board, Problem, StoppedEarly, prove, solve, tours
from cpsat_tour.cli import options
from cpsat_tour.cli.main import COMMANDS, cli, status
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import Clock, Limits, Run, Watch, run_detached, run_on_thread, second_thread, with_heartbeats
from cpsat_tour.engines.registry import Formulation, load, missing_modules
from cpsat_tour.models.circuit import Circuit
from cpsat_tour.models.drivers import clingo, sat
from cpsat_tour.models.drivers.sat import SatSolver
from cpsat_tour.models.positions import Positions
from cpsat_tour.native.dfs import Dfs

EAGER = ("sat:adder", "sat:onehot", "sat:relative", "sat:elimination")

LINEAR = ("milp:mtz", "milp:flow", "milp:flows", "milp:twoflows", "milp:stages")

SOLVED_BY = {
    **dict.fromkeys(["sat", "sat:lazy", "sat:arcs", *EAGER], "cpsat_tour.models.drivers.sat.SatSolver.solve"),
    **dict.fromkeys(["cpsat", "cpsat:positions", "cpsat:successor"], "cpsat_tour.models.eager_cpsat.solve"),
    "cpsat:lazy": "cpsat_tour.models.drivers.cpsat.solve",
    **dict.fromkeys(["milp", "pb", *LINEAR], "cpsat_tour.models.drivers.linear.Worker.hear"),
    **dict.fromkeys(["asp", "asp:reach"], "cpsat_tour.models.drivers.clingo.answer_sets"),
    "smt": "cpsat_tour.models.drivers.z3.arcs_of_models",
}
"""By which function each formulation asks its solver, when all is built."""


class Looks(Clock):
    """A clock whose time is over from a given look at it on."""

    def __init__(self, allowed: int) -> None:
        super().__init__(None)
        self.allowed = allowed

    @property
    def left(self) -> float:
        """The looks that are left."""
        self.allowed -= 1
        return float(max(0, self.allowed))


def unreachable(*_arguments: object) -> None:
    raise AssertionError("the solver was asked although the time was over before")


@pytest.mark.parametrize("name", SOLVED_BY)
def test_the_clock_is_looked_at_while_a_formulation_is_built(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if absent := missing_modules(name):
        pytest.skip(f"backend {name} needs {', '.join(absent)}")
    monkeypatch.setattr(SOLVED_BY[name], unreachable)
    formulation = load(name)
    assert isinstance(formulation, Formulation)
    run = Run(Limits(), Looks(1), cycle=to_cycle(Problem(Board(40).graph, True)))
    with pytest.raises(StoppedEarly, match="time"):
        next(formulation.cycles(run))


@pytest.mark.parametrize(("many", "worked_over"), [(1, 0), (1 << 23, 1)])
def test_many_clauses_are_neither_simplified_nor_moved_while_nothing_can_stop_it(
    many: int, worked_over: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Mapping[str, int]] = []

    class Recorded(SatSolver):
        def __init__(self, name: str, run: Watch, options: Mapping[str, int]) -> None:
            given.append(options)
            super().__init__(name, run, options)

    monkeypatch.setattr(sat, "SatSolver", Recorded)
    monkeypatch.setattr(sat, "MANY_CLAUSES", many)
    assert solve("6x6", closed=True, backend="sat:elimination").status == "tour"
    assert [(options["inprocessing"], options["arena"]) for options in given] == [(worked_over, worked_over)]


@pytest.mark.parametrize("name", ["sat:elimination", "sat:adder"])
def test_of_many_clauses_the_slices_change_neither_the_search_nor_the_tours(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sat, "MANY_CLAUSES", 1)
    works, lists = [], []
    for conflicts in (1, 100_000):
        monkeypatch.setattr(sat, "MAX_SLICE", conflicts)
        works.append(solve("12x12", closed=True, backend=name).work)
        lists.append({*tours("3x10", closed=True, backend=name)})
    assert works[0] == works[1]
    assert lists[0] == lists[1] == {*tours("3x10", closed=True, backend="edges")}


@pytest.mark.parametrize("counted", [False, True])
def test_the_clock_is_looked_at_while_the_rows_of_a_proof_are_made(
    counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cpsat_tour.proofs.check.rows.Row", unreachable)
    cancel = threading.Event()
    cancel.set()
    found = prove("70x70", closed=True, counted=counted, cancel=cancel)
    assert isinstance(found, Answer)
    assert found.stopped_by == "cancel"


def test_a_grounding_that_takes_long_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(clingo, "_ground", lambda *_arguments: goes_on.wait())
    run = Run(Limits(), Looks(1), cycle=to_cycle(Problem(Board(6).graph, True)))
    with pytest.raises(StoppedEarly, match="time"):
        next(clingo.answer_sets("", "auto", run))
    goes_on.set()


@pytest.mark.parametrize(
    "slow", [f"cpsat_tour.native.{name}" for name in ("paths.Roots.vertices", "orders.Order.tie_order")]
)
def test_a_search_of_a_large_board_that_takes_long_to_prepare_is_left_behind(
    slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(
        slow, property(lambda _: goes_on.wait()) if slow.endswith("vertices") else lambda *_arguments: goes_on.wait()
    )
    monkeypatch.setattr(Limits, "clock", lambda _: Looks(3))
    assert Dfs().solve(Problem(Board(80).graph, True), Limits(seconds=300)).stopped_by == "time"
    goes_on.set()


def test_ctrl_c_while_a_task_is_handed_over_stops_it() -> None:
    """The task is at work, but whoever gave it does not know of it yet."""
    told_to_stop, ended = threading.Event(), threading.Event()

    def task() -> None:
        told_to_stop.wait(300)
        ended.set()

    with second_thread() as thread, pytest.MonkeyPatch.context() as patch:
        hand_over = thread.submit

        def interrupted(task: Callable[[], None]) -> None:
            patch.undo()
            hand_over(task)
            raise KeyboardInterrupt

        patch.setattr(thread, "submit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_on_thread(thread, task, lambda: None, told_to_stop.set)
        assert told_to_stop.is_set()
        assert ended.is_set()


def test_what_an_unstoppable_task_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        run_detached(lambda: 1 // 0, lambda: None)
    assert run_detached(lambda: 7, lambda: None) == 7


@pytest.mark.parametrize(("length", "steps", "heard"), [(10_000, 1, 2), (10, 2000, 5)])
def test_a_long_iteration_calls_the_heartbeat(length: int, steps: int, heard: int) -> None:
    beats: list[None] = []
    assert list(with_heartbeats(range(length), lambda: beats.append(None), steps=steps)) == list(range(length))
    assert len(beats) == heard


def test_a_model_of_positions_calls_the_heartbeat_every_few_vertices() -> None:
    """The positions that a vertex may have are as many as there are vertices."""
    beats: list[None] = []
    Positions().model(to_cycle(Problem(Board(30).graph, True)), 0, lambda: beats.append(None))
    assert len(beats) >= 900 // 4


def test_an_enumeration_that_finds_nothing_is_stopped_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()
    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.solve", lambda *_: stopped.wait(300))
    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.stop_search", lambda _: stopped.set())
    run = Run(Limits(), Looks(2), cycle=to_cycle(Problem(Board(6).graph, True)), every=True)
    with pytest.raises(StoppedEarly, match="time"):
        next(Circuit().cycles(run))
    assert stopped.is_set()


COMMAND = {name: command for name in COMMANDS if (command := cli.get_command(Context(cli), name))}

PARAMETERS = {name: [option.name for option in command.params] for name, command in COMMAND.items()}

READERS = [name for name, given in PARAMETERS.items() if "folder" not in given and {"board", "time_limit"} <= {*given}]
"""The commands that are about a problem, read first, and have a time limit."""


@pytest.mark.parametrize("name", READERS)
def test_the_time_that_a_problem_takes_to_be_read_is_off_the_limit(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    read_problem = options.read_problem

    def read_for_six_seconds(args: SimpleNamespace) -> Problem:
        nonlocal now
        now += 6.0
        return read_problem(args)

    monkeypatch.setattr(options, "read_problem", read_for_six_seconds)
    monkeypatch.setattr("cpsat_tour.core.runs.time", SimpleNamespace(perf_counter=lambda: now))
    sought = {"best": ["--closed", "--minimize", "turns"], "decompose": ["--most"]}.get(name, ["--closed"])
    assert status([name, "5x6", "--time-limit", "6", *sought]) == 3
    assert "time" in "".join(capsys.readouterr())


def test_a_file_that_takes_long_to_read_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(options, "graph_of", lambda *_: goes_on.wait(300))
    monkeypatch.setattr(Limits, "clock", lambda _: Looks(2))
    assert status(["solve", "large.edge", "--time-limit", "300"]) == 3
    assert capsys.readouterr().err == "Stopped at the time limit, while the problem was read.\n"
    goes_on.set()
