"""The functions at the top of the package: lists, counts, proofs and comparisons, and what notebooks show of what they
give."""

from __future__ import annotations

import doctest
import subprocess
import sys
import types
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import cpsat_tour
from cpsat_tour import (
    Answer,
    BadInput,
    Board,
    Certificate,
    Graph,
    StoppedEarly,
    best,
    check,
    compare_backends,
    count,
    prove,
    solve,
    tours,
)
from cpsat_tour.core.events import CutSetAdded, OnEvent, PartAtWork, Progress, TwoFactorFound
from cpsat_tour.formats.notebook import progress_in_notebook
from cpsat_tour.formats.told import Told

PETERSEN = (
    [(v, (v + 1) % 5) for v in range(5)] + [(v, v + 5) for v in range(5)] + [(v + 5, (v + 2) % 5 + 5) for v in range(5)]
)


def test_the_examples_of_the_package() -> None:
    assert doctest.testmod(cpsat_tour).failed == 0


def test_tours_come_one_by_one_and_the_list_may_be_left() -> None:
    assert len({tuple(tour) for tour in tours("3x4")}) == 8
    assert [len(tour) for tour in islice(tours("20x20", closed=True), 2)] == [400, 400]
    assert len(list(tours("5x5", start="a1", most=3))) == 3
    assert len(list(tours("5x6", closed=True, distinct=True))) == 3
    assert all(tour.closed for tour in tours("5x6", closed=True, backend="sat"))


@pytest.mark.parametrize(
    "bad", [{"most": 0}, {"most": "x"}, {"backend": "rotations"}, {"start": "z9"}, {"seconds": -1}], ids=repr
)
def test_a_wrong_argument_of_tours_is_told_before_the_first_tour(bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        tours("5x5", **bad)


@pytest.mark.parametrize("memory", ["3", float("nan"), 0, -1, True, float("inf")], ids=repr)
def test_memory_is_a_number_of_bytes(memory: Any) -> None:
    with pytest.raises(BadInput, match=r"memory can't be .*: give a number of bytes above 0"):
        count("3x4", memory=memory)


def test_a_certificate_is_checked_by_its_path() -> None:
    with pytest.raises(BadInput, match="a folder can't be 5: give the path"):
        check(5)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="closed can't go without a space"):
        check("there", closed=True)


def test_a_limit_ends_a_list_and_a_count_by_an_exception() -> None:
    with pytest.raises(StoppedEarly, match="time"):
        list(tours("7x7", seconds=0.0))
    with pytest.raises(StoppedEarly, match="7x7"):
        count("7x7", seconds=0.0)


def test_counts() -> None:
    assert count("6x6", closed=True) == count("6x6", closed=True, backend="edges") == 9862
    assert count("5x6", closed=True, directed=True) == 16
    assert count("6x6", closed=True, symmetry="rot90") == 10
    assert count(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True), closed=True) == 1


def test_a_certificate_is_written_and_checked(tmp_path: Path) -> None:
    certificate = prove("4x6", closed=True)
    assert isinstance(certificate, Certificate)
    certificate.write(str(tmp_path / "proof"))
    assert check(tmp_path / "proof").valid
    assert check(str(tmp_path / "proof"), Board(4, 6), closed=True).valid
    assert not check(tmp_path / "proof", "4x8", closed=True).valid
    assert "<svg" in certificate._repr_html_()


def test_what_is_not_proved() -> None:
    found = prove("5x6", closed=True)
    assert isinstance(found, Answer)
    assert found.status == "tour"
    counted = prove("5x6", closed=True, counted=True)
    assert isinstance(counted, Certificate)
    assert counted.tours == 8
    assert "8 closed tours" in counted._repr_html_()
    assert repr(counted).startswith("<Certificate: exactly 8 closed tours of the 5x6 board, clausal, ")
    late = prove("8x8", seconds=0.0)
    assert isinstance(late, Answer)
    assert late.status == "unknown"
    with pytest.raises(BadInput, match="magic"):
        prove("4x6", method="magic")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="one method"):
        prove("4x6", method="lp", counted=True)


def test_a_comparison_shows_itself_as_tables_and_plots(tmp_path: Path) -> None:
    found = compare_backends("3x4", ["dfs", "sat"])
    assert [run.status for run in found.runs] == ["tour", "tour"]
    assert "| dfs | 1/1 |" in str(found)
    assert found._repr_markdown_() == str(found)
    assert "3x4" in found.report
    assert all(found.plot(what)._repr_svg_().startswith("<?xml") for what in ("cactus", "growth", "scatter"))
    found.plot("growth").save(tmp_path / "growth.png")
    assert (tmp_path / "report" / "report.md") in found.write(tmp_path / "report")
    with pytest.raises(BadInput, match="no plot"):
        found.plot("pie")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bad",
    [([], ["sat"]), (["3x4"], []), ("3y4", ["sat"]), ("3x4", ["nope"])],
    ids=["no boards", "no backends", "board", "backend"],
)
def test_a_wrong_comparison_is_one_sentence(bad: tuple[Any, Any]) -> None:
    with pytest.raises(BadInput):
        compare_backends(*bad)
    with pytest.raises(BadInput, match="baseline"):
        compare_backends("3x4", ["sat"], baseline="dfs")


def test_the_best_shows_itself_with_its_value() -> None:
    found = best("5x6", closed=True, minimize="turns")
    assert repr(found) == "<Best: fewest turns: 28, known, exhausted>"
    assert "fewest turns: 28" in str(found._repr_html_())
    assert "There is no tour" in str(best("3x3", minimize="turns")._repr_html_())


def test_a_tour_is_saved_in_the_form_of_the_suffix(tmp_path: Path) -> None:
    tour = next(tours("5x6", closed=True))
    for suffix in (".svg", ".txt", ".json"):
        tour.save(tmp_path / f"tour{suffix}")
        assert suffix == ".svg" or list(cpsat_tour.Tour.load(tmp_path / f"tour{suffix}")) == list(tour)
    assert (tmp_path / "tour.txt").read_text().startswith(tour.text())
    with pytest.raises(BadInput, match="suffix"):
        tour.save(tmp_path / "tour.pdf")


def test_importing_the_package_imports_nothing_heavy() -> None:
    ours = (
        "sorted(name for name in sys.modules if name.partition('.')[0] in ('numpy', 'numba', 'ortools', 'cpsat_tour'))"
    )
    program = f"import sys, cpsat_tour; print(*{ours})"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [
        "cpsat_tour",
        "cpsat_tour.core",
        "cpsat_tour.core.errors",
        "cpsat_tour.core.libraries",
    ]


def test_short_forms_are_short_and_say_what_a_thing_is() -> None:
    board = Board(8, 8, holes=["a1"], leaper=(1, 4))
    assert repr(board) == "<Board 8x8 less a1, leaper 1,4>"
    assert repr(Board(3, 4).graph) == "<Graph: the 3x4 board, 14 edges>"
    answer = solve("100x100", closed=True, backend="dfs")
    assert len(repr(answer)) < 120
    assert "closed, 10000 squares" in repr(answer)
    assert len(repr(solve("5x5", closed=True))) < 200


def test_notebooks_show_pictures_where_there_are_any() -> None:
    answer = solve("6x6", closed=True)
    assert "<svg" in str(answer._repr_html_())
    assert answer.tour is not None
    assert "<svg" in str(answer.tour._repr_svg_())
    assert "<svg" in str(Board(3, 4)._repr_svg_())
    assert Board(200, 200)._repr_svg_() is None
    none = solve(Graph.from_edges(10, PETERSEN), closed=True)._repr_html_()
    assert none is not None
    assert none.startswith("<p>There is no tour: ")
    assert "stopped by" in str(Answer.stopped("time")._repr_html_())


def listen_in(shell: object, monkeypatch: pytest.MonkeyPatch, times: list[float]) -> list[str]:
    """What a notebook with this shell shows of a run with an event at each of these times."""
    shown: list[str] = []

    def display(line: dict[str, str], **_: object) -> object:
        shown.append(line["text/plain"])
        return types.SimpleNamespace(update=display)

    ipython, its_display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    its_display.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", its_display)
    clock = iter([0.0, *times])
    listen: OnEvent | None
    with progress_in_notebook("counting", lambda: next(clock)) as listen:
        for number, _ in enumerate(times if listen else [], start=1):
            assert listen is not None
            listen(Progress({"tours": number}))
    return shown


def test_what_a_run_has_told_is_its_last_counters() -> None:
    told = Told()
    for event in (Progress({"rounds": 1}), CutSetAdded(1024, (1, 2)), TwoFactorFound(3)):
        told.take(event)
    assert told.line("seeking", 3) == "seeking, 3 s: rounds 1, cut set added 1,024, two factor found 3"
    told.take(PartAtWork("sat"))
    told.take(Progress({"conflicts": 2000}))
    assert told.line("seeking", 3) == "seeking, 3 s: sat conflicts 2,000"


@pytest.mark.parametrize(
    ("done", "left"),
    [
        (None, ""),
        (0.0, ""),
        (0.5, ", about 40 s left"),
        (0.1, ", about 6 min left"),
        (0.01, ", about 66 min left"),
        (1.0, ""),
    ],
)
def test_the_time_left_is_told_where_it_is_known_how_much_is_done(done: float | None, left: str) -> None:
    told = Told()
    told.take(Progress({"cubes": 7}, done))
    assert told.line("counting", 40) == f"counting, 40 s: cubes 7{left}"


def test_progress_is_shown_in_a_notebook_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert listen_in(None, monkeypatch, [5.0]) == []
    assert listen_in(object(), monkeypatch, [5.0]) == []
    in_kernel = types.SimpleNamespace(kernel=object())
    assert listen_in(in_kernel, monkeypatch, [0.5]) == []
    assert listen_in(in_kernel, monkeypatch, [0.5, 1.5, 1.6, 2.5]) == [
        "counting, 2 s: tours 2",
        "counting, 2 s: tours 4",
        "",
    ]
