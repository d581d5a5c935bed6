"""The child process: it asks one backend and answers in JSON. ``python -m cpsat_tour.compare.child BACKEND MEMORY
PARENT``.

The first message it sends is ``"ready"``, or why the backend can't be loaded. Then each message that comes is a job,
and is answered by what came of it, until one is null. Nothing it says is believed: `cpsat_tour.compare.perform` looks
again.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import defaultdict
from typing import Any

from cpsat_tour.compare.record import Job, problem_of
from cpsat_tour.core.errors import BackendFault, BadInput, NoAnswer
from cpsat_tour.core.processes import connect_to_parent, die_with
from cpsat_tour.core.runs import Event, Limits, Spent
from cpsat_tour.engines import registry
from cpsat_tour.engines.registry import Backend, Formulation
from cpsat_tour.engines.runner import run
from cpsat_tour.tour import answer_data

ROOM = 512 << 20
"""The bytes that threads' stacks and libraries may map beyond what they use."""


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Return the name and the options of a backend written as ``cpsat linearization=0``. The arguments of a program, as
    in ``sat:crt@cadical plain=true --seed={seed}``, belong to the name."""
    words, dash, arguments = spec.partition(" -") if "@" in spec else (spec, "", "")
    name, *pairs = words.split() or [""]
    return name + dash + arguments, registry.parse_options(pairs)


def main(spec: str, memory: int, parent_id: int) -> None:
    """Load the backend and answer jobs until one is null; if the backend can't be loaded, send why and end."""
    die_with(parent_id)
    connection = connect_to_parent()

    if memory:
        _bound_memory(memory)
    try:
        name, options = split_spec(spec)
        backend = registry.load(name, options)
    except BadInput as fault:
        connection.send_bytes(json.dumps(str(fault)).encode())
        return
    connection.send_bytes(b'"ready"')
    while (job := json.loads(connection.recv_bytes())) is not None:
        connection.send_bytes(json.dumps(_reply_data(Job(**job), backend, name)).encode())


def _reply_data(job: Job, backend: Backend, name: str) -> dict[str, Any]:
    """Ask the backend and return its answer as plain data, or the status and the fault if it gave none."""
    spent = defaultdict[str, float](float)

    def listen(event: Event) -> None:
        if isinstance(event, Spent) and isinstance(backend, Formulation):  # some parts of a portfolio tell no steps
            spent[event.step] += event.seconds

    try:
        problem, limits = problem_of(job.question), Limits(job.time_limit, threads=job.threads, seed=job.seed)
        answer = run(problem, backend, limits, listen, name)
    except BadInput as fault:
        return {"status": "refused", "fault": str(fault)}
    except BackendFault as fault:
        return {"status": "crash" if isinstance(fault, NoAnswer) else "wrong", "fault": str(fault)}
    except MemoryError:
        return {"status": "memory", "fault": "the backend ran out of memory"}
    except Exception as fault:
        return {"status": "crash", "fault": f"{type(fault).__name__}: {fault}"}
    return answer_data(problem, answer) | {"spent": {step: round(seconds, 6) for step, seconds in spent.items()}}


def _bound_memory(memory: int) -> None:
    """Set a bound on this process's memory, well above the limit that the parent watches.

    It is for growth between two of the parent's looks. The bound is on writable private memory, since solvers and
    compilers reserve far more address space than they use.
    """
    bound = 2 * memory + ROOM
    resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
