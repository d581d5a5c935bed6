"""The exact number of tours, with and without direction, and an estimate."""

from cpsat_tour import Problem, count, estimate, problem_of

asked: Problem = problem_of("6x6", closed=True)
probed = estimate(asked, samples=20_000, seed=1)
print(count(asked), count(asked, directed=True), abs(probed.mean - 9862) < 5 * probed.standard_error)
# 9862 19724 True
