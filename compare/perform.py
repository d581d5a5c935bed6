"""Jobs to runs: one job in a process of its own, or many of one backend in one process; every answer is looked at again
on this side.

Before its first job a child solves two small problems that are not recorded, so that libraries which are loaded when
they are first used are not charged to the backend's ``seconds``; the process's ``wall`` time has it all.

A child may lie: the tour it gives is verified here from the squares, and a condition that it says is violated is tested
here.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import psutil

from cpsat_tour.backends.auto import largest_piece, plan_key
from cpsat_tour.backends.runner import answer_without_search
from cpsat_tour.compare.process import Child, Reply
from cpsat_tour.compare.record import BoardQuestion, Count, Job, Machine, RecordedRun, Seconds, problem_of, words_of
from cpsat_tour.core.errors import BadInput, TourFault, versions_of
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.verify import verify

WARM_UP = (BoardQuestion("3x4", "open"), BoardQuestion("3x4", "closed"))
"""The problems that a child solves first: one with a tour, one without."""

SOLVER_DISTRIBUTIONS = ("ortools", "python-sat", "clingo")
"""The distributions that timings depend on."""


def perform(job: Job) -> RecordedRun:
    """Return the record of one run, made in a process of its own, with all that the process used."""
    with Child(job.backend, job.memory_limit) as child:
        _warm_up(child, job)
        reply = child.ask(job)
    return run_of(job, reply, child.usage)


def perform_all(jobs: Iterable[Job]) -> Iterator[RecordedRun]:
    """Yield the records of jobs of one backend and one memory limit, run in one process, which is replaced when a run
    ends it.

    Much faster than `perform` where runs are shorter than the start of a process; what the process used is not
    recorded.
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
                yield run_of(waiting.pop(0), reply, {"wall": round(reply.seconds, 6)})
                fresh = False
                if child.failure is not None:
                    break


def refusal(spec: str) -> str | None:
    """Return why a backend can't be loaded, in a process of its own; None where it can."""
    with Child(spec, None) as child:
        return child.failure.fault if child.failure is not None and child.failure.ended == "refused" else None


def _warm_up(child: Child, job: Job) -> None:
    """Let a child solve small problems, so that what is loaded at first use is not charged to the job."""
    for question in WARM_UP:
        child.ask(replace(job, board=question.board, kind=question.kind, start=None))


class _Refutation(msgspec.Struct):
    """The kind and the words of a ``none`` that a child gave."""

    kind: str
    reason: str


class _Claimed(msgspec.Struct):
    """The answer of a child: its fields have the right types, and may be wrong otherwise."""

    status: Literal["tour", "none", "unknown", "wrong", "crash", "memory", "refused"]
    seconds: Seconds | None = None
    work: dict[str, Count] = {}
    tour: list[str | list[int]] | None = None
    refutation: _Refutation | None = None
    stopped_by: str | None = None
    fault: str | None = None


def run_of(job: Job, reply: Reply, usage: Mapping[str, Any]) -> RecordedRun:
    """Return the record of a job from what the child said, its answer verified here too."""
    fields: dict[str, Any] = {"status": reply.ended, "fault": reply.fault}
    if reply.ended == "answer":
        try:
            fields = _checked_fields(problem_of(job.question), msgspec.convert(reply.data, _Claimed))
        except msgspec.ValidationError as fault:
            fields = {"status": "garbage", "fault": f"the backend sent data that is not an answer: {words_of(fault)}"}
        except BadInput as fault:
            fields = {"status": "refused", "fault": str(fault)}
    with suppress(BadInput):
        graph = problem_of(job.question).graph
        fields |= {"vertices": graph.order, "edges": graph.size, "plan": plan_of(job.question, job.time_limit)}
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return RecordedRun(**asdict(job), **fields, **usage, when=when, machine=machine(), versions=versions())


@lru_cache(maxsize=16)
def plan_of(question: BoardQuestion, time_limit: float) -> str:
    """Return the kind of graph that `auto` takes the largest piece of a question's graph for, within such a limit;
    kept, since other backends and seeds are asked the same."""
    return plan_key(largest_piece(problem_of(question), Limits(time_limit)))


def _checked_fields(problem: Problem, answer: _Claimed) -> dict[str, Any]:
    """Return the fields of a run that an answer gives, its tour verified and as a digest; a condition that is not found
    violated here is recorded as a claim."""
    fields = {name: getattr(answer, name) for name in ("status", "seconds", "work", "stopped_by", "fault")}
    if answer.status == "tour":
        try:
            vertices = [problem.graph.space.vertex_from_data(visit) for visit in answer.tour or ()]
            verify(problem, vertices)
        except (TourFault, BadInput) as fault:
            return {"status": "wrong", "fault": f"the tour given is wrong: {fault}"}
        return fields | {"tour": hashlib.sha256(repr(vertices).encode()).hexdigest()[:16]}
    if answer.refutation is not None:
        kind = answer.refutation.kind
        if kind == "condition" and ((known := answer_without_search(problem)) is None or not known.none):
            kind = "claimed"
        return fields | {"refutation": kind, "reason": answer.refutation.reason}
    return fields


@lru_cache(maxsize=1)
def machine() -> Machine:
    """Return a description of this machine: host, processor, logical processors that we may use, bytes of memory,
    system."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "host": platform.node(),
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "processors": processors(),
        "memory": psutil.virtual_memory().total,
        "system": f"{platform.system()} {platform.release()}",
    }


def processors() -> int:
    """Return the number of logical processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Return the versions of Python, of this program and of the solvers that are installed."""
    return {"python": platform.python_version()} | versions_of(*SOLVER_DISTRIBUTIONS)
