"""A second opinion on certificates, slow and plain: fractions, full scans, no state kept between questions.

`proves` decides whether lines of text are a proof that the rows of a description have no 0/1 solution, with the rows
from `certificate_samples`. Constraints are over literals, in normal form, whereas the package keeps signed sums over
variables; unit propagation goes over all constraints again and again. Definitions (``red`` lines) are judged by trying
all assignments. It is asked only about certificates that the package accepts, so where it can't read a line it raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import product

from certificate_samples import (
    Description,
    Linear,
    images_of,
    names_and_edges,
    pairs_of,
    rows_of,
    tokens_of,
    undirected,
)

Literal = tuple[int, bool]
Normal = tuple[dict[Literal, Fraction], Fraction]


def normal(terms: list[tuple[Fraction, Literal]], degree: Fraction) -> Normal:
    """Opposite literals cancelled, coefficients positive."""
    sums: dict[int, Fraction] = {}
    for coefficient, (variable, positive) in terms:
        sums[variable] = sums.get(variable, Fraction(0)) + (coefficient if positive else -coefficient)
        degree -= 0 if positive else coefficient
    literals = {(variable, total > 0): abs(total) for variable, total in sums.items() if total}
    return literals, degree + sum(-total for total in sums.values() if total < 0)


def sides(row: Linear) -> list[Normal]:
    variables, relation, bound = row
    bound -= sum(x < 0 for x in variables) if relation == "or" else 0
    signs = [(1 if x > 0 else -1, (abs(x), True)) for x in variables]
    at_least = normal([(Fraction(sign), literal) for sign, literal in signs], Fraction(bound))
    at_most = normal([(Fraction(-sign), literal) for sign, literal in signs], Fraction(-bound))
    return [at_least, at_most] if relation == "=" else [at_least]


def read_literal(token: str) -> Literal:
    return int(token.lstrip("~x")), not token.startswith("~")


def read(tokens: list[str]) -> Normal:
    """A constraint as written in a proof."""
    assert tokens[-2] == ">="
    terms = [(Fraction(a), read_literal(x)) for a, x in zip(tokens[:-2:2], tokens[1:-2:2], strict=True)]
    return normal(terms, Fraction(tokens[-1]))


def summed(one: Normal, other: Normal) -> Normal:
    return normal([(a, literal) for terms, _ in (one, other) for literal, a in terms.items()], one[1] + other[1])


def up(value: Fraction) -> Fraction:
    return Fraction(-((-value) // 1))


def polish(tokens: list[str], live: dict[int, Normal]) -> Normal:
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
            values = {
                literal: a * number if token == "*" else up(a / number)
                for literal, a in [*terms.items(), ((0, True), degree)]
            }
            degree = values.pop((0, True))
            stack.append((values, degree))
        elif token == "s":
            terms, degree = pop()
            stack.append(({literal: min(a, degree) for literal, a in terms.items()} if degree > 0 else {}, degree))
        else:
            stack.append(int(token) if token.isdigit() else ({read_literal(token): Fraction(1)}, Fraction(0)))
    result = pop()
    assert not stack
    return result


def propagates_to_conflict(constraints: list[Normal]) -> bool:
    """Whether unit propagation leads to a conflict."""
    return propagation(dict(enumerate(constraints))) is not None


def propagation(constraints: dict[int, Normal]) -> list[int] | None:
    """The constraints that make something true, in order, the last of which is a conflict, found by scanning everything
    until nothing changes; None where there is no conflict."""
    true: set[Literal] = set()
    used: list[int] = []
    changed = True
    while changed:
        changed = False
        for number, (terms, degree) in constraints.items():
            slack = sum((a for (x, sign), a in terms.items() if (x, not sign) not in true), Fraction(0)) - degree
            if slack < 0:
                return [*used, number]
            made = {(x, sign) for (x, sign), a in terms.items() if a > slack and not {(x, sign), (x, not sign)} & true}
            if made:
                true |= made
                used.append(number)
                changed = True
    return None


def with_hints(rows: list[Linear], steps: Sequence[str]) -> Iterator[str]:
    """The steps as lines: those that do not end with ``;`` completed, those by unit propagation with their hints."""
    live = dict(enumerate((side for row in rows for side in sides(row)), start=1))
    last = len(live)
    for step in steps:
        if step.endswith(";"):
            yield step
            continue
        keyword, *tokens = step.split()
        last += keyword != "del"
        hints = ""
        if keyword == "rup":
            live[last] = read(tokens)
            used = propagation({0: negation(live[last])} | {number: live[number] for number in live if number != last})
            hints = f" : {' '.join(str(number) for number in used or () if number)}"
        elif keyword == "pol":
            with suppress(Exception):  # of wrong steps nothing is derived
                live[last] = polish(tokens, live)
        elif keyword == "red":
            with suppress(Exception):
                live[last] = read(tokens[: tokens.index(":")])
        elif keyword == "solx":
            live[last] = excluding(tokens)
        elif keyword == "del":
            for token in tokens[1:]:
                live.pop(int(token), None)
        yield f"{step}{hints} ;"


def excluding(tokens: list[str]) -> Normal:
    """Not all of these literals."""
    return normal([(Fraction(1), (x, not value)) for x, value in map(read_literal, tokens)], Fraction(1))


def negation(constraint: Normal) -> Normal:
    terms, degree = constraint
    return {(x, not sign): a for (x, sign), a in terms.items()}, sum(terms.values(), Fraction(0)) - degree + 1


def holds(constraint: Normal, true: dict[int, bool]) -> bool:
    terms, degree = constraint
    return sum((a for (x, sign), a in terms.items() if true.get(x, False) == sign), Fraction(0)) >= degree


def every_assignment_extends(variables: int, constraints: list[Normal]) -> bool:
    """Whether all 0/1 values of x1 to x<variables> can be extended to further variables so that the constraints
    hold."""
    left = list(constraints)
    while left:
        together = related(variables, left, left[0])
        left = [constraint for constraint in left if constraint not in together]
        if not extends(variables, together):
            return False
    return True


def related(variables: int, constraints: list[Normal], first: Normal) -> list[Normal]:
    """The constraints that have further variables in common with the first, or with one that has."""

    def fresh(constraint: Normal) -> set[int]:
        return {x for x, _ in constraint[0] if x > variables}

    found = [first]
    while more := [
        other for other in constraints if other not in found and any(fresh(other) & fresh(one) for one in found)
    ]:
        found += more
    return found


def extends(variables: int, constraints: list[Normal]) -> bool:
    """The same, by trying all values of the variables that occur."""
    there = sorted({x for terms, _ in constraints for x, _ in terms})
    given, fresh = [x for x in there if x <= variables], [x for x in there if x > variables]
    return all(
        any(
            all(holds(constraint, {**true, **dict(zip(fresh, more, strict=True))}) for constraint in constraints)
            for more in _values(len(fresh))
        )
        for true in (dict(zip(given, values, strict=True)) for values in _values(len(given)))
    )


def _values(count: int) -> product[tuple[bool, ...]]:
    return product((False, True), repeat=count)


def statements(proof: list[str]) -> Iterator[list[str]]:
    """The words of each line of a proof, without its semicolon, a label and hints, which only save work."""
    for line in proof[1:]:
        statement = re.sub(r"^\s*@\S+ ", "", line.split("%")[0].split(";")[0])
        keyword, *_ = statement.split() or [""]
        yield (statement.partition(":")[0] if keyword == "rup" else statement).split()


def is_tour(description: Description, used: frozenset[int]) -> bool:
    """Whether these edges of a graph, of which a closed tour is sought, are one: two at each vertex, all hangs
    together, and is symmetric."""
    names, edges = names_and_edges(undirected(description["problem"]))
    chosen = [edge for x, edge in enumerate(edges, start=1) if x in used]
    reached = {0}
    for _ in names:
        reached |= {end for edge in chosen if reached & set(edge) for end in edge}
    image = images_of(description["problem"], names)
    symmetric = {frozenset(edge) for edge in chosen} == {frozenset((image[one], image[other])) for one, other in chosen}
    return (
        symmetric
        and all(sum(vertex in edge for edge in chosen) == 2 for vertex in range(len(names)))
        and len(reached) == len(names)
    )


def proves(description: Description, opb: list[str], proof: list[str]) -> bool:
    """Whether the OPB lines are the rows of the description, and the proof lines derive a contradiction from them."""
    variables, rows = rows_of(description)
    given = [
        line.split()
        for line in opb
        if not line.startswith("*") and line.split()[:1] not in ([], ["preserved:"], ["min:"])
    ]
    expected = [[*tokens_of(row), row[1].replace("or", ">="), str(row[2]), ";"] for row in rows]
    pairs, weight, constant = pairs_of(description)
    first = variables - len(pairs) + 1
    objective = [f"{weight:+d} x{first + number}" for number in range(len(pairs))]
    stated = " ".join(["min:", *objective, *([str(constant)] if constant or not pairs else []), ";"])
    if [" ".join(line.split()) for line in opb if line.split()[:1] == ["min:"]] != [stated] * ("best" in description):
        return False
    value: int | None = None
    if [line for line in given if line[:2] != ["+0", "x1"]] != [
        line for line, (row, _, _) in zip(expected, rows, strict=True) if row
    ]:
        return False
    formula = [side for row in rows for side in sides(row)]
    live = dict(enumerate(formula, start=1))
    steps = 0
    definitions: list[Normal] = []
    shown: set[frozenset[int]] = set()
    for tokens in statements(proof):
        if not tokens or tokens[0] in ("f", "output", "end"):
            continue
        if tokens[0] == "conclusion":
            if "best" in description:
                sought = description["best"]["value"] * (-1 if description["best"]["maximize"] else 1)
                terms, degree = live[int(tokens[-2])]
                return (
                    tokens[1:-2] == ["BOUNDS", str(sought), ":"]
                    and tokens[-1] == str(sought) == str(value)
                    and not terms
                    and degree > 0
                )
            terms, degree = live[int(tokens[-1])]
            claimed = (
                ["UNSAT"] if description.get("tours") is None else ["ENUMERATION_COMPLETE", str(description["tours"])]
            )
            return tokens[1:-2] == claimed and len(shown) == description.get("tours", 0) and not terms and degree > 0
        if tokens[0] == "del":
            for token in tokens[2:]:
                del live[int(token)]
            continue
        if tokens[0] == "pol":
            constraint = polish(tokens[1:], live)
        elif tokens[0] == "solx":
            literals = dict(map(read_literal, tokens[1:]))
            used = frozenset(x for x, value in literals.items() if value)
            if (
                used in shown
                or len(tokens) != variables + 1
                or set(literals) != {*range(1, variables + 1)}
                or not is_tour(description, used)
            ):
                return False
            shown.add(used)
            constraint = excluding(tokens[1:])
        elif tokens[0] == "soli":
            true = {x for x, positive in map(read_literal, tokens[1:]) if positive}
            used = frozenset(x for x in true if x < first)
            made = {first + number for number, pair in enumerate(pairs) if used >= set(pair)}
            worth = constant + weight * len(made)
            exact = made == true - used and {x for x, _ in map(read_literal, tokens[1:])} == {*range(1, variables + 1)}
            if (
                not exact
                or len(tokens) != variables + 1
                or not is_tour(description, used)
                or (value is not None and worth >= value)
            ):
                return False
            value = worth
            constraint = normal(
                [(Fraction(-weight), (first + number, True)) for number in range(len(pairs))],
                Fraction(constant - value + 1),
            )
        elif tokens[0] == "rup":
            constraint = read(tokens[1:])
            if not propagates_to_conflict([*live.values(), negation(constraint)]):
                return False
        else:
            constraint = read(tokens[1 : tokens.index(":")])
            definitions.append(constraint)
            if not extends(variables, related(variables, definitions, constraint)):
                return False
        steps += 1
        live[len(formula) + steps] = constraint
    return False


def lrat_refutes(cnf: list[str], lrat: list[str]) -> bool:
    """Whether lines with hints derive the empty clause from those of a DIMACS file, each hint being a unit or the
    conflict in its turn."""
    given = [line.split() for line in cnf if not line.startswith("c")]
    known = {number: frozenset(map(int, words[:-1])) for number, words in enumerate(given[1:], start=1)}
    assert given[0][:2] == ["p", "cnf"]
    assert int(given[0][3]) == len(known)
    last = len(known)
    for line in lrat:
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
    """Whether the last hint is false once the clause is, and each hint before has made its only literal that is not
    false true."""
    false = set(clause)
    for hint in hints[:-1]:
        if len(hint - false) != 1:
            return False
        false |= {-literal for literal in hint - false}
    return bool(hints) and hints[-1] <= false
