"""Every example of the README and of the documentation is run: console blocks through the command line, Python blocks
as doctests."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from examples import PAGES, ROOT, blocks, commands, named

from cpsat_tour.cli.main import status

CONSOLE = [
    pytest.param(block, id=f"{named(page)}: {block.splitlines()[0]}")
    for page in PAGES
    for block in blocks(page, "console")
]
PYTHON = [
    pytest.param(block, id=f"{named(page)}: {block.splitlines()[0]}")
    for page in PAGES
    for block in blocks(page, "python")
]


@pytest.mark.parametrize("block", CONSOLE)
def test_console_examples(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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
        assert checker.check_output(expected, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), (
            f"$ {command}\n{printed}"
        )


@pytest.mark.parametrize("block", PYTHON)
def test_python_examples(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(block, {}, "example", "example", 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_to_a_file_of_ours_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_readme_can_be_read_in_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110
