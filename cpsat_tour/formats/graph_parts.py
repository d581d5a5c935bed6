"""What the readers of graph files share: the limits, faults by line, and names of vertices."""

from __future__ import annotations

import re

MAX_BYTES, MAX_VERTICES = 1 << 27, 1 << 24
"""What is read of a graph file."""

MAX_NAME = 200

_NAME = re.compile(r"\w(?:[\w.:'+*/()\[\]-]*[\w'+*)\]])?")
_FRACTION = re.compile(r"\d+\.\d+")


class GraphFault(Exception):
    """What is wrong in a line of the file, by its number; 0 stands for the file as a whole."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line, self.sentence = line, sentence


def quoted(word: str) -> str:
    """Return a word from a file as it can stand in a message: short, and without what would upset a terminal."""
    return repr(word if len(word) <= 40 else word[:40] + "…")


def checked_name(name: str, line: int) -> str:
    """Return the name of a vertex, which begins with a letter, a digit or _ and ends with one of these or a closing
    mark such as ' or ); a number with a fraction is a coordinate or a weight, and not a name."""
    if _FRACTION.fullmatch(name):
        raise GraphFault(line, f"{quoted(name)} is a number with a fraction, and not the name of a vertex")
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        joined = "_".join(name.split())
        instead = (
            f"write {quoted(joined)}" if _NAME.fullmatch(joined) else "use letters, digits and . : ' + - * / ( ) [ ]"
        )
        raise GraphFault(line, f"{quoted(name)} is not the name of a vertex: {instead}")
    return name
