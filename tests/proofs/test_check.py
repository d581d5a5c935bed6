"""The checker: what it accepts and says, that it rebuilds the right rows, that its rules are sound, and that nothing it
reads can blow up."""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certificate_judge import Normal, normal, polish
from certificate_samples import (
    PETERSEN,
    THREE_TOURS,
    Description,
    Sample,
    board,
    bowtie,
    bridge,
    clausal,
    four_by_four,
    four_vertices,
    generalised_petersen,
    graph,
    named_bowtie,
    names_and_edges,
    odd_board,
    opb_of,
    sample,
    turned_round,
)
from click.testing import CliRunner
from veripb_grammar import check_formula, check_proof

import cpsat_tour
from cpsat_tour.cli.check import check as command
from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import Event
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.arithmetic import Constraint, reverse_polish
from cpsat_tour.proofs.check.claim import CLAIM, read_claim
from cpsat_tour.proofs.check.folder import FORMULA, PROOF, VARIABLES, Verdict, check
from cpsat_tour.proofs.check.rows import TrueRows, read_formula
from cpsat_tour.proofs.check.text import Budget, Fault, Wrong
from cpsat_tour.spaces.board import Board


def complete(order: int) -> Description:
    """A complete graph, which has tours, and two of its cut sets: nothing follows from its rows by propagation
    alone."""
    edges = [(one, other) for one in range(order) for other in range(one + 1, order)]
    return graph(edges, order, method="clausal", cut_sets=[["v1", "v2"], ["v3", "v4"]])


def refused(verdict: Verdict, file: str, line: int | None, reason: str) -> None:
    assert not verdict.valid
    assert isinstance(verdict.fault, Fault)
    assert (verdict.fault.file, verdict.fault.line) == (file, line), str(verdict.fault)
    assert reason in verdict.fault.reason, str(verdict.fault)
    assert len(str(verdict.fault)) < 400


# --- what is accepted, and what is said of it ---


@pytest.mark.parametrize(
    ("made", "claim", "steps"),
    [
        (odd_board(5, 5), "no closed tour of the 5x5 board", 1),
        (odd_board(3, 9), "no closed tour of the 3x9 board", 1),
        (four_by_four(), "no closed tour of the 4x4 board", 1),
        (bowtie(), "no closed tour of the graph with 5 vertices and 6 edges", 2),
        (bridge(), "no closed tour of the graph with 6 vertices and 7 edges", 1),
        (named_bowtie(), "no closed tour of the graph with 5 vertices and 6 edges", 8),
    ],
)
def test_certificates_made_by_hand_are_valid(made: Sample, claim: str, steps: int, tmp_path: Path) -> None:
    assert check(made.write(tmp_path)) == Verdict(True, claim, made.description["method"], steps, kind="none")


@pytest.mark.parametrize("edges", [PETERSEN, generalised_petersen(11, 2)])
def test_clausal_certificates_are_valid(edges: list[tuple[int, int]], tmp_path: Path) -> None:
    verdict = check(clausal(edges, max(map(max, edges)) + 1).write(tmp_path))
    assert verdict.valid
    assert verdict.method == "clausal"


def test_degenerate_closed_problems_have_certificates(tmp_path: Path) -> None:
    """No closed tour has fewer than three vertices; the rows say so too."""
    assert check(sample(board(1, 1), "pol 1").write(tmp_path)).valid
    assert check(sample(board(1, 2), "pol 1").write(tmp_path)).valid
    assert check(sample(graph([(0, 1)], 2), "pol 1 ~x1 +").write(tmp_path)).valid


def test_the_open_tour_of_one_square_is_not_refuted(tmp_path: Path) -> None:
    """Its rows have no solution, but the tour is there."""
    made = sample(board(1, 1, closed=False), "pol 1 ~x1 +")
    refused(check(made.write(tmp_path)), CLAIM, None, "one vertex")


def test_claims_name_all_that_was_asked() -> None:
    for description, claim in (
        (board(3, 4, closed=False, start="a1", end="c3"), "no open tour of the 3x4 board from a1 to c3"),
        (board(3, 4, start="a1", end="b3"), "no closed tour of the 3x4 board with the move b3-a1"),
        (
            board(3, 4, holes=("b2",), leaper=(0, 1)),
            "no closed tour of the 3x4 board less 1 square by a 0,1 leaper, the holes being b2",
        ),
        (
            board(3, 4, require=[["a1", "b3"]], forbid=[["c3", "a2"]]),
            "no closed tour of the 3x4 board, using b3-a1, avoiding c3-a2",
        ),
    ):
        assert claim_of(description).sentence == claim


def claim_of(description: Description) -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / CLAIM
        path.write_text(json.dumps(description))
        return read_claim(path, 10**6)


def test_progress_is_told_and_may_stop_the_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpsat_tour.proofs.check.text.WORK_BETWEEN_BEATS", 0)
    events: list[Event] = []
    folder = sample(bowtie().description, *["pol 1 2 +"] * 1000, "pol 11 12 + 2 +").write(tmp_path)
    assert check(folder, events.append).valid
    assert len(events) > 1000

    def stop(_event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(folder, stop)


# --- the rows ---


def random_description(rng: random.Random) -> Description:
    closed = rng.random() < 0.5
    if rng.random() < 0.5:
        rows, cols = rng.randint(1, 4), rng.randint(2, 4)
        squares = [f"{file}{rank}" for file in "abcd"[:cols] for rank in range(1, rows + 1)]
        holes = tuple(rng.sample(squares, rng.randint(0, len(squares) - 2)))
        description = board(
            rows, cols, closed=closed, holes=holes, leaper=rng.choice([(1, 2), (2, 1), (0, 1), (1, 1), (1, 3)])
        )
    else:
        order = rng.randint(2, 7)
        pairs = [(one, other) for one in range(order) for other in range(order) if one != other and rng.random() < 0.3]
        description = graph(pairs, order, closed=closed)
    problem = description["problem"]
    names, edges = names_and_edges(problem)
    if rng.random() < 0.6:
        problem["start"] = rng.choice(names)
        problem["end"] = rng.choice([None, *names])
    for key in ("require", "forbid"):
        problem[key] = [
            [names[i] for i in rng.sample(edge, 2)] for edge in rng.sample(edges, min(len(edges), rng.randint(0, 2)))
        ]
    everything = names if closed else [*names, "apex"]
    description["cut_sets"] = [
        rng.sample(everything, rng.randint(1, len(everything) - 1)) for _ in range(rng.randint(0, 3))
    ]
    return description


def test_rows_are_those_found_by_looking_at_every_pair(tmp_path: Path) -> None:
    rng = random.Random(6)
    for _ in range(300):
        description = random_description(rng)
        claim = claim_of(description)
        path = tmp_path / FORMULA
        path.unlink(missing_ok=True)
        path.write_text("\n".join(opb_of(description)))
        formula = read_formula(path, TrueRows(claim.problem, Budget().work), claim.cut_sets, Budget())
        assert len(formula) == sum(1 + (" = " in line) for line in opb_of(description)[2:])


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


def test_comments_and_variables_say_what_the_rows_mean(tmp_path: Path) -> None:
    """As they are written by hand here: an open tour of three squares in a row, with every kind of row."""
    made = Sample(
        graph(
            [(0, 1), (1, 2)], 3, closed=False, start="v0", end="v0", forbid=[["v2", "v1"]], cut_sets=[["v0", "apex"]]
        ),
        [
            "* #variable= 5 #constraint= 8",
            *("* two edges at v0", "+1 x1 +1 x3 = 2 ;", "* two edges at v1", "+1 x1 +1 x2 +1 x4 = 2 ;"),
            *("* two edges at v2", "+1 x2 +1 x5 = 2 ;", "* two edges at apex", "+1 x3 +1 x4 +1 x5 = 2 ;"),
            *("* v0-apex is required", "+1 x3 = 1 ;"),
            *("* a tour can't both start and end at v0 and visit another vertex", "+0 x1 = 1 ;"),
            *(
                "* v1-v2 is forbidden",
                "+1 x2 = 0 ;",
                "* a tour leaves v0 apex and comes back",
                "+1 x1 +1 x4 +1 x5 >= 2 ;",
            ),
        ],
        [
            "pseudo-Boolean proof version 3.0",
            "f 15 ;",
            "pol 11 ;",
            "output NONE ;",
            "conclusion UNSAT : 11 ;",
            "end pseudo-Boolean proof ;",
        ],
    )
    variables = ["x1 = v0-v1", "x2 = v1-v2", "x3 = v0-apex", "x4 = v1-apex", "x5 = v2-apex"]
    folder = made.write(tmp_path)
    (folder / VARIABLES).write_text("\n".join(variables))
    assert check(folder).valid
    for line, comment in enumerate(made.opb, start=1):
        if comment.startswith("* ") and line > 1:
            other = comment.replace("v0", "v1") if "v0" in comment else comment.replace(" ", " v0 ", 1)
            made.opb[line - 1] = other
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


def test_reverse_polish_agrees_with_fractions() -> None:
    """The same line over signed sums and over literals in normal form."""
    rng = random.Random(7)
    results = 0
    for _ in range(2000):
        live = {
            str(number): Constraint({x: c for x in range(1, 5) if (c := rng.randint(-3, 3))}, rng.randint(-3, 3))
            for number in range(1, 5)
        }
        tokens = [str(rng.randint(1, 4))]
        for _ in range(rng.randint(0, 6)):
            tokens += rng.choice(
                (
                    [str(rng.randint(1, 4)), "+"],
                    [rng.choice(("x1", "~x2", "~x5")), "+"],
                    ["3", "*"],
                    ["2", "d"],
                    ["3", "d"],
                    ["s"],
                )
            )
        mine = reverse_polish(tokens, live.__getitem__, 10, Budget())
        theirs = polish(tokens, {int(number): as_normal(constraint) for number, constraint in live.items()})
        assert as_normal(mine) == theirs, tokens
        results += bool(mine.terms)
    assert results > 1000


def as_normal(constraint: Constraint) -> Normal:
    return normal([(c, x) for x, c in constraint.terms.items()], constraint.bound)


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
    made = sample(complete(5), step)
    refused(check(made.write(tmp_path)), PROOF, 3, reason)


def test_deleted_constraints_are_gone(tmp_path: Path) -> None:
    for steps in (["del id 11", "pol 11 12 +"], ["pol 1", "del id 12 12"], ["pol 1", "del id 13", "pol 13"][1:]):
        made = sample(complete(5), *steps) if "13" not in steps[0] else sample(complete(5), "pol 1", *steps)
        line = len(made.proof) - 3
        refused(check(made.write(tmp_path)), PROOF, line, "deleted")


def test_an_lp_proof_has_sums_only(tmp_path: Path) -> None:
    made = named_bowtie()
    made.description["method"] = "lp"
    refused(check(made.write(tmp_path)), PROOF, 3, "none of the rules")


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
        ([HEADER, "f 12 ;", SUM, NONE, "conclusion UNSAT : 14 ;"], 5, "no constraint 14"),
        ([HEADER, "f 12 ;", SUM, NONE, "conclusion UNSAT : -1 ;"], 5, "neither"),
        ([HEADER, "f 12 ;", SUM, NONE, "conclusion NONE ;"], 5, "conclusion UNSAT"),
        ([HEADER, "f 12 ;", SUM, NONE, CONCLUSION], 6, "end pseudo"),
        ([HEADER, "f 12 ;", SUM, NONE, CONCLUSION, "end pseudo-Boolean proof"], 6, "end with ;"),
        ([*bowtie().proof, "pol 1 ;"], 8, "nothing may follow"),
    ],
)
def test_the_frame_of_a_proof_is_whole(lines: list[str], line: int, reason: str, tmp_path: Path) -> None:
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
def test_a_description_that_is_no_description(text: bytes, line: int | None, reason: str, tmp_path: Path) -> None:
    folder = bowtie().write(tmp_path)
    (folder / CLAIM).write_bytes(text)
    refused(check(folder), CLAIM, line, reason)


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
        (("problem", "board", "holes"), ["a1", "a9"], "not on"),
        (("problem", "board", "holes"), ["a1"] * 20, "each hole once"),
        (("multipliers",), [], "unknown field multipliers"),
        (("problem", "board", "leaper"), [1], "2 whole numbers"),
        (("problem", "board", "leaper"), [-1, 2], "leaper"),
        (("problem", "board"), {"family": "Q(3)"}, "not a space"),
        (("cut_sets",), {}, "Expected array"),
        (("cut_sets",), [["a1"], []], "some and not all"),
        (("cut_sets",), [["a1", "a1"]], "twice"),
        (("cut_sets",), [["a1", "0,4"], ["apex"]], "not a square"),
    ],
)
def test_a_wrong_description_is_named(place: tuple[str, ...], value: Any, reason: str, tmp_path: Path) -> None:
    made = odd_board(5, 5)
    holder = made.description
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    refused(check(made.write(tmp_path)), CLAIM, None, reason)


def test_graphs_are_read_with_care(tmp_path: Path) -> None:
    for key, value, reason in (
        ("vertices", ["v0", "v1", "v2", "v3", "v3"], "twice"),
        ("vertices", ["v0", "v1", "v2", "v3", "v\x1b[2J"], "can't be printed"),
        ("edges", [["v0", "w"]], "'w' is not a vertex"),
        ("edges", [["v1", "v1"]], "joins 'v1' to itself"),
    ):
        made = bowtie()
        made.description["problem"]["graph"][key] = value
        refused(check(made.write(tmp_path)), CLAIM, None, reason)


def test_long_lines_and_control_characters_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bowtie()
    made.proof.insert(2, "* a comment\x0bpol 1")
    refused(check(made.write(tmp_path)), PROOF, 3, "control character")
    monkeypatch.setattr("cpsat_tour.proofs.check.text.MAX_BYTES", 3000)
    made.proof[2] = "* " + "long " * 1000
    refused(check(made.write(tmp_path)), PROOF, 3, "longer than 3000 bytes")


def test_memory_follows_the_live_constraints(tmp_path: Path) -> None:
    """Four times the steps, each derived and deleted: a clause, a sum and a definition."""
    check(named_bowtie().write(tmp_path))

    def peak(rounds: int) -> int:
        lines = [
            line
            for number in range(14, 14 + 3 * rounds, 3)
            for line in ("rup +1 x1 +1 x2 +1 x3 >= 1 : 1 ;", "pol 1 3 +", f"del id {number - 1} {number}", "pol 1")
        ]
        folder = sample(complete(5), *lines, "pol x1").write(tmp_path)
        tracemalloc.start()
        verdict = check(folder)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        refused(verdict, PROOF, 5 + 4 * rounds, "not a contradiction")
        return top

    assert peak(800) < 1.2 * peak(200) + 500 * 800


def test_the_checker_needs_no_compiler(tmp_path: Path) -> None:
    """Sums and clauses are checked where Numba can't be imported."""
    bowtie().write(tmp_path / "lp")
    clausal(PETERSEN, 10).write(tmp_path / "clausal")
    program = f"""
import sys
sys.modules["numba"] = sys.modules["ortools"] = sys.modules["pysat"] = None
from pathlib import Path
from cpsat_tour.proofs.check.folder import check
assert check(Path({str(tmp_path / "lp")!r})).valid
assert check(Path({str(tmp_path / "clausal")!r})).valid
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# --- statements and hints ---


def verdict_on(tmp_path: Path, *statements: str) -> Verdict:
    """The verdict on the bowtie with these statements."""
    made = sample(bowtie().description | {"method": "clausal"})
    made.proof = [HEADER, *statements]
    return check(made.write(tmp_path))


def test_labels_and_comments_are_passed_over(tmp_path: Path) -> None:
    ends = (NONE, "@c conclusion UNSAT : 14 ;", END)
    assert verdict_on(tmp_path, "% é", "f 12 ;", "@both pol 11 12 + ;", "% why", "", "@both pol 13 2 +;", *ends).valid


def test_hints_must_do(tmp_path: Path) -> None:
    """Row 3 says that v1 needs x1 and x5; rows 7 and 9 do so for v3, with x3, and v4, with x4."""
    for step, fault in (
        ("rup +1 x1 >= 1 : 3 ;", None),
        ("rup +1 x1 +1 x2 +1 x9 >= 1 : 3 ;", None),
        ("rup +1 x3 +1 x4 >= 1 : 7 9 ;", None),
        ("rup +1 x1 >= 1 : 1 ;", "its hints"),
        ("rup +1 x1 >= 1 : ;", "its hints"),
        ("rup +1 x1 >= 1 : 99 ;", "no constraint 99"),
    ):
        verdict = verdict_on(tmp_path, "f 12 ;", step, NONE, CONCLUSION, END)
        if fault is None:
            refused(verdict, PROOF, 5, "not a contradiction")
        else:
            refused(verdict, PROOF, 3, fault)


def test_what_steps_with_hints_derive_counts(tmp_path: Path) -> None:
    verdict = verdict_on(
        tmp_path,
        "f 12 ;",
        "rup +1 x1 >= 1 : 3 ;",
        "rup +1 x2 >= 1 : 5 ;",
        "pol 2 13 + 14 + 11 + 12 + ;",
        "rup >= 1 : 13 14 11 12 2 ;",
        NONE,
        "conclusion UNSAT : 16 ;",
        END,
    )
    assert verdict.valid, verdict


# --- how many tours there are ---


def test_counts_are_proved(tmp_path: Path) -> None:
    made = four_vertices(*THREE_TOURS, count=3)
    claim = "exactly 3 closed tours of the graph with 4 vertices and 6 edges"
    assert check(made.write(tmp_path)) == Verdict(True, claim, "clausal", 6, kind="count")
    check_proof("\n".join(made.proof))
    check_formula("\n".join(made.opb))


@pytest.mark.parametrize(
    ("tours", "count", "line", "reason"),
    [
        (THREE_TOURS, 2, 10, "ENUMERATION_COMPLETE 2"),
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
    made = four_vertices(*tours, count=count)
    if count == 2 and len(tours) == 3:
        made.proof[-2] = "conclusion ENUMERATION_COMPLETE 3 : 14 ;"
    refused(check(made.write(tmp_path)), PROOF, line, reason)


def test_a_count_that_differs_from_the_claim_is_refused(tmp_path: Path) -> None:
    made = four_vertices(*THREE_TOURS, count=3)
    made.description["tours"] = 4
    made.proof[-2] = "conclusion ENUMERATION_COMPLETE 4 : 14 ;"
    refused(check(made.write(tmp_path)), PROOF, 10, "3 of the 4 tours")
    for tours in (None, "3", -1, True):
        made.description["tours"] = tours
        assert "tours" in str(check(made.write(tmp_path)).fault)
    del made.description["tours"]
    refused(check(made.write(tmp_path)), FORMULA, 2, "two edges at v0")
    made.opb[1] = ""
    refused(check(made.write(tmp_path)), PROOF, 3, "none of the rules")


def test_what_is_no_tour_of_the_problem_is_not_counted(tmp_path: Path) -> None:
    """A prism's two triangles have two edges at each vertex; and a tour may use a forbidden edge, or lack a required
    one."""
    prism = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)]
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({}, "solx x1 x2 ~x3 x4 ~x5 ~x6 x7 x8 x9", "comes back after 3 of the 6"),
        ({"forbid": [["v0", "v1"]]}, "solx x1 ~x2 x3 x4 ~x5 x6 x7 ~x8 x9", "v0-v1 is forbidden"),
        ({"require": [["v0", "v2"]]}, "solx x1 ~x2 x3 x4 ~x5 x6 x7 ~x8 x9", "v0-v2 is required"),
    ]
    for more, shown, reason in cases:
        made = sample(graph(prism, 6, method="clausal", **more), shown)
        made.description["tours"] = 1
        made.opb[1] = "preserved: x1 x2 x3 x4 x5 x6 x7 x8 x9 ;"
        refused(check(made.write(tmp_path)), PROOF, 3, reason)


# --- what could blow up ---


def test_what_is_read_is_bounded_whatever_size_a_file_is_said_to_have(tmp_path: Path) -> None:
    """A sparse file of 200 GB does not make the checker build a board of 16 million squares."""
    made = Sample(board(4096, 4096), ["* #variable= 1 #constraint= 1"], [])
    folder = made.write(tmp_path)
    os.truncate(folder / FORMULA, 200 << 30)
    tracemalloc.start()
    refused(check(folder), FORMULA, 2, "longer than")
    assert tracemalloc.get_traced_memory()[1] < 50 << 20
    tracemalloc.stop()
    for name in (CLAIM, PROOF):
        folder = bowtie().write(tmp_path)
        os.truncate(folder / name, 200 << 30)
        assert not check(folder).valid


def test_devices_and_folders_are_not_files_of_a_certificate(tmp_path: Path) -> None:
    for name in (CLAIM, FORMULA, PROOF, VARIABLES):
        for put in (
            (lambda path: path.symlink_to("/dev/zero")),
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
    with pytest.raises(Wrong, match="more work"):
        reverse_polish(["1", *["2", "*", "2", "d"] * 10**4], lambda _: row, 1000, Budget())
    with pytest.raises(Wrong, match="more work"):
        reverse_polish(["1"] * 10**5, lambda _: row, 1000, Budget())


def test_time_is_limited(tmp_path: Path) -> None:
    folder = sample(complete(5), *["pol 1"] * 10).write(tmp_path)
    with pytest.raises(StoppedEarly, match="time"):
        check(folder, clock=Clock(0.0))
    run = CliRunner().invoke(command, [str(folder), "--time-limit", "0.000001"])
    assert (run.exit_code, "still unknown" in run.stderr) == (3, True)


def test_names_are_quoted_in_part(tmp_path: Path) -> None:
    made = bowtie()
    made.description["problem"]["start"] = "v" * 10**6
    refused(check(made.write(tmp_path)), CLAIM, None, "not a vertex of the graph")
    names = made.description["problem"]["graph"]
    long = "w" * 10**5
    names["vertices"][0] = long
    names["edges"] = [[long if end == "v0" else end for end in edge] for edge in names["edges"]]
    made.description["problem"] |= {"start": long, "require": [[long, "v1"]], "closed": False}
    verdict = check(made.write(tmp_path))
    assert len(verdict.claim) < 500
    odd = odd_board(5, 5)
    odd.description["problem"]["start"] = "a" * 10**6
    assert len(str(check(odd.write(tmp_path)).fault)) < 500


# --- about which problem ---


def test_a_certificate_is_compared_with_the_problem_that_one_expects(tmp_path: Path) -> None:
    folder = odd_board(5, 5).write(tmp_path)
    five = Board(5, 5).graph
    assert check(folder, expected=Problem(five, closed=True)).valid
    assert check(folder, expected=Problem(five, closed=True, start=3)).valid
    for other in (
        Problem(five, closed=False),
        Problem(Board(5, 5, leaper=(1, 3)).graph, closed=True),
        Problem(Board(6, 6).graph, closed=True),
        Problem(five, closed=True, forbid=((0, 7),)),
        Problem(Graph.from_edges(25, list(zip(*map(np.ndarray.tolist, five.edges()), strict=True))), closed=True),
    ):
        refused(check(folder, expected=other), CLAIM, None, "this is about 'no closed tour of the 5x5 board'")


def test_the_command_compares_with_the_board_that_is_given(tmp_path: Path) -> None:
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
        run = CliRunner().invoke(command, [folder, *asked])
        assert (run.exit_code, words in run.output) == (status, True), run.output


def test_what_differs_is_told_where_the_words_are_the_same(tmp_path: Path) -> None:
    folder = odd_board(5, 5).write(tmp_path)
    run = CliRunner().invoke(command, [str(folder), "5x5", "--closed", "--at", "a1=3"])
    assert run.exit_code == 1
    assert run.output.endswith("'no closed tour of the 5x5 board': what differs is the numbers that are given\n")
    turned = turned_round()
    mine = claim_of(turned.description)
    assert mine.sentence == (
        "no closed tour of the graph with 4 vertices and 6 edges, avoiding v0-v1, mapped to itself by the permutation "
        "(v0 to v1, v1 to v2, v2 to v3, v3 to v0)"
    )
    assert claim_of(graph([(0, 1)], 2)).sentence == "no closed tour of the graph with 2 vertices and 1 edge"
    many = [[f"v{vertex}", f"v{vertex + 1}"] for vertex in range(10)]
    named = claim_of(graph([(vertex, vertex + 1) for vertex in range(10)], 11, forbid=many)).sentence
    assert named.endswith("v7-v8 and 2 more that certificate.json names")


@pytest.mark.parametrize(("kind", "holds"), [("none", False), ("count", True), ("best", False)])
def test_the_claim_that_is_expected_may_be_told(kind: Any, holds: bool, tmp_path: Path) -> None:
    folder = four_vertices(*THREE_TOURS, count=3).write(tmp_path)
    verdict = check(folder, kind=kind)
    assert (verdict.valid, verdict.kind) == (holds, "count")
    run = CliRunner().invoke(command, [str(folder), "--claim", kind, "--json"])
    assert (run.exit_code, json.loads(run.output)["kind"]) == (0 if holds else 1, "count")
    assert cpsat_tour.check(folder, claim=kind).valid == holds


def test_what_is_asked_of_check_is_looked_at(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a folder can't be 5"):
        cpsat_tour.check(5)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="the claim can't be 'some'"):
        cpsat_tour.check(tmp_path, claim="some")  # type: ignore[arg-type]


def test_the_checker_imports_core_and_spaces_alone() -> None:
    """What it must believe beside itself: the words of a problem, and the graph of a board."""
    home = Path(cpsat_tour.__file__).parent
    files = [*(home / "proofs" / "check").glob("*.py")]
    assert len(files) > 8
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            modules = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [name.name for name in getattr(node, "names", [])]
            )
            for module in modules if isinstance(node, ast.Import | ast.ImportFrom) else []:
                if module.startswith("cpsat_tour"):
                    assert module.startswith(("cpsat_tour.core.", "cpsat_tour.spaces.", "cpsat_tour.proofs.check")), (
                        file.name,
                        module,
                    )
                else:
                    assert module.split(".")[0] in {*sys.stdlib_module_names, "numpy"}, (file.name, module)
