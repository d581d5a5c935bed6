"""Solve in a task of asyncio: the search works on a thread, and ends when its task is cancelled or its time is over."""

import asyncio
import threading

from cpsat_tour import Answer, solve


async def solve_aside(board: str) -> Answer:
    """Return the answer for a closed tour of the board; if the task is cancelled, the search ends too."""
    cancel = threading.Event()
    try:
        return await asyncio.to_thread(solve, board, closed=True, cancel=cancel)
    finally:
        cancel.set()


try:
    print(asyncio.run(asyncio.wait_for(solve_aside("xor9(200,1)"), timeout=0.5)))
except TimeoutError:
    print("cancelled")
# cancelled
