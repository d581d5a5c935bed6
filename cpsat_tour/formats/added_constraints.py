"""Constraints added to a formula that is in a file, DIMACS CNF or OPB, with their number added in its header."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import readable, writing

_HEADER = re.compile(rb"(p cnf \d+ |\* #variable= \d+ #constraint= )(\d{1,18})(\s*)")


def append_constraints(path: str, lines: Sequence[str]) -> None:
    """Add the lines, a constraint each, to the file, which is replaced as a whole; `BadInput` where it has no header to mend."""
    mended = False
    with readable(path) as old, writing(path) as new:
        for line in old:
            header = None if mended else _HEADER.fullmatch(line)
            mended |= header is not None
            new.write(line if header is None else b"%s%d%s" % (header[1], int(header[2]) + len(lines), header[3]))
        if not mended:
            raise BadInput(f"{path} has no header with the number of its constraints: give a file written by cpsat-tour export")
        new.write("".join(f"{line}\n" for line in lines).encode())
