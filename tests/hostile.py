"""Does anything break on graphs that were drawn to break it? ``make hostile`` asks for an hour.

A case is a number: it seeds a graph of `hostile_graphs`, the kind of tour, a time limit, the solver's seed and,
sometimes, the moment of a Ctrl-C. The graph goes through every way to an answer, each the program itself in a process
of its own, as a user runs it. Three things are faults:

* *crash*: the process ends by a signal, with a traceback or with an exit status that its command does not have;
* *overrun*: it takes longer than its start, its limit and 5 %, and a second, or a second after Ctrl-C. Other programs
  can hold a process up, so that a run counts only when it overruns three times, against a start measured anew;
* *wrong*: a tour that is none, a "none" where there is a tour (by construction, by trying everything, or because
  another way found one), or a certificate that does not check.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal

from hostile_graphs import HostileGraph, draw_graph

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.processes import environment
from cpsat_tour.core.tour import verify
from cpsat_tour.formats.files import write
from cpsat_tour.proofs.check.folder import check

WAYS: Mapping[str, Sequence[str]] = {
    **{name: ("solve", "--backend", name) for name in ("auto", "sat", "sat:lazy", "dfs")},
    "prove": ("prove", "-o", "certificate"),
}
"""The ways to an answer, each with the beginning of its command."""

STATUSES: Mapping[str, Mapping[int, str]] = {
    "solve": {0: "tour", 20: "none", 3: "unknown"},
    "prove": {0: "none", 10: "tour", 3: "unknown"},
}

MAX_VERTICES = 5000

LIMITS = math.log(0.1), math.log(3.0)
"""Logarithms of the shortest and the longest time limit, in seconds: as many short ones as long ones."""

PATIENCE = 15.0
"""Seconds beyond its time after which a process that does not end is killed."""

ATTEMPTS = 3
"""So often a run has to overrun."""

FaultKind = Literal["crash", "overrun", "wrong"]


@dataclass(frozen=True, eq=False)
class Case:
    """One graph and how it is asked about, in ``limit`` seconds; ``interrupts`` has the seconds from the start to a
    Ctrl-C, for some ways."""

    number: int
    hostile: HostileGraph
    problem: Problem
    limit: float
    seed: int
    interrupts: Mapping[str, float]

    @classmethod
    def drawn(cls, number: int, most: int = MAX_VERTICES) -> Case:
        """The case of this number, on a graph of at most so many vertices."""
        rng = random.Random(number)
        hostile = draw_graph(rng, most)
        problem, limit, seed = (
            Problem(hostile.graph, rng.random() < 0.75),
            round(math.exp(rng.uniform(*LIMITS)), 2),
            rng.randrange(12),
        )
        return cls(
            number,
            hostile,
            problem,
            limit,
            seed,
            {way: round(rng.uniform(0.0, limit), 2) for way in WAYS if rng.random() < 0.1},
        )

    def command(self, way: str) -> list[str]:
        """What is run, in a folder with the graph."""
        kind = ["--closed"] if self.problem.closed else []
        limits = ["--seed", str(self.seed), "--time-limit", f"{self.limit:g}"]
        return [*WAYS[way], "graph.edge", *kind, *limits, "--json"]

    def __str__(self) -> str:
        graph = self.hostile.graph
        return (
            f"case {self.number} ({self.hostile.family}, {graph.order} vertices, {graph.size} edges, "
            f"{self.problem.kind}, {self.limit:g} s)"
        )


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit status, negative for a signal, or None where it had to be killed; what it said, and
    its seconds."""

    status: int | None
    out: bytes
    err: bytes
    seconds: float


@dataclass(frozen=True)
class Trial:
    """One way on one case: what it answered, and what is wrong with that."""

    case: Case
    way: str
    answer: str
    seconds: float
    fault: FaultKind | None = None
    why: str = ""

    def __str__(self) -> str:
        """The fault in words, and how to see it again."""
        interrupted = f", Ctrl-C after {self.case.interrupts[self.way]:g} s" if self.way in self.case.interrupts else ""
        command = shlex.join(["cpsat-tour", *self.case.command(self.way)])
        return (
            f"{self.case}: {self.way}{interrupted}: {self.fault}: {self.why}; {command}; "
            f"again: python tests/hostile.py --case {self.case.number} --keep DIR"
        )


def trials(cases: Iterator[Case], seconds: float | None, keep: Path | None, on_trial: Callable[[Trial], None]) -> None:
    """Run case after case until the time is over; the last one begun is finished. Graphs of failed cases go into the
    folder ``keep``."""
    start_up = {way: _start_up(way) for way in WAYS}
    begun = time.monotonic()
    for case in cases:
        if seconds is not None and time.monotonic() - begun > seconds:
            break
        failed = False
        for trial in run_case(case, start_up):
            failed = failed or trial.fault is not None
            on_trial(trial)
        if failed and keep is not None:
            write(keep / f"case-{case.number}.edge", dimacs(case.hostile.graph))


def run_case(case: Case, start_up: dict[str, float]) -> list[Trial]:
    """All ways on a case; ``start_up`` holds the seconds that each takes to start, and is brought up to date."""
    found = []
    for way in WAYS:
        for _ in range(ATTEMPTS):
            trial = _trial(case, way, start_up[way])
            if trial.fault != "overrun":
                break
            start_up[way] = max(start_up[way], _start_up(way))
        found.append(trial)
    by = next((trial.way for trial in found if trial.answer == "tour" and trial.fault is None), None)
    return [
        Trial(
            case, trial.way, trial.answer, trial.seconds, "wrong", f"it says that there is none, and {by} found a tour"
        )
        if trial.answer == "none" and trial.fault is None and by is not None
        else trial
        for trial in found
    ]


def _trial(case: Case, way: str, start_up: float) -> Trial:
    """Ask one way about a case and judge what it says."""
    interrupt = case.interrupts.get(way)
    with tempfile.TemporaryDirectory(prefix="cpsat-tour-") as name:
        folder = Path(name)
        (folder / "graph.edge").write_text(dimacs(case.hostile.graph))
        allowed = start_up + 1 + (1.05 * case.limit if interrupt is None else interrupt)
        ended = _ended(
            case.command(way), folder, allowed + PATIENCE, None if interrupt is None else start_up + interrupt
        )
        # A Ctrl-C that comes when the answer is out and Python is shutting down ends the process by the signal itself,
        # which shells call 130.
        interrupted = interrupt is not None and ended.status in (130, -signal.SIGINT)
        answer = "interrupted" if interrupted else STATUSES[case.command(way)[0]].get(ended.status or 0, "")
        try:
            if ended.status is None:
                return Trial(
                    case,
                    way,
                    "",
                    ended.seconds,
                    "overrun",
                    f"killed after {ended.seconds:.1f} s, allowed {allowed:.1f} s",
                )
            if not answer or b"Traceback" in ended.err:
                return Trial(case, way, "", ended.seconds, "crash", _last_words(ended))
            wrong = None if answer == "interrupted" else _wrong(case, way, answer, ended, folder)
        except (ValueError, KeyError, TypeError, BadInput) as fault:
            return Trial(case, way, answer, ended.seconds, "wrong", f"{type(fault).__name__}: {fault}")
    if wrong is not None:
        return Trial(case, way, answer, ended.seconds, "wrong", wrong)
    if ended.seconds > allowed:
        return Trial(
            case, way, answer, ended.seconds, "overrun", f"it took {ended.seconds:.1f} s, allowed {allowed:.1f} s"
        )
    return Trial(case, way, answer, ended.seconds)


def _wrong(case: Case, way: str, answer: str, ended: Ended, folder: Path) -> str | None:
    """What is wrong with an answer."""
    known = case.hostile.has_tour(closed=case.problem.closed)
    if answer == "tour":
        tour = json.loads(ended.out)["tour"]
        verify(case.problem, [int(vertex) - 1 for vertex in tour])
        return "it found a tour where there can be none" if known is False else None
    if answer == "none" and known:
        return "it says that there is none, and there is a tour"
    if answer == "none" and way == "prove" and (folder / "certificate").exists():
        verdict = check(folder / "certificate")
        return None if verdict.valid else f"the certificate does not check: {verdict.fault}"
    return None


def _ended(command: Sequence[str], folder: Path, patience: float, interrupt: float | None) -> Ended:
    """Run the program in the folder, in a process group of its own; kill it when patience ends."""
    begun = time.perf_counter()
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "cpsat_tour", *command],
        cwd=folder,
        env=environment(),
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,
    )
    try:
        if interrupt is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(interrupt)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=patience - (time.perf_counter() - begun))
        return Ended(process.returncode, out, err, time.perf_counter() - begun)
    except subprocess.TimeoutExpired:
        return Ended(None, b"", b"", time.perf_counter() - begun)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _start_up(way: str) -> float:
    """The seconds that the program takes for next to nothing."""
    with tempfile.TemporaryDirectory(prefix="cpsat-tour-") as name:
        folder = Path(name)
        (folder / "graph.edge").write_text(dimacs(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])))
        return _ended([*WAYS[way], "graph.edge", "--closed", "--json"], folder, 60.0, None).seconds


def _last_words(ended: Ended) -> str:
    lines = ended.err.decode(errors="replace").strip().splitlines()
    status = ended.status or 0
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
    told = " | ".join(line.strip() for line in lines) if b"Traceback" in ended.err else "".join(lines[-1:])
    return f"it ended with {how}" + (f": {told[:2000]}" if told else "")


def dimacs(graph: Graph) -> str:
    """The graph as a DIMACS file; its vertices are named from 1."""
    tails, heads = graph.edges()
    lines = [f"e {tail + 1} {head + 1}" for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)]
    return "\n".join([f"p edge {graph.order} {graph.size}", *lines, ""])


ANSWERS = ("tour", "none", "unknown", "interrupted")
FAULTS = ("crash", "overrun", "wrong")


def main() -> int:
    """Print each fault as it is seen, then how often each way gave each answer; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description="Ask every way to an answer about graphs drawn to break it.")
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no case after so many seconds")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--case", type=int, help="run the case of this number and no other")
    parser.add_argument("--keep", type=Path, help="write the graphs of failed cases into this folder")
    asked = parser.parse_args()
    cases = (Case.drawn(number) for number in (count(asked.first) if asked.case is None else [asked.case]))
    counts: Counter[tuple[str, str]] = Counter()

    def report(trial: Trial) -> None:
        counts[trial.way, trial.fault or trial.answer] += 1
        if trial.fault is not None:
            print(trial, flush=True)

    with suppress(KeyboardInterrupt):
        trials(cases, asked.seconds if asked.case is None else None, asked.keep, report)
    print("".join(f"{column:>13}" for column in ("", *ANSWERS, *FAULTS)))
    for way in WAYS:
        print(f"{way:>13}" + "".join(f"{counts[way, column]:13,}" for column in (*ANSWERS, *FAULTS)))
    return int(any(counts[way, column] for way in WAYS for column in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
