"""A certificate that there is no tour as a theorem for Rocq, the proof assistant once called Coq: ``proof.v``.

The statement is in the words of ``Tours.v``, which has definitions alone; the evidence is data that the checker of
``Steps.v`` evaluates, and ``Theorems.v`` has the proof that the checker is right. All are in `cpsat_tour.proofs.rocq`
and are written beside the theorem. A board is stated as a board; any other graph by the list of its edges or arcs.

A sum of rows is one step. Of a clausal proof each clause that a hint names is a step, a sum of rows if it states a row;
a fresh variable (`veripb.prefixes_and_suffixes`) is a set of edges of which one is used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.check.claim import sentence_of
from cpsat_tour.proofs.write.combination import Combination, TreeProof
from cpsat_tour.proofs.write.veripb import ClausalProof, CycleRows, RowFormula, Vertices
from cpsat_tour.proofs.write.why import Proved

THEORY = ("Tours.v", "Cycles.v", "Steps.v", "Reductions.v", "Theorems.v")
"""The files that a theorem stands on, in the order in which they are compiled."""

THEOREM = "proof.v"

FILE = """\
(** There is {claim}.

    Tours.v says what that means. To check it: for f in {files}; do
    coqc $f; done *)

Require Import Tours Steps Theorems.
From Coq Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

{moves}Definition evidence : proof := {{|
  named := [{named}];
  steps := [
    {steps}] |}}.

{theorem}

Print Assumptions {name}."""

Pair = tuple[int, int]


def check_can_be_stated(problem: Problem) -> None:
    """Raise `BadInput` if no theorem can say that the problem has no tour.

    That is so if it asks for a symmetry, or has so few vertices that a cycle is none.
    """
    if problem.symmetry is not None:
        raise BadInput("a theorem for Rocq says nothing of symmetric tours: leave the symmetry or --rocq out")
    if problem.graph.order < 3:
        raise BadInput(f"a theorem for Rocq needs a graph of 3 vertices or more, not {problem.graph.order}")


def theory() -> dict[str, list[str]]:
    """Return the files that a theorem needs: the lines of each, by its name."""
    folder = Path(__file__).parents[1] / "rocq"
    return {name: (folder / name).read_text(encoding="utf-8").splitlines() for name in THEORY}


def theorem(cycle: CycleRows, proof: Proved, formula: RowFormula) -> list[str]:
    """Return the lines of the file ``proof.v``; `BadInput` if the proof is of a count or of the best."""
    check_can_be_stated(cycle.source)
    if proof.tours is not None or isinstance(proof, TreeProof) or getattr(proof, "contradiction", False):
        raise BadInput("a theorem for Rocq says that there is no tour for want of moves: leave --rocq out")
    return _Theorem(cycle, proof, formula).text().split("\n")


class _Theorem:
    """A theorem in the making; ``number[v]`` is the theorem's number for the vertex v of the undirected problem."""

    def __init__(self, cycle: CycleRows, proof: Combination | ClausalProof, formula: RowFormula) -> None:
        self.cycle, self.proof, self.formula, self.problem = cycle, proof, formula, cycle.source
        problem, data = self.problem, self.problem.graph.space.data() or {}
        plain = not (problem.require or problem.forbid or problem.start is not None or problem.end is not None)
        plain = plain and data.keys() == {"rows", "cols", "holes", "leaper"} and isinstance(data["leaper"][0], int)
        self.board: Mapping[str, Any] | None = data if plain else None
        self.number: list[int] = list(range(cycle.order))
        if self.board:
            holes = {row * data["cols"] + col for row, col in data["holes"]}
            self.number = [square for square in range(data["rows"] * data["cols"] + 1) if square not in holes]
        self._named: dict[frozenset[int], int] = {}
        self._fresh: Mapping[int, frozenset[int]] = {}
        self.name = theorem_name(self.problem)

    def text(self) -> str:
        """Return the whole file as text."""
        steps = ";\n    ".join(self._steps())
        named = ";\n    ".join(_listed(map(self._numbered_ends, sorted(edges))) for edges in self._named)
        return FILE.format(
            claim=_in_comment(sentence_of(self.problem)),
            files=" ".join((*THEORY, THEOREM)),
            moves=self._graph() if self.board is None else "",
            named=named,
            steps=steps,
            theorem=self._theorem_on_graph() if self.board is None else self._theorem_on_board(self.board),
            name=self.name,
        )

    def _theorem_on_board(self, board: Mapping[str, Any]) -> str:
        """Return the theorem about a board, and its proof."""
        kind, (short, long) = self.problem.kind, board["leaper"]
        squares = f"(board {board['rows']} {board['cols']} {_listed(map(tuple, board['holes']))})"
        return f"""\
Theorem {self.name} : forall tour, ~ {kind}_tour {squares} (leaper {short} {long}) tour.
Proof. apply no_{kind}_tour_of_board with evidence; [reflexivity|vm_compute; reflexivity]. Qed."""

    def _theorem_on_graph(self) -> str:
        """Return the theorem about a graph by its edges or arcs, and its proof."""
        problem, kind = self.problem, self.problem.kind
        directed, order, required = problem.graph.directed, problem.graph.order, _listed(self._required)
        premises, ends, known = "", "", ""
        if not problem.closed:
            given = (("begins", "first", problem.start), ("finishes", "final", problem.end))
            premises = "".join(f"{word} {vertex} tour -> " for word, _, vertex in given if vertex is not None)
            ends = "".join(" None" if vertex is None else f" (Some {vertex})" for _, _, vertex in given)
            known = f" (conj {' '.join('I' if vertex is None else name for _, name, vertex in given)})"
        if self._required:
            used = "uses_or_returns tour" if problem.closed else "uses tour"
            premises += f"Forall ({used if directed else f'either_way ({used})'}) {required} -> "
        names = [name for name in ("first", "final") if name in known] + ["used"] * bool(self._required)
        tour = f"{kind}_tour (below {order}) ({'arc' if directed else 'edge'} moves) tour"
        right = f"no_{kind}_tour_of_graph {str(directed).lower()} {order} moves{ends} {required} evidence"
        return f"""\
Theorem {self.name} : forall tour, {premises}~ {tour}.
Proof.
  intros {" ".join(("tour", *names, "found"))}.
  refine ({right} _ tour found{known} {"used" if self._required else "(Forall_nil _)"}).
  vm_compute. reflexivity.
Qed."""

    def _graph(self) -> str:
        """Return the definition of the graph's moves, the forbidden ones left out.

        Comments before it say what the vertices are called if that is not their numbers.
        """
        graph, forbidden = self.problem.graph, {*self.problem.forbid}
        if not graph.directed:
            forbidden |= {(head, tail) for tail, head in forbidden}
        moves = [move for move in graph.pairs() if move not in forbidden]
        names = [(vertex, graph.name(vertex)) for vertex in range(graph.order)]
        comments = [f"(* vertex {vertex}: {_in_comment(name)} *)\n" for vertex, name in names]
        if all(name == str(vertex) for vertex, name in names):
            comments = []
        return f"{''.join(comments)}Definition moves : list (Z * Z) := {_listed(moves)}.\n\n"

    @property
    def _required(self) -> list[Pair]:
        """The moves that a tour has to make, among them the one from a closed tour's end to its start."""
        problem = self.problem
        closing = [(problem.end, problem.start or 0)] if problem.closed and problem.end is not None else []
        return [*problem.require, *closing]

    def _steps(self) -> Iterator[str]:
        """Yield the steps of the proof as Rocq writes them."""
        proof, formula = self.proof, self.formula
        if isinstance(proof, Combination):
            required = [max(0, proof.required.get(edge, 0)) for edge in self._required_edges]
            yield f"Sum [] {self._sum(proof.vertices, proof.cut_sets, required)}"
            return
        self._fresh = _sets_of_fresh_variables(proof)
        stated, ids = proof.clauses.clauses, dict[int, int]()
        for hint in sorted({hint for lemma in proof.lemmas for hint in lemma.hints if hint <= len(stated)}):
            clause, by, ids[hint] = stated[hint - 1], proof.clauses.ids[hint - 1], len(ids) + 1
            row = bisect_right(formula.row_ids, by) - 1 if by <= formula.ids else None
            yield f"Sum {self._clause(clause)} {self._sum_of_row(clause, row)}"
        for number, lemma in enumerate(proof.lemmas, start=len(stated) + 1):
            ids[number] = len(ids) + 1
            hints = "; ".join(f"{ids[hint]}%positive" for hint in lemma.hints)
            yield f"Follows {self._clause(lemma.clause)} [{hints}]"

    def _sum_of_row(self, clause: Clause, row: int | None) -> str:
        """Return the sum that derives a clause from the row with index ``row``, or from none for a clause of
        `prefixes_and_suffixes`.

        The row is of two edges at a vertex, of a cut set, or of a required or a forbidden edge.
        """
        negative, formula, order = sum(literal < 0 for literal in clause), self.formula, self.cycle.order
        vertices: dict[int, int] = {}
        cut_sets: dict[Vertices, int] = {}
        required = [1] * negative
        if row is None:
            sign = (negative == 0) - (negative == len(clause))
            edges = [edge for literal in clause for edge in self._edges_of_literal(literal)]
            (vertex,) = set.intersection(*({int(self.cycle.tails[e]), int(self.cycle.heads[e])} for e in edges))
            vertices = {vertex: sign} if sign else {}
        elif row < order:
            vertices = {row: -1 if negative else 1}
        elif row >= (first := len(formula.rows) - len(formula.cut_sets)):
            cut_sets = {formula.cut_sets[row - first]: 1}
        else:
            required += [int(edge + 1 in clause) for edge in self._required_edges]
        return self._sum(vertices, cut_sets, required)

    @cached_property
    def _required_edges(self) -> list[int]:
        """The edges of the cycle problem that the theorem requires, in its order."""
        problem, order = self.problem, self.problem.graph.order
        pairs = self._required
        if not problem.closed:
            start = [] if problem.start is None else [(order, problem.start)]
            pairs = [*start, *([] if problem.end is None else [(problem.end, order)]), *pairs]
        if problem.graph.directed:
            own = [(2 * vertex, 2 * vertex + 1) for vertex in range(order + (not problem.closed))]
            pairs = own + [(2 * tail + 1, 2 * head) for tail, head in pairs]
        numbered = zip(self.cycle.tails.tolist(), self.cycle.heads.tolist(), strict=True)
        edge = {frozenset(ends): number for number, ends in enumerate(numbered)}
        return [edge[frozenset(pair)] for pair in pairs]

    def _sum(self, vertices: Mapping[int, int], cut_sets: Mapping[Vertices, int], required: Sequence[int]) -> str:
        """Return the sum of rows with these multipliers, as Rocq writes it."""
        number = self.number
        of_vertices = _listed((number[vertex], multiplier) for vertex, multiplier in vertices.items())
        shores = ((multiplier, [number[vertex] for vertex in shore]) for shore, multiplier in cut_sets.items())
        cuts = "; ".join(f"({multiplier}, {_listed(shore)})" for multiplier, shore in shores)
        needed = _listed(required if any(required) else ())
        return f"{{| of_vertices := {of_vertices}; of_cut_sets := [{cuts}]; of_required := {needed} |}}"

    def _clause(self, clause: Clause) -> str:
        """Return a clause as Rocq writes it, its sets of edges named."""
        literals = ((x > 0, self._named.setdefault(self._edges_of_literal(x), len(self._named) + 1)) for x in clause)
        return f"[{'; '.join(f'({str(used).lower()}, {number}%positive)' for used, number in literals)}]"

    def _edges_of_literal(self, literal: int) -> frozenset[int]:
        """Return a set of edges, one of which is used exactly if the literal's variable is true."""
        variable = abs(literal)
        return frozenset((variable - 1,)) if variable <= self.cycle.size else self._fresh[variable]

    def _numbered_ends(self, edge: int) -> Pair:
        """Return the theorem's numbers of an edge's ends."""
        return self.number[int(self.cycle.tails[edge])], self.number[int(self.cycle.heads[edge])]


def theorem_name(problem: Problem) -> str:
    """Return the name of the theorem: ``no_open_tour_11x11_leaper_1_4``."""
    graph = problem.graph
    called = graph.space.called() if graph.space.data() else ""
    called = re.sub(r"by an? (?:\w+ \((.*)\)|(.*) leaper)", r"leaper \1\2", called.removeprefix("the "))
    words = re.findall("[A-Za-z0-9]+", called)
    words = [word for word in words if word not in ("board", "graph")]
    return "_".join(("no", problem.kind, "tour", *words))


def _sets_of_fresh_variables(proof: ClausalProof) -> dict[int, frozenset[int]]:
    """Return, for each fresh variable, the edges of which one is used if it is true.

    Its definition says so: ``+1 ~x9 +1 x2 +1 x5 >= 1``.
    """
    first_halves = (
        step.words[0] for step in proof.clauses.derived if step.rule == "red" and step.words[1].endswith("0")
    )
    numbers = ([*map(int, re.findall(r"x([0-9]+)", words))] for words in first_halves)
    return {fresh: frozenset(variable - 1 for variable in edges) for fresh, *edges in numbers}


def _listed(items: Iterable[object]) -> str:
    """Return items as Rocq writes a list."""
    return f"[{'; '.join(map(str, items))}]"


def _in_comment(text: str) -> str:
    """Return the text made safe for a comment of Rocq: it can't end the comment or begin a string."""
    return re.sub(r"[\"*]", "'", text)
