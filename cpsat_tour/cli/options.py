"""The options that commands share, their class, the problem and limits that the options state, what shells complete,
and how a run is shown: live counters on a terminal, then the tour or why there is none.

Bash, Zsh and Fish complete words once their settings contain
``eval "$(_CPSAT_TOUR_COMPLETE=bash_source cpsat-tour)"``, or ``zsh_source`` or ``fish_source``.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import click
from click import Argument, Option
from click.core import augment_usage_errors
from click.shell_completion import CompletionItem

from cpsat_tour.cli.messages import Exit, is_quiet, json_line, print_out, say, write_at_once
from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault, printable
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import MAX_SEED, MAX_THREADS, Event, Limits, LogLine, PartOut, Result, run_detached
from cpsat_tour.core.space import layout_of
from cpsat_tour.engines import registry
from cpsat_tour.formats.describe import ProgressWords, tour_sought
from cpsat_tour.formats.saving import FORMS, ROUTES, SUFFIXES, check_destination, save_tour
from cpsat_tour.formats.typed import graph_of, move_of, symmetry_of
from cpsat_tour.tour import Answer, Interrupted, Tour

Namespace = SimpleNamespace
"""The values of a command's options, by their names."""


def option(usage: str, words: str, *, to: str | None = None, **others: Any) -> Option:
    """Return a Click option from a usage such as ``-o --output FILE``, which takes a value, or ``--force``, a flag. The
    command finds the value under the name ``to``, by default the option's own."""
    *names, metavar = usage.split()
    if metavar.startswith("-"):
        names.append(metavar)
        others |= {} if "type" in others else {"is_flag": True}
    else:
        others["metavar"] = metavar
    names += [] if to is None else [to]
    return Option(names, show_default="default" in others, help=words, **others)


QUIET = option("-q --quiet", "Print only errors on stderr: no messages and no progress.")

EVERY_EXIT = {
    Exit.BAD_INPUT: "The command or a file is wrong: one sentence on stderr says how.",
    Exit.INTERRUPTED: "Ctrl-C ended the run: the results so far are shown.",
}


class Command(click.Command):
    """A command whose help shows its options in groups and its exit statuses.

    Its function takes the values of all options as one namespace and returns the exit status, or None for 0. An option
    with one value that is given twice is refused; Click alone would take the last value and drop the others. The
    options that it ``refuses`` are not in the help, and of those that are ``apart`` one is taken.
    """

    def __init__(
        self,
        name: str,
        *,
        groups: Mapping[str, Sequence[click.Parameter]],
        exits: Mapping[int, str],
        refuses: Sequence[str] = (),
        apart: Sequence[Sequence[str]] = (),
        **others: Any,
    ) -> None:
        self._groups, self._exits, self.refuses, self._apart = groups, exits, refuses, apart
        others["params"] = [*chain(*groups.values()), QUIET]
        super().__init__(name, **others)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments as Click does; a usage error if an option with one value is given twice."""
        with augment_usage_errors(ctx):
            _, _, given = self.make_parser(ctx).parse_args([*args])
        for given_one in given:
            once = isinstance(given_one, Option) and not (given_one.is_flag or given_one.multiple)
            if once and given.count(given_one) > 1 and not ctx.resilient_parsing:
                ctx.fail(f"{given_one.opts[0]} is given twice: give it once")
            if given_one.name in self.refuses:
                ctx.fail(f"{self.name} does not take {given_one.opts[0]}: leave it out")
        written = {str(given_one.name): given_one.opts[-1] for given_one in given}
        for clash in ([written[name] for name in names if name in written] for names in self._apart):
            if len(clash) > 1 and not ctx.resilient_parsing:
                ctx.fail(f"{clash[0]} can't go with {clash[1]}: give one or the other")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> NoReturn:
        """Run the command and end the program with its exit status."""
        assert self.callback is not None
        code = ctx.invoke(self.callback, Namespace(**ctx.params))
        sys.stdout.flush()
        ctx.exit(code or Exit.ANSWER)

    def sections(self, ctx: click.Context) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the sections of the help as titles and rows: the options in their groups, then the exit statuses."""
        found = []
        for title, group in [*self._groups.items(), ("Messages", [QUIET, self.get_help_option(ctx)])]:
            shown = [each for each in group if isinstance(each, Option) and each.name not in self.refuses]
            found.append((title, [*filter(None, [each.get_help_record(ctx) for each in shown])]))
        exits = sorted([*self._exits.items(), *EVERY_EXIT.items()])
        return [*found, ("Exit status", [(f"{code}", meaning) for code, meaning in exits])]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections into the help."""
        for title, rows in filter(itemgetter(1), self.sections(ctx)):
            with formatter.section(title):
                formatter.write_dl(rows)


command = partial(click.command, cls=Command)

SECONDS = click.FloatRange(0, min_open=True)


def complete_backend(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return completions for a backend: names that begin with ``begun`` and whose modules are installed."""
    ready = [name for name in registry.names() if name.startswith(begun) and not registry.missing_modules(name)]
    return [CompletionItem(name, help=registry.entry(name).summary) for name in ready]


def _complete_pair(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return completions for ``-O``, as ``KEY=VALUE``, for the backend that the line names or the default one."""
    default = {"solve": "auto", "tours": "dfs", "trace": "dfs"}.get(context.info_name or "", "")
    name = (context.params.get("backend") or default).partition("@")[0]
    if name not in registry.names() or registry.missing_modules(name):
        return []
    options = registry.options_of(registry.load_class(registry.entry(name).target))
    pairs = [f"{option.name}={value}" for option in options for value in option.values or (option.default,)]
    return [CompletionItem(pair) for pair in pairs if pair.startswith(begun) and " " not in pair]


HOLES = option("--hole SQUARE", "Leave this square out; may be repeated.", to="holes", multiple=True)
LEAPER = option(
    "--leaper --moves A,B|NAME",
    "Move by A squares one way and B the other; or as the king, wazir, camel, zebra, giraffe, … does. Several have "
    "all their moves.  [default: knight, 1,2]",
    to="leaper",
    multiple=True,
)

PROBLEM = [
    Argument(["board"], required=False),
    option("--closed", "Ask for a closed tour: its last square is a move away from its first."),
    option("--start SQUARE", "Start at this square."),
    option("--end SQUARE", "End at this square."),
    HOLES,
    LEAPER,
    option(
        "--symmetry NAME",
        "Ask for a tour that this symmetry maps to itself: rot180, rot90, axial, …, any, or a file with a permutation.",
    ),
    option("--require A1-B3", "Require this move, in either direction; may be repeated.", multiple=True),
    option("--forbid A1-B3", "Forbid this move, in either direction; may be repeated.", multiple=True),
    option(
        "--at E4=17",
        "Give a square its number in the tour, or all numbers by a tour file; may be repeated.",
        multiple=True,
    ),
    option("--order A1,C3,…", "Visit these squares in this order, with others between them."),
    option(
        "--input FORM", "Read the graph file as FORM, perhaps FORM:directed; see cpsat-tour formats.", to="graph_form"
    ),
    option("--columns A,B", "Read the vertices from these columns of a table, by name or number."),
    option(
        "--puzzle FILE",
        "Read a puzzle, from cpsat-tour puzzle or drawn by hand: rows of squares with spaces between them, each a "
        "number, . for a blank or # for a hole; - reads stdin. BOARD is then optional.",
    ),
    option(
        "--waypoints",
        "The numbers of the puzzle are only an order; an open tour starts at the least and ends at the greatest.",
    ),
]
"""The options that state a problem; `read_problem` reads them."""

TIME_LIMIT = option("--time-limit SECONDS", "Stop after this many seconds, with exit status 3.", type=SECONDS)
LIMITS = [
    TIME_LIMIT,
    option("--threads N", "Use N threads, if the backend can.", type=click.IntRange(1, MAX_THREADS)),
    option("--seed N", "Seed the random choices with N.", type=click.IntRange(0, MAX_SEED), default=0),
]

CLUSTER = option("--cluster ADDRESS", "Run on the Dask cluster whose scheduler is at ADDRESS, such as tcp://host:8786.")
FORCE = option("--force", "Replace existing files.")
JSON = option("--json", "Print the result as one JSON object.", to="as_json")
TOUR_OUTPUT = [
    option(
        "-o --output FILE",
        "Write the tour to FILE: .svg, .png, .pdf, .tikz, .gif, .txt, .json, .npy, .csv, .tour or .dot; - prints it.",
    ),
    FORCE,
    JSON,
]
FORM = option(
    "--format NAME",
    f"Print or write the tour in this form: {', '.join(FORMS)}.",
    to="form",
    type=click.Choice([*FORMS]),
)
VERIPB_VERSION = option(
    "--format",
    "Write the proof for this version of VeriPB; version 1.2 gets separate files.",
    to="version",
    type=click.Choice(["3.0", "1.2"]),
    default="3.0",
)


PAIRS = option(
    "-O KEY=VALUE",
    "Set an option of the backend; may be repeated.",
    to="options",
    multiple=True,
    callback=lambda _context, _option, pairs: registry.parse_options(pairs) if pairs else {},
    shell_complete=_complete_pair,
)


def backend_option(words: str, **others: Any) -> Option:
    """Return the ``--backend`` option with these words as its help."""
    return option("--backend NAME[@SOLVER]", words, shell_complete=complete_backend, **others)


def read_problem_and_limits(args: Namespace) -> tuple[Problem, Limits]:
    """Return the problem and the limits that the options state. The time that reading took is subtracted;
    `StoppedEarly` if none is left."""
    limits = Limits(args.time_limit, None, args.threads, args.seed)
    clock = limits.clock()
    try:
        problem = run_detached(partial(read_problem, args), clock.check)
    except StoppedEarly as limit:
        raise StoppedEarly(limit.limit, ", while the problem was read") from None
    return problem, replace(limits, seconds=clock.left)


def read_problem(args: Namespace) -> Problem:
    """Return the problem that the options of `PROBLEM` state. Without a board, the file of a puzzle may state it.
    `BadInput` names the first option that is wrong."""
    board, holes, givens, grid, stated = args.board, args.holes, [], None, None
    if args.puzzle is not None:
        from cpsat_tour.formats.tour_files import read_puzzle

        grid, stated = read_puzzle(args.puzzle, waypoints=args.waypoints)
        if stated is not None and stated.closed and not args.closed and board is not None:
            raise BadInput(f"{args.puzzle} is a puzzle of a closed tour: add --closed, or leave out {board}")
        if board is not None or holes or args.leaper:
            stated = None
        if board is None and stated is None:
            assert grid is not None
            board = grid.typed_board()
            holes = (*holes, *grid.holes(graph_of(board).space))
    if board is None and stated is None:
        raise BadInput("no board is given: write rows x cols, such as 8x8, or the path of a graph file")
    if several := [hole for hole in args.holes if "," in hole and hole.upper() != hole.lower()]:
        raise BadInput(f"--hole {several[0]!r:.80} is not a square: give each its own, such as --hole a1 --hole b2")
    columns = args.columns.split(",") if args.columns else ()
    asked = stated or Problem(graph_of(board, holes, "+".join(args.leaper), args.graph_form, columns), args.closed)
    graph, closed = asked.graph, asked.closed or args.closed
    start = asked.start if args.start is None else graph.space.vertex(args.start)
    end = asked.end if args.end is None else graph.space.vertex(args.end)
    walls = [] if grid is None else grid.walls
    require, forbid = (map(partial(move_of, graph), moves) for moves in (args.require, [*args.forbid, *walls]))
    symmetry = asked.symmetry if args.symmetry is None else symmetry_of(graph, args.symmetry, closed=closed)
    for text in args.at:
        which, equals, number = text.rpartition("=")
        if not equals and os.path.exists(text):
            givens += [(vertex, visit) for visit, vertex in enumerate(read_tour(graph, text, "--at "), start=1)]
        elif equals and number.isascii() and number.isdecimal() and len(number) <= 9:
            givens.append((graph.space.vertex(which), int(number)))
        else:
            raise BadInput(f"--at {text!r:.80} is not a given: write a square and its number, such as e4=17")
    listed = re.split(r"[\s;]+" if re.search(r"[\s;]", args.order or "") else ",", args.order or "")
    waypoints = [graph.space.vertex(name) for name in listed if name]
    drawn = asked.givens if grid is None else grid.givens(graph.space)
    if grid is not None and grid.taken and not args.quiet:  # `say` itself asks the context, which is another thread's
        say(f"{args.puzzle}: {', '.join(grid.taken)}.")
    if args.waypoints and not asked.waypoints:
        waypoints += [vertex for vertex, _ in sorted(drawn, key=itemgetter(1))]
        twice = [number for number, times in Counter(number for _, number in drawn).items() if times > 1]
        if not drawn or twice:
            has = f"{args.puzzle} has {twice[0]} twice" if twice else "none is given: add --puzzle with numbers"
            raise BadInput(f"--waypoints takes the numbers of a puzzle for an order, each once, and {has}")
        if not closed:
            start, end = (waypoints[at] if given is None else given for at, given in ((0, start), (-1, end)))
    else:
        givens += drawn
    moves = (*asked.require, *require), (*asked.forbid, *forbid)
    return Problem(graph, closed, start, end, *moves, symmetry, tuple(givens), (*asked.waypoints, *waypoints))


def read_tour(graph: Graph, path: str, prefix: str) -> list[int]:
    """Return the vertices of the tour in a file, matched to the graph by name; the message of a `BadInput` begins with
    the prefix."""
    try:
        return [graph.space.vertex(name) for name in Tour.load(path).names]
    except TourFault as fault:
        raise BadInput(f"{prefix}{path} has no tour: {fault}") from fault


QUIET_SECONDS = 1.0


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """One line on stderr with the seconds and the counters so far. Nothing is shown if stderr is not a terminal, or
    before `QUIET_SECONDS`."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.monotonic()
        self._words = ProgressWords()
        self._status: Any = None
        self._spinner: Any = None
        self._shown = sys.stderr.isatty() and not is_quiet()

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, event: Event) -> None:
        """Update the counters that are shown. A line of a solver's log, and a backend that leaves a portfolio, are
        printed on a line of their own."""
        if isinstance(event, LogLine):
            say(event.line)
        elif isinstance(event, PartOut) and (event.fault or self._shown):
            say(f"{event.part} is out: {event.why}")
        elif self._shown:
            self._words.take(event)
            seconds = time.monotonic() - self._begun
            if seconds < QUIET_SECONDS:
                return
            from rich.text import Text  # only where there is a terminal

            if self._status is None:
                from rich.console import Console
                from rich.live import Live
                from rich.spinner import Spinner

                self._spinner, console = Spinner("dots"), Console(stderr=True)
                # Results are not redirected to the terminal: stdout may be a pipe.
                self._status = Live(self._spinner, console=console, transient=True, redirect_stdout=False)
                self._status.start()
            self._spinner.update(text=Text(printable(self._words.line(self._what, seconds))))


def run_with_progress(what: str, task: Callable[[ProgressLine], Result]) -> Result:
    """Run the task while a `ProgressLine` shows its events, and return its result; after Ctrl-C, the result so far."""
    with ProgressLine(what) as progress:
        try:
            return task(progress)
        except Interrupted as interrupted:
            known: Result = interrupted.known
            return known


def check_certificate_place(args: Namespace) -> None:
    """Raise `BadInput` if ``--certificate`` names a folder that can't be written."""
    if args.certificate is not None:
        from cpsat_tour.proofs.write.certificate import check_certificate_folder  # which takes a while to load

        check_certificate_folder(args.certificate, force=args.force)


def output_path(args: Namespace, graph: Graph, form: str | None = None, *, several: bool = False) -> Path | None:
    """Return the path of ``--output``, None for standard output; `BadInput` if it can't be written, or the graph has no
    tours in this form. ``several`` routes can be written in fewer forms than one tour."""
    if form == "board":
        layout_of(graph.space)
    if args.output in (None, "-"):
        return None
    check_destination(args.output, graph, form=form, force=args.force, suffixes=ROUTES if several else SUFFIXES)
    return Path(args.output)


def show_answer(
    answer: Answer,
    described: Mapping[str, Any],
    path: Path | None,
    *,
    none: str,
    as_json: bool,
    form: str | None = None,
) -> None:
    """Print the answer: as JSON (``described``), as a tour, or as the sentence ``none``, which says why there is no
    tour. A tour may be printed in a form of `FORMS`; with a path it is saved, see `save_or_print`."""
    if as_json:
        json_line(described)
    if answer.tour is None:
        if none and not as_json:
            print_out(none)
        if path is not None:
            say(f"No tour was found, so nothing is written to {path}.")
        return
    problem, vertices = Problem(answer.tour.graph, answer.tour.closed), answer.tour.vertices
    text = FORMS[form or ("board" if problem.graph.space.layout else "line")]

    def save(path: Path) -> None:
        save_tour(problem, vertices, path, described, form=form, force=True)  # what is there was looked at before

    save_or_print(path, save, lambda: text(problem, vertices), as_json=as_json)


def save_or_print(path: Path | None, save: Callable[[Path], None], text: Callable[[], str], *, as_json: bool) -> None:
    """Save a result to the path and say so. Without a path, or if that fails, print its text, unless it was printed
    ``as_json``: so it is not lost."""
    shown = as_json
    try:
        if path is not None:
            save(path)
            shown = True
            say(f"wrote {path}")
    finally:
        if not shown:
            write_at_once(text())


def say_where_certificate_is(folder: str | Path) -> None:
    """Print where the certificate is, and how to check it again."""
    say(f"The certificate in {folder} is checked. Check it again with: cpsat-tour check {folder}")


def why_none(problem: Problem, answer: Answer) -> str:
    """Return a sentence that there is no tour: how this is known, and the theorem that says so, if any."""
    from cpsat_tour.spaces.theorems import why_no_tour  # with all kinds of spaces

    lines = [f"There is no {tour_sought(problem)}.", f"{answer.refutation}."]
    free = problem.closed or problem.start is None is problem.end
    if free and (theorem := why_no_tour(problem.graph.space, closed=problem.closed)):
        lines.append(theorem)
    return "\n".join(lines)
