"""A benchmark for solvers: a problem in every form of every formulation, and a table of what to expect of the files.

The table, ``answers.csv``, has a row for each file: the problem in words, the formulation and the form, the file's
size, the expected answer (tour, none, unknown) and how it was found, and the file's SHA-256. A folder may take several
problems, one after the other. Relaxations, which shorter cycles satisfy too, are left out: no answer to them is right.
"""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits
from cpsat_tour.engines.registry import backends_where, load
from cpsat_tour.engines.runner import formula, run, undecided
from cpsat_tour.formats.circuit_files import TsplibFormula
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.formats.files import read_lines, writing, writing_folder
from cpsat_tour.formats.formula import Formula, MappedFormula

TABLE = "answers.csv"
COLUMNS = ("file", "problem", "backend", "form", "variables", "constraints", "expected", "found by", "sha256")
SECONDS, MAX_TABLE = 60, 1 << 28
"""The time in which the expected answer is sought, and the largest table that is read."""


def write_benchmark(problem: Problem, folder: str, only: str | None = None, seed: int = 0) -> list[str]:
    """Write a problem in all forms, or in one ``only``, to the folder and its table; return the names of the files.
    `BadInput` if the problem is decided without a formula, no formula has the form, or a file can't be written."""
    made: dict[str, Formula] = {"tsplib": TsplibFormula(undecided(problem))}
    for name in backends_where(lambda kind: hasattr(kind, "formula")):
        with suppress(BadInput):
            made[name] = formula(problem, load(name, solving=False), name, seed)
    files = [
        (name, form)
        for name, stated in made.items()
        for form in stated.forms
        if only in (None, form)
        and not getattr(stated.map(form) if isinstance(stated, MappedFormula) else stated, "relaxed", 0)
    ]
    if not files:
        raise BadInput(f"no formula of this problem has the form {only!r}: leave --format out, or write cnf")
    answer, title = run(problem, load("auto"), Limits(seconds=SECONDS)), tour_sought(problem)
    found = f"tour by {answer.backend}, verified" if answer.tour is not None else f"nothing in {SECONDS} s"
    found = f"{answer.refutation.kind}: {answer.refutation.reason}" if answer.refutation else found
    table, slug = (
        Path(folder, TABLE),
        re.sub(r"[^\w.]+", "-", title)[:60] + f"-{sha256(title.encode()).hexdigest()[:6]}",
    )
    old = list(csv.reader(read_lines(str(table), MAX_TABLE)))[1:] if table.exists() else []
    with writing_folder(Path(folder), TABLE) as staged:
        rows = dict[str, list[str]]()
        for name, form in files:
            path = staged / f"{slug}.{name.replace(':', '-')}.{form}"
            with writing(path) as file:
                sizes = made[name].write(form, file)
            digest = sha256(path.read_bytes()).hexdigest()
            told = [title, name, form, str(sizes.variables), str(sizes.clauses), answer.status, found, digest]
            rows[path.name] = [path.name, *told]
        with (staged / TABLE).open("w", encoding="utf-8", newline="") as text:
            kept = [row for row in old if row and row[0] not in rows]
            csv.writer(text, lineterminator="\n").writerows([COLUMNS, *kept, *rows.values()])
    return list(rows)
