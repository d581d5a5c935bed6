"""The checker: its verdicts and messages, the rows that it makes, its rules, and its bounds on time and memory."""

import ast
import json
import os
import random
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import combinations
from operator import getitem
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from brute_force import random_problem
from certificate_judge import assignments, holds, read_sides, rows_of, solutions
from certificate_samples import (
    THREE_TOURS,
    Description,
    Sample,
    board,
    bowtie,
    claim_of,
    described,
    four_vertices,
    graph,
    half_turned_odd_board,
    named_bowtie,
    odd_board,
    one_way,
    sample,
    turned_round,
)
from click.testing import CliRunner
from pages import DOCS
from products import as_python, can_be_proved, draw_problem

import cpsat_tour
from cpsat_tour import BadInput, Board, Graph, Problem, StoppedEarly, Verdict
from cpsat_tour.cli.main import cli
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.reduction import undirected
from cpsat_tour.core.runs import Clock, Event
from cpsat_tour.core.space import Named
from cpsat_tour.proofs.check.arithmetic import Budget, Constraint, Fault, Wrong, evaluate_sum
from cpsat_tour.proofs.check.claim import CLAIM, BestClaim, Claim, difference
from cpsat_tour.proofs.check.folder import FORMULA, PROOF, VARIABLES, ShownTours, check
from cpsat_tour.spaces.problem_data import KINDS

COMPLETE = graph(
    [(tail, head) for tail in range(5) for head in range(tail + 1, 5)],
    5,
    method="clausal",
    cut_sets=[["v1", "v2"], ["v3", "v4"]],
)
"""A graph with tours, from whose rows nothing follows by propagation alone."""


SQUARES = [f"{file}{rank}" for file in "abcde" for rank in range(1, 6)]


def refused(verdict: Verdict, file: str, line: int | None, reason: str) -> None:
    assert not verdict.valid
    assert isinstance(verdict.fault, Fault)
    assert (verdict.fault.file, verdict.fault.line) == (file, line), str(verdict.fault)
    assert reason in verdict.fault.reason, str(verdict.fault)
    assert len(str(verdict.fault)) < 400


# --- what is accepted, and what is said of it ---


def test_the_verdict_on_a_valid_certificate(tmp_path: Path) -> None:
    """No closed tour has fewer than three vertices; the rows say so too."""
    claim, count = "no closed tour of the graph with 5 vertices and 6 edges", "exactly 3 closed tours of the graph with"
    assert check(bowtie().write(tmp_path)) == Verdict(True, claim, "lp", 2, kind="none")
    assert check(named_bowtie().write(tmp_path)) == Verdict(True, claim, "clausal", 8, kind="none")
    found = check(four_vertices(*THREE_TOURS, count=3).write(tmp_path))
    assert found == Verdict(True, f"{count} 4 vertices and 6 edges", "clausal", 6, kind="count")
    for made in (sample(board(1, 1), "pol 1"), sample(board(1, 2), "pol 1"), sample(graph([(0, 1)], 2), "pol 1 ~x1 +")):
        assert check(made.write(tmp_path)).valid


TURNED = {"a3": "c3", "b3": "c2", "c3": "c1", "a2": "b3", "c2": "b1", "a1": "a3", "b1": "a2", "c1": "a1"}


@pytest.mark.parametrize(
    ("description", "claim"),
    [
        (board(3, 4, closed=False, start="a1", end="c3"), "no open tour of the 3x4 board from a1 to c3"),
        (board(3, 4, start="a1", end="b3"), "no closed tour of the 3x4 board with the move b3-a1"),
        (
            board(3, 4, holes=("b2",), leaper=(0, 1)),
            "no closed tour of the 3x4 board without 1 square by a wazir (0,1), the holes being b2",
        ),
        (
            board(3, 4, require=[["a1", "b3"]], forbid=[["c3", "a2"]]),
            "no closed tour of the 3x4 board, using b3-a1, avoiding c3-a2",
        ),
        (
            turned_round().description,
            "no closed tour of the graph with 4 vertices and 6 edges, avoiding v0-v1, mapped to itself by the "
            "permutation (v0 to v1, v1 to v2, v2 to v3, v3 to v0)",
        ),
        (graph([(0, 1)], 2), "no closed tour of the graph with 2 vertices and 1 edge"),
        (
            described(
                {"graph": {"vertices": ["a-b", "valid: no closed tour"], "edges": [["a-b", "valid: no closed tour"]]}},
                require=[["a-b", "valid: no closed tour"]],
            ),
            "no closed tour of the graph with 2 vertices and 1 edge, using 'a-b'-'valid: no closed tour'",
        ),
        (board(3, 3, symmetry="rot180"), "no closed tour of the 3x3 board, mapped to itself by rot180"),
        (
            board(3, 3, symmetry=[[name, TURNED[name]] for name in TURNED]),
            "no closed tour of the 3x3 board, mapped to itself by the permutation (a3 to c3, b3 to c2, c3 to c1, a2 to "
            "b3, c2 to b1, a1 to a3, b1 to a2, c1 to a1)",
        ),
        (
            graph([(v, v + 1) for v in range(10)], 11, forbid=[[f"v{v}", f"v{v + 1}"] for v in range(10)]),
            "no closed tour of the graph with 11 vertices and 10 edges, avoiding v0-v1, v1-v2, v2-v3, v3-v4, v4-v5, "
            "v5-v6, v6-v7, v7-v8 and 2 more that certificate.json names",
        ),
    ],
)
def test_a_claim_names_all_conditions_of_the_problem(description: Description, claim: str) -> None:
    assert claim_of(description).sentence == claim


def test_the_listener_hears_of_progress_and_may_stop_the_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cpsat_tour.proofs.check.arithmetic.WORK_BETWEEN_BEATS", 0)
    events: list[Event] = []
    folder = sample(bowtie().description, *["pol 1 2 +"] * 1000, "pol 11 12 + 2 +").write(tmp_path)
    assert check(folder, events.append).valid
    assert len(events) > 1000

    def stop(_event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(folder, stop)


# --- the rows ---


def test_no_tour_breaks_a_row() -> None:
    """All rows hold in every tour of a problem, directed or not, those of cut sets and of pairs of moves too."""
    rng, meanings = random.Random(6), set()
    for number in range(200):
        problem = draw_problem(random.Random(number))
        if problem.graph.order < 2 or not can_be_proved(problem):
            continue
        order = undirected(problem).graph.order + (not undirected(problem).closed)
        cut_sets = [rng.sample(range(order), rng.randint(1, order - 1)) for _ in range(3)]
        drawn = BestClaim(rng.choice(("turns", "crossings")), rng.random() < 0.5, 0)
        best = drawn if type(problem.graph.space) is Board else None
        claim = Claim(problem, "clausal", cut_sets, None, best)
        cycle, rows = rows_of(claim)
        meanings |= {row.meaning.split(" ")[0 if "two edges" in row.meaning else 1] for row in rows}
        for true in solutions(claim, cycle):
            assert all(holds(side, true) for row in rows for side in read_sides(row.tokens()[:-1])), as_python(problem)
            assert all(row.holds([False, *(x in true for x in range(1, cycle.variables + 1))]) for row in rows)
    assert {"two", "is", "of", "takes", "tour"} <= meanings


def lengths(number: int) -> Iterator[Claim]:
    """Claims of a length, on random undirected graphs of 2 to 5 vertices, with all cut sets and vertices apart."""
    rng = random.Random(number)
    while number:
        problem = random_problem(rng, 5)
        problem = problem if rng.random() < 0.3 else Problem(problem.graph, problem.closed)
        order = problem.graph.order + (not problem.closed)
        if problem.graph.directed or problem.graph.order == 1 or order > 5:
            continue
        optional = sorted(
            rng.sample(range(problem.graph.order), max(1, problem.graph.order - rng.choice((0, 0, 0, 1, 4))))
        )
        shores = [shore for size in range(1, order) for shore in combinations(range(order), size)]
        cut_sets = [
            [outside, first, *(vertex for vertex in shore if vertex != first)]
            for shore in shores
            for first in shore
            for outside in {*range(order)} - {*shore}
        ]
        best = BestClaim("length", True, 1, optional=[problem.graph.name(vertex) for vertex in optional])
        yield Claim(problem, "lp", cut_sets, None, best)
        number -= 1


def test_the_rows_of_a_length_hold_in_each_route_and_in_nothing_else() -> None:
    """The 0/1 solutions of the rows with all cut sets are the routes of two vertices or more, and leaving out all."""
    sizes = list[int]()
    for claim in lengths(150):
        cycle, rows = rows_of(claim)
        sides = [side for row in rows for side in read_sides(row.tokens()[:-1])]
        if cycle.variables > 14:
            continue
        found = {
            frozenset(true)
            for true in assignments(range(1, cycle.variables + 1))
            if all(holds(side, true) for side in sides)
        }
        nothing = {true for true in found if true.isdisjoint(range(1, len(cycle.ends) + 1))}
        assert found - nothing == solutions(claim, cycle), as_python(claim.problem)
        assert all(true >= {*cycle.left_out.values()} for true in nothing)
        sizes.append(len(found - nothing))
    assert len(sizes) > 100
    assert sum(size > 1 for size in sizes) > 20


@pytest.mark.parametrize(
    ("member", "value", "reason"),
    [
        ("optional", [], "vertices are optional for the longest tour"),
        ("optional", ["v0", "v9"], "v9"),
        ("objective", "turns", "vertices are optional for the longest tour"),
        ("maximize", False, "vertices are optional for the longest tour"),
        ("value", 0, "vertices are optional for the longest tour"),
        ("value", 3, "this must be 'conclusion BOUNDS -3"),
        ("problem", {"symmetry": [["v0", "v1"], ["v1", "v0"], ["v2", "v3"], ["v3", "v2"]]}, "without a symmetry"),
        ("cut_sets", [["v0"]], "cut set 1 has 1 of the 4 vertices: it must have one outside it and some inside"),
        ("cut_sets", [["v0", "v0"]], "names a vertex twice"),
        ("cut_sets", [["v0", "v1"]], "#constraint= 5"),
    ],
)
def test_claims_of_a_length_say_all_that_they_need(member: str, value: object, reason: str, tmp_path: Path) -> None:
    """A cycle of four vertices, of which all may be left out, and the sum that says that no more are visited."""
    description = graph([(0, 1), (1, 2), (2, 3), (0, 3)], 4)
    description["best"] = {"objective": "length", "maximize": True, "value": 4, "shown": True}
    description["best"]["optional"] = ["v0", "v1", "v2", "v3"]
    made = sample(description)
    made.opb.insert(1, "min: +1 x5 +1 x6 +1 x7 +1 x8 -4 ;")
    made.opb.pop(2)
    steps = ["soli x1 x2 x3 x4 ~x5 ~x6 ~x7 ~x8 ;", "pol 9 x5 + x6 + x7 + x8 + ;"]
    made.proof[2:] = [*steps, "output NONE ;", "conclusion BOUNDS -4 : 10 -4 ;", "end pseudo-Boolean proof ;"]
    assert check(made.write(tmp_path / "right")).valid
    part = made.description if member in made.description else made.description["best"]
    if member == "problem":
        part["problem"] |= value
    else:
        part[member] = value
    verdict = check(made.write(tmp_path / "wrong"))
    assert not verdict.valid
    assert reason in str(verdict.fault)


@pytest.mark.parametrize(
    ("literals", "reason"),
    [
        ("~x1 ~x2 ~x3 ~x4 ~x5 ~x6 x7 x8 x9 x10 x11 x12", "a cycle comes back after 0 of the 0 vertices"),
        ("x1 x2 x3 x4 x5 x6 ~x7 ~x8 ~x9 ~x10 ~x11 ~x12", "a cycle comes back after 3 of the 6 vertices"),
        ("x1 x2 x3 ~x4 ~x5 ~x6 ~x7 ~x8 ~x9 x10 x11 ~x12", "two edges at v5"),
        ("x1 x2 x3 ~x4 ~x5 ~x6 ~x7 ~x8 x9 x10 x11 x12", "two edges at v2"),
        ("x1 x2 x3 ~x4 ~x5 ~x6 ~x7 ~x8 ~x9 x10 x11 x12", ""),
    ],
)
def test_what_is_shown_as_a_longest_tour_is_one_cycle(literals: str, reason: str, tmp_path: Path) -> None:
    """Two triangles, each of which is a longest cycle, and not both."""
    description = graph([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)], 6)
    best = {"objective": "length", "maximize": True, "value": 3, "shown": True}
    description["best"] = best | {"optional": [f"v{vertex}" for vertex in range(6)]}
    made = sample(description)
    made.opb[1:2] = [f"min: {' '.join(f'+1 x{x}' for x in range(7, 13))} -6 ;"]
    ends = ["output NONE ;", "conclusion BOUNDS -3 : 13 -3 ;", "end pseudo-Boolean proof ;"]
    made.proof[2:] = [f"soli {literals} ;", *ends]
    verdict = check(made.write(tmp_path))
    assert reason in str(verdict.fault) if reason else "is not a contradiction" in str(verdict.fault)


@pytest.mark.parametrize(
    ("line", "new", "reason"),
    [
        (1, "* #variable= 48 #constraint= 26", "this must be"),
        (3, "+1 x1 +1 x3 = 2 ;", "two edges at a5’: token 4 must be x2"),
        (3, "+1 x1 +1 x2 = 3 ;", "must be 2"),
        (3, "+1 x1 +1 x2 = 2 ; nothing", "token 8 must be nothing"),
        (3, "+1 x1 +1 x2 = 2", "token 7 must be ;"),
        (3, "+1 x1 +1 x2 = 2 ; ;", "token 8 must be nothing"),
        (20, "", "two edges at c2"),
    ],
)
def test_a_wrong_row_is_named(line: int, new: str, reason: str, tmp_path: Path) -> None:
    made = odd_board(5, 5)
    made.opb[line - 1] = new
    refused(check(made.write(tmp_path)), FORMULA, line + (not new), reason)


def test_wrong_comments_and_variables_are_named(tmp_path: Path) -> None:
    """The rows of an open tour of three squares in a row, written by hand, with nearly every kind of row."""
    description = graph(
        [(0, 1), (1, 2)], 3, closed=False, start="v0", end="v0", forbid=[["v2", "v1"]], cut_sets=[["v0", "apex"]]
    )
    made = sample(description, "pol 11")
    made.opb = [
        "* #variable= 5 #constraint= 8",
        *("* two edges at v0", "+1 x1 +1 x3 = 2 ;", "* two edges at v1", "+1 x1 +1 x2 +1 x4 = 2 ;"),
        *("* two edges at v2", "+1 x2 +1 x5 = 2 ;", "* two edges at apex", "+1 x3 +1 x4 +1 x5 = 2 ;"),
        *("* v0-apex is required", "+1 x3 = 1 ;"),
        *("* a tour can't both start and end at v0 and visit another vertex", "+0 x1 = 1 ;"),
        *("* v1-v2 is forbidden", "+1 x2 = 0 ;"),
        *("* a tour leaves v0 apex and comes back", "+1 x1 +1 x4 +1 x5 >= 2 ;"),
    ]
    variables = ["x1 = v0-v1", "x2 = v1-v2", "x3 = v0-apex", "x4 = v1-apex", "x5 = v2-apex"]
    folder = made.write(tmp_path)
    (folder / VARIABLES).write_text("\n".join(variables))
    assert check(folder).valid
    for line, comment in enumerate(made.opb, start=1):
        if comment.startswith("* ") and line > 1:
            made.opb[line - 1] = comment.replace("v0", "v1") if "v0" in comment else comment.replace(" ", " v0 ", 1)
            refused(check(made.write(tmp_path)), FORMULA, line, f"this must be {comment!r}")
            made.opb[line - 1] = comment
    made.write(tmp_path)
    for line, text, fault in (
        (2, ["x1 = v0-v1", "x2 = v2-v1", *variables[2:]], "x2 = v1-v2"),
        (2, ["x1 = v0-v1", *variables[2:]], "x2 = v1-v2"),
        (5, variables[:-1], "x5 = v2-apex"),
        (6, [*variables, "x6 = v0-v2"], "one more"),
    ):
        (folder / VARIABLES).write_text("\n".join(text))
        refused(check(folder), VARIABLES, line, fault)


# --- the rules ---


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("pol 11 12 + 99 +", "no constraint 99"),
        ("pol 11 0 +", "no constraint 0"),
        ("pol 11 x0 +", "not a literal"),
        ("pol 11 x2000000 +", "not below"),
        ("pol 11 12", "2 constraints on the stack"),
        ("pol", "0 constraints"),
        ("pol 11 +", "too little to work on"),
        ("pol 11 0 *", "at least 1"),
        ("pol 11 0 d", "at least 1"),
        ("pol 11 -1 *", "at least 1"),
        ("pol 2 *", "too little to work on"),
        ("pol s", "too little to work on"),
        (f"pol 11 {'9' * 18} * {'9' * 18} *", "grow to"),
        (f"pol 11 {'9' * 6000} *", "at most 18 digits"),
        ("pol 11 : 12", "neither"),
        ("pol @a 2 +", "neither"),
        ("pol -1", "neither"),
        ("pol 11 12 + ; pol 1 ;", "one statement"),
        ("@a ;", "nothing before"),
        (";", "nothing before"),
        ("rup +1 x1 >= 1 ;", "names what it follows from"),
        ("rup +1 x1 >= 1 : 1 : 1 ;", "names what it follows from"),
        ("rup +1 x1 >= 1 : ~ 1 ;", "neither"),
        ("rup +1 x1 >= 1 : -1 ;", "neither"),
        ("rup +1 x1 = 1 : 1 ;", "derives a clause"),
        ("rup +1 >= 1 : 1 ;", "derives a clause"),
        ("rup x1 +1 >= 1 : 1 ;", "derives a clause"),
        ("rup +2 x1 >= 1 : 1 ;", "derives a clause"),
        ("rup +1 x1 +1 x1 >= 1 : 1 ;", "occurs twice"),
        ("rup +1 x1 +1 ~x1 >= 1 : 1 ;", "occurs twice"),
        ("rup +1 x3 +1 x4 >= 1", "its hints"),
        ("rup +1 x1 >= 1 : 3 ;", "its hints"),
        ("rup +1 x1 >= 1 : ;", "its hints"),
        ("rup +1 x1 >= 1 : 99 ;", "no constraint 99"),
        ("rup +1 ~x1 >= 1", "its hints"),
        ("red +1_0 x11 >= 1 : x11 -> 1", "not a whole number"),
        ("red x11 +1 >= 1 : x11 -> 1", "not a whole number"),
        ("red +1 x11 = 1 : x11 -> 1", "not a constraint"),
        ("red +1 x11 >= 1 : x11 -> 2", "is written"),
        ("red +1 x11 >= 1 : x11 -> 1 : subproof", "is written"),
        ("red +1 x11 >= 1 : ~x11 -> 1", "negated"),
        ("del id 13", "no constraint 13"),
        ("del 1", "is written"),
        ("u >= 1", "none of the rules"),
        ("conclusion UNSAT : 1", "output NONE"),
    ],
)
def test_a_wrong_step_is_named(step: str, reason: str, tmp_path: Path) -> None:
    refused(check(sample(COMPLETE, step).write(tmp_path)), PROOF, 3, reason)


@pytest.mark.parametrize(
    ("steps", "method", "reason"),
    [
        (["del id 11", "pol 11 12 +"], "clausal", "constraint 11 was deleted"),
        (["pol 1", "del id 12 12"], "clausal", "constraint 12 was deleted"),
        (["pol 1", "del id 13", "pol 13"], "clausal", "constraint 13 was deleted"),
        (["red +1 x11 >= 1 : x11 -> 1"], "lp", "none of the rules"),
        (["rup +1 x1 >= 1 : 1"], "lp", "none of the rules"),
        (["solx x1 x2 x3 x4 x5 x6 x7 x8 x9 x10"], "clausal", "none of the rules"),
    ],
)
def test_a_missing_rule_or_constraint_is_named(steps: list[str], method: str, reason: str, tmp_path: Path) -> None:
    refused(check(sample(COMPLETE | {"method": method}, *steps).write(tmp_path)), PROOF, 2 + len(steps), reason)


HEADER = "pseudo-Boolean proof version 3.0"
SUM, NONE, CONCLUSION, END = (
    "pol 11 12 + 2 + ;",
    "output NONE ;",
    "conclusion UNSAT : 13 ;",
    "end pseudo-Boolean proof ;",
)


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ([], 1, HEADER),
        (["pseudo-Boolean proof version 2.0"], 1, HEADER),
        (["pseudo-Boolean proof version 1.2"], 1, HEADER),
        ([HEADER, "f 11 ;"], 2, "f 12"),
        ([HEADER, "f 12"], 2, "end with ;"),
        ([HEADER, "f 12 ;", SUM], 4, "this must be 'output NONE', and is ''"),
        ([HEADER, "f 12 ;", SUM, NONE, "conclusion UNSAT : 12 ;"], 5, "not a contradiction"),
        ([HEADER, "f 12 ;", "pol 1 2 + ;", NONE, "conclusion UNSAT : 13 ;"], 5, "not a contradiction"),
        ([HEADER, "f 12 ;", SUM, NONE, "conclusion UNSAT : 14 ;"], 5, "no constraint 14"),
        ([HEADER, "f 12 ;", SUM, NONE, "conclusion UNSAT : -1 ;"], 5, "neither"),
        ([HEADER, "f 12 ;", SUM, NONE, "conclusion NONE ;"], 5, "conclusion UNSAT"),
        ([HEADER, "f 12 ;", SUM, NONE, CONCLUSION], 6, "end pseudo"),
        ([HEADER, "f 12 ;", SUM, NONE, CONCLUSION, "end pseudo-Boolean proof"], 6, "end with ;"),
        ([*bowtie().proof, "pol 1 ;"], 8, "nothing may follow"),
    ],
)
def test_a_wrong_header_or_footer_of_a_proof_is_named(lines: list[str], line: int, reason: str, tmp_path: Path) -> None:
    made = bowtie()
    made.proof = lines
    refused(check(made.write(tmp_path)), PROOF, line, reason)


# --- what can't be read ---


def test_missing_files_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a folder"):
        check(tmp_path / "nowhere")
    for name in (CLAIM, FORMULA, PROOF):
        folder = bowtie().write(tmp_path / name)
        (folder / name).unlink()
        with pytest.raises(BadInput, match=f"^there is no .*{name}: a certificate is a folder with"):
            check(folder)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (b"", 1, "not JSON"),
        (b"\x00\x01\xff", 1, "UTF-8"),
        (b"\n\n{]", 3, "not JSON"),
        (b"[" * 200_000, 1, "nested"),
        (b"[]", None, "Expected object, got array"),
        (b'{"a": 1, "a": 2}', 1, "two members"),
        (b'{"a": NaN}', 1, "NaN"),
        (b'{"format":' + b"[" * 900 + b"]" * 900 + b', "method": "lp"}', None, "format: Expected"),
        (b'{"a": "' + b"[" * 980 + b'"}', None, "unknown field a"),
        (b'{"' + b"a" * 10_000 + b'": 1, "format": 2}', None, "unknown field"),
        (b'{"a": ' + b"9" * 10_000 + b"}", 1, "not JSON as it should be"),
        (b"\n{}", None, "missing required field"),
        (rb'{"format": "\ud800"}', None, "'\\ud800' is not text: it has half of a character"),
    ],
)
def test_text_that_is_no_description_is_refused(text: bytes, line: int | None, reason: str, tmp_path: Path) -> None:
    folder = bowtie().write(tmp_path)
    (folder / CLAIM).write_bytes(text)
    refused(check(folder), CLAIM, line, reason)


EDGE = graph([(0, 1)], 2)["problem"]
FEWEST_TURNS = {"objective": "turns", "maximize": False, "value": 1, "shown": True}


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("format",), "cpsat-tour certificate 2", "format"),
        (("method",), "trust me", "method"),
        (("problem",), None, "Expected object"),
        (("problem", "closed"), 1, "Expected bool"),
        (("problem", "directed"), True, "unknown field directed"),
        (("problem", "start"), 3, "Expected str"),
        (("problem", "start"), "z9", "not on the 5x5 board"),
        (("problem", "end"), "a1", "start too"),
        (("problem", "require"), [["a1", "a2"]], "not a move"),
        (("problem", "require"), [["a1"]], "length 2"),
        (("problem", "board", "rows"), True, "Expected int"),
        (("problem", "board", "rows"), 5.0, "Expected int"),
        (("problem", "board", "rows"), 0, "at least 1"),
        (("problem", "board", "rows"), 3_000_000, "so short"),
        (("problem", "board", "rows"), 10**30, "too large"),
        (("problem", "board"), board(200, 200)["problem"]["board"], "the rows of 40000 vertices and 157608 edges"),
        (("problem", "board", "holes"), ["a1", "a9"], "not on"),
        (("problem", "board", "holes"), ["a1"] * 20, "each hole once"),
        (("multipliers",), [], "unknown field multipliers"),
        (("problem", "board", "leaper"), [1], "2 whole numbers"),
        (("problem", "board", "leaper"), [-1, 2], "leaper"),
        (("problem", "board"), {"family": "Q(3)"}, "not a space"),
        (("cut_sets",), {}, "Expected array"),
        (("cut_sets",), [["a1"], []], "some and not all"),
        (("cut_sets",), [SQUARES], "25 of the 25 vertices: it must have some and not all"),
        (
            (),
            {"problem": board(5, 5, closed=False)["problem"], "cut_sets": [[*SQUARES, "apex"]]},
            "26 of the 26 vertices: it must have some and not all",
        ),
        (("problem",), board(5, 5, waypoints=["a1", "c3", "e5"])["problem"], "waypoints are stated"),
        *(
            (("problem",), board(5, 5, closed=closed, givens=[["a1", 3]])["problem"], "given numbers are stated")
            for closed in (False, True)
        ),
        (("cut_sets",), [["a1", "a1"]], "twice"),
        (("cut_sets",), [["a1", "0,4"], ["apex"]], "not a square"),
        *((("tours",), tours, "tours") for tours in (None, "3", -1, True, 3)),
        (("best",), {"objective": "turns", "maximize": False, "value": 1}, "missing required field shown"),
        ((), {"method": "clausal", "best": FEWEST_TURNS, "tours": 1}, "not proved together"),
        (("problem",), board(1, 1, closed=False)["problem"], "one vertex"),
        *(
            (("problem",), EDGE | {"graph": {"vertices": vertices} | moves}, reason)
            for vertices, moves, reason in (
                (["v", "v"], {"edges": []}, "twice"),
                (["v\x1b[2J"], {"edges": []}, "can't be printed"),
                (["v"], {"edges": [["v", "w"]]}, "'w' is not a vertex"),
                (["v"], {"edges": [["v", "v"]]}, "joins 'v' to itself"),
                (["v", "w"], {"arcs": [["v", "w"]], "edges": []}, "unknown field"),
            )
        ),
        ((), {"method": "clausal", "best": FEWEST_TURNS | {"objective": "bends"}}, "no certificates of 'bends'"),
        ((), {"method": "clausal", "problem": one_way().description["problem"], "best": FEWEST_TURNS}, "not in rows"),
    ],
)
def test_a_wrong_description_is_named(place: tuple[str, ...], value: Any, reason: str, tmp_path: Path) -> None:
    made = odd_board(5, 5)
    holder = reduce(getitem, place[:-1], made.description)
    holder |= {place[-1]: value} if place else value
    refused(check(made.write(tmp_path)), CLAIM, None, reason)


def test_long_lines_and_control_characters_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bowtie()
    made.proof.insert(2, "* a comment\x0bpol 1")
    refused(check(made.write(tmp_path)), PROOF, 3, "control character")
    monkeypatch.setattr("cpsat_tour.proofs.check.arithmetic.MAX_BYTES", 3000)
    made.proof[2] = "* " + "long " * 1000
    refused(check(made.write(tmp_path)), PROOF, 3, "longer than 3000 bytes")


def test_memory_does_not_grow_with_the_length_of_a_proof(tmp_path: Path) -> None:
    """Four times as many steps, each derived and deleted, take no more memory."""
    check(named_bowtie().write(tmp_path))

    def peak(rounds: int) -> int:
        lines = [
            line
            for number in range(14, 14 + 3 * rounds, 3)
            for line in ("rup +1 x1 +1 x2 +1 x3 >= 1 : 1 ;", "pol 1 3 +", f"del id {number - 1} {number}", "pol 1")
        ]
        folder = sample(COMPLETE, *lines, "pol x1").write(tmp_path)
        tracemalloc.start()
        verdict = check(folder)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        refused(verdict, PROOF, 5 + 4 * rounds, "not a contradiction")
        return top

    assert peak(800) < 1.2 * peak(200) + 500 * 800


def test_the_checker_needs_no_solver(tmp_path: Path) -> None:
    folder = named_bowtie().write(tmp_path)
    program = f"""
import sys
sys.modules["ortools"] = sys.modules["pysat"] = None
from pathlib import Path
from cpsat_tour.proofs.check.folder import check
assert check(Path({str(folder)!r})).valid
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_labels_and_comments_of_a_proof_are_ignored(tmp_path: Path) -> None:
    made = bowtie()
    made.proof[2:4] = ["% é", "@both pol 11 12 + ;", "% why", "", "@both pol 13 2 +;"]
    made.proof[-2] = "@c conclusion UNSAT : 14 ;"
    assert check(made.write(tmp_path)).valid


# --- how many tours there are ---


@pytest.mark.parametrize(
    ("tours", "count", "line", "reason"),
    [
        (THREE_TOURS, 2, 10, "3 of the 2 tours"),
        (THREE_TOURS, 4, 10, "3 of the 4 tours"),
        (THREE_TOURS[:2], 2, 7, "does not follow"),
        (THREE_TOURS[1:], 3, 5, "does not follow"),
        ((*THREE_TOURS, THREE_TOURS[0]), 4, 6, "shown before"),
        ((*THREE_TOURS, "solx x6 x5 ~x4 ~x3 x2 x1"), 4, 6, "shown before"),
        (("solx ~x1 x2 x3 x4 x5",), 1, 3, "a literal of each"),
        (("solx ~x1 x2 x3 x4 x5 ~x6 ~x7",), 1, 3, "a literal of each"),
        (("solx x1 ~x1 x3 x4 x5 ~x6",), 1, 3, "a literal of each"),
        (("solx x1 x2 x3 x4 x5 ~x6",), 1, 3, "two edges at v0"),
    ],
)
def test_wrong_counts_are_refused(tours: tuple[str, ...], count: int, line: int, reason: str, tmp_path: Path) -> None:
    refused(check(four_vertices(*tours, count=count).write(tmp_path)), PROOF, line, reason)


def test_a_count_needs_its_claim_and_its_line_of_variables(tmp_path: Path) -> None:
    made = four_vertices(*THREE_TOURS, count=3)
    preserved, made.opb[1] = made.opb[1], ""
    refused(check(made.write(tmp_path)), FORMULA, 3, "preserved: x1 x2 x3 x4 x5 x6 ;")
    del made.description["tours"]
    refused(check(made.write(tmp_path)), PROOF, 3, "none of the rules")
    made.opb[1] = preserved
    refused(check(made.write(tmp_path)), FORMULA, 2, "two edges at v0")


def test_the_best_tour_is_shown_once() -> None:
    """A second tour, which may be worse, would be taken for the best that is claimed."""
    claim = claim_of(board(2, 2, leaper=(0, 1), method="clausal") | {"best": FEWEST_TURNS})
    shown = ShownTours(rows_of(claim)[0], Budget())
    shown.surpass([1, 2, 3, 4])
    assert shown.best == 4
    with pytest.raises(Wrong, match="shown before"):
        shown.surpass([1, 2, 3, 4])


PRISM = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)]


@pytest.mark.parametrize(
    ("more", "shown", "reason"),
    [
        ({}, "solx x1 x2 ~x3 x4 ~x5 ~x6 x7 x8 x9", "comes back after 3 of the 6"),
        ({"forbid": [["v0", "v1"]]}, "solx x1 ~x2 x3 x4 ~x5 x6 x7 ~x8 x9", "v0-v1 is forbidden"),
        ({"require": [["v0", "v2"]]}, "solx x1 ~x2 x3 x4 ~x5 x6 x7 ~x8 x9", "v0-v2 is required"),
    ],
)
def test_a_solution_that_is_no_tour_is_refused(more: dict[str, Any], shown: str, reason: str, tmp_path: Path) -> None:
    """On a prism: two triangles, a tour with a forbidden edge, and one without a required edge."""
    refused(check(sample(graph(PRISM, 6, method="clausal", tours=1, **more), shown).write(tmp_path)), PROOF, 3, reason)


# --- what could blow up ---


def test_huge_sparse_files_are_refused_early(tmp_path: Path) -> None:
    """A sparse file of 200 GB is not read, and the board of 16 million squares that it is about is not built."""
    folder = Sample(board(4096, 4096), ["* #variable= 1 #constraint= 1"], []).write(tmp_path)
    os.truncate(folder / FORMULA, 200 << 30)
    tracemalloc.start()
    refused(check(folder), FORMULA, 2, "longer than")
    assert tracemalloc.get_traced_memory()[1] < 50 << 20
    tracemalloc.stop()
    for name in (CLAIM, PROOF):
        folder = bowtie().write(tmp_path)
        os.truncate(folder / name, 200 << 30)
        assert not check(folder).valid


def test_links_devices_folders_and_pipes_are_refused(tmp_path: Path) -> None:
    (secret := tmp_path / "secret").touch()
    for name in (CLAIM, FORMULA, PROOF, VARIABLES):
        for put in (
            (lambda path: path.symlink_to("/dev/zero")),
            lambda path: path.symlink_to(secret),  # a fault quotes a line, and that may not be for everybody
            Path.mkdir,
            os.mkfifo,
            lambda path: path.symlink_to(path),
        ):
            folder = bowtie().write(tmp_path / name)
            (folder / name).unlink(missing_ok=True)
            put(folder / name)
            with pytest.raises(BadInput, match=name):
                check(folder)
            (folder / name).rmdir() if (folder / name).is_dir() else (folder / name).unlink()


def test_work_is_limited() -> None:
    row = Constraint(dict.fromkeys(range(1, 1001), 1), 500)
    for words in (["1", *["2", "*", "2", "d"] * 10**4], ["1"] * 10**5):
        with pytest.raises(Wrong, match="more work"):
            evaluate_sum(words, lambda _: row, 1000, Budget())


def test_time_is_limited(tmp_path: Path) -> None:
    folder = sample(COMPLETE, *["pol 1"] * 10).write(tmp_path)
    with pytest.raises(StoppedEarly, match="time"):
        check(folder, clock=Clock(0.0))
    run = CliRunner().invoke(cli, ["check", str(folder), "--time-limit", "0.000001"])
    assert (run.exit_code, "still unknown" in run.stderr) == (3, True)


def test_long_names_are_cut_in_messages(tmp_path: Path) -> None:
    long = "w" * 10**5
    for made in (bowtie(), odd_board(5, 5)):
        made.description["problem"]["start"] = long
        assert len(str(check(made.write(tmp_path)).fault)) < 500
    where = {"graph": {"vertices": [long, "v1"], "edges": [[long, "v1"]]}}
    assert len(claim_of(described(where, start=long, require=[[long, "v1"]], closed=False)).sentence) < 500


# --- about which problem ---


FIVE = Board(5, 5).graph
FIVE_BACKWARDS = Named([FIVE.name(vertex) for vertex in range(24, -1, -1)], "the graph")
FIVE_BY_NUMBERS = Graph.from_edges(25, np.stack(FIVE.edges(), axis=1))


def directed(*arcs: tuple[int, int], closed: bool = True) -> Problem:
    return Problem(Graph.from_edges(3, arcs, directed=True, space=Named(["v0", "v1", "v2"], "the graph")), closed)


@pytest.mark.parametrize(
    ("made", "expected", "same"),
    [
        (odd_board(5, 5), Problem(FIVE, closed=True), True),
        (odd_board(5, 5), Problem(FIVE, closed=True, start=3), True),
        (odd_board(5, 5), Problem(FIVE, closed=False), False),
        (odd_board(5, 5), Problem(Board(5, 5, leaper=(1, 3)).graph, closed=True), False),
        (odd_board(5, 5), Problem(FIVE, closed=True, forbid=((0, 7),)), False),
        (odd_board(5, 5), Problem(FIVE_BY_NUMBERS, closed=True), False),
        (
            odd_board(5, 5),
            Problem(Graph.from_edges(25, 24 - np.stack(FIVE.edges(), axis=1), space=FIVE_BACKWARDS), True),
            True,
        ),
        (one_way(), directed((0, 1), (1, 2)), True),
        (one_way(), directed((1, 0), (1, 2)), False),
        (one_way(), directed((0, 1), (1, 2), (2, 0)), False),
        (one_way(), directed((0, 1), (1, 2), closed=False), False),
    ],
)
def test_a_certificate_of_another_problem_is_refused(
    made: Sample, expected: Problem, same: bool, tmp_path: Path
) -> None:
    verdict = check(made.write(tmp_path), expected=expected)
    assert verdict.valid == same
    if not same:
        refused(verdict, CLAIM, None, f"this is about {verdict.claim!r}")
        refused(verdict, CLAIM, None, "what differs is")


TURN = Symmetry("a turn", np.array([1, 2, 3, 4, 0]))
ASKED = Problem(Graph.from_edges(5, list(combinations(range(5), 2))), True, 0, 4, ((0, 1),), ((1, 3),), TURN)
BACKWARDS = Symmetry("a turn", np.array([4, 0, 1, 2, 3]))
TURNED_ROUND = Problem(
    Graph.from_edges(5, list(combinations(range(5), 2)), space=Named(list("43210"), "the graph")),
    True,
    4,
    0,
    ((4, 3),),
    ((3, 1),),
    BACKWARDS,
)
"""The same problem with its vertices in the opposite order."""


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"closed": False}, "whether the tour is closed"),
        ({"start": 1}, "the start"),
        ({"end": 3}, "the end"),
        ({"require": ((0, 2),)}, "the required moves"),
        ({"forbid": ()}, "the forbidden moves"),
        ({"symmetry": None}, "the symmetry"),
        ({"symmetry": replace(TURN, turning="along")}, "the symmetry"),
        ({"symmetry": replace(TURN, images=np.array([4, 0, 1, 2, 3]))}, "the symmetry"),
        ({"givens": ((0, 1),)}, "the numbers that are given"),
    ],
)
def test_what_differs_between_two_problems_is_named(change: dict[str, Any], name: str) -> None:
    other = replace(ASKED, **change)
    assert difference(ASKED, ASKED) is None
    assert difference(ASKED, TURNED_ROUND) is None
    assert difference(other, TURNED_ROUND) == name
    assert difference(other, ASKED) == difference(ASKED, other) == name


def test_the_command_refuses_a_certificate_of_another_board(tmp_path: Path) -> None:
    folder = str(odd_board(5, 5).write(tmp_path / "d"))
    for asked, status, words in (
        ([], 0, "valid: no closed tour of the 5x5 board (lp, 1 step)"),
        (["5x5", "--closed"], 0, "valid: no closed tour of the 5x5 board"),
        (
            ["5x5"],
            1,
            (
                "not valid: certificate.json: this is about 'no closed tour of the 5x5 board', not about "
                "'no open tour of the 5x5"
            ),
        ),
        (["6x6", "--closed"], 1, "not about 'no closed tour of the 6x6 board'"),
        (["5x5", "--closed", "--hole", "a1"], 1, "not about"),
    ):
        run = CliRunner().invoke(cli, ["check", folder, *asked])
        assert (run.exit_code, words in run.output) == (status, True), run.output


@pytest.mark.parametrize(("kind", "right"), [("none", False), ("count", True), ("best", False)])
def test_another_kind_of_claim_than_expected_is_refused(kind: Any, right: bool, tmp_path: Path) -> None:
    folder = four_vertices(*THREE_TOURS, count=3).write(tmp_path)
    verdict = check(folder, kind=kind)
    assert (verdict.valid, verdict.kind) == (right, "count")
    run = CliRunner().invoke(cli, ["check", str(folder), "--claim", kind, "--json"])
    assert (run.exit_code, json.loads(run.output)["kind"]) == (0 if right else 1, "count")
    assert cpsat_tour.check(folder, claim=kind).valid == right


def test_an_unknown_kind_of_claim_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the claim can't be 'some'"):
        cpsat_tour.check(tmp_path, claim="some")  # type: ignore[arg-type]


def test_the_checker_imports_core_and_spaces_alone() -> None:
    """Beside itself the checker trusts the statement of a problem and the graph of a board."""
    files = [*(Path(cpsat_tour.__file__).parent / "proofs" / "check").glob("*.py")]
    assert len(files) >= 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            modules = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else modules
            for module in modules:
                ours = module.startswith(("cpsat_tour.core.", "cpsat_tour.spaces.", "cpsat_tour.proofs.check"))
                assert ours or module.split(".")[0] in {*sys.stdlib_module_names, "numpy"}, (file.name, module)


def test_the_checker_calls_just_the_files_that_the_documentation_says_it_trusts(tmp_path: Path) -> None:
    """Of graphs and spaces of every kind, directed and symmetric ones, a count and the best."""
    section = (DOCS / "proofs.md").read_text().partition("## What must be trusted")[2].partition("\n## ")[0]
    trusted = set(re.findall(r"(?:core|spaces)/\w+\.py", "".join(re.findall(r"^ +\|.*", section, re.MULTILINE))))
    of_spaces = {f"spaces/{kind.home.partition(':')[0]}.py" for kind in KINDS}
    lattice = {"holes": [], "leaper": [1, 2]}
    samples = [bowtie(), one_way(), turned_round(), half_turned_odd_board(), four_vertices(*THREE_TOURS, count=3)]
    samples.append(Sample(board(3, 4, method="clausal") | {"best": FEWEST_TURNS}))
    for where in ({"sides": [2, 2, 2]}, {"surface": "torus", "rows": 3, "cols": 3}):
        samples.append(Sample(described({"board": where | lattice})))
    folders = [made.write(tmp_path / str(number)) for number, made in enumerate(samples)]
    called: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            called.add(frame.f_code.co_filename)

    verdicts = [check(folder).valid for folder in folders]  # what is imported and kept is so by now
    sys.setprofile(note)
    try:
        assert [check(folder).valid for folder in folders] == verdicts == [True] * 5 + [False] * 3
    finally:
        sys.setprofile(None)
    root = Path(cpsat_tour.__file__).parent
    ours = {Path(name).relative_to(root).as_posix() for name in called if Path(name).is_relative_to(root)}
    others = {name for name in ours if not name.startswith("proofs/check/")} - {"core/runs.py"}
    assert others - of_spaces == trusted - of_spaces
    assert "spaces/board.py" in others & trusted
