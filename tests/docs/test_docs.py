"""The documentation: every public name, command and formulation has its page, all of it builds without a warning, and
every example is run: console blocks through the command line, Python blocks as doctests, the cells of lessons."""

import builtins
import doctest
import inspect
import re
import runpy
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import api_page
import pytest
from pages import (
    DOCS,
    FORMULAS,
    HELP,
    LESSONS,
    PAGES,
    ROOT,
    TARGETS,
    blocks,
    commands,
    constraints,
    help_parts,
    named,
    own_help,
    shared_help,
    with_constraints,
    with_help,
)

import cpsat_tour
from cpsat_tour.cli.main import status
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.engines import registry, runner
from cpsat_tour.engines.registry import BACKENDS, backends_where
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.spaces.families import FAMILIES


def test_the_reference_has_every_public_name_with_its_signature_and_its_docstring() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in api_page.PAGES}
    names = [name for page in pages.values() for _, name, _, _ in api_page.ENTRY.findall(page)]
    assert sorted(names) == sorted(cpsat_tour.__all__)
    for name, page in pages.items():
        assert page == api_page.written(page, name), "write it anew with python docs/api_page.py"


@pytest.mark.parametrize("name", sorted({*cpsat_tour.__all__} - {"Certificate", "Comparison", "Graph", "NotProved"}))
def test_a_docstring_lists_the_parameters_of_the_signature(name: str) -> None:
    thing = getattr(cpsat_tour, name)
    if isinstance(thing, type) and issubclass(thing, Exception):
        return
    stated, listed = dict(inspect.signature(thing).parameters), api_page.parameters(thing)
    if api_page.SHARED_LINE in (inspect.getdoc(thing) or ""):
        stated = {
            name: parameter for name, parameter in stated.items() if name in listed or name not in api_page.SHARED
        }
    assert set(listed) == set(stated)
    for parameter in stated.values():
        kind, text = str(parameter.annotation).removesuffix(" | None"), listed[parameter.name][0]
        assert kind not in ("bool", "int", "float", "str") or text.startswith(kind), parameter
        if parameter.default is parameter.empty:
            assert "default" not in text, parameter
        elif "default" in text or not isinstance(thing, type):
            assert text.endswith(("default none", f"default {parameter.default!r}")), parameter


FAMILIES_AND_FACTS = {*FAMILIES, "none", "edge", "arc", "vertex"}
OF_OTHERS = {"nonzero", "gnp_random_graph", "circulant_graph", "cycles"}


def test_functions_that_the_documentation_calls_can_be_imported() -> None:
    pages = (page.read_text(encoding="utf-8") for page in PAGES if page.parent in (DOCS, DOCS.parent))
    code = (span for text in pages for span in re.findall(r"`([^`\n]+)`", text))
    called = {name for span in code for name in re.findall(r"(?<![\w.])([A-Za-z_]\w*)\(", span)}
    assert called - FAMILIES_AND_FACTS - OF_OTHERS <= {*cpsat_tour.__all__, *dir(builtins)}
    assert {"solve", "run", "load"} <= called


def test_the_docstring_of_a_method_names_its_parameters() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in api_page.PAGES)
    for _, name, members, _ in api_page.ENTRY.findall(pages):
        for method in (getattr(getattr(cpsat_tour, name), member) for member in members.split()):
            words = re.findall(r"\w+", inspect.getdoc(method) or "")
            assert words, method
            assert {*inspect.signature(method).parameters} <= {*words, "self"} if callable(method) else True, method


def test_every_command_has_a_page_with_its_help() -> None:
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "commands").glob("*.md")]
    assert pages == [*map(with_help, pages)], "write them anew with python docs/pages.py"
    assert sorted(name for page in pages for _, name, _ in HELP.findall(page)) == sorted([*TARGETS, "every command"])


@pytest.mark.parametrize("name", TARGETS)
def test_the_page_of_a_command_and_the_first_one_explain_what_its_help_has(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status([*name.split(), "--help"]) == 0
    printed, told = ("".join(text.split()) for text in (capsys.readouterr().out, own_help(name) + shared_help()))
    rows = [(usage, "".join((usage + words).split())) for _, rows in help_parts(name)[1] for usage, words in rows]
    assert [row for usage, row in rows if row not in printed or (row not in told and usage != "0")] == []
    names = {usage.split()[0].rstrip(",") for usage, _ in rows if usage.startswith("-")} - {"-q", "-h"}
    assert names <= {*re.findall(r"(?<!\S)-[-\w]+", own_help(name))}


FORMULATIONS = [name for name, row in BACKENDS.items() if ".models." in row.target]


def test_every_formulation_has_a_page_that_the_first_one_names() -> None:
    pages = {f"{name.replace(':', '-')}.md" for name in FORMULATIONS}
    assert pages <= {page.name for page in (DOCS / "formulations").glob("*.md")}
    first = (DOCS / "formulations" / "index.md").read_text(encoding="utf-8")
    assert [page for page in sorted(pages) if f"({page})" not in first] == []


@pytest.mark.parametrize("page", sorted((DOCS / "formulations").glob("*.md")), ids=named)
def test_constraints_are_stated_once_in_the_docstring(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    modules = [module for _, module, _ in FORMULAS.findall(text)]
    assert text == with_constraints(text), "write it anew with python docs/pages.py"
    assert len(modules) == text.count("```text")
    for name in FORMULATIONS:
        if page.stem == name.replace(":", "-"):
            assert "$$" not in text
            module = BACKENDS[name].target.partition(":")[0].removeprefix("cpsat_tour.").replace(".", "/") + ".py"
            assert module in modules
            assert constraints(module), "the docstring has no indented block"


def test_backends_and_formulations_are_counted_rightly() -> None:
    ones = ["", "-one", "-two", "-three", "-four", "-five", "-six", "-seven", "-eight", "-nine"]
    words = re.findall(r"\w+", "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
    words += [ten + one for ten in ("twenty", "thirty", "forty") for one in ones]
    readme, index = ((folder / page).read_text() for folder, page in ((ROOT, "README.md"), (DOCS, "index.md")))
    assert f"with {words[len(FORMULATIONS) - 10]} formulations" in readme
    assert f"with {words[len(FORMULATIONS) - 10]} formulations" in index
    assert f"[{words[len(BACKENDS) - 10]}](docs/backends.md)" in readme


@pytest.mark.parametrize("first", [0, pytest.param(2, marks=pytest.mark.slow)], ids=["to 20x20", "50x50"])
@pytest.mark.parametrize("name", backends_where(lambda kind: hasattr(kind, "formula")))
def test_the_page_of_a_formulation_has_its_sizes(name: str, first: int) -> None:
    page = (DOCS / "formulations" / f"{name.replace(':', '-')}.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\d+x\d+) \| ([\d,]+|–) \| ([\d,]+|–) \|$", page, re.MULTILINE)
    assert [board for board, *_ in table] == ["8x8", "20x20", "50x50"]
    for board, *printed in table[first : first + 2]:
        problem, backend = Problem(graph_of(board), closed=True), registry.load(name)
        if printed == ["–"] * 2:
            with pytest.raises(BadInput, match="more than"):
                runner.sizes(problem, backend, name)
            continue
        sizes = runner.sizes(problem, backend, name)
        assert printed == [f"{number:,}" for number in (sizes.variables, sizes.clauses)], board


def test_the_page_of_one_board_has_every_formulation_with_its_sizes() -> None:
    page = (DOCS / "formulations" / "one-board.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| \[`([\w:]+)`\]\([\w-]+\.md\) \| [^|]+ \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|", page, re.M
    )
    assert sorted(name for name, *_ in rows) == sorted(FORMULATIONS)
    able = backends_where(lambda kind: hasattr(kind, "sizes"))
    for name, *printed in rows:
        if name in able:
            both = [
                runner.sizes(Problem(graph_of("5x5"), closed), registry.load(name), name) for closed in (False, True)
            ]
            assert printed == [f"{number:,}" for sizes in both for number in (sizes.variables, sizes.clauses)], name


def test_every_backend_is_in_the_table_of_backends() -> None:
    rows = re.findall(r"^\| `([\w:]+)` \|", (DOCS / "backends.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(BACKENDS) <= set(rows)


SECONDS = re.compile(r"\d[\d.,]*(?= m?s\b)")


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_a_lesson_shows_what_its_cells_print_now(
    lesson: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Seconds may differ, and in a cell with the tag ``timed`` all numbers."""
    nbformat, shells = pytest.importorskip("nbformat"), pytest.importorskip("IPython.core.interactiveshell")
    capture_output = pytest.importorskip("IPython.utils.capture").capture_output
    cells = [cell for cell in nbformat.read(lesson, as_version=4).cells if cell.cell_type == "code"]
    skip_without_modules_of("\n".join(cell.source for cell in cells))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the shell puts its own there
    request.addfinalizer(shells.InteractiveShell.clear_instance)
    shell = shells.InteractiveShell.instance()
    for cell in cells:
        with shell.display_trap, capture_output() as seen:
            shell.run_cell(cell.source).raise_error()
        now = [seen.stdout, *(shown.data["text/plain"] for shown in seen.outputs)]
        stored = [part.get("text") or part["data"]["text/plain"] for part in cell.outputs]
        numbers = re.compile(r"\d[\d.,]*") if "timed" in cell.metadata.get("tags", ()) else SECONDS
        assert [numbers.sub("?", text) for text in now if text] == [numbers.sub("?", text) for text in stored if text]


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
        elif command.startswith("printf "):
            _, text, _, name = shlex.split(command)
            printed = str(Path(name).write_text(text.replace("\\n", "\n")))[:0]
        else:
            program, *arguments = shlex.split(command, comments=True)
            assert program == "cpsat-tour", command
            code = status(arguments)
            printed = (capsys.readouterr().out.rstrip("\n") + "\n").lstrip("\n")
        assert checker.check_output(expected, printed, doctest.ELLIPSIS), f"$ {command}\n{printed}"


def skip_without_modules_of(code: str) -> None:
    for module in re.findall(r"^(?:>>> )?import (\w+)$", code, re.MULTILINE):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


@pytest.mark.parametrize("block", PYTHON)
def test_python_examples(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    skip_without_modules_of(block)
    test = doctest.DocTestParser().get_doctest(block, {}, "example", "example", 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("script", sorted((DOCS / "examples").glob("*.py")), ids=named)
def test_a_script_prints_what_its_last_line_says(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = script.read_text(encoding="utf-8")
    skip_without_modules_of(source)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert f"# {capsys.readouterr().out.splitlines()[-1]}" == source.splitlines()[-1]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_to_a_file_of_ours_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_readme_can_be_read_in_three_minutes() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    assert len(text.split()) <= 850


OURS = [ROOT / "CONTRIBUTING.md", *(page for page in PAGES if "lab" not in page.relative_to(ROOT).parts)]


@pytest.mark.parametrize("page", OURS, ids=named)
def test_a_page_has_at_most_fifteen_hundred_words(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").split()) <= 1500


def test_the_documentation_has_at_most_forty_five_thousand_words() -> None:
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in OURS) <= 45_000


@pytest.mark.parametrize(
    "page", [page for page in OURS if page.name not in ("README.md", "references.md", "glossary.md")], ids=named
)
def test_a_page_begins_with_an_example(page: Path) -> None:
    parts = [part for part in page.read_text(encoding="utf-8").split("\n\n") if not part.startswith("<!--")]
    assert any(re.match(r"```|!\[|\| ", part) for part in parts[1:3]), "no more than a sentence comes before it"
