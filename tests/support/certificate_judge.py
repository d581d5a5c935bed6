"""A second opinion on certificates, slow and plain: full scans, no state kept between questions.

`proves` decides whether lines of text are a proof that the rows of a description have no 0/1 solution, with the rows
from `certificate_samples`. Constraints are over literals, in normal form, ``(terms, degree)`` with a positive
coefficient for each literal, a number that is negative for ``~x``, whereas the package keeps signed sums over
variables; unit propagation goes over all constraints again and again. Definitions (``red`` lines) are judged by trying
all assignments. It is asked only about certificates that the package accepts, so where it can't read a line it raises.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
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

Normal = tuple[dict[int, int], int]


def normal(terms: Iterable[tuple[int, int]], degree: int) -> Normal:
    """Opposite literals cancelled, coefficients positive."""
    sums: dict[int, int] = {}
    for a, x in terms:
        sums[abs(x)] = sums.get(abs(x), 0) + (a if x > 0 else -a)
        degree -= a if x < 0 else 0
    return {x if a > 0 else -x: abs(a) for x, a in sums.items() if a}, degree - sum(a for a in sums.values() if a < 0)


def sides(row: Linear) -> list[Normal]:
    variables, relation, bound = row
    bound -= sum(x < 0 for x in variables) if relation == "or" else 0
    terms = [(1 if x > 0 else -1, abs(x)) for x in variables]
    at_most = normal([(-a, x) for a, x in terms], -bound)
    return [normal(terms, bound), at_most] if relation == "=" else [normal(terms, bound)]


def read_literal(token: str) -> int:
    return -int(token[2:]) if token.startswith("~x") else int(token.removeprefix("x"))


def read(tokens: list[str]) -> Normal:
    """A constraint as written in a proof."""
    assert tokens[-2] == ">="
    terms = [(int(a), read_literal(x)) for a, x in zip(tokens[:-2:2], tokens[1:-2:2], strict=True)]
    return normal(terms, int(tokens[-1]))


def summed(one: Normal, other: Normal) -> Normal:
    return normal([(a, x) for terms, _ in (one, other) for x, a in terms.items()], one[1] + other[1])


def polish(tokens: list[str], live: Mapping[int, Normal]) -> Normal:
    """What the tokens of a ``pol`` line compute."""
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


def propagation(constraints: Mapping[int, Normal]) -> list[int] | None:
    """The constraints that make something true, in order, the last of which is a conflict, found by scanning everything
    until nothing changes; None where there is no conflict."""
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


def propagates_to_conflict(constraints: Iterable[Normal]) -> bool:
    return propagation(dict(enumerate(constraints))) is not None


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
    return {-read_literal(token): 1 for token in tokens}, 1


def negation(constraint: Normal) -> Normal:
    terms, degree = constraint
    return {-x: a for x, a in terms.items()}, sum(terms.values()) - degree + 1


def holds(constraint: Normal, true: Collection[int]) -> bool:
    """Whether a constraint holds where these literals are true."""
    return sum(a for x, a in constraint[0].items() if x in true) >= constraint[1]


def assignments(variables: Sequence[int]) -> Iterator[set[int]]:
    """All ways to make each variable true or false, by the literals that are true."""
    return (set(literals) for literals in product(*((x, -x) for x in variables)))


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
        return {abs(x) for x in constraint[0] if abs(x) > variables}

    found = [first]
    while more := [
        other for other in constraints if other not in found and any(fresh(other) & fresh(one) for one in found)
    ]:
        found += more
    return found


def extends(variables: int, constraints: list[Normal]) -> bool:
    """The same, by trying all values of the variables that occur."""
    there = sorted({abs(x) for terms, _ in constraints for x in terms})
    given, fresh = [x for x in there if x <= variables], [x for x in there if x > variables]
    return all(
        any(all(holds(constraint, true | more) for constraint in constraints) for more in assignments(fresh))
        for true in assignments(given)
    )


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
        elif tokens[0] in ("solx", "soli"):
            literals = set(map(read_literal, tokens[1:]))
            used = frozenset(x for x in literals if 0 < x < first)
            everything = {abs(x) for x in literals} == {*range(1, variables + 1)} and len(literals) == variables
            if not everything or len(tokens) != variables + 1 or used in shown or not is_tour(description, used):
                return False
            if tokens[0] == "solx":
                shown.add(used)
                constraint = excluding(tokens[1:])
            else:
                made = {first + number for number, pair in enumerate(pairs) if used >= set(pair)}
                worth = constant + weight * len(made)
                if made != {x for x in literals if x >= first} or (value is not None and worth >= value):
                    return False
                value = worth
                constraint = normal([(-weight, first + number) for number in range(len(pairs))], constant - value + 1)
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
