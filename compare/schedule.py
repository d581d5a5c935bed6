"""Jobs on an executor: the one loop that makes the runs of a study, on threads of this process or on a Dask cluster
(Rocklin 2015).

The runs are recorded here, in the process that owns the file, each as soon as it is known. No more jobs are handed out
than there are workers for, and one more each on a cluster to keep them busy, so that stopping is quick. Dask can't stop
a task that runs and takes equal calls for one; so one run is one subprocess of a worker, and calls are told apart
(``pure=False``). When a worker is lost, the scheduler gives its runs to another one; a job that is lost for good is
not recorded, so that the study makes it when it goes on. The machines of a cluster need this program in the same
version, and graph files under the same paths.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from time import monotonic
from typing import Any

from cpsat_tour.compare.perform import perform
from cpsat_tour.compare.process import kill_all
from cpsat_tour.compare.record import Job, RecordedRun
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent, PartAtWork, Progress
from cpsat_tour.core.libraries import not_installed

PATIENCE = 0.05
"""Seconds between two attempts to kill what still runs after an interrupt."""

WAIT_FOR_WORKERS = 60
"""Seconds that a cluster has to bring up its first worker."""


@dataclass(frozen=True)
class Pool:
    """An executor, how many runs it makes at once, what it is called in the record, and what kills the children of its
    runs."""

    executor: Executor
    number: int
    name: str
    kill: Callable[[], object] = kill_all


@contextmanager
def local(jobs: int) -> Iterator[Pool]:
    """Yield threads of this process as workers, each waiting for the process of one run; what has not begun is
    cancelled at the end."""
    executor = ThreadPoolExecutor(jobs)
    try:
        yield Pool(executor, jobs, "local")
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


@contextmanager
def cluster(scheduler: str | None, processes: int = 1) -> Iterator[Pool]:
    """Yield the workers of the scheduler at an address; without one, of this number of processes, started here
    and ended after use.

    On an interrupt the runs of our own cluster are killed; those of another's go on to their limits, for it may have
    other users.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise not_installed("a cluster", "distributed") from None
    # No dashboard, and any free port for the rest of its pages: others may run beside it. Lost workers are told by us.
    pages = {"dashboard_address": None, "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
    with ExitStack() as stack:
        try:
            where = scheduler or stack.enter_context(
                LocalCluster(n_workers=processes, threads_per_worker=1, silence_logs=logging.CRITICAL, **pages)
            )
            client = stack.enter_context(Client(where, timeout=10))
        except (RuntimeError, OSError, ValueError) as fault:
            raise BadInput(
                f"a cluster of {processes} processes can't be started: {fault}"
                if scheduler is None
                else f"no scheduler answers at {scheduler}: start one with 'dask scheduler' ({type(fault).__name__})"
            ) from fault
        if scheduler is None:
            client.run(_leave_ctrl_c_to_the_harness)
        try:
            client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
        except TimeoutError:
            raise BadInput(
                f"no worker of the cluster came within {WAIT_FOR_WORKERS} s: start some with 'dask worker ADDRESS'"
            ) from None
        kill = partial(client.run, kill_all) if scheduler is None else lambda: None
        yield Pool(client.get_executor(pure=False), sum(client.nthreads().values()), "dask", kill)


def _leave_ctrl_c_to_the_harness() -> None:
    """Ignore the interrupt in a worker on the same terminal, which would print a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
    pool.kill()
    while running:
        running = list(wait(running, timeout=PATIENCE).not_done)
        pool.kill()
