"""Jobs on an executor: the one loop that makes the runs of a study, whatever `concurrent.futures.Executor` they are
made on.

The runs are recorded here, in the process that owns the file, each as soon as it is known. No more jobs are handed out
than there are workers for, and one more each to keep them busy, so that stopping is quick. A job whose worker is lost
for good is told, not recorded: when the study goes on it is made then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any

from cpsat_tour.compare.perform import perform
from cpsat_tour.compare.process import kill_all
from cpsat_tour.compare.record import Job, RecordedRun

_PATIENCE = 0.05
"""Seconds between two attempts to kill what still runs after an interrupt."""


@dataclass(frozen=True)
class Workers:
    """An executor, how many runs it makes at once, how it is called in the record, and what kills the children of its
    runs."""

    executor: Executor
    number: int
    name: str
    kill: Callable[[], object] = kill_all


@contextmanager
def local(jobs: int) -> Iterator[Workers]:
    """Threads of this process, each waiting for the process of one run; what runs when the context is left is
    killed."""
    pool = ThreadPoolExecutor(jobs)
    try:
        yield Workers(pool, jobs, "local")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def schedule(
    jobs: Sequence[Job], workers: Workers, record: Callable[[RecordedRun], None], stop_after: float | None = None
) -> list[tuple[Job, str]]:
    """Make the runs in order, as many at once as there are workers; the jobs that were lost with a worker, each with
    why.

    After ``stop_after`` seconds no new run is begun. On an interrupt the runs that are going on are killed and not
    recorded.
    """
    begun = monotonic()
    waiting = iter(jobs)
    going: dict[Future[RecordedRun], Job] = {}
    lost: list[tuple[Job, str]] = []
    ahead = workers.number if workers.name == "local" else 2 * workers.number
    try:
        while True:
            if stop_after is None or monotonic() - begun < stop_after:
                going |= _submitted(islice(waiting, ahead - len(going)), workers.executor)
            if not going:
                return lost
            for future in wait(going, return_when=FIRST_COMPLETED).done:
                job = going.pop(future)
                if (fault := future.exception()) is not None:
                    lost.append((job, f"{type(fault).__name__}: {fault}"))
                else:
                    record(future.result())
    except BaseException:
        abandon(going, workers)
        raise


def _submitted(jobs: Iterable[Job], executor: Executor) -> dict[Future[RecordedRun], Job]:
    return {executor.submit(perform, job): job for job in jobs}


def abandon(going: Iterable[Future[Any]], workers: Workers) -> None:
    """Cancel what has not begun, and kill the children of what has until none is left that a thread was about to
    start."""
    running = [future for future in going if not future.cancel()]
    workers.kill()
    while running:
        running = list(wait(running, timeout=_PATIENCE).not_done)
        workers.kill()
