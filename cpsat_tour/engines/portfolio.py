"""A portfolio: backends that work on one problem in turns, each in a process of its own.

`run_portfolio` starts a scheduler, ``python -P -m cpsat_tour.engines.portfolio PARENT``, and listens until it answers.
In the end, also at a limit, Ctrl-C or an error, it kills the scheduler's process group, so that no process is left.

The scheduler loads the modules of the members once and forks them, so that a member starts in milliseconds; it has a
single thread, which makes forking safe. As many members run at a time as there are threads, the others are stopped
(SIGSTOP): the next turn goes to those that had the least time for their share, and lasts a twentieth of all the time so
far. So if shares add up to s, what a member of share t finds in T seconds is found within about 1.05 T s / t. A crash,
an exception, a wrong tour or a bare claim puts a member out. Once a member claims that there is no tour, those that
can't refute are out as well.

The members share loaded code and the simplified problem, but nothing that they find: cut sets of a lazy loop are cycles
of its own 2-factors, which another solver seldom meets.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.context import ForkProcess
from tempfile import TemporaryFile
from typing import Any, NoReturn

from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.processes import Child, connect_to_parent, die_with, last_line
from cpsat_tour.core.runs import HEARTBEAT, Clock, Event, Limits, LogLine, OnEvent, PartAtWork, PartOut, Progress
from cpsat_tour.engines.plans import CLAIMED, Share
from cpsat_tour.engines.registry import entry, load
from cpsat_tour.engines.runner import run, simplified
from cpsat_tour.tour import Answer

MIN_TURN = 0.05
TURN_SHARE = 1 / 20
"""A turn lasts this share of all the time so far, but at least `MIN_TURN` seconds."""

LOADING = 0.3
"""The seconds already used by a member that needs OR-Tools when it begins, so that others go first."""

PROGRESS_SECONDS = 0.25
"""Seconds between two progress events of a member."""

LEAVE = 0.5
"""Seconds that the scheduler has to end its members after its answer, so that their resources are counted."""


@dataclass(frozen=True)
class Task:
    """A message to the scheduler: the problem, the shares, each member's limits and the work that it has ``spent`` of
    them before, and how many members work at a time."""

    problem: Problem
    shares: tuple[Share, ...]
    limits: Limits
    threads: int
    spent: Counter[str]


def run_portfolio(
    problem: Problem,
    shares: Sequence[Share],
    limits: Limits,
    clock: Clock,
    on_event: OnEvent | None,
    spent: Counter[str],
) -> Answer:
    """Return the first credible answer of a member, or ``unknown`` when the time is over or no member is left.

    ``spent``, the work of each member, is brought up to date. ``limits.threads`` members, by default one, work at a
    time; ``limits.work`` holds for each member in its own unit.
    """
    # An idle thread of NumPy's would forbid forking.
    child = Child("-m", "cpsat_tour.engines.portfolio", str(os.getpid()), OPENBLAS_NUM_THREADS="1")
    work: dict[str, int] = {}
    try:
        child.connection.send(
            Task(
                problem,
                tuple(shares),
                replace(limits, seconds=None, threads=1, cancel=None),
                limits.threads or 1,
                spent,
            )
        )
        while (stopped_by := clock.stopped_by) is None:
            if not child.connection.poll(HEARTBEAT):
                continue
            message = child.connection.recv()
            if isinstance(message, Answer):
                spent.update(child.connection.recv())
                with suppress(subprocess.TimeoutExpired):
                    child.process.wait(LEAVE)
                return message
            if isinstance(message, PartAtWork):
                work = {}
            elif isinstance(message, Progress):
                work = dict(message.work)
            if on_event is not None:
                on_event(message)
        return Answer.stopped(stopped_by, work)
    except (EOFError, ConnectionError) as fault:
        status = child.end()
        raise BackendFault(f"the process of auto's parts ended with status {status}{child.last_words}") from fault
    finally:
        child.end()


class Member:
    """A backend that has not begun, works, or is stopped; ``used`` are the seconds of its turns and of its start."""

    def __init__(self, share: Share) -> None:
        self.name, self.weight, self.refutes = share.part, share.share, share.refutes
        self.used = LOADING if "ortools" in entry(self.name.partition("@")[0]).needs else 0.0
        self.unit = ""
        self.connection: Connection | None = None
        self._process: ForkProcess | None = None

    def resume(self, task: Task, others: Sequence[Connection]) -> None:
        """Start the member's process, or continue it after its last turn.

        A new process closes the connections of the others.
        """
        if self._process is not None:
            self.send_signal(signal.SIGCONT)
            return
        backend = load(self.name)
        self.unit = getattr(backend, "unit", "")
        receiver, sender = Pipe(duplex=False)
        self._stderr = TemporaryFile()  # noqa: SIM115  (closed in end)
        self._process = get_context("fork").Process(
            target=_answer,
            args=(task, self.name, backend, sender, [receiver, *others], os.getpid(), self._stderr.fileno()),
        )
        self._process.start()
        sender.close()
        receiver.recv()  # a process that is stopped before it dies with its parent would be left behind
        self.connection = receiver

    def end(self) -> str:
        """Kill the process and return how it ended, with the last line of its stderr; an empty string if it had not
        begun."""
        if self._process is None:
            return ""
        self.send_signal(signal.SIGKILL)
        self._process.join()
        if self.connection is not None:
            self.connection.close()
        status = self._process.exitcode or 0
        ended = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        with self._stderr:
            return f"its process ended with {ended}{last_line(self._stderr)}"

    def send_signal(self, number: int) -> None:
        """Send the process this signal: SIGSTOP stops it until the next turn."""
        assert self._process is not None
        assert self._process.pid is not None
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, number)


def next_members(members: Sequence[Member], threads: int) -> list[Member]:
    """Return the members whose turn it is, one for each thread: those with the least time for their share, the first of
    equal ones."""
    return sorted(members, key=lambda member: member.used / member.weight)[:threads]


def _answer(
    task: Task, name: str, backend: Any, sender: Connection, others: Sequence[Connection], parent_id: int, stderr: int
) -> NoReturn:
    """Run a backend, send its answer, or a `PartOut` with the error, and end this process.

    Its stderr goes to the file ``stderr``.
    """
    die_with(parent_id)
    os.dup2(stderr, 2)
    for connection in others:
        connection.close()
    sender.send(None)
    told = 0.0

    def listen(event: Event) -> None:
        """Send the parent the events that it passes on, progress only so often."""
        nonlocal told
        if isinstance(event, LogLine) or (
            isinstance(event, Progress) and (task.limits.work is not None or time.monotonic() - told > PROGRESS_SECONDS)
        ):
            told = time.monotonic()
            sender.send(event)

    try:
        sender.send(run(task.problem, backend, task.limits.after(task.spent[name]), listen, name))
    except BadInput as refusal:
        sender.send(PartOut(name, str(refusal)))
    except BackendFault as fault:
        sender.send(PartOut(name, str(fault), fault=True))
    except BaseException as fault:  # whatever a backend raises
        sender.send(PartOut(name, f"{type(fault).__name__}: {fault}", fault=True))
    finally:
        os._exit(0)


class Scheduler:
    """The members of one task, their turns, and the work that each has told of so far."""

    def __init__(self, task: Task, parent: Connection) -> None:
        self._task, self._parent = task, parent
        simplified(task.problem, task.limits)  # once for all members
        self.members = [Member(share) for share in task.shares]
        self.spent = Counter[str]()
        self._begun = time.monotonic()
        self._stopped_by, self._reasons = "", dict.fromkeys((member.name for member in self.members), "")

    def run(self) -> Answer:
        """Give the members turns until one has a credible answer, and return it; ``unknown`` when no member is left."""
        try:
            while self.members:
                if (answer := self._give_turn(next_members(self.members, self._task.threads))) is not None:
                    return answer
            reasons = "; ".join(f"{name}: {why}" for name, why in self._reasons.items())
            return Answer.stopped(self._stopped_by or f"every part is out: {reasons}")
        finally:
            for member in self.members:
                member.end()

    def _give_turn(self, at_work: Sequence[Member]) -> Answer | None:
        """Let these members work for a turn; return a credible answer if one of them sends it, else None."""
        begun = time.monotonic()
        for member in at_work:
            self._parent.send(PartAtWork(member.name))
            try:
                member.resume(
                    self._task, [self._parent, *(other.connection for other in self.members if other.connection)]
                )
            except Exception as fault:  # whatever a module does when it is loaded
                self._put_out(member, f"{type(fault).__name__}: {fault}", fault=True)  # which ends the turn
        until = begun + max(MIN_TURN, TURN_SHARE * (begun - self._begun))
        answer = None
        while answer is None and (left := until - time.monotonic()) > 0 and all(m in self.members for m in at_work):
            answer = self._hear(at_work, left)
        for member in at_work:
            member.used += time.monotonic() - begun
            if member in self.members:
                member.send_signal(signal.SIGSTOP)
        return answer

    def _hear(self, at_work: Sequence[Member], seconds: float) -> Answer | None:
        """Take one message of each working member that has sent one; return the first credible answer, else None.

        A stopped member may have sent half a message.
        """
        ready = wait([self._parent, *(member.connection for member in at_work if member.connection)], seconds)
        if self._parent in ready:
            raise SystemExit  # the parent is gone, or wants no more
        for member in at_work:
            if member.connection in ready and member in self.members and (answer := self._receive(member)) is not None:
                return answer
        return None

    def _receive(self, member: Member) -> Answer | None:
        """Receive a member's message; return it if it is a credible answer that settles the problem, else None.

        One that is not credible puts the member out, and a claim those that can't refute.
        """
        assert member.connection is not None
        try:
            message = member.connection.recv()
        except Exception as fault:  # the process ended, or sent bytes that are not a message
            ended = isinstance(fault, EOFError | ConnectionError)
            message = PartOut(member.name, "" if ended else f"it sent what is not a message: {fault}", fault=True)
        if isinstance(message, PartOut):
            self._put_out(member, message.why, fault=message.fault)
            return None
        if isinstance(message, Answer | Progress):
            self.spent[member.name] = message.work.get(member.unit, 0)
        if not isinstance(message, Answer):
            self._parent.send(message)
            return None
        try:
            answer = replace(message, backend=member.name).verified(self._task.problem)
        except BackendFault as fault:
            self._put_out(member, str(fault), fault=True)
            return None
        if answer.status == "unknown":
            self._stopped_by = answer.stopped_by or ""
            self._put_out(member, f"it met its limit: {answer.stopped_by}")
        elif answer.refutation is not None and answer.refutation.kind == "claimed":
            self._put_out(member, CLAIMED)
            for other in [other for other in self.members if not other.refutes]:
                self._put_out(other, f"{member.name} claims that there is no tour, and this part can't show it")
        else:
            return answer
        return None

    def _put_out(self, member: Member, why: str, *, fault: bool = False) -> None:
        """Remove a member, end its process, and tell why."""
        self.members.remove(member)
        ended = member.end()
        why = self._reasons[member.name] = why or ended
        self._parent.send(PartOut(member.name, why, fault))


def main(parent_id: int) -> None:
    """Run the scheduler process: receive the task from the parent; send it events, one answer, and the work of each
    member."""
    die_with(parent_id)
    connection = connect_to_parent()
    with suppress(EOFError, BrokenPipeError):
        scheduler = Scheduler(connection.recv(), connection)
        connection.send(scheduler.run())
        connection.send(scheduler.spent)


if __name__ == "__main__":
    main(int(sys.argv[1]))
