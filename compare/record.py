"""A question, the record of a run, and the file of runs: one JSON object a line, appended and flushed to the disk
before the next is begun.

The file is written by one process, the harness, under a lock; a run's key says what was run, so that a study which was
broken off goes on without a repeat. A crash may leave the last line half written: readers pass over it, and a study
that goes on cuts it off.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self, TypedDict

import msgspec
from msgspec import Meta

from cpsat_tour.core.errors import BadInput, printable
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats import typed
from cpsat_tour.formats.files import GraphFault, check_not_special, naming, read_bytes, readable
from cpsat_tour.formats.graph_lines import clean_lines, graph_of_line
from cpsat_tour.spaces.symmetry import NAMES

TOUR_KINDS = ("open", "closed")
"""The kinds of tour; either may be followed by the name of a symmetry: ``closed rot90``."""

LISTED = re.compile(r"(.*\.[gsd]6):([0-9]+)")
"""A graph of a list in graph6, sparse6 or digraph6, by its number from 1: ``cubic.g6:17``."""


@lru_cache(maxsize=2)
def lines_of(path: str) -> list[bytes]:
    """Return the lines of a list of graphs, the first of which is at 1."""
    return [b"", *clean_lines(read_bytes(path)).split()]


def graphs_in(path: str) -> list[str]:
    """Return the graphs of a list of several, by their numbers; of another file its path."""
    number = len(lines_of(path)) - 1 if LISTED.fullmatch(f"{path}:1") else 1
    return [path] if number == 1 else [f"{path}:{place}" for place in range(1, number + 1)]


@lru_cache(maxsize=16)
def graph_of(board: str) -> Graph:
    """Return the graph of a board, of another space, of a graph file or of a list; `BadInput` if there is none."""
    if (listed := LISTED.fullmatch(board)) is None:
        return typed.graph_of(board)
    lines, number = lines_of(listed[1]), int(listed[2])
    try:
        return graph_of_line(lines[number])
    except (IndexError, GraphFault) as fault:
        why = fault if 0 < number < len(lines) else f"the list has {len(lines) - 1}, from 1"
        raise BadInput(f"{board}: there is no such graph: {why}") from None


class BoardQuestion(NamedTuple):
    """One problem as plain text: a board such as ``8x8``, a graph by its name or file, and the kind of tour.

    The kind is ``open`` or ``closed``, or one of these and the symmetry of the tour, such as ``closed rot90``.
    """

    board: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind} {self.board}"


def is_kind(text: str) -> bool:
    """Return True if the text is a kind of tour, perhaps with a symmetry."""
    kind, _, symmetry = text.partition(" ")
    return kind in TOUR_KINDS and ((not symmetry and " " not in text) or symmetry in NAMES)


def problem_of(question: BoardQuestion) -> Problem:
    """Return the problem that the question asks; `BadInput` if there is no such board or symmetry."""
    graph = graph_of(question.board)
    kind, _, name = question.kind.partition(" ")
    symmetry = typed.symmetry_of(graph, name, closed=kind == "closed") if name else None
    return Problem(graph, kind == "closed", symmetry=symmetry)


Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Seconds = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
TimeLimit = Annotated[float, Meta(gt=0, le=sys.float_info.max)]

Status = Literal["tour", "none", "unknown", "timeout", "memory", "crash", "garbage", "wrong", "refused"]

SOLVED = ("tour", "none")
"""The statuses that answer the question."""

FAULTS = ("crash", "garbage", "wrong", "memory", "timeout")
"""The statuses of runs whose backend crashed, sent what is not an answer, gave a wrong tour, or had to be killed."""


CERTIFIED = "py:cpsat_tour.proofs.write.prove:Certified"
"""The backend that proves a claim and checks the proof."""


def label(backend: str) -> str:
    """Return the name of a backend in tables and legends: its specification, since two modules may have a class of one
    name, without the arguments of a program that are the run's, as ``--seed={seed}`` or ``-t {seconds}``."""
    return (
        "certificate"
        if backend == CERTIFIED
        else printable(re.sub(r" -- .*{formula}.*| -\S+ {\w+}| \S*{\w+}\S*", "", backend))
    )


class Machine(TypedDict, total=False):
    """A description of a machine: its processor, the cores of all of them, the logical processors that may be used,
    bytes of memory, and its system."""

    host: str
    processor: str
    cores: Count
    processors: Count
    memory: Count
    system: str


@dataclass(frozen=True)
class Job:
    """A run to be made: the question, the backend and the limits.

    ``backend`` is a name of the registry, perhaps with options: ``cpsat linearization=0``. ``group`` is the part of the
    study; ``jobs`` how many runs were made at once (1 for timings that are to be published) and ``executor`` by what.
    Times are in seconds, memory in bytes.
    """

    backend: str
    board: str
    kind: str
    seed: Count = 0
    threads: Positive = 1
    time_limit: TimeLimit = 10.0
    memory_limit: Count | None = None
    study: str = ""
    group: str = ""
    jobs: Positive = 1
    executor: str = "local"

    @property
    def question(self) -> BoardQuestion:
        """The question of the run: the board and the kind of tour."""
        return BoardQuestion(self.board, self.kind)

    @property
    def limits(self) -> str:
        """The limits on threads, time and memory as text."""
        memory = f" {self.memory_limit} B" if self.memory_limit else ""
        return f"{self.threads} thread{'s' * (self.threads > 1)}, {self.time_limit:g} s{memory}"

    @property
    def key(self) -> str:
        """The job as text; jobs with the same key are the same run."""
        return f"{self.group}: {self.backend}: {self.question}, seed {self.seed}, {self.limits}"


@dataclass(frozen=True)
class RecordedRun(Job):
    """A job and its outcome.

    ``seconds`` is what the backend took to build and solve; ``wall``, ``user`` and ``system`` are of the whole process,
    start-up included; ``memory`` is its peak in bytes. They are None where they were not taken. Of ``seconds``,
    ``spent`` has those of each step of `Spent`, as far as the backend tells them. ``refutation`` is the
    kind of a ``none`` and ``reason`` its words; ``fault`` says what went wrong; ``tour`` is a digest of the verified
    tour, equal for equal tours. ``plan`` is the kind of graph that `auto` takes the largest piece for.
    """

    status: Status = "unknown"
    refutation: str | None = None
    reason: str | None = None
    stopped_by: str | None = None
    fault: str | None = None
    tour: str | None = None
    vertices: Count = 0
    edges: Count = 0
    plan: str = ""
    seconds: Seconds | None = None
    spent: Mapping[str, Seconds] = field(default_factory=dict)
    wall: Seconds | None = None
    user: Seconds | None = None
    system: Seconds | None = None
    memory: Count | None = None
    work: Mapping[str, Count] = field(default_factory=dict)
    when: str = ""
    machine: Machine = field(default_factory=Machine)
    versions: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<RecordedRun: {self.backend} on {self.question}: {self.status}>"

    @property
    def solved(self) -> bool:
        """True if the run answered the question within its time limit."""
        return self.status in SOLVED and (self.seconds or 0.0) <= self.time_limit

    @property
    def solver(self) -> float | None:
        """The seconds in the solver alone; all ``seconds`` of a run that does not tell its steps, as of a native
        search."""
        return self.spent.get("solve", 0.0) if self.spent else self.seconds

    @property
    def cpu(self) -> float | None:
        """The user and system time together; None if they were not measured."""
        return None if self.user is None or self.system is None else self.user + self.system

    def line(self) -> str:
        """Return the run as one line of JSON, its key first."""
        return json.dumps({"key": self.key, **dataclasses.asdict(self)}, ensure_ascii=False) + "\n"


_DECODER = msgspec.json.Decoder(RecordedRun)

_BEGINNING = b'{"key": "'
"""The beginning of each line of the file."""

MAX_LINE = 1 << 20
"""The most bytes in a line; a run takes about a thousand."""


def load(path: str | Path) -> list[RecordedRun]:
    """Return the runs in a file, without a last line that was cut off; `BadInput` names any other line that is not a
    run."""
    return read_runs(Path(path))[0]


def read_runs(path: Path) -> tuple[list[RecordedRun], int, int]:
    """Return the runs in a file, the number of bytes of their lines, and that of a last line that was cut off, else
    0."""
    runs: dict[str, RecordedRun] = {}
    whole = 0
    with readable(path) as file:
        while line := file.readline(MAX_LINE):
            where = f"{path}, line {len(runs) + 1}"
            if not line.endswith(b"\n"):
                if len(line) == MAX_LINE or not (line.startswith(_BEGINNING) or _BEGINNING.startswith(line)):
                    raise BadInput(f"{where}: this is not a run, and not the beginning of one")
                return list(runs.values()), whole, len(line)
            run = _run_in(line, where)
            if run.key in runs:
                raise BadInput(f"{where}: this run is line {[*runs].index(run.key) + 1} again: keep one of them")
            runs[run.key] = run
            whole += len(line)
    return list(runs.values()), whole, 0


def _run_in(line: bytes, where: str) -> RecordedRun:
    """Return the run that a line of JSON states; `BadInput` if it states none."""
    try:
        run = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise BadInput(f"{where}: this is not a run: {fault_sentence(fault)}") from fault
    if not is_kind(run.kind):
        raise BadInput(
            f"{where}: this is not a run: kind is open or closed, perhaps with a symmetry, not {run.kind[:40]!r}"
        )
    return run


def fault_sentence(fault: Exception) -> str:
    """Return a sentence about a fault that msgspec found; it begins with the field if that is known."""
    sentence, _, field_name = str(fault).replace("`", "").partition(" - at $.")
    return printable(f"{field_name}: {sentence}" if field_name else sentence)


class Results:
    """A file of runs, open for appending by this process alone; to be used as a context.

    ``keys`` are those of its ``runs``; ``cut_off`` is the number of bytes of a half-written last line that was removed.
    A run is handed to the system as a whole, so that a process which is killed leaves at most half a line. `BadInput`
    where the file has runs and ``resume`` is not set, or where another harness is writing it.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path = path
        check_not_special(path)
        with naming(path):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(self._file).st_size and not resume:
                raise BadInput(
                    f"{path} has runs already: give --resume to go on with them, or name another file with --results"
                )
            self.runs, whole, self.cut_off = read_runs(path)
            if self.cut_off:
                with naming(path):
                    os.ftruncate(self._file, whole)
        except BaseException as fault:
            os.close(self._file)
            if isinstance(fault, BlockingIOError):
                remedy = "wait for it, or name another file"
                raise BadInput(f"{path} is being written by another run of this program: {remedy}") from None
            raise
        self.keys = {run.key for run in self.runs}

    def append(self, run: RecordedRun) -> None:
        """Append a run and wait until it is on the disk.

        A run whose key is there already is not added again.
        """
        if run.key in self.keys:
            return
        line = run.line().encode()
        with naming(self.path):
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        self.keys.add(run.key)
        self.runs.append(run)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
