"""Running backends side by side and comparing what they say and how long they take.

The package can be called: ``compare(["6x6", "8x8"], ["sat", "cpsat"], closed=True)`` is `side_by_side.compare`, which
makes runs and gives a `side_by_side.Comparison`. Beside that, `record.load` reads a file of runs as a list of
`record.RecordedRun`, `record.frame` makes a pandas frame of them, `summary.summaries` their medians and scores,
`agree.agree` asks and judges, and `perform.perform` makes one run.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """A package and the function of the same name at once, whichever of them was imported first."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from cpsat_tour.compare.side_by_side import compare

        return compare(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
