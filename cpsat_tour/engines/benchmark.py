"""A benchmark for solvers: a problem in every form of every formulation, and a table of what to expect of the files.

The table, ``answers.csv``, has a row for each file: the problem in words, the formulation and the form, the file's
size, the expected answer (tour, none, unknown) and how it was found, and the file's SHA-256. Of a QUBO a comment says
which value a tour has. A folder may take several problems, one after the other. Relaxations, which shorter cycles
satisfy too, are left out: no answer to them is right.
"""

from __future__ import annotations

import csv
import json
import re
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits
from cpsat_tour.engines.registry import backends_where, load
from cpsat_tour.engines.runner import formula, run, undecided
from cpsat_tour.formats.circuit_files import TsplibFormula
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.formats.files import read_lines, write, writing_folder
from cpsat_tour.formats.formula import Formula, Sizes
from cpsat_tour.spaces.problem_data import problem_data

TABLE = "answers.csv"
COLUMNS = ("file", "problem", "backend", "form", "variables", "constraints", "expected", "found by", "sha256")
SECONDS, MAX_TABLE = 60, 1 << 28
"""The time in which the expected answer is sought, and the largest table that is read."""


def write_benchmark(
    problem: Problem, folder: str, only: str | None = None, seed: int = 0, *, force: bool = False
) -> tuple[list[str], list[str]]:
    """Write a problem in all forms, or in one ``only``, to the folder and its table; return the names of the files, and
    those of the formulations that can't state it. `BadInput` if the problem is decided without a formula, no formula
    has the form, a file can't be written, or is there and not replaced by ``force``."""
    cycle, title = undecided(problem), tour_sought(problem)
    digest = sha256(json.dumps([problem_data(problem), seed]).encode()).hexdigest()
    slug, table = f"{re.sub(r'[^A-Za-z0-9.]+', '-', title)[:60]}-{digest[:8]}", Path(folder, TABLE)
    if not force and (there := sorted(Path(folder).glob(f"{slug}.*.{only or '*'}"))):
        raise BadInput(f"can't write {there[0]}: there is a file of that name; give --force to replace it")
    old = list(csv.reader(read_lines(str(table), MAX_TABLE))) if table.exists() else [[*COLUMNS]]
    if old[:1] != [[*COLUMNS]]:
        raise BadInput(f"{table} is not a table of expected answers: choose another folder")
    written, lacking = dict[tuple[str, str], tuple[Sizes, BytesIO]](), list[str]()
    for name in ("tsplib", *backends_where(lambda kind: hasattr(kind, "formula"), solving=False)):
        try:
            made: Formula = (
                TsplibFormula(cycle) if name == "tsplib" else formula(problem, load(name, solving=False), name, seed)
            )
        except BadInput:
            lacking.append(name)
            continue
        forms = () if getattr(made, "relaxed", False) else made.forms if only is None else {only} & made.forms.keys()
        for form in forms:
            file = BytesIO()
            try:
                written[name, form] = made.write(form, file), file
            except BadInput:
                lacking.append(f"{name} as {form}")
    if not written:
        raise BadInput(f"no formula of this problem has the form {only!r}: leave --format out, or write cnf")
    answer = run(problem, load("auto"), Limits(seconds=SECONDS))
    found = f"tour by {answer.backend}, verified" if answer.tour is not None else f"nothing in {SECONDS} s"
    found = f"{answer.refutation.kind}: {answer.refutation.reason}" if answer.refutation else found
    with writing_folder(Path(folder), TABLE) as staged:
        rows = dict[str, list[str]]()
        for (name, form), (sizes, file) in written.items():
            file_name = f"{slug}.{name.replace(':', '-')}.{form}"
            content = file.getvalue()
            write(staged / file_name, content)
            numbers = (str(sizes.variables), str(sizes.clauses))
            rows[file_name] = [
                file_name,
                title,
                name,
                form,
                *numbers,
                answer.status,
                found,
                sha256(content).hexdigest(),
            ]
        text = StringIO()
        kept = [row for row in old if row and row[0] not in rows]
        csv.writer(text, lineterminator="\n").writerows([*kept, *rows.values()])
        write(staged / TABLE, text.getvalue())
    return list(rows), lacking
