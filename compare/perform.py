"""Jobs to runs: one job in a process of its own, or many of one backend in one process; every answer is looked at again
on this side.

Before its first job a child solves two small problems that are not recorded, so that libraries and kernels which are
loaded or compiled when they are first used are not charged to the backend's ``seconds``; the process's ``wall`` time
has it all.

A child may lie: the tour it gives is verified here from the squares, and a condition that it says is violated is tested
here.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from cpsat_tour.backends import registry
from cpsat_tour.backends.formulation_run import simplified
from cpsat_tour.compare.boards import BoardQuestion, graph_of, problem_of
from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.process import Child, Reply, Usage
from cpsat_tour.compare.record import Job, RecordedRun, Status
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.conditions import known_of_tours
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.libraries import versions_of
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.core.tour import verify

WARM_UP = (BoardQuestion("3x4", "open"), BoardQuestion("3x4", "closed"))
"""The problems that a child solves first: one with a tour, one without."""

COMPILATION = 300.0
"""Seconds that a backend may take for it where Numba compiles it when it is first used."""


SOLVER_DISTRIBUTIONS = ("ortools", "python-sat", "numba", "clingo")
"""The distributions that timings depend on."""


def perform(job: Job) -> RecordedRun:
    """Make one run in a process of its own, with all that the process used."""
    with Child(job.backend, job.memory_limit) as child:
        _warm_up(child, job)
        reply = child.ask(job)
    return run_of(job, reply, child.usage)


def perform_all(jobs: Iterable[Job]) -> Iterator[RecordedRun]:
    """Make many runs of one backend in one process, which is replaced when a run ends it; what the process used is not
    told.

    The jobs are of one backend and one memory limit. Much faster than `perform` where runs are shorter than the start
    of a process.
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
                yield run_of(waiting.pop(0), reply, None)
                fresh = False
                if not child.usable:
                    break


def refusal(spec: str) -> str | None:
    """Why a backend can't be loaded, in a process of its own; None where it can."""
    with Child(spec, None) as child:
        return child.refusal


def _warm_up(child: Child, job: Job) -> None:
    name = split_spec(job.backend)[0].partition("@")[0]
    compiled = not name.startswith("py:") and name in registry.names() and "numba" in registry.row(name).needs
    seconds = COMPILATION if compiled else job.time_limit
    for question in WARM_UP:
        child.ask(replace(job, board=question.board, kind=question.kind, start=None, time_limit=seconds))


@dataclass(frozen=True)
class _Fault(Exception):
    """An answer of the child is not what it should be."""

    status: Status
    words: str


def run_of(job: Job, reply: Reply, usage: Usage | None) -> RecordedRun:
    """The record of a job from what the child said, after a second look at it."""
    told: dict[str, Any] = {"status": reply.ended, "fault": reply.fault}
    if reply.ended == "answer":
        try:
            told = _looked_at_again(job, reply.data)
        except _Fault as fault:
            told = {"status": fault.status, "fault": fault.words}
    with suppress(BadInput):
        told["vertices"] = graph_of(job.board).order
    if usage is None:
        told["wall"] = round(reply.seconds, 6)
    else:
        told |= {"wall": round(usage.wall, 6), "user": usage.user, "system": usage.system, "memory": usage.memory}
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return RecordedRun(**asdict(job), **told, when=when, machine=machine(), versions=versions())


def _looked_at_again(job: Job, data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a run that an answer gives; `_Fault` where it is wrong or of the wrong form."""
    status = data.get("status")
    if status in ("wrong", "crash", "memory", "refused"):
        return {"status": status, "fault": str(data.get("fault"))}
    problem = problem_of(job.question)
    told = {
        "status": status,
        "seconds": _of_type(float, data, "seconds"),
        "work": {
            str(name): int(count) for name, count in _of_type(dict, data, "work").items() if isinstance(count, int)
        },
    }
    if status == "tour":
        return told | {"tour": _verified(problem, data.get("tour"))}
    if status == "none":
        return told | _backed(problem, _of_type(dict, data, "refutation"))
    if status == "unknown":
        return told | {"stopped_by": str(data.get("stopped_by"))}
    raise _Fault("garbage", f"the answer's status is {status!r}")


def _of_type(kind: type, data: Mapping[str, Any], name: str) -> Any:
    value = data.get(name)
    if not isinstance(value, (int, float) if kind is float else kind) or (
        kind is float and not abs(data[name]) <= sys.float_info.max
    ):
        raise _Fault("garbage", f"the answer's {name} is {value!r:.80}")
    return value


def _verified(problem: Problem, visits: Any) -> str:
    """The digest of a tour that is given as squares or names, after it was verified."""
    try:
        vertices = [problem.graph.space.vertex_at(visit) for visit in visits]
        verify(problem, vertices)
    except (TourFault, BadInput) as fault:
        raise _Fault("wrong", f"the tour given is wrong: {fault}") from fault
    except (TypeError, ValueError, AttributeError) as fault:
        raise _Fault("wrong", f"the tour given is not a list of squares: {visits!s:.80}") from fault
    return hashlib.sha256(repr(vertices).encode()).hexdigest()[:16]


def _backed(problem: Problem, refutation: Mapping[str, Any]) -> dict[str, Any]:
    """How a ``none`` is known: a condition that is not found violated here is no more than a claim."""
    kind, reason = str(refutation.get("kind")), str(refutation.get("reason"))
    return {
        "refutation": "claimed" if kind == "condition" and not _is_condition_violated(problem) else kind,
        "reason": reason,
    }


def _is_condition_violated(problem: Problem) -> bool:
    """Whether a condition is found violated here: one of the problem as it is, or of what follows from it without a
    search."""
    if (known := known_of_tours(problem)) is not None:
        return known.status == "none"
    return to_cycle(problem).dead_end() is not None or simplified(undirected(problem), Limits()).why_none is not None


@lru_cache(maxsize=1)
def machine() -> dict[str, Any]:
    """The name of the host, its processor, how many logical processors we may use, its memory in bytes, and its
    system."""
    return {
        "host": platform.node(),
        "processor": _processor(),
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "system": f"{platform.system()} {platform.release()}",
    }


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The versions of Python, of this program and of the solvers that are installed."""
    return {"python": platform.python_version()} | versions_of(*SOLVER_DISTRIBUTIONS)


def _processor() -> str:
    """The processor's model as the system names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
