"""Z3 (de Moura & Bjørner 2008) driven so that it can be stopped: by the clock, by work, by Ctrl-C.

Z3 solves on a second thread, where it can be interrupted. Nothing stops it while it reads a script, so a run that ends
meanwhile leaves the reading behind, on a thread that ends by itself. Differences are checked along shortest paths: by
the simplex method, which Z3 would choose, closed 12x12 took twenty times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import z3

from cpsat_tour.core.errors import NoAnswer, StoppedEarly, faults_of
from cpsat_tour.core.runs import NO_LIMIT, Progress, Run, run_detached, run_on_thread, second_thread
from cpsat_tour.core.space import Ints

faults_of_z3 = faults_of("Z3")


def arcs_of_models(script: str, run: Run, *, differences: bool) -> Iterator[Ints]:
    """Run Z3 and yield the true arcs of one model, or of each if the run asks for every tour, a row with tail and head
    for each arc; `StoppedEarly` when a limit of the run is met first.

    If ``differences``, the script's integers are in differences alone. Work: ``conflicts`` (the unit of its limit).
    """
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context)
    solver.set("random_seed", run.limits.seed)
    solver.set("ctrl_c", False)  # or Z3 takes Ctrl-C, which has to reach the thread that waits
    if differences:
        solver.set("smt.arith.solver", 1)  # shortest paths, which take nothing else
    run_detached(lambda: faults_of_z3(solver.from_string)(script), run.heartbeat)
    with second_thread() as thread:
        while True:
            left = run.work_left("conflicts")
            solver.set("max_conflicts", min(NO_LIMIT if left is None else left, 2**32 - 1))  # the most, taken as none
            try:
                with run.timed("solve"):
                    verdict = run_on_thread(thread, faults_of_z3(solver.check), run.heartbeat, context.interrupt)
            finally:
                run.work["conflicts"] = dict([*solver.statistics()]).get("conflicts", 0)
                run.tell(Progress(dict(run.work)))
            if verdict == z3.unsat:
                return
            if verdict == z3.unknown:
                if run.work_left("conflicts") == 0:
                    raise StoppedEarly("work")
                raise NoAnswer(f"Z3 ended without an answer: {solver.reason_unknown()}")
            arcs = re.findall(r"\(define-fun arc_(\d+)_(\d+) \(\) Bool\s+true\)", solver.model().sexpr())
            yield np.array(arcs, dtype=np.int32)
            if not run.every:
                return
            solver.add(z3.Not(z3.And([z3.Bool(f"arc_{tail}_{head}", context) for tail, head in arcs])))
