"""The tables of commands, and the groups that import each when it is used."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

import click

from cpsat_tour.core.errors import __version__, suggest


class LazyGroup(click.Group):
    """A group of commands that imports each when it is used, so that ``--help`` is quick.

    Its table has for each command its function, as ``package.module:function``, and its line in the help.
    """

    def __init__(self, name: str, table: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(name, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands, in the order of the table."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command of this name; a usage error suggests names that are like it."""
        if cmd_name not in self._table:
            likely = cmd_name[:1].isdigit() and "solve" in self._table
            hint = f"did you mean solve {cmd_name}?" if likely else suggest(cmd_name, self._table)
            ctx.fail(f"there is no command {cmd_name!r}: {hint}")
        command: click.Command = resolve_name(self._table[cmd_name][0])
        if not gc.isenabled():  # the process begins: no search for garbage looks at what is loaded, nor at the end
            gc.freeze()
            gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table into the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._table.items()])


COMMANDS = {
    "solve": ("cpsat_tour.cli.solve:solve", "Find one tour of a board or a graph."),
    "best": ("cpsat_tour.cli.best:best", "Find the tour with the fewest turns, the most crossings etc."),
    "decompose": ("cpsat_tour.cli.draw:decompose", "Make all moves in disjoint closed tours."),
    "tours": ("cpsat_tour.cli.tours:tours", "List the first tours, or all of them."),
    "count": ("cpsat_tour.cli.count:count", "Count the tours, exactly or by an estimate."),
    "filter": ("cpsat_tour.cli.filter:filter_lines", "Print the graphs of a list that have a tour, or have none."),
    "puzzle": ("cpsat_tour.cli.puzzle:puzzle", "Make a puzzle: a few numbers that fit only one tour."),
    "trace": ("cpsat_tour.cli.trace:trace", "Show every step of the native search."),
    "prove": ("cpsat_tour.cli.prove:prove", "Prove that there is no tour, with a certificate."),
    "verify": ("cpsat_tour.cli.check:verify", "Verify the tours in a file."),
    "draw": ("cpsat_tour.cli.draw:draw", "Draw the tour in a file."),
    "check": ("cpsat_tour.cli.check:check", "Check a certificate of no tour, a count or a best tour."),
    "export": ("cpsat_tour.cli.draw:export", "Write the formula of a board or a graph for an outside solver."),
    "decode": ("cpsat_tour.cli.check:decode", "Turn an outside solver's answer into a verified tour."),
    "compare": ("cpsat_tour.cli.commands:compare", "Compare backends: agree, run, report, bounds, strength."),
    "watch": ("cpsat_tour.cli.trace:watch", "Watch searches at work on a page in the browser."),
    "formats": ("cpsat_tour.cli.backends:formats", "List the forms of graph files, with an example each."),
    "backends": ("cpsat_tour.cli.backends:backends", "List the backends and what is installed."),
}

COMPARISONS = {
    "agree": ("cpsat_tour.cli.compare:agree", "Ask every backend about every board and compare the answers."),
    "run": ("cpsat_tour.cli.compare:run", "Time backends on boards, and record every run."),
    "report": ("cpsat_tour.cli.compare:report", "Print tables and draw pictures of the runs that were recorded."),
    "bounds": ("cpsat_tour.cli.compare:bounds", "Compare the strength of linear programs."),
    "strength": ("cpsat_tour.cli.compare:strength", "Compare what unit propagation sees in SAT formulations."),
}

cli = click.version_option(__version__, prog_name="cpsat-tour")(
    LazyGroup(
        "cpsat-tour",
        COMMANDS,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        help="""Knight's tours and other Hamiltonian paths and cycles: find, count, prove, compare.

    A BOARD is written 8x8 (rows x cols) or 8. A box 4x4x3, a wrapped board torus:5x5, a member of a family GP(17,2) or
    the path of a graph file can stand for it. Squares are a1 (files a to z, then aa; ranks from the bottom) or row,col
    from the top left, from 0.""",
    )
)

compare = LazyGroup("compare", COMPARISONS, help="Compare backends: agree, run, report, bounds, strength.")
