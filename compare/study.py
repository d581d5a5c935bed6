"""Studies: which runs are made, as a TOML file says or as the command line does.

    backends = ["dfs", "cpsat linearization=0"]   # or "all": what is installed
    boards = ["6..20:2", "3x10..20", "graphs/*.hcp"]
    kinds = ["closed"]                             # open, closed; by default both
    seeds = 3                                      # how many, or a list of them
    time_limit = 10                                # seconds a run
    memory_limit = 2000                            # megabytes a run; by default none
    threads = 1
    starts = ["a1"]                                # start squares, or "all"; by default the start is free

A study may have parts, each a table ``[[group]]`` with a ``name`` and the same keys; what stands above the groups holds for all of them.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import prod
from pathlib import Path
from typing import Any

from cpsat_tour.backends import registry
from cpsat_tour.compare.boards import KINDS, Question, expand, graph_of, questions, sides
from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.perform import refusal
from cpsat_tour.compare.process import HAS_PROC
from cpsat_tour.compare.record import Job
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import read_text

MOST_JOBS = 1_000_000

MAX_STUDY = 1 << 20
"""Bytes that are read of a study."""

_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Group:
    """A part of a study: every backend is asked every question with every seed, under the same limits."""

    name: str
    backends: tuple[str, ...]
    questions: tuple[Question, ...]
    seeds: tuple[int, ...]
    time_limit: float
    memory_limit: int | None
    threads: int


@dataclass(frozen=True)
class Study:
    """A named collection of groups."""

    name: str
    groups: tuple[Group, ...]

    def jobs(self, jobs: int, executor: str) -> list[Job]:
        """All runs, in an order that makes a study of use when it is broken off: seed by seed, from small boards to large ones."""
        number = sum(len(group.backends) * len(group.questions) * len(group.seeds) for group in self.groups)
        if number > MOST_JOBS:
            raise BadInput(f"the study {self.name} has {number:,} runs: at most {MOST_JOBS:,} are allowed")
        found = []
        for group in self.groups:
            limits: dict[str, Any] = {
                "threads": group.threads,
                "time_limit": group.time_limit,
                "memory_limit": group.memory_limit,
                "study": self.name,
                "group": group.name,
                "jobs": jobs,
                "executor": executor,
            }
            found += [
                Job(backend, question.board, question.kind, question.start, seed, **limits)
                for seed in group.seeds
                for question in group.questions
                for backend in group.backends
            ]
        return sorted(found, key=lambda job: (job.seed, _vertices(job.board)))


def _vertices(board: str) -> int:
    lengths = sides(board)
    return prod(lengths) if lengths else graph_of(board).order


DEFAULTS: dict[str, Any] = {
    "backends": "all",
    "boards": None,
    "kinds": list(KINDS),
    "starts": [],
    "seeds": 1,
    "time_limit": 10,
    "memory_limit": None,
    "threads": 1,
}
"""The keys of a group and what they are where the study does not say."""


def shipped() -> list[str]:
    """The names of the studies that come with the program."""
    return sorted(
        entry.name.removesuffix(".toml") for entry in files(__package__).joinpath("studies").iterdir() if entry.name.endswith(".toml")
    )


def read_study(which: str, overrides: Mapping[str, Any] | None = None) -> Study:
    """The study in a TOML file or one of ours by name; the overrides hold for all its groups. `BadInput` names what is wrong."""
    if which in shipped():
        text, name, folder = files(__package__).joinpath("studies", f"{which}.toml").read_text(encoding="utf-8"), which, None
    else:
        path = Path(which)
        try:
            text, name, folder = read_text(path, MAX_STUDY), path.stem, path.parent
        except BadInput as fault:
            raise BadInput(f"{fault}; the studies that come with the program are {', '.join(shipped())}") from fault
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:  # a TOMLDecodeError, a number of thousands of digits, or lists in lists in lists
        raise BadInput(f"the study {which} is no TOML: {fault}") from fault
    return study_of(name, data, overrides, folder)


def study_of(name: str, data: Mapping[str, Any], overrides: Mapping[str, Any] | None = None, folder: Path | None = None) -> Study:
    """The study that the keys describe; see the module. Paths of graph files are read from the folder."""
    above = {key: value for key, value in data.items() if key != "group"}
    tables = data.get("group", [{}])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadInput(f"the groups of the study {name} are no tables: write [[group]]")
    groups = []
    for number, table in enumerate(tables, start=1):
        called = table.get("name", name if len(tables) == 1 else str(number))
        given = above | {key: value for key, value in table.items() if key != "name"} | dict(overrides or {})
        if unknown := given.keys() - DEFAULTS.keys():
            raise BadInput(f"the study {name} has the key {min(unknown)!r}: there are {', '.join(DEFAULTS)}, and name in a group")
        groups.append(_group(str(called), f"the study {name}", DEFAULTS | given, folder))
    if len({group.name for group in groups}) < len(groups):
        raise BadInput(f"two groups of the study {name} have one name: give each its own")
    return Study(name, tuple(groups))


def _group(called: str, where: str, given: Mapping[str, Any], folder: Path | None) -> Group:
    def fail(key: str, right: str) -> BadInput:
        return BadInput(f"{key} of {where} can't be {given[key]!r:.80}: {right}")

    boards, starts, seeds, memory = given["boards"], given["starts"], given["seeds"], given["memory_limit"]
    if not _texts(boards) or not boards:
        raise (
            BadInput(f'{where} has no boards: write a list such as ["8x8", "6..20:2"]') if boards is None else fail("boards", "a list of texts")
        )
    if not _texts(given["kinds"]):
        raise fail("kinds", 'write a list of "open" and "closed"')
    if starts != "all" and not _texts(starts):
        raise fail("starts", 'write "all" or a list of squares')
    if _natural(seeds) and seeds <= MOST_JOBS:
        seeds = range(seeds)
    elif not isinstance(seeds, list) or not all(type(seed) is int and 0 <= seed < 2**31 for seed in seeds):
        raise fail("seeds", "write how many, or a list of whole numbers from 0")
    limit = given["time_limit"]
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= sys.float_info.max:
        raise fail("time_limit", "write a number of seconds above 0")
    if memory is not None and not _natural(memory):
        raise fail("memory_limit", "write a whole number of megabytes above 0")
    if memory is not None and not HAS_PROC:
        raise fail("memory_limit", "memory is watched on Linux only")
    if not _natural(given["threads"]):
        raise fail("threads", "write a whole number above 0")
    return Group(
        called,
        tuple(backend_specs(given["backends"])),
        tuple(questions(expand(boards, folder), given["kinds"], None if starts == "all" else starts)),
        tuple(seeds),
        float(limit),
        memory * _MEGABYTE if memory is not None else None,
        given["threads"],
    )


def _texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)


def _natural(value: Any) -> bool:
    return type(value) is int and value > 0


def backend_specs(given: str | Sequence[str]) -> list[str]:
    """The backends of a list, or of the registry where it is ``all``: each once.

    `BadInput` as `registry.load` has it; a class that is named outright is loaded in a child alone, which says what is wrong with it.
    """
    if given == "all":
        installed = [name for name in registry.names() if not registry.missing(name)]
        if not installed:
            raise BadInput("nothing can be compared: what the backends need is not installed; see cpsat-tour backends")
        return installed
    if isinstance(given, str) or not _texts(given) or not given:
        raise BadInput(f'backends can\'t be {given!r}: write "all" or a list of names')
    specs: dict[str, None] = {}
    for spec in given:
        name, options = split_spec(spec)
        if not name.startswith("py:"):
            registry.load(name, options)
        elif words := refusal(spec):
            raise BadInput(words)
        specs[" ".join([name, *(f"{key}={value}" for key, value in options.items())])] = None
    return list(specs)
