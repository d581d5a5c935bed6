"""The options that commands share and the class of all commands; how texts become a problem, a backend and limits;
and what shells complete.

Bash, Zsh and Fish ask the program itself what it knows, once ``eval "$(_CPSAT_TOUR_COMPLETE=bash_source cpsat-tour)"``
(or ``zsh_source``, ``fish_source``) stands in the shell's own settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from cpsat_tour.backends import registry
from cpsat_tour.cli.messages import be_quiet
from cpsat_tour.core.answer import MAX_SEED, Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import unstoppable
from cpsat_tour.formats.spaces import graph_of, symmetry_of

Function = TypeVar("Function", bound=Callable[..., Any])


class Command(click.Command):
    """A command that takes ``--quiet`` too, and refuses an option with one value that is given twice."""

    def __init__(self, name: str, *, params: list[click.Parameter], **options: Any) -> None:
        words = "No messages and no progress on stderr, errors alone."
        quiet = click.Option(
            ["-q", "--quiet"], is_flag=True, expose_value=False, is_eager=True, callback=be_quiet, help=words
        )
        super().__init__(name, params=[*params, quiet], **options)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; Click alone would take the last value of an option and drop the others."""
        _, _, given = self.make_parser(ctx).parse_args([*args])
        for option in given:
            once = isinstance(option, click.Option) and not (option.is_flag or option.multiple or option.count)
            if once and given.count(option) > 1 and not ctx.resilient_parsing:
                ctx.fail(f"{option.opts[0]} is given twice: give it once")
        return super().parse_args(ctx, args)


SECONDS = click.FloatRange(0, min_open=True)


def complete_backend(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The backends whose names begin so, those whose modules are not installed left out."""
    ready = [name for name in registry.names() if name.startswith(begun) and not registry.missing(name)]
    return [CompletionItem(name, help=registry.row(name).summary) for name in ready]


def _complete_pair(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The options of the backend that the line names, as ``KEY=VALUE``; without one, those of the backend that is asked
    then."""
    named = context.params.get("backend") or {"solve": "auto", "tours": "dfs"}.get(context.info_name or "", "")
    name = named.partition("@")[0]
    if name not in registry.names() or registry.missing(name):
        return []
    options = registry.options_of(registry.load_class(registry.row(name).target))
    pairs = [f"{option.name}={value}" for option in options for value in option.values or (option.default,)]
    return [CompletionItem(pair) for pair in pairs if pair.startswith(begun) and " " not in pair]


def stacked(options: list[Callable[[Function], Function]]) -> Callable[[Function], Function]:
    """One decorator for several options, in this order."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


problem_options = stacked(
    [
        click.argument("board", required=False),
        click.option("--closed", is_flag=True, help="A closed tour, whose last square is a move from its first."),
        click.option("--start", metavar="SQUARE", help="The square to start at."),
        click.option("--end", metavar="SQUARE", help="The square to end at."),
        click.option(
            "--hole", "holes", metavar="SQUARE", multiple=True, help="A square that is not there; may be repeated."
        ),
        click.option("--leaper", metavar="A,B", help="Another leaper than the knight, which is 1,2."),
        click.option(
            "--require",
            metavar="A1-B3",
            multiple=True,
            help="A move that the tour must make, either way; may be repeated.",
        ),
        click.option(
            "--forbid",
            metavar="A1-B3",
            multiple=True,
            help="A move that it must not make, either way; may be repeated.",
        ),
        click.option(
            "--symmetry",
            metavar="NAME",
            help="What takes the tour to itself: rot180, rot90, axial, …, any, or a file with a permutation.",
        ),
        click.option(
            "--at",
            metavar="E4=17",
            multiple=True,
            help="A square and the number that its visit has, or a tour file; may be repeated.",
        ),
        click.option(
            "--puzzle",
            metavar="FILE",
            help="Given numbers as a text grid, a dot for each blank; BOARD may then be left out; - reads stdin.",
        ),
    ]
)

time_option = click.option(
    "--time-limit", type=SECONDS, metavar="SECONDS", help="Stop after this wall time, with exit status 3."
)


limit_options = stacked(
    [
        click.option(
            "--seed",
            type=click.IntRange(0, MAX_SEED),
            default=0,
            show_default=True,
            help="Seed of the backend's choices.",
        ),
        click.option("--threads", type=click.IntRange(1, 1024), help="Threads, for backends that use several."),
        time_option,
    ]
)

version_option = click.option(
    "--format",
    "version",
    type=click.Choice(["3.0", "1.2"]),
    default="3.0",
    show_default=True,
    help="Write the proof for this version of VeriPB; for 1.2 in files of its own.",
)
"""The option for the ``version`` of the format in which a certificate's proof is written."""

pairs_option = click.option(
    "-O",
    "options",
    metavar="KEY=VALUE",
    multiple=True,
    callback=lambda _context, _option, pairs: registry.read_pairs(pairs) if pairs else {},
    shell_complete=_complete_pair,
    help="An option of the backend; may be repeated.",
)


def backend_option(words: str, *, default: str | None = None, several: bool = False) -> Callable[[Function], Function]:
    """The option that names a backend; with ``several`` it may be repeated."""
    return click.option(
        "--backend",
        *(["backends"] if several else []),
        metavar="NAME[@SOLVER]",
        multiple=several,
        default=default,
        show_default=default is not None,
        shell_complete=complete_backend,
        help=words,
    )


force_option = click.option("--force", is_flag=True, help="Replace files that are there.")


def read_in_time(*, seed: int, threads: int | None, time_limit: float | None, **sought: Any) -> tuple[Problem, Limits]:
    """The problem that `read_problem` reads, and the limits of `limit_options` less the time that this took;
    `StoppedEarly` once there is none left."""
    limits = Limits(time_limit, None, threads, seed)
    clock = limits.clock()
    try:
        problem = unstoppable(lambda: read_problem(**sought), clock.check)
    except StoppedEarly as limit:
        raise StoppedEarly(f"{limit}, while the problem was read") from None
    return problem, replace(limits, seconds=clock.left)


def read_problem(*, board: str | None, holes: tuple[str, ...], puzzle: str | None, **sought: Any) -> Problem:
    """The problem that the texts of `problem_options` ask for; a puzzle may stand for the board as well."""
    givens: list[tuple[int, int]] = []
    if puzzle is not None:
        from cpsat_tour.formats.grids import read_grid

        grid = read_grid(puzzle)
        if board is None:
            board = grid.size()
            holes = (*holes, *grid.holes(graph_of(board).space))
    if board is None:
        raise BadInput("no board is given: write rows x cols, such as 8x8, or the path of a graph file")
    graph, closed = graph_of(board, holes, sought["leaper"]), sought["closed"]
    start = None if sought["start"] is None else graph.space.vertex(sought["start"])
    end = None if sought["end"] is None else graph.space.vertex(sought["end"])
    require = tuple([_read_move(graph, text) for text in sought["require"]])
    forbid = tuple([_read_move(graph, text) for text in sought["forbid"]])
    symmetry = None if sought["symmetry"] is None else symmetry_of(graph, sought["symmetry"], closed=closed)
    for text in sought["at"]:
        givens += _read_givens(graph, text)
    if puzzle is not None:
        givens += grid.givens(graph.space)
    return Problem(graph, closed, start, end, require, forbid, symmetry, tuple(givens))


def _read_move(graph: Graph, text: str) -> tuple[int, int]:
    """The two vertices of a move written with a hyphen between them; a name may itself have hyphens."""
    fault = BadInput(f"{text!r} is not a move: write two squares with a hyphen between, such as a1-b3")
    for place in (place for place, letter in enumerate(text) if letter == "-"):
        try:
            return graph.space.vertex(text[:place]), graph.space.vertex(text[place + 1 :])
        except BadInput as unknown:
            fault = unknown
    raise fault


def read_tour(graph: Graph, path: str, option: str) -> list[int]:
    """The vertices of the tour in a file, which may be one of another graph that has the same names."""
    from cpsat_tour.formats.tour_files import load_tour

    try:
        return [graph.space.vertex(name) for name in load_tour(path).names]
    except TourFault as fault:
        raise BadInput(f"{option}{path} has no tour: {fault}") from fault


def _read_givens(graph: Graph, text: str) -> list[tuple[int, int]]:
    """The vertex and the number of a given written with an equals sign between them, or all visits of a tour file."""
    if "=" not in text and os.path.exists(text):
        return [(vertex, number) for number, vertex in enumerate(read_tour(graph, text, "--at "), start=1)]
    which, equals, number = text.rpartition("=")
    if not equals or not (number.isascii() and number.isdecimal() and len(number) <= 9):
        raise BadInput(f"--at {text!r:.80} is not a given: write a square and its number, such as e4=17")
    return [(graph.space.vertex(which), int(number))]
