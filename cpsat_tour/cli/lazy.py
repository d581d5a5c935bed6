"""Groups of commands whose modules are imported when a command is used, so that ``--help`` is quick and a module can
import at its top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from cpsat_tour.cli.messages import quiet_option
from cpsat_tour.core.errors import choose_among
from cpsat_tour.core.libraries import named


class Row(NamedTuple):
    """A command: where its function is, as ``package.module:function``, and its line in the help."""

    home: str
    summary: str


class OutputClosed(Exception):
    """Nobody reads standard output any more."""


@contextmanager
def _closed_output_told_apart() -> Iterator[None]:
    """Raise `OutputClosed` where standard output is a closed pipe, of which Click and Rich would make a failure."""
    try:
        yield
    except BrokenPipeError as closed:
        raise OutputClosed from closed
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # Rich's
            raise OutputClosed from ended
        raise


def _refuse_repeats(group: click.Context, command: click.Command, args: list[str]) -> None:
    """Fail if an option that has one value was given two, of which the last would be taken in silence."""
    context = click.Context(command, group, command.name, resilient_parsing=True)
    _, _, order = command.make_parser(context).parse_args([*args])
    for option in order:
        once = isinstance(option, click.Option) and not (option.is_flag or option.multiple or option.count)
        if once and order.count(option) > 1:
            context.fail(f"{option.opts[0]} is given twice: give it once")


class LazyGroup(click.Group):
    """A group made from a table of its commands."""

    def __init__(self, *arguments: Any, table: Mapping[str, Row], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command; None where there is none of that name."""
        if cmd_name not in self._table:
            return None
        command: click.Command = named(self._table[cmd_name].home)
        if not isinstance(command, click.Group) and not any("--quiet" in option.opts for option in command.params):
            command.params.append(quiet_option())
        return command

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the arguments, and show the help if they ask for it."""
        with _closed_output_told_apart():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _closed_output_told_apart():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names, or say which names are like it."""
        if args[0] not in self._table and not args[0].startswith("-"):
            likely = args[0][:1].isdigit() and "solve" in self._table
            hint = f"did you mean solve {args[0]}?" if likely else choose_among(args[0], self._table)
            ctx.fail(f"there is no command {args[0]!r}: {hint}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not isinstance(command, click.Group):
            _refuse_repeats(ctx, command, rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.summary) for name, row in self._table.items()])
