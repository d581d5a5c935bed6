"""Do the backends agree? Every backend is asked every question, many to a process, and each run is judged in the light
of all other answers to its question and of the theorems; a matrix shows the verdicts.

A verified tour is a fact. Against it stands every ``none``, whatever its reason; and so it does against a theorem that
says that there is a tour. A ``none`` is taken as such only where an exhausted search of a backend of ours, a condition
tested by us or a checked certificate backs it; otherwise it is a claim, and called so. For what is only claimed a
certificate is asked for at the end. A run that gave a wrong tour disagrees with the rules of the game.

The matrix has board by board what was found and how many runs answered, then the count of verdicts by backend. Boards
lie in a grid, rows down and columns across, one grid for each kind of tour; graph files stand in a list. In a cell
``tour 5`` means that all five runs found a tour; ``none 4+1`` that four runs answered and one did not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal, get_args

from rich.console import Console, Group as Stack
from rich.table import Table
from rich.text import Text

from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.perform import abandon, perform_all
from cpsat_tour.compare.record import CERTIFIED, FAULTS, BoardQuestion, Job, RecordedRun, label
from cpsat_tour.compare.study import Group
from cpsat_tour.core.errors import printable
from cpsat_tour.engines.pool import local
from cpsat_tour.engines.registry import BACKENDS
from cpsat_tour.spaces.lattice import Lattice
from cpsat_tour.spaces.problem_data import parse_space
from cpsat_tour.spaces.theorems import has_tour, why_not_symmetric

RunVerdict = Literal[
    "DISAGREE", "crash", "garbage", "memory", "tour", "none", "claimed", "timeout", "unknown", "refused"
]
"""The verdicts, the one that must be seen first at the front."""

ANSWERED: tuple[RunVerdict, ...] = ("tour", "none", "claimed")

BATCH = 32
"""The number of questions to one process: enough to pay for its start, few enough to share the work out evenly."""

PROOF_SECONDS = 60.0
"""The time limit of a certificate; most take a fraction of a second."""


@dataclass(frozen=True)
class Judged:
    """A run with its verdict, and the reason where that is not plain."""

    run: RecordedRun
    verdict: RunVerdict
    why: str = ""

    @property
    def bare(self) -> bool:
        """True if the run says that there is no tour and nothing backs its word; other runs may have a proof."""
        return self.run.status == "none" and not _is_backed(self.run)


def agree(group: Group, jobs: int, on_run: Callable[[RecordedRun], None]) -> list[Judged]:
    """Make all runs of a group, ``jobs`` at once, and return them with their verdicts.

    A question on which there are only claims is also put to the backend that checks its certificates, whose runs are
    last.
    """
    limits: dict[str, Any] = {"time_limit": group.time_limit, "memory_limit": group.memory_bytes()}
    asked = group.questions()
    runs = _make_runs([Job(name, *question, **limits) for name in group.backends for question in asked], jobs, on_run)
    proofs = [Job(CERTIFIED, *question, time_limit=PROOF_SECONDS) for question in questions_to_certify(judge(runs))]
    return judge(runs + _make_runs(proofs, jobs, on_run))


def _make_runs(asked: Sequence[Job], jobs: int, on_run: Callable[[RecordedRun], None]) -> list[RecordedRun]:
    """Make the runs of the jobs and return them in their order.

    They are dealt out to processes like cards, since hard boards lie together.
    """
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
            abandon(going)
            raise
    return [found[job.key] for job in asked]


def judge(runs: Iterable[RecordedRun]) -> list[Judged]:
    """Return each run with its verdict, which depends on all other runs of its question."""
    runs = list(runs)
    found_by = {run.question: run.backend for run in reversed(runs) if run.status == "tour"}
    refuted = {run.question for run in runs if run.status == "none" and _is_backed(run)}
    theorems = {question: decided_by_theorem(question) for question in {run.question for run in runs}}
    judged = []
    for run in runs:
        question, verdict, why = run.question, run.status, run.fault or ""
        says = f"it says that there is no tour ({run.refutation})"
        objections = [
            (
                verdict == "tour" and theorems[question] is False,
                "a verified tour where a theorem says that there is none",
            ),
            (verdict == "none" and question in found_by, f"{says}, and {found_by.get(question)} found one"),
            (verdict == "none" and theorems[question], f"{says}, and a theorem says that there is one"),
        ]
        against = next((words for holds, words in objections if holds), "")
        if verdict == "wrong" or against:
            judged.append(Judged(run, "DISAGREE", against or why))
        else:
            judged.append(Judged(run, "claimed" if verdict == "none" and question not in refuted else verdict, why))
    return judged


def _is_backed(run: RecordedRun) -> bool:
    """Return True if the run's ``none`` is backed by more than the backend's word."""
    if run.backend == CERTIFIED:
        return run.refutation in ("lp", "clausal")
    own = split_spec(run.backend)[0].partition("@")[0] in BACKENDS  # a plug-in may say what it likes
    return run.refutation == "condition" or (own and run.refutation == "exhausted")


def decided_by_theorem(question: BoardQuestion) -> bool | None:
    """Return True if a theorem says that the question has a tour, False if one says that it has none, None if none says
    anything."""
    kind, _, symmetry = question.kind.partition(" ")
    closed = kind == "closed"
    space = parse_space(question.board)
    known = None if space is None else has_tour(space, closed=closed)
    if space is not None and symmetry and why_not_symmetric(space, symmetry, closed=closed) is not None:
        return False
    return None if symmetry and known else known


def with_verdict(judged: Iterable[Judged], *verdicts: str) -> list[Judged]:
    """Return the runs with one of these verdicts."""
    return [entry for entry in judged if entry.verdict in verdicts]


def questions_to_certify(judged: Iterable[Judged]) -> list[BoardQuestion]:
    """Return the questions that need a certificate: some backend claims, undisputed, that there is no tour."""
    return list(dict.fromkeys(entry.run.question for entry in with_verdict(judged, "none", "claimed") if entry.bare))


# --- the matrix ---

MAX_LISTED = 40
"""The most disagreements and faults that are listed one by one."""

SHADES: dict[RunVerdict, str] = {
    "tour": "green",
    "none": "blue",
    "claimed": "yellow",
    "unknown": "dim",
    "refused": "dim",
    "timeout": "magenta",
    "memory": "magenta",
    "crash": "magenta",
    "garbage": "magenta",
    "DISAGREE": "bold white on red",
}
"""The style of each verdict in the terminal, from answers to what should not be."""


def count_verdicts(judged: Iterable[Judged]) -> dict[tuple[str, str], Counter[RunVerdict]]:
    """Count the verdicts in each cell of the matrix: a dictionary from kind of tour and board to the number of runs
    with each verdict."""
    found: dict[tuple[str, str], Counter[RunVerdict]] = {}
    for entry in judged:
        found.setdefault((entry.run.kind, entry.run.board), Counter())[entry.verdict] += 1
    return found


def cell_words(cell: Counter[RunVerdict]) -> Text:
    """Return the text of a cell: its most important verdict, the number of runs that answered, and the number that did
    not."""
    verdict = next(verdict for verdict in get_args(RunVerdict) if cell[verdict])
    answered = sum(cell[verdict] for verdict in ANSWERED)
    left = cell.total() - answered
    return Text(f"{verdict} {answered}" + f"+{left}" * bool(left), style=SHADES[verdict])


def print_matrix(judged: Sequence[Judged]) -> None:
    """Print the matrix of verdicts on standard output.

    It is as wide as it needs where that is no terminal.
    """
    found = count_verdicts(judged)
    parts: list[Any] = []
    for kind in dict.fromkeys(kind for kind, _ in found):
        words = f"{kind} tours: rows down, columns across; runs that answered + runs that did not"
        of_kind = {board: cell_words(cell) for (its_kind, board), cell in found.items() if its_kind == kind}
        parts += [Text(words, style="bold"), *_grid(of_kind), ""]
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=max(console.width, 200))
    console.print(Stack(*parts, _verdict_table(judged), *fault_lines(judged)))


def _grid(of_kind: dict[str, Text]) -> list[Any]:
    """Return what is printed for one kind of tour: a table of its boards with two sides, and a line for each other
    space."""
    in_grid, parts = {}, list[Any]()
    for board, words in of_kind.items():
        if isinstance(space := parse_space(board), Lattice) and len(space.sides) == 2:
            in_grid[space.sides[0], space.sides[1]] = words
        else:
            parts.append(Text.assemble(f"{board}: ", words))
    if not in_grid:
        return parts
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right", style="dim")
    cols = sorted({col for _, col in in_grid})
    for col in cols:
        table.add_column(str(col), header_style="dim", no_wrap=True)
    for row in sorted({row for row, _ in in_grid}):
        table.add_row(str(row), *(in_grid.get((row, col), "") for col in cols))
    return [table, *parts]


def _verdict_table(judged: Sequence[Judged]) -> Table:
    """Return the table of the backends' verdicts: how many runs have each, and how many of the answers ``none`` are
    bare words.

    Verdicts that no run has are left out.
    """
    seen = [verdict for verdict in SHADES if any(entry.verdict == verdict for entry in judged)]
    table = Table(box=None, pad_edge=False)
    table.add_column("backend")
    for verdict in seen:
        table.add_column(verdict, justify="right", style=SHADES[verdict])
    table.add_column("none by its word alone", justify="right", style="dim")
    for backend in dict.fromkeys(entry.run.backend for entry in judged):
        of_backend = [entry for entry in judged if entry.run.backend == backend]
        count = Counter(entry.verdict for entry in of_backend)
        bare = sum(entry.bare for entry in of_backend)
        table.add_row(label(backend), *(str(count[verdict] or "·") for verdict in seen), str(bare or "·"))
    return table


def fault_lines(judged: Sequence[Judged]) -> list[Text]:
    """Return a line for each disagreement, then for each fault."""
    wrong = with_verdict(judged, "DISAGREE") + with_verdict(judged, *FAULTS)
    lines = []
    for entry in wrong[:MAX_LISTED]:
        seed = f", seed {entry.run.seed}" * bool(entry.run.seed)
        words = f"{entry.verdict}: {label(entry.run.backend)}, {entry.run.question}{seed}: {entry.why}"
        lines.append(Text(printable(words), style=SHADES[entry.verdict]))
    return lines + [Text(f"and {len(wrong) - MAX_LISTED} more")] * (len(wrong) > MAX_LISTED)
