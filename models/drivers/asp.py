"""clingo, driven so that it can be stopped: by the clock, by work, by Ctrl-C. It solves in a thread of its own and is
asked now and then.

Nothing stops clingo while it grounds a program, so a run that ends meanwhile leaves the grounding behind, on a thread
that ends by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import clingo

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.run import Run, unstoppable

TICK = 0.1
"""Seconds between two chances for Ctrl-C, the clock and progress."""


def answer_sets(program: str, configuration: str, run: Run) -> Iterator[list[clingo.Symbol]]:
    """The shown symbols of each answer set, of one or of all as the run asks; `StoppedEarly` when a limit of the run is
    met first.

    Work: ``conflicts`` (the unit of its limit), ``choices``.
    """
    limits = run.limits
    arguments = [
        f"--models={0 if run.every else 1}",
        f"--configuration={configuration}",
        f"--seed={limits.seed}",
        "--warn=none",
        "--stats",
    ]
    if limits.work is not None:
        arguments.append(f"--solve-limit={limits.work}")
    if limits.threads is not None and limits.threads > 1:
        arguments.append(f"--parallel-mode={limits.threads}")
    control = clingo.Control(arguments)
    unstoppable(lambda: _ground(control, program), run.heartbeat)
    run.heartbeat()
    only: list[list[clingo.Symbol]] = []
    with _solving(control) as handle:
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
    if not exhausted:
        raise StoppedEarly("work")


def _ground(control: clingo.Control, program: str) -> None:
    control.add(program)
    control.ground()


def _next_model(handle: clingo.SolveHandle, run: Run) -> clingo.Model | None:
    handle.resume()
    while not handle.wait(TICK):
        run.heartbeat()
    return handle.model()


@contextmanager
def _solving(control: clingo.Control) -> Iterator[clingo.SolveHandle]:
    """The solver at work, which is told to stop at the end, whatever ends it."""
    with control.solve(yield_=True, async_=True) as handle:
        try:
            yield handle
        finally:
            handle.cancel()
