"""The house: rooms that can be named from the listing, arrows between them that point down, and no circle."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FLOORS = [
    "cpsat_tour.core",
    "cpsat_tour.presolve",
    "cpsat_tour.drawing",
    "cpsat_tour.spaces",
    "cpsat_tour.formats",
    "cpsat_tour.tour",
    "cpsat_tour.native",
    "cpsat_tour.frontier",
    "cpsat_tour.proofs.check",
    "cpsat_tour.engines",
    "cpsat_tour.models.loop",
    "cpsat_tour.models.drivers",
    "cpsat_tour.models",
    "cpsat_tour.proofs.write",
    "cpsat_tour.compare",
    "cpsat_tour.api",
    "cpsat_tour.web",
    "cpsat_tour.cli",
]
"""The rooms from the ground floor up, and the two modules beside them: each imports from those before it."""

BESIDE_ROOMS = ("cpsat_tour.api", "cpsat_tour.tour")
"""The verbs, and what they give back."""

TABLES = {
    "cpsat_tour.engines.best",
    "cpsat_tour.engines.registry",
    "cpsat_tour.cli.main",
    "cpsat_tour.spaces.problem_data",
}
"""What knows modules by name, as strings in a table."""


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for folder in ("cpsat_tour", "models", "compare"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = list(path.relative_to(ROOT).with_suffix("").parts)
            parts = parts if folder == "cpsat_tour" else ["cpsat_tour", *parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text())


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports, wherever in the file and for types alone too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def room(module: str) -> str | None:
    """The room that a module is in; None for those of the entrance, which may import from all."""
    rooms = [floor for floor in FLOORS if f"{module}.".startswith(f"{floor}.")]
    return max(rooms, key=len) if rooms else None


def arrows() -> Iterator[tuple[str, str]]:
    """Each import of one module of the package by another, wherever it stands in the file."""
    for module, path in MODULES.items():
        for other in imported(path):
            if other in MODULES and other != module:
                yield module, other


def test_the_listing_names_rooms_and_nothing_else() -> None:
    assert {path.name for path in (ROOT / "cpsat_tour").glob("*.py")} == {
        "__init__.py",
        "__main__.py",
        "api.py",
        "tour.py",
    }
    rooms = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    assert rooms == {*FLOORS, "cpsat_tour", "cpsat_tour.proofs"} - {*BESIDE_ROOMS}


def test_every_room_says_what_it_is() -> None:
    for module, path in MODULES.items():
        assert ast.get_docstring(tree(path)) or module == "cpsat_tour.__main__", path


def test_imports_point_down() -> None:
    upward = [
        f"{module} imports {other}"
        for module, other in arrows()
        if (here := room(module)) and (there := room(other)) and FLOORS.index(there) > FLOORS.index(here)
    ]
    assert not upward


def test_no_module_is_imported_by_a_string_but_from_the_tables() -> None:
    loading = {
        module
        for module, path in MODULES.items()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module == "pkgutil"
    }
    assert loading == TABLES


def test_no_modules_import_each_other_in_a_circle() -> None:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for module, other in arrows():
        sorter.add(module, other)
    sorter.prepare()
