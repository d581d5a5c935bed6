"""The functions at the top of the package: their answers, their short forms, and what notebooks show."""

import doctest
import json
from collections.abc import Generator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

import cpsat_tour
from cpsat_tour import (
    Answer,
    BackendFault,
    BadInput,
    Board,
    Certificate,
    Graph,
    NotProved,
    Problem,
    StoppedEarly,
    Tour,
    best,
    check,
    compare_backends,
    count,
    estimate,
    prove,
    solve,
    tours,
)
from cpsat_tour.core.problem import Refutation

BOARD = Board(5, 6)
TRIANGLE = Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)])


# --- bad arguments ---


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer("maybe"), "answered 'maybe', not one of tour, none, unknown"),  # type: ignore[arg-type]
        (Answer("none"), "answered that there is no tour and gave no reason of a kind among exhausted, condition"),
        (
            Answer("none", refutation=Refutation("obvious", "")),  # type: ignore[arg-type]
            "answered that there is no tour and gave no reason of a kind among exhausted, condition",
        ),
        (Answer("tour"), "answered that there is a tour and gave none"),
    ],
)
def test_a_malformed_answer_of_a_plug_in_is_a_fault(answer: Answer, sentence: str) -> None:
    with pytest.raises(BackendFault, match=sentence):
        answer.verified(Problem(TRIANGLE, closed=True))


def test_the_log_of_a_solver_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert solve("6x6", closed=True, backend="cpsat", options={"log": True}).status == "tour"
    printed = capsys.readouterr()
    assert "CpSolverResponse" in printed.err
    assert not printed.out


class Search:
    """A search of another's, which says that it tried everything."""

    takes = frozenset[str]()

    def solve(self, *_: object) -> Answer:
        return Answer.without_tour("exhausted", "all of no positions")


class Formulation:
    """A formulation of another's, which says that a clausal proof shows it."""

    takes = frozenset[str]()

    def cycles(self, _: object) -> Generator[Any, None, Refutation]:
        yield from ()
        return Refutation("clausal", "a proof that nobody has", certificate="proof")


@pytest.mark.parametrize("plug_in", ["Search", "Formulation"])
def test_no_tour_is_a_claim_when_a_plug_in_says_so(plug_in: str) -> None:
    answer = solve("6x6", closed=True, backend=f"py:{__name__}:{plug_in}")
    assert answer.refutation is not None
    assert (answer.refutation.kind, answer.refutation.certificate) == ("claimed", None)


def test_numpy_numbers_and_option_values_are_accepted() -> None:
    assert Problem(BOARD.graph, np.True_, np.int64(3)).start == 3  # type: ignore[arg-type]
    assert solve(BOARD, backend="cpsat", options={"log": False, "linearization": 2}).status == "tour"


# --- answers ---


def test_the_examples_of_the_package() -> None:
    assert doctest.testmod(cpsat_tour).failed == 0


def test_completion_finds_the_public_names_alone() -> None:
    assert {"solve", "Board", "Graph", "verify", "Limits"} <= set(dir(cpsat_tour))
    assert all(getattr(cpsat_tour, name) is not None for name in dir(cpsat_tour))
    assert not [name for name in dir(cpsat_tour) if name.startswith("_") and name != "__version__"]


def test_the_truth_of_each_result_is_what_its_reader_expects(tmp_path: Path) -> None:
    """A proof is true if it is one, also where an answer of `solve` with the same tour is true."""
    certificate = prove("4x6", closed=True)
    assert isinstance(certificate, Certificate)
    certificate.write(str(tmp_path / "proof"))
    assert "<svg" in certificate._repr_html_()
    best_of_none = best("4x6", minimize="turns", closed=True)
    true: list[Any] = [
        certificate,
        check(str(tmp_path / "proof"), Board(4, 6), closed=True),
        best("5x6", minimize="turns", closed=True),
        solve("5x6"),
    ]
    true += [solve("5x6").tour, prove("3x4", counted=True), BOARD, TRIANGLE, Graph.from_edges(0, [])]
    false: list[Any] = [prove("8x8", closed=True), prove("1x1"), prove("6x6", closed=True, counted=True, seconds=0)]
    false += [check(tmp_path / "proof", "4x8", closed=True), solve("4x4"), best_of_none]
    assert [bool(each) for each in true] == [True] * 9
    assert [bool(each) for each in false] == [False] * 6
    assert (false[0].status, type(false[0])) == ("tour", NotProved)
    assert repr(false[0]).startswith("<NotProved: closed tour of the 8x8 board, by ")
    answers = solve("5x6", closed=True), solve("5x5", closed=True), Answer.stopped("time")
    assert [(each.none, each.unknown) for each in answers] == [(False, False), (True, False), (False, True)]
    for neither in (estimate("4x4"), cpsat_tour.Comparison([])):
        with pytest.raises(TypeError, match="neither true nor false: ask for its"):
            bool(neither)


def test_a_tour_is_made_of_squares_turned_over_and_written_as_an_array() -> None:
    tour = next(tours("5x6", closed=True))
    numbers = tour.array()
    assert [numbers[divmod(square, 6)] for square in tour] == list(range(1, 31))
    assert Tour.of(BOARD, tour.names, closed=True) == tour == tour.reversed().reversed()
    assert np.array_equal(tour.image("rot180").array(), numbers[::-1, ::-1])
    holes = next(tours(Board(6, 6, holes=["a1", "f1"]))).array()
    assert holes[5, 0] == holes[5, 5] == 0
    with pytest.raises(cpsat_tour.TourFault, match="move 1, from a1 to a2, is not a move here"):
        Tour.of("5x6", ["a1", "a2"])
    with pytest.raises(BadInput, match="has no symmetry 'rot90': choose one of rot180"):
        tour.image("rot90")
    with pytest.raises(BadInput, match="can't be walked the other way"):
        next(tours(Graph.from_edges(2, [(0, 1)], directed=True))).reversed()


def test_a_networkx_graph_is_asked_about_by_its_nodes() -> None:
    inn, church = frozenset({"inn"}), ("church", 1)
    town = networkx.Graph([("Mill Street", 1), (1, church), (church, inn), (inn, "Mill Street"), (1, 1), (1, inn)])
    tour = solve(town, closed=True, start=church, require=[(1, church)]).tour
    assert tour is not None
    assert tour.nodes == [church, 1, "Mill Street", inn]
    assert {tuple(tour.nodes) for tour in tours(town, start=1, end="Mill Street")} == {(1, church, inn, "Mill Street")}
    wrong: Any
    for wrong in (2, "mill", [1]):
        with pytest.raises(BadInput, match="not a vertex of the graph"):
            solve(town, start=wrong)


def test_hamiltonian_cycles_and_paths_are_lists_of_nodes() -> None:
    assert cpsat_tour.hamiltonian_path(networkx.path_graph(4), 3, 0) == [3, 2, 1, 0]
    assert cpsat_tour.hamiltonian_cycle(networkx.petersen_graph()) is None
    assert cpsat_tour.hamiltonian_cycle(networkx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")])) == ["a", "b", "c"]
    assert [cpsat_tour.hamiltonian_cycle(TRIANGLE), cpsat_tour.hamiltonian_path("1x1")] == [[0, 1, 2], ["a1"]]
    with pytest.raises(StoppedEarly, match=r"time limit: whether there is a Hamiltonian cycle is still unknown") as end:
        cpsat_tour.hamiltonian_cycle("100x100", seconds=0.0)
    assert end.value.limit == "time"


def test_tours_come_one_by_one_and_the_list_may_be_left() -> None:
    assert len({tuple(tour) for tour in tours("3x4")}) == 8
    assert [len(tour) for tour in islice(tours("20x20", closed=True), 2)] == [400, 400]
    assert len(list(tours("5x5", start="a1", most=3))) == 3
    assert len(list(tours("5x6", closed=True, distinct=True))) == 3
    assert all(tour.closed for tour in tours("5x6", closed=True, backend="sat"))


def test_what_is_proved_is_told_apart_by_its_truth(tmp_path: Path) -> None:
    """By mypy too, which reads this."""
    for board, tour in (("4x4", False), ("5x6", True)):
        if proved := prove(board, closed=True):
            assert not tour
            assert proved.write(tmp_path / "proof")
        else:
            assert (proved.tour is not None) == tour


def test_a_limit_is_told_in_words(tmp_path: Path) -> None:
    for stopped_early in (lambda: list(tours("7x7", seconds=0.0)), lambda: count("7x7", seconds=0.0)):
        with pytest.raises(StoppedEarly, match="stopped at the time limit") as stopped:
            stopped_early()
        assert stopped.value.limit == "time"
    prove("4x4").write(tmp_path / "proof")  # type: ignore[union-attr]
    with pytest.raises(StoppedEarly, match=r"^stopped at the time limit$") as stopped:
        check(tmp_path / "proof", seconds=0)
    assert stopped.value.limit == "time"


def test_an_answer_without_a_tour_is_json_too() -> None:
    problem = cpsat_tour.problem_of("3x3", closed=True)
    told = json.loads(json.dumps(cpsat_tour.answer_data(problem, solve(problem))))
    assert (told["status"], told["problem"]["rows"], told["refutation"]["kind"]) == ("none", 3, "condition")


def test_results_show_themselves_in_a_line() -> None:
    counted = prove("5x6", closed=True, counted=True)
    assert isinstance(counted, Certificate)
    assert (counted.tours, "8 closed tours" in counted._repr_html_()) == (8, True)
    assert repr(counted).startswith("<Certificate: exactly 8 closed tours of the 5x6 board, clausal, ")
    found = best("3x4", minimize="turns", backend="bounds")
    said = "<Certificate: no open tour of the 3x4 board has fewer than 10 turns, and one has as m"
    assert repr(found.certificate).startswith(said)
    found = best("5x6", closed=True, minimize="turns")
    assert repr(found) == "<Best: fewest turns: 28 turns (exhausted), attained by 2 in all>"
    assert "fewest turns: 28" in str(found._repr_html_())
    assert "There is no tour" in str(best("3x3", minimize="turns")._repr_html_())


def test_a_comparison_shows_itself_as_tables_and_plots(tmp_path: Path) -> None:
    found = compare_backends("3x4", ["dfs", "sat"])
    assert [run.status for run in found.runs] == ["tour", "tour"]
    assert "| dfs | 1/1 |" in found._repr_markdown_() == str(found)
    assert " times as long as " in str(found).splitlines()[0]
    assert "3x4" in found.report
    if find_spec("pandas") is None:
        with pytest.raises(BadInput, match="pip install pandas"):
            found.to_pandas()
    else:
        assert found.to_pandas()["backend"].tolist() == ["dfs", "sat"]
    assert all(found.plot(what)._repr_svg_().startswith("<?xml") for what in ("cactus", "growth"))
    assert found.write(tmp_path / "times.csv") == [tmp_path / "times.csv"]
    with pytest.raises(BadInput, match="no plot"):
        found.plot("pie")  # type: ignore[arg-type]
