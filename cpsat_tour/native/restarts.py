"""How long the searches that begin anew go on each time: Luby's sequence (Luby, Sinclair & Zuckerman 1993)."""

from __future__ import annotations


def luby(attempt: int) -> int:
    """Return a term of Luby's sequence 1 1 2 1 1 2 4 …, counted from 1."""
    while attempt & (attempt + 1):
        attempt -= (1 << (attempt.bit_length() - 1)) - 1
    return (attempt + 1) // 2
