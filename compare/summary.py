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


class GroupSummary:
    """The runs of one group of a study, by one measure of time.

    ``instances`` are those that every backend ran; ``medians`` has the median time of each task and backend.
    """

    def __init__(self, name: str, runs: Sequence[RecordedRun], measure: Measure, baseline: str | None) -> None:
        self.name, self.runs, self.measure = name, runs, measure
        self.backends = list(dict.fromkeys(run.backend for run in runs))
        self.baseline = baseline if baseline in self.backends else self.backends[0]
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
            for question, middle in _task_medians(times[backend]).items():
                self.medians[question][backend] = middle
        self.instances = [instance for instance in self._limits if all(instance in of for of in times.values())]
        self._times = times
        self._times[VIRTUAL_BEST] = {
            instance: min(times[backend][instance] for backend in self.backends) for instance in self.instances
        }

    def times(self, backend: str) -> dict[Instance, float]:
        """Return the time of each common instance, by a backend or by the virtual best; infinite where it did not
        answer."""
        return {instance: self._times[backend][instance] for instance in self.instances}

    def scores(self) -> list[Score]:
        """Return the backends from best to worst by PAR-2, the virtual best first."""
        ranked = sorted((self._score(backend) for backend in self.backends), key=lambda score: score.par2)
        return [self._score(VIRTUAL_BEST), *ranked] if self.instances else []

    def _score(self, backend: str) -> Score:
        """Return the score of a backend, or of the virtual best."""
        times, best = self.times(backend), self._times[VIRTUAL_BEST]
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
            sum(math.isfinite(time) and time <= best[instance] for instance, time in times.items()),
            max(
                (task for task in mine if math.isfinite(mine[task])), key=lambda task: self.vertices[task], default=None
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


def _task_medians(times: Mapping[Instance, float]) -> dict[BoardQuestion, float]:
    """Return the median of each task over its seeds."""
    by_task: dict[BoardQuestion, list[float]] = defaultdict(list)
    for (question, _), time in times.items():
        by_task[question].append(time)
    return {question: median(values) for question, values in by_task.items()}


def fitted_exponent(times: Mapping[int, float]) -> float | None:
    """Return the exponent k of time ~ size^k, by least squares on logarithms, over the sizes that were answered.

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
    """Return the summary of each group of a file."""
    by_group: dict[str, list[RecordedRun]] = defaultdict(list)
    for run in runs:
        by_group[run.group].append(run)
    return [GroupSummary(name, of_group, measure, baseline) for name, of_group in by_group.items()]
