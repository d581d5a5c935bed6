"""The examples of the README and of the documentation, and how they are run; the parts of pages that are written from
the code.

In a console block each line that begins with ``$ cpsat-tour`` is run in an empty folder, in order, and what it prints
on stdout must be what stands below it; ``...`` stands for anything. ``$ echo $?`` shows the exit status of the command
before it, and ``$ printf 'TEXT' > FILE`` writes a file. After an intended change of an option or of a formulation,
``python docs/pages.py`` writes the help of all commands, and the constraints of all formulations, into their pages.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LESSONS = sorted((DOCS / "lessons").glob("*.ipynb"))
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts),
    *sorted((ROOT / "lab").rglob("*.md")),
]


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return re.findall(
        rf"^```{re.escape(language)}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output printed below it; a backslash goes on in the next line."""
    parts = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    return [(head, rest) for head, _, rest in (part.partition("\n") for part in parts)]


def named(page: Path) -> str:
    """How tests name a page: ``docs/commands/solve.md``."""
    return page.relative_to(ROOT).as_posix()


def write_help(page: Path) -> None:
    """Write what each ``$ cpsat-tour COMMAND --help`` of a page prints below it."""

    def filled(block: re.Match[str]) -> str:
        call = [sys.executable, "-m", "cpsat_tour", *shlex.split(block[2])]
        printed = subprocess.run(call, env=os.environ | {"COLUMNS": "80"}, capture_output=True, text=True, check=True)
        return f"{block[1]}{printed.stdout}```"

    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"(```console\n\$ cpsat-tour (.* --help)\n)[^`]*```", filled, text), encoding="utf-8")


FORMULAS = re.compile(r"(<!-- the constraints of ([\w/]+\.py) -->\n```text\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
"""A block of constraints in a page: what comes before it, the module that states them, and the block."""


def constraints(module: str) -> str:
    """The constraints of a formulation: what is indented in the docstring of its module."""
    docstring = ast.get_docstring(ast.parse((ROOT / module).read_text(encoding="utf-8"))) or ""
    return "\n".join(map(textwrap.dedent, re.findall(r"(?:^    .*\n)+", docstring, re.MULTILINE)))


def with_constraints(text: str) -> str:
    """The text of a page with the constraints as the modules state them."""
    return FORMULAS.sub(lambda block: block[1] + constraints(block[2]), text)


if __name__ == "__main__":
    for page in PAGES:
        write_help(page)
        page.write_text(with_constraints(page.read_text(encoding="utf-8")), encoding="utf-8")
