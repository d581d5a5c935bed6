"""Groups of commands whose modules are imported when a command is used, so that ``--help`` is quick and a module can
import at its top."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any, NamedTuple

import click

from cpsat_tour.core.errors import choose_among


class Row(NamedTuple):
    """A command: where its function is, as ``package.module:function``, and its line in the help."""

    home: str
    summary: str


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
        command: click.Command = resolve_name(self._table[cmd_name].home)
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
