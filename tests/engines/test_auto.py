"""The portfolio: the turns of its parts, parts that crash, hang, lie or claim, limits, and that no process is left."""

import os
import signal
import subprocess
import sys
from collections import Counter
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from cpsat_tour import BackendFault, Graph, Problem, graph_of, run
from cpsat_tour.cli.main import status
from cpsat_tour.core.runs import Clock, Event, Limits, PartAtWork, PartOut, ProblemSimplified
from cpsat_tour.engines.auto import Auto, largest_piece, plan_key
from cpsat_tour.engines.plans import CLAIMED, DEGREES, PLANS, Opening, Plan, Share
from cpsat_tour.engines.portfolio import Member, Scheduler, Task, next_members, run_portfolio
from cpsat_tour.engines.registry import Backend, names
from cpsat_tour.tour import Answer, Interrupted

SNARK = Problem(graph_of("GP(11,2)"), closed=True)
DODECAHEDRON = Problem(graph_of("GP(10,2)"), closed=True)
"""Problems without and with a tour, whose answers no opening of these tests gives."""

PART = "py:broken_backends"


@pytest.fixture(autouse=True)
def parts_can_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts' processes find the module `broken_backends`."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "support"))


def asked(*parts: str, problem: Problem = SNARK, limits: Limits | None = None) -> tuple[Answer, list[Event]]:
    """Return the answer of auto with these parts, and its events."""
    events: list[Event] = []
    spec = ",".join(part if part in names() else f"{PART}:{part}" for part in parts)
    return run(problem, Auto(spec), limits or Limits(seconds=300), events.append), events


def out(events: list[Event]) -> dict[str, str]:
    """Return for each part that was dropped the reason."""
    return {event.part.rpartition(":")[2]: event.why for event in events if isinstance(event, PartOut)}


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("Crashes", "its process ended with signal SIGABRT: assertion failed in propagate.cc"),
        ("Raises", "ZeroDivisionError: a tour of no squares"),
        ("Exits", "SystemExit: no licence"),
        ("WrongTour", f"backend {PART}:WrongTour returned a wrong tour: move "),
        ("Claims", CLAIMED),
        ("FalseNone", CLAIMED),
        ("GivesUp", "it met its limit: work"),
        ("Chatters", "it sent what is not a message"),
    ],
)
def test_a_faulty_part_is_dropped_and_the_next_one_answers(part: str, why: str) -> None:
    answer, events = asked(part, "Patient", problem=DODECAHEDRON)
    assert answer.tour is not None
    assert answer.backend == "auto"
    assert why in out(events)[part]


def test_only_a_wrong_tour_is_reported_where_nobody_listens(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", "GP(10,2)", "--closed", "-O", f"parts={PART}:WrongTour,{PART}:Claims,{PART}:Patient"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if " is out" in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"{PART}:WrongTour is out: backend {PART}:WrongTour returned a wrong tour: move ")


def test_the_message_at_the_time_limit_mentions_an_unproved_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is over when the claim has come."""
    clock = Clock(None)
    monkeypatch.setattr(Limits, "clock", lambda _: clock)

    def end_time(event: Event) -> None:
        if isinstance(event, PartOut):
            clock.limit = 0.0

    answer = run(SNARK, Auto(f"{PART}:Claims,{PART}:Deaf"), Limits(seconds=300), end_time)
    assert answer.stopped_by == (
        f"time; {PART}:Claims claims that there is no tour, and gives no reason that can be checked"
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_a_hanging_part_takes_only_its_own_turns(threads: int) -> None:
    answer, events = asked("Deaf", "dfs", limits=Limits(seconds=300, threads=threads))
    assert answer.status == "none"
    turns = [event.part.rpartition(":")[2] for event in events if isinstance(event, PartAtWork)]
    assert turns[0] == "Deaf"
    assert "dfs" in turns


def test_turns_follow_the_shares() -> None:
    members = [Member(Share(part, share)) for part, share in (("edges", 3), ("frontier", 2), ("rotations", 1))]
    for threads in (1, 2):
        for _ in range(60):
            for member in next_members(members, threads):
                member.used += 1.0 / threads
    assert [member.used for member in members] == pytest.approx([60, 40, 20], abs=3)


def test_parts_that_are_slow_to_load_let_others_go_first() -> None:
    slow, quick = Member(Share("cpsat")), Member(Share("sat", 5))
    turns = []
    while slow not in turns:
        turns += next_members([slow, quick], 1)
        turns[-1].used += 0.25
    assert turns == [*[quick] * 6, slow], "what it owes is to its share as a second and a half to five"


class Unloaded(Member):
    """A part without a process; that named ``sat`` can't be loaded. ``signals`` are those that it would get."""

    signals: tuple[int, ...] = ()

    def resume(self, *_: object) -> None:
        if self.name == "sat":
            raise ImportError("no licence")

    def send_signal(self, number: int) -> None:
        self.signals += (number,)


def test_a_part_that_cannot_be_loaded_does_not_leave_the_one_beside_it_at_work() -> None:
    ours, theirs = Pipe()
    scheduler = Scheduler(Task(SNARK, (), Limits(), 2, Counter()), theirs)
    quick, broken = Unloaded(Share("dfs")), Unloaded(Share("sat"))
    scheduler.members, begun = [quick, broken], quick.used
    assert scheduler._give_turn([quick, broken]) is None
    assert scheduler.members == [quick]
    assert quick.used > begun
    assert quick.signals == (signal.SIGSTOP,)
    assert [ours.recv() for _ in range(3)][-1] == PartOut("sat", "ImportError: no licence", fault=True)


def test_the_answer_is_unknown_if_every_part_is_dropped() -> None:
    answer, events = asked("Crashes", "Claims")
    assert (answer.status, answer.stopped_by) == (
        "unknown",
        f"every part is out: {PART}:Crashes: {out(events)['Crashes']}; {PART}:Claims: {CLAIMED}",
    )
    assert len(out(events)) == 2


def test_after_a_claim_parts_that_never_refute_are_dropped() -> None:
    """The rotations never refute; after a claim their turns would be lost."""
    _, events = asked("rotations", "Claims")
    assert "claims that there is no tour" in out(events)["rotations"]


def test_a_limit_on_time_ends_parts_that_hang_and_leaves_no_process() -> None:
    answer, _ = asked("Deaf", limits=Limits(seconds=1))
    assert (answer.status, answer.stopped_by) == ("unknown", "time")
    assert all_gone(os.getpid())


def test_ctrl_c_leaves_no_process() -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, PartAtWork):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        run(SNARK, Auto(f"{PART}:Deaf"), Limits(seconds=300), interrupt)
    assert all_gone(os.getpid())


def schedulers_of(parent: int) -> list[str]:
    """The processes of portfolios of this parent."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in listed if line.endswith(f"cpsat_tour.engines.portfolio {parent}")]


def all_gone(parent: int) -> bool:
    """Return True once the parent has no scheduler left; False if some remain after 200 looks."""
    return any(not schedulers_of(parent) for _ in range(200))


@pytest.mark.skipif(
    sys.platform != "linux", reason="the kernel ends the children of a process that was killed on Linux alone"
)
def test_when_the_program_is_killed_the_parts_end_too() -> None:
    script = (
        "from test_auto import SNARK, Auto, Limits, run\n"
        "run(SNARK, Auto('py:broken_backends:Deaf'), Limits(seconds=300), lambda event: print(event, flush=True))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    ) as program:
        try:
            assert program.stdout is not None
            # An opening is at work before there is a scheduler.
            assert any("PartAtWork" in line and "Deaf" in line for line in program.stdout)
            assert schedulers_of(program.pid)
        finally:
            program.kill()
    assert all_gone(program.pid)


def test_the_openings_answer_boards_and_small_graphs_in_this_process() -> None:
    without = ("4x4", "3x8", "GP(5,2)")
    for space in ("8x8", "5x6", "4x4x3", "GP(10,2)", "cubic(200,1)", *without):
        turns: list[Event] = []
        answer = run(Problem(graph_of(space), closed=True), Auto(), Limits(), turns.append)
        assert answer.status == ("none" if space in without else "tour"), space
        assert sum(isinstance(event, PartAtWork) for event in turns) <= len(
            PLANS[plan_key(Problem(graph_of(space), closed=True))].openings
        )


def test_parts_are_named() -> None:
    assert {share.part for share in Auto("edges,sat").plan(SNARK).shares} == {"edges", "sat"}
    assert [opening.part for opening in Auto("edges,sat,proof,frontier").plan(SNARK).openings] == [
        *("proof", "sat", "proof", "frontier", "proof", "edges")
    ]


def test_every_plan_names_backends_that_there_are_and_can_refute() -> None:
    for name, plan in PLANS.items():
        assert {share.part.partition("@")[0] for share in plan.shares} <= set(names())
        assert any(share.refutes for share in plan.shares), name
        assert {opening.part for opening in plan.openings} <= {share.part for share in plan.shares}


def test_a_scheduler_that_dies_is_a_fault_of_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BackendFault, match="the process of auto's parts ended with status 1"):
        asked("Claims")


def all_edges_but_one(name: str) -> list[tuple[int, int]]:
    """The edges of a member of a family, but for that between vertices 0 and 1."""
    tails, heads = graph_of(name).edges()
    return [edge for edge in zip(tails.tolist(), heads.tolist(), strict=True) if edge != (0, 1)]


def two_petersen_graphs() -> Problem:
    """Two Petersen graphs, each less an edge, joined by two edges: each half has to have a cycle through the edge that
    is gone."""
    edges = all_edges_but_one("Petersen")
    return Problem(Graph.from_edges(20, [*edges, *((a + 10, b + 10) for a, b in edges), (0, 10), (1, 11)]), closed=True)


@pytest.mark.parametrize(("parts", "kind"), [("edges", "exhausted"), ("frontier", "exhausted"), ("proof", "clausal")])
def test_a_piece_without_a_tour_refutes_the_whole(parts: str, kind: str) -> None:
    """Its reason names the piece; its certificate, which would be of the piece, is not passed for one of the whole."""
    answer = run(two_petersen_graphs(), Auto(parts), Limits(seconds=300))
    assert answer.refutation is not None
    assert (answer.refutation.kind, answer.refutation.certificate) == (kind, None)
    assert answer.refutation.reason.startswith("only two moves join the 10 vertices about")


def ring_of_dodecahedra(copies: int) -> Problem:
    """Dodecahedra less an edge each, from one to the next an edge."""
    ring = [(20 * copy + a, 20 * copy + b) for copy in range(copies) for a, b in all_edges_but_one("GP(10,2)")]
    ring += [(20 * copy + 1, 20 * (copy + 1) % (20 * copies)) for copy in range(copies)]
    return Problem(Graph.from_edges(20 * copies, ring), closed=True)


def test_pieces_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every piece is asked on its own, and events name vertices of the whole; of copies the part that answered the
    first goes first. No opening has a limit of seconds here."""
    monkeypatch.setitem(PLANS, "sparse", Plan((DEGREES, Opening("sat", 100)), (Share("sat"), Share("proof"))))
    copies = 4
    events: list[Event] = []
    assert run(ring_of_dodecahedra(copies), Auto(), Limits(), events.append).tour is not None
    assert [event.parts for event in events if isinstance(event, ProblemSimplified)] == [copies]
    assert [event.part for event in events if isinstance(event, PartAtWork)] == ["proof", *["sat"] * copies]


@pytest.mark.parametrize("problem", [SNARK, ring_of_dodecahedra(2)])
@pytest.mark.parametrize("stop", ["time", "interrupt"])
def test_a_stopped_run_took_as_long_as_people_waited(
    problem: Problem, stop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The minute in its only opening counts."""
    now = [0.0]

    def work_for_a_minute(*_arguments: object) -> Answer:
        now[0] += 60.0
        if stop == "interrupt":
            raise KeyboardInterrupt
        return Answer.stopped(stop)

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr("cpsat_tour.engines.auto.run", work_for_a_minute)
    try:
        answer = run(problem, Auto(), Limits(seconds=50))
    except Interrupted as interrupted:
        answer = interrupted.known
    assert (answer.stopped_by, answer.seconds) == (stop, 60.0)


@pytest.mark.parametrize("name", ["WrongTour", "TooShort"])
def test_a_wrong_answer_for_a_piece_is_a_fault_and_no_traceback(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is for the whole: a part that opens answers in this process, where no scheduler verifies its tour."""
    part = f"{PART}:{name}"
    monkeypatch.setitem(PLANS, "sparse", Plan((Opening(part, 1000),), (Share(part),)))
    with pytest.raises(BackendFault, match=f"backend {part} returned a wrong tour: .* is not a move here"):
        run(ring_of_dodecahedra(2), Auto(), Limits(seconds=300))


@pytest.mark.parametrize("graph", ["GP(7,2)", "GP(11,2)"])
def test_the_same_question_has_the_same_answer_however_often_it_is_asked(graph: str) -> None:
    problem, seen = Problem(graph_of(graph), closed=True), []
    for _ in range(12):
        events: list[Event] = []
        answer = run(problem, Auto(), Limits(), events.append)
        assert answer.refutation is None or answer.refutation.kind != "claimed"
        parts = [event.part for event in events if isinstance(event, PartAtWork)]
        seen.append((str(answer.tour and answer.tour.names), str(answer.refutation), dict(answer.work), parts))
    assert seen == [seen[0]] * len(seen)


@pytest.mark.parametrize("copies", [1, 3])
def test_a_limit_on_work_holds_for_all_turns_of_a_part(copies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For openings, at every piece, and then for a member of the portfolio, which tells its work."""
    openings = [Opening(part, work) for work in (8, 20, 20) for part in ("sat:arcs", "edges")]
    monkeypatch.setitem(PLANS, "sparse", Plan(tuple(openings), (Share("edges"), Share("sat:arcs"))))
    done = Counter[str]()
    members: list[Counter[str]] = []

    def recorded(problem: Problem, backend: Backend, *others: Any) -> Answer:
        answer = run(problem, backend, *others)
        unit = getattr(backend, "unit", "")
        done[unit] += answer.work[unit]
        return answer

    def recorded_portfolio(*arguments: Any) -> Answer:
        members.append(arguments[-1])
        return run_portfolio(*arguments)

    monkeypatch.setattr("cpsat_tour.engines.auto.run", recorded)
    monkeypatch.setattr("cpsat_tour.engines.portfolio.run_portfolio", recorded_portfolio)
    problem = Problem(graph_of("GP(17,2)"), closed=True) if copies == 1 else ring_of_dodecahedra(copies)
    answer = run(problem, Auto(), Limits(work=30))
    assert max(done.values()) <= 40
    assert answer.unknown == (copies == 1)
    assert [*map(dict, members)] == [{"edges": 30, "sat:arcs": done["conflicts"]}] * (copies == 1)


def test_graphs_are_classified_as_sparse_or_dense() -> None:
    kinds = {
        name: plan_key(Problem(graph_of(name), closed=True))
        for name in ("J(25)", "GP(995,2)", "Horton", "cubic(1000,1)", "Kneser(9,3)", "Kneser(11,4)")
    }
    assert kinds == {
        **dict.fromkeys(["J(25)", "GP(995,2)", "Horton", "cubic(1000,1)"], "sparse"),
        **dict.fromkeys(["Kneser(9,3)", "Kneser(11,4)"], "dense"),
    }


def test_a_graph_is_of_the_kind_of_its_largest_piece() -> None:
    """Gadgets and a dodecahedron, each less an edge, joined by two edges; open tours are not asked about by pieces."""
    tails, heads = graph_of("gadgets(8,1)").edges()
    (a, b), *gadgets = zip(tails.tolist(), heads.tolist(), strict=True)
    other = [(168 + tail, 168 + head) for tail, head in all_edges_but_one("GP(10,2)")]
    problem = Problem(Graph.from_edges(188, [*gadgets, *other, (a, 168), (b, 169)]), closed=True)
    piece = largest_piece(problem, Limits())
    assert 20 < piece.graph.order < 168
    assert (plan_key(problem), plan_key(piece)) == ("sparse", "paired")
    for whole in (Problem(problem.graph, False), Problem(graph_of("6x6"), True), Problem(graph_of("Z(5,3)"), True)):
        assert largest_piece(whole, Limits()) is whole


def test_after_a_claim_only_parts_that_refute_are_asked() -> None:
    turns: list[Event] = []
    answer = run(SNARK, Auto("sat,frontier,edges"), Limits(), turns.append)
    assert answer.refutation is not None
    assert answer.refutation.kind == "exhausted"
    assert [event.part for event in turns if isinstance(event, PartAtWork)] == ["sat", "frontier"]
