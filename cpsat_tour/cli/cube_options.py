"""The options of lists in cubes: ``--resume`` and those of a cluster. `in_cubes` counts as they ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from cpsat_tour.core.errors import BadInput

Function = TypeVar("Function", bound=Callable[..., Any])


def cluster_options(function: Function) -> Function:
    """The options that name a cluster."""
    scheduler = click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler, such as tcp://host:8786.")
    own = click.option("--cluster", metavar="local:N", help="Run on a Dask cluster of N processes, started for this.")
    return scheduler(own(function))


resume_option = click.option(
    "--resume", metavar="FILE", help="Count, recording in FILE what is done; with FILE there already, go on from where it ends."
)


@dataclass(frozen=True)
class CubeOptions:
    """A count in cubes as the options ask for it: with a record or without, on a cluster or on threads of this process."""

    record: str | None
    scheduler: str | None
    cluster: str | None

    @property
    def given(self) -> str | None:
        """The first of the options that is given."""
        options = {"--resume": self.record, "--scheduler": self.scheduler, "--cluster": self.cluster}
        return next((f"{option} {value}" for option, value in options.items() if value is not None), None)

    def refuse_with(self, **others: object) -> None:
        """Raise `BadInput` if one of the other options is given, by its name without the hyphens."""
        for name, value in others.items():
            if value:
                option = f"{'-' if len(name) == 1 else '--'}{name.replace('_', '-')}"
                raise BadInput(f"{option} can't go with {self.given}, which counts the tours by the edge search and keeps none")
