"""Do the backends agree? Each run's verdict, in the light of all other answers to the same question and of the
theorems.

A verified tour is a fact. Against it stands every ``none``, whatever its reason; and so it does against a theorem that
says that there is a tour. A ``none`` is taken as such only where an exhausted search of a backend of ours, a condition
tested by us or a checked certificate backs it; otherwise it is a claim, and called so. How often a backend had no
more than its word to give is counted beside. A run that gave a wrong tour disagrees with the rules of the game.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from cpsat_tour.backends.registry import BACKENDS
from cpsat_tour.compare.boards import BoardQuestion
from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.record import RecordedRun
from cpsat_tour.spaces.kinds import read
from cpsat_tour.spaces.theorems import has_tour, symmetric

Verdict = Literal["DISAGREE", "tour", "none", "claimed", "unknown", "timeout", "memory", "crash", "garbage", "refused"]

CERTIFIED = "py:cpsat_tour.proofs.write.prove:Certified"
"""The backend that proves a claim and checks the proof."""

ANSWERED: tuple[Verdict, ...] = ("tour", "none", "claimed")


@dataclass(frozen=True)
class Judged:
    """A run, what it is worth, and why where that is not plain."""

    run: RecordedRun
    verdict: Verdict
    why: str = ""

    @property
    def bare(self) -> bool:
        """Whether the run says that there is no tour and has nothing but its word to back it, whatever others have."""
        return self.run.status == "none" and not _is_backed(self.run)


def judge(runs: Iterable[RecordedRun]) -> list[Judged]:
    """The verdict on each run, in the light of all of them."""
    runs = list(runs)
    by_question = defaultdict(list)
    for run in runs:
        by_question[run.question].append(run)
    facts = {question: _Facts.of(question, asked) for question, asked in by_question.items()}
    return [facts[run.question].judge(run) for run in runs]


def disagreements(judged: Iterable[Judged]) -> list[Judged]:
    """The runs that say what can't be."""
    return [entry for entry in judged if entry.verdict == "DISAGREE"]


def broken(judged: Iterable[Judged]) -> list[Judged]:
    """The runs that came to no answer because the backend crashed, raised an exception, or said what is not an
    answer."""
    return [entry for entry in judged if entry.verdict in ("crash", "garbage")]


def theorem(question: BoardQuestion) -> bool | None:
    """Whether a theorem says that the question has a tour; None where none speaks of it."""
    kind, _, symmetry = question.kind.partition(" ")
    closed = kind == "closed"
    space = read(question.board) if closed or question.start is None else None
    known = None if space is None else has_tour(space, closed=closed)
    if space is not None and symmetry and symmetric(space, symmetry, closed=closed) is not None:
        return False
    return None if symmetry and known else known


@dataclass(frozen=True)
class _Facts:
    """What is known of one question: by whom a tour was found, who backed that there is none, and what a theorem
    says."""

    tour_by: str | None
    none_by: str | None
    theorem: bool | None

    @classmethod
    def of(cls, question: BoardQuestion, runs: Sequence[RecordedRun]) -> _Facts:
        tour_by = next((run.backend for run in runs if run.status == "tour"), None)
        none_by = next((run.backend for run in runs if run.status == "none" and _is_backed(run)), None)
        return cls(tour_by, none_by, theorem(question))

    def judge(self, run: RecordedRun) -> Judged:
        if run.status == "wrong":
            return Judged(run, "DISAGREE", run.fault or "")
        if run.status == "tour":
            return (
                Judged(run, "DISAGREE", "a verified tour where a theorem says that there is none")
                if self.theorem is False
                else Judged(run, "tour")
            )
        if run.status != "none":
            return Judged(run, run.status, run.fault or "")
        says = f"says that there is no tour ({run.refutation})"
        if self.tour_by is not None:
            return Judged(run, "DISAGREE", f"{says}, and {self.tour_by} found one")
        if self.theorem:
            return Judged(run, "DISAGREE", f"{says}, and a theorem says that there is one")
        return Judged(run, "none") if self.none_by is not None else Judged(run, "claimed")


def _is_backed(run: RecordedRun) -> bool:
    """Whether more than the backend's word stands behind its ``none``."""
    if run.backend == CERTIFIED:
        return run.refutation in ("lp", "clausal")
    own = split_spec(run.backend)[0].partition("@")[0] in BACKENDS  # a plug-in may say what it likes
    return run.refutation == "condition" or (own and run.refutation == "exhausted")


def claims(judged: Iterable[Judged]) -> list[BoardQuestion]:
    """The questions where some backend claims, undisputed, that there is no tour: those that ask for a certificate."""
    return list(
        dict.fromkeys(entry.run.question for entry in judged if entry.bare and entry.verdict in ("none", "claimed"))
    )


@dataclass(frozen=True)
class Cell:
    """All verdicts on one board and kind of tour, over backends and start squares."""

    board: str
    kind: str
    counts: Counter[Verdict]

    @property
    def verdict(self) -> Verdict:
        """The cell's word: a disagreement or a fault before all, then what was found."""
        order: tuple[Verdict, ...] = (
            "DISAGREE",
            "crash",
            "garbage",
            "memory",
            "tour",
            "none",
            "claimed",
            "timeout",
            "unknown",
            "refused",
        )
        return next(verdict for verdict in order if self.counts[verdict])

    @property
    def answered(self) -> int:
        """How many runs gave an answer."""
        return sum(self.counts[verdict] for verdict in ANSWERED)

    @property
    def unanswered(self) -> int:
        """How many did not."""
        return self.counts.total() - self.answered


def cells(judged: Iterable[Judged]) -> dict[tuple[str, str], Cell]:
    """The cells of the matrix by (kind, board)."""
    found: dict[tuple[str, str], Cell] = {}
    for entry in judged:
        place = (entry.run.kind, entry.run.board)
        found.setdefault(place, Cell(entry.run.board, entry.run.kind, Counter())).counts[entry.verdict] += 1
    return found


def by_backend(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The runs of each backend."""
    found: dict[str, list[Judged]] = {}
    for entry in judged:
        found.setdefault(entry.run.backend, []).append(entry)
    return found
