"""The examples of the README and of the documentation, and how they are run; the parts of pages that are written from
the code.

In a console block each line that begins with ``$ cpsat-tour`` is run in an empty folder, in order, and what it prints
on stdout must be what stands below it; ``...`` stands for anything. ``$ echo $?`` shows the exit status of the command
before it, and ``$ printf 'TEXT' > FILE`` writes a file. After an intended change of an option or of a formulation,
``python docs/pages.py`` writes the help of all commands, and the constraints of all formulations, into their pages.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections import Counter
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import click

from cpsat_tour.cli.main import COMMANDS, COMPARISONS, cli

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


HELP = re.compile(r"(<!-- the help of ([\w ]+) -->\n```text\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
"""A block of help in a page: what comes before it, the command or ``every command``, and the block."""

TARGETS = {name: target for name, (target, _) in COMMANDS.items() if name != "compare"} | {
    f"compare {name}": target for name, (target, _) in COMPARISONS.items()
}
"""Where each command is."""


@cache
def help_parts(name: str) -> tuple[str, list[tuple[str, list[tuple[str, str]]]]]:
    """The parts of a command's help: usage and description, and sections, each a title and rows."""
    command, formatter = resolve_name(TARGETS[name]), click.HelpFormatter(width=80)
    context = click.Context(command, info_name=f"cpsat-tour {name}", **cli.context_settings)
    command.format_usage(context, formatter)
    command.format_help_text(context, formatter)
    return formatter.getvalue(), command.sections(context)


@cache
def shared_rows() -> dict[tuple[str, str], str]:
    """The rows that three commands or more have in their help, word by word, each with the title of its section."""
    every = [(row, title) for name in TARGETS for title, rows in help_parts(name)[1] for row in rows]
    times = Counter(row for row, _ in every)
    return {row: title for row, title in every if times[row] > 2}


def shared_help() -> str:
    """The sections of shared rows, for the first page."""
    formatter = click.HelpFormatter(width=80)
    for title in dict.fromkeys(shared_rows().values()):
        with formatter.section(title):
            formatter.write_dl([row for row, section in shared_rows().items() if section == title])
    return formatter.getvalue()


def own_help(name: str) -> str:
    """The help of a command for its page: shared options by name alone, and no shared exit statuses, nor 0."""
    (head, sections), formatter = help_parts(name), click.HelpFormatter(width=80)
    formatter.write(head)
    for title, rows in sections:
        own = [row for row in rows if row not in shared_rows() and row[0] != "0"]
        names = [row[0].split()[0].rstrip(",") for row in rows if row in shared_rows() and row[0].startswith("-")]
        if title != "Messages" and own + names:
            with formatter.section(title):
                if own:
                    formatter.write_dl(own)
                if names:
                    formatter.write_text(", ".join(names))
    return formatter.getvalue()


def with_help(text: str) -> str:
    """The text of a page with the help of the commands as it is now."""
    return HELP.sub(lambda block: block[1] + (own_help(block[2]) if block[2] in TARGETS else shared_help()), text)


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
        page.write_text(with_constraints(with_help(page.read_text(encoding="utf-8"))), encoding="utf-8")
