"""Exchanges between disjoint 2-factors keep all edges, and join cycles where the parity allows it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from cpsat_tour.core.run import no_heartbeat
from cpsat_tour.core.space import Ints
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.models.loop.exchange import _number_of_cycles, joined


def directions(m: int, d: int) -> list[Ints]:
    """The arcs of Z(m,d) by direction: d factors of m ** (d - 1) cycles each."""
    vectors = np.arange(m**d).reshape((m,) * d)
    return [np.roll(vectors, -1, axis=axis).ravel().astype(np.int32) for axis in range(d)]


@pytest.mark.parametrize(("m", "d"), [(3, 2), (4, 2), (5, 2), (3, 3), (5, 3), (7, 3)])
def test_the_directions_of_a_cayley_digraph_are_joined_into_cycles(m: int, d: int) -> None:
    found = joined(directions(m, d), Random(1), no_heartbeat, directed=True)
    assert found is not None
    assert [_number_of_cycles(factor) for factor in found] == [1] * d
    assert (
        sorted((tail, head) for factor in found for tail, head in enumerate(factor.tolist()))
        == graph_of(f"Z({m},{d})").pairs()
    )


@pytest.mark.parametrize("directed", [False, True])
def test_factors_of_the_wrong_parity_are_left_alone(directed: bool) -> None:
    factors, beats = directions(4, 3), list[int]()
    assert joined(factors, Random(1), lambda: beats.append(1), directed=directed) is None
    assert not beats
    assert [factor.tolist() for factor in factors] == [factor.tolist() for factor in directions(4, 3)]


def test_one_factor_is_given_back_if_it_is_a_cycle() -> None:
    ring = np.array([1, 2, 0])
    assert joined([ring], Random(1), no_heartbeat, directed=True) == [ring]
    assert joined([np.array([1, 0, 3, 2])], Random(1), no_heartbeat, directed=True) is None
