"""clingo (Gebser, Kaminski, Kaufmann & Schaub 2014) driven so that it can be stopped: by the clock, by work, by Ctrl-C.

clingo solves in a thread of its own and is asked now and then. Nothing stops it while it grounds a program, so a run
that ends meanwhile leaves the grounding behind, on a thread that ends by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import clingo

from cpsat_tour.core.errors import BadInput, NoAnswer, StoppedEarly, faults_of
from cpsat_tour.core.runs import HEARTBEAT, Run, run_detached

MAX_THREADS = 64
"""The most threads that clingo takes."""

MAX_CONFLICTS = 2**32 - 1
"""The largest limit on conflicts that clingo takes, which it takes as none: a day of work."""

faults_of_clingo = faults_of("clingo")


def answer_sets(program: str, configuration: str, run: Run) -> Iterator[list[clingo.Symbol]]:
    """Run clingo and yield the shown symbols of one answer set, or of each if the run asks for every tour;
    `StoppedEarly` when a limit of the run is met first.

    `BadInput` for more threads than clingo takes. Work: ``conflicts`` (the unit of its limit), ``choices``.
    """
    limits = run.limits
    arguments = [
        f"--models={0 if run.every else 1}",
        f"--configuration={configuration}",
        f"--seed={limits.seed}",
        "--warn=none",
        "--stats",
    ]
    if (threads := limits.threads or 1) > MAX_THREADS:
        raise BadInput(f"clingo can't use {threads} threads: give 1 to {MAX_THREADS}")
    if limits.work is not None:
        arguments.append(f"--solve-limit={min(limits.work, MAX_CONFLICTS)}")  # each thread would have it whole
    elif threads > 1:
        arguments.append(f"--parallel-mode={threads}")
    control = faults_of_clingo(clingo.Control)(arguments)
    run_detached(lambda: _ground(control, program), run.heartbeat)
    run.heartbeat()
    only: list[list[clingo.Symbol]] = []
    with faults_of_clingo(control.solve)(yield_=True, async_=True) as handle, ExitStack() as at_the_end:
        at_the_end.callback(handle.cancel)
        while (model := _next_model(handle, run)) is not None:
            symbols = list(model.symbols(shown=True))
            if run.every:
                yield symbols
            else:
                only.append(symbols)  # the counters are known only at the end
        exhausted = bool(handle.get().exhausted)
    solvers = control.statistics["solving"]["solvers"]
    run.work.update(conflicts=int(solvers["conflicts"]), choices=int(solvers["choices"]))
    yield from only
    if not (exhausted or only):
        if run.work_left("conflicts") == 0:
            raise StoppedEarly("work")
        raise NoAnswer("clingo ended before it had searched everything, and met no limit")


@faults_of_clingo
def _ground(control: clingo.Control, program: str) -> None:
    """Add a program to clingo, and ground it."""
    control.add(program)
    control.ground()


def _next_model(handle: clingo.SolveHandle, run: Run) -> clingo.Model | None:
    """Wait with heartbeats for the next answer set and return it; None if there are no more. `StoppedEarly` when the
    time is over."""
    with run.timed("solve"):
        faults_of_clingo(handle.resume)()
        while not faults_of_clingo(handle.wait)(HEARTBEAT):
            run.heartbeat()
    return faults_of_clingo(handle.model)()
