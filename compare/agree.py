"""``compare agree``: every backend on every question, many questions to a process; then certificates for what is only
claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from threading import Event

from cpsat_tour.compare.agreement import CERTIFIED, Judged, claims, judge
from cpsat_tour.compare.boards import BoardQuestion
from cpsat_tour.compare.perform import perform_all
from cpsat_tour.compare.record import Job, RecordedRun
from cpsat_tour.compare.schedule import abandon, local

BATCH = 32
"""Questions to one process: enough to pay for its start, few enough to share the work out evenly."""

PROOF_SECONDS = 60.0
"""What a certificate may take; most take a fraction of a second."""


def agree(
    asked: Sequence[BoardQuestion],
    backends: Sequence[str],
    seconds: float,
    memory: int | None,
    jobs: int,
    on_run: Callable[[RecordedRun], None],
) -> list[Judged]:
    """The verdicts on all runs of all backends, ``jobs`` at once, those of the certificates that were asked for
    last."""

    def made(
        backends: Sequence[str], questions: Sequence[BoardQuestion], seconds: float, memory: int | None
    ) -> list[RecordedRun]:
        todo = [
            Job(backend, one.board, one.kind, one.start, time_limit=seconds, memory_limit=memory)
            for backend in backends
            for one in questions
        ]
        return _all(todo, jobs, on_run)

    runs = made(backends, asked, seconds, memory)
    return judge(runs + made([CERTIFIED], claims(judge(runs)), PROOF_SECONDS, None))


def _all(asked: Sequence[Job], jobs: int, on_run: Callable[[RecordedRun], None]) -> list[RecordedRun]:
    """The runs of the jobs, in their order."""
    batches = [
        batch
        for backend in dict.fromkeys(job.backend for job in asked)
        for batch in _dealt([job for job in asked if job.backend == backend])
    ]
    found: dict[str, RecordedRun] = {}

    stopped = Event()

    def work(batch: Sequence[Job]) -> None:
        for run in perform_all(batch):
            if stopped.is_set():
                return
            found[run.key] = run
            on_run(run)

    with local(jobs) as workers:
        going = [workers.executor.submit(work, batch) for batch in batches]
        try:
            for future in as_completed(going):
                future.result()
        except BaseException:
            stopped.set()
            abandon(going, workers)
            raise
    return [found[job.key] for job in asked]


def _dealt(jobs: Sequence[Job]) -> list[Sequence[Job]]:
    """The jobs dealt out like cards, so that hard boards, which lie together, don't all fall to one process."""
    piles = -(-len(jobs) // BATCH)
    return [jobs[pile::piles] for pile in range(piles)]
