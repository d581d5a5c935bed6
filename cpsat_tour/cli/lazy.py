"""The commands as Click has them here: each takes ``--quiet``, and a group imports the module of a command when it is
used, so that ``--help`` is quick and a module can import at its top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from cpsat_tour.cli.messages import be_quiet
from cpsat_tour.core.errors import choose_among
from cpsat_tour.core.libraries import named


class Row(NamedTuple):
    """A command: where its function is, as ``package.module:function``, and its line in the help."""

    home: str
    summary: str


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
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names, or say which names are like it."""
        if args[0] not in self._table and not args[0].startswith("-"):
            likely = args[0][:1].isdigit() and "solve" in self._table
            hint = f"did you mean solve {args[0]}?" if likely else choose_among(args[0], self._table)
            ctx.fail(f"there is no command {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.summary) for name, row in self._table.items()])
