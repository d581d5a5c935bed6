"""The documentation: every public name, command and formulation has its page, all of it builds without a warning, and
every example is run: console blocks through the command line, Python blocks as doctests, the cells of notebooks."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from examples import DOCS, NOTEBOOKS, PAGES, ROOT, blocks, commands, named

import cpsat_tour
from cpsat_tour.backends import registry, runner
from cpsat_tour.backends.registry import BACKENDS, backends_where
from cpsat_tour.cli.main import COMMANDS, COMPARISONS, status
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.spaces import graph_of


def test_every_public_name_is_on_the_page_of_the_interface() -> None:
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    named_there = set(re.findall(r":: (\w+)$", page, re.MULTILINE))
    assert set(cpsat_tour.__all__) <= named_there


def test_every_command_has_a_page_with_its_help() -> None:
    """That the help is as printed, the console examples test."""
    names = [name for name in COMMANDS if name != "compare"] + [f"compare {name}" for name in COMPARISONS]
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "commands").glob("*.md"))
    assert [name for name in names if f"$ cpsat-tour {name} --help\n" not in pages] == []


def test_every_formulation_has_a_page() -> None:
    models = [name for name, row in BACKENDS.items() if ".models." in row.target]
    pages = {page.stem for page in (DOCS / "formulations").glob("*.md")}
    assert {name.replace(":", "-") for name in models} <= pages


@pytest.mark.parametrize("name", backends_where(lambda kind: hasattr(kind, "formula")))
def test_the_page_of_a_formulation_has_its_sizes(name: str) -> None:
    page = (DOCS / "formulations" / f"{name.replace(':', '-')}.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\d+x\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", page, re.MULTILINE)
    assert [board for board, *_ in table] == ["6x6", "8x8", "20x20", "50x50"]
    for board, *printed in table:
        sizes = runner.sizes(Problem(graph_of(board), closed=True), registry.load(name), name)
        assert printed == [f"{number:,}" for number in (sizes.variables, sizes.clauses, sizes.literals)], board


def test_every_backend_is_in_the_table_of_backends() -> None:
    rows = re.findall(r"^\| `([\w:]+)` \|", (DOCS / "backends.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(BACKENDS) - {"proof"} <= set(rows)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=named)
def test_the_cells_of_a_notebook_run(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    cells = blocks(notebook, "{code-cell} ipython3")
    assert cells
    names: dict[str, object] = {"__name__": "notebook"}
    for cell in cells:
        magic = re.match(r"%%writefile (\S+)\n", cell)
        if magic:
            (tmp_path / magic[1]).write_text(cell[magic.end() :])
        else:
            exec(compile(cell, named(notebook), "exec"), names)


@pytest.mark.parametrize("execution", ["off", pytest.param("force", marks=pytest.mark.slow)])
def test_the_documentation_builds_without_a_warning(execution: str, tmp_path: Path) -> None:
    """The cells of the notebooks run above; that they run in a kernel as well, and what they show, is seen at
    length."""
    for module in ("sphinx", "furo", "myst_nb"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install '.[docs]'")
    options = f"-W --keep-going -q -b html -d {tmp_path / 'trees'} -D nb_execution_mode={execution}".split()
    if execution == "off":  # which language the cells are in, a kernel says
        options += ["-D", "suppress_warnings=config.cache,myst-nb.lexer"]
    build = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(tmp_path / "html")]
    run = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    page = (tmp_path / "html" / "notebooks" / "solve-and-draw.html").read_text(encoding="utf-8")
    assert execution == "off" or "<svg" in page


# --- the examples of README and documentation ---

CONSOLE, PYTHON = (
    [
        pytest.param(block, id=f"{named(page)}: {block.splitlines()[0]}")
        for page in PAGES
        for block in blocks(page, kind)
    ]
    for kind in ("console", "python")
)


@pytest.mark.parametrize("block", CONSOLE)
def test_console_examples(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
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
