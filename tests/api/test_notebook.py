"""What notebooks and the prompt show of boards, tours, answers and progress."""

import sys
import types
from unittest.mock import Mock

import pytest

from cpsat_tour import (
    Answer,
    BackendFault,
    Board,
    Graph,
    solve,
)
from cpsat_tour.core.runs import CutSetAdded, OnEvent, PartAtWork, Progress, TwoFactorFound
from cpsat_tour.formats.describe import ProgressWords
from cpsat_tour.tour import progress_shown

PETERSEN = (
    [(v, (v + 1) % 5) for v in range(5)] + [(v, v + 5) for v in range(5)] + [(v + 5, (v + 2) % 5 + 5) for v in range(5)]
)


def test_notebooks_show_pictures_where_there_are_any() -> None:
    answer = solve("6x6", closed=True)
    assert answer.tour is not None
    for shown in (answer._repr_html_(), answer.tour._repr_svg_(), Board(3, 4)._repr_svg_()):
        assert "<svg" in str(shown)
    assert Board(200, 200)._repr_svg_() is None
    assert str(solve(Graph.from_edges(10, PETERSEN), closed=True)._repr_html_()).startswith("<p>There is no tour: ")
    assert "stopped by" in str(Answer.stopped("time")._repr_html_())


def listen_in(shell: object, monkeypatch: pytest.MonkeyPatch, times: list[float]) -> list[str]:
    """Return the lines that a notebook with this shell shows of a run with an event at each of these times."""
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
    with progress_shown("counting", clock=lambda: next(clock)) as listen:
        for number, _ in enumerate(times if listen else [], start=1):
            assert listen is not None
            listen(Progress({"tours": number}))
    return shown


def test_progress_is_shown_in_a_notebook_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    in_kernel = types.SimpleNamespace(kernel=object())
    for shell, times in ((None, [5.0]), (object(), [5.0]), (in_kernel, [0.5])):
        assert listen_in(shell, monkeypatch, times) == []
    shown = listen_in(in_kernel, monkeypatch, [0.5, 1.5, 1.6, 2.5])
    assert shown == ["counting, 2 s: tours 2", "counting, 2 s: tours 4", ""]


def test_a_progress_line_shows_the_last_counters_and_the_time_left() -> None:
    told = ProgressWords()
    for event in (Progress({"rounds": 1}), CutSetAdded(1024, (1, 2)), TwoFactorFound(3)):
        told.take(event)
    assert told.line("seeking", 3) == "seeking, 3 s: rounds 1, cut set added 1,024, two factor found 3"
    told.take(PartAtWork("sat"))
    told.take(Progress({"conflicts": 2000}))
    assert told.line("seeking", 3) == "seeking, 3 s: sat conflicts 2,000"
    for done, left in ((None, ""), (0.0, ""), (0.5, "40 s"), (0.1, "6 min"), (0.01, "66 min"), (1.0, "")):
        told = ProgressWords()
        told.take(Progress({"samples": 7}, done))
        assert told.line("estimating", 40) == f"estimating, 40 s: samples 7{f', about {left} left' if left else ''}"


def test_the_time_left_stays_while_another_search_tells_of_its_work() -> None:
    told = ProgressWords()
    for event in (Progress({"steps": 3, "of": 5}, 0.5), Progress({"tours": 7})):
        told.take(event)
    assert told.line("counting", 4) == "counting, 4 s: steps 3 of 5, tours 7, about 4 s left"
    told.take(PartAtWork("sat"))
    assert told.line("counting", 4) == "counting, 4 s: sat"


def test_a_class_that_a_cell_defines_anew_is_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("the first", "the second"):
        refuse = Mock(side_effect=BackendFault(words))
        monkeypatch.setattr("__main__.Mine", type("Mine", (), {"takes": frozenset(), "solve": refuse}), raising=False)
        with pytest.raises(BackendFault, match=words):
            solve("3x4", backend="py:__main__:Mine")
