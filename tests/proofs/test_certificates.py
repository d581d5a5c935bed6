"""Certificates of problems without a tour: just these have one, and the checker, the grammar and the tests' judge
accept it."""

import os
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from brute_force import brute_force
from certificate_judge import certified
from commands import Command, needed
from products import as_python, can_be_proved, draw_problem

from cpsat_tour import (
    Answer,
    BackendFault,
    BadInput,
    Board,
    Certificate,
    Graph,
    Limits,
    Problem,
    StoppedEarly,
    load,
    run,
)
from cpsat_tour.cli.messages import Exit
from cpsat_tour.core.reduction import NAMES_OF_SPLIT
from cpsat_tour.core.runs import Clock, Event
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write import veripb
from cpsat_tour.proofs.write.clausal import trim_with_hints
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.prove import Method, prove
from cpsat_tour.proofs.write.veripb import Lemma
from cpsat_tour.proofs.write.why import picture
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.theorems import has_tour


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _file: None)


def joined(hubs: int, others: int) -> Graph:
    """The graph whose hubs are joined to each other, and all other vertices to the hubs alone."""
    return Graph.from_edges(
        hubs + others, [(hub, other) for hub in range(hubs) for other in range(hub + 1, hubs + others)]
    )


def complete_bipartite(left: int, right: int) -> Graph:
    return Graph.from_edges(left + right, [(a, left + b) for a in range(left) for b in range(right)])


PETERSEN = Member.parse("GP(5,2)").graph


def problem_of(
    where: Board | Graph, *, closed: bool = True, start: int | None = None, end: int | None = None
) -> Problem:
    return Problem(where.graph if isinstance(where, Board) else where, closed, start, end)


def proved(problem: Problem) -> Certificate:
    found = prove(problem)
    assert isinstance(found, Certificate)
    return found


# --- a certificate exactly where there is no tour ---


@pytest.mark.parametrize(("method", "max_with_triples"), [("lp", 0), ("sat", veripb.MAX_WITH_TRIPLES), ("sat", 3)])
def test_each_method_certifies_just_problems_without_a_tour(
    method: Method, max_with_triples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(veripb, "MAX_WITH_TRIPLES", max_with_triples)
    certificates = 0
    for number in range(60):
        problem = draw_problem(random.Random(f"{method}:{number}"))
        if not can_be_proved(problem):
            continue
        outcome, tours = prove(problem, method), brute_force(problem)
        if isinstance(outcome, Certificate):
            assert not tours, as_python(problem)
            certified(outcome, tmp_path)
            certificates += 1
        elif outcome.tour is not None:
            assert tuple(outcome.tour.vertices.tolist()) in tours
        else:
            assert (outcome.status, method) == ("unknown", "lp"), as_python(problem)
    assert certificates > 10


CERTIFIED = {
    "4x4 in parts": problem_of(Board(4, leaper=(1, 3))),
    "two colours apart": problem_of(Board(8, leaper=(1, 3))),
    "an open tour at one end": problem_of(Board(5), closed=False, start=0, end=0),
    "a closed tour at one end": problem_of(Board(5), start=0, end=0),
    "one end of two": problem_of(Board(2, 1), closed=False, start=1, end=1),
    "one square": problem_of(Board(1, 1), start=0, end=0),
    "nothing": problem_of(Graph.from_edges(0, [])),
    "nothing, open": problem_of(Graph.from_edges(0, []), closed=False),
    "two vertices": problem_of(Graph.from_edges(2, [(0, 1)])),
    "3x8": problem_of(Board(3, 8)),
    "open 4x4": problem_of(Board(4, 4), closed=False),
    "open 2x6": problem_of(Board(2, 6), closed=False),
    "Petersen": problem_of(PETERSEN),
    "Petersen from 0 to 1": problem_of(PETERSEN, closed=False, start=0, end=1),
    "GP(11,2)": problem_of(Member.parse("GP(11,2)").graph),
    "no closing move": Problem(Board(5, 6).graph, True, start=0, end=1),
    "required and forbidden": Problem(PETERSEN, False, require=((0, 1),), forbid=((0, 1), (2, 3))),
}


@pytest.mark.parametrize("method", ["auto", "sat"])
@pytest.mark.parametrize("name", CERTIFIED)
def test_all_judges_accept_a_certificate(name: str, method: Method, tmp_path: Path) -> None:
    certified(prove(CERTIFIED[name], method), tmp_path)


@pytest.mark.parametrize(
    ("graph", "method"),
    [
        (Member.parse("GP(23,2)").graph, "clausal"),
        (Member.parse("Coxeter").graph, "clausal"),
        (complete_bipartite(2, 3), "lp"),
        (complete_bipartite(7, 8), "lp"),
    ],
)
def test_auto_chooses_the_method(graph: Graph, method: str, tmp_path: Path) -> None:
    assert certified(prove(problem_of(graph)), tmp_path).method == method


@pytest.mark.parametrize("closed", [True, False])
def test_each_rectangle_without_a_tour_is_refuted_by_a_sum_of_ones_and_halves(closed: bool, tmp_path: Path) -> None:
    for rows in range(1, 11):
        for cols in range(rows, 11):
            if has_tour(Board(rows, cols), closed=closed) is False:
                proof = certified(prove(problem_of(Board(rows, cols), closed=closed)), tmp_path).proof
                assert isinstance(proof, Combination)
                multipliers = {*proof.vertices.values(), *proof.cut_sets.values()}
                assert cols > 8 or {proof.fraction_text(abs(number)) for number in multipliers} <= {"1", "1/2"}
                assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 200_000


@pytest.mark.parametrize("cols", [20, 50, 100, 200])
def test_the_certificate_of_four_rows_grows_with_their_length(cols: int, tmp_path: Path) -> None:
    certificate = certified(prove(problem_of(Board(4, cols))), tmp_path)
    assert isinstance(certificate.proof, Combination)
    assert certificate.proof.term_count == 2 * cols + 1
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 700 * 4 * cols


@pytest.mark.slow
def test_8x8_less_any_two_squares_has_a_tour_or_a_certificate(tmp_path: Path) -> None:
    for holes in combinations(range(64), 2):
        outcome = prove(problem_of(Board(8, 8, holes)))
        if isinstance(outcome, Certificate):
            outcome.write(tmp_path, force=True)
            assert check(tmp_path).valid, holes
        else:
            assert outcome.status == "tour"


def test_a_small_piece_is_refuted_within_a_large_sparse_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Petersen with a long path and chords in place of an edge takes few cut sets and no linear program."""
    monkeypatch.setattr("cpsat_tour.proofs.write.subtour_lp.run_program", None)
    tails, heads = (ends.tolist() for ends in PETERSEN.edges())
    path, chords = [0, *range(10, 4010), 1], random.Random(1).sample(range(12, 4008), 3996)
    edges = [*zip(tails[1:], heads[1:], strict=True), *pairwise(path), *zip(chords[::2], chords[1::2], strict=True)]
    certificate = proved(Problem(Graph.from_edges(4010, edges), True))
    assert len(certificate.proof.cut_sets) < 50
    assert certificate.check().valid


def test_a_solver_s_proof_is_trimmed_and_gets_hints() -> None:
    """Lemmas that nothing depends on are left out, and a proof without its contradiction is a fault of the solver."""
    given = [(1, 2), (1, -2), (-1, 3), (-3, 4, 5), (-3, 4, -5), (-3, -4, 6), (-3, -4, -6), (7, 8)]
    lrat = [b"9 7 8 1 0 8 0", b"10 1 0 2 1 0", b"10 d 1 2 0", b"11 3 0 10 3 0", b"12 4 0 11 5 4 0", b"13 0 12 11 7 6 0"]
    assert trim_with_hints(given, lrat) == (
        Lemma((1,), (2, 1)),
        Lemma((3,), (9, 3)),
        Lemma((4,), (10, 5, 4)),
        Lemma((), (11, 10, 7, 6)),
    )
    assert trim_with_hints([(1,), (), (2,)], []) == (Lemma((), (2,)),)
    between = [b"0 d 1 0", b"3 2 0 1 2 0", b"5 0 3 4 0"]  # the solver learned a clause before it was given the third
    assert trim_with_hints([(1,), (-1, 2), (-2,)], between) == (Lemma((2,), (1, 2)), Lemma((), (4, 3)))
    for lrat, wrong in (([b"3 5 0 1 0"], "does not end"), ([], "does not end"), ([b"3 0 1 7 0"], "that there is not")):
        with pytest.raises(BackendFault, match=wrong):
            trim_with_hints([(1, 2), (5, 6)], lrat)


# --- directed graphs ---

NOT_TOUGH = [(tail, head) for tail in range(7) for head in range(7) if tail != head and max(tail, head) > 3]
"""Arcs from 0, 1, 2 and 3 to 4, 5 and 6 alone, and from these to all vertices."""


@pytest.mark.parametrize("backend", ["auto", "proof"])
def test_a_refutation_has_a_certificate_about_the_directed_graph(
    backend: str, tmp_path: Path, command: Command
) -> None:
    problem = Problem(Graph.from_edges(7, NOT_TOUGH, directed=True), True)
    refutation = needed(run(problem, load(backend)).refutation)
    assert refutation.reason.partition(": ")[0] == NAMES_OF_SPLIT
    assert refutation.reason.count(NAMES_OF_SPLIT) == 1
    assert refutation.certificate is not None
    refutation.certificate.write(tmp_path)
    assert check(tmp_path, None, problem).claim == "no closed tour of the directed graph with 7 vertices and 30 arcs"
    assert f"W{NAMES_OF_SPLIT[1:]}" in " ".join((tmp_path / "why.txt").read_text().split())
    arcs, folder = tmp_path / "arcs.txt", tmp_path / "proof"
    arcs.write_text("".join(f"{tail} -> {head}\n" for tail, head in NOT_TOUGH))
    command(f"solve {arcs} --closed -q --backend {backend} --certificate {folder}", Exit.NONE)
    said = command(f"check {folder} {arcs} --closed").out
    assert "valid: no closed tour of the directed graph with 7 vertices and 30 arcs" in said


# --- what is written ---


def test_the_files_of_the_certificate_of_1x2(tmp_path: Path, golden: Callable[[str], None]) -> None:
    certificate = proved(problem_of(Board(1, 2)))
    certificate.write(tmp_path / "made")
    files = sorted((tmp_path / "made").iterdir())
    texts = [path.read_text() for path in files if path.suffix not in (".json", ".svg")]
    golden("\n".join([" ".join(path.name for path in files), *texts]))


def test_a_vertex_may_be_called_apex(tmp_path: Path, command: Command) -> None:
    (tmp_path / "g.txt").write_text("apex b\nb c\nc apex\nd e\ne f\nf d\n")
    command(f"prove {tmp_path / 'g.txt'} --quiet -o {tmp_path / 'proof'}")
    assert "f-apex'" in (tmp_path / "proof" / "variables.txt").read_text()
    (tmp_path / "h.txt").write_text("apex b\nb apex'\nc b\n")
    for more in ("", "--method sat"):
        command(f"prove {tmp_path / 'h.txt'} --start apex {more} --quiet -o {tmp_path / f'star{len(more)}'}")
        command(f"check {tmp_path / f'star{len(more)}'} {tmp_path / 'h.txt'} --start apex")


def test_the_picture_and_the_words_of_halves(tmp_path: Path) -> None:
    certified(prove(problem_of(Board(3, 8))), tmp_path)
    root = ET.fromstring((tmp_path / "why.svg").read_text())
    drawn = {layer.get("class"): len(layer) for layer in root.iter("{http://www.w3.org/2000/svg}g")}
    assert {"squares", "plus", "minus"} <= set(drawn)
    parts = ("multipliers", "cut-sets", "bounds", "legend", "legend words")
    assert [drawn[part] for part in parts] == [12, 3, 4, 6, 6]  # added, taken away, at most once, and three shores
    assert "1/2 x [degree of v = 2]" in (tmp_path / "why.txt").read_text()
    (line,) = [line for line in (tmp_path / "proof.pbp").read_text().splitlines() if line.startswith("pol")]
    assert line.split().count("*") > 2  # the proof has no fractions


@pytest.mark.parametrize(
    ("problem", "title", "reason", "legend"),
    [
        (problem_of(Board(5, 5)), "closed tour of the 5x5 board", "Every move changes colour", []),
        (
            problem_of(Board(4, 4), closed=False),
            "open tour of the 4x4 board",
            "Without the 4 squares b3, c3, b2 and c2",
            [
                "apex: one more vertex, joined to all others; the ends of the tour meet there",
                "left out: 4 lower bounds",
            ],
        ),
        (problem_of(Board(3, 8)), "closed tour of the 3x8 board", "Multiplied and added", ["+½: at least"] * 3),
        (problem_of(PETERSEN), "closed tour of the graph GP(5,2)", "Two edges at each vertex", ["left out: 2 other"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_picture_says_what_it_shows_and_what_it_leaves_out(
    problem: Problem, title: str, reason: str, legend: list[str]
) -> None:
    certificate = proved(problem)
    root = ET.fromstring(picture(certificate.cycle, certificate.proof, lambda: None) or "")
    said = {layer.attrib["class"]: ["".join(text.itertext()) for text in layer] for layer in root.findall("{*}g")}
    assert " ".join(said["title"]) == f"Why there is no {title}"
    assert " ".join(said["reason"]).startswith(reason)
    keys = [words for words in said["legend words"] if words.startswith(("+½", "apex", "left"))]
    assert [words[: len(start)] for words, start in zip(keys, legend, strict=True)] == legend
    assert [name for name in said["coordinates"] if name == "apex"] == ["apex"] * (not problem.closed)
    assert len(said.get("names", ())) == (10 if problem.graph.order == 10 else 0)
    shores = root.findall("{*}g[@class='cut-sets']/{*}path")
    assert len(shores) == min(4, len(certificate.proof.cut_sets))
    assert len({shore.attrib["stroke"] for shore in shores}) == len(shores)


# --- why, in words ---


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (
            problem_of(Board(5, 5)),
            "the 25 squares are 13 dark and 12 light: a closed tour visits equally many of both",
        ),
        (problem_of(Board(3, 3)), "square b2 has no move"),
        (problem_of(Board(2, 3)), "square b2 has no move"),
        (problem_of(Board(2, 5)), "square a2 has only the move a2-c1, and a tour comes and goes"),
        (problem_of(Board(4, 6)), "squares of the outer rows touch only the 6"),
        (
            problem_of(Board(6, 4)),
            "squares of the inner files: the 12 moves that a closed tour makes at the first 6 are all its moves",
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
        (problem_of(Board(5, 5), closed=False, start=1), "an open tour can't have an end at b5"),
        (problem_of(Board(6, 6), closed=False, start=0, end=2), "can't have both ends, a6 and c6, of one colour"),
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
        (problem_of(Board(7, 5)), "Schwenk 1991"),
        (problem_of(Board(3, 5), closed=False), "Conrad et al. 1994"),
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
def test_the_argument_is_told_in_a_sentence(problem: Problem, words: str) -> None:
    certificate = proved(problem)
    told = certificate.words()
    assert words in certificate.refutation.reason + told
    assert certificate.refutation.kind == certificate.method
    assert max(map(len, told.splitlines())) <= 100
    assert "a closed tour of" not in told or problem.closed


def test_colours_are_no_argument_if_required_moves_keep_them() -> None:
    graph = Graph.from_edges(7, [(0, 1), (0, 2), (0, 3), (1, 4), (3, 5), (4, 5), (4, 6), (5, 6)])
    certificate = proved(Problem(graph, False, end=4, require=((0, 3), (4, 5))))
    assert "changes colour" not in certificate.refutation.reason


def test_a_theorem_is_named_only_if_it_applies() -> None:
    for problem in (problem_of(Board(5, 5, leaper=(1, 4))), Problem(Board(5, 5).graph, True, require=((0, 7),))):
        assert "1991" not in proved(problem).words()


# --- limits, tours and refusals ---


@pytest.mark.parametrize(
    ("problem", "method", "limits", "by"),
    [
        *((problem_of(Board(8, 8)), method, Limits(seconds=0.0), "time") for method in ("auto", "lp", "sat")),
        (problem_of(PETERSEN), "sat", Limits(work=0), "work"),
        (problem_of(PETERSEN), "lp", Limits(), "a solution of the linear program: try --method sat"),
    ],
)
def test_each_method_stops_at_its_limits(problem: Problem, method: Method, limits: Limits, by: str) -> None:
    stopped = prove(problem, method, limits)
    assert isinstance(stopped, Answer)
    assert (stopped.status, stopped.stopped_by) == ("unknown", by)


def test_a_proof_that_the_checker_refuses_is_neither_written_nor_announced(tmp_path: Path) -> None:
    certificate = proved(problem_of(Board(5, 5)))
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
    certificate = proved(problem_of(Board(101)))
    for task in (lambda: certificate.write(tmp_path / "made", Clock(0.0)), lambda: certificate.check(Clock(0.0))):
        with pytest.raises(StoppedEarly, match="time"):
            task()
    assert list(tmp_path.iterdir()) == []


def test_a_second_certificate_leaves_no_file_of_the_first(tmp_path: Path) -> None:
    certified(prove(problem_of(PETERSEN)), tmp_path)
    certified(prove(problem_of(Board(5, 5))), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        *("problem.opb", "proof.pbp", "proof-1.2.pbp", "variables.txt", "certificate.json", "why.txt", "why.svg"),
    }


def test_an_exception_of_the_listener_stops_the_solver() -> None:
    """The solver runs in the background, and a Ctrl-C reaches it as an exception of the listener."""

    def interrupt(_: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prove(problem_of(Board(7)), "sat", on_event=interrupt)
