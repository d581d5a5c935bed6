"""What a file of runs says: means and ratios with their spread, penalised averages, the virtual best backend, and
growth with the board.

An *instance* is a question with a seed. Means, standard deviations, least and greatest times are of answered runs. A
ratio is the mean of one backend over that of another, on a question where both answered every run; its relative error
is the root of the sum of the squares of theirs, as for independent errors. Over several questions it is the geometric
mean of the ratios.

Where a run without an answer counts, its time is infinite: a median is infinite where at least half the runs failed.
PAR-2, the mean with unanswered runs counted as twice their limit, is the score of the SAT competitions. The *virtual
best* takes for each instance the fastest backend.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, linear_regression, median, stdev
from typing import Any, Literal, NamedTuple

from cpsat_tour.compare.boards import BoardQuestion
from cpsat_tour.compare.record import RecordedRun

VIRTUAL_BEST = "virtual best"

Measure = Literal["seconds", "wall", "cpu"]

MEASURES: Mapping[Measure, str] = {
    "seconds": "seconds to build and solve, without the start of the process",
    "wall": "seconds of the whole process by the clock",
    "cpu": "processor seconds of the whole process",
}

LEAST_SPREAD = 4
"""An exponent is fitted where the largest board has this many times the squares of the smallest."""

SHORTEST = 1e-6
"""Seconds; shorter times are taken for this in logarithms."""

Instance = tuple[BoardQuestion, int]


class Spread(NamedTuple):
    """The mean, the standard deviation, the least and the greatest of some times; nan where there are too few."""

    mean: float
    stddev: float
    least: float
    greatest: float


@dataclass(frozen=True)
class Score:
    """A backend's line in the summary of a group, over the instances that all backends ran.

    ``spread`` is that of the ``solved`` runs. ``ratio`` is the geometric mean of its ratios to the baseline on the
    ``compared`` questions, and ``error`` its relative error; ``best`` counts the instances on which it is as fast as
    any; ``largest`` is the question with the most vertices whose median is within the limit.
    """

    backend: str
    solved: int
    runs: int
    spread: Spread
    par2: float
    ratio: float
    error: float
    compared: Sequence[BoardQuestion]
    best: int
    largest: BoardQuestion | None


class GroupSummary:
    """The runs of one group of a study, by one measure of time.

    ``instances`` are those that every backend ran; ``medians`` has the median time of each question and backend. The
    ``baseline`` is the best backend by PAR-2 if none of the group is given; ``known`` are the backends of all groups.
    """

    def __init__(
        self, name: str, runs: Sequence[RecordedRun], measure: Measure, baseline: str | None, known: Sequence[str]
    ) -> None:
        self.name, self.runs, self.measure, self.known = name, runs, measure, known
        self.backends = list(dict.fromkeys(run.backend for run in runs))
        self.kinds = list(dict.fromkeys(run.kind for run in runs))
        self.limit = max(run.time_limit for run in runs)
        self.vertices = {run.question: run.vertices for run in runs}
        times: dict[str, dict[Instance, float]] = {backend: {} for backend in self.backends}
        self._limits: dict[Instance, float] = defaultdict(float)
        for run in runs:
            instance = (run.question, run.seed)
            value: float | None = getattr(run, measure) if run.solved else None
            times[run.backend][instance] = math.inf if value is None else value
            self._limits[instance] = max(run.time_limit, self._limits[instance])
        self.medians: dict[BoardQuestion, dict[str, float]] = defaultdict(dict)
        for backend in self.backends:
            for question, of_question in _by_question(times[backend]).items():
                self.medians[question][backend] = median(of_question)
        self.instances = [instance for instance in self._limits if all(instance in of for of in times.values())]
        self._times = times
        self._times[VIRTUAL_BEST] = {
            instance: min(times[backend][instance] for backend in self.backends) for instance in self.instances
        }
        self.baseline = baseline if baseline in self.backends else min(self.backends, key=self._par2)

    def times(self, backend: str) -> dict[Instance, float]:
        """Return the time of each common instance, by a backend or by the virtual best; infinite where it did not
        answer."""
        return {instance: self._times[backend][instance] for instance in self.instances}

    def rows(self) -> list[dict[str, Any]]:
        """Return the times of each backend on each question, infinite for a median that was not answered, and their
        ratio to the baseline's; nan stands for a number that there is not. Small boards come first."""
        base = _by_question(self._times[self.baseline])
        found: list[dict[str, Any]] = []
        for backend in self.backends:
            for question, times in _by_question(self._times[backend]).items():
                answered = [time for time in times if math.isfinite(time)]
                ratio, error = _ratio(times, base[question])
                row = {
                    "group": self.name,
                    **question._asdict(),
                    "vertices": self.vertices[question],
                    "backend": backend,
                }
                row |= {
                    "runs": len(times),
                    "answered": len(answered),
                    **_spread(answered)._asdict(),
                    "median": median(times),
                }
                found.append(row | {"ratio": ratio, "ratio_stddev": ratio * error, "times": answered})
        return sorted(found, key=lambda row: (row["kind"], row["vertices"], row["board"], row["start"] or ""))

    def scores(self) -> list[Score]:
        """Return the scores of the backends from best to worst by PAR-2, the virtual best first."""
        ranked = sorted((self._score(backend) for backend in self.backends), key=lambda score: score.par2)
        return [self._score(VIRTUAL_BEST), *ranked] if self.instances else []

    def _par2(self, backend: str) -> float:
        """Return the mean time, unanswered runs counted as twice their limit; nan without a common instance."""
        times = self.times(backend).items()
        whole = [time if math.isfinite(time) else 2 * self._limits[instance] for instance, time in times]
        return fmean(whole) if whole else math.nan

    def _score(self, backend: str) -> Score:
        """Return the score of a backend, or of the virtual best."""
        times, best = self.times(backend), self._times[VIRTUAL_BEST]
        base, mine = _by_question(self.times(self.baseline)), _by_question(times)
        ratios = {question: _ratio(mine[question], base[question]) for question in mine}
        ratios = {question: ratio for question, ratio in ratios.items() if math.isfinite(ratio[0])}
        answered = [time for time in times.values() if math.isfinite(time)]
        return Score(
            backend,
            len(answered),
            len(times),
            _spread(answered),
            self._par2(backend),
            math.exp(fmean(math.log(ratio) for ratio, _ in ratios.values())) if ratios else math.nan,
            math.hypot(*(error for _, error in ratios.values())) / max(1, len(ratios)),
            list(ratios),
            sum(math.isfinite(time) and time <= best[instance] for instance, time in times.items()),
            max(
                (question for question in mine if math.isfinite(median(mine[question]))),
                key=lambda question: self.vertices[question],
                default=None,
            ),
        )

    def growth(self, kind: str) -> dict[str, dict[int, float]]:
        """Return for each backend the median time at each number of vertices, over the tasks of one kind."""
        found: dict[str, dict[int, float]] = {}
        for backend in self.backends:
            by_size: dict[int, list[float]] = defaultdict(list)
            for question, medians in self.medians.items():
                if question.kind == kind and backend in medians:
                    by_size[self.vertices[question]].append(medians[backend])
            found[backend] = {size: median(values) for size, values in sorted(by_size.items())}
        return found


def _by_question(times: Mapping[Instance, float]) -> dict[BoardQuestion, list[float]]:
    """Return the times of each question over its seeds."""
    found: dict[BoardQuestion, list[float]] = defaultdict(list)
    for (question, _), time in times.items():
        found[question].append(time)
    return found


def _spread(times: Sequence[float]) -> Spread:
    """Return the spread of some times, its standard deviation that of a sample."""
    if not times:
        return Spread(math.nan, math.nan, math.nan, math.nan)
    return Spread(fmean(times), stdev(times) if len(times) > 1 else math.nan, min(times), max(times))


def _ratio(times: Sequence[float], base: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of two means and its relative error: nan where a run has no answer, and without two of each.

    A backend's ratio to itself, or to runs that are the same, is one without an error.
    """
    if not base or not all(map(math.isfinite, (*times, *base))):
        return math.nan, math.nan
    if times == base:
        return 1.0, 0.0
    one, other = _spread(times), _spread(base)
    means = max(one.mean, SHORTEST), max(other.mean, SHORTEST)
    return means[0] / means[1], math.hypot(one.stddev / means[0], other.stddev / means[1])


def fitted_exponent(times: Mapping[int, float]) -> float | None:
    """Return the exponent k of time ~ size^k, by least squares on logarithms, over the sizes that were answered; None
    with fewer than three of them, or where they lie too close together to say anything."""
    points = [
        (math.log(size), math.log(max(time, SHORTEST)))
        for size, time in times.items()
        if math.isfinite(time) and size > 0
    ]
    if len(points) < 3 or math.exp(max(x for x, _ in points) - min(x for x, _ in points)) < LEAST_SPREAD - 1e-9:
        return None
    return linear_regression(*zip(*points, strict=True)).slope


def summaries(
    runs: Iterable[RecordedRun], measure: Measure = "seconds", baseline: str | None = None
) -> list[GroupSummary]:
    """Return the summary of each group of a file."""
    by_group: dict[str, list[RecordedRun]] = defaultdict(list)
    for run in runs:
        by_group[run.group].append(run)
    known = list(dict.fromkeys(run.backend for of_group in by_group.values() for run in of_group))
    return [GroupSummary(name, of_group, measure, baseline, known) for name, of_group in by_group.items()]
