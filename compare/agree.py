"""Do the backends agree? Every backend is asked every question, many to a process, and each run is judged in the light
of all other answers to its question and of the theorems.

A verified tour is a fact. Against it stands every ``none``, whatever its reason; and so it does against a theorem that
says that there is a tour. A ``none`` is taken as such only where an exhausted search of a backend of ours, a condition
tested by us or a checked certificate backs it; otherwise it is a claim, and called so. For what is only claimed a
certificate is asked for at the end. A run that gave a wrong tour disagrees with the rules of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Literal

from cpsat_tour.backends.pool import local
from cpsat_tour.backends.registry import BACKENDS
from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.perform import perform_all
from cpsat_tour.compare.record import CERTIFIED, BoardQuestion, Job, RecordedRun
from cpsat_tour.compare.schedule import abandon
from cpsat_tour.spaces.kinds import parse_space
from cpsat_tour.spaces.theorems import has_tour, why_not_symmetric

RunVerdict = Literal[
    "DISAGREE", "crash", "garbage", "memory", "tour", "none", "claimed", "timeout", "unknown", "refused"
]
"""From what is to be seen first to what may be overlooked."""

ANSWERED: tuple[RunVerdict, ...] = ("tour", "none", "claimed")

BATCH = 32
"""Questions to one process: enough to pay for its start, few enough to share the work out evenly."""

PROOF_SECONDS = 60.0
"""What a certificate may take; most take a fraction of a second."""


@dataclass(frozen=True)
class Judged:
    """A run with its verdict, and the reason where that is not plain."""

    run: RecordedRun
    verdict: RunVerdict
    why: str = ""

    @property
    def bare(self) -> bool:
        """True if the run says that there is no tour and has only its word to back it, whatever other runs have."""
        return self.run.status == "none" and not _is_backed(self.run)


def agree(
    questions: Sequence[BoardQuestion],
    backends: Sequence[str],
    seconds: float,
    memory: int | None,
    jobs: int,
    on_run: Callable[[RecordedRun], None],
) -> list[Judged]:
    """Return the verdicts on all runs of all backends, made ``jobs`` at once; a question on which there are only claims
    is also put to the backend that checks its certificates, whose runs are last."""
    asked = [
        Job(backend, *question, time_limit=seconds, memory_limit=memory)
        for backend in backends
        for question in questions
    ]
    runs = _make_runs(asked, jobs, on_run)
    proofs = [Job(CERTIFIED, *question, time_limit=PROOF_SECONDS) for question in claims(judge(runs))]
    return judge(runs + _make_runs(proofs, jobs, on_run))


def _make_runs(asked: Sequence[Job], jobs: int, on_run: Callable[[RecordedRun], None]) -> list[RecordedRun]:
    """Return the runs of the jobs, in their order. They are dealt out to processes like cards, since hard boards lie
    together."""
    batches = []
    for backend in dict.fromkeys(job.backend for job in asked):
        of_backend = [job for job in asked if job.backend == backend]
        piles = -(-len(of_backend) // BATCH)
        batches += [of_backend[pile::piles] for pile in range(piles)]
    stopped = Event()
    found: dict[str, RecordedRun] = {}

    def make(batch: Sequence[Job]) -> None:
        """Make the runs of one part of the jobs, until one of the parts is stopped."""
        for run in perform_all(batch):
            if stopped.is_set():
                return
            found[run.key] = run
            on_run(run)

    with local(jobs) as pool:
        going = [pool.executor.submit(make, batch) for batch in batches]
        try:
            for future in going:
                future.result()
        except BaseException:
            stopped.set()
            abandon(going, pool)
            raise
    return [found[job.key] for job in asked]


def judge(runs: Iterable[RecordedRun]) -> list[Judged]:
    """Return the verdict on each run, in the light of all of them."""
    runs = list(runs)
    found_by = {run.question: run.backend for run in reversed(runs) if run.status == "tour"}
    refuted = {run.question for run in runs if run.status == "none" and _is_backed(run)}
    theorems = {question: theorem(question) for question in {run.question for run in runs}}
    judged = []
    for run in runs:
        question, verdict, why = run.question, run.status, run.fault or ""
        says = f"says that there is no tour ({run.refutation})"
        if verdict == "wrong":
            judged.append(Judged(run, "DISAGREE", why))
        elif verdict == "tour" and theorems[question] is False:
            judged.append(Judged(run, "DISAGREE", "a verified tour where a theorem says that there is none"))
        elif verdict == "none" and question in found_by:
            judged.append(Judged(run, "DISAGREE", f"{says}, and {found_by[question]} found one"))
        elif verdict == "none" and theorems[question]:
            judged.append(Judged(run, "DISAGREE", f"{says}, and a theorem says that there is one"))
        else:
            judged.append(Judged(run, "claimed" if verdict == "none" and question not in refuted else verdict, why))
    return judged


def _is_backed(run: RecordedRun) -> bool:
    """Return True if more than the backend's word stands behind its ``none``."""
    if run.backend == CERTIFIED:
        return run.refutation in ("lp", "clausal")
    own = split_spec(run.backend)[0].partition("@")[0] in BACKENDS  # a plug-in may say what it likes
    return run.refutation == "condition" or (own and run.refutation == "exhausted")


def theorem(question: BoardQuestion) -> bool | None:
    """Return True if a theorem says that the question has a tour, False if one says that it has none, else None."""
    kind, _, symmetry = question.kind.partition(" ")
    closed = kind == "closed"
    space = parse_space(question.board) if closed or question.start is None else None
    known = None if space is None else has_tour(space, closed=closed)
    if space is not None and symmetry and why_not_symmetric(space, symmetry, closed=closed) is not None:
        return False
    return None if symmetry and known else known


def disagreements(judged: Iterable[Judged]) -> list[Judged]:
    """Return the runs that contradict a verified tour, a theorem or the rules of the game."""
    return [entry for entry in judged if entry.verdict == "DISAGREE"]


def broken(judged: Iterable[Judged]) -> list[Judged]:
    """Return the runs without an answer because the backend crashed, raised an exception, or gave something else."""
    return [entry for entry in judged if entry.verdict in ("crash", "garbage")]


def claims(judged: Iterable[Judged]) -> list[BoardQuestion]:
    """Return the questions where some backend claims, undisputed, that there is no tour: they need a certificate."""
    unproved = [entry.run.question for entry in judged if entry.bare and entry.verdict in ("none", "claimed")]
    return list(dict.fromkeys(unproved))
