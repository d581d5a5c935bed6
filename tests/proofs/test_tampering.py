"""No change to a certificate makes the checker accept a wrong proof, crash or hang.

Each line of some certificates is changed in many ways. What the checker still accepts must still be a proof, by the
second opinion of `certificate_judge`; what it refuses it must refuse with a line that is not before the change. Where a
problem has a tour, nothing is ever accepted.
"""

import json
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from brute_force import brute_force
from certificate_judge import Normal, assignments, holds, normal, proves, read_sides, routes, rows_of
from certificate_samples import (
    THREE_TOURS,
    Sample,
    bowtie,
    bridge,
    claim_of,
    counted_round,
    four_by_four,
    four_vertices,
    graph,
    half_turned_odd_board,
    named_bowtie,
    odd_board,
    one_way,
    overwrite,
    turned_round,
)

from cpsat_tour import Graph, Problem
from cpsat_tour.cli.main import status
from cpsat_tour.engines.best import optimise_routes
from cpsat_tour.engines.best_search import routes_goal
from cpsat_tour.proofs.check.arithmetic import Budget, Wrong
from cpsat_tour.proofs.check.claim import CLAIM, read_claim
from cpsat_tour.proofs.check.folder import FORMULA, PROOF, LiveProof, ShownTours, check
from cpsat_tour.proofs.write.tour_certificates import prove_longest
from cpsat_tour.spaces.families import Member


@cache
def written(command: str) -> Sample:
    """The certificate that a command writes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "proof"
        place = "-o" if command.startswith("prove") else "--certificate"
        assert status([*command.split(), "--quiet", place, str(folder)]) == 0
        return Sample.read(folder)


@cache
def longest(graph: Graph, *, closed: bool, needed: int) -> Sample:
    """The certificate of the longest route that does not leave out this vertex."""
    optional = {*range(graph.order)} - {needed}
    found = optimise_routes(routes_goal(Problem(graph, closed), "length", optional))
    with tempfile.TemporaryDirectory() as name:
        prove_longest(found.goal, found.routes.routes[0]).write(name, force=True)
        return Sample.read(Path(name))


TWO_OF_FOUR = (
    *("red +2 x7 +1 x1 +1 x2 +1 x3 >= 2 : x7 -> 1", "red +2 ~x7 +1 ~x1 +1 ~x2 +1 ~x3 >= 2 : x7 -> 0"),
    *("red +1 ~x8 +1 x7 >= 1 : x8 -> 0", "red +1 x8 +1 ~x7 >= 1 : x8 -> 1"),
)
"""Steps that define a variable by sums, true before false, and one by clauses, false before true."""

SAMPLES: dict[str, Callable[[], Sample]] = {
    "odd board": lambda: odd_board(5, 5),
    "four by four": four_by_four,
    "bowtie": bowtie,
    "bridge": bridge,
    "one way": one_way,
    "definitions": named_bowtie,
    "two of four": lambda: bowtie(*TWO_OF_FOUR, "pol 11 12 + 2 +", method="clausal"),
    "a count": lambda: four_vertices(*THREE_TOURS, count=3),
    "a symmetry": turned_round,
    "a symmetric count": counted_round,
    "a half turn": half_turned_odd_board,
    "petersen": lambda: written("prove GP(5,2) --closed --method sat"),
    "cube": lambda: written("prove Q(3) --closed --count"),
    "rook": lambda: written("best 3x4 --leaper 0,1 --closed --minimize turns"),
    "king": lambda: written("best 3x3 --moves king --closed --minimize turns"),
    "longest cycle": lambda: written("best 3x4 --closed --maximize length"),
    "longest path": lambda: longest(Graph.from_edges(6, [(0, leaf) for leaf in range(1, 6)]), closed=False, needed=5),
    "longest cycle by branching": lambda: longest(Member.parse("GP(5,2)").graph, closed=True, needed=0),
}


HUGE = "9" * 40
LARGER_THAN_ALLOWED = "7" * 5000
JUNK = bytes(range(256)).replace(b"\n", b"")


OTHER_WORDS = {
    **{">=": "= <= >", "=": ">=", "+": "s *", "*": "d +", "d": "* s", "s": "+ d"},
    **dict.fromkeys(("rup", "pol", "red", "del", "solx", "soli", "UNSAT", "NONE"), "rup pol red del solx u SAT a"),
}


def changed_numbers(token: str) -> Iterator[str]:
    """The token with its number changed, its literal negated, or another word in its place."""
    if match := re.fullmatch(r"([+~x-]*)(\d+)", token):
        sign, number = match[1], int(match[2])
        for other in (number + 1, number - 1, 0, number * 2, HUGE, LARGER_THAN_ALLOWED):
            yield f"{sign}{other}"
        yield f"-{number}"
        if "x" in sign:
            yield token[1:] if token.startswith("~") else f"~{token}"
    yield from {*OTHER_WORDS.get(token, "").split()} - {token}


def changed_lines(line: str, rng: random.Random) -> Iterator[list[bytes]]:
    """Lines, as bytes, that may stand in place of a line: none, itself changed, or several."""
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


@pytest.mark.parametrize("most", [50, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("file", [FORMULA, PROOF])
def test_each_changed_line_is_refused_or_still_proves(name: str, file: str, most: int, tmp_path: Path) -> None:
    folder = SAMPLES[name]().write(tmp_path / "certificate")
    assert check(folder).valid
    assert proves(folder)
    rng = random.Random(1)
    changes = list(changed_files((folder / file).read_text().splitlines(), rng))
    refused = 0
    for line, content in rng.sample(changes, min(most, len(changes))):
        overwrite(folder / file, b"".join(part + b"\n" for part in content))
        verdict = check(folder)
        if verdict.valid:
            assert verdict.fault is None
            assert proves(folder), content
        else:
            refused += 1
            assert verdict.fault is not None
            if file == FORMULA and "has no rows for so many" in verdict.fault.reason:
                continue  # the pairs of moves are not even made
            assert verdict.fault.file == file
            assert verdict.fault.line is not None
            assert line <= verdict.fault.line <= len(content) + 1, (verdict, content)
    assert refused > min(most, len(changes)) // 2 > 20


@pytest.mark.parametrize("name", SAMPLES)
def test_a_changed_description_is_refused_or_still_true(name: str, tmp_path: Path) -> None:
    folder = SAMPLES[name]().write(tmp_path / "certificate")
    for content in described_otherwise((folder / CLAIM).read_text().splitlines(), random.Random(2)):
        overwrite(folder / CLAIM, b"\n".join(content))
        verdict = check(folder)
        if verdict.valid:
            claim = read_claim(folder / CLAIM, 1 << 16)
            assert proves(folder), content
            if claim.kind == "best" and claim.best is not None and claim.best.objective == "length":
                assert claim.best.value == max(map(len, routes(claim))), content
            assert claim.best or len(brute_force(claim.problem)) == (claim.tours or 0), content
        else:
            assert verdict.fault is not None
            assert verdict.fault.line is None or verdict.fault.line >= 1


def described_otherwise(lines: list[str], rng: random.Random) -> Iterator[list[bytes]]:
    yield from (content for _, content in changed_files(lines, rng) if rng.random() < 0.5)
    whole = [line.encode() for line in lines]
    for place, line in enumerate(lines):
        for old, new in (
            *(("true", "false"), ("false", "true"), ("null", '"a1"'), ("[]", '[["a1", "b3"]]'), ("5", "6"), ("4", "5")),
            *(('"v1"', '"v0"'), ('"v3"', '"v2"'), ('"v2"', '"v3"'), ('"lp"', '"clausal"'), ("turns", "crossings")),
            *(('"tours": 3', '"tours": 2'), ('"tours": 1', '"tours": 2'), ('"tours": 6', '"tours": 5')),
            *(("turns", "length"), ("length", "turns"), ('"optional": [', '"optional": ["0", '), ('"c2", ', "")),
            *(("rot180", "rot90"), ("rot180", "rot180-eulerian"), ('"symmetry": "rot180"', '"end": null')),
        ):
            if old in line:
                yield [*whole[:place], line.replace(old, new).encode(), *whole[place + 1 :]]


@pytest.mark.parametrize(
    ("name", "claimed", "other", "concluded"),
    [
        *(("cube", '"tours": 6', f'"tours": {count}', f"ENUMERATION_COMPLETE {count} : ID ;") for count in (0, 5, 7)),
        *(("rook", '"value": 8', f'"value": {best}', f"BOUNDS {best} : ID {best} ;") for best in (0, 7, 9, -8)),
        ("rook", '"maximize": false', '"maximize": true', "BOUNDS -8 : ID -8 ;"),
        ("rook", '"best": ', '"tours": 1, "best": ', "ENUMERATION_COMPLETE 1 : ID ;"),
        ("rook", '"best"', '"versions"', "UNSAT : ID ;"),
        ("rook", '"shown": true', '"shown": false', "BOUNDS 8 : ID INF ;"),
        ("rook", '"shown": true', '"shown": false', "BOUNDS 8 : ID 8 ;"),
        ("rook", '"shown": true', '"shown": true, "optional": ["a1"]', "BOUNDS 8 : ID 8 ;"),
        *(
            ("longest cycle", '"value": 10', f'"value": {best}', f"BOUNDS {-best} : ID {-best} ;")
            for best in (0, 8, 9, 11, 12)
        ),
        ("longest cycle", '"maximize": true', '"maximize": false', "BOUNDS 10 : ID 10 ;"),
        ("longest cycle", '"shown": true', '"shown": false', "BOUNDS -10 : ID INF ;"),
        ("longest cycle", '"length"', '"turns"', "BOUNDS -10 : ID -10 ;"),
        ("longest path", '"closed": false', '"closed": true', "BOUNDS -3 : ID -3 ;"),
    ],
)
def test_a_claim_and_a_conclusion_of_another_number_are_refused(
    name: str, claimed: str, other: str, concluded: str, tmp_path: Path
) -> None:
    made = SAMPLES[name]()
    description = json.dumps(made.description)
    assert claimed in description
    number = made.proof[-2].split(" : ")[1].split()[0]
    proof = [*made.proof[:-2], f"conclusion {concluded.replace('ID', number)}", made.proof[-1]]
    assert not check(Sample(json.loads(description.replace(claimed, other)), made.opb, proof).write(tmp_path)).valid


def random_step(rng: random.Random, variables: int, ids: int) -> str:
    """A random step, often one that the checker accepts."""

    def literal(most: int) -> str:
        return f"{rng.choice(('', '~'))}x{rng.randint(1, most)}"

    def constraint(most: int) -> str:
        names = [literal(most) for _ in range(rng.randint(0, 4))]
        weights = [rng.choice((1, 1, 1, 2, 3)) for _ in names]
        terms = " ".join(f"+{a} {x}" for a, x in zip(weights, names, strict=True))
        return f"{terms} >= {rng.choice((0, 1, 1, 1, 2, 3))}".lstrip()

    kind = rng.choice(("pol", "pol", "rup", "rup", "rup", "red", "red", "red", "companion", "del"))
    if kind == "pol":
        words = [str(rng.randint(1, ids))]
        for _ in range(rng.randint(0, 4)):
            added, axiom, factor = rng.randint(1, ids), literal(variables + 3), rng.randint(1, 3)
            words += rng.choice((f"{added} +", f"{axiom} +", f"{factor} *", "2 d", "s")).split()
        return f"pol {' '.join(words)}"
    if kind == "del":
        return f"del id {rng.randint(1, ids)}"
    if kind == "rup":
        hints = rng.sample(range(1, ids + 1), ids)
        return f"rup {constraint(variables + 3)} : {' '.join(map(str, hints * 2))}"
    fresh, value = f"x{rng.randint(variables + 1, variables + 3)}", rng.randint(0, 1)
    head = f"+{rng.choice((1, 1, 2))} {fresh if value else '~' + fresh}"
    return f"red {head} {constraint(variables + (kind == 'red') * 3)} : {fresh} -> {value}"


def test_accepted_steps_lose_no_tour() -> None:
    """Each solution of the rows extends to all constraints that the checker accepts of random steps."""
    rng = random.Random(3)
    accepted = definitions = 0
    for _ in range(75):
        order = rng.randint(3, 5)
        cycle = rng.sample(range(order), order)
        edges = {(min(pair), max(pair)) for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True)}
        edges |= {pair for pair in combinations(range(order), 2) if rng.random() < 0.4}
        claim = claim_of(graph(sorted(edges), order, method="clausal"))
        true_rows, rows = rows_of(claim)
        sides = [(row, at_most) for row in rows for at_most in (False, True)[: 1 + (row.relation == "=")]]
        proof = LiveProof(sides, claim, Budget(), ShownTours(true_rows, Budget()))
        derived: list[Normal] = []
        for _ in range(60):
            step, before = random_step(rng, len(edges), len(sides) + proof.steps), proof.steps
            with suppress(Wrong):
                proof.step(step)
            if proof.steps > before:
                found = proof.constraint(str(len(sides) + proof.steps))
                derived.append(normal([(c, x) for x, c in found.terms.items()], found.bound))
                accepted += 1
                definitions += step.startswith("red")
        formula = [side for row in rows for side in read_sides(row.tokens()[:-1])]
        fresh = {abs(x) for terms, _ in derived for x in terms if abs(x) > len(edges)}
        for true in assignments(range(1, len(edges) + 1)):
            if all(holds(row, true) for row in formula):
                assert any(all(holds(row, true | more) for row in derived) for more in assignments(fresh)), edges
    assert accepted > 900
    assert definitions > 150


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        (["red +1 x1 >= 1 : x1 -> 1"], "formula"),
        (["pol x7 x1 +", "red +1 x7 >= 1 : x7 -> 1"], "not fresh"),
        (["red +1 x7 >= 1 : x7 -> 1", "rup +1 x7 +1 x1 >= 1", "red +1 x7 +1 x2 >= 1 : x7 -> 1"], "not fresh"),
        (["red +1 x7 +1 x1 >= 1 : x7 -> 0"], "does not define"),
        (["red +1 x7 +2 x1 >= 2 : x7 -> 1"], "does not define"),
        (["red +1 x1 >= 1 : x7 -> 1"], "does not define"),
        (["red +1 x7 >= 1 : x7 -> 1", "red +1 ~x7 >= 1 : x7 -> 0"], "other value"),
        (["red +1 x7 +1 x1 >= 1 : x7 -> 1", "red +1 ~x7 +1 x1 >= 1 : x7 -> 0"], "other value"),
        (
            ["red +1 x7 +1 x1 >= 1 : x7 -> 1", "red +1 ~x7 +1 x8 +1 ~x1 >= 1 : x7 -> 0", "red +1 x8 >= 1 : x8 -> 1"],
            "not fresh",
        ),
        ([TWO_OF_FOUR[0], "red +2 ~x7 +1 ~x1 +1 ~x2 +1 ~x3 >= 3 : x7 -> 0"], "does not define"),
        ([TWO_OF_FOUR[0], "red +3 ~x7 +1 ~x1 +1 ~x2 +1 ~x3 >= 3 : x7 -> 0"], "other value"),
    ],
)
def test_a_definition_that_says_too_much_is_refused(steps: list[str], wrong: str, tmp_path: Path) -> None:
    """The steps break each of the three conditions for definitions."""
    fault = check(bowtie(*steps, method="clausal").write(tmp_path)).fault
    assert fault is not None
    assert (fault.line, wrong in fault.reason) == (2 + len(steps), True), fault


def test_random_bytes_do_not_make_the_checker_crash(tmp_path: Path) -> None:
    """Files of random bytes are tried, and good files with random bytes in them."""
    rng = random.Random(5)
    for _ in range(200):
        folder = bowtie().write(tmp_path)
        path = folder / rng.choice((CLAIM, FORMULA, PROOF))
        content = bytearray(path.read_bytes())
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(content))
            content[at : at + rng.choice((0, 1, 1, 9))] = rng.randbytes(rng.choice((1, 2, 30)))
        overwrite(path, rng.choice((bytes(content), rng.randbytes(300))))
        verdict = check(folder)
        assert verdict.fault is not None or (verdict.valid and proves(folder))
