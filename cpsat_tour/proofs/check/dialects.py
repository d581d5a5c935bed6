"""The two dialects of VeriPB's proof format that the checker reads, 2.0 and 3.0, as one sequence of statements.

In 2.0 a line is a statement, a line that begins with ``*`` a comment; in 3.0 a statement ends with ``;``, may take
several lines and begin with a label such as ``@here``, and ``%`` opens a comment. The first line tells which it is. Of
the rules only those that `proof` names are known. Grammar: Gocht & Nordström, *Certifying parity reasoning efficiently
using pseudo-Boolean proofs*, 2021, and the overview of the format that VeriPB comes with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cpsat_tour.proofs.check.text import MAX_LINE, Lines, Wrong, ascii_text, shown

HEADER = "pseudo-Boolean proof version"
FOOTER = "end pseudo-Boolean proof"
VERSIONS = ("2.0", "3.0")


class Statement(NamedTuple):
    """``fields`` is what follows the keyword: a constraint and its hints or its witness, or one field alone."""

    keyword: str
    fields: list[str]
    label: str = ""

    def __str__(self) -> str:
        return " : ".join(
            [f"{self.keyword} {self.fields[0].strip()}".strip(), *(field.strip() for field in self.fields[1:])]
        )


def statements(lines: Lines) -> Iterator[Statement]:
    """The statements of a proof after its first line, which must name a dialect."""
    header = lines.first()
    version = header.removeprefix(HEADER).strip()
    if not header.startswith(HEADER) or version not in VERSIONS:
        raise Wrong(f"this must be ‘{HEADER} 3.0’, or 2.0, and is {shown(header)}")
    return _ended_by_semicolons(lines) if version == "3.0" else map(one_line, lines)


def one_line(line: str) -> Statement:
    """The statement of a line in 2.0: ``rup`` ends in a semicolon, and one parts the constraint of ``red`` from its
    witness."""
    keyword, _, rest = line.strip().partition(" ")
    fields = rest.split(":" if keyword == "conclusion" else ";")
    if keyword == "rup" and (len(fields) != 2 or fields.pop().strip()):
        raise Wrong("the constraint must end with ;")
    return Statement(keyword, fields)


def _ended_by_semicolons(lines: Lines) -> Iterator[Statement]:
    """The statements of 3.0, in which a colon parts the fields."""
    begun, length = [""], 0
    for line in lines.raw():
        *ends, rest = ascii_text(line.partition(b"%")[0]).split(";")
        for end in ends:
            words = " ".join([*begun, end]).strip()
            label = words.split(None, 1)[0] if words.startswith("@") else ""
            keyword, _, after = words.removeprefix(label).strip().partition(" ")
            yield Statement(keyword, after.split(":"), label)
            begun, length = [""], 0
        begun.append(rest)
        length += len(rest) + 1
        if length > MAX_LINE:
            raise Wrong(f"the statement is longer than {MAX_LINE} bytes")
    if any(part.strip() for part in begun):
        raise Wrong("the statement does not end with ;")
