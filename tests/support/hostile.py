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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from hostile_graphs import draw_graph

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.processes import environment
from cpsat_tour.core.verify import verify
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


class Case:
    """A problem, its time limit and seed; ``interrupts`` has the seconds from the start to a Ctrl-C, for some ways."""

    def __init__(self, number: int, most: int = MAX_VERTICES) -> None:
        rng = random.Random(number)
        self.number, self.hostile = number, draw_graph(rng, most)
        self.problem = Problem(self.hostile.graph, rng.random() < 0.75)
        self.limit, self.seed = round(math.exp(rng.uniform(*LIMITS)), 2), rng.randrange(12)
        self.interrupts = {way: round(rng.uniform(0.0, self.limit), 2) for way in WAYS if rng.random() < 0.1}

    def command(self, way: str) -> list[str]:
        """Return the arguments of the program, which is run in a folder with the graph."""
        kind = ["--closed"] if self.problem.closed else []
        limits = ["--seed", str(self.seed), "--time-limit", f"{self.limit:g}"]
        return [*WAYS[way], "graph.edge", *kind, *limits, "--json"]

    def run(self, way: str, start_up: float) -> tuple[str, str]:
        """Run one way; return its answer and its fault, which begins with the kind, or is empty."""
        interrupt = self.interrupts.get(way)
        allowed = start_up + 1 + (1.05 * self.limit if interrupt is None else interrupt)
        with tempfile.TemporaryDirectory(prefix="cpsat-tour-") as folder:
            Path(folder, "graph.edge").write_text(dimacs(self.hostile.graph))
            moment = None if interrupt is None else start_up + interrupt
            ended, seconds = run_program(self.command(way), Path(folder), allowed + PATIENCE, moment)
            return self.judge(way, ended, seconds, allowed, Path(folder))

    def judge(
        self, way: str, ended: subprocess.CompletedProcess[bytes] | None, seconds: float, allowed: float, folder: Path
    ) -> tuple[str, str]:
        """Return the answer of a process that ended so, None if it was killed, and its fault."""
        if ended is None:
            return "", f"overrun: killed after {seconds:.1f} s"
        # A Ctrl-C that comes when the answer is out and Python is shutting down ends the process by the signal itself.
        interrupted = way in self.interrupts and ended.returncode in (130, -signal.SIGINT)
        answer = "interrupted" if interrupted else STATUSES[WAYS[way][0]].get(ended.returncode, "")
        if not answer or b"Traceback" in ended.stderr:
            return "", f"crash: status {ended.returncode}, {ended.stderr.decode(errors='replace')[-2000:]}"
        try:
            wrong = "" if interrupted else self.what_is_wrong(way, answer, ended.stdout, folder)
        except (ValueError, KeyError, TypeError) as fault:  # BadInput and TourFault are among them
            wrong = f"{type(fault).__name__}: {fault}"
        if wrong:
            return answer, f"wrong: {wrong}"
        return answer, f"overrun: {seconds:.1f} s, allowed {allowed:.1f} s" if seconds > allowed else ""

    def what_is_wrong(self, way: str, answer: str, out: bytes, folder: Path) -> str:
        """Return what is wrong with an answer, nothing if it is right; raise an error if it can't be read."""
        known = self.hostile.has_tour(closed=self.problem.closed)
        if answer == "tour":
            verify(self.problem, [int(vertex) - 1 for vertex in json.loads(out)["tour"]])
            return "it found a tour where there can be none" if known is False else ""
        if answer == "none" and known:
            return "it says that there is none, and there is a tour"
        if answer == "none" and way == "prove" and (folder / "certificate").exists():
            verdict = check(folder / "certificate")
            return "" if verdict.valid else f"the certificate does not check: {verdict.fault}"
        return ""

    def faults(self, start_up: dict[str, float], ends: Counter[tuple[str, str]]) -> list[str]:
        """Try all ways; return their faults, each with a command that runs the case again, and count how each ends.

        ``start_up`` has the seconds that each way takes to start, and is brought up to date.
        """
        tried: dict[str, tuple[str, str]] = {}
        for way in WAYS:
            for _ in range(3):
                tried[way] = self.run(way, start_up[way])
                if not tried[way][1].startswith("overrun"):
                    break
                start_up[way] = max(start_up[way], seconds_to_start(way))
        found = [way for way, end in tried.items() if end == ("tour", "")]
        for way, end in tried.items():
            if found and end == ("none", ""):
                tried[way] = ("none", f"wrong: it says that there is none, and {found[0]} found a tour")
            ends[way, tried[way][1].partition(":")[0] or tried[way][0]] += 1
        graph = self.hostile.graph
        what = f"case {self.number} ({self.hostile.family}, {graph.order} vertices, {graph.size} edges)"
        return [
            f"{what}, Ctrl-C {self.interrupts.get(way)}: {fault}; {shlex.join(['cpsat-tour', *self.command(way)])}"
            for way, (_, fault) in tried.items()
            if fault
        ]


def run_program(
    command: Sequence[str], folder: Path, patience: float, interrupt: float | None
) -> tuple[subprocess.CompletedProcess[bytes] | None, float]:
    """Run the program in the folder, in a process group of its own; return how it ended, None if it was killed when
    patience ended, and its seconds."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "cpsat_tour", *command],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    ended = None
    with suppress(subprocess.TimeoutExpired):
        if interrupt is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(interrupt)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=patience)
        ended = subprocess.CompletedProcess(command, process.returncode, out, err)
    seconds = time.perf_counter() - begun
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return ended, seconds


def seconds_to_start(way: str) -> float:
    """Return the seconds that the program takes for a graph of four vertices."""
    with tempfile.TemporaryDirectory(prefix="cpsat-tour-") as folder:
        Path(folder, "graph.edge").write_text(dimacs(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])))
        return run_program([*WAYS[way], "graph.edge", "--closed", "--json"], Path(folder), 60.0, None)[1]


def dimacs(graph: Graph) -> str:
    """Return the graph as a DIMACS file; its vertices are named from 1."""
    tails, heads = graph.edges()
    lines = [f"e {tail + 1} {head + 1}" for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)]
    return "\n".join([f"p edge {graph.order} {graph.size}", *lines, ""])


def main() -> int:
    """Print each fault as it is seen, then how often each way ended how; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description="Ask every way to an answer about graphs drawn to break it.")
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no case after so many seconds")
    parser.add_argument("--case", type=int, help="run the case of this number and no other")
    parser.add_argument("--keep", type=Path, help="write the graphs of failed cases into this folder")
    asked = parser.parse_args()
    ends: Counter[tuple[str, str]] = Counter()
    start_up, begun = {way: seconds_to_start(way) for way in WAYS}, time.monotonic()
    with suppress(KeyboardInterrupt):
        for case in map(Case, count() if asked.case is None else [asked.case]):
            if time.monotonic() - begun > asked.seconds:
                break
            faults = case.faults(start_up, ends)
            print("".join(f"{fault}\n" for fault in faults), end="", flush=True)
            if faults and asked.keep:
                (asked.keep / f"case-{case.number}.edge").write_text(dimacs(case.hostile.graph))
    print("\n".join(f"{way} {how}: {times:,}" for (way, how), times in sorted(ends.items())))
    return int(any(how in ("crash", "overrun", "wrong") for _, how in ends))


if __name__ == "__main__":
    sys.exit(main())
