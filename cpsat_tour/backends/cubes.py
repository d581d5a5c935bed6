"""Counts tours by listing them in cubes, on threads or on the workers of a cluster, and records each finished cube.

The cubes of the edge search partition the tours (`cpsat_tour.native.edges`), so that their counts add up. Each tour is
verified where it is found, and none is kept. Classes under the symmetries of the space are counted by the least tour of
each class (orderly generation: Read 1978, Faradzev 1978), which needs a problem without ends, required and forbidden
moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Event
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.runner import check_takes
from cpsat_tour.core.answer import Clock, Limits, Refutation
from cpsat_tour.core.conditions import decide_degenerate
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import Event as RunEvent, OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.run import HEARTBEAT, Heartbeat, Run, no_heartbeat
from cpsat_tour.core.space import Naturals
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.formats.growing import CubeRecord
from cpsat_tour.native.edges import Edges, cubes_of, cycles_by_search
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import TourClasses

CUBES = 1000
"""The least number of cubes, if there are as many tours."""


@dataclass(frozen=True)
class OneCube:
    """The edge search for the tours of one cube; its limits are without ``simplify``, so that edges keep their
    numbers."""

    cube: Naturals

    takes: ClassVar[frozenset[str]] = frozenset({"every"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield arrays of the Hamiltonian cycles of the cube, a row each; return the `Refutation` at the end."""
        run.work = {"branchings": 0}
        yield from cycles_by_search(run, cube=self.cube)
        return Refutation("exhausted", "the search over edges tried every possibility of the cube")


def count_cube(
    problem: Problem, cube: Naturals, limits: Limits, *, distinct: bool, on_event: OnEvent | None = None
) -> int:
    """Return how many tours the cube has, verified, or with ``distinct`` how many are the least of their class;
    `StoppedEarly` at a limit."""
    classes = TourClasses(problem) if distinct else None
    batches = Listing(problem, OneCube(cube), limits, on_event=on_event, name="edges")
    return sum(len(batch.tours) if classes is None else int(classes.are_least(batch.tours).sum()) for batch in batches)


@dataclass(frozen=True)
class CubeWorkers:
    """The workers for cubes: an executor, the number of cubes at once, and a listener, if the executor can carry
    one."""

    executor: Executor
    number: int
    on_event: OnEvent | None = None


@contextmanager
def thread_workers(number: int) -> Iterator[CubeWorkers]:
    """Lend `CubeWorkers`, so many threads of this process; they are stopped when the context is left."""
    stopped = Event()

    def stop_if_nobody_waits(_: RunEvent) -> None:
        if stopped.is_set():
            raise StoppedEarly("interrupt")

    with ThreadPoolExecutor(number) as pool:
        try:
            yield CubeWorkers(pool, number, stop_if_nobody_waits)
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass
class CubeCount:
    """A growing count of the tours of a problem, or with ``distinct`` of their classes; ``counts`` has those of the
    finished cubes.

    `BadInput` if the edge search does not list such tours, or classes can't be counted in cubes.
    """

    problem: Problem
    distinct: bool = False
    heartbeat: Heartbeat = no_heartbeat
    counts: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problem = self.problem
        check_takes(problem, Edges(), "edges", every=True)
        if self.distinct and (
            problem.require or problem.forbid or problem.symmetry or not problem.start is problem.end is None
        ):
            raise BadInput(
                "a resumable count of distinct tours takes no ends, moves or symmetry: leave them out, or list them"
            )
        self._decided = decide_degenerate(problem)
        self._cycle: CycleProblem | None = None if self._decided is not None else to_cycle(undirected(problem))
        self.cubes: list[Naturals] = [] if self._cycle is None else cubes_of(self._cycle, CUBES, self.heartbeat)

    @property
    def number(self) -> int:
        """The number of tours, or classes, in the finished cubes."""
        return int(self._decided is not None and self._decided.tour is not None) + sum(self.counts.values())

    @property
    def unfinished(self) -> list[int]:
        """The cubes that are not finished."""
        return [number for number in range(len(self.cubes)) if number not in self.counts]

    def header(self) -> dict[str, object]:
        """Return the problem and a digest of the cubes as plain data, for the record."""
        digest = blake2b(digest_size=16)
        if self._cycle is not None:
            for array in (self._cycle.tails, self._cycle.heads, self._cycle.required, *self.cubes):
                digest.update(len(array).to_bytes(8, "little") + np.ascontiguousarray(array).tobytes())
        return {
            "problem": problem_data(self.problem),
            "distinct": self.distinct,
            "cubes": len(self.cubes),
            "split": digest.hexdigest(),
        }

    def count_cubes(
        self, workers: CubeWorkers, clock: Clock, record: CubeRecord | None = None, on_event: OnEvent | None = None
    ) -> None:
        """Count the cubes that are left and record each; `StoppedEarly` at a limit, or if a worker is lost."""
        waiting = iter(self.unfinished)
        going: dict[Future[int], int] = {}
        listener = {} if workers.on_event is None else {"on_event": workers.on_event}
        while True:
            limits = Limits(seconds=clock.left, simplify=False)
            for number in itertools.islice(waiting, 2 * workers.number - len(going)):
                future = workers.executor.submit(
                    count_cube, self.problem, self.cubes[number], limits, distinct=self.distinct, **listener
                )
                going[future] = number
            if not going:
                return
            for future in wait(going, timeout=HEARTBEAT, return_when=FIRST_COMPLETED).done:
                number = going.pop(future)
                try:
                    self.counts[number] = future.result()
                except (BackendFault, StoppedEarly):
                    raise
                except Exception as fault:  # a worker that is lost for good
                    raise StoppedEarly(f"a worker was lost ({type(fault).__name__}: {fault})") from fault
                if record is not None:
                    record.append(number, self.counts[number])
            if on_event is not None:
                done = len(self.counts)
                on_event(Progress({"cubes": done, "tours": self.number}, done / max(1, len(self.cubes))))
            clock.check()
