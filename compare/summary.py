"""What a file of runs says: means, ratios with their intervals, penalised averages and the virtual best backend.

An *instance* is a question with a seed. Runs under different limits are never mixed: each group of a study is summed up
once for each of its limits. A run without an answer, or with one that came after the limit, is in no mean; where it
counts, its time is infinite: a median is infinite where at least half the runs have none. PAR-2, the mean with
unanswered runs counted as twice their limit, is the score of the SAT competitions; a backend of which a run failed has
none. An answer against which a verified tour or a theorem stands is a wrong one, which is a failed run; of a backend
that gave a wrong answer no other counts. The *virtual best* takes for each instance the fastest backend.

The *ratio* of two backends is the geometric mean, over the questions on which both answered every run, of the ratios of
their mean times over the seeds. Its interval of 95 % is Student's (1908) for the mean of the logarithms of these
ratios, one from each question: seeds of one question say nothing of other questions. Of fewer than `MIN_QUESTIONS`
there is none. If the interval has 1 in it, no difference is shown.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist, fmean, median, stdev
from typing import Any, Literal, NamedTuple

import numpy as np

from cpsat_tour.compare.agree import judge
from cpsat_tour.compare.record import BoardQuestion, RecordedRun
from cpsat_tour.core.errors import printable

VIRTUAL_BEST = "virtual best"

Measure = Literal["seconds", "solver", "wall", "cpu"]

MEASURES: Mapping[Measure, str] = {
    "seconds": "seconds to build and solve, without the start of the process",
    "solver": "seconds in the solver alone by the clock, with the start of a program, and those to build and solve "
    "where a backend does not tell them apart; questions that were answered before a solver was asked are left out",
    "wall": "seconds of the whole process by the clock",
    "cpu": "processor seconds of the whole process",
}

CLOCKS: Mapping[Measure, str] = {
    "seconds": "time to build and solve",
    "solver": "time in the solver alone",
    "wall": "wall time, the start of Python included",
    "cpu": "processor time, the start of Python included",
}
"""The names of the measures of time in sentences and tables."""

MIN_QUESTIONS = 5
"""The fewest questions whose ratio has an interval."""

SHORTEST = 1e-6
"""The least time in seconds: shorter ones are taken for this in logarithms."""

Instance = tuple[BoardQuestion, int]
Pair = tuple[float, float]


class Ratio(NamedTuple):
    """A ratio of times with the ends of its confidence interval; nan where there are too few questions."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Score:
    """A backend's line in the summary of a group, over the instances that all backends ran.

    ``slowest`` is the time of the slowest answer; ``ratio`` is that of its times to the baseline's, on the ``compared``
    questions; ``wins`` counts the instances on which it is as fast as any; ``largest`` is the question with the most
    vertices whose median is within the limit.
    """

    backend: str
    solved: int
    runs: int
    par2: float
    slowest: float
    ratio: Ratio
    compared: Sequence[BoardQuestion]
    wins: int
    largest: BoardQuestion | None


class GroupSummary:
    """The runs of one group of a study under the same limits, by one measure of time.

    ``instances`` are those that every backend ran; ``failed`` are the failed runs on them, and ``wrong`` the backends
    that gave a wrong answer. ``medians`` has the median time of each question and backend. The ``baseline`` is the best
    backend by PAR-2 if none of the group is given; ``known`` are the backends of all groups.
    """

    def __init__(
        self, name: str, runs: Sequence[RecordedRun], measure: Measure, baseline: str | None, known: Sequence[str]
    ) -> None:
        self.name, self.runs, self.measure, self.known = name, runs, measure, known
        self.backends = list(dict.fromkeys(run.backend for run in runs))
        self.kinds = list(dict.fromkeys(run.kind for run in runs))
        self.limit = runs[0].time_limit
        self.vertices = {run.question: run.vertices for run in runs}
        folders = {os.path.dirname(run.board) for run in runs}
        self._folder = os.path.join(os.path.commonpath(folders), "") if "" not in folders else ""
        self._of = {(run.question, run.backend): run for run in sorted(runs, key=lambda run: run.solved)}
        self.wrong = {run.backend for run in runs if run.status == "wrong"}
        self._times: dict[str, dict[Instance, float]] = {backend: {} for backend in self.backends}
        for run in runs:
            value: float | None = getattr(run, measure) if run.solved and run.backend not in self.wrong else None
            self._times[run.backend][run.question, run.seed] = math.inf if value is None else value
        self.medians: dict[BoardQuestion, dict[str, float]] = defaultdict(dict)
        for backend, times in self._times.items():
            for question, of_question in _by_question(times).items():
                self.medians[question][backend] = median(of_question)
        asked = dict.fromkeys((run.question, run.seed) for run in runs)
        self.instances = [instance for instance in asked if all(instance in of for of in self._times.values())]
        self.left_out = len(asked) - len(self.instances)
        self.failed = [
            run
            for run in runs
            if run.status in ("crash", "garbage", "wrong", "refused") and (run.question, run.seed) in self.instances
        ]
        self._times[VIRTUAL_BEST] = {
            instance: min(self._times[backend][instance] for backend in self.backends) for instance in self.instances
        }
        self.baseline = baseline if baseline in self.backends else min(self.backends, key=self._par2)

    def by(self, measure: Measure) -> GroupSummary:
        """Return the summary of the same runs, with the same baseline, by another measure of time."""
        return GroupSummary(self.name, self.runs, measure, self.baseline, self.known)

    def of_plan(self, plan: str) -> GroupSummary:
        """Return the summary of the runs on graphs for which `auto` has this plan; it has the plan's name."""
        return GroupSummary(
            plan, [run for run in self.runs if run.plan == plan], self.measure, self.baseline, self.known
        )

    def times(self, backend: str) -> dict[Instance, float]:
        """Return the time that a backend, or the virtual best, took for each common instance; infinite where it did not
        answer."""
        return {instance: self._times[backend][instance] for instance in self.instances}

    def name_of(self, question: BoardQuestion) -> str:
        """Return the name of a question in tables: its files are without the folder that has all of them."""
        return str(question._replace(board=question.board.removeprefix(self._folder)))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question and backend with its times and their ratio to the baseline's; small boards
        come first.

        A median that was not answered is infinite; nan stands for a number that there is not.
        """
        found: list[dict[str, Any]] = []
        for backend in self.backends:
            pairs = self._pairs(backend, list(self._times[backend]))
            for question, times in _by_question(self._times[backend]).items():
                answered = [time for time in times if math.isfinite(time)]
                run = self._of[question, backend]
                found.append(
                    {
                        "group": self.name,
                        **question._asdict(),
                        "vertices": run.vertices,
                        "edges": run.edges,
                        "plan": run.plan,
                        "backend": backend,
                        "status": run.status,
                        "runs": len(times),
                        "answered": len(answered),
                        "mean": fmean(answered) if answered else math.nan,
                        "stddev": stdev(answered) if len(answered) > 1 else math.nan,
                        "least": min(answered, default=math.nan),
                        "greatest": max(answered, default=math.nan),
                        "median": median(times),
                        "ratio": ratio_of([pairs[question]] if question in pairs else []).value,
                        "times": answered,
                    }
                )
        return sorted(found, key=lambda row: (row["kind"], row["vertices"], row["board"]))

    @cached_property
    def scores(self) -> list[Score]:
        """The scores of the backends, the best by PAR-2 first; the virtual best comes before all."""
        ranked = sorted((self._score(backend) for backend in self.backends), key=lambda score: score.par2)
        return [self._score(VIRTUAL_BEST), *ranked] if self.instances else []

    def _par2(self, backend: str) -> float:
        """Return a backend's PAR-2: its mean time with unanswered runs counted as twice their limit; infinity without a
        common instance, or if a run failed."""
        times = self.times(backend).values()
        return (
            fmean(time if math.isfinite(time) else 2 * self.limit for time in times)
            if times and all(run.backend != backend for run in self.failed)
            else math.inf
        )

    def _score(self, backend: str) -> Score:
        """Return the score of a backend, or of the virtual best."""
        times, best, pairs = self.times(backend), self._times[VIRTUAL_BEST], self._pairs(backend, self.instances)
        medians = {question: median(of_question) for question, of_question in _by_question(times).items()}
        return Score(
            backend,
            sum(map(math.isfinite, times.values())),
            len(times),
            self._par2(backend),
            max(filter(math.isfinite, times.values()), default=math.nan),
            ratio_of(list(pairs.values())),
            list(pairs),
            sum(math.isfinite(time) and time <= best[instance] for instance, time in times.items()),
            max(
                (question for question in medians if math.isfinite(medians[question])),
                key=lambda question: self.vertices[question],
                default=None,
            ),
        )

    def _pairs(self, backend: str, instances: Sequence[Instance]) -> dict[BoardQuestion, list[Pair]]:
        """Return for each question a list with a pair for each seed: the time of the backend and that of the baseline.

        Questions on which either left a run unanswered are left out.
        """
        mine, base = self._times[backend], self._times[self.baseline]
        found: dict[BoardQuestion, list[Pair]] = defaultdict(list)
        for instance in instances:
            found[instance[0]].append((mine[instance], base.get(instance, math.inf)))
        return {question: pairs for question, pairs in found.items() if np.isfinite(pairs).all()}


def _by_question(times: Mapping[Instance, float]) -> dict[BoardQuestion, list[float]]:
    """Return the times of each question, a list over its seeds."""
    found: dict[BoardQuestion, list[float]] = defaultdict(list)
    for (question, _), time in times.items():
        found[question].append(time)
    return found


def ratio_of(questions: Sequence[Sequence[Pair]]) -> Ratio:
    """Return the mean ratio of the first times of the pairs to the second, with its confidence interval.

    There is a list of pairs for each question; see the module.
    """
    if not questions:
        return Ratio(math.nan)
    logs = np.array([math.log(np.divide(*np.maximum(pairs, SHORTEST).mean(axis=0))) for pairs in questions])
    value, number = math.exp(logs.mean()), len(logs)
    if number < MIN_QUESTIONS:
        return Ratio(value)
    reach = math.exp(_student_point(number - 1) * logs.std(ddof=1) / math.sqrt(number))
    return Ratio(value, value / reach, value * reach)


def _student_point(freedom: float) -> float:
    """Return the number that Student's t with this many degrees of freedom exceeds in 2.5 % of cases (Cornish & Fisher
    1937).

    It is too small by 0.3 % with 4 degrees of freedom and by less with more.
    """
    z = NormalDist().inv_cdf(0.975)
    terms = (z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return sum(term / freedom**power for power, term in enumerate(terms))


def summaries(
    runs: Iterable[RecordedRun], measure: Measure = "seconds", baseline: str | None = None
) -> list[GroupSummary]:
    """Return the summary of each group of runs.

    A group with several limits has a summary for each, whose name has the limits. By the time in the solver, questions
    are left out that a formulation answered before any solver was asked.
    """
    runs = list(runs)
    asking = {run.backend for run in runs if run.spent and measure == "solver"}
    unasked = {(run.question, run.seed) for run in runs if run.solved and run.backend in asking and not run.spent}
    by_group: dict[str, dict[str, list[RecordedRun]]] = defaultdict(lambda: defaultdict(list))
    known: dict[str, None] = {}
    for entry in judge([run for run in runs if (run.question, run.seed) not in unasked]):
        run = replace(entry.run, status="wrong", fault=entry.why) if entry.verdict == "DISAGREE" else entry.run
        by_group[printable(run.group)][run.limits].append(run)
        known[run.backend] = None
    return [
        GroupSummary(
            f"{name or 'all runs'}, {limits}" if len(by_limits) > 1 else name, of_group, measure, baseline, list(known)
        )
        for name, by_limits in by_group.items()
        for limits, of_group in by_limits.items()
    ]
