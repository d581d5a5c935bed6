"""Runs on a Dask cluster (Rocklin 2015): its scheduler's workers as an ordinary executor. The one module that knows Dask.

Dask can't stop a task that runs and takes equal calls for one; so one run is one subprocess of a worker, and calls are told apart
(``pure=False``). When a worker is lost, the scheduler gives its runs to another one. The machines need this program in the same version,
and graph files under the same paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cpsat_tour.errors import BadInput

from .schedule import Workers

WAIT_FOR_WORKERS = 60
"""Seconds that a cluster has to bring up its first worker."""


@contextmanager
def cluster(scheduler: str | None, local: int | None) -> Iterator[Workers]:
    """The workers of the scheduler at an address, or of a cluster of so many processes that is started here and ended after use."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise BadInput("a cluster needs the Python module distributed, which is not installed: pip install 'cpsat-tour[cluster]'") from None
    # Standard output is the result's alone, and lost workers are told by us.
    with dask.config.set({"logging.distributed": "critical"}):
        if scheduler is None:
            with LocalCluster(n_workers=local, threads_per_worker=1, processes=True, dashboard_address=None) as own, Client(own) as client:
                yield _workers(client)
            return
        try:
            client = Client(scheduler, timeout=10)
        except (OSError, ValueError) as fault:
            raise BadInput(f"no scheduler answers at {scheduler}: start one with 'dask scheduler' ({type(fault).__name__})") from fault
        with client:
            yield _workers(client)


def _workers(client: object) -> Workers:
    from distributed import Client

    assert isinstance(client, Client)
    client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
    return Workers(client.get_executor(pure=False), sum(client.nthreads().values()), "dask")
