"""Makes runs: each job is asked of a backend in a child process, several at once, by threads of this process or on a
Dask cluster.

*One child.* The limit on memory is on the resident sets of the child and its descendants, looked at every `TICK`; on
address space it would hit solvers that reserve much and use little. The time limit counts from the moment when the job
is sent, so start-up is not charged to the backend. Before its first job a child solves two small problems that are not
recorded, so that libraries which are loaded when they are first used are not charged to the backend's ``seconds``; the
process's ``wall`` time has it all. Whatever ends a child, its whole process group is killed, with all descendants that
were seen, also those in sessions of their own; and the child is reaped.

*A child may lie*: the tour it gives is verified here from the squares, and a condition that it says is violated is
tested here.

*Many runs* (`perform`) are recorded here, in the process that owns the file, each as soon as it is known. No more jobs
are handed out than there are workers for, and one more each on a cluster to keep them busy, so that stopping is quick.
One run is one subprocess of a worker, which can be killed. A job that is lost for good is not recorded, so that the
study makes it when it goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Literal

import msgspec
import psutil

from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.record import (
    BoardQuestion,
    Count,
    Job,
    Machine,
    RecordedRun,
    Seconds,
    fault_sentence,
    problem_of,
)
from cpsat_tour.core import processes
from cpsat_tour.core.errors import DISTRIBUTIONS, BadInput, TourFault, versions_of
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import HEARTBEAT, Heartbeat, Limits, OnEvent, PartAtWork, Progress, no_heartbeat
from cpsat_tour.core.verify import verify
from cpsat_tour.engines.auto import largest_piece, plan_key
from cpsat_tour.engines.pool import Pool
from cpsat_tour.engines.registry import BACKENDS
from cpsat_tour.engines.runner import answer_without_search
from cpsat_tour.models.drivers.outside import Outside, split_command, version_of

TICK = 0.05
"""The seconds between two looks at a child's memory."""

START_UP = 120.0
"""The seconds that a child may take to load its backend."""

MAX_MESSAGE = 1 << 28
"""The bytes of the longest answer that is read."""

LEAVE = 5.0
"""The seconds that a child has to end by itself when it is no longer needed."""

OUT_OF_MEMORY = ("bad_alloc", "MemoryError")
"""The last words of programs whose allocation failed."""

WARM_UP = (BoardQuestion("3x4", "open"), BoardQuestion("3x4", "closed"))
"""The problems that a child solves first: one with a tour, one without."""

PATIENCE = 0.05
"""The seconds between two attempts to kill what still runs after an interrupt."""


@dataclass(frozen=True)
class Reply:
    """The outcome of a job: the child's answer, or how the child ended without one; and the seconds from job to
    answer."""

    ended: Literal["answer", "timeout", "memory", "crash", "garbage", "refused"]
    seconds: float
    fault: str | None = None
    data: Any = None


class Child(processes.Child, AbstractContextManager["Child"]):
    """A child process that asks one backend, to be used as a context.

    After it, ``usage`` has the fields of a `RecordedRun` that say what the process used, start-up included. ``failure``
    is how it ended before its time, or why it could not load its backend; then no job can be sent.
    """

    usage: Mapping[str, Any]

    def __init__(self, backend: str, memory_limit: int | None) -> None:
        self._begun = time.perf_counter()
        self._memory_limit, self._peak = memory_limit, 0
        self._family: set[psutil.Process] = set()
        super().__init__("-m", "cpsat_tour.compare.child", backend, str(memory_limit or 0), str(os.getpid()))
        with _live_lock:
            _live.add(self)
        ready = self._reply(START_UP)
        self.failure: Reply | None = None
        if ready.ended != "answer":
            self.failure = ready
        elif ready.data != "ready":
            self.failure = Reply("refused", 0.0, str(ready.data))

    def ask(self, job: Job) -> Reply:
        """Send a job and return the reply, waited for until its time limit and a little longer, for a soft stop."""
        if self.failure is not None:
            return self.failure
        with suppress(ConnectionError):  # a child that is gone shows when it is heard
            self.connection.send_bytes(json.dumps(asdict(job)).encode())
        reply = self._reply(job.time_limit + 1.0 + job.time_limit / 10)
        if reply.ended != "answer":
            self.failure = reply
        return reply

    def kill(self) -> None:
        """Kill the process and all that it started."""
        super().kill()
        for process in tuple(self._family):
            with suppress(psutil.Error):  # psutil tells a process from a later one of the same number
                process.kill()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resident_bytes()
        with suppress(ConnectionError):
            self.connection.send_bytes(b"null")
        if self.failure is None and kind is None:
            self._wait()
        wall = round(time.perf_counter() - self._begun, 6)
        with _live_lock:
            _live.discard(self)
        self.kill()
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.end()
        self.usage = {"wall": wall, "user": used.ru_utime, "system": used.ru_stime, "memory": self._peak}

    def _reply(self, seconds: float) -> Reply:
        """Return the next message of the child as a reply; if it sends none within ``seconds``, or ends, how it
        ended."""
        begun = time.perf_counter()
        while not self.connection.poll(TICK):
            passed = time.perf_counter() - begun
            if self._resident_bytes() > (self._memory_limit or float("inf")):
                return Reply("memory", passed, f"killed at {self._peak / 1e6:,.0f} MB, above the limit")
            if passed > seconds:
                return Reply("timeout", passed, f"killed after {passed:.1f} s")
        passed = time.perf_counter() - begun
        try:
            data = json.loads(self.connection.recv_bytes(MAX_MESSAGE))
        except (EOFError, ConnectionError):
            return self._reply_at_end(passed)
        except (OSError, ValueError, RecursionError) as fault:
            return Reply("garbage", passed, f"the backend sent data that is not a message: {fault!s:.200}")
        return Reply("answer", passed, data=data)

    def _reply_at_end(self, passed: float) -> Reply:
        """Return the reply that says how a child ended, once it has closed the connection."""
        self._wait()
        ended = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            how = "closed its output"
        elif ended.si_code == os.CLD_EXITED:
            how = f"ended with exit status {ended.si_status}"
        else:
            how = f"was ended by signal {signal.Signals(ended.si_status).name}"
        words = f"the process {how}{processes.last_line(self.stderr)}"
        starved = self._memory_limit is not None and (
            self._peak > self._memory_limit or any(word in words for word in OUT_OF_MEMORY)
        )
        return Reply("memory" if starved else "crash", passed, words)

    def _wait(self) -> None:
        """Wait until the child has ended, for a bounded time, without reaping it."""
        deadline = time.perf_counter() + LEAVE
        while (
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None
            and time.perf_counter() < deadline
        ):
            time.sleep(0.005)

    def _resident_bytes(self) -> int:
        """Return the resident bytes of the child and its descendants now, and keep the peak."""
        now = 0
        with suppress(psutil.Error):
            child = psutil.Process(self.process.pid)
            descendants = child.children(recursive=True)
            self._family.update(descendants)
            for process in (child, *descendants):
                with suppress(psutil.Error):
                    now += process.memory_info().rss
        self._peak = max(self._peak, now)
        return now


_live: set[Child] = set()
_live_lock = threading.Lock()


def kill_all() -> None:
    """Kill all running children of this process."""
    with _live_lock:
        running = list(_live)
    for child in running:
        child.kill()


def perform(job: Job) -> RecordedRun:
    """Make one run in a process of its own and return its record, with all that the process used."""
    with Child(job.backend, job.memory_limit) as child:
        _warm_up(child, job)
        reply = child.ask(job)
    return run_of(job, reply, child.usage)


def perform_all(jobs: Iterable[Job]) -> Iterator[RecordedRun]:
    """Make runs of one backend and one memory limit in one process, and yield their records.

    The process is replaced when a run ends it. Much faster than `perform` where runs are shorter than the start of a
    process; what the process used is not recorded.
    """
    waiting = list(jobs)
    while waiting:
        with Child(waiting[0].backend, waiting[0].memory_limit) as child:
            _warm_up(child, waiting[0])
            fresh = True
            while waiting:
                reply = child.ask(waiting[0])
                if not fresh and reply.ended in ("crash", "garbage", "memory"):
                    # What was asked before may be to blame: ask again in a new process.
                    break
                yield run_of(waiting.pop(0), reply, {"wall": round(reply.seconds, 6)})
                fresh = False
                if child.failure is not None:
                    break


def refusal(spec: str) -> str | None:
    """Return why a backend can't be loaded in a process of its own; None if it can."""
    with Child(spec, None) as child:
        return child.failure.fault if child.failure is not None and child.failure.ended == "refused" else None


def _warm_up(child: Child, job: Job) -> None:
    """Let a child solve small problems, so that the first job is not charged for loading what is loaded at first
    use."""
    for question in WARM_UP:
        child.ask(replace(job, board=question.board, kind=question.kind))


class _Refutation(msgspec.Struct):
    """The kind and the words of the refutation that a child sent."""

    kind: str
    reason: str


class _Claimed(msgspec.Struct):
    """The answer that a child sent: its fields have the right types, but may be wrong."""

    status: Literal["tour", "none", "unknown", "wrong", "crash", "memory", "refused"]
    seconds: Seconds | None = None
    work: dict[str, Count] = {}
    spent: dict[str, Seconds] = {}
    tour: list[str | list[int]] | None = None
    refutation: _Refutation | None = None
    stopped_by: str | None = None
    fault: str | None = None


def run_of(job: Job, reply: Reply, usage: Mapping[str, Any]) -> RecordedRun:
    """Return the record of a job, made of the child's reply and usage; its answer is verified here again."""
    fields: dict[str, Any] = {"status": reply.ended, "fault": reply.fault}
    if reply.ended == "answer":
        try:
            fields = _checked_fields(problem_of(job.question), msgspec.convert(reply.data, _Claimed))
        except msgspec.ValidationError as fault:
            fields = {
                "status": "garbage",
                "fault": f"the backend sent data that is not an answer: {fault_sentence(fault)}",
            }
        except BadInput as fault:
            fields = {"status": "refused", "fault": str(fault)}
    with suppress(BadInput):
        graph = problem_of(job.question).graph
        fields |= {"vertices": graph.order, "edges": graph.size, "plan": kind_of_graph(job.question, job.time_limit)}
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return RecordedRun(**asdict(job), **fields, **usage, when=when, machine=machine(), versions=versions(job.backend))


@lru_cache(maxsize=16)
def kind_of_graph(question: BoardQuestion, time_limit: float) -> str:
    """Return the key of `PLANS` that `auto` uses for the question."""
    return plan_key(largest_piece(problem_of(question), Limits(time_limit)))


def _checked_fields(problem: Problem, answer: _Claimed) -> dict[str, Any]:
    """Verify a child's answer and return the fields of a run that it gives.

    The tour is a digest; a condition that is not found violated here becomes a claim.
    """
    fields = {name: getattr(answer, name) for name in ("status", "seconds", "work", "spent", "stopped_by", "fault")}
    if answer.status == "tour":
        try:
            vertices = [problem.graph.space.vertex_from_data(visit) for visit in answer.tour or ()]
            verify(problem, vertices)
        except (TourFault, BadInput) as fault:
            return {"status": "wrong", "fault": f"the tour given is wrong: {fault}"}
        return fields | {"tour": hashlib.sha256(repr(vertices).encode()).hexdigest()[:16]}
    if answer.refutation is not None:
        kind = answer.refutation.kind
        if kind == "condition" and ((known := answer_without_search(problem)) is None or not known.none):
            kind = "claimed"
        return fields | {"refutation": kind, "reason": answer.refutation.reason}
    return fields


@lru_cache(maxsize=1)
def machine() -> Machine:
    """Return a description of this machine: host, processor, its cores, logical processors that may be used, bytes of
    memory, system."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "host": platform.node(),
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": psutil.cpu_count(logical=False) or 0,
        "processors": processors(),
        "memory": psutil.virtual_memory().total,
        "system": f"{platform.system()} {platform.release()}",
    }


def processors() -> int:
    """Return the number of logical processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache
def versions(backend: str) -> dict[str, str]:
    """Return the versions of Python, of this program, and of the libraries that the backend needs, or of the program
    that it runs; of the installed solvers for a class that is not ours, which may use any."""
    name, _, solver = split_spec(backend)[0].partition("@")
    program = split_command(solver)[:1] if Outside.names(solver) else ()
    rows = [] if program else [BACKENDS[name]] if name in BACKENDS else [*BACKENDS.values()]
    libraries = versions_of(*(DISTRIBUTIONS.get(module, module) for row in rows for module in row.needs))
    return (
        {"python": platform.python_version()}
        | libraries
        | {called: version_of(called) or "(version unknown)" for called in program}
    )


def schedule(
    jobs: Sequence[Job],
    pool: Pool,
    record: Callable[[RecordedRun], None],
    stop_after: float | None = None,
    heartbeat: Heartbeat = no_heartbeat,
) -> list[tuple[Job, str]]:
    """Make the runs in order, as many at once as there are workers, and give each to ``record``; return the jobs that
    were lost with a worker, and why.

    After ``stop_after`` seconds no new run is begun. On an interrupt, or if the heartbeat raises, the runs that are
    going on are killed and not recorded.
    """
    begun = monotonic()
    waiting = iter(jobs)
    going: dict[Future[RecordedRun], Job] = {}
    lost: list[tuple[Job, str]] = []
    ahead = pool.number if pool.name == "local" else 2 * pool.number
    try:
        while True:
            if stop_after is None or monotonic() - begun < stop_after:
                going |= {pool.executor.submit(perform, job): job for job in islice(waiting, ahead - len(going))}
            if not going:
                return lost
            heartbeat()
            for future in wait(going, HEARTBEAT, FIRST_COMPLETED).done:
                job = going.pop(future)
                if (fault := future.exception()) is not None:
                    lost.append((job, f"{type(fault).__name__}: {fault}"))
                else:
                    record(future.result())
    except BaseException:
        abandon(going)
        raise


def reporting(
    listen: OnEvent | None, number: int, keep: Callable[[RecordedRun], None]
) -> Callable[[RecordedRun], None]:
    """Return a function that keeps a run and reports it to the listener, if there is one, as the next of ``number``
    runs."""
    made = count(1)

    def record(run: RecordedRun) -> None:
        """Keep the run, and tell the listener."""
        keep(run)
        done = next(made)
        if listen is not None:
            listen(PartAtWork(f"{done} of {number} runs, {run.backend} {run.question}: {run.status}"))
            listen(Progress({}, done / number))

    return record


def abandon(going: Iterable[Future[Any]]) -> None:
    """Cancel the jobs that have not begun, and kill the children of the others.

    It goes on until none is left that a thread was about to start.
    """
    running = [future for future in going if not future.cancel()]
    kill_all()
    while running:
        running = list(wait(running, timeout=PATIENCE).not_done)
        kill_all()
