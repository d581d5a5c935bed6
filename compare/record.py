"""What is recorded of a run, and the file of runs: one JSON object a line, appended and flushed to the disk before the next is begun.

The file is written by one process, the harness, under a lock; a run's key says what was run, so that a study which was broken off goes on
without a repeat. A crash may leave the last line half written: it is cut off, and told, when the study goes on, and passed over by readers.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from cpsat_tour.compare.boards import KINDS, Question
from cpsat_tour.core.errors import BadInput

if TYPE_CHECKING:
    import pandas

Status = Literal["tour", "none", "unknown", "timeout", "memory", "crash", "garbage", "wrong", "refused"]

SOLVED = ("tour", "none")
"""The statuses that answer the question."""

FAULTS = ("crash", "garbage", "wrong", "memory", "timeout")
"""The statuses of runs that did not end as a backend should: it crashed, said what is no answer, gave a wrong tour, or had to be killed."""


@dataclass(frozen=True)
class Job:
    """One run to be made: who is asked what, with which limits.

    ``backend`` is a name of the registry, perhaps with options: ``cpsat linearization=0``. ``group`` is the part of the study; ``jobs`` how
    many runs were made at once (1 for timings that are to be published) and ``executor`` by what. Times are in seconds, memory in bytes.
    """

    backend: str
    board: str
    kind: str
    start: str | None = None
    seed: int = 0
    threads: int = 1
    time_limit: float = 10.0
    memory_limit: int | None = None
    study: str = ""
    group: str = ""
    jobs: int = 1
    executor: str = "local"

    @property
    def question(self) -> Question:
        """What is asked."""
        return Question(self.board, self.kind, self.start)

    @property
    def key(self) -> str:
        """What was run, as text: two jobs of one key are the same run."""
        limits = f"{self.time_limit:g} s" + (f" {self.memory_limit} B" if self.memory_limit else "")
        return f"{self.group}: {self.backend}: {self.question}, seed {self.seed}, {self.threads} threads, {limits}"


@dataclass(frozen=True)
class Run(Job):
    """A job and what came of it.

    ``seconds`` is what the backend took to build and solve; ``wall``, ``user`` and ``system`` are of the whole process, start-up included;
    ``memory`` is its peak in bytes. They are None where they were not taken. ``refutation`` is the kind of a ``none`` and ``reason`` its
    words; ``fault`` says what went wrong; ``tour`` is a digest of the verified tour, equal for equal tours.
    """

    status: Status = "unknown"
    refutation: str | None = None
    reason: str | None = None
    stopped_by: str | None = None
    fault: str | None = None
    tour: str | None = None
    vertices: int = 0
    seconds: float | None = None
    wall: float | None = None
    user: float | None = None
    system: float | None = None
    memory: int | None = None
    work: Mapping[str, int] = field(default_factory=dict)
    when: str = ""
    machine: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def solved(self) -> bool:
        """Whether the run answered the question."""
        return self.status in SOLVED

    @property
    def cpu(self) -> float | None:
        """User and system time together."""
        return None if self.user is None or self.system is None else self.user + self.system

    def line(self) -> str:
        """The run as one line of JSON, its key first."""
        return json.dumps({"key": self.key, **dataclasses.asdict(self)}, ensure_ascii=False) + "\n"


_FIELDS = typing.get_type_hints(Run)
_NEEDED = {"backend", "board", "kind", "status"}


def load(path: str | Path) -> list[Run]:
    """The runs of a file; a last line that was cut off is passed over. `BadInput` names any other line that is no run."""
    return _parsed(Path(path), _read(Path(path)))[0]


def unfinished(path: str | Path) -> int:
    """The number of bytes of a last line that was cut off; 0 where the file is whole."""
    content = _read(Path(path))
    return len(content) - _whole(content)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise BadInput(f"can't read {path}: {(fault.strerror or str(fault)).lower()}") from fault


def _whole(content: bytes) -> int:
    """The length of the part that consists of whole lines."""
    return content.rfind(b"\n") + 1


def _parsed(path: Path, content: bytes) -> tuple[list[Run], int]:
    whole = _whole(content)
    runs = []
    for number, line in enumerate(content[:whole].splitlines(), start=1):
        try:
            data = json.loads(line)
            known = {name: value for name, value in data.items() if name in _FIELDS}
        except (ValueError, AttributeError):
            known = {}
        if not known.keys() >= _NEEDED:
            raise BadInput(f"{path}, line {number}: this is no run; a line is a JSON object with {', '.join(sorted(_NEEDED))} and more")
        wrong = [name for name, value in known.items() if not _fits(value, _FIELDS[name]) or (name == "kind" and value not in KINDS)]
        if wrong:
            raise BadInput(f"{path}, line {number}: this is no run; its {wrong[0]} can't be {json.dumps(known[wrong[0]])[:40]}")
        runs.append(Run(**known))
    return runs, whole


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value from JSON is of the type that a field's annotation names; numbers are finite and of a machine's range."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return value in inner
    if origin is types.UnionType:
        return any(_fits(value, each) for each in inner)
    if origin is not None:
        return isinstance(value, dict)
    if hint is float:
        return type(value) in (int, float) and abs(value) <= sys.float_info.max
    if hint is int:
        return type(value) is int and abs(value) < 2**63
    return isinstance(value, hint)


def frame(runs: Iterable[Run]) -> pandas.DataFrame:
    """The runs as a pandas frame, one column a field, with the work counters as ``work.conflicts`` and so on; `BadInput` without pandas."""
    try:
        import pandas
    except ImportError:
        raise BadInput("a frame needs the Python module pandas, which is not installed: pip install pandas") from None
    return pandas.json_normalize([{"key": run.key, **dataclasses.asdict(run)} for run in runs])


class Results:
    """The file of runs, open for appending by this process alone."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """Open or make the file; `BadInput` where it has runs and ``resume`` is not set, or where another harness is writing it."""
        self.path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as fault:
            raise BadInput(f"can't write {path}: {(fault.strerror or str(fault)).lower()}") from fault
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            content = _read(path)
            if content and not resume:
                raise BadInput(f"{path} has runs already: give --resume to go on with them, or name another file with --results")
            self.runs, whole = _parsed(path, content)
        except BlockingIOError:
            os.close(self._file)
            raise BadInput(f"{path} is being written by another run of this program: wait for it, or name another file") from None
        except BaseException:
            os.close(self._file)
            raise
        self.cut_off = len(content) - whole
        """The bytes of a half-written last line that were cut off."""
        if self.cut_off:
            os.ftruncate(self._file, whole)
        self.keys = {run.key for run in self.runs}

    def append(self, run: Run) -> None:
        """Add a run and wait until it is on the disk; a run whose key is there already is not added again."""
        if run.key in self.keys:
            return
        line = run.line().encode()
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)
        self.keys.add(run.key)
        self.runs.append(run)

    def __enter__(self) -> Results:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._file)
