"""The theorems agree with searches, and each refuted space has a certificate; a theorem is quoted with its reason. The
members of families have their published sizes, degrees and counts of cycles."""

import re
from itertools import combinations_with_replacement, product
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from cpsat_tour import BadInput, Board, Box, Certificate, Problem, Wrapped, graph_of, load, solve, verify
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.engines.runner import Listing, run
from cpsat_tour.native.edges import Edges
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.presolve.simplify import simplify
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import SURFACES
from cpsat_tour.spaces.families import LCF, Member
from cpsat_tour.spaces.lattice import Lattice
from cpsat_tour.spaces.theorems import has_tour, why_no_tour


def test_the_theorems_on_known_boards() -> None:
    assert [n for n in range(3, 20) if has_tour(Board(3, n), closed=True)] == [10, 12, 14, 16, 18]
    assert [n for n in range(3, 12) if not has_tour(Board(3, n), closed=False)] == [3, 5, 6]
    assert not any(has_tour(Board(4, n), closed=True) for n in range(1, 50))
    assert all(has_tour(Board(n), closed=False) for n in (1, *range(5, 30)))
    for rows, cols, closed in product(range(1, 13), range(1, 13), (False, True)):
        known = has_tour(Board(rows, cols), closed=closed)
        assert known == has_tour(Board(cols, rows), closed=closed) == has_tour(Box(1, rows, cols), closed=closed)
        assert (why_no_tour(Board(rows, cols), closed=closed) is None) == known


@pytest.mark.parametrize(("leaper", "first"), [((1, 4), 10), ((2, 3), 10), ((3, 4), 14), ((2, 5), 14)])
def test_first_squares_of_leapers(leaper: tuple[int, int], first: int) -> None:
    """Knuth 1994 on when a board is connected, Beluhov 2017 on the closed tour; what is smaller is refuted by
    certificates."""
    short, long = leaper
    for rows, cols in product(range(1, 15), repeat=2):
        connected = min(rows, cols) >= short + long and max(rows, cols) >= 2 * long
        assert (not Board(rows, cols, leaper=leaper).graph.components.any()) == (connected or rows * cols == 1), (
            rows,
            cols,
        )
    for side in range(2, first):
        refuted = prove(Problem(Board(side, leaper=leaper).graph, True))
        assert isinstance(refuted, Certificate)
        assert refuted.check().valid
    assert first == 2 * (short + long)
    assert run(Problem(Board(first, leaper=leaper).graph, True), load("auto")).tour is not None


@pytest.mark.parametrize(
    ("space", "closed", "theorem"),
    [
        (Board(3, 8), True, "Schwenk 1991: the 3x8 board has no closed knight's tour, for its sides are 3 and 8."),
        (Board(5), True, "Schwenk 1991: the 5x5 board has no closed knight's tour, for both sides are odd."),
        (
            Board(4),
            False,
            "Cull & De Curtins 1978, Conrad et al. 1994: the 4x4 board has no open knight's tour, for its sides are 4 "
            "and 4.",
        ),
        (
            Box(3, 3, 2),
            True,
            "DeMaio & Mathew 2011: the 3x3x2 box has no closed knight's tour, for it is the 2x3x3 box.",
        ),
        (
            Wrapped("cylinder", 4, 6),
            True,
            "Watkins 2000: the 4x6 cylinder has no closed knight's tour, for it has 4 rows, and the number of columns "
            "is even.",
        ),
    ],
    ids=str,
)
def test_a_theorem_is_quoted_with_its_reason(space: Lattice, closed: bool, theorem: str) -> None:
    assert why_no_tour(space, closed=closed) == theorem
    assert has_tour(space, closed=closed) is False


@pytest.mark.parametrize(
    ("space", "closed"),
    [
        (Box(2, 3, 3, holes=["b2.2"]), True),
        (Box(4, 4, 4, leaper=(0, 1)), True),
        (Wrapped("torus", 5, leaper=(1, 4)), True),
        (Wrapped("torus", 5, holes=["a1"]), True),
        (Wrapped("klein", 5), True),
        (Wrapped("torus", 5), False),
    ],
    ids=repr,
)
def test_theorems_speak_of_whole_spaces_and_knights_alone(space: Lattice, closed: bool) -> None:
    assert has_tour(space, closed=closed) is None


@pytest.mark.parametrize(
    "name", ["J(7)", "Kneser(6,2)", "Kneser(7,3)", "Kneser(5,2)", "Q(6)", "Q(1)", "Sheehan(30)", "GP(11,2)"]
)
def test_theorems_agree_with_searches(name: str) -> None:
    member = Member.parse(name)
    assert has_tour(member, closed=True) == (run(Problem(member.graph, closed=True), load("edges")).status == "tour")


@pytest.mark.parametrize(
    ("name", "bipartite"),
    [("Tutte", False), ("EllinghamHorton(54)", True), ("EllinghamHorton(78)", True), ("Horton", True)],
)
def test_graphs_of_note_have_no_cycle_for_no_plain_reason(name: str, bipartite: bool) -> None:
    """They have two colours or not as is known, and no cuts of one vertex or two edges; the frontier method refutes
    them."""
    problem = Problem(Member.parse(name).graph, closed=True)
    assert (problem.graph.colours is not None) == bipartite
    assert violated_condition(problem) is None
    assert simplify(to_cycle(problem)).taken is None
    assert has_tour(problem.graph.space, closed=True) is False
    assert run(problem, load("frontier")).status == "none"


EXCEPTIONS = {
    "mobius": {(1, n) for n in range(1, 9)}
    | {(m, 1) for m in range(1, 6)}
    | {(2, n) for n in (2, 4, 6, 8)}
    | {(3, 4), (4, 3), (4, 5), (4, 7)},
    "klein": {(1, 1), (1, 2), (2, 1)},
}
"""The wrapped boards of sides up to 8 without a closed knight's tour."""


def has_proved_tour(problem: Problem, folder: Path) -> bool:
    """Whether `prove` finds a tour, which is verified; else its certificate is checked and names the space."""
    outcome = prove(problem)
    if isinstance(outcome, Certificate):
        outcome.write(folder)
        verdict = check(folder)
        assert verdict.valid, verdict.fault
        assert problem.graph.called in verdict.claim
        return False
    assert outcome.tour is not None, problem
    verify(problem, outcome.tour.vertices)
    return True


@pytest.mark.parametrize("most", [4, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("surface", SURFACES)
def test_every_small_wrapped_board_is_decided_by_proof_and_by_search(surface: str, most: int, tmp_path: Path) -> None:
    """By a checked certificate, or a verified tour, and by the edge search; against the theorems and the exceptions."""
    for rows, cols in product(range(1, most + 1), repeat=2):
        board = Wrapped(surface, rows, cols)
        problem = Problem(board.graph, True)
        known = (rows, cols) not in EXCEPTIONS[surface] if surface in EXCEPTIONS else has_tour(board, closed=True)
        assert has_proved_tour(problem, tmp_path / f"{rows}x{cols}") == known, str(board)
        assert bool(run(problem, load("edges"))) == known, str(board)


def test_the_table_of_exceptions_is_the_one_in_the_documentation() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "spaces.md").read_text(encoding="utf-8")
    for surface, boards_without in EXCEPTIONS.items():
        row = re.search(rf"^\| `{surface}` \|[^|]*\| (.*?) \|$", page, re.MULTILINE)
        assert row is not None
        named = [tuple(map(int, found)) for found in re.findall(r"(\d+)x(\d+)", row[1])]
        assert sorted(named) == sorted(boards_without)


@pytest.mark.parametrize(("most", "counts"), [(36, (87, 78)), pytest.param(64, (181, 145), marks=pytest.mark.slow)])
def test_every_small_box_has_a_tour_or_a_certificate_as_the_theorem_says(
    most: int, counts: tuple[int, int], tmp_path: Path
) -> None:
    """DeMaio & Mathew 2011: where there is no closed tour that is certified, and the certificate is checked."""
    boxes = [Box(*sides) for sides in combinations_with_replacement(range(1, most + 1), 3) if np.prod(sides) <= most]
    known = [has_tour(box, closed=True) for box in boxes if len(box) > 1]
    found = [has_proved_tour(Problem(box.graph, True), tmp_path / str(box)) for box in boxes if len(box) > 1]
    assert found == known
    assert (len(found), found.count(False)) == counts


# --- families ---


@pytest.mark.parametrize(
    ("name", "order", "size", "degrees"),
    [
        ("J(5)", 20, 30, {3}),
        ("Coxeter", 28, 42, {3}),
        ("Petersen", 10, 15, {3}),
        ("Kneser(5,2)", 10, 15, {3}),
        ("Kneser(7,3)", 35, 70, {4}),
        ("cubic(100,3)", 100, 150, {3}),
        ("Q(5)", 32, 80, {5}),
        ("xor9(20,1)", 180, 300, {2, 3, 4, 5}),
        ("Tutte", 46, 69, {3}),
        ("EllinghamHorton(54)", 54, 81, {3}),
        ("EllinghamHorton(78)", 78, 117, {3}),
        ("Horton", 96, 144, {3}),
        ("K(7)", 7, 21, {6}),
        ("K(1)", 1, 0, {0}),
        ("C(7)", 7, 7, {2}),
    ],
)
def test_members_of_families_have_the_published_sizes_and_degrees(
    name: str, order: int, size: int, degrees: set[int]
) -> None:
    graph = Member.parse(name).graph
    assert (graph.order, graph.size) == (order, size)
    assert set(graph.degrees.tolist()) <= degrees
    if name.startswith("xor9"):  # two copies are joined at most once
        copies = np.stack(graph.edges(), axis=1) // 9
        between = copies[copies[:, 0] != copies[:, 1]]
        assert len(np.unique(np.sort(between), axis=0)) == len(between) == 5 * order // 9


GIRTHS = {"TruncatedTetrahedron": 3, "Franklin": 4, "Frucht": 3, "Heawood": 6, "MoebiusKantor": 6, "Pappus": 6}
GIRTHS |= {"Desargues": 6, "Dodecahedron": 5, "McGee": 7, "Nauru": 6, "F26A": 6, "TutteCoxeter": 8, "Dyck": 6}
GIRTHS |= {"Gray": 8, "Foster": 10}
GENERATORS = {"Dodecahedron": "dodecahedral", "MoebiusKantor": "moebius_kantor"}
GENERATORS |= {"TruncatedTetrahedron": "truncated_tetrahedron"}


@pytest.mark.parametrize("name", LCF)
def test_rings_with_chords_have_degree_3_and_the_published_girth(name: str) -> None:
    networkx = pytest.importorskip("networkx", reason="girths are found by networkx")
    graph = graph_of(name)
    plain = networkx.Graph(graph.pairs())
    assert (set(graph.degrees.tolist()), networkx.girth(plain)) == ({3}, GIRTHS[name])
    assert solve(graph, closed=True).tour
    if generator := getattr(networkx, f"{GENERATORS.get(name, name.lower())}_graph", None):
        assert networkx.is_isomorphic(plain, generator())


def test_complete_graphs_and_rings_have_their_numbers_of_cycles() -> None:
    for order in range(3, 9):
        assert (
            sum(map(len, Listing(Problem(graph_of(f"K({order})"), closed=True), Edges()))) == factorial(order - 1) / 2
        )
        assert sum(map(len, Listing(Problem(graph_of(f"C({order})"), closed=True), Edges()))) == 1


def test_generators_of_networkx_are_typed_with_literal_arguments() -> None:
    pytest.importorskip("networkx", reason="its generators are tried")
    assert [graph_of(f"networkx:{text}").size for text in ("heawood_graph", "circulant_graph(10,[1,2])")] == [21, 20]
    assert graph_of("networkx:gnp_random_graph(9,0.5,1,True)").directed
    assert solve("networkx:grid_2d_graph(2,3)", closed=True, start="0,1").tour
    for wrong, sentence in (
        ("no_graph", "has no generator 'no_graph'"),
        ("read_gml('x')", "has no generator 'read_gml'"),
        ("complete_graph(99999)", "can't be 99999: give a whole number, 0 to 10000"),
        ("complete_graph(0x1869f)", "can't be 99999"),
        ("complete_graph(open('x'))", "can't make networkx:complete_graph"),
        ("complete_graph", "can't make networkx:complete_graph"),
    ):
        with pytest.raises(BadInput, match=re.escape(sentence)):
            graph_of(f"networkx:{wrong}")
    for asked, sentence in (({"form": "edges"}, "leave out the form"), ({"holes": ["a1"]}, "can't have a hole a1")):
        with pytest.raises(BadInput, match=sentence):
            graph_of("networkx:heawood_graph", **asked)


@pytest.mark.parametrize("order", range(4, 15))
def test_sheehan_graphs_have_one_cycle_and_the_most_edges(order: int) -> None:
    graph = Member.parse(f"Sheehan({order})").graph
    assert graph.size == order**2 // 4 + 1
    assert sum(map(len, Listing(Problem(graph, closed=True), Edges()))) == 1


def test_graphs_with_hidden_cycles_have_their_degrees() -> None:
    strings, planted, hubs, chains = (
        np.asarray(Member.parse(f"{family}(1000,1)").graph.degrees)
        for family in ("strings", "planted", "hubs", "chains")
    )
    assert (strings == 2).sum() > 500
    assert np.median(planted) == 3
    assert (hubs > 40).sum() == 10
    assert set(chains.tolist()) == {2, 3}
    assert 100 <= (chains == 2).sum() < 150


@pytest.mark.parametrize(
    "name",
    [
        "J(4)",
        "J(5,2)",
        "J",
        "C(2)",
        "K(0)",
        "Heawood(3)",
        "Sheehan(3)",
        "Kneser(4,2)",
        "Q(0)",
        "Q(17)",
        "xor9(9,1)",
        "EllinghamHorton(55)",
        "hubs(19,1)",
        "Z(1,3)",
        "Z(5,0)",
        "Z(5,25)",
        "Z(5)",
    ],
)
def test_unknown_members_of_families_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"there is no (such )?graph|not a member of a family"):
        Member.parse(name)


@pytest.mark.parametrize("n", [3, 4, 10, 31])
def test_tutte_prisms_are_planar_cubic_and_3_connected(n: int) -> None:
    networkx = pytest.importorskip("networkx", reason="planarity is tested by networkx")
    graph = graph_of(f"TuttePrism({n})")
    plain = networkx.Graph(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    assert set(dict(plain.degree).values()) == {3}
    assert plain.number_of_nodes() == graph.order
    assert networkx.check_planarity(plain)[0]
    assert networkx.node_connectivity(plain) == 3
    assert solve(graph, closed=True).none


@pytest.mark.parametrize("family", ["strings", "planted", "hubs", "chains"])
def test_a_hidden_cycle_is_found_and_a_star_product_with_petersens_graph_has_none(family: str) -> None:
    hidden, none = graph_of(f"{family}(40,3)"), graph_of(f"{family}-none(40,3)")
    assert hidden.indices.tolist() != graph_of(f"{family}(40,4)").indices.tolist()
    assert solve(hidden, closed=True).tour
    assert (none.order, none.size) == (hidden.order + 8, hidden.size + 12)
    assert solve(none, closed=True, backend="edges").none
    assert not none.components.any()


def test_the_seed_of_a_cubic_graph_decides_it() -> None:
    same, again, other = (Member.parse(f"cubic(100,{seed})").graph.pairs() for seed in (3, 3, 4))
    assert same == again != other


def test_vertices_of_cayley_digraphs_are_vectors() -> None:
    graph = graph_of("z(3,2)")
    assert (graph.order, graph.size, graph.directed, graph.called) == (9, 18, True, "the directed graph Z(3,2)")
    names = [graph.name(vertex) for vertex in range(9)]
    assert names == ["0,0", "0,1", "0,2", "1,0", "1,1", "1,2", "2,0", "2,1", "2,2"]
    assert [graph.space.vertex(name) for name in names] == list(range(9)) == [graph.space.vertex(n) for n in range(9)]
    assert graph.space.vertex((2, 1)) == 7
    assert [graph.name(head) for head in graph.neighbours(8).tolist()] == ["0,2", "2,0"]
    for wrong in ("3,0", "0", "0,0,0", "a,b", "", (0, 3), ("0",), "9" * 30 + ",0"):
        with pytest.raises(BadInput, match=r"its vertices are 0,0 to 2,2"):
            graph.space.vertex(wrong)
    with pytest.raises(BadInput, match=r"Z\(99999,24\) is too large"):
        Member.parse("Z(99999,24)")
