"""Long calls into solvers, made on a second thread so that Ctrl-C, the clock and progress reach the thread that waits for them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Thread
from typing import TypeVar

HEARTBEAT = 0.1
"""Seconds between two looks of the waiting thread at the clock."""

Result = TypeVar("Result")


def awaited(future: Future[Result], heartbeat: Callable[[], None], stop: Callable[[], None]) -> Result:
    """The result of a call under way; meanwhile the heart beats, and what it raises, or Ctrl-C, stops the call first and is raised then."""
    try:
        return _beating(future, heartbeat)
    except BaseException:
        stop()
        wait([future])
        raise


def in_background(task: Callable[[], Result], heartbeat: Callable[[], None], stop: Callable[[], None]) -> Result:
    """The result of the task, computed on a thread of its own; see `awaited`."""
    with ThreadPoolExecutor(max_workers=1) as second_thread:
        return awaited(second_thread.submit(task), heartbeat, stop)


def unstoppable(task: Callable[[], Result], heartbeat: Callable[[], None]) -> Result:
    """The result of a task that nothing can stop: what the heartbeat raises, or Ctrl-C, leaves it behind on its thread, a daemon."""
    future: Future[Result] = Future()

    def compute() -> None:
        try:
            future.set_result(task())
        except BaseException as fault:
            future.set_exception(fault)

    Thread(target=compute, daemon=True).start()
    return _beating(future, heartbeat)


def _beating(future: Future[Result], heartbeat: Callable[[], None]) -> Result:
    while True:
        try:
            return future.result(timeout=HEARTBEAT)
        except TimeoutError:
            heartbeat()
