"""Certificates made by hand, for the tests of the checker: their rows and proofs are written here, with no code of the
package.

A sample is what `check` reads, as Python values: the description of the problem that goes to ``certificate.json``, and
the lines of the two other files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

Description = dict[str, Any]
Edge = tuple[int, int]


@dataclass
class Sample:
    """The contents of a certificate."""

    description: Description
    opb: list[str] = field(default_factory=list)
    proof: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        lines = {
            "certificate.json": [json.dumps(self.description, indent=1)],
            "problem.opb": self.opb,
            "proof.pbp": self.proof,
        }
        for name, content in lines.items():
            (folder / name).unlink(missing_ok=True)
            (folder / name).write_text("".join(f"{line}\n" for line in content))
        return folder


def board(
    rows: int,
    cols: int,
    *,
    closed: bool = True,
    holes: tuple[str, ...] = (),
    leaper: tuple[int, int] = (1, 2),
    **more: Any,
) -> Description:
    return described(
        {"board": {"rows": rows, "cols": cols, "holes": list(holes), "leaper": list(leaper)}}, closed, **more
    )


def graph(edges: list[Edge], order: int, *, closed: bool = True, **more: Any) -> Description:
    where = {
        "vertices": [f"v{vertex}" for vertex in range(order)],
        "edges": [[f"v{one}", f"v{other}"] for one, other in edges],
    }
    return described({"graph": where}, closed, **more)


def described(
    where: dict[str, Any], closed: bool, *, method: str = "lp", cut_sets: Any = (), **more: Any
) -> Description:
    problem = {**where, "closed": closed, "start": None, "end": None, "require": [], "forbid": []} | more
    return {
        "format": "cpsat-tour certificate 1",
        "method": method,
        "problem": problem,
        "cut_sets": [list(names) for names in cut_sets],
        "versions": {},
    }


# --- the rows, by looking at every pair of vertices ---


def undirected(problem: dict[str, Any]) -> dict[str, Any]:
    """The problem or, of one with arcs, that on the halves of its vertices: ``→v`` where ``v`` is entered, ``v→`` where
    it is left."""
    if "arcs" not in problem.get("graph", {}):
        return problem
    names, start, end, arcs = problem["graph"]["vertices"], problem["start"], problem["end"], problem["graph"]["arcs"]
    own, edges = [[f"→{name}", f"{name}→"] for name in names], [[f"{tail}→", f"→{head}"] for tail, head in arcs]
    require = [[f"{tail}→", f"→{head}"] for tail, head in problem["require"]]
    if not problem["closed"]:
        own.append(["end→", "→start"])
        edges += [pair for name in names for pair in ([f"{name}→", "end→"], ["→start", f"→{name}"])]
        require += [["→start", f"→{start}"]] * (start is not None) + [[f"{end}→", "end→"]] * (end is not None)
    elif start is not None and end is not None and [end, start] in arcs:
        require.append([f"{end}→", f"→{start}"])
    forbid = [[f"{tail}→", f"→{head}"] for tail, head in problem["forbid"]]
    graph = {"vertices": [half for pair in own for half in pair], "edges": own + edges}
    return problem | {
        "graph": graph,
        "closed": True,
        "start": None,
        "end": None,
        "require": own + require,
        "forbid": forbid,
    }


def names_and_edges(problem: dict[str, Any]) -> tuple[list[str], list[Edge]]:
    """The vertices' names and the graph's edges, tail < head, in lexicographic order."""
    if "graph" in problem:
        names = problem["graph"]["vertices"]
        pairs = {tuple(sorted((names.index(one), names.index(other)))) for one, other in problem["graph"]["edges"]}
        return names, sorted((one, other) for one, other in pairs)
    rows, cols = problem["board"]["rows"], problem["board"]["cols"]
    squares = [
        (row, col)
        for row in range(rows)
        for col in range(cols)
        if square_name(row, col, rows) not in problem["board"]["holes"]
    ]
    leap = sorted(problem["board"]["leaper"])
    edges = [
        (i, j)
        for i, j in combinations(range(len(squares)), 2)
        if sorted((abs(squares[i][0] - squares[j][0]), abs(squares[i][1] - squares[j][1]))) == leap
    ]
    return [square_name(row, col, rows) for row, col in squares], edges


def square_name(row: int, col: int, rows: int) -> str:
    return f"{'abcdefghijklmnopqrstuvwxyz'[col]}{rows - row}"


def contradicts_itself(problem: dict[str, Any]) -> bool:
    """There is no vertex, an open tour of several is to start where it ends, or no move leads from a closed tour's end
    to its start."""
    if "arcs" in problem.get("graph", {}):
        names, moves = problem["graph"]["vertices"], [tuple(arc) for arc in problem["graph"]["arcs"]]
    else:
        names, edges = names_and_edges(problem)
        moves = [(names[one], names[other]) for edge in edges for one, other in (edge, edge[::-1])]
    start, end = problem["start"], problem["end"]
    if start is None or end is None:
        return not names
    return (end, start) not in moves if problem["closed"] else start == end and len(names) > 1


Linear = tuple[list[int], str, int]
"""Variables, with a minus where one is taken away; relation; bound."""


def rows_of(description: Description) -> tuple[int, list[Linear]]:
    """The number of variables, and each row as its variables, relation and bound, in the order of the file."""
    problem = undirected(description["problem"])
    names, edges = names_and_edges(problem)
    order = len(names)
    numbers = {name: vertex for vertex, name in enumerate(names)}
    if not problem["closed"]:
        numbers["apex"] = order
        edges = edges + [(vertex, order) for vertex in range(order)]
    variable = {edge: number for number, edge in enumerate(edges, start=1)}

    def variables(moves: list[list[str]]) -> list[int]:
        return [variable[min(pair), max(pair)] for pair in ((numbers[one], numbers[other]) for one, other in moves)]

    rows: list[Linear] = [
        ([variable[edge] for edge in edges if vertex in edge], "=", 2) for vertex in range(len(numbers))
    ]
    required = set(variables(problem["require"]))
    ends = [name for name in (problem["start"], problem["end"]) if name is not None]
    absurd = contradicts_itself(description["problem"])
    if not problem["closed"]:
        required |= {variable[numbers[name], order] for name in ends}
    elif len(ends) == 2:
        closing = (min(numbers[ends[0]], numbers[ends[1]]), max(numbers[ends[0]], numbers[ends[1]]))
        required |= {variable[closing]} if closing in variable else set()
    rows += [([number], "=", 1) for number in sorted(required)]
    image = images_of(problem, names)
    fixed = sum(image[vertex] == vertex for vertex in range(order))
    if image != list(range(order)) and problem["closed"] and fixed > 0:
        turned = [number for (one, other), number in variable.items() if image[one] == other and image[other] == one]
        absurd |= not 0 <= (0 if problem["symmetry"] == "rot180-eulerian" else 2) - fixed <= len(turned)
    rows += [([], "=", 1)] * (absurd and ([], "=", 1) not in rows)
    rows += [([number], "=", 0) for number in sorted(set(variables(problem["forbid"])))]
    tied: set[frozenset[int]] = set()
    image.append(order)
    for (one, other), number in variable.items():
        there = variable[min(image[one], image[other]), max(image[one], image[other])]
        if there != number and frozenset((number, there)) not in tied:
            tied.add(frozenset((number, there)))
            rows.append(([number, -there], "=", 0))
    pairs, weight, _ = pairs_of(description)
    for number, (one, other) in enumerate(pairs, start=max(len(edges), 1) + 1):
        rows += (
            [([number, -one, -other], "or", 1)]
            if weight > 0
            else [([-number, one], "or", 1), ([-number, other], "or", 1)]
        )
    for cut in description["cut_sets"]:
        inside = {numbers[name] for name in cut}
        rows.append(([variable[edge] for edge in edges if (edge[0] in inside) != (edge[1] in inside)], ">=", 2))
    return max(len(edges), 1) + len(pairs), rows


def pairs_of(description: Description) -> tuple[list[Edge], int, int]:
    """Where the best is sought: the pairs of edges, from 1, that count, the weight of each and the constant, so that
    less is better."""
    if "best" not in description:
        return [], 0, 0
    problem, goal = description["problem"], description["best"]
    names, edges = names_and_edges(problem)
    at = {vertex: ("abcdefghijklmnopqrstuvwxyz".index(name[0]), int(name[1:])) for vertex, name in enumerate(names)}
    ways = {number: (at[one], at[other]) for number, (one, other) in enumerate(edges, start=1)}
    sign = -1 if goal["maximize"] else 1
    counts = straight if goal["objective"] == "turns" else crossed
    pairs = [(one, other) for one, other in combinations(ways, 2) if counts(ways[one], ways[other])]
    turning = len(names) if problem["closed"] else len(names) - 2
    return pairs, *((-sign, sign * turning) if goal["objective"] == "turns" else (sign, 0))


Way = tuple[Edge, Edge]


def straight(one: Way, other: Way) -> bool:
    """Whether two segments make one of twice the length."""
    (shared, *more), ends = set(one) & set(other) or {(0, 0)}, set(one) ^ set(other)
    return not more and len(ends) == 2 and all(sum(end[axis] for end in ends) == 2 * shared[axis] for axis in (0, 1))


def crossed(one: Way, other: Way) -> bool:
    """Whether two segments, neither of which lies in the line of the other, meet inside both."""

    def side(way: Way, point: Edge) -> int:
        (x, y), (u, v) = way
        return (u - x) * (point[1] - y) - (v - y) * (point[0] - x)

    return all(side(way, ends[0]) * side(way, ends[1]) < 0 for way, ends in ((one, other), (other, one)))


def opb_of(description: Description) -> list[str]:
    variables, rows = rows_of(description)
    lines = [f"* #variable= {variables} #constraint= {len(rows)}", ""]
    return lines + [
        f"{' '.join(tokens_of(row)) or '+0 x1'} {relation} {row[2]} ;"
        for row in rows
        for relation in [row[1].replace("or", ">=")]
    ]


def tokens_of(linear: Linear) -> list[str]:
    row, relation, _ = linear
    if relation == "or":
        return [token for x in row for token in ("+1", f"x{x}" if x > 0 else f"~x{-x}")]
    return [token for x in row for token in ("+1" if x > 0 else "-1", f"x{abs(x)}")]


def images_of(problem: dict[str, Any], names: list[str]) -> list[int]:
    """The vertex that each goes to by the symmetry, which is a half or quarter turn of a board without holes or a list
    of pairs."""
    asked = problem.get("symmetry", [])
    if isinstance(asked, list):
        to = dict(asked)
        return [names.index(to.get(name, name)) for name in names]
    rows, cols = problem["board"]["rows"], problem["board"]["cols"]

    def turned(row: int, col: int) -> tuple[int, int]:
        return (col, cols - 1 - row) if asked == "rot90" else (rows - 1 - row, cols - 1 - col)

    assert asked in ("rot90", "rot180", "rot180-eulerian")
    return [names.index(square_name(*turned(row, col), rows)) for row in range(rows) for col in range(cols)]


def sample(description: Description, *steps: str) -> Sample:
    """The certificate with these steps, the last of which is the contradiction.

    A step that does not end with ``;`` is completed, one by unit propagation with its hints.
    """
    from certificate_judge import with_hints  # which reads the samples

    _, rows = rows_of(description)
    ids = len(rows) + sum(relation == "=" for _, relation, _ in rows)
    derived = sum(step.split()[0] in ("pol", "rup", "red", "solx") for step in steps)
    frame = ["pseudo-Boolean proof version 3.0", f"f {ids} ;"]
    return Sample(
        description,
        opb_of(description),
        [
            *frame,
            *with_hints(rows, steps),
            "output NONE ;",
            f"conclusion UNSAT : {ids + derived} ;",
            "end pseudo-Boolean proof ;",
        ],
    )


def four_vertices(*tours: str, count: int) -> Sample:
    """Of all edges between four vertices, the three tours leave out a pair that has no vertex in common: a proof that
    these are all."""
    edges = [(one, other) for one in range(4) for other in range(one + 1, 4)]
    made = sample(graph(edges, 4, method="clausal"), *tours, "rup +1 x1 >= 1", "rup +1 x2 >= 1", "rup >= 1")
    made.description["tours"] = count
    made.opb[1] = "preserved: x1 x2 x3 x4 x5 x6 ;"
    made.proof[-2] = f"conclusion ENUMERATION_COMPLETE {count} : {8 + len(tours) + 3} ;"
    return made


def turned_round(*tours: str, count: int | None = None) -> Sample:
    """All edges between four vertices, each of which goes to the next: one tour goes to itself, and none if one of its
    edges is forbidden."""
    edges = [(one, other) for one in range(4) for other in range(one + 1, 4)]
    more: dict[str, Any] = {"symmetry": [["v0", "v1"], ["v1", "v2"], ["v2", "v3"], ["v3", "v0"]]}
    if count is None:
        description = graph(edges, 4, forbid=[["v0", "v1"]], **more)
        ids = {row: number for number, row in enumerate(map(str, rows_of(description)[1]))}
        no, same = (2 * ids[str(row)] + 1 for row in (([1], "=", 0), ([3, -1], "=", 0)))
        return sample(description, f"pol {at_least(0)} {no + 1} 2 * + {same + 1} + ~x2 +")
    made = sample(graph(edges, 4, method="clausal", **more), *tours, "rup +1 x1 >= 1", "rup >= 1")
    made.description["tours"] = count
    made.opb[1] = "preserved: x1 x2 x3 x4 x5 x6 ;"
    made.proof[-2] = made.proof[-2].replace("UNSAT", f"ENUMERATION_COMPLETE {count}")
    return made


def half_turned_odd_board() -> Sample:
    """The centre of 5x5 stays where it is, and no other square or move does: a row says that there is no such tour."""
    return sample(board(5, 5, symmetry="rot180"), f"pol {2 * 25 + 1}")


THREE_TOURS = ("solx ~x1 x2 x3 x4 x5 ~x6", "solx x1 ~x2 x3 x4 ~x5 x6", "solx x1 x2 ~x3 ~x4 x5 x6")


# --- the certificates ---


def at_least(vertex: int) -> int:
    """The id of the row that says that at least two edges are used at the vertex."""
    return 2 * vertex + 1


def at_most(vertex: int) -> int:
    return 2 * vertex + 2


def odd_board(rows: int, cols: int) -> Sample:
    """More squares of the first colour than of the second: the edges at the ones are the edges at the others."""
    squares = [(row, col) for row in range(rows) for col in range(cols)]
    ids = [at_most(v) if (row + col) % 2 else at_least(v) for v, (row, col) in enumerate(squares)]
    return sample(board(rows, cols), f"pol {ids[0]} " + " ".join(f"{number} +" for number in ids[1:]))


def four_by_four() -> Sample:
    """Two opposite corners have the same two neighbours: all four of them are a cycle that never gets out."""
    names = [square_name(row, col, 4) for row in range(4) for col in range(4)]
    a1, d4, b3, c2 = (names.index(name) for name in ("a1", "d4", "b3", "c2"))
    description = board(4, 4, cut_sets=[["a1", "d4", "b3", "c2"]])
    ids = [at_least(a1), at_least(d4), at_most(b3), at_most(c2)]
    return sample(description, f"pol 33 2 * {' '.join(f'{number} 4 * 2 d +' for number in ids)} s 2 d")


def bowtie() -> Sample:
    """Two triangles that share a vertex: both want two of its edges."""
    description = graph([(0, 1), (0, 2), (1, 2), (0, 3), (0, 4), (3, 4)], 5, cut_sets=[["v1", "v2"], ["v4", "v3"]])
    return sample(description, "pol 11 12 +", f"pol 13 {at_most(0)} +")


def bridge() -> Sample:
    """An edge that is the only one across a cut can't be used twice."""
    description = graph([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)], 6, cut_sets=[["v0", "v1", "v2"]])
    return sample(description, "pol 13 ~x4 +")


def one_way() -> Sample:
    """Two arcs lead along three vertices, and none leads back to the first: it is entered by the edge between its
    halves alone."""
    where = {"vertices": ["v0", "v1", "v2"], "arcs": [["v0", "v1"], ["v1", "v2"]]}
    return sample(described({"graph": where}, closed=True), "pol 1 ~x1 +")


def named_bowtie() -> Sample:
    """The bowtie once more, by clauses and with two names: x7 for an edge's being used, x8 for two of three."""
    description = graph(
        [(0, 1), (0, 2), (1, 2), (0, 3), (0, 4), (3, 4)], 5, cut_sets=[["v1", "v2"], ["v4", "v3"]], method="clausal"
    )
    return sample(
        description,
        "red +1 ~x7 +1 x1 >= 1 : x7 -> 0",
        "red +1 x7 +1 ~x1 >= 1 : x7 -> 1",
        "red +2 ~x8 +1 x1 +1 x2 +1 x4 >= 2 : x8 -> 0",
        "red +2 x8 +1 ~x1 +1 ~x2 +1 ~x4 >= 2 : x8 -> 1",
        "rup +1 x7 >= 1",
        "rup +1 x8 >= 1",
        "rup +1 x3 +1 x4 >= 1",
        "del id 13 14 15",
        "rup >= 1",
    )


def generalised_petersen(n: int, step: int) -> list[Edge]:
    return [
        *((i, (i + 1) % n) for i in range(n)),
        *((i, i + n) for i in range(n)),
        *((i + n, (i + step) % n + n) for i in range(n)),
    ]


PETERSEN = generalised_petersen(5, 2)


def clausal(edges: list[Edge], order: int, name: str = "cadical195") -> Sample:
    """A graph without a closed tour, refuted by a SAT solver: clauses for degree 2, and one for each cut set found on
    the way."""
    from pysat.solvers import Solver

    description = graph(edges, order, method="clausal")
    cut_sets: list[list[str]] = []
    while True:
        description["cut_sets"] = cut_sets
        _, rows = rows_of(description)
        clauses: list[list[int]] = []
        for number, (row, _, _) in enumerate(rows):
            clauses += [list(subset) for subset in combinations(row, len(row) - 1)]
            if number < order:
                clauses += [[-x for x in subset] for subset in combinations(row, 3)]
        with Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
            if not solver.solve():
                return sample(
                    description,
                    *pb_steps(solver.get_proof(), sum(2 if relation == "=" else 1 for _, relation, _ in rows)),
                )
            used = {x for x in solver.get_model() if x > 0}
        tails = sorted((min(edge), max(edge)) for edge in edges)
        chosen = [edge for x, edge in enumerate(tails, start=1) if x in used]
        cycle = {0}
        while more := {end for edge in chosen if cycle & set(edge) for end in edge} - cycle:
            cycle |= more
        assert len(cycle) < order, "the graph has a closed tour"
        cut_sets.append([f"v{vertex}" for vertex in sorted(cycle)])


def pb_steps(drup: list[str], last: int) -> list[str]:
    """The lines of a DRUP proof as pseudo-Boolean steps; deletions of clauses that are no step are left out."""
    steps: list[str] = []
    ids: dict[tuple[int, ...], list[int]] = {}
    for line in drup:
        deleted = line.startswith("d")
        clause = [int(word) for word in line.split() if word not in ("d", "0")]
        key = tuple(sorted(clause))
        if not deleted:
            last += 1
            ids.setdefault(key, []).append(last)
            left = "".join(f"+1 {'~' if x < 0 else ''}x{abs(x)} " for x in clause)
            steps.append(f"rup {left}>= 1")
            if not clause:
                break
        elif len(key) > 1 and ids.get(key):
            steps.append(f"del id {ids[key].pop()}")
    return steps
