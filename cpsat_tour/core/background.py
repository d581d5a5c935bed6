"""Long calls into solvers, made on a second thread so that Ctrl-C, the clock and progress reach the thread that waits
for them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import TypeVar

HEARTBEAT = 0.1
"""Seconds between two looks of the waiting thread at the clock."""

Result = TypeVar("Result")


def second_thread() -> ThreadPoolExecutor:
    """A thread for calls one after the other, which runs already: a Ctrl-C while it starts would leave one that nobody
    knows of."""
    executor = ThreadPoolExecutor(max_workers=1)
    _await_rest(executor)
    return executor


def awaited(
    thread: ThreadPoolExecutor, task: Callable[[], Result], heartbeat: Callable[[], None], stop: Callable[[], None]
) -> Result:
    """The result of the task on the `second_thread`; meanwhile the heart beats, and what it raises, or Ctrl-C, stops
    the task first.

    The Ctrl-C may come while the task is handed over, and the task be at work all the same: it is stopped then too.
    """
    try:
        return _beating(thread.submit(task), heartbeat)
    except BaseException:
        stop()
        _await_rest(thread)
        raise


def _await_rest(thread: ThreadPoolExecutor) -> None:
    """Come back when the thread has done all that it was given."""
    thread.submit(lambda: None).result()


def in_background(task: Callable[[], Result], heartbeat: Callable[[], None], stop: Callable[[], None]) -> Result:
    """The result of the task, computed on a thread of its own; see `awaited`."""
    with second_thread() as thread:
        return awaited(thread, task, heartbeat, stop)


def unstoppable(task: Callable[[], Result], heartbeat: Callable[[], None]) -> Result:
    """The result of a task that nothing can stop: what the heartbeat raises, or Ctrl-C, leaves it behind on its thread,
    a daemon."""
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
