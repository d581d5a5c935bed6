"""The options of lists in cubes: ``--resume`` and those of a cluster, which others have too. `in_cubes` counts as they
ask for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cpsat_tour.core.errors import BadInput

if TYPE_CHECKING:
    from cpsat_tour.compare.schedule import Workers

Function = TypeVar("Function", bound=Callable[..., Any])

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")


def cluster_options(function: Function) -> Function:
    """The options that name a cluster."""
    scheduler = click.option(
        "--scheduler", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler, such as tcp://host:8786."
    )
    own = click.option("--cluster", metavar="local:N", help="Run on a Dask cluster of N processes, started for this.")
    return scheduler(own(function))


resume_option = click.option(
    "--resume",
    metavar="FILE",
    help="Count, recording in FILE what is done; with FILE there already, go on from where it ends.",
)


def read_cluster(scheduler: str | None, cluster: str | None) -> AbstractContextManager[Workers] | None:
    """The cluster that the options name, to be entered; None where they name none."""
    from cpsat_tour.compare.cluster import (
        cluster as on_cluster,
    )  # of no use without the options, and `solve` has them too

    if scheduler is not None and cluster is not None:
        raise BadInput(f"--scheduler {scheduler} can't go with --cluster {cluster}: give one or the other")
    if cluster is None:
        return None if scheduler is None else on_cluster(scheduler, None)
    match = _LOCAL.fullmatch(cluster)
    if match is None:
        raise BadInput(f"--cluster can't be {cluster!r}: write local:N with a number of processes, such as local:2")
    return on_cluster(None, int(match[1]))


@dataclass(frozen=True)
class CubeOptions:
    """A count in cubes as the options ask for it: with a record or without, on a cluster or on threads of this
    process."""

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
                raise BadInput(
                    f"{option} can't go with {self.given}, which counts the tours by the edge search and keeps none"
                )
