"""Pools of workers that do jobs: threads of this process, or the processes of a Dask cluster (Rocklin 2015).

Dask can't stop a task that runs, and takes equal calls for one; so calls are told apart (``pure=False``). When a worker
is lost, the scheduler gives its jobs to another one. The machines of a cluster need this program in the same version,
and graph files under the same paths.
"""

from __future__ import annotations

import logging
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from cpsat_tour.core.errors import BadInput, StoppedEarly, not_installed
from cpsat_tour.core.runs import Result

WAIT_FOR_WORKERS = 60
"""Seconds that a cluster has to bring up its first worker."""

Job = TypeVar("Job")


@dataclass(frozen=True)
class Pool:
    """An executor, the number of jobs that it does at once, and its name in records.

    ``in_each`` calls a function in each of the pool's processes, if they are ours.
    """

    executor: Executor
    number: int
    name: str
    in_each: Callable[[Callable[[], Any]], object]

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
        yield Pool(threads, number, "local", lambda function: function())
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def cluster(text: str) -> AbstractContextManager[Pool]:
    """Return a context manager that lends the workers at a scheduler's address, or those that ``local:N`` starts;
    `BadInput` for other text."""
    if "://" in text:
        return _cluster(text, 0)
    if match := re.fullmatch(r"local:([1-9][0-9]{0,3})", text):
        return _cluster(None, int(match[1]))
    raise BadInput(
        f"--cluster can't be {text!r}: write local:N with a number of processes, such as local:2, or the address of a "
        "scheduler, such as tcp://host:8786"
    )


@contextmanager
def _cluster(scheduler: str | None, processes: int) -> Iterator[Pool]:
    """Lend the workers of the scheduler at an address or, without one, of ``processes`` processes that are started here
    and end after use.

    After an error or an interrupt our own processes are killed; those of another's cluster go on with their job, for it
    may have other users. `StoppedEarly` if a job is lost with the scheduler, or with one worker after the other.
    """
    try:
        from distributed import Client, KilledWorker, LocalCluster
    except ImportError:
        raise not_installed("a cluster", "distributed") from None
    # No dashboard, and any free port for the rest of its pages: others may run beside it. Lost workers are told by us.
    pages = {"dashboard_address": None, "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
    with ExitStack() as stack:
        try:
            where: Any = scheduler
            if scheduler is None:  # workers come when it can be closed; Ctrl-C is left to this process
                from multiprocessing import resource_tracker  # a filter without a cluster starts sooner without it

                resource_tracker.ensure_running()  # which lets signals through in the thread that starts it
                with ExitStack() as held:
                    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP))
                    held.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
                    where = LocalCluster(n_workers=0, threads_per_worker=1, silence_logs=logging.CRITICAL, **pages)
                    stack.enter_context(where)
            client = stack.enter_context(Client(where, timeout=10))
        except (RuntimeError, OSError, ValueError) as fault:
            raise BadInput(
                f"a cluster of {processes} processes can't be started: {fault}"
                if scheduler is None
                else f"no scheduler answers at {scheduler}: start one with 'dask scheduler' ({type(fault).__name__})"
            ) from fault
        in_each = client.run if scheduler is None else lambda _: None
        try:
            if scheduler is None:
                where.scale(processes)
            client.wait_for_workers(processes or 1, timeout=WAIT_FOR_WORKERS)
            yield Pool(client.get_executor(pure=False), sum(client.nthreads().values()), "dask", in_each)
        except BaseException as fault:
            for nanny in where.workers.values() if scheduler is None else ():  # closing would wait for their jobs
                nanny.auto_restart = False
                if nanny.pid is not None:
                    os.kill(nanny.pid, signal.SIGKILL)
            if isinstance(fault, TimeoutError):
                words = f"no worker of the cluster came within {WAIT_FOR_WORKERS} s"
                raise BadInput(f"{words}: start some with 'dask worker ADDRESS'") from None
            if isinstance(fault, CancelledError | KilledWorker):
                raise StoppedEarly("the cluster lost its workers") from fault
            raise
