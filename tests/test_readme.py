"""Every example of the README is run: console blocks through the command line, Python blocks as doctests.

In a console block each line that begins with ``$ cpsat-tour`` is run in an empty folder, in order, and what it prints on stdout must be what
stands below it; ``...`` stands for anything. ``$ echo $?`` shows the exit status of the command before it.
"""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from cpsat_tour.cli.main import status

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output printed below it; a backslash goes on in the next line."""
    parts = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    return [(head, rest) for head, _, rest in (part.partition("\n") for part in parts)]


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.splitlines()[0].removeprefix("$ cpsat-tour "))
def test_console_examples(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    checker, code = doctest.OutputChecker(), 0
    for command, expected in commands(block):
        if command == "echo $?":
            printed = f"{code}\n"
        else:
            program, *arguments = shlex.split(command, comments=True)
            assert program == "cpsat-tour", command
            code = status(arguments)
            printed = capsys.readouterr().out
        assert checker.check_output(expected, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), f"$ {command}\n{printed}"


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.splitlines()[0])
def test_python_examples(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_every_link_to_a_file_of_ours_leads_somewhere() -> None:
    root = Path(__file__).resolve().parent.parent
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (root / target).exists(), target
