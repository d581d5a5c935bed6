"""Forms of a tour that other programs go on with: ``solve --format NAME`` prints them, and a suffix names some.

| form | what it is | suffix |
|---|---|---|
| ``list`` | the vertices in order, a name a line | |
| ``line`` | the vertices in order, with spaces between them; names that have spaces in quotes | |
| ``csv`` | a line for each visit: its number, the name, row and column | ``.csv`` |
| ``board`` | the board of visit numbers | |
| ``tsplib`` | a tour of TSPLIB (Reinelt 1991): the numbers of the vertices, from 1 | ``.tour`` |
| ``node-link`` | JSON for networkx and D3: nodes with their numbers, links that say if the tour uses them | |
| ``dot`` | the graph for Graphviz, with the tour in bold | ``.dot`` |
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping

from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import moves_of
from cpsat_tour.formats.grids import tour_text


def _edges(problem: Problem, tour: Ints) -> Iterator[tuple[str, str, bool]]:
    """Yield the ends of each edge of the graph, and True if the tour uses it."""
    graph, made = problem.graph, set(moves_of(tour.tolist(), closed=problem.closed))
    for tail, head in graph.pairs():
        used = (tail, head) in made or ((head, tail) in made and not graph.directed)
        yield graph.name(tail), graph.name(head), used


def _csv(problem: Problem, tour: Ints) -> str:
    space, text = problem.graph.space, io.StringIO()
    where, (noun, _) = space.coordinates, problem.graph.nouns
    axes = [] if where is None else ["row", "col", "layer"][: where.shape[1]]
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["number", noun, *axes])
    for number, vertex in enumerate(tour.tolist(), start=1):
        rows.writerow([number, space.name(vertex), *([] if where is None else where[vertex].tolist())])
    return text.getvalue()


def _tsplib(problem: Problem, tour: Ints) -> str:
    header = f"NAME : tour\nCOMMENT : {problem.kind} tour of {problem.graph.called}\nTYPE : TOUR"
    numbers = "".join(f"{vertex + 1}\n" for vertex in tour.tolist())
    return f"{header}\nDIMENSION : {len(tour)}\nTOUR_SECTION\n{numbers}-1\nEOF\n"


def _node_link(problem: Problem, tour: Ints) -> str:
    nodes = [{"id": problem.graph.name(vertex), "number": at} for at, vertex in enumerate(tour.tolist(), start=1)]
    links = [{"source": tail, "target": head, "tour": used} for tail, head, used in _edges(problem, tour)]
    about = {"directed": problem.graph.directed, "multigraph": False, "graph": {"tour": problem.kind}}
    return json.dumps(about | {"nodes": nodes, "links": links}, ensure_ascii=False) + "\n"


def _dot(problem: Problem, tour: Ints) -> str:
    kind, arrow = ("digraph", "->") if problem.graph.directed else ("graph", "--")
    edges = (
        f"  {json.dumps(tail, ensure_ascii=False)} {arrow} {json.dumps(head, ensure_ascii=False)}"
        f"{' [style=bold, penwidth=3]' * used};\n"
        for tail, head, used in _edges(problem, tour)
    )
    return f"{kind} {{\n{''.join(edges)}}}\n"


FORMS: Mapping[str, Callable[[Problem, Ints], str]] = {
    "list": lambda problem, tour: "".join(f"{problem.graph.name(vertex)}\n" for vertex in tour.tolist()),
    "line": lambda problem, tour: problem.graph.space.line(tour.tolist()) + "\n",
    "csv": _csv,
    "board": lambda problem, tour: tour_text(problem.graph.space, tour),
    "tsplib": _tsplib,
    "node-link": _node_link,
    "dot": _dot,
}
"""The forms by name: each makes the text of a tour of a problem."""

FORM_SUFFIXES = {".csv": "csv", ".tour": "tsplib", ".dot": "dot"}

SUFFIX_OF_FORM = (
    dict.fromkeys(FORMS, ".txt") | {"node-link": ".json"} | {form: suffix for suffix, form in FORM_SUFFIXES.items()}
)
"""The suffix of a file that is written in a form, if it has one that says something."""
