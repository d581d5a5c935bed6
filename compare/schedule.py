"""The one loop that makes the runs of a study, on threads of this process or on a Dask cluster.

The runs are recorded here, in the process that owns the file, each as soon as it is known. No more jobs are handed out
than there are workers for, and one more each on a cluster to keep them busy, so that stopping is quick. One run is one
subprocess of a worker, which can be killed. A job that is lost for good is not recorded, so that the study makes it
when it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import count, islice
from time import monotonic
from typing import Any

from cpsat_tour.backends.pool import Pool
from cpsat_tour.compare.perform import perform
from cpsat_tour.compare.process import kill_all
from cpsat_tour.compare.record import Job, RecordedRun
from cpsat_tour.core.events import OnEvent, PartAtWork, Progress

PATIENCE = 0.05
"""Seconds between two attempts to kill what still runs after an interrupt."""


def schedule(
    jobs: Sequence[Job], pool: Pool, record: Callable[[RecordedRun], None], stop_after: float | None = None
) -> list[tuple[Job, str]]:
    """Make the runs in order, as many at once as there are workers, and give each to ``record``; return the jobs that
    were lost with a worker, each with why.

    After ``stop_after`` seconds no new run is begun. On an interrupt the runs that are going on are killed and not
    recorded.
    """
    begun = monotonic()
    waiting = iter(jobs)
    going: dict[Future[RecordedRun], Job] = {}
    lost: list[tuple[Job, str]] = []
    ahead = pool.number if pool.name == "local" else 2 * pool.number
    try:
        while True:
            if stop_after is None or monotonic() - begun < stop_after:
                going |= {pool.executor.submit(perform, job): job for job in islice(waiting, ahead - len(going))}
            if not going:
                return lost
            for future in wait(going, return_when=FIRST_COMPLETED).done:
                job = going.pop(future)
                if (fault := future.exception()) is not None:
                    lost.append((job, f"{type(fault).__name__}: {fault}"))
                else:
                    record(future.result())
    except BaseException:
        abandon(going, pool)
        raise


def reporting(
    listen: OnEvent | None, number: int, keep: Callable[[RecordedRun], None]
) -> Callable[[RecordedRun], None]:
    """Return a function that keeps a run, and tells a listener, if there is one, which of the ``number`` runs it is."""
    made = count(1)

    def record(run: RecordedRun) -> None:
        """Keep the run, and tell the listener."""
        keep(run)
        done = next(made)
        if listen is not None:
            listen(PartAtWork(f"{done} of {number} runs, {run.backend} {run.question}: {run.status}"))
            listen(Progress({}, done / number))

    return record


def abandon(going: Iterable[Future[Any]], pool: Pool) -> None:
    """Cancel what has not begun, and kill the children of what has until none is left that a thread was about to
    start."""
    running = [future for future in going if not future.cancel()]
    pool.in_each(kill_all)
    while running:
        running = list(wait(running, timeout=PATIENCE).not_done)
        pool.in_each(kill_all)
