"""What a file of runs says: medians, ratios to a baseline, penalised averages, the virtual best backend, and growth
with the board.

An *instance* is a question with a seed, a *task* a question with all its seeds. A run that did not answer within its
limit has infinite time; medians are taken with these, so a median is infinite where at least half the runs failed.
PAR-2, the mean with unanswered runs counted as twice their limit, is the score of the SAT competitions. The *virtual
best* takes for each instance the fastest backend.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, linear_regression, median
from typing import Literal

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


@dataclass(frozen=True)
class Score:
    """A backend's line in the summary of a group, over the instances that all backends ran.

    ``ratio`` is the geometric mean of its times over the baseline's, on the ``compared`` tasks that both answer;
    ``best`` counts the instances on which it is as fast as any; ``largest`` is the task with the most vertices whose
    median is within the limit.
    """

    backend: str
    solved: int
    runs: int
    par2: float
    median: float
    ratio: float
    compared: int
    best: int
    largest: BoardQuestion | None


@dataclass(frozen=True)
class Growth:
    """Times of one backend against the number of vertices: the median at each size, and the exponent of the power law
    fitted to them."""

    backend: str
    times: Mapping[int, float]
    exponent: float | None


class GroupSummary:
    """The runs of one group of a study, by one measure of time."""

    def __init__(self, name: str, runs: Sequence[RecordedRun], measure: Measure, baseline: str | None) -> None:
        self.name, self.runs, self.measure = name, runs, measure
        self.backends = list(dict.fromkeys(run.backend for run in runs))
        self.baseline = baseline if baseline in self.backends else self.backends[0]
        self.limit = max(run.time_limit for run in runs)
        self._times: dict[str, dict[Instance, float]] = defaultdict(dict)
        self._limits: dict[Instance, float] = {}
        for run in runs:
            instance = (run.question, run.seed)
            self._times[run.backend][instance] = self.time(run)
            self._limits[instance] = max(run.time_limit, self._limits.get(instance, 0.0))

    def time(self, run: RecordedRun) -> float:
        """The time of a run by our measure; infinite where it did not answer."""
        value = {"seconds": run.seconds, "wall": run.wall, "cpu": run.cpu}[self.measure] if run.solved else None
        return math.inf if value is None else value

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds of tour that were asked for."""
        return list(dict.fromkeys(run.kind for run in self.runs))

    @cached_property
    def instances(self) -> list[Instance]:
        """The instances that every backend ran."""
        return [instance for instance in self._limits if all(instance in times for times in self._times.values())]

    @cached_property
    def medians(self) -> dict[BoardQuestion, dict[str, float]]:
        """For each task and backend the median time."""
        found: dict[BoardQuestion, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for backend, times in self._times.items():
            for (question, _), time in times.items():
                found[question][backend].append(time)
        return {question: {backend: median(times) for backend, times in by.items()} for question, by in found.items()}

    @cached_property
    def vertices(self) -> dict[BoardQuestion, int]:
        """The size of each task."""
        return {run.question: run.vertices for run in self.runs}

    @cached_property
    def virtual_best(self) -> dict[Instance, float]:
        """The least time of each common instance."""
        return {instance: min(times[instance] for times in self._times.values()) for instance in self.instances}

    def times(self, backend: str) -> dict[Instance, float]:
        """The time of each common instance, by a backend or by the virtual best."""
        return (
            self.virtual_best
            if backend == VIRTUAL_BEST
            else {instance: self._times[backend][instance] for instance in self.instances}
        )

    def scores(self) -> list[Score]:
        """The backends from best to worst by PAR-2, the virtual best first."""
        ranked = sorted((self._score(backend) for backend in self.backends), key=lambda score: score.par2)
        return [self._score(VIRTUAL_BEST), *ranked] if self.instances else []

    def _score(self, backend: str) -> Score:
        times = self.times(backend)
        base = _task_medians(self.times(self.baseline))
        mine = _task_medians(times)
        both = [task for task in mine if math.isfinite(mine[task]) and math.isfinite(base[task])]
        logs = [math.log(max(mine[task], SHORTEST) / max(base[task], SHORTEST)) for task in both]
        return Score(
            backend,
            sum(map(math.isfinite, times.values())),
            len(times),
            fmean(time if math.isfinite(time) else 2 * self._limits[instance] for instance, time in times.items())
            if times
            else math.nan,
            median(mine.values()) if mine else math.nan,
            math.exp(fmean(logs)) if logs else math.nan,
            len(both),
            sum(math.isfinite(time) and time <= self.virtual_best[instance] for instance, time in times.items()),
            max(
                (task for task in mine if math.isfinite(mine[task])), key=lambda task: self.vertices[task], default=None
            ),
        )

    def growth(self, kind: str) -> list[Growth]:
        """How each backend's median times grow with the number of vertices, over the tasks of one kind."""
        found = []
        for backend in self.backends:
            by_size: dict[int, list[float]] = defaultdict(list)
            for question, medians in self.medians.items():
                if question.kind == kind and backend in medians:
                    by_size[self.vertices[question]].append(medians[backend])
            times = {size: median(values) for size, values in sorted(by_size.items())}
            found.append(Growth(backend, times, fitted_exponent(times)))
        return found


def _task_medians(times: Mapping[Instance, float]) -> dict[BoardQuestion, float]:
    by_task: dict[BoardQuestion, list[float]] = defaultdict(list)
    for (question, _), time in times.items():
        by_task[question].append(time)
    return {question: median(values) for question, values in by_task.items()}


def fitted_exponent(times: Mapping[int, float]) -> float | None:
    """The exponent k of time ~ size^k by least squares on logarithms, over the sizes that were answered.

    None with fewer than three of them, or where they lie too close together to say anything.
    """
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
    """The groups of a file, each summarised."""
    by_group: dict[str, list[RecordedRun]] = defaultdict(list)
    for run in runs:
        by_group[run.group].append(run)
    return [GroupSummary(name, of_group, measure, baseline) for name, of_group in by_group.items()]
