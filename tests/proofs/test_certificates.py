"""Certificates as they are written: each is accepted by the checker and by the tests' own judge, and there is one
exactly where no tour is."""

from __future__ import annotations

import json
import os
import random
import re
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from brute_force import brute_force
from certificate_judge import lrat_refutes, normal, polish, proves, read
from pysat.solvers import Solver
from veripb_grammar import check_formula, check_proof

from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import Event
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write import clauses, definitions
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.dialects import Lemma
from cpsat_tour.proofs.write.hints import trim_with_hints
from cpsat_tour.proofs.write.prove import Method, prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.theorems import has_tour


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _file: None)


def joined(hubs: int, others: int) -> Graph:
    """Hubs joined to each other, and each of the others to the hubs alone."""
    return Graph.from_edges(
        hubs + others, [(hub, other) for hub in range(hubs) for other in range(hub + 1, hubs + others)]
    )


def complete_bipartite(one: int, other: int) -> Graph:
    return Graph.from_edges(one + other, [(a, one + b) for a in range(one) for b in range(other)])


def coxeter() -> Graph:
    """The 28 triples out of seven points that are no line of the Fano plane, joined where they are disjoint."""
    lines = [{point, (point + 1) % 7, (point + 3) % 7} for point in range(7)]
    triples = [set(triple) for triple in combinations(range(7), 3) if set(triple) not in lines]
    return Graph.from_edges(28, [(a, b) for a, b in combinations(range(28), 2) if not triples[a] & triples[b]])


PETERSEN = Member.parse("GP(5,2)").graph


def certified(problem: Problem, folder: Path, method: Method = "auto") -> Certificate:
    """The certificate of a problem, written and accepted by the checker."""
    certificate = prove(problem, method)
    assert isinstance(certificate, Certificate)
    certificate.write(folder, force=True)
    verdict = check(folder)
    assert verdict.valid, verdict.fault
    return certificate


def judged(folder: Path) -> bool:
    """The opinion of the tests' own judge."""
    description = json.loads((folder / "certificate.json").read_text())
    return proves(description, *((folder / name).read_text().splitlines() for name in ("problem.opb", "proof.pbp")))


def problem_of(
    where: Board | Graph, *, closed: bool = True, start: int | None = None, end: int | None = None
) -> Problem:
    return Problem(where.graph if isinstance(where, Board) else where, closed, start, end)


# --- a certificate exactly where there is no tour ---


def decided(problem: Problem, method: Method, folder: Path) -> None:
    outcome = prove(problem, method)
    tours = brute_force(problem)
    if isinstance(outcome, Certificate):
        assert not tours
        outcome.write(folder, force=True)
        verdict = check(folder)
        assert verdict.valid, verdict.fault
    elif outcome.status == "tour":
        assert outcome.tour is not None
        assert tuple(outcome.tour.vertices.tolist()) in tours
    else:
        assert (outcome.status, method) == ("unknown", "lp")


@pytest.mark.parametrize("method", ["auto", "sat"])
def test_every_graph_of_at_most_four_vertices(method: Method, tmp_path: Path) -> None:
    for order in range(5):
        pairs = list(combinations(range(order), 2))
        for chosen in range(1 << len(pairs)):
            graph = Graph.from_edges(order, [pair for bit, pair in enumerate(pairs) if chosen >> bit & 1])
            for closed in (True, False):
                decided(Problem(graph, closed), method, tmp_path)


@pytest.mark.parametrize("max_with_triples", [clauses.MAX_WITH_TRIPLES, 3])
def test_random_problems_with_ends_and_moves(
    max_with_triples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clauses, "MAX_WITH_TRIPLES", max_with_triples)
    rng = random.Random(max_with_triples)
    for _ in range(60):
        order = rng.randint(1, 7)
        edges = [edge for edge in combinations(range(order), 2) if rng.random() < rng.choice([0.4, 0.6, 0.9])]
        closed = rng.random() < 0.5
        start = rng.randrange(order) if rng.random() < 0.5 else None
        end = rng.randrange(order) if rng.random() < 0.5 and not (closed and start is None) else None
        require, forbid = (tuple(rng.sample(edges, min(len(edges), rng.choice([0, 0, 1, 2])))) for _ in range(2))
        problem = Problem(Graph.from_edges(order, edges), closed, start, end, require, forbid)
        for method in ("auto", "lp", "sat"):
            decided(problem, method, tmp_path)


@pytest.mark.parametrize("method", ["auto", "sat"])
@pytest.mark.parametrize(
    "problem",
    [
        problem_of(Board(4, leaper=(1, 3))),
        problem_of(Board(8, leaper=(1, 3))),
        problem_of(Board(8, leaper=(1, 3)), closed=False),
        problem_of(Board(5), closed=False, start=0, end=0),
        problem_of(Board(5), start=0, end=0),
        problem_of(Board(2, 1), closed=False, start=1, end=1),
        problem_of(Board(1, 1), start=0, end=0),
        problem_of(Graph.from_edges(0, [])),
        problem_of(Graph.from_edges(0, []), closed=False),
        problem_of(Graph.from_edges(2, [(0, 1)]), closed=True),
    ],
    ids=[
        "4x4 in parts",
        "two colours apart",
        "open",
        "one end",
        "closed, one end",
        "two squares",
        "one square",
        "nothing",
        "nothing, open",
        "two vertices",
    ],
)
def test_what_is_plain_has_a_certificate_too(problem: Problem, method: Method, tmp_path: Path) -> None:
    if method == "auto" or problem.closed or problem.graph.order < 30:
        certified(problem, tmp_path, method)
        assert judged(tmp_path)


@pytest.mark.parametrize("closed", [True, False])
def test_every_rectangle_without_a_tour_up_to_twelve(closed: bool, tmp_path: Path) -> None:
    for rows in range(1, 13):
        for cols in range(rows, 13):
            if has_tour(Board(rows, cols), closed=closed) is False:
                certificate = certified(problem_of(Board(rows, cols), closed=closed), tmp_path)
                assert certificate.method == "lp"
                assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 200_000


@pytest.mark.parametrize("cols", [20, 50, 100, 200])
def test_four_rows_of_any_length(cols: int, tmp_path: Path) -> None:
    certificate = certified(problem_of(Board(4, cols)), tmp_path)
    assert isinstance(certificate.proof, Combination)
    assert certificate.proof.terms == 2 * cols + 1
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 700 * 4 * cols


@pytest.mark.slow
def test_eight_by_eight_less_any_two_squares(tmp_path: Path) -> None:
    for holes in combinations(range(64), 2):
        outcome = prove(problem_of(Board(8, 8, holes)))
        if isinstance(outcome, Certificate):
            outcome.write(tmp_path, force=True)
            assert check(tmp_path).valid, holes
        else:
            assert outcome.status == "tour"


@pytest.mark.slow
@pytest.mark.parametrize(("leaper", "first"), [((1, 4), 10), ((2, 3), 10), ((3, 4), 14), ((2, 5), 14)])
def test_the_first_squares_with_closed_tours_of_other_leapers(
    leaper: tuple[int, int], first: int, tmp_path: Path
) -> None:
    """Beluhov 2017: a square of side 2(r + s) has one; no smaller one does, each with a certificate that is checked."""
    for side in range(2, first):
        outcome = prove(problem_of(Board(side, leaper=leaper)))
        assert isinstance(outcome, Certificate), side
        outcome.write(tmp_path / str(side))
        assert check(tmp_path / str(side)).valid, side
    found = prove(problem_of(Board(first, leaper=leaper)))
    assert isinstance(found, Answer)
    assert found.tour is not None


@pytest.mark.parametrize(
    ("graph", "method"),
    [
        (PETERSEN, "clausal"),
        (Member.parse("GP(11,2)").graph, "clausal"),
        (Member.parse("GP(17,2)").graph, "clausal"),
        (Member.parse("GP(23,2)").graph, "clausal"),
        (coxeter(), "clausal"),
        (complete_bipartite(2, 3), "lp"),
        (complete_bipartite(7, 8), "lp"),
    ],
)
def test_graphs_without_a_hamiltonian_cycle(graph: Graph, method: str, tmp_path: Path) -> None:
    assert certified(problem_of(graph), tmp_path).method == method


def test_a_small_piece_is_refuted_within_a_large_sparse_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Petersen graph, one edge of which is a long cycle with chords: few cut sets, and no linear program."""
    monkeypatch.setattr("cpsat_tour.proofs.write.subtour_lp.ask_program", None)
    tails, heads = (ends.tolist() for ends in PETERSEN.edges())
    path, chords = [0, *range(10, 4010), 1], random.Random(1).sample(range(12, 4008), 3996)
    edges = [*zip(tails[1:], heads[1:], strict=True), *pairwise(path), *zip(chords[::2], chords[1::2], strict=True)]
    certificate = prove(Problem(Graph.from_edges(4010, edges), True))
    assert isinstance(certificate, Certificate)
    assert len(certificate.cut_sets) < 50
    assert certificate.check().valid


@pytest.mark.parametrize("count", [4, 5, 9])
def test_prefixes_and_suffixes_say_that_exactly_two_are_true(count: int) -> None:
    """Each step that is a sum is its clause; and of all assignments those that meet the clauses have two true
    literals."""
    literals = list(range(1, count + 1))
    live = {
        1: normal([(1, literal) for literal in literals], 2),
        2: normal([(-1, literal) for literal in literals], -2),
    }
    given = []
    for number, step in enumerate(definitions.prefixes_and_suffixes(literals, 2, count, 2), start=3):
        tokens = [step.rule, *step.words[0].split()]
        if step.clause is not None:
            given.append(step.clause)
            live[number] = normal([(1, literal) for literal in step.clause], 1)
        if tokens[0] == "red":
            live[number] = read(tokens[1:])
        if tokens[0] == "pol":
            assert polish(tokens[1:], live) == live[number]
    for chosen in range(1 << count):
        fixed = [(literal if chosen >> literal - 1 & 1 else -literal) for literal in literals]
        assert Solver("cadical195", bootstrap_with=given).solve(assumptions=fixed) == (chosen.bit_count() == 2)


def test_hints_of_a_solver_s_proof() -> None:
    """A literal that holds for good is a clause of its own, what is not needed is left out; and what a solver may not
    say."""
    given = [(1, 2), (1, -2), (-1, 3), (-3, 4, 5), (-3, 4, -5), (-3, -4, 6), (-3, -4, -6), (7, 8)]
    assert trim_with_hints(given, ["7 8 1 0", "1 0", "d 1 2 0", "d 1 0", "4 0", "0"]) == (
        Lemma((1,), (2, 1)),
        Lemma((3,), (9, 3)),
        Lemma((4,), (10, 5, 4)),
        Lemma((), (11, 10, 7, 6)),
    )
    assert trim_with_hints([(1,), (), (2,)], []) == (Lemma((), (2,)),)
    assert trim_with_hints([(1,), (-1,)], []) == (Lemma((), (1, 2)),)
    for drup, wrong in ((["5 0"], "does not follow"), ([], "does not end"), (["0"], "does not follow")):
        with pytest.raises(BackendFault, match=wrong):
            trim_with_hints([(1, 2), (5, 6)], drup)


# --- what is written ---


@pytest.mark.parametrize(
    "problem",
    [
        problem_of(Board(5, 5)),
        problem_of(Board(3, 8)),
        problem_of(Board(4, 4), closed=False),
        problem_of(Board(1, 1)),
        problem_of(Board(2, 6), closed=False),
        problem_of(PETERSEN),
        problem_of(PETERSEN, closed=False, start=0, end=1),
        Problem(Board(5, 6).graph, True, start=0, end=1),
        Problem(PETERSEN, False, require=((0, 1),), forbid=((0, 1), (2, 3))),
    ],
    ids=[
        "5x5",
        "3x8",
        "open 4x4",
        "1x1",
        "open 2x6",
        "Petersen",
        "Petersen from 0 to 1",
        "no closing move",
        "required and forbidden",
    ],
)
def test_the_judge_agrees(problem: Problem, tmp_path: Path) -> None:
    certified(problem, tmp_path)
    assert judged(tmp_path)
    lines = (tmp_path / "proof.pbp").read_text().splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith(("pol", "rup")))
    del lines[place]
    (tmp_path / "proof.pbp").write_text("\n".join(lines))
    assert not check(tmp_path).valid


def test_the_files_of_the_smallest_board(tmp_path: Path) -> None:
    certified(problem_of(Board(1, 2)), tmp_path / "made")
    written = {path.name: path.read_text() for path in (tmp_path / "made").iterdir()}
    assert set(written) == {"problem.opb", "proof.pbp", "variables.txt", "certificate.json", "why.txt", "why.svg"}
    assert written["problem.opb"].splitlines() == [
        "* #variable= 1 #constraint= 2",
        "* two edges at a1",
        "+0 x1 = 2 ;",
        "* two edges at b1",
        "+0 x1 = 2 ;",
    ]
    assert written["proof.pbp"].splitlines() == [
        "pseudo-Boolean proof version 3.0",
        "f 4 ;",
        "pol 1 ;",
        "output NONE ;",
        "conclusion UNSAT : 5 ;",
        "end pseudo-Boolean proof ;",
    ]
    assert written["why.txt"].startswith("There is no closed tour of the 1x2 board.\n\nSquare a1 has no move.\n")


@pytest.mark.parametrize("graph", [PETERSEN, complete_bipartite(2, 3)], ids=["clausal", "linear"])
def test_two_dialects_of_one_proof(graph: Graph, tmp_path: Path) -> None:
    """3.0 is read by the checker and has the published grammar; 1.2 has the same steps without hints."""
    certificate = prove(problem_of(graph, closed=False, start=0, end=1) if graph is PETERSEN else problem_of(graph))
    assert isinstance(certificate, Certificate)
    certificate.write(tmp_path, version="1.2")
    assert check(tmp_path).valid
    assert judged(tmp_path)
    new, old = ((tmp_path / name).read_text().splitlines() for name in ("proof.pbp", "proof-1.2.pbp"))
    check_proof("\n".join(new) + "\n")
    check_formula((tmp_path / "problem.opb").read_text())
    assert [line.split(" ;")[0] for line in old[1:-1]] == [re.split(" [;:]", line)[0] for line in new[1:-3]]
    assert len(old) == len(new) - 2
    assert (old[0], old[-1]) == ("pseudo-Boolean proof version 1.2", f"c {new[-2].split()[-2]}")


def test_a_vertex_may_be_called_apex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "g.txt").write_text("apex b\nb c\nc apex\nd e\ne f\nf d\n")
    assert status(["prove", str(tmp_path / "g.txt"), "--quiet", "-o", str(tmp_path / "proof")]) == 0
    assert "f-apex'" in (tmp_path / "proof" / "variables.txt").read_text()
    (tmp_path / "h.txt").write_text("apex b\nb apex'\nc b\n")
    for more in ([], ["--method", "sat"]):
        folder = str(tmp_path / f"star{len(more)}")
        assert status(["prove", str(tmp_path / "h.txt"), "--start", "apex", *more, "--quiet", "-o", folder]) == 0
        assert status(["check", folder, str(tmp_path / "h.txt"), "--start", "apex"]) == 0
    capsys.readouterr()


def test_halves_are_written_as_halves_and_doubled_in_the_proof(tmp_path: Path) -> None:
    certified(problem_of(Board(3, 8)), tmp_path)
    assert "1/2 x (the edges at v are 2)" in (tmp_path / "why.txt").read_text()
    (line,) = [line for line in (tmp_path / "proof.pbp").read_text().splitlines() if line.startswith("pol")]
    assert line.split().count("*") > 2


def test_the_drup_lines_are_implied_by_the_clauses(tmp_path: Path) -> None:
    """Reverse unit propagation as drat-trim does it, over problem.cnf and proof.drup, slowly."""
    certified(problem_of(PETERSEN), tmp_path)
    given = [line.split() for line in (tmp_path / "problem.cnf").read_text().splitlines() if not line.startswith("c")]
    known = [frozenset(map(int, words[:-1])) for words in given[1:]]
    assert given[0] == ["p", "cnf", "15", str(len(known))]
    for line in (tmp_path / "proof.drup").read_text().splitlines():
        words = line.split()
        if words[0] == "d":
            known.remove(frozenset(map(int, words[1:-1])))
            continue
        clause = frozenset(map(int, words[:-1]))
        assert conflict(known, {-literal for literal in clause}), line
        known.append(clause)
    assert known[-1] == frozenset()


def test_the_lrat_lines_say_from_which_clauses_each_follows(tmp_path: Path) -> None:
    """By a reader of the tests' own, which refuses each change of a hint that leaves out what is needed."""
    problems = [
        problem_of(PETERSEN),
        problem_of(Member.parse("GP(17,2)").graph, closed=False, start=0, end=1),
    ]
    for number, problem in enumerate(problems):
        folder = tmp_path / str(number)
        certified(problem, folder, "sat")
        cnf, lrat = ((folder / name).read_text().splitlines() for name in ("problem.cnf", "proof.lrat"))
        assert lrat_refutes(cnf, lrat)
        assert not lrat_refutes(cnf, lrat[:-1])
        first, *hints = lrat[0].split(" 0 ")
        assert not lrat_refutes(cnf, [f"{first} 0 {' '.join(hints[0].split()[1:])}", *lrat[1:]])


def conflict(known: list[frozenset[int]], true: set[int]) -> bool:
    """Whether propagation from these literals falsifies a clause."""
    changed = True
    while changed:
        changed = False
        for clause in known:
            rest = [literal for literal in clause if -literal not in true]
            if not rest:
                return True
            if len(rest) == 1 and rest[0] not in true:
                true.add(rest[0])
                changed = True
    return False


def test_pictures_are_well_formed_and_have_a_legend(tmp_path: Path) -> None:
    certified(problem_of(Board(3, 8)), tmp_path / "board")
    root = ET.fromstring((tmp_path / "board" / "why.svg").read_text())
    space = "{http://www.w3.org/2000/svg}"
    layers = {layer.get("class"): layer for layer in root.iter(f"{space}g")}
    assert {"squares", "plus", "minus", "bounds", "cut-sets", "multipliers"} <= set(layers)
    assert len(layers["multipliers"]) == 12
    assert len(layers["cut-sets"]) == 3
    assert len(layers["bounds"]) == 4
    # Added, taken away, at most once, and three shores.
    assert len(layers["legend"]) == len(layers["legend words"]) == 6
    certified(problem_of(PETERSEN), tmp_path / "graph")
    assert 'class="edges"' in (tmp_path / "graph" / "why.svg").read_text()


# --- why, in words ---


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (
            problem_of(Board(5, 5)),
            "the 25 squares are 13 dark and 12 light: a closed tour visits as many of the one as of the other",
        ),
        (problem_of(Board(3, 3)), "square b2 has no move"),
        (problem_of(Board(2, 3)), "square b2 has no move"),
        (problem_of(Board(2, 5)), "square a2 has only the move a2-c1, and a tour comes and goes"),
        (problem_of(Board(4, 6)), "squares of the outer rows touch only the 6"),
        (
            problem_of(Board(6, 4)),
            "squares of the inner files: the 12 moves of a closed tour at the former use up the latter",
        ),
        (
            problem_of(Board(4, 4), closed=False),
            "fall into 6 parts or more, 4 of them one square each, and an open tour into at most 5 pieces",
        ),
        (problem_of(Board(3, 6)), "the moves of a closed tour have 12 ends at"),
        (problem_of(Board(3, 8)), "12 degree rows and 3 cut sets say that 0 is at least 1"),
        (
            problem_of(Board(8, 8, ["a1", "h8"]), closed=False),
            "32 light and 30 dark: in an open tour these numbers differ by at most one",
        ),
        (problem_of(Board(5, 5), closed=False, start=1), "an open tour can't end at b5"),
        (problem_of(Board(6, 6), closed=False, start=0, end=2), "can't have both its ends, a6 and c6, on one colour"),
        (
            Problem(Board(5, 6).graph, True, start=0, end=1),
            "the closing move b5-a5 is required, and it is not a move here",
        ),
        (
            Problem(PETERSEN, True, require=((0, 1),), forbid=((0, 1),)),
            "the move 0-1 is both required and forbidden",
        ),
        (
            Problem(PETERSEN, True, require=((0, 1), (0, 4), (0, 5))),
            "3 required moves meet at vertex 0, and a tour has two moves",
        ),
        (
            problem_of(Graph.from_edges(6, [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)])),
            "no move leads out of the 3 vertices 0, 1 and 2",
        ),
        (problem_of(PETERSEN), "two edges at each vertex and 6 cut sets have no solution: a clausal proof of"),
        (
            problem_of(complete_bipartite(2, 3)),
            "every move changes colour, and the 5 vertices are 3 of one colour and 2 of the other",
        ),
        (
            problem_of(joined(2, 3)),
            "the 3 vertices 2, 3 and 4 touch only the 2 vertices 0 and 1: a closed tour needs one of these after each",
        ),
        (
            problem_of(joined(2, 4), closed=False),
            "touch only the 2 vertices 0 and 1: an open tour needs one of these between any two of those",
        ),
    ],
)
def test_the_argument_in_a_sentence(problem: Problem, words: str) -> None:
    certificate = prove(problem)
    assert isinstance(certificate, Certificate)
    assert words in certificate.refutation.reason
    assert certificate.refutation.kind == certificate.method
    told = certificate.words()
    assert max(map(len, told.splitlines())) <= 100
    assert "a closed tour of" not in told or problem.closed


def test_colours_are_not_told_where_required_moves_keep_them() -> None:
    graph = Graph.from_edges(7, [(0, 1), (0, 2), (0, 3), (1, 4), (3, 5), (4, 5), (4, 6), (5, 6)])
    certificate = prove(Problem(graph, False, end=4, require=((0, 3), (4, 5))))
    assert isinstance(certificate, Certificate)
    assert "changes colour" not in certificate.refutation.reason


def test_theorems_are_named_where_they_speak() -> None:
    def told(problem: Problem) -> str:
        certificate = prove(problem)
        assert isinstance(certificate, Certificate)
        return certificate.words()

    assert "Schwenk 1991" in told(problem_of(Board(5, 5)))
    assert "Conrad et al. 1994" in told(problem_of(Board(3, 5), closed=False))
    assert "1991" not in told(problem_of(Board(5, 5, leaper=(1, 4))))
    assert "1991" not in told(Problem(Board(5, 5).graph, True, require=((0, 7),)))


# --- limits, tours and refusals ---


def test_a_tour_is_shown_and_starts_where_it_should() -> None:
    for method in ("auto", "sat"):
        problem = problem_of(Board(6, 6), start=7)
        answer = prove(problem, method)
        assert isinstance(answer, Answer)
        assert answer.tour is not None
        verify(problem, answer.tour.vertices)


def test_limits() -> None:
    for method in ("auto", "lp", "sat"):
        stopped = prove(problem_of(Board(8, 8)), method, Limits(seconds=0.0))
        assert isinstance(stopped, Answer)
        assert (stopped.status, stopped.stopped_by) == ("unknown", "time")
    stopped = prove(problem_of(PETERSEN), "sat", Limits(work=0))
    assert isinstance(stopped, Answer)
    assert (stopped.status, stopped.stopped_by) == ("unknown", "work")
    undecided = prove(problem_of(PETERSEN), "lp")
    assert isinstance(undecided, Answer)
    assert undecided.status == "unknown"
    assert "try --method sat" in (undecided.stopped_by or "")


def test_a_proof_that_the_checker_refuses_is_neither_written_nor_announced(tmp_path: Path) -> None:
    certificate = prove(problem_of(Board(5, 5)))
    assert isinstance(certificate, Certificate)
    assert isinstance(certificate.proof, Combination)
    vertices = dict(certificate.proof.vertices)
    del vertices[7]
    wrong = replace(certificate, proof=replace(certificate.proof, vertices=vertices))
    with pytest.raises(BackendFault, match=r"the checker refuses the proof .* proof.pbp"):
        wrong.write(tmp_path / "made")
    with pytest.raises(BackendFault, match="the checker refuses"):
        wrong.check()
    assert list(tmp_path.iterdir()) == []
    certificate.write(tmp_path / "made")
    before = {path.name: path.read_text() for path in (tmp_path / "made").iterdir()}
    with pytest.raises(BackendFault):
        wrong.write(tmp_path / "made", force=True)
    with pytest.raises(BadInput, match=r"problem\.opb: there is a file of that name; give --force"):
        certificate.write(tmp_path / "made")
    assert {path.name: path.read_text() for path in (tmp_path / "made").iterdir()} == before


def test_the_limit_holds_while_a_certificate_is_written(tmp_path: Path) -> None:
    certificate = prove(problem_of(Board(101)))
    assert isinstance(certificate, Certificate)
    for task in (lambda: certificate.write(tmp_path / "made", Clock(0.0)), lambda: certificate.check(Clock(0.0))):
        with pytest.raises(StoppedEarly, match="time"):
            task()
    assert list(tmp_path.iterdir()) == []


def test_a_second_certificate_leaves_no_file_of_the_first(tmp_path: Path) -> None:
    certified(problem_of(PETERSEN), tmp_path)
    certified(problem_of(Board(5, 5)), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "problem.opb",
        "proof.pbp",
        "variables.txt",
        "certificate.json",
        "why.txt",
        "why.svg",
    }


def test_an_interrupt_while_the_solver_runs_is_handed_on() -> None:
    """The solver runs in the background; what its listener raises, as Ctrl-C does, stops it."""

    def interrupt(_: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prove(problem_of(Board(7)), "sat", on_event=interrupt)
