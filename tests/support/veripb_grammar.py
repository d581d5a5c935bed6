"""A parser of VeriPB's proof format 3.0, written from its published grammar, apart from the package's writer and
checker.

It says whether a text has the form of a proof and a formula, not whether the proof is right. A statement is matched as
a whole against the form of its rule. Of the rules it knows those that our proofs have, and refuses the others.

Published: the overview of the proof format and the grammar document that VeriPB 3 comes with.
"""

import re
from collections.abc import Iterator

NAME = r"[A-Za-z_][A-Za-z0-9_\[\]{}^-]+"
LITERAL = rf"~?{NAME}"
INTEGER = r"[+-]?[0-9]+"
LABEL = r"@[A-Za-z0-9_\[\]{}^-]+"
ID = rf"(?:[+-]?[1-9][0-9]*|{LABEL})"
SUM = rf"(?:{INTEGER} {LITERAL} )*"
OBJECTIVE = rf"(?:{INTEGER} {LITERAL} ?)*(?:{INTEGER})?"
WITNESS = rf"{NAME} (?:-> )?(?:0|1|{LITERAL})"
HINT = rf"(?: : {ID})?"

DERIVING = {
    "rup": rf"{SUM}(?:>=|<=) {INTEGER}(?: :(?: ~| {ID})*)?",
    "red": rf"{SUM}(?:>=|<=) {INTEGER}(?: :(?: {WITNESS})*)?",
    "solx": rf"{LITERAL}(?: {LITERAL})*",
    "soli": rf"{LITERAL}(?: {LITERAL})*(?: : {INTEGER})?",
}
"""The rules that derive a constraint, and so may have a label, besides ``pol``."""

OTHERS = {"del": rf"id(?: {ID})*", "f": r"[0-9]+"}

FOOTER = (
    "output NONE",
    rf"conclusion (?:UNSAT{HINT}|BOUNDS {INTEGER}{HINT} (?:{INTEGER}|INF)|ENUMERATION_COMPLETE [0-9]+{HINT})",
    "end pseudo-Boolean proof",
)


class NotInGrammar(Exception):
    """The first statement that has no form of the grammar."""


def check_proof(text: str) -> int:
    """The number of statements of the proof; `NotInGrammar` if one has none of the forms."""
    header, newline, rest = text.partition("\n")
    if header != "pseudo-Boolean proof version 3.0" or not newline:
        raise NotInGrammar(header)
    found = list(statements(rest, "%"))
    if len(found) < 3:
        raise NotInGrammar("there is no footer")
    for statement in found[:-3]:
        if not is_proof_line(statement):
            raise NotInGrammar(statement)
    for statement, form in zip(found[-3:], FOOTER, strict=True):
        if not re.fullmatch(form, statement):
            raise NotInGrammar(statement)
    return len(found)


def statements(text: str, comment: str) -> Iterator[str]:
    """The text before each semicolon, without comments, its words one space apart and colons apart from words."""
    *ended, rest = "\n".join(line.split(comment)[0] for line in text.split("\n")).split(";")
    if rest.strip():
        raise NotInGrammar(rest)
    for statement in ended:
        yield " ".join(statement.replace(":", " : ").split())


def is_proof_line(statement: str) -> bool:
    """True if a statement before the footer has the form of its rule."""
    label = re.match(rf"{LABEL} ", statement)
    keyword, _, rest = statement[label.end() if label else 0 :].partition(" ")
    if keyword == "pol":
        return leaves_one(rest)
    forms = DERIVING if label else DERIVING | OTHERS
    return keyword in forms and re.fullmatch(forms[keyword], rest) is not None


def leaves_one(operations: str) -> bool:
    """True if the operations of a ``pol`` line have enough to work on, and leave one constraint."""
    height = 0
    for token in re.sub(r"(?<!\S)[0-9]+ [*d](?!\S)", "s", operations).split():
        if token == "+":
            height -= 1
        elif re.fullmatch(f"{ID}|{LITERAL}", token):
            height += 1
        elif token != "s":
            return False
        if height < 1:
            return False
    return height == 1


def check_formula(text: str) -> int:
    """The number of constraints of the OPB file; `NotInGrammar` if a line has none of the forms."""
    lines = text.split("\n")
    head = re.fullmatch(r"\* #variable= ([0-9]+) #constraint= ([0-9]+)", lines[0])
    found = list(statements("\n".join(line for line in lines if not line.startswith("*")), "%"))
    rows = [statement for statement in found if not statement.startswith(("min :", "preserved :"))]
    for statement in found:
        row = rf"(?:{LABEL} )?{SUM}(?:>=|=) {INTEGER}"
        if not re.fullmatch(rf"{row}|min : {OBJECTIVE}|preserved :(?: {NAME})*", statement):
            raise NotInGrammar(statement)
    if head is None or int(head[2]) != len(rows):
        raise NotInGrammar(lines[0])
    return len(rows)
