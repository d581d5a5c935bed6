"""Studies: which runs are made, as a TOML file says or as the command line does.

    backends = ["dfs", "cpsat linearization=0"]   # or "all": what is installed
    boards = ["6..20:2", "3x10..20", "graphs/*.hcp"]
    kinds = ["closed"]                             # open, closed, 'closed rot90'; by default both
    seeds = 3                                      # how many, or a list of them
    time_limit = 10                                # seconds a run
    memory_limit = 2000                            # megabytes a run; by default none
    threads = 1
    leaper = "1,4"                                 # how the boards' leaper moves; by default a knight

A study may have parts, each a table ``[[group]]`` with a ``name`` and the same keys; what stands above the groups holds
for all of them.

A pattern of boards is a space as people write it, such as ``8x8``, ``4x4x3`` or ``GP(17,2)``, in which any number may
be a range: ``6..20``, ``6..20:2`` by steps of 2, ``1..8x1..8``, ``GP(5..50:5,2)``. A range without a second side means
square boards. Anything else is the path of a graph file, of a list of graphs (``cubic.g6``; ``cubic.g6:17`` is its
17th), a glob pattern, or a folder: it stands for all files in it, also in its subfolders, that have the suffix of a
graph file. All of them have to be readable, or nothing is run.
"""

from __future__ import annotations

import glob
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field

from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.perform import refusal
from cpsat_tour.compare.record import (
    LISTED,
    BoardQuestion,
    Job,
    Positive,
    TimeLimit,
    fault_sentence,
    graph_of,
    graphs_in,
    is_kind,
    label,
)
from cpsat_tour.core.errors import BadInput
from cpsat_tour.engines import registry
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.files import read_text
from cpsat_tour.spaces.problem_data import is_space, parse_space

STUDIES = Path(__file__).parent / "studies"
"""The folder of the studies that come with the program."""

MAX_JOBS = 1_000_000

MAX_STUDY = 1 << 20
"""The most bytes that are read of a study."""

MAX_BOARDS = 100_000
"""The most boards in one pattern; more are a slip of the pen."""

_RANGE = re.compile(r"([0-9]{1,6})\.\.([0-9]{1,6})(?::([0-9]{1,6}))?")

Texts = Annotated[list[str], Meta(min_length=1)]


class Group(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of a study: every backend is asked every question with every seed, under the same limits.

    See the module for the keys.
    """

    name: str
    boards: Texts
    backends: Texts | Literal["all"] = "all"
    kinds: list[str] = field(default_factory=lambda: ["open", "closed"])
    leaper: str | None = None
    seeds: Annotated[int, Meta(ge=1, le=MAX_JOBS)] | list[Annotated[int, Meta(ge=0, le=2**31 - 1)]] = 1
    time_limit: TimeLimit = 10.0
    memory_limit: Positive | None = None
    threads: Positive = 1

    def questions(self) -> list[BoardQuestion]:
        """Return a question for every board and kind of tour; `BadInput` for an unknown kind."""
        for kind in self.kinds:
            if not is_kind(kind):
                words = "write open, closed, or one of them and a symmetry, such as 'closed rot90'"
                raise BadInput(f"{kind!r:.80} is not a kind of tour: {words}")
        return [BoardQuestion(board, kind) for board in self.boards for kind in self.kinds]

    def memory_bytes(self) -> int | None:
        """Return the limit on memory in bytes, None without one."""
        return None if self.memory_limit is None else self.memory_limit * 1_000_000


@dataclass(frozen=True)
class Study:
    """A named collection of groups."""

    name: str
    groups: list[Group]

    def jobs(self, jobs: int, executor: str) -> list[Job]:
        """Return the jobs of all runs, seed by seed, from small boards to large ones.

        In this order a study that is broken off is of use.
        """
        found: list[Job] = []
        for group in self.groups:
            seeds, asked = range(group.seeds) if isinstance(group.seeds, int) else group.seeds, group.questions()
            if (number := len(found) + len(group.backends) * len(asked) * len(seeds)) > MAX_JOBS:
                raise BadInput(f"the study {self.name} has {number:,} runs or more: at most {MAX_JOBS:,} are allowed")
            found += [
                Job(
                    backend,
                    *question,
                    seed,
                    group.threads,
                    group.time_limit,
                    group.memory_bytes(),
                    self.name,
                    group.name,
                    jobs,
                    executor,
                )
                for seed in seeds
                for question in asked
                for backend in group.backends
            ]
        return sorted(found, key=lambda job: (job.seed, _vertices(job.board)))


@cache
def _vertices(board: str) -> int:
    """Return the number of vertices of a board or graph."""
    space = parse_space(board)
    return graph_of(board).order if space is None else len(space)


def expand_patterns(patterns: Iterable[str], folder: Path | None = None) -> list[str]:
    """Return the boards, graphs and graph files that the patterns stand for, each once, in order; `BadInput` if a
    pattern names nothing, or too much.

    Paths are read from the folder, by default the current one.
    """
    return list(dict.fromkeys(chain.from_iterable(_spaces(pattern) or _files(pattern, folder) for pattern in patterns)))


def _spaces(pattern: str) -> list[str]:
    """Return the spaces that a pattern stands for, an empty list if it is not a pattern of spaces.

    `BadInput` if there are none, or too many.
    """
    if not is_space(_RANGE.sub("1", pattern)):
        return []
    ranges = [_range(pattern, *match.groups()) for match in _RANGE.finditer(pattern)]
    if (number := prod(map(len, ranges))) > MAX_BOARDS:
        raise BadInput(f"{pattern!r} means {number:,} boards: at most {MAX_BOARDS:,} are allowed")
    blank = _RANGE.sub("{}", pattern)
    return [str(parse_space(blank.format(*numbers))) for numbers in product(*ranges)]


def _range(pattern: str, low: str, high: str, step: str | None) -> range:
    """Return the numbers from ``low`` to ``high`` by ``step``; `BadInput` if there are none."""
    numbers = range(int(low), int(high) + 1, int(step or 1) or 1)
    if not numbers or step == "0":
        raise BadInput(f"{pattern!r} gives no boards: write a range such as 6..20 or 6..20:2, the lesser number first")
    return numbers


def _files(pattern: str, folder: Path | None) -> list[str]:
    """Return the graphs in the files that a path, a folder or a glob pattern names; `BadInput` if one is not there, or
    a file of a folder can't be read."""
    path = str((folder or Path()) / pattern)
    found = sorted(glob.glob(path)) if glob.has_magic(path) else [path]
    if whole := pattern != "" and Path(path).is_dir():
        from cpsat_tour.formats.graph_files import FORMS  # its readers take longer to load than many a solve

        suffixes = {suffix for form in FORMS for suffix in form.suffixes}
        found = sorted(str(file) for file in Path(path).rglob("[!.]*") if file.suffix.lower() in suffixes)
    if not found or not all(Path(file).is_file() or LISTED.fullmatch(file) for file in found):
        raise BadInput(
            f"{path!r} has no graph file: these have the suffixes {', '.join(sorted(suffixes))}"
            if whole
            else f"{pattern!r} is neither a board nor a file: write 8x8, a range such as 6..20:2 or 4x5..30, or "
            "the path of a graph file or of a folder of them"
        )
    graphs, faults = [graph for file in found for graph in graphs_in(file)], []
    for graph in graphs if whole else ():
        try:
            _vertices(graph)
        except BadInput as fault:
            faults.append(f"{graph} ({fault})")
    if faults:
        remedy = f"move them away, or name the others by a pattern such as '{pattern}/*{Path(found[0]).suffix}'"
        raise BadInput(f"{len(faults)} of {plural(len(graphs), 'graph')} can't be read: {'; '.join(faults)}; {remedy}")
    return graphs


def shipped_studies() -> list[str]:
    """Return the names of the studies that come with the program."""
    return sorted(path.stem for path in STUDIES.glob("*.toml"))


def read_study(which: str, overrides: Mapping[str, Any] | None = None) -> Study:
    """Return the study in a TOML file, or one that comes with the program, by its name; `BadInput` names the first
    fault.

    The overrides hold for all its groups.
    """
    path = STUDIES / f"{which}.toml" if which in shipped_studies() else Path(which)
    try:
        text = read_text(path, MAX_STUDY)
    except BadInput as fault:
        raise BadInput(f"{fault}; the studies that come with the program are {', '.join(shipped_studies())}") from fault
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:  # numbers of thousands of digits, lists in lists in lists too
        raise BadInput(f"the study {which} is not TOML: {fault}") from fault
    return study_of(path.stem, data, overrides, path.parent)


def study_of(
    name: str, data: Mapping[str, Any], overrides: Mapping[str, Any] | None = None, folder: Path | None = None
) -> Study:
    """Return the study that a dictionary describes, with the keys of the module.

    Paths of graph files are read from the folder.
    """
    above = {key: value for key, value in data.items() if key != "group"}
    tables = data.get("group", [{}])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadInput(f"the groups of the study {name} are not tables: write [[group]]")
    numbers = [name] if len(tables) == 1 else map(str, range(1, len(tables) + 1))
    groups = [
        _group(f"the study {name}", {"name": number} | above | table | dict(overrides or {}), folder)
        for number, table in zip(numbers, tables, strict=True)
    ]
    names = [group.name for group in groups]
    if len(set(names)) < len(names):
        raise BadInput(f"two groups of the study {name} have one name, {max(names, key=names.count)!r}: rename one")
    return Study(name, groups)


def _group(where: str, given: Mapping[str, Any], folder: Path | None) -> Group:
    """Return the group that a dictionary describes, its boards and backends written out; `BadInput` names the first
    wrong key."""
    if "boards" not in given:
        raise BadInput(f'{where} has no boards: write a list such as ["8x8", "6..20:2"]')
    try:
        group = msgspec.convert(given, Group)
    except msgspec.ValidationError as fault:
        raise BadInput(f"{where} can't be read: {fault_sentence(fault)}") from fault
    patterns = group.boards if group.leaper is None else [f"{group.leaper}:{board}" for board in group.boards]
    group.boards, group.backends = expand_patterns(patterns, folder), backend_specs(group.backends)
    group.questions()  # names a wrong kind
    return group


def backend_specs(given: str | Sequence[str]) -> list[str]:
    """Return the backends of a list, each once; for ``all``, those of the registry that take any graph.

    `BadInput` as `registry.load` has it; a class that is named outright is loaded in a child alone, which says what is
    wrong with it.
    """
    if given == "all":
        installed = [
            name
            for name in registry.names()
            if not registry.missing_modules(name) and registry.restriction_of(name) is None
        ]
        if not installed:
            raise BadInput("nothing can be compared: what the backends need is not installed; see cpsat-tour backends")
        return installed
    specs: dict[str, None] = {}
    for spec in given:
        name, options = split_spec(spec)
        if not name.startswith("py:"):
            registry.load(name, options)
        elif words := refusal(spec):
            raise BadInput(words)
        specs[" ".join(spec.split())] = None
    labels = [*map(label, specs)]
    if len({*labels}) < len(labels):
        words = f"two backends are called {max(labels, key=labels.count)!r} in tables"
        raise BadInput(f"{words}: give them other arguments besides those of the run, or a study each")
    return list(specs)
