"""The exit statuses of all commands."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the exit status of the program says."""

    ANSWER = 0
    """What was asked for is there: a tour, a list, a count, a proof; or a certificate is valid, or all backends
    agree."""
    FAULT = 1
    """``check``, ``decode``, ``compare``: what was given is invalid, or backends disagree or crash; elsewhere a backend
    broke its contract."""
    BAD_INPUT = 2
    LIMIT = 3
    """A limit was met first."""
    A_TOUR = 10
    """``prove``: there is a tour, so there is nothing to prove."""
    NONE = 20
    """There is no tour."""
    INTERRUPTED = 130
    TERMINATED = 143
    """As after Ctrl-C, by the signal SIGTERM."""

    @staticmethod
    def of(status: str) -> Exit:
        """The exit status of an answer's status."""
        return {"tour": Exit.ANSWER, "none": Exit.NONE, "unknown": Exit.LIMIT}[status]
