"""Why there is no tour: the kind of evidence and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["tour", "none", "unknown"]


Work = Mapping[str, int]


RefutationKind = Literal["exhausted", "condition", "lp", "clausal", "claimed"]


@dataclass(frozen=True)
class Refutation:
    """The evidence that there is no tour.

    ``exhausted``: a search tried every possibility; ``condition``: a necessary condition is violated, which can be
    checked by hand; ``lp`` and ``clausal``: there is a `cpsat_tour.proofs.write.certificate.Certificate`, or was for a
    piece of the graph that the reason names; ``claimed``: the solver says so, which is no evidence.
    """

    kind: RefutationKind
    reason: str
    certificate: Any = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"
