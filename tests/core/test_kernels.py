"""What C gets is looked at in Python: types, gaps and lengths of arrays; records stay as they are made."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

from cpsat_tour import BadInput, Board, Problem
from cpsat_tour.core import kernels
from cpsat_tour.core.kernels import Record
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.space import Longs, Naturals
from cpsat_tour.native.edges import edges_fault, edges_search, new_edge_search
from cpsat_tour.native.orders import sort_rows


class Rows(Record):
    """Rows of numbers, and one number more."""

    rows: int
    columns: int
    numbers: Annotated[Naturals, "rows*columns+1"]
    marks: Longs


def rows_of(**changes: Any) -> Rows:
    given: dict[str, Any] = {"rows": 2, "columns": 3, "numbers": np.zeros(7, np.uint32), "marks": np.zeros(2, np.int64)}
    return Rows(**given | changes)


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"numbers": np.zeros(7, np.int32)}, TypeError, "numbers is not an array of uint32 without gaps"),
        ({"numbers": np.zeros(14, np.uint32)[::2]}, TypeError, "numbers is not an array of uint32 without gaps"),
        ({"numbers": np.zeros((7, 2), np.uint32, order="F")}, TypeError, "without gaps"),
        ({"numbers": [0] * 7}, TypeError, "numbers is not an array"),
        ({"marks": np.zeros(2)}, TypeError, "marks is not an array of int64"),
        ({"numbers": np.zeros(6, np.uint32)}, ValueError, "numbers has 6 entries, 7 are needed"),
        ({"rows": 3}, ValueError, "numbers has 7 entries, 10 are needed"),
        ({"rows": None}, TypeError, "int"),
    ],
)
def test_an_array_that_c_would_misread_is_refused(
    changes: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    for make in (rows_of, rows_of().replace):
        with pytest.raises(error, match=sentence):
            make(**changes)


def test_arrays_of_a_call_are_as_long_as_its_other_arguments_say() -> None:
    first, heads = np.array([0, 2], np.uint32), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="first has 2 entries, 3 are needed"):
        sort_rows(first, heads, np.zeros(2, np.int64), 2)
    search = new_edge_search(to_cycle(Problem(Board(6).graph, True)))
    with pytest.raises(ValueError, match="tours has 36 entries, 72 are needed"):
        edges_search(search, np.zeros((1, 36), np.uint32), 2, 1)


def test_a_record_can_not_be_changed_and_a_copy_has_arrays_of_its_own() -> None:
    record = rows_of()
    with pytest.raises(AttributeError, match="numbers can't be set"):
        record.numbers = np.zeros(7, np.uint32)
    for other in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert other._address != record._address
        assert vars(other)["_words"][2] == other.numbers.ctypes.data != record.numbers.ctypes.data
    assert copy.copy(record).numbers is record.numbers


def test_a_copy_is_searched_by_itself() -> None:
    search = new_edge_search(to_cycle(Problem(Board(6).graph, True)))
    other, rows = copy.deepcopy(search), np.zeros((5, 36), np.uint32)
    assert edges_search(search, rows, 5, 10_000) == 5
    assert not other.counters.any()
    assert edges_fault(other) == edges_fault(search) == 0


def test_threads_search_at_once() -> None:
    """Each with a record of its own."""

    def number_of_tours(_: int) -> int:
        search, found, rows = new_edge_search(to_cycle(Problem(Board(6).graph, True))), 0, np.zeros((64, 36), np.uint32)
        while not search.finished:
            found += search.search(rows, 500)[0]
        return found

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(number_of_tours, range(4))) == [9862] * 4


def test_a_library_that_is_not_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "LIBRARY", Path("/nowhere/kernels.so"))
    with pytest.raises(BadInput, match=r"the kernels in C can't be loaded \(.*\): install cpsat-tour anew"):
        kernels._function("sort_rows", 1)
