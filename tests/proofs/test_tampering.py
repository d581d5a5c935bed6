"""No change to a certificate makes the checker accept what is no proof, crash or hang.

Each line of some certificates is changed in many ways. What the checker still accepts must still be a proof, by the
second opinion of `certificate_judge`; what it refuses it must refuse with a line that is not before the change. Where a
problem has a tour, nothing is ever accepted.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from certificate_judge import Normal, assignments, every_assignment_extends, holds, normal, proves, sides
from certificate_samples import (
    PETERSEN,
    THREE_TOURS,
    Sample,
    board,
    bowtie,
    bridge,
    clausal,
    four_by_four,
    four_vertices,
    graph,
    half_turned_odd_board,
    named_bowtie,
    odd_board,
    one_way,
    opb_of,
    rows_of,
    turned_round,
)

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.claim import CLAIM, Claim
from cpsat_tour.proofs.check.folder import FORMULA, PROOF, Verdict, check
from cpsat_tour.proofs.check.proof import LiveProof, Tours
from cpsat_tour.proofs.check.rows import TrueRows, read_formula
from cpsat_tour.proofs.check.text import Budget, Wrong

SAMPLES: dict[str, Callable[[], Sample]] = {
    "odd board": lambda: odd_board(5, 5),
    "four by four": four_by_four,
    "bowtie": bowtie,
    "bridge": bridge,
    "one way": one_way,
    "definitions": named_bowtie,
    "petersen": lambda: clausal(PETERSEN, 10),
    "a count": lambda: four_vertices(*THREE_TOURS, count=3),
    "a symmetry": turned_round,
    "a symmetric count": lambda: turned_round("solx x1 ~x2 x3 x4 ~x5 x6", count=1),
    "a half turn": half_turned_odd_board,
}

HUGE = "9" * 40
LARGER_THAN_ALLOWED = "7" * 5000
JUNK = bytes(range(256)).replace(b"\n", b"")


def changed_numbers(token: str) -> Iterator[str]:
    """The token with its number changed, its literal negated or its relation turned."""
    if match := re.fullmatch(r"([+~x-]*)(\d+)", token):
        sign, number = match[1], int(match[2])
        for other in (number + 1, number - 1, 0, number * 2, HUGE, LARGER_THAN_ALLOWED):
            yield f"{sign}{other}"
        yield f"-{number}"
        if "x" in sign:
            yield token[1:] if token.startswith("~") else f"~{token}"
    elif token in (">=", "=", "+", "*", "d", "s"):
        yield from {
            ">=": ["=", "<=", ">"],
            "=": [">="],
            "+": ["s", "*"],
            "*": ["d", "+"],
            "d": ["*", "s"],
            "s": ["+", "d"],
        }[token]
    elif token in ("rup", "pol", "red", "del", "solx", "UNSAT", "NONE"):
        yield from {"rup", "pol", "red", "del", "u", "SAT", "a"} - {token}


def changed_lines(line: str, rng: random.Random) -> Iterator[list[bytes]]:
    """What may stand in a line's place: none, one or two lines, as bytes."""
    text = line.encode()
    yield []
    yield [text, text]
    yield [JUNK]
    yield [b"\xff\xfe\x00" + text]
    yield [b"% a comment", text, b""]
    yield [b"   " + text.replace(b" ", b"   ") + b"  \r"]
    yield [text + b" 1"]
    yield [text[: len(text) // 2]]
    tokens = line.split()
    for place in range(len(tokens)) if len(tokens) < 14 else rng.sample(range(len(tokens)), 14):
        yield [" ".join([*tokens[:place], *tokens[place + 1 :]]).encode()]
        for other in changed_numbers(tokens[place]):
            yield [" ".join([*tokens[:place], other, *tokens[place + 1 :]]).encode()]


def changed_files(lines: list[str], rng: random.Random) -> Iterator[tuple[int, list[bytes]]]:
    """The first changed line, from 1, and the lines of the changed file."""
    whole = [line.encode() for line in lines]
    for place, line in enumerate(lines):
        for other in changed_lines(line, rng):
            yield place + 1, [*whole[:place], *other, *whole[place + 1 :]]
        yield place + 1, whole[:place]
        if place + 1 < len(lines):
            yield place + 1, [*whole[:place], whole[place + 1], whole[place], *whole[place + 2 :]]
        there = rng.randrange(len(lines))
        if there > place:
            moved = [*whole[:place], *whole[place + 1 :]]
            yield place + 1, [*moved[:there], whole[place], *moved[there:]]


def overwrite(path: Path, content: bytes) -> None:
    """Write a file anew: some file systems flush a file to disk when it is cut to nothing and written again, which
    takes milliseconds."""
    path.unlink()
    path.write_bytes(content)


def still_proves(folder: Path) -> bool:
    """The second opinion on the files of a folder."""
    lines = [(folder / name).read_bytes().decode("utf-8", "replace").split("\n") for name in (FORMULA, PROOF)]
    return proves(json.loads((folder / CLAIM).read_text()), lines[0], lines[1])


@pytest.mark.parametrize("part", [0.25, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("file", [FORMULA, PROOF])
def test_each_changed_line_is_refused_or_still_proves(name: str, file: str, part: float, tmp_path: Path) -> None:
    sample = SAMPLES[name]()
    folder = sample.write(tmp_path / "certificate")
    assert check(folder).valid
    assert still_proves(folder)
    rng = random.Random(1)
    changes = refused = 0
    for line, content in changed_files((folder / file).read_text().splitlines(), rng):
        if rng.random() > part:
            continue
        overwrite(folder / file, b"".join(part + b"\n" for part in content))
        verdict = check(folder)
        changes += 1
        if verdict.valid:
            assert verdict.fault is None
            assert still_proves(folder), content
        else:
            refused += 1
            assert verdict.fault is not None
            assert verdict.fault.file == file
            assert verdict.fault.line is not None
            assert line <= verdict.fault.line <= len(content) + 1, (verdict, content)
    assert changes >= 100 * part
    assert refused > changes // 2


@pytest.mark.parametrize("name", SAMPLES)
def test_each_changed_line_of_the_description_is_refused_or_still_proves(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]()
    folder = sample.write(tmp_path / "certificate")
    rng = random.Random(2)
    lines = (folder / CLAIM).read_text().splitlines()
    for _, content in described_otherwise(lines, rng):
        overwrite(folder / CLAIM, b"\n".join(content))
        verdict = check(folder)
        if verdict.valid:
            assert still_proves(folder), content
        else:
            assert verdict.fault is not None
            assert verdict.fault.line is None or verdict.fault.line >= 1


def described_otherwise(lines: list[str], rng: random.Random) -> Iterator[tuple[int, list[bytes]]]:
    yield from ((line, content) for line, content in changed_files(lines, rng) if rng.random() < 0.5)
    whole = [line.encode() for line in lines]
    for place, line in enumerate(lines):
        for old, new in (
            ("true", "false"),
            ("null", '"a1"'),
            ("[]", '[["a1", "b3"]]'),
            ("5", "6"),
            ("4", "5"),
            ('"v1"', '"v0"'),
            ('"lp"', '"clausal"'),
            ('"tours": 3', '"tours": 2'),
            ('"tours": 1', '"tours": 2'),
            ("rot180", "rot90"),
            ("rot180", "rot180-eulerian"),
            ('"symmetry": "rot180"', '"end": null'),
            ('"v3"', '"v2"'),
            ('"v2"', '"v3"'),
        ):
            if old in line:
                yield place + 1, [*whole[:place], line.replace(old, new).encode(), *whole[place + 1 :]]


# --- problems with a tour ---


def test_a_certificate_of_another_board_is_refused(tmp_path: Path) -> None:
    """The proof of 5x5, moved to boards that have a tour, with the rows of those boards."""
    proof = odd_board(5, 5).proof
    for description in (board(5, 6), board(6, 6), board(5, 5, closed=False)):
        sample = Sample(description, opb_of(description), list(proof))
        ids = len(rows_of(description)[1]) * 2
        sample.proof[1] = f"f {ids} ;"
        sample.proof[-2] = f"conclusion UNSAT : {ids + 1} ;"
        verdict = check(sample.write(tmp_path / "moved"))
        assert not verdict.valid
        assert verdict.fault is not None
        assert (verdict.fault.file, verdict.fault.line) == (PROOF, 5)
        assert "not a contradiction" in verdict.fault.reason


def random_graph_with_a_tour(rng: random.Random) -> tuple[int, list[tuple[int, int]]]:
    order = rng.randint(3, 5)
    cycle = rng.sample(range(order), order)
    edges = {(min(pair), max(pair)) for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True)}
    edges |= {(one, other) for one in range(order) for other in range(one + 1, order) if rng.random() < 0.4}
    return order, sorted(edges)


def random_step(rng: random.Random, variables: int, ids: int) -> str:
    """A line that may well be a step."""

    def literal(most: int) -> str:
        return f"{rng.choice(('', '~'))}x{rng.randint(1, most)}"

    def constraint(most: int) -> str:
        names = [literal(most) for _ in range(rng.randint(0, 4))]
        weights = [rng.choice((1, 1, 1, 2, 3)) for _ in names]
        terms = " ".join(f"+{a} {x}" for a, x in zip(weights, names, strict=True))
        return f"{terms} >= {rng.choice((0, 1, 1, 1, 2, 3))}".lstrip()

    kind = rng.choice(("pol", "pol", "rup", "rup", "rup", "red", "red", "red", "companion", "del"))
    if kind == "pol":
        tokens = [str(rng.randint(1, ids))]
        for _ in range(rng.randint(0, 4)):
            tokens += rng.choice(
                (
                    [str(rng.randint(1, ids)), "+"],
                    [literal(variables + 3), "+"],
                    [str(rng.randint(1, 3)), "*"],
                    ["2", "d"],
                    ["s"],
                )
            )
        return f"pol {' '.join(tokens)}"
    if kind == "del":
        return f"del id {rng.randint(1, ids)}"
    if kind == "rup":
        hints = rng.sample(range(1, ids + 1), ids)
        return f"rup {constraint(variables + 3)} : {' '.join(map(str, hints * 2))}"
    fresh, value = f"x{rng.randint(variables + 1, variables + 3)}", rng.randint(0, 1)
    head = f"+{rng.choice((1, 1, 2))} {fresh if value else '~' + fresh}"
    return f"red {head} {constraint(variables + (kind == 'red') * 3)} : {fresh} -> {value}"


def test_accepted_steps_lose_no_tour(tmp_path: Path) -> None:
    """Random steps from rows that have a solution: each solution extends to all constraints that were accepted."""
    rng = random.Random(3)
    accepted = definitions = 0
    for _ in range(150):
        order, edges = random_graph_with_a_tour(rng)
        description = graph(edges, order, method="clausal")
        variables, rows = rows_of(description)
        formula = [side for row in rows for side in sides(row)]
        path = Sample(description, opb_of(description)).write(tmp_path) / FORMULA
        proof = live_proof(path, order, edges, [])
        derived: list[Normal] = []
        for _ in range(60):
            step = random_step(rng, variables, len(formula) + proof.steps)
            before = proof.steps
            try:
                proof.step(step)
            except Wrong:
                continue
            if proof.steps > before:
                derived.append(as_normal(proof, len(formula) + proof.steps))
                accepted += 1
                definitions += step.startswith("red")
        assert loses_no_solution(variables, formula, derived), (description, derived)
    assert accepted > 2000
    assert definitions > 300


def as_normal(proof: LiveProof, number: int) -> Normal:
    constraint = proof.constraint(str(number))
    return normal([(c, x) for x, c in constraint.terms.items()], constraint.bound)


def loses_no_solution(variables: int, formula: list[Normal], derived: list[Normal]) -> bool:
    fresh = sorted({abs(x) for terms, _ in derived for x in terms if abs(x) > variables})
    return all(
        any(all(holds(constraint, true | more) for constraint in derived) for more in assignments(fresh))
        for true in assignments(range(1, variables + 1))
        if all(holds(row, true) for row in formula)
    )


def test_random_proofs_of_problems_with_a_tour_are_refused(tmp_path: Path) -> None:
    rng = random.Random(4)
    for _ in range(300):
        order, edges = random_graph_with_a_tour(rng)
        cuts = [
            [f"v{vertex}" for vertex in rng.sample(range(order), rng.randint(1, order - 1))]
            for _ in range(rng.randint(0, 3))
        ]
        description = graph(edges, order, method="clausal", cut_sets=cuts)
        variables, rows = rows_of(description)
        ids = len(rows) + sum(relation == "=" for _, relation, _ in rows)
        steps = [random_step(rng, variables, ids) for _ in range(rng.randint(1, 5))]
        lines = ["pseudo-Boolean proof version 3.0", f"f {ids} ;", *(f"{step} ;" for step in steps), "output NONE ;"]
        number = ids + rng.randint(0, len(steps))
        verdict = check(
            Sample(
                description,
                opb_of(description),
                [*lines, f"conclusion UNSAT : {number} ;", "end pseudo-Boolean proof ;"],
            ).write(tmp_path)
        )
        assert not verdict.valid, steps


def test_a_definition_that_says_too_much_is_refused() -> None:
    """The rule's three conditions, each broken; and the judge agrees that definitions that are accepted assume
    nothing."""
    for steps, wrong in (
        (["red +1 x1 >= 1 : x1 -> 1"], "formula"),
        (["pol x7 x1 +", "red +1 x7 >= 1 : x7 -> 1"], "not fresh"),
        (["red +1 x7 +1 x1 >= 1 : x7 -> 0"], "does not define"),
        (["red +1 x7 +2 x1 >= 2 : x7 -> 1"], "does not define"),
        (["red +1 x1 >= 1 : x7 -> 1"], "does not define"),
        (["red +1 x7 >= 1 : x7 -> 1", "red +1 ~x7 >= 1 : x7 -> 0"], "other value"),
        (["red +1 x7 +1 x1 >= 1 : x7 -> 1", "red +1 ~x7 +1 x1 >= 1 : x7 -> 0"], "other value"),
        (
            ["red +1 x7 +1 x1 >= 1 : x7 -> 1", "red +1 ~x7 +1 x8 +1 ~x1 >= 1 : x7 -> 0", "red +1 x8 >= 1 : x8 -> 1"],
            "not fresh",
        ),
        (
            ["red +2 x7 +1 x1 +1 x2 +1 x3 >= 2 : x7 -> 1", "red +2 ~x7 +1 ~x1 +1 ~x2 +1 ~x3 >= 3 : x7 -> 0"],
            "does not define",
        ),
        (
            ["red +2 x7 +1 x1 +1 x2 +1 x3 >= 2 : x7 -> 1", "red +3 ~x7 +1 ~x1 +1 ~x2 +1 ~x3 >= 3 : x7 -> 0"],
            "other value",
        ),
    ):
        proof = proof_of_the_bowtie()
        for step in steps[:-1]:
            proof.step(step)
        with pytest.raises(Wrong, match=wrong):
            proof.step(steps[-1])


def test_definitions_may_be_pseudo_boolean_and_in_either_order() -> None:
    proof = proof_of_the_bowtie()
    steps = [
        "red +2 x7 +1 x1 +1 x2 +1 x3 >= 2 : x7 -> 1",
        "red +2 ~x7 +1 ~x1 +1 ~x2 +1 ~x3 >= 2 : x7 -> 0",
        "red +1 ~x8 +1 x7 >= 1 : x8 -> 0",
        "red +1 x8 +1 ~x7 >= 1 : x8 -> 1",
    ]
    for step in steps:
        proof.step(step)
    assert every_assignment_extends(6, [as_normal(proof, 12 + number) for number in range(1, 5)])


def proof_of_the_bowtie() -> LiveProof:
    edges = [(0, 1), (0, 2), (1, 2), (0, 3), (0, 4), (3, 4)]
    with tempfile.TemporaryDirectory() as folder:
        return live_proof(named_bowtie().write(Path(folder)) / FORMULA, 5, edges, [[1, 2], [3, 4]])


def live_proof(formula: Path, order: int, edges: list[tuple[int, int]], cut_sets: list[list[int]]) -> LiveProof:
    """A proof that begins, from the rows of a graph's closed tours in this file."""
    budget, problem = Budget(), Problem(Graph.from_edges(order, edges), closed=True)
    cycle = TrueRows(problem, budget.work)
    claim = Claim(problem, "clausal", cut_sets, None, None)
    return LiveProof(read_formula(formula, cycle, cut_sets, budget), claim, budget, Tours(cycle, budget))


def test_no_bytes_make_the_checker_crash(tmp_path: Path) -> None:
    """Random bytes, and random bytes put into good files."""
    rng = random.Random(5)
    folder = bowtie().write(tmp_path / "certificate")
    good = {name: (folder / name).read_bytes() for name in (CLAIM, FORMULA, PROOF)}
    for _ in range(200):
        name = rng.choice((CLAIM, FORMULA, PROOF))
        content = bytearray(good[name])
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(content))
            content[at : at + rng.choice((0, 1, 1, 9))] = rng.randbytes(rng.choice((1, 2, 30)))
        overwrite(folder / name, rng.choice((bytes(content), rng.randbytes(300))))
        verdict: Verdict = check(folder)
        assert verdict.valid == (verdict.fault is None)
        assert not verdict.valid or still_proves(folder)
        overwrite(folder / name, good[name])
