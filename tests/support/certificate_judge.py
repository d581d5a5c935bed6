"""A second opinion on certificates, slow and plain: full scans, no state kept between questions.

`proves` decides whether the files of a folder prove what ``certificate.json`` claims, in either dialect of VeriPB, and
`lrat_refutes` whether the clausal files do. Constraints are over literals, in normal form, ``(terms, degree)`` with a
positive coefficient for each literal, a number that is negative for ``~x``, whereas the package keeps signed sums over
variables. Unit propagation goes over all constraints again and again and needs no hints; a definition must meet the
general rule of redundancy; a solution must be a tour by brute force. The rows are those that the checker makes:
`test_check` holds them against all tours of a problem. Where the judge can't read a line it raises.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path

from brute_force import brute_force
from brute_routes import Route, all_routes, is_apt
from veripb_grammar import check_formula, check_proof

from cpsat_tour.core.reduction import undirected
from cpsat_tour.proofs.check.arithmetic import Budget
from cpsat_tour.proofs.check.claim import CLAIM, Claim, read_claim
from cpsat_tour.proofs.check.folder import FORMULA, PROOF, check
from cpsat_tour.proofs.check.rows import Row, TrueRows
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.tour import Answer

MAX_STEPS, MAX_ORDER = 400, 30
"""A proof of more steps is not read by the judge, which goes over all constraints for each, nor one about a graph of
more vertices, whose tours it would list."""

Normal = tuple[dict[int, int], int]


def normal(terms: Iterable[tuple[int, int]], degree: int) -> Normal:
    """The constraint with opposite literals cancelled and all coefficients positive."""
    sums: dict[int, int] = {}
    for a, x in terms:
        sums[abs(x)] = sums.get(abs(x), 0) + (a if x > 0 else -a)
        degree -= a if x < 0 else 0
    return {x if a > 0 else -x: abs(a) for x, a in sums.items() if a}, degree - sum(a for a in sums.values() if a < 0)


def read_literal(token: str) -> int:
    return -int(token[2:]) if token.startswith("~x") else int(token.removeprefix("x"))


def read_sides(tokens: Sequence[str]) -> list[Normal]:
    """The constraints that a row of a formula or of a proof states: two if it is an equation."""
    terms = [(int(a), read_literal(x)) for a, x in zip(tokens[:-2:2], tokens[1:-2:2], strict=True)]
    assert tokens[-2] in (">=", "=")
    sides = [(terms, int(tokens[-1])), ([(-a, x) for a, x in terms], -int(tokens[-1]))]
    return [normal(*side) for side in sides[: 1 + (tokens[-2] == "=")]]


def summed(first: Normal, second: Normal) -> Normal:
    return normal([(a, x) for terms, _ in (first, second) for x, a in terms.items()], first[1] + second[1])


def negation(constraint: Normal) -> Normal:
    terms, degree = constraint
    return {-x: a for x, a in terms.items()}, sum(terms.values()) - degree + 1


def holds(constraint: Normal, true: Collection[int]) -> bool:
    """True if the constraint holds where just these literals are true."""
    return sum(a for x, a in constraint[0].items() if x in true) >= constraint[1]


def assignments(variables: Iterable[int]) -> Iterator[set[int]]:
    """All ways to make each variable true or false, by the literals that are true."""
    return (set(literals) for literals in product(*((x, -x) for x in variables)))


def polish(tokens: Sequence[str], live: Mapping[int, Normal]) -> Normal:
    """The constraint that the tokens of a ``pol`` line compute."""
    stack: list[Normal | int] = []

    def pop() -> Normal:
        top = stack.pop()
        return live[top] if isinstance(top, int) else top

    for token in tokens:
        if token == "+":
            stack.append(summed(pop(), pop()))
        elif token in ("*", "d"):
            number = stack.pop()
            assert isinstance(number, int)
            assert number > 0
            terms, degree = pop()
            times, by = (number, 1) if token == "*" else (1, number)
            stack.append(({x: -(-a * times // by) for x, a in terms.items()}, -(-degree * times // by)))
        elif token == "s":
            terms, degree = pop()
            stack.append(({x: min(a, degree) for x, a in terms.items()} if degree > 0 else {}, degree))
        else:
            stack.append(int(token) if token.isdigit() else ({read_literal(token): 1}, 0))
    result = pop()
    assert not stack
    return result


def derived(keyword: str, words: Sequence[str], live: Mapping[int, Normal]) -> Normal:
    """The constraint that a step derives, if it is right."""
    if keyword == "pol":
        return polish(words, live)
    if keyword in ("rup", "red"):
        (found,) = read_sides(words[: words.index(":")] if ":" in words else words)
        return found
    return {-read_literal(word): 1 for word in words}, 1


def propagation(constraints: Mapping[int, Normal]) -> list[int] | None:
    """The ids of the constraints that make something true, in order, the last of which is a conflict; None if there is
    no conflict."""
    true: set[int] = set()
    used: list[int] = []
    changed = True
    while changed:
        changed = False
        for number, (terms, degree) in constraints.items():
            slack = sum(a for x, a in terms.items() if -x not in true) - degree
            if slack < 0:
                return [*used, number]
            made = {x for x, a in terms.items() if a > slack and x not in true and -x not in true}
            if made:
                true |= made
                used.append(number)
                changed = True
    return None


def is_redundant(constraint: Normal, witness: int, live: Mapping[int, Normal]) -> bool:
    """True if each solution that the constraint excludes becomes another once the witness is true: all that is known,
    and the constraint, holds then by the negated constraint alone or by propagation (Gocht & Nordström 2021)."""
    excluded = negation(constraint)
    weaker = without(excluded, witness)[0], excluded[1] - excluded[0].get(-witness, 0)
    for terms, degree in [*live.values(), constraint]:
        if witness in terms or -witness in terms:
            failing = negation(without((terms, degree), witness))
            total, least = summed(weaker, failing)
            contradicted = sum(total.values()) < least
            if not contradicted and propagation(dict(enumerate([*live.values(), excluded, failing]))) is None:
                return False
    return True


def without(constraint: Normal, literal: int) -> Normal:
    """The constraint where the literal is true."""
    terms, degree = constraint
    return {x: a for x, a in terms.items() if abs(x) != abs(literal)}, degree - terms.get(literal, 0)


def rows_of(claim: Claim) -> tuple[TrueRows, list[Row]]:
    """The rows that follow from the problem alone, and all rows of the formula."""
    cycle = TrueRows(claim.problem, Budget().spend, claim.best, 10**6)
    return cycle, [*cycle.rows, *map(cycle.cut_row, claim.cut_sets)]


def solutions(claim: Claim, cycle: TrueRows) -> set[frozenset[int]]:
    """The literals that are true in each tour of the problem, by brute force, and in the pairs of its moves; or in each
    route, if vertices may be left out."""
    problem = undirected(claim.problem)
    variable = {frozenset(ends): x for x, ends in enumerate(cycle.ends, start=1)}
    pairs = {} if cycle.worth is None else dict(zip(cycle.worth.variables, cycle.worth.pairs, strict=False))
    found = set()
    tours = routes(claim) if cycle.left_out else brute_force(problem) if brute_force(claim.problem) else ()
    for tour in tours:
        around = (*tour, tour[0]) if problem.closed else (problem.graph.order, *tour, problem.graph.order)
        true = {variable[frozenset(move)] for move in pairwise(around)}
        true |= {x for x, pair in pairs.items() if true >= set(pair)}
        true |= {x for vertex, x in cycle.left_out.items() if vertex not in tour}
        found.add(frozenset(x if x in true else -x for x in range(1, cycle.variables + 1)))
    return found


def routes(claim: Claim) -> list[Route]:
    """All routes of two vertices or more that leave out optional vertices alone, by trying everything."""
    problem, graph = claim.problem, claim.problem.graph
    ends = {problem.start, problem.end} if not problem.closed or problem.end is not None else set()
    needed = {*ends, *(vertex for move in problem.require for vertex in move)} - {None}
    optional = () if claim.best is None else claim.best.optional
    needed |= {*range(graph.order)}.difference(map(graph.space.vertex, optional))
    several = (route for route in all_routes(problem) if len(route) > 1 and needed <= {*route})
    return [route for route in several if is_apt(problem, route)]


SOLVED_IN_1_2 = {"v": "solx", "o": "soli", "c": "conclusion"}


def statements(lines: Iterable[str], version: str) -> Iterator[list[str]]:
    """The words of each statement of a proof as 3.0 says it, without labels and hints, which only save work."""
    for line in lines:
        old = line.replace(";", ":").split()
        new = re.sub(r"^\s*@\S+ ", "", line.split("%")[0].split(";")[0]).split()
        keyword, *words = (old if version == "1.2" else new) or [""]
        assert version != "1.2" or keyword != "rup" or words[-1] == ":", f"hints are none of 1.2: {line}"
        if keyword:
            yield [SOLVED_IN_1_2.get(keyword, keyword), *(words[: words.index(":")] if keyword == "rup" else words)]


def proves(folder: Path, version: str = "3.0") -> bool:
    """True if the OPB file has the rows of the claim, and the proof derives a contradiction from them, after all tours
    or the best, if the claim is about these."""
    claim = read_claim(folder / CLAIM, 10**6)
    old_formula = version == "1.2" and claim.kind != "none"
    names = "problem-1.2.opb" if old_formula else FORMULA, "proof-1.2.pbp" if version == "1.2" else PROOF
    opb, proof = ((folder / name).read_bytes().decode("utf-8", "replace").split("\n") for name in names)
    judge = Judge(claim)
    if [line.split() for line in opb if line.strip() and not line.startswith("*")] != judge.formula(plain=old_formula):
        return False
    found = statements(proof[1:], version)
    if proof[0].split()[-1:] != [version] or next(found) != ["f", str(judge.last)]:
        return False
    for keyword, *words in found:
        if keyword == "conclusion":
            return judge.concludes(words, named_alone=version == "1.2")
        if keyword != "output" and not judge.takes(keyword, words):
            return False
    return False


class Judge:
    """The constraints known so far, by their ids, and the solutions that were shown."""

    def __init__(self, claim: Claim) -> None:
        self.claim, (self.cycle, self.rows) = claim, rows_of(claim)
        sides = [side for row in self.rows for side in read_sides(row.tokens()[:-1])]
        self.live, self.last = dict(enumerate(sides, start=1)), len(sides)
        self.tours = set() if claim.kind in ("none", "bound") else solutions(claim, self.cycle)
        self.shown: list[frozenset[int]] = []
        self.best = None if claim.best is None else claim.best.sign * claim.best.value

    def formula(self, *, plain: bool) -> list[list[str]]:
        """The lines of the OPB file, split into words; a plain one has nothing that VeriPB 1 does not read."""
        first: list[str] = []
        if self.claim.tours is not None and not plain:
            first = ["preserved:", *(f"x{x}" for x in range(1, self.cycle.variables + 1)), ";"]
        if self.cycle.worth is not None:
            first = self.cycle.worth.objective_line(plain=plain).split()
        return [first] * bool(first) + [row.tokens() for row in self.rows]

    def takes(self, keyword: str, words: list[str]) -> bool:
        """True if this is a step, which is taken."""
        if keyword == "del":
            for word in words[1:]:
                del self.live[int(word)]
            return True
        found = derived(keyword, words, self.live)
        if keyword == "rup" and propagation({0: negation(found)} | self.live) is None:
            return False
        if keyword == "red":
            name, _, value = words[words.index(":") + 1 :]
            if not is_redundant(found, read_literal(name) * (1 if value == "1" else -1), self.live):
                return False
        if keyword in ("solx", "soli"):
            literals = frozenset(map(read_literal, words))
            if literals not in self.tours or len(words) > len(literals) or literals in self.shown:
                return False
            self.shown.append(literals)
        if keyword == "soli":
            terms, _ = self.objective()
            found = normal([(-a, x) for a, x in terms], 1 - sum(a for a, x in terms if x in literals))
        self.last += 1
        self.live[self.last] = found
        return True

    def objective(self) -> tuple[list[tuple[int, int]], int]:
        """The terms of the objective, which is to be least, and its constant."""
        assert self.cycle.worth is not None
        words = self.cycle.worth.objective_line().split()[1:-1]
        terms = [(int(a), read_literal(x)) for a, x in zip(words[::2], words[1::2], strict=False)]
        return terms, int(words[-1]) if len(words) % 2 else 0

    def concludes(self, words: list[str], *, named_alone: bool) -> bool:
        """True if the conclusion, in 1.2 an id alone, is the claim and names a contradiction."""
        tours = self.claim.tours
        said = ["UNSAT", ":"] if tours is None else ["ENUMERATION_COMPLETE", str(tours), ":"]
        number, after = words[-1], list[str]()
        if self.best is not None and self.claim.kind == "bound":
            terms, constant = self.objective()
            better = normal([(-a, x) for a, x in terms], 1 + constant - self.best)
            terms_left, degree = summed(better, self.live[int(words[-2])])
            known = words == ["BOUNDS", str(self.best), ":", words[-2], "INF"]
            return known and not self.shown and sum(terms_left.values()) < degree
        if self.best is not None:
            terms, constant = self.objective()
            if [constant + sum(a for a, x in terms if x in shown) for shown in self.shown] != [self.best]:
                return False
            if not named_alone:
                said, after, number = ["BOUNDS", str(self.best), ":"], [str(self.best)], words[-2]
        elif len(self.shown) != (tours or 0):
            return False
        terms_left, degree = self.live[int(number)]
        return words == ([number] if named_alone else [*said, number, *after]) and sum(terms_left.values()) < degree


def certified(found: Certificate | Answer | None, folder: Path) -> Certificate:
    """The certificate, once the checker accepted its files in the folder, and the published grammar and the judge did
    in all forms."""
    assert isinstance(found, Certificate)
    found.write(folder, version="1.2", force=True)
    verdict = check(folder, expected=found.problem)
    assert verdict.valid, verdict.fault
    assert verdict.steps == found.steps
    check_proof((folder / PROOF).read_text())
    check_formula((folder / FORMULA).read_text())
    if found.steps <= MAX_STEPS and found.problem.graph.order <= MAX_ORDER:
        assert proves(folder)
        assert proves(folder, "1.2")
        assert found.method == "lp" or lrat_refutes(folder)
    return found


def lrat_refutes(folder: Path) -> bool:
    """True if the lines with hints derive the empty clause from those of the DIMACS file, each hint being a unit or the
    conflict in its turn."""
    head, *given = [line for line in (folder / "problem.cnf").read_text().splitlines() if not line.startswith("c")]
    known = {number: frozenset(map(int, line.split()[:-1])) for number, line in enumerate(given, start=1)}
    last = len(known)
    assert (head.split()[:2], int(head.split()[3])) == (["p", "cnf"], last)
    for line in (folder / "proof.lrat").read_text().splitlines():
        number, *words = line.split()
        if words[0] == "d":
            for word in words[1:-1]:
                del known[int(word)]
            continue
        ends = words.index("0")
        clause, hints = frozenset(map(int, words[:ends])), list(map(int, words[ends + 1 : -1]))
        if int(number) <= last or words[-1] != "0" or not follows_in_order(clause, [known[hint] for hint in hints]):
            return False
        last = int(number)
        known[last] = clause
        if not clause:
            return True
    return False


def follows_in_order(clause: frozenset[int], hints: list[frozenset[int]]) -> bool:
    """True if the last hint is false once the clause is, and each hint before has made its only literal that is not
    false true."""
    false = set(clause)
    for hint in hints[:-1]:
        if len(hint - false) != 1:
            return False
        false |= {-literal for literal in hint - false}
    return bool(hints) and hints[-1] <= false
