"""Prunings by name: when the search refuses to enter a vertex, each on its own switch.

================  ====================================================================================================
``applet-start``  the last unvisited vertex that a tour can end at (beside the start, if it is closed) is for the
                  last move alone
``applet-exits``  no unvisited vertex may be left without exits unless it is the last one
``degree``        the local degree rule: each unvisited vertex needs two edges among the unvisited vertices, the
                  head and the end
``colour``        the unvisited vertices of both colours must match: on a bipartite graph this is decided at the root
``connected``     the unvisited part must hang together
``reversal``      once all closed tours over an edge at the root are tried, none is sought that comes back over
                  it; nor an open one that ends at a root already done
================  ====================================================================================================

``applet`` is the first two, the rules of an applet of 1999. All are sound: none refuses a position from which a tour
goes on. On directed graphs ``applet-exits`` and ``reversal`` are not, and are left off there.
"""

from __future__ import annotations

from cpsat_tour.core.errors import BadInput
from cpsat_tour.native.state import CONNECTED, DEGREE, ENDS, EXITS, REVERSAL

COLOUR = 1 << 8
"""Beside the flags of the search, which need not know."""

FLAGS = {
    "applet-start": ENDS,
    "applet-exits": EXITS,
    "degree": DEGREE,
    "colour": COLOUR,
    "connected": CONNECTED,
    "reversal": REVERSAL,
}

GROUPS = {
    "none": (),
    "applet": ("applet-start", "applet-exits"),
    "default": ("applet-start", "degree", "colour", "reversal"),
    "all": tuple(FLAGS),
}


def parse_prunings(names: str) -> int:
    """The bit flags of a comma list of prunings, or of groups of them; `BadInput` for a name that is not there."""
    flags = 0
    for name in names.split(","):
        for member in GROUPS.get(name.strip(), (name.strip(),)):
            if member not in FLAGS:
                raise BadInput(f"there is no pruning {member!r}: choose from {', '.join([*GROUPS, *FLAGS])}")
            flags |= FLAGS[member]
    return flags
