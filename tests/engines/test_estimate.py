"""Estimates of counts: true within their own errors, repeatable, and honest where nothing was found."""

import math
import random

import numpy as np
import pytest
from brute_force import brute_force, random_problem

from cpsat_tour import BadInput, Board, Limits, Problem
from cpsat_tour.engines.counts import _Sums, count_without_search, estimate


@pytest.mark.parametrize(
    ("side", "closed", "exact", "samples"),
    [(5, False, 864, 20_000), (6, False, 3_318_960, 20_000), (6, True, 9862, 20_000)],
)
def test_twenty_seeds_are_within_four_standard_errors(side: int, closed: bool, exact: int, samples: int) -> None:
    problem = Problem(Board(side).graph, closed)
    means = []
    for seed in range(20):
        seen = estimate(problem, samples, Limits(seed=seed))
        assert abs(seen.mean - exact) < 4 * seen.standard_error, seed
        assert 0 < seen.largest_share < 1
        assert 1 < seen.effective_samples < seen.tours <= seen.samples == samples
        means.append(seen.mean)
    spread = float(np.std(means, ddof=1))
    assert abs(float(np.mean(means)) - exact) < 4 * spread / math.sqrt(len(means))
    assert 0.5 < spread / seen.standard_error < 2, "the standard error is not the standard deviation of the mean"


def test_random_problems_are_estimated_without_bias() -> None:
    """Directed ones too, with ends, required and forbidden moves; where every probe has the same weight the mean is
    exact."""
    rng = random.Random(75)
    seen = 0
    while seen < 100:
        problem = random_problem(rng)
        if count_without_search(problem) is not None:
            continue
        seen += 1
        exact = len(brute_force(problem))
        guess = estimate(problem, 3000, Limits(seed=seen))
        assert abs(guess.mean - exact) <= 5 * guess.standard_error + 1e-9 * exact, (
            problem.graph.edges(),
            problem,
            exact,
            guess,
        )
        assert (guess.tours > 0) == (exact > 0)


def test_the_seed_decides_and_threads_do_not() -> None:
    problem = Problem(Board(6).graph, False)
    one, three, other = (
        estimate(problem, 20_000, Limits(seed=seed, threads=threads)) for seed, threads in ((1, 1), (1, 3), (2, 1))
    )
    assert one.mean == three.mean != other.mean


def test_open_8x8_within_five_percent() -> None:
    seen = estimate(Problem(Board(8).graph, False), 150_000, Limits(seed=8))
    assert seen.relative_error < 0.05
    assert abs(seen.mean - 9_795_914_085_489_952) < 4 * seen.standard_error
    assert seen.effective_samples > 400


def test_a_time_limit_is_kept_on_large_boards_too() -> None:
    """Fewer probes than two from each of 10,000 roots are a sample of the roots; the error says that it is a small
    one."""
    estimate(Problem(Board(5).graph, False), 2)
    assert estimate(Problem(Board(100).graph, False), None, Limits(seconds=0.2)).samples >= 2


@pytest.mark.parametrize("samples", [1, 0, -5, 2.5])
@pytest.mark.parametrize("board", [Board(5), Board(1)], ids=["unknown", "known"])
def test_one_probe_is_refused(samples: int, board: Board) -> None:
    with pytest.raises(BadInput, match=f"the number of probes can't be {samples}: give a whole number, 2 or more"):
        estimate(Problem(board.graph, False), samples)


def test_after_a_single_probe_the_number_is_unknown() -> None:
    """Ctrl-C may come then."""
    sums = _Sums(roots=1, met=1)
    sums.add(np.zeros(1))
    assert sums.estimate(0.1).unknown


def test_a_sample_of_the_roots_is_without_bias() -> None:
    problem, exact = Problem(Board(5).graph, False), 864
    seen = [estimate(problem, 24, Limits(seed=seed)) for seed in range(1000)]
    means = np.array([one.mean for one in seen])
    assert abs(means.mean() - exact) < 4 * means.std() / math.sqrt(len(means))
    errors = np.array([one.standard_error for one in seen])
    assert 0.8 < math.sqrt(float((errors**2).mean())) / means.std() < 1.3
