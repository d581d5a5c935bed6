"""The referee of the parts: a process that runs backends on one problem, each in a process of its own, in turns.

``python -P -m cpsat_tour.backends.referee PARENT``. It loads what the parts need once and forks them, so that a part
starts in milliseconds; it has a single thread, which makes forking safe. As many parts as there are threads run at a
time, the others are stopped (SIGSTOP): the word goes to those that had the least time for their share, for a twentieth
of all the time so far. So where shares add up to s, what a part of share t finds in T seconds is found within about
1.05 T s / t. What a part says is judged here: a crash, an exception, a wrong tour or a bare claim puts it out, with a
word on why. Once a part claims that there is no tour, those that can't refute are out as well. When the parent is gone,
or has its answer, all processes end.

The parts share the code that is loaded and the simplified problem, and nothing that they find. The cut sets of the
linear program go to the clausal search inside ``proof``; those of a lazy loop are cycles of its own 2-factors, which
another solver seldom meets.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from cpsat_tour.backends.frames import Garbage, Inbox, send
from cpsat_tour.backends.question import simplified
from cpsat_tour.backends.registry import load, needs
from cpsat_tour.backends.runner import ask
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.core.events import Compiling, Event, LogLine, PartAtWork, PartOut, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.processes import die_with

MIN_TURN = 0.05
TURN_SHARE = 1 / 20
"""A turn lasts this share of all the time so far, and not less than `MIN_TURN` seconds."""

SLOW_TO_LOAD = ("numba", "ortools")
LOADING = 0.3
"""A part that needs one of these libraries owes so many seconds before it begins: it lets others go first, the longer
the less its share is."""

TOLD_SECONDS = 0.25
"""Seconds between two times that a part tells its counters."""


@dataclass(frozen=True)
class Share:
    """A part by its name in the registry, its share of the time, and whether it can refute with a reason that can be
    checked."""

    part: str
    share: float = 1.0
    refutes: bool = True


@dataclass(frozen=True)
class Task:
    """What the parent asks: the problem, who is to answer it, within which limits, and how many at a time."""

    problem: Problem
    shares: tuple[Share, ...]
    limits: Limits
    threads: int


class Part:
    """One part: not begun, at work, or stopped; ``used`` seconds of turns so far, and what it owes for loading."""

    def __init__(self, share: Share) -> None:
        self.name, self._weight, self.refutes = share.part, share.share, share.refutes
        self.used = LOADING if any(needs(self.name, library) for library in SLOW_TO_LOAD) else 0.0
        self.inbox: Inbox | None = None
        self._pid = 0

    @property
    def served(self) -> float:
        """The time that it had for its share."""
        return self.used / self._weight

    def go(self, task: Task) -> None:
        """Begin, or go on."""
        if self._pid:
            self.signal(signal.SIGCONT)
            return
        backend = load(self.name)
        if needs(self.name, "numba"):
            from cpsat_tour.core.compiled import make_ready

            make_ready()
        receiver, sender = os.pipe()
        ready, word = os.pipe()
        referee = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            die_with(referee)
            os.write(word, b"!")
            os.closerange(3, sender)  # the pipes of the others
            os.closerange(sender + 1, os.sysconf("SC_OPEN_MAX"))
            _work(task, backend, sender)
        os.close(sender)
        os.close(word)
        os.read(ready, 1)  # a part that is stopped before it dies with its referee would be left behind
        os.close(ready)
        self.inbox = Inbox(receiver)

    def stop(self) -> None:
        """Stand still until the next turn."""
        self.signal(signal.SIGSTOP)

    def signal(self, number: int) -> None:
        """Send a signal to the process, if it is there."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def end(self) -> int:
        """Kill the process and reap it; its exit status, negative for a signal that ended it before."""
        if not self._pid:
            return 0
        if self.inbox is not None:
            os.close(self.inbox.pipe)
        self.signal(signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def whose_turn(parts: Sequence[Part], threads: int) -> list[Part]:
    """As many parts as there are threads: those that had the least time for their share, of equal ones those that stand
    first."""
    return sorted(parts, key=lambda part: part.served)[:threads]


def _work(task: Task, backend: Any, pipe: int) -> NoReturn:
    """What a part's process does: ask its backend and send what comes of it."""
    told = 0.0

    def listen(event: Event) -> None:
        nonlocal told
        if isinstance(event, Compiling | LogLine) or (
            isinstance(event, Progress) and time.monotonic() - told > TOLD_SECONDS
        ):
            told = time.monotonic()
            send(pipe, event)

    try:
        send(pipe, ask(task.problem, backend, task.limits, listen))
    except MemoryError:
        send(pipe, "it ran out of memory")
    except BadInput as refusal:
        send(pipe, str(refusal))
    except Exception as fault:  # whatever a backend raises
        send(pipe, f"{type(fault).__name__}: {fault}")
    finally:
        os._exit(0)


class Referee:
    """The parts of one task, and their turns."""

    def __init__(self, task: Task, parent: int, commands: int) -> None:
        self._task, self._parent = task, parent
        simplified(task.problem, task.limits)  # once for all parts: what they are asked is kept
        self.parts = [Part(share) for share in task.shares]
        self._selector = selectors.DefaultSelector()
        self._selector.register(commands, selectors.EVENT_READ, None)
        self._begun = time.monotonic()
        self._stopped_by = self._why = ""

    def live(self) -> Answer:
        """Turn by turn, until a part answers or none is left."""
        try:
            while self.parts:
                if (answer := self._turn(whose_turn(self.parts, self._task.threads))) is not None:
                    return answer
            return Answer.stopped(self._stopped_by or f"what its parts could do: {self._why}")
        finally:
            for part in self.parts:
                part.end()

    def _turn(self, at_work: Sequence[Part]) -> Answer | None:
        begun = time.monotonic()
        for part in at_work:
            self._tell(PartAtWork(part.name))
            try:
                fresh = part.inbox is None
                part.go(self._task)
            except Exception as fault:  # whatever a module does when it is loaded
                self._out(part, f"{type(fault).__name__}: {fault}")
                return None
            if fresh and part.inbox is not None:
                self._selector.register(part.inbox, selectors.EVENT_READ, part)
        until = begun + max(MIN_TURN, TURN_SHARE * (begun - self._begun))
        answer = None
        while answer is None and (left := until - time.monotonic()) > 0 and all(part in self.parts for part in at_work):
            answer = self._hear(left)
        for part in at_work:
            part.used += time.monotonic() - begun
            if part in self.parts:
                part.stop()
        return answer

    def _hear(self, seconds: float) -> Answer | None:
        """What the parts say within this time; an answer if it is one."""
        for key, _ in self._selector.select(seconds):
            part = key.data
            if part is None:
                raise SystemExit  # the parent is gone, or wants no more
            if part not in self.parts:
                continue
            going_on = part.inbox.read()
            try:
                for message in part.inbox.messages():
                    if isinstance(message, Answer):
                        if self._judge(part, message):
                            return message
                        break
                    if isinstance(message, str):
                        self._out(part, message)
                        break
                    self._tell(message)
            except Garbage as fault:
                self._out(part, f"it sent what is not a message: {fault}")
            if not going_on and part in self.parts:
                self._out(part, "")
        return None

    def _judge(self, part: Part, answer: Answer) -> bool:
        """Whether it is an answer; if not, the part is out, and with a claim those that could add nothing to it."""
        try:
            answer.verified(self._task.problem)
        except BackendFault as fault:
            self._out(part, str(fault))
            return False
        if answer.status == "unknown":
            self._stopped_by = answer.stopped_by or ""
            self._out(part, f"it met its limit: {answer.stopped_by}")
        elif answer.refutation is not None and answer.refutation.kind == "claimed":
            self._out(part, "it claims that there is no tour, and gives no reason that can be checked")
            for other in [other for other in self.parts if not other.refutes]:
                self._out(other, f"{part.name} claims that there is no tour, and this part can't show it")
        else:
            return True
        return False

    def _out(self, part: Part, why: str) -> None:
        self.parts.remove(part)
        if part.inbox is not None:
            self._selector.unregister(part.inbox)
        status = part.end()
        ended = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        why = why or f"its process ended with {ended}"
        self._why = self._why or f"{part.name}: {why}"
        self._tell(PartOut(part.name, why))

    def _tell(self, message: Event) -> None:
        send(self._parent, message)


def main(parent: int) -> None:
    """Take the task from standard input, and send events and one answer to standard output; what libraries print goes
    nowhere."""
    die_with(parent)
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.set_blocking(0, True)
    tasks = Inbox(0)
    task = None
    while task is None and tasks.read():
        task = next(tasks.messages(), None)
    if task is not None:
        with suppress(BrokenPipeError):
            send(answers, Referee(task, answers, 0).live())


if __name__ == "__main__":
    main(int(sys.argv[1]))
