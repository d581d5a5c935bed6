"""A verb is cancelled from another thread, and tells its events to a function of the caller's."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

import cpsat_tour
from cpsat_tour import Answer, BadInput, StoppedEarly
from cpsat_tour.core.runs import Event, Progress
from cpsat_tour.engines.registry import missing_modules

HARD = "xor9(200,1)"  # a system of 200 equations of parities

BACKENDS = ("auto", "cpsat", "sat", "sat:lazy", "milp", "asp", "smt", "pb", "dfs", "edges", "proof", "frontier")

VERBS: dict[str, Callable[..., object]] = {
    "solve": lambda **to: cpsat_tour.solve(HARD, closed=True, **to),
    "solve with all parts": lambda **to: cpsat_tour.solve(HARD, closed=True, options={"parts": "cpsat, sat:crt"}, **to),
    "hamiltonian_cycle": lambda **to: cpsat_tour.hamiltonian_cycle(HARD, **to),
    "hamiltonian_path": lambda **to: cpsat_tour.hamiltonian_path(HARD, **to),
    "tours": lambda **to: list(cpsat_tour.tours("8x8", closed=True, **to)),
    "count": lambda **to: cpsat_tour.count("8x8", closed=True, **to),
    "count on one thread": lambda **to: cpsat_tour.count("8x8", closed=True, threads=1, **to),
    "count by listing": lambda **to: cpsat_tour.count("8x8", closed=True, backend="edges", **to),
    "estimate": lambda **to: cpsat_tour.estimate("20x20", samples=10**9, **to),
    "best": lambda **to: cpsat_tour.best("10x10", closed=True, minimize="turns", **to),
    "best by cpsat:lazy": lambda **to: cpsat_tour.best(
        "10x10", closed=True, minimize="turns", backend="cpsat:lazy", **to
    ),
    "fewest_paths": lambda **to: cpsat_tour.fewest_paths(HARD, closed=True, **to),
    "longest_path": lambda **to: cpsat_tour.longest_path(HARD, *cpsat_tour.graph_of(HARD).pairs()[0], **to),
    "longest_cycle": lambda **to: cpsat_tour.longest_cycle(HARD, **to),
    "puzzle": lambda **to: cpsat_tour.puzzle("12x12", closed=True, **to),
    "decompose": lambda **to: cpsat_tour.decompose("torus:13x13", **to),
    "filter_graphs": lambda **to: list(
        cpsat_tour.filter_graphs([cpsat_tour.graph_of(HARD)] * 2, closed=True, **to)
    ),
    "prove": lambda **to: cpsat_tour.prove(HARD, closed=True, **to),
    "prove a count": lambda **to: cpsat_tour.prove("6x6", closed=True, counted=True, **to),
    "compare_backends": lambda **to: cpsat_tour.compare_backends(["8x8"], ["sat", "edges"], closed=True, seeds=9, **to),
}  # fmt: skip
VERBS |= {
    f"solve by {name}": lambda name=name, **to: cpsat_tour.solve(
        "10x10" if name == "frontier" else HARD, closed=True, backend=name, **to
    )
    for name in BACKENDS
}

RAISING = ("hamiltonian", "tours", "count", "puzzle", "filter_graphs", "check")
"""The verbs that raise `StoppedEarly`; the others return what they know."""


def skip_without(verb: str) -> None:
    backend = verb.rpartition(" by ")[2]
    if backend in BACKENDS and (missing := missing_modules(backend)):
        pytest.skip(f"{', '.join(missing)} is not installed")
    if backend in ("milp", "pb"):  # the process of such a solver waits for the next problem
        cpsat_tour.solve("6x6", backend=backend)


def result_of(verb: str, **to: Any) -> Any:
    """Return what the verb returns, or the `StoppedEarly` that it raises."""
    try:
        return VERBS[verb](**to)
    except StoppedEarly as stopped:
        return stopped


@contextmanager
def everything_ends() -> Iterator[None]:
    """Wait until the threads and processes that were started meanwhile have ended: a test's time limit is the bound."""
    threads, processes = {*threading.enumerate()}, {*psutil.Process().children(recursive=True)}
    yield
    for thread in {*threading.enumerate()} - threads:
        thread.join()
    for process in {*psutil.Process().children(recursive=True)} - processes:
        process.wait()


@pytest.mark.parametrize("number", [1, 6])
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.timeout(60)
def test_a_verb_that_is_cancelled_from_another_thread_ends(verb: str, number: int) -> None:
    """Cancelled once it has told some events, the first in general while it states its formula."""
    skip_without(verb)
    begun, cancel, events = threading.Event(), threading.Event(), list[Event]()

    def progress(event: Event) -> None:
        events.append(event)
        if len(events) == number:
            begun.set()
            cancel.wait()

    def cancel_when_begun() -> None:
        begun.wait()
        cancel.set()

    with everything_ends():
        threading.Thread(target=cancel_when_begun).start()
        found = result_of(verb, cancel=cancel, progress=progress)
        begun.set()
    assert len(events) >= number
    if isinstance(found, StoppedEarly):
        assert verb.startswith(RAISING)
        assert "cancel" in found.limit
    elif hasattr(found, "stopped_by"):
        assert found.stopped_by == "cancel"
    elif hasattr(found, "answer"):
        assert found.answer.stopped_by == "cancel"
    elif verb == "estimate":
        assert 0 < found.samples < 10**9
    else:
        assert verb == "compare_backends"
        assert 0 < len(found.runs) < 18


def test_a_check_that_is_cancelled_raises(tmp_path: Path) -> None:
    certificate = cpsat_tour.prove("4x6", closed=True)
    assert isinstance(certificate, cpsat_tour.Certificate)
    certificate.write(tmp_path / "proof")
    (cancel := threading.Event()).set()
    with pytest.raises(StoppedEarly, match="cancel"):
        cpsat_tour.check(tmp_path / "proof", cancel=cancel)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_is_cancelled_before_it_begins_searches_nothing(verb: str) -> None:
    skip_without(verb)
    (cancel := threading.Event()).set()
    found = result_of(verb, cancel=cancel)
    assert "cancel" in str(getattr(found, "stopped_by", "cancel"))
    assert not getattr(found, "runs", ())


class Enough(Exception):
    """What a caller's function raises."""


@pytest.mark.parametrize("number", [1, 6])
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.timeout(60)
def test_an_exception_of_the_callers_function_ends_the_run_and_reaches_the_caller(verb: str, number: int) -> None:
    skip_without(verb)
    left = [number]

    def progress(_: Event) -> None:
        left[0] -= 1
        if left[0] <= 0:
            raise Enough

    with everything_ends(), pytest.raises(Enough):
        VERBS[verb](progress=progress)


def test_progress_tells_the_counters_as_short_text(capsys: pytest.CaptureFixture[str]) -> None:
    cpsat_tour.count("6x6", closed=True, backend="edges", progress=print)
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("Progress(work={") and len(line) <= 100 for line in lines)


def test_progress_with_a_share_of_the_whole() -> None:
    events: list[Event] = []
    cpsat_tour.estimate("8x8", samples=5000, progress=events.append)
    assert [event.done for event in events if isinstance(event, Progress)][-1] == 1


@pytest.mark.parametrize("given", [{"cancel": True}, {"progress": 3}])
def test_another_cancel_or_progress_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=rf"{next(iter(given))} can't be (True|3): give a "):
        cpsat_tour.solve("5x5", **given)


def test_an_event_that_is_not_set_changes_nothing() -> None:
    answer = cpsat_tour.solve("6x6", closed=True, cancel=threading.Event())
    assert isinstance(answer, Answer)
    assert answer
