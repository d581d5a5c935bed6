"""Runs on a Dask cluster (Rocklin 2015): its scheduler's workers as an ordinary executor. The one module that knows
Dask.

Dask can't stop a task that runs and takes equal calls for one; so one run is one subprocess of a worker, and calls are
told apart (``pure=False``). When a worker is lost, the scheduler gives its runs to another one. The machines need this
program in the same version, and graph files under the same paths.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cpsat_tour.compare.process import kill_all
from cpsat_tour.compare.schedule import Workers
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.libraries import lacks

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

WAIT_FOR_WORKERS = 60
"""Seconds that a cluster has to bring up its first worker."""


@contextmanager
def cluster(scheduler: str | None, local: int | None) -> Iterator[Workers]:
    """The workers of the scheduler at an address, or of a cluster of so many processes that is started here and ended
    after use.

    On an interrupt the runs of our own cluster are killed; those of another's go on to their limits, for it may have
    other users.
    """
    try:
        from distributed import Client
    except ImportError:
        raise lacks("a cluster", "distributed") from None
    if scheduler is None:
        with _own(local) as own, Client(own) as client:
            client.run(_leave_ctrl_c_to_the_harness)
            yield _workers(client, lambda: client.run(kill_all))
        return
    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError) as fault:
        raise BadInput(
            f"no scheduler answers at {scheduler}: start one with 'dask scheduler' ({type(fault).__name__})"
        ) from fault
    with client:
        yield _workers(client, lambda: None)


def _own(local: int | None) -> LocalCluster:
    """A cluster of so many processes. It has no dashboard, and any free port for the rest of its pages: others may run
    beside it."""
    from distributed import LocalCluster

    # Lost workers are told by us.
    quiet = {
        "dashboard_address": None,
        "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
        "silence_logs": logging.CRITICAL,
    }
    try:
        return LocalCluster(n_workers=local, threads_per_worker=1, processes=True, **quiet)
    except (RuntimeError, OSError) as fault:
        raise BadInput(f"a cluster of {local} processes can't be started: {fault}") from fault


def _leave_ctrl_c_to_the_harness() -> None:
    """For a worker on the same terminal, which would tell of the interrupt with a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _workers(client: Client, kill: Callable[[], object]) -> Workers:
    try:
        client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
    except TimeoutError:
        raise BadInput(
            f"no worker of the cluster came within {WAIT_FOR_WORKERS} s: start some with 'dask worker ADDRESS'"
        ) from None
    return Workers(client.get_executor(pure=False), sum(client.nthreads().values()), "dask", kill)
