"""Runs the lessons, each in a kernel of its own, and stores in them what their cells show: ``python docs/lessons.py``
after a change of one, or with the names of some. ``--students FOLDER`` writes copies for a class."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from pages import LESSONS, ROOT


def run(path: Path) -> None:
    """Run the cells of a notebook in an empty folder, and write it with their outputs."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        NotebookClient(notebook, resources=place, record_timing=False, coalesce_streams=True).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":  # the progress of a long run leaves an empty output
            cell.outputs = [shown for shown in cell.outputs if shown.get("data", {}).get("text/plain") != ""]
    notebook.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}  # the same everywhere
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


def write_for_students(path: Path, folder: Path) -> None:
    """Write a copy of a notebook without its solutions, which come last, and without outputs."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    titles = [cell.source.partition("\n")[0] for cell in notebook.cells] + ["## Solutions"]
    notebook.cells = notebook.cells[: titles.index("## Solutions")]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / path.name)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--students"]:
        for lesson in LESSONS:
            write_for_students(lesson, Path(sys.argv[2]))
        sys.exit()
    os.environ["PYTHONPATH"] = str(ROOT)
    for lesson in map(Path, sys.argv[1:] or LESSONS):
        run(lesson)
