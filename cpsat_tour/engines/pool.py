"""Pools of workers that do jobs: threads of this process, or the workers of a Dask cluster (Rocklin 2015).

Dask can't stop a task that runs, and takes equal calls for one; so calls are told apart (``pure=False``). When a worker
is lost, the scheduler gives its jobs to another one. The machines of a cluster need this program in the same version,
and graph files under the same paths.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from cpsat_tour.core.errors import BadInput, StoppedEarly, not_installed
from cpsat_tour.core.runs import Result

WAIT_FOR_WORKERS = 60
"""Seconds that a cluster has to bring up its first worker."""

Job = TypeVar("Job")


@dataclass(frozen=True)
class Pool:
    """An executor, the number of jobs that it does at once, and its name in records."""

    executor: Executor
    number: int
    name: str

    def in_order(self, work: Callable[[Job], Result], jobs: Iterable[Job], ahead: int) -> Iterator[Result]:
        """Yield what the work returns for each job, in their order; at most ``ahead`` jobs are in memory."""
        going = deque[Future[Result]]()
        for job in jobs:
            going.append(self.executor.submit(work, job))
            while going and (len(going) >= ahead or going[0].done()):
                yield going.popleft().result()
        while going:
            yield going.popleft().result()


@contextmanager
def local(number: int) -> Iterator[Pool]:
    """Lend a pool of ``number`` threads of this process; at the end jobs that have not begun are cancelled, and none is
    waited for."""
    threads = ThreadPoolExecutor(number)
    try:
        yield Pool(threads, number, "local")
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


@contextmanager
def cluster(address: str) -> Iterator[Pool]:
    """Lend the workers of the scheduler at an address; `BadInput` if there is none, or it has no worker.

    After an error or an interrupt they go on with their jobs, for they may have other users. `StoppedEarly` if a job is
    lost with the scheduler, or with one worker after the other.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise not_installed("a cluster", "distributed") from None
    if "://" not in address:
        raise BadInput(f"--cluster can't be {address!r}: write the address of a scheduler, such as tcp://host:8786")
    with ExitStack() as stack:
        try:
            client = stack.enter_context(Client(address, timeout=10))
        except (RuntimeError, OSError, ValueError) as fault:
            remedy = f"start one with 'dask scheduler' ({type(fault).__name__})"
            raise BadInput(f"no scheduler answers at {address}: {remedy}") from fault
        try:
            client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
            yield Pool(client.get_executor(pure=False), sum(client.nthreads().values()), "dask")
        except TimeoutError:
            words = f"no worker of the cluster came within {WAIT_FOR_WORKERS} s"
            raise BadInput(f"{words}: start some with 'dask worker ADDRESS'") from None
        except (CancelledError, KilledWorker) as fault:
            raise StoppedEarly("the cluster lost its workers") from fault
