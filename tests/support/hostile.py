"""Every way to an answer on graphs that were drawn to break it; ``make hostile`` runs this for an hour.

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Literal

from hostile_graphs import HostileGraph, draw_graph

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.processes import environment
from cpsat_tour.core.verify import verify
from cpsat_tour.formats.files import write
from cpsat_tour.proofs.check.folder import check

WAYS: Mapping[str, Sequence[str]] = {
    **{name: ("solve", "--backend", name) for name in ("auto", "sat", "sat:lazy", "dfs")},
    "prove": ("prove", "-o", "certificate"),
}
"""The ways to an answer, each with the beginning of its command."""

STATUSES: Mapping[str, Mapping[int | None, str]] = {
    "solve": {0: "tour", 20: "none", 3: "unknown"},
    "prove": {0: "none", 10: "tour", 3: "unknown"},
}

MAX_VERTICES = 5000

LIMITS = math.log(0.1), math.log(3.0)
"""Logarithms of the shortest and the longest time limit, in seconds: as many short ones as long ones."""

PATIENCE = 15.0
"""Seconds beyond its time after which a process that does not end is killed."""

ATTEMPTS = 3
"""Runs that must all overrun before that counts as a fault."""

ANSWERS = ("tour", "none", "unknown", "interrupted")
FAULTS = ("crash", "overrun", "wrong")
FaultKind = Literal["crash", "overrun", "wrong"]


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, its time limit and seed; ``interrupts`` has the seconds from the start to a Ctrl-C, for some
    ways."""

    number: int
    hostile: HostileGraph
    problem: Problem
    limit: float
    seed: int
    interrupts: Mapping[str, float]

    @classmethod
    def draw(cls, number: int, most: int = MAX_VERTICES) -> Case:
        """Return the case of this number, on a graph of about ``most`` vertices or fewer."""
        rng = random.Random(number)
        hostile = draw_graph(rng, most)
        problem = Problem(hostile.graph, rng.random() < 0.75)
        limit, seed = round(math.exp(rng.uniform(*LIMITS)), 2), rng.randrange(12)
        interrupts = {way: round(rng.uniform(0.0, limit), 2) for way in WAYS if rng.random() < 0.1}
        return cls(number, hostile, problem, limit, seed, interrupts)

    def command(self, way: str) -> list[str]:
        """Return the arguments of the program, which is run in a folder with the graph."""
        kind = ["--closed"] if self.problem.closed else []
        limits = ["--seed", str(self.seed), "--time-limit", f"{self.limit:g}"]
        return [*WAYS[way], "graph.edge", *kind, *limits, "--json"]

    def __str__(self) -> str:
        graph = self.hostile.graph
        size = f"{graph.order} vertices, {graph.size} edges"
        return f"case {self.number} ({self.hostile.family}, {size}, {self.problem.kind}, {self.limit:g} s)"


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit status, negative for a signal, or None where it had to be killed; what it wrote,
    and its seconds."""

    status: int | None
    out: bytes = b""
    err: bytes = b""
    seconds: float = 0.1


@dataclass(frozen=True)
class Trial:
    """The answer of one way on one case, and its fault, if any."""

    case: Case
    way: str
    answer: str
    fault: FaultKind | None = None
    why: str = ""

    def __str__(self) -> str:
        """Return the fault in words, and a command that runs the case again."""
        interrupted = f", Ctrl-C after {self.case.interrupts[self.way]:g} s" if self.way in self.case.interrupts else ""
        command = shlex.join(["cpsat-tour", *self.case.command(self.way)])
        return (
            f"{self.case}: {self.way}{interrupted}: {self.fault}: {self.why}; {command}; "
            f"again: python tests/support/hostile.py --case {self.case.number} --keep DIR"
        )


def try_cases(
    cases: Iterable[Case], seconds: float | None, keep: Path | None, on_trial: Callable[[Trial], None]
) -> None:
    """Try case after case until the time is over; the last one begun is finished. Graphs of failed cases go into the
    folder ``keep``."""
    start_up = {way: seconds_to_start(way) for way in WAYS}
    begun = time.monotonic()
    for case in cases:
        if seconds is not None and time.monotonic() - begun > seconds:
            break
        trials = try_case(case, start_up)
        for trial in trials:
            on_trial(trial)
        if keep is not None and any(trial.fault for trial in trials):
            write(keep / f"case-{case.number}.edge", dimacs(case.hostile.graph))


def try_case(case: Case, start_up: dict[str, float]) -> list[Trial]:
    """Try all ways on a case; ``start_up`` holds the seconds that each takes to start, and is brought up to date."""
    trials = []
    for way in WAYS:
        for _ in range(ATTEMPTS):
            trial = try_way(case, way, start_up[way])
            if trial.fault != "overrun":
                break
            start_up[way] = max(start_up[way], seconds_to_start(way))
        trials.append(trial)
    finder = next((trial.way for trial in trials if trial.answer == "tour" and trial.fault is None), None)
    contradicted = f"it says that there is none, and {finder} found a tour"
    return [
        replace(trial, fault="wrong", why=contradicted)
        if finder is not None and trial.answer == "none" and trial.fault is None
        else trial
        for trial in trials
    ]


def try_way(case: Case, way: str, start_up: float) -> Trial:
    """Run one way on a case and judge what it says."""
    interrupt = case.interrupts.get(way)
    allowed = start_up + 1 + (1.05 * case.limit if interrupt is None else interrupt)
    with tempfile.TemporaryDirectory(prefix="cpsat-tour-") as name:
        folder = Path(name)
        (folder / "graph.edge").write_text(dimacs(case.hostile.graph))
        moment = None if interrupt is None else start_up + interrupt
        return judge(case, way, run_program(case.command(way), folder, allowed + PATIENCE, moment), allowed, folder)


def judge(case: Case, way: str, ended: Ended, allowed: float, folder: Path) -> Trial:
    """Return the answer and the fault of a process that ended this way."""
    # A Ctrl-C that comes when the answer is out and Python is shutting down ends the process by the signal itself,
    # which shells call 130.
    interrupted = way in case.interrupts and ended.status in (130, -signal.SIGINT)
    answer = "interrupted" if interrupted else STATUSES[WAYS[way][0]].get(ended.status, "")
    times = f"{ended.seconds:.1f} s, allowed {allowed:.1f} s"
    if ended.status is None:
        return Trial(case, way, "", "overrun", f"killed after {times}")
    if not answer or b"Traceback" in ended.err:
        return Trial(case, way, "", "crash", last_words(ended))
    try:
        wrong = None if interrupted else what_is_wrong(case, way, answer, ended, folder)
    except (ValueError, KeyError, TypeError, BadInput) as fault:
        wrong = f"{type(fault).__name__}: {fault}"
    if wrong is not None:
        return Trial(case, way, answer, "wrong", wrong)
    if ended.seconds > allowed:
        return Trial(case, way, answer, "overrun", f"it took {times}")
    return Trial(case, way, answer)


def what_is_wrong(case: Case, way: str, answer: str, ended: Ended, folder: Path) -> str | None:
    """Return the fault of an answer in words, None if it is right; raise an exception if it can't be read."""
    known = case.hostile.has_tour(closed=case.problem.closed)
    if answer == "tour":
        verify(case.problem, [int(vertex) - 1 for vertex in json.loads(ended.out)["tour"]])
        return "it found a tour where there can be none" if known is False else None
    if answer == "none" and known:
        return "it says that there is none, and there is a tour"
    if answer == "none" and way == "prove" and (folder / "certificate").exists():
        verdict = check(folder / "certificate")
        return None if verdict.valid else f"the certificate does not check: {verdict.fault}"
    return None


def run_program(command: Sequence[str], folder: Path, patience: float, interrupt: float | None) -> Ended:
    """Run the program in the folder, in a process group of its own; kill it when patience ends."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "cpsat_tour", *command],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
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
        return Ended(None, seconds=time.perf_counter() - begun)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def seconds_to_start(way: str) -> float:
    """Return the seconds that the program takes for a graph of four vertices."""
    with tempfile.TemporaryDirectory(prefix="cpsat-tour-") as name:
        folder = Path(name)
        (folder / "graph.edge").write_text(dimacs(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])))
        return run_program([*WAYS[way], "graph.edge", "--closed", "--json"], folder, 60.0, None).seconds


def last_words(ended: Ended) -> str:
    """Return how a crashed process ended, with its traceback or its last line."""
    status = ended.status or 0
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
    lines = [line.strip() for line in ended.err.decode(errors="replace").strip().splitlines()]
    words = " | ".join(lines if b"Traceback" in ended.err else lines[-1:])
    return f"it ended with {how}: {words[:2000]}"


def dimacs(graph: Graph) -> str:
    """Return the graph as a DIMACS file; its vertices are named from 1."""
    tails, heads = graph.edges()
    lines = [f"e {tail + 1} {head + 1}" for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)]
    return "\n".join([f"p edge {graph.order} {graph.size}", *lines, ""])


def main() -> int:
    """Print each fault as it is seen, then how often each way gave each answer; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description="Ask every way to an answer about graphs drawn to break it.")
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no case after so many seconds")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--case", type=int, help="run the case of this number and no other")
    parser.add_argument("--keep", type=Path, help="write the graphs of failed cases into this folder")
    asked = parser.parse_args()
    cases = map(Case.draw, count(asked.first) if asked.case is None else [asked.case])
    counts: Counter[tuple[str, str]] = Counter()

    def report(trial: Trial) -> None:
        counts[trial.way, trial.fault or trial.answer] += 1
        if trial.fault is not None:
            print(trial, flush=True)

    with suppress(KeyboardInterrupt):
        try_cases(cases, asked.seconds if asked.case is None else None, asked.keep, report)
    print("".join(f"{column:>13}" for column in ("", *ANSWERS, *FAULTS)))
    for way in WAYS:
        print(f"{way:>13}" + "".join(f"{counts[way, column]:13,}" for column in (*ANSWERS, *FAULTS)))
    return int(any(counts[way, column] for way in WAYS for column in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
